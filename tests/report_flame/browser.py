"""A browser without a window, for tests: chromedriver's WebDriver protocol (W3C), with nothing to install."""

import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

MISSING = not (shutil.which("chromedriver") and shutil.which("chromium"))
_ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1240,700",
    # it asks nobody outside this machine for anything
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
_KEY = "element-6066-11e4-a52e-4f735466cecf"  # of the protocol


class Browser:
    """A session; scripts run in the page that is open."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self._url + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, url: str) -> None:
        self.ask("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector: str) -> str:
        element: str = self.ask("POST", "/element", {"using": "css selector", "value": selector})[_KEY]
        return element

    def click(self, selector: str) -> None:
        self.ask("POST", f"/element/{self.find(selector)}/click")

    def type(self, selector: str, text: str) -> None:
        self.ask("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, key: str) -> None:
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def picture(self) -> bytes:
        import base64

        return base64.b64decode(self.ask("GET", "/screenshot"))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with a profile of its own, which is gone afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as profile:
        driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _await(url)
            options = {"args": [*_ARGUMENTS, f"--user-data-dir={profile}"]}
            wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
            session = Browser(url).ask("POST", "/session", wanted)["sessionId"]
            opened = Browser(f"{url}/session/{session}")
            try:
                yield opened
            finally:
                opened.ask("DELETE", "")
        finally:
            driver.terminate()
            driver.wait()


def _await(url: str) -> None:
    """Until chromedriver answers, half a minute at most."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with suppress(OSError):
            if Browser(url).ask("GET", "/status")["ready"]:
                return
        time.sleep(0.02)
    raise TimeoutError("chromedriver does not answer")
