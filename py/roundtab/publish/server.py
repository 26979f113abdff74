"""A static web server for the site: right types, revalidation instead of stale copies, no special headers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from roundtab.publish.commands import BuildFailed


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder. Types are fixed here, since what a machine's own tables say differs."""

    protocol_version = "HTTP/1.1"  # one connection for many files
    extensions_map = {  # noqa: RUF012  the base class declares it so
        "": "application/octet-stream",
        ".css": "text/css; charset=utf-8",
        ".csv": "text/csv; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".mjs": "text/javascript; charset=utf-8",
        ".png": "image/png",
        ".py": "text/x-python; charset=utf-8",
        ".safetensors": "application/octet-stream",
        ".svg": "image/svg+xml",
        ".toml": "application/toml",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
        ".zip": "application/zip",
    }

    def end_headers(self) -> None:
        """Let browsers keep copies but ask each time; they get 304 by Last-Modified."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet: the terminal shows what the person asked for."""


class Server(ThreadingHTTPServer):
    """Answers each connection in a thread of its own that does not outlive the program."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: browsers break connections off all the time."""


def make_server(folder: Path, *, port: int, host: str = "127.0.0.1") -> Server:
    """Bind a server to a port; 0 takes any free one."""
    try:
        return Server((host, port), functools.partial(Handler, directory=str(folder)))
    except OSError as error:
        raise BuildFailed(
            f"Cannot serve on port {port}: {error.strerror}.", "Choose another one: --port 8001, for example."
        ) from None


@contextmanager
def serve(folder: Path, port: int = 0, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve a folder while the block runs; gives the address of its root, with a trailing slash."""
    server = make_server(folder, port=port, host=host)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
