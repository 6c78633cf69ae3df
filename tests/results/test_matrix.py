"""A matrix as colours: its names and numbers are in the drawing."""

import numpy as np

from optional import need
from samelaw.results.plots import MOST_NUMBERS, draw_matrix


def axes():
    return need("matplotlib.figure").Figure().add_subplot()


def test_names_and_numbers_are_drawn():
    ax = axes()
    draw_matrix(ax, [[0.25, np.nan], [1.0, 0.5]], ["$a", "b"], ["c", "d"])
    assert [text.get_text() for text in ax.texts] == ["0.25", "nan", "1", "0.5"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$a", "b"]
    ax.figure.canvas.draw()


def test_large_matrices_have_no_numbers():
    ax, size = axes(), MOST_NUMBERS + 1
    draw_matrix(ax, np.eye(size), list(map(str, range(size))), list(map(str, range(size))))
    assert not ax.texts
