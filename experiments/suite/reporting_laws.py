"""Laws of the reporting half: families that no issue, document or experiment had named before.

Written down, with their strengths, before the default was chosen again. Nothing may be chosen by
a result on them.
"""

from functools import cache

import numpy as np

from experiments.suite.problem import Array, Law, Random, Sampler, from_rows

# --- compositions: rows of shares that sum to one (Aitchison 1986) ------------------------------


def concentration(rng: Random, strength: float, count: int) -> Array:
    """Dirichlet with the same mean; shares vary less the larger the strength."""
    return rng.dirichlet(3.0 * (1.0 + strength) * np.linspace(0.5, 1.5, 6), size=count)


def composition_mean(rng: Random, strength: float, count: int) -> Array:
    """Dirichlet over 20 parts; two of them trade a part of their means."""
    alpha = np.full(20, 1.5)
    alpha[:2] += 1.5 * strength * np.array([1.0, -1.0])
    return rng.dirichlet(alpha, size=count)


# --- curves on a grid (Ramsay & Silverman 2005) -------------------------------------------------


def rough_curves(rng: Random, strength: float, count: int) -> Array:
    """A Gaussian process of unit variance on 50 points; its length scale shrinks."""
    time = np.linspace(0, 1, 50)
    apart = np.abs(time[:, None] - time) / (0.2 / (1.0 + strength))
    root = np.linalg.cholesky(np.exp(-0.5 * apart**2) + 1e-6 * np.eye(50))
    return rng.normal(size=(count, 50)) @ root.T


def fractional_paths(rng: Random, strength: float, count: int) -> Array:
    """Fractional Brownian motion on 100 points of (0, 1]; Hurst exponent ½ + strength."""
    time, power = np.arange(1, 101) / 100, 1.0 + 2.0 * strength
    apart = np.abs(time[:, None] - time)
    cov = 0.5 * (time[:, None] ** power + time**power - apart**power)
    return rng.normal(size=(count, 100)) @ np.linalg.cholesky(cov + 1e-12 * np.eye(100)).T


def late_bumps(rng: Random, strength: float, count: int) -> Array:
    """A bump at a random time on 200 noisy points; it comes later (time warping)."""
    time = np.linspace(0, 1, 200)
    centre = 0.35 + 0.1 * rng.normal(size=(count, 1)) + strength
    return np.exp(-0.5 * ((time - centre) / 0.05) ** 2) + 0.5 * rng.normal(size=(count, 200))


# --- gaps between events (Cox & Isham 1980; Hawkes 1971) ----------------------------------------


def renewal_gaps(rng: Random, strength: float, count: int) -> Array:
    """Ten gaps of a gamma renewal process with mean one; more regular with strength."""
    shape = 1.0 + strength
    return rng.gamma(shape, 1.0 / shape, size=(count, 10))


def hawkes_gaps(rng: Random, strength: float, count: int) -> Array:
    """Twenty gaps of a self-exciting process at its stationary rate one.

    Branching ratio ``strength``, decay 2, by thinning: the intensity only falls between events.
    """
    base, decay = 1.0 - strength, 2.0
    gaps, excited = np.empty((count, 20)), np.full(count, strength)  # the mean excitement
    for step in range(-10, 20):  # ten events to forget the start
        waited, waiting = np.zeros(count), np.ones(count, dtype=bool)
        while waiting.any():
            bound = base + excited
            pause = rng.exponential(size=count) / bound
            waited = np.where(waiting, waited + pause, waited)
            excited = np.where(waiting, excited * np.exp(-decay * pause), excited)
            taken = rng.random(count) * bound <= base + excited
            waiting &= ~taken
        excited = excited + strength * decay
        if step >= 0:
            gaps[:, step] = waited
    return gaps


# --- random graphs, one per row (Newman 2018) ---------------------------------------------------


def communities(rng: Random, strength: float, count: int) -> Array:
    """The 190 edges of 20 nodes; two hidden blocks at the same density."""
    half = np.arange(20) < 10
    i, j = np.triu_indices(20, 1)
    inside = half[i] == half[j]
    share = inside.mean()
    chance = np.where(inside, 0.3 * (1 + strength), 0.3 * (1 - strength * share / (1 - share)))
    return (rng.random((count, len(i))) < chance).astype(float)


def degrees(rng: Random, strength: float, count: int) -> Array:
    """Sorted degrees of 30 nodes; nodes differ in how readily they link."""
    i, j = np.triu_indices(30, 1)
    ready = np.exp(strength * rng.normal(size=(count, 30)))
    ready /= ready.mean(axis=1, keepdims=True)
    linked = rng.random((count, len(i))) < np.minimum(1.0, 0.2 * ready[:, i] * ready[:, j])
    found = np.zeros((count, 30))
    for node in range(30):
        found[:, node] = linked[:, (i == node) | (j == node)].sum(axis=1)
    return np.sort(found, axis=1)


# --- skewness with the mean and variance kept (Azzalini 1985) -----------------------------------


