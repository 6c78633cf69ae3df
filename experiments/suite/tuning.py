"""The tuning half (to be filled in)."""

from experiments.suite.problem import Problem

PROBLEMS: tuple[Problem, ...] = ()
