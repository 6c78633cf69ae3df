"""
A generator trained in JAX
==========================

`samelaw.rjsd` is a pure function of arrays, so the loss of `samelaw.learn.RJSDLoss` needs no module
in JAX: a mean of Gaussian kernels at several widths and order 3, compiled and differentiated.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from samelaw import Gaussian, rjsd
from samelaw.kernels import Mixture

angles = 2 * jnp.pi * jnp.arange(8) / 8
CENTRES = 2.0 * jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)
WIDTH, BATCH, STEPS = 0.1, 192, 500
Layers = list[tuple[jax.Array, ...]]

# %%
# The widths are fixed: multiples of the mean squared distance on the ring, 8, chosen before
# anything is compiled. A compiled function has no values to choose them from.

KERNEL = Mixture([Gaussian(float(np.sqrt(8.0 * factor))) for factor in (1 / 32, 1 / 8, 1 / 2, 2)])


def ring(key: jax.Array, count: int) -> jax.Array:
    """Points of the target law."""
    which, noise = jax.random.split(key)
    place = jax.random.randint(which, (count,), 0, 8)
    return CENTRES[place] + WIDTH * jax.random.normal(noise, (count, 2))


def network(
    key: jax.Array, widths: tuple[int, ...] = (2, 64, 64, 2)
) -> list[tuple[jax.Array, ...]]:
    """Weights and biases."""
    keys = jax.random.split(key, len(widths))
    sizes = zip(keys, widths, widths[1:], strict=False)
    return [(jax.random.normal(k, (a, b)) / jnp.sqrt(a), jnp.zeros(b)) for k, a, b in sizes]


def generate(layers: Layers, noise: jax.Array) -> jax.Array:
    """Points from noise."""
    for weight, bias in layers[:-1]:
        noise = jax.nn.relu(noise @ weight + bias)
    return noise @ layers[-1][0] + layers[-1][1]


def loss(layers: Layers, key: jax.Array) -> jax.Array:
    """RJSD of a generated and a real batch."""
    first, second = jax.random.split(key)
    points = generate(layers, jax.random.normal(first, (BATCH, 2)))
    return rjsd(points, ring(second, BATCH), kernel=KERNEL, entropy=3)


# %%
# Adam in a few lines; every step is one call of a compiled function.


@jax.jit
def step(state: tuple, key: jax.Array, count: int) -> tuple:
    """One step of Adam."""
    layers, mean, square = state
    slope = jax.grad(loss)(layers, key)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, slope)
    rate = 2e-3 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    layers = jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), layers, mean, square)
    return layers, mean, square


key = jax.random.key(0)
layers = network(key)
zeros = jax.tree.map(jnp.zeros_like, layers)
state = (layers, zeros, zeros)
for count in range(1, STEPS + 1):
    key, now = jax.random.split(key)
    state = step(state, now, count)

# %%
# Covered: at least 4 % of the points lie within three widths of the centre.

points = np.asarray(generate(state[0], jax.random.normal(key, (4000, 2))))
apart = np.linalg.norm(points[:, None] - np.asarray(CENTRES), axis=2)
near = apart.argmin(axis=1)[apart.min(axis=1) < 3 * WIDTH]
shares = np.bincount(near, minlength=8) / len(points)
print(f"{np.sum(shares >= 0.04)} of 8 modes, {shares.sum():.0%} of the points at a mode")

figure, axis = plt.subplots(figsize=(4, 4), layout="constrained")
axis.scatter(*points[:1500].T, s=2, alpha=0.4)
axis.scatter(*CENTRES.T, marker="+", color="black")
axis.set(title="trained in JAX", xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
_ = axis.set(xlabel="first column", ylabel="second column")