def skewed(columns: int) -> Law:
    """Skew-normal columns of mean zero and variance one."""

    def law(rng: Random, strength: float, count: int) -> Array:
        delta = strength / np.sqrt(1 + strength**2)
        first, second = rng.normal(size=(2, count, columns))
        raw = delta * np.abs(first) + np.sqrt(1 - delta**2) * second
        return np.asarray((raw - delta * np.sqrt(2 / np.pi)) / np.sqrt(1 - 2 * delta**2 / np.pi))

    return law


# --- volatility (Engle 1982; Nelson 1991) -------------------------------------------------------


def arch_returns(rng: Random, strength: float, count: int) -> Array:
    """Twenty returns of an ARCH(1) process with unit variance and no correlation."""
    found, last = np.empty((count, 20)), rng.normal(size=count)
    for step in range(-20, 20):
        last = np.sqrt(1 - strength + strength * last**2) * rng.normal(size=count)
        if step >= 0:
            found[:, step] = last
    return found


def leverage(rng: Random, strength: float, count: int) -> Array:
    """Ten returns; volatility rises after a loss more than after a gain."""
    found, log_var = np.empty((count, 10)), np.zeros(count)
    for step in range(-20, 10):
        shock = rng.normal(size=count)
        if step >= 0:
            found[:, step] = np.exp(0.5 * log_var) * shock
        news = 0.3 * (np.abs(shock) - np.sqrt(2 / np.pi)) - strength * shock
        log_var = 0.8 * log_var + news
    return found


# --- documents as counts of words (Blei, Ng & Jordan 2003; Madsen et al. 2005) ------------------


@cache
def _topics(words: int) -> Array:
    """Five topics with a Zipf law of the words, each in an order of its own."""
    order = np.random.default_rng(20).permuted(np.tile(np.arange(words), (5, 1)), axis=1)
    weights = 1.0 / (1.0 + order)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def topic_shares(rng: Random, strength: float, count: int) -> Array:
    """Documents of 60 words out of 100; the first topic gains weight."""
    alpha = np.full(5, 0.6)
    alpha[0] += strength
    return rng.multinomial(60, rng.dirichlet(alpha, size=count) @ _topics(100)).astype(float)


def burstiness(rng: Random, strength: float, count: int) -> Array:
    """Documents of 200 words out of 1,500; a word that was used comes again."""
    law = _topics(1500).mean(axis=0)
    if strength:
        law = rng.dirichlet(law * 1500 / strength, size=count)
    return rng.multinomial(200, law, size=count).astype(float)


# --- covariance matrices, one per row (Muirhead 1982) -------------------------------------------


def _covariances(rng: Random, freedom: int, root: Array, count: int) -> Array:
    """Entries of sample covariance matrices of a normal law."""
    raw = rng.normal(size=(count, freedom, len(root))) @ root.T
    matrices = np.einsum("bki,bkj->bij", raw, raw) / freedom
    return np.asarray(matrices[:, *np.triu_indices(len(root))])


def wishart_degrees(rng: Random, strength: float, count: int) -> Array:
    """Wishart matrices 4×4 of the same mean; a share comes from half as many degrees."""
    few = rng.random(count) < strength
    many = _covariances(rng, 12, np.eye(4), count)
    return np.where(few[:, None], _covariances(rng, 6, np.eye(4), count), many)


def wishart_axis(rng: Random, strength: float, count: int) -> Array:
    """Wishart matrices 3×3; one axis of the mean grows and another shrinks."""
    root = np.diag(np.sqrt([1.0 + strength, 1.0, 1.0 / (1.0 + strength)]))
    return _covariances(rng, 8, root, count)


# --- rankings of items (Mallows 1957; Plackett 1975) --------------------------------------------


def mallows(rng: Random, strength: float, count: int) -> Array:
    """Ranks of eight items; rankings keep closer to the centre with strength."""
    spread, ranks = np.exp(-(0.3 + strength)), np.zeros((count, 8))
    for item in range(8):  # inserted one after the other; each place back costs a factor
        chances = spread ** np.arange(item + 1)
        place = item - rng.choice(item + 1, size=count, p=chances / chances.sum())
        ranks[:, :item] += ranks[:, :item] >= place[:, None]
        ranks[:, item] = place
    return ranks


def plackett_luce(rng: Random, strength: float, count: int) -> Array:
    """Ranks of ten items of graded worth; the best loses worth."""
    worth = np.linspace(1.0, 0.0, 10)
    worth[0] -= strength
    order = np.argsort(-(worth + rng.gumbel(size=(count, 10))), axis=1)
    return np.argsort(order, axis=1).astype(float)


# --- sequences of four letters, one-hot (Durbin et al. 1998) ------------------------------------


def _letters(sequences: Array) -> Array:
    return np.eye(4)[sequences].reshape(len(sequences), -1)


def markov_letters(rng: Random, strength: float, count: int) -> Array:
    """Thirty letters of a Markov chain; a letter is followed by its successor more often."""
    found = np.empty((count, 30), dtype=int)
    found[:, 0] = rng.integers(4, size=count)
    for step in range(1, 30):
        follows = rng.random(count) < strength
        found[:, step] = np.where(
            follows, (found[:, step - 1] + 1) % 4, rng.integers(4, size=count)
        )
    return _letters(found)


