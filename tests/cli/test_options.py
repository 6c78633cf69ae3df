"""Options that commands share have the same words in the help of each."""

import inspect

import pytest

from optional import need

need("typer")
from samelaw.cli import commands, options  # noqa: E402
from samelaw.cli import reference as reference_commands  # noqa: E402

COMMANDS = (commands.compare, commands.evaluate, commands.monitor, reference_commands.profile)
SHARED = {name: kind for name, kind in vars(options).items() if hasattr(kind, "__metadata__")}


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_option_is_used_by_two_commands_or_more(name):
    asked = [
        command
        for command in COMMANDS
        if any(p.annotation == SHARED[name] for p in inspect.signature(command).parameters.values())
    ]
    assert len(asked) >= 2
