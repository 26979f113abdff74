"""The builder's command line: `build.py VERB …` runs it as `python -m roundtab.publish VERB …`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roundtab.errors import RoundtabError
from roundtab.publish import bench, checks, site
from roundtab.publish.commands import say
from roundtab.publish.paths import DIST, SITE
from roundtab.publish.server import make_server


def parser() -> argparse.ArgumentParser:
    """Describe the verbs and their options."""
    top = argparse.ArgumentParser(prog="build.py", description="Build, serve, test and measure Roundtab.")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    building = argparse.ArgumentParser(add_help=False)
    building.add_argument(
        "--capabilities", type=Path, action="append", default=[], metavar="DIR", help="another folder of capabilities"
    )
    building.add_argument("--out", type=Path, default=DIST, metavar="DIR", help="where the site goes (dist)")
    building.add_argument(
        "--sites", type=Path, default=SITE / "sites.toml", metavar="FILE", help="site register (site/sites.toml)"
    )
    verbs.add_parser("build", parents=[building], help="build the site")
    serving = verbs.add_parser("serve", parents=[building], help="build the site and serve it on this machine")
    serving.add_argument("--port", type=int, default=8000, metavar="N", help="port (8000); 0 takes a free one")
    verbs.add_parser("test", add_help=False, help="linters, types and tests; what follows goes to pytest")
    measuring = verbs.add_parser("bench", help="run a benchmark of tests/benchmarks")
    measuring.add_argument("name", metavar="NAME")
    measuring.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run one verb and return its exit code."""
    if arguments[:1] == ["test"]:
        return checks.test(arguments[1:])
    options = parser().parse_args(arguments)
    if options.verb == "bench":
        return bench.main(options.name, options.json)
    out = site.build(
        site.Settings(
            out=options.out.resolve(),
            capabilities=tuple(folder.resolve() for folder in options.capabilities),
            sites=options.sites.resolve(),
        )
    )
    if options.verb == "serve":
        serve_until_interrupted(out, options.port)
    return 0


def serve_until_interrupted(folder: Path, port: int) -> None:
    """Serve the site and say where; Ctrl-C ends it."""
    with make_server(folder, port=port) as server:
        say(f"open http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RoundtabError as error:
        sys.exit(f"roundtab: {error}")