def motif(rng: Random, strength: float, count: int) -> Array:
    """Forty letters; a share of the sequences holds one word of eight at places 10 to 14."""
    found = rng.integers(4, size=(count, 40))
    word, start = np.array([0, 1, 2, 3, 3, 2, 1, 0]), rng.integers(10, 15, size=count)
    rows = np.flatnonzero(rng.random(count) < strength)
    found[rows[:, None], start[rows, None] + np.arange(8)] = word
    return _letters(found)


# --- eigenvalues of random matrices (Dumitriu & Edelman 2002) -----------------------------------


def repulsion(rng: Random, strength: float, count: int) -> Array:
    """Spectra of 12 levels of the β-ensemble, each scaled to unit variance; β = 1 + strength."""
    size, beta = 12, 1.0 + strength
    matrices = np.zeros((count, size, size))
    diagonal, off = np.arange(size), np.arange(size - 1)
    matrices[:, diagonal, diagonal] = np.sqrt(2.0) * rng.normal(size=(count, size))
    chi = np.sqrt(rng.chisquare(beta * np.arange(size - 1, 0, -1), size=(count, size - 1)))
    matrices[:, off + 1, off] = chi
    values = np.linalg.eigvalsh(matrices)  # reads the lower triangle
    values -= values.mean(axis=1, keepdims=True)
    return np.asarray(values / values.std(axis=1, keepdims=True))


# --- deterministic chaos seen through noise (Hénon 1976; May 1976) ------------------------------


def logistic_map(rng: Random, strength: float, count: int) -> Array:
    """Four steps in a row of x ← r x (1 − x), r = 3.9 − strength, with a little noise."""
    state, rate = rng.random(count), 3.9 - strength
    found = np.empty((count, 4))
    for step in range(-30, 4):
        state = rate * state * (1.0 - state)
        if step >= 0:
            found[:, step] = state
    return found + 0.05 * rng.normal(size=found.shape)


def henon_map(rng: Random, strength: float, count: int) -> Array:
    """Points of the attractor of Hénon's map, a = 1.4 − strength, with a little noise."""
    x, y = rng.uniform(-0.1, 0.1, size=(2, count))  # from further out some orbits escape
    for _ in range(40):
        x, y = 1.0 - (1.4 - strength) * x**2 + y, 0.3 * x
    return np.stack([x, 3.0 * y], axis=1) + 0.05 * rng.normal(size=(count, 2))


# --- survival times under censoring (Kalbfleisch & Prentice 2002) -------------------------------


def crossing_hazards(rng: Random, strength: float, count: int) -> Array:
    """(time, seen): Weibull times with one median and crossing hazards, exponential censoring."""
    shape = 1.0 + strength
    time = rng.weibull(shape, size=count) * np.log(2.0) ** (1.0 - 1.0 / shape)
    end = rng.exponential(2.0, size=count)
    return np.stack([np.minimum(time, end), time <= end], axis=1)


def hazard_ratio(rng: Random, strength: float, count: int) -> Array:
    """(time, seen, age): proportional hazards; everybody's hazard rises by the strength."""
    age = rng.uniform(-1, 1, size=count)
    time = rng.exponential(size=count) / np.exp(age) / (1.0 + strength)
    end = rng.exponential(2.0, size=count)
    return np.stack([np.minimum(time, end), time <= end, age], axis=1)


# --- lattices (Ising 1925) ----------------------------------------------------------------------


def ising(rng: Random, strength: float, count: int) -> Array:
    """64 spins on a torus at coupling .2 + strength, 40 sweeps of two colours from chance."""
    spins = np.where(rng.random((count, 8, 8)) < 0.5, -1.0, 1.0)
    colour = np.add.outer(np.arange(8), np.arange(8)) % 2
    for _ in range(40):
        for half in (0, 1):
            field = sum(np.roll(spins, step, axis) for step in (1, -1) for axis in (1, 2))
            up = rng.random(spins.shape) < 1.0 / (1.0 + np.exp(-2.0 * (0.2 + strength) * field))
            spins = np.where(colour == half, np.where(up, 1.0, -1.0), spins)
    return spins.reshape(count, -1)


# --- patients (real; bundled with scikit-learn) -------------------------------------------------


@cache
def tumours() -> Sampler:
    """Thirty measures of cell nuclei: benign ones with a share of malignant ones."""
    from sklearn.datasets import load_breast_cancer

    rows, benign = load_breast_cancer(return_X_y=True)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return from_rows(rows[benign == 1], rows[benign == 0])


@cache
def diabetics() -> Sampler:
    """Ten measures of patients, half of them with fast progress; more of them in Y."""
    from sklearn.datasets import load_diabetes

    rows, progress = load_diabetes(return_X_y=True, scaled=False)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    fast = progress > np.median(progress)
    return from_rows(rows[~fast], rows[fast], base=0.5)
