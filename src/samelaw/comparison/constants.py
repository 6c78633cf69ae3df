"""The choices behind `compare`: what is looked at, how finely, and what counts as enough.

Each with what chose it: an experiment, a test that fails for other values, or the plain word that
it is a convention: a round number that nobody held against others. Whatever only bounds memory or
time (chunks, thinning) stays where it is used. "On other seeds" means that the numbers shown by
`experiments/compare` were drawn afterwards.
"""

# The level, shared between the families of tests ------------------------------------------------

SHARES = (1.0, 1.0, 1.0, 0.5)
"""Relative levels of all columns together, of column views alone, of missing values, and of pairs.

A convention: a change in all columns or in one is asked for as much as any other; whether more
values are missing is a question that people ask directly; pairs are the most numerous family and
get less."""

# A column alone ---------------------------------------------------------------------------------

HERMITE = 4
"""Hermite polynomials of the normal scores: location, scale, skewness and tails, in this order."""

COSINES = 12
"""Cosines of the ranks, which see what moves mass about locally, down to about a twelfth of the
rows. The number is a convention."""

OUTER = 0.02
"""Share of the values at either end that are looked at by themselves: found with the changes "tail"
and "subgroup" of `experiments/compare` in sight, on other seeds."""

MOST_CATEGORIES = 40
"""Categories of a column that are also looked at one by one, the commonest. A convention: with more
looks each has to be clearer."""

ROWS_OF_CLASS = 4
"""Rows of the pool per class of categories in an effect, from 40 classes on: with fewer classes
than categories, tables that have none in common look alike. A convention."""

FEWEST_ROWS = 8
"""Rows of a category looked at by itself. All on one side of two equal tables, eight have
probability 2⁻⁷: fewer could hardly stand out among several looks."""

SPIKES = 8
"""Values of a column of numbers looked at by themselves, of those that occur in FEWEST_ROWS rows or
more, for −999 among ages, which everything smooth may miss
(`tests/comparison/columns/test_remarks.py`). The number is a convention."""

LONELY = 5.0
"""Usual steps between neighbours from which on a value stands by itself: −1 among ages from 18. A
convention."""

STEPS_OUT = 10.0
"""Steps of the tail of the other table, with a chance of exp(−10) in a power law, that it takes for
a value one range beyond to be told, though it can be no evidence. A convention; what tables of one
law get is `tests/comparison/columns/test_remarks.py`."""

FAR_OUT = 10.0
"""Ranges of the other table beyond which half as many steps are enough, and none are asked for
where it has too few values to tell. A convention."""

LEAST_OUT = 0.5
"""Ranges of the other table beyond which values are told at all: 999 where all others end at 640. A
convention."""

OTHER_SIGN = 10.0
"""As many times as far counts a value of a sign that the other table has not: −999 among what runs
from 20 to 640. A convention."""

MOST_OUT = 16
"""Rows up to which such values are told: all in one of two equal tables, 16 have probability 2⁻¹⁵,
and the test names what more of them do. A convention."""

FEW_OUT = 0.01
"""Share of the rows of a table up to which they are told, if that is more. A convention."""

NEARLY_CONSTANT = 0.95
"""Share of one value in the other table up to which a constant column is told. A convention."""

# Pairs of columns -------------------------------------------------------------------------------

MOST_PAIRS = 5_000
"""More are not looked at one by one, and the notes say so: 100 columns of numbers have 4,950. A
convention, which bounds time."""

PAIRS_KEPT = 50
"""Pairs in a result, the clearest first, and those whose effect is always measured: what people and
pages can take."""

LEAST_SHARE = 0.05
"""Share of the pool that a category needs, or what is missing, to be looked at in pairs. A
convention: standardised products of rarer indicators have tails so long that the largest of them
would raise the bar for all other pairs."""

MOST_NOMINAL = 3
"""Categories of a column in its pairs, the commonest. Any two of them are compared, so cost and
multiplicity grow with the square; the number is a convention."""

PAIR_ENDS = (0.03, 0.09, 0.17, 0.27, 0.38, 0.5, 0.62, 0.73, 0.83, 0.91, 0.97)
"""Ranks at which the classes of numbers end, narrow where normal scores are steep. A convention."""

MANY_ROWS = 5_000
"""Rows above which classes are halved, so that errors of grouping stay below those of chance, which
fall with the rows. A convention."""

BALANCED = 0.3
"""Share of the smaller table from which on it has classes enough wherever its values lie. A
convention."""

TAIL_ENDS = (0.1, 0.35, 0.65, 1.0)
"""Ends of classes at either end of the pool, in shares of a table smaller than that. A
convention."""

