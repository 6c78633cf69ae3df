"""A real Postgres for the tests that need one; gone with all it held when they end."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest


def program(name):
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *map(str, folders)]))


@contextmanager
def postgres_server():
    """The address of a server of its own on loopback, run by a user that is not root."""
    if program("initdb") is None or program("postgres") is None:
        if os.environ.get("CI"):
            pytest.fail("Postgres is not installed; run: apt-get install postgresql")
        pytest.skip("Postgres is not installed (apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="samelaw-postgres-"))
    user = None
    if os.geteuid() == 0:
        user = next(u.pw_name for u in pwd.getpwall() if u.pw_name in ("postgres", "nobody"))
        shutil.chown(folder, user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    make = [program("initdb"), "-D", str(data), "-U", "samelaw", "-A", "trust", "--no-sync"]
    subprocess.run(make, check=True, capture_output=True, user=user, cwd=folder)
    flags = ["-h", "127.0.0.1", "-p", str(port), "-k", str(folder), "-F"]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [program("postgres"), "-D", str(data), *flags],
            user=user, cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        address = f"postgresql://samelaw@127.0.0.1:{port}/postgres"
        wait = [program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port), "-t", "1"]
        for _ in range(60):
            if subprocess.run(wait, check=False).returncode == 0:
                break
            assert server.poll() is None, (folder / "log").read_text()
        yield address
    finally:
        server.send_signal(signal.SIGINT)  # whoever is still connected
        server.wait(30)
        shutil.rmtree(folder)
