"""Files that users name: what is no regular file is refused before it is read."""

import os
import socket
from pathlib import Path

import pytest

from leadline.symbolic.files import is_there, read_bytes, read_text, real_path
from leadline.symbolic.lang import UserError


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder with files of every kind."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "latin").write_bytes(b"a\nb\xff")
    with socket.socket(socket.AF_UNIX) as here:
        here.bind(str(tmp_path / "socket"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pipe", "it is a pipe, and a file is needed"),
        ("folder", "it is a folder, and a file is needed"),
        ("device", "it is a device, and a file is needed"),
        ("socket", "No such device or address"),
        ("round", "Too many levels of symbolic links"),
        ("large", "it has more than 4 bytes, the most that is read"),
        ("none", "No such file or directory"),
        ("a" * 256, "File name too long"),
        ("a\0b", "embedded null byte"),
    ],
)
def test_what_cannot_be_read(name: str, why: str, odd: Path) -> None:
    with pytest.raises(UserError, match=f"cannot be read: .*{why}"):
        read_bytes(odd / name, 4)
    assert is_there(odd / name) == (name not in ("round", "none", "a" * 256, "a\0b"))


def test_a_text(odd: Path) -> None:
    (odd / "text").write_bytes("\ufeffä\r\nb\rc\n".encode())
    assert read_text(odd / "text") == "ä\nb\nc\n"
    with pytest.raises(UserError, match="latin:2 is no text in UTF-8"):
        read_text(odd / "latin")


def test_a_real_path_needs_no_file(odd: Path) -> None:
    assert real_path(odd / "round").name == "round"
    assert real_path(odd / ("a" * 256)).parent == real_path(odd)
