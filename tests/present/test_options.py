"""Options that commands share have the same words in the help of each."""

import inspect

import pytest

from optional import need

need("typer")
from samelaw.present import commands, options  # noqa: E402

SHARED = {name: kind for name, kind in vars(options).items() if hasattr(kind, "__metadata__")}


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_option_is_used_by_two_commands_or_more(name):
    asked = [
        command
        for command in (commands.compare, commands.evaluate, commands.monitor)
        if any(p.annotation == SHARED[name] for p in inspect.signature(command).parameters.values())
    ]
    assert len(asked) >= 2
