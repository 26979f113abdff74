from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from roundtab.publish import bundle, site
from roundtab.publish.commands import BuildFailed

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> site.Settings:
    """A build of one part, made from tmp_path/source.txt, that needs no packages and no sources of the real site."""
    source = tmp_path / "source.txt"
    source.write_text("one", encoding="utf-8")
    part = site.Part(name="texts", sources=[source], make=lambda: [(f"{source.read_text('utf-8')}.txt", source)])
    monkeypatch.setattr(site, "_parts", lambda settings: [part])
    monkeypatch.setattr(site, "REQUIRED", ())
    monkeypatch.setattr(site.npm, "install", lambda: None)
    return site.Settings(out=tmp_path / "dist")


def files(settings: site.Settings) -> list[str]:
    return sorted(path.name for path in settings.out.iterdir() if path.name != site.STAMP)


def test_an_unchanged_part_is_not_made_again(small: site.Settings, capsys: pytest.CaptureFixture[str]) -> None:
    """A second start costs no more than looking at the sources."""
    site.build(small)
    assert "making texts" in capsys.readouterr().out
    site.build(small)
    assert "making texts" not in capsys.readouterr().out


def test_a_changed_source_makes_its_part_again_without_leftovers(small: site.Settings, tmp_path: Path) -> None:
    """A file that no source makes any more goes."""
    site.build(small)
    assert files(small) == ["one.txt"]
    (tmp_path / "source.txt").write_text("two", encoding="utf-8")
    site.build(small)
    assert files(small) == ["two.txt"]


def test_a_file_that_was_deleted_from_the_site_comes_back(small: site.Settings) -> None:
    """The stamp alone is not believed."""
    site.build(small)
    (small.out / "one.txt").unlink()
    site.build(small)
    assert files(small) == ["one.txt"]


def test_missing_sources_are_named_after_the_rest_is_built(
    small: site.Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An incomplete site is never taken for a whole one."""
    monkeypatch.setattr(site, "REQUIRED", ("js/no-such.js",))
    with pytest.raises(BuildFailed, match=r"site/js/no-such\.js"):
        site.build(small)
    assert files(small) == ["one.txt"]


def test_the_bundle_has_the_package_without_what_only_runs_on_cpython() -> None:
    """Pages load it on every start: the builder and the served capabilities stay out."""
    names = zipfile.ZipFile(BytesIO(bundle.archive())).namelist()
    assert "roundtab/__init__.py" in names
    assert "roundtab/errors.py" in names
    at_home = ("/cli.py", "/__main__.py", "/model.py")
    assert not [name for name in names if "/publish/" in name or name.endswith(at_home)]


def test_equal_sources_make_an_equal_bundle() -> None:
    """Otherwise every build would send browsers the whole package again."""
    assert bundle.archive() == bundle.archive()
