"""Telling another program of an alarm: only if asked to, and judging never waits for it."""

import json
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from samelaw.present.streams import say
from samelaw.show.legible import legible

PATIENCE = 10.0  # seconds


def check_address(address: str) -> str:
    """An address that can be posted to: http or https, with a host."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"--webhook is {address!r}; expected an address such as https://host/path."
        )
    return address


def post(address: str, content: Mapping[str, Any]) -> threading.Thread:
    """Send JSON in a thread of its own; a failure is said and changes nothing.

    No daemon: a command that leaves at once would take an unsent alarm with it.
    """
    thread = threading.Thread(target=_send, args=(address, content))
    thread.start()
    return thread


def _send(address: str, content: Mapping[str, Any]) -> None:
    body = json.dumps(content).encode()
    request = Request(address, body, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=PATIENCE):
            pass
    except OSError as error:
        say(f"samelaw: note: the webhook was not reached: {legible(str(error))}")
