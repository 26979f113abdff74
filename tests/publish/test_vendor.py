from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from roundtab.publish.commands import BuildFailed
from roundtab.publish.vendor import Download, Source, SourceFailed, fetch

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")

RIGHT = b"the right bytes"
SHA256 = hashlib.sha256(RIGHT).hexdigest()


def unreachable() -> bytes:
    raise SourceFailed("cannot be reached")


def download(*sources: Source) -> Download:
    return Download(name="numpy.whl", sha256=SHA256, sources=sources)


def test_the_first_source_with_the_right_bytes_wins(tmp_path: Path) -> None:
    """A source that is down or wrong is passed over."""
    path = fetch(
        download(
            Source(name="a CDN", read=unreachable),
            Source(name="a mirror", read=lambda: b"something else"),
            Source(name="an index", read=lambda: RIGHT),
        ),
        tmp_path,
    )
    assert path.read_bytes() == RIGHT


def test_a_cached_file_is_not_downloaded_again(tmp_path: Path) -> None:
    """The cache goes by checksum: no source is asked."""
    fetch(download(Source(name="an index", read=lambda: RIGHT)), tmp_path)
    assert fetch(download(), tmp_path).read_bytes() == RIGHT


def test_a_spoilt_cached_file_is_downloaded_again(tmp_path: Path) -> None:
    """What lies in the cache is checked, not trusted."""
    source = Source(name="an index", read=lambda: RIGHT)
    fetch(download(source), tmp_path).write_bytes(b"cut off")
    assert fetch(download(source), tmp_path).read_bytes() == RIGHT


def test_a_failed_download_names_the_file_the_sources_and_what_to_do(tmp_path: Path) -> None:
    """Wrong bytes are refused like no bytes, and nothing is kept."""
    sources = (Source(name="a CDN", read=unreachable), Source(name="a mirror", read=lambda: b"something else"))
    with pytest.raises(BuildFailed) as caught:
        fetch(download(*sources), tmp_path)
    assert "numpy.whl" in caught.value.problem
    assert "a CDN: cannot be reached" in caught.value.problem
    assert "a mirror: gave a file with the wrong checksum" in caught.value.problem
    assert SHA256 in caught.value.action
    assert str(tmp_path) in caught.value.action
    assert list(tmp_path.iterdir()) == []
