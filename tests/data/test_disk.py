"""Files of a disk are read like chosen ones, and a folder's data is found in the order of names."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtab.data.disk import DiskFile, files_in


async def test_a_file_is_read_in_pieces(tmp_path: Path) -> None:
    """Fewer bytes come only at its end."""
    place = tmp_path / "a.csv"
    place.write_bytes(b"0123456789")
    file = DiskFile(place, "x/a.csv")
    assert (file.path, file.size) == ("x/a.csv", 10)
    assert [await file.read(0, 4), await file.read(8, 4), await file.read(10, 4)] == [b"0123", b"89", b""]


async def test_a_file_that_was_changed_or_removed_is_read_no_more(tmp_path: Path) -> None:
    """Half of the one and half of the other would be a third file."""
    place = tmp_path / "a.csv"
    place.write_bytes(b"one")
    file = DiskFile(place, "a.csv")
    place.write_bytes(b"another")
    with pytest.raises(OSError, match="changed"):
        await file.read(0, 1)
    place.unlink()
    with pytest.raises(OSError, match="No such file"):
        await file.read(0, 1)


def test_a_folder_is_searched_in_the_order_of_names(tmp_path: Path) -> None:
    """Hidden files and folders, those of systems and the manifest are left out, each with its reason."""
    for path in ("b.csv", "a/z.csv", "a/.hidden", ".git/config", "Thumbs.db", "datapackage.json", "a/datapackage.json"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(path.encode())
    files, left_out = files_in(tmp_path)
    assert [each.path for each in files] == ["a/z.csv", "b.csv"]
    out = [".git", "Thumbs.db", "a/.hidden", "a/datapackage.json", "datapackage.json"]
    assert [each.path for each in left_out] == out
    assert all(each.problem and each.action for each in left_out)


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    """They may lead around in a circle; a link to a file is that file."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/x.csv").write_bytes(b"x")
    (tmp_path / "a/around").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "b.csv").symlink_to(tmp_path / "a/x.csv")
    (tmp_path / "c.csv").symlink_to(tmp_path / "nowhere")
    assert [each.path for each in files_in(tmp_path)[0]] == ["a/x.csv", "b.csv"]
