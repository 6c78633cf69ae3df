import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from samelaw.present.webhook import check_address, post


def test_an_alarm_is_posted_as_json():
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.handle_request)
    serving.start()
    post(f"http://127.0.0.1:{server.server_port}/drift", {"row": 7}).join(10)
    serving.join(10)
    server.server_close()
    assert got == [{"row": 7}]


def test_nobody_there_is_said_and_nothing_more(capsys):
    post("http://127.0.0.1:9/", {}).join(10)
    assert "the webhook was not reached" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["", "host/path", "file:///etc/passwd", "https://"])
def test_other_addresses_are_refused(address):
    with pytest.raises(ValueError, match="--webhook"):
        check_address(address)
    assert check_address("https://host/path")