TYPICAL = 300
"""Permutations that the moments of all pairs of one kind count as, beside those of a pair itself:
of 100 permutations its own count a quarter, of 1,000 three quarters. A convention."""

FEWEST_OF_PAIR = 5
"""Rows that a table needs, and each of two categories, for a dependence to be measured: the rule of
thumb of tables of counts."""

STRONGEST = 0.99
"""Correlations are multiplied by it, so that Fisher's transform stays finite and its slope small.
By .9999 the error of a correlation near 1 is as large as any change, and the strongest dependence
that is lost has no name (`experiments/design/table.md`)."""

TIES = 5.0
"""Times the difference of the tables' reliabilities times strength: covers the bend that ties at
one end give a straight dependence, or clipped values would name their pairs, in most runs where
they depend strongly (`experiments/design/table.md`)."""

BLUR = 2.0
"""Times share moved times share hidden times strength: covers what classes alone can do, or shifted
columns would name their pairs, in two of five runs where they depend strongly. What other values
do: `experiments/design/table.md`."""

CHANCE = 1.2
"""Standard errors of class shares that count as chance: of a normal law the mean is .8."""

LEAST_RELIABILITY = 0.05
"""Variance of the class scores over that of untied ranks; below, nearly all rows are alike. A
convention."""

LEAST_RATIO = 0.9
"""Ratio of the tables' reliabilities below which ranks no longer mean the same in both. A
convention; that names stay seldom wrong with it is `tests/statistics/test_pair_names.py`."""

POINT_MASS = 0.3
"""Share of one value that is named as the reason. A convention."""

# How large a change is --------------------------------------------------------------------------

CLASS_ENDS = (0.01, 0.03, 0.07, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 0.85, 0.93, 0.97, 0.99)
"""Ranks at which the classes of a numeric column end: finer in the tails, where groups hide. A
convention."""

CELL_ENDS = (0.2, 0.4, 0.6, 0.8)
"""The same in pairs, where cells are products of classes: of 144 cells the upper limits would be
more than twice those of 25 (`experiments/design/table.md`)."""

LEAST_ROWS = 4
"""Of the pool, in a class by rank: a class of one row tells tables apart whatever their law. The
number is a convention."""

FREQUENCIES = 24
"""Fourier frequencies of all columns together, a cosine and a sine each. A third of them sees less
of a change, twice as many hardly more (`experiments/design/table.md`)."""

EFFECT_PERMUTATIONS = 100
"""Permutations behind the bias of an effect: their mean is known to a tenth (1/√100) of the null
deviation."""

POWER_SCORE = 0.8416
"""Normal quantile of .8, the power at which a change counts as detectable."""

# Where the tables differ ------------------------------------------------------------------------

NARROW = 0.25
"""Bandwidth of the witness in medians of the distance: of "Which score finds planted rows" in
`experiments/compare`, where differences of densities and shares in RJSD were tried too."""

PRIOR = 0.02
"""Density, in means of it, that is added to both tables: rows far from all others are neutral. A
convention."""

# Where, in words --------------------------------------------------------------------------------

RULE_CONDITIONS = 3
"""Conditions of a rule: more are no longer read as one thing. A convention."""

RULE_BINS = 48
"""Ranges of a column begin and end at these quantiles: ends are then known to a 48th of the rows. A
convention."""

RULE_BINS_OF_PAIRS = 12
"""The same in products of two columns, whose ends are moved afterwards. A convention."""

RULE_CATEGORIES = 40
"""Categories that a rule may name, the commonest. A convention, which bounds the cost of
thousands."""

RULE_COLUMNS = 40
"""Columns, the clearest alone, whose products of two are searched: 780 of them. A convention, which
bounds time."""

RULE_ROWS = 10_000
"""Rows of each table that are searched in: ends are quantiles, and of more rows known no better
than people read them. A convention, which bounds time."""

RULE_FOLDS = 3
"""Parts of the rows, of which each is held out once. A convention: 20 runs of
`experiments/design/table.md` do not tell two, three and five apart."""

RULE_COST = 3.0
"""What a condition costs, in twice the log likelihood, beside 2 log of the number of columns: the
best of as many that say nothing gains about as much. Found with a group of 5 % in sight that grew
to 11 %, on other seeds than those of `tests/statistics/test_rules.py`."""

RULE_END_COST = 3.5
"""What each end of a range costs beside it; of a category, 2 log of their number. A convention of
the size of RULE_COST."""

LEAST_RULE_SHARE = 0.005
"""Share of the rows that a rule holds for, at least. A convention."""
