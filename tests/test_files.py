"""Files appear whole, where and as they should; a folder is worked in by one process at a time."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from card_agents.files import LOCK, check_writable, is_empty, locked, new_folder, write_whole
from tests.refusals import refused

POSIX = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and modes are those of Linux and macOS")
NOT_ROOT = pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="nothing is forbidden to the superuser")


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


@POSIX
def test_links_are_written_through(tmp_path):
    (tmp_path / "there").mkdir()
    target, link, chain = tmp_path / "there" / "target", tmp_path / "link", tmp_path / "chain"
    link.symlink_to("there/target")
    chain.symlink_to(link)
    for content in (b"new", b"again"):
        check_writable(chain)
        write_whole(chain, content)
        assert target.read_bytes() == content
        assert link.is_symlink()
        assert chain.is_symlink()
    assert os.listdir(tmp_path / "there") == ["target"]


@POSIX
def test_devices_and_pipes_stay_what_they_are(tmp_path):
    kind = stat.S_IFMT(os.stat(os.devnull).st_mode)
    check_writable(os.devnull)
    write_whole(os.devnull, b"gone")
    assert stat.S_IFMT(os.stat(os.devnull).st_mode) == kind
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)
    heard = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join()
    assert heard == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@POSIX
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
@pytest.mark.parametrize("to_file", [True, False])
def test_the_standard_output_is_gone_on_with(tmp_path, name, to_file):
    (tmp_path / "link").symlink_to("/dev/stdout")
    code = (
        "import sys; from card_agents.files import check_writable, write_whole\n"
        "print('before', flush=True); check_writable(sys.argv[1]); write_whole(sys.argv[1], b'result\\n')\n"
        "print('after')\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / name) if name == "link" else name]
    if to_file:
        with open(tmp_path / "out", "w") as out:
            subprocess.run(command, stdout=out, check=True)
        said = (tmp_path / "out").read_text()
    else:
        said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    assert said == "before\nresult\nafter\n"


@POSIX
def test_modes_are_kept_and_new_files_follow_the_umask(tmp_path, umask):
    path = tmp_path / "file"
    write_whole(path, b"1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_whole(path, b"2")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    write_whole(tmp_path / "secret", b"3", mode=0o600)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_what_cannot_be_written_is_said_before(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    before = sorted(os.listdir(tmp_path))
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "new")
    assert sorted(os.listdir(tmp_path)) == before
    assert (tmp_path / "file").read_bytes() == b"old"
    refused(lambda: check_writable(tmp_path), "is a folder")
    refused(lambda: check_writable(""), "is a folder")
    refused(lambda: check_writable(tmp_path / "no" / "file"), "there is no folder", tmp_path / "no")
    refused(lambda: check_writable(tmp_path / "file" / "file"), "cannot be written")
    refused(lambda: check_writable(tmp_path / ("n" * 300)), "cannot be written")
    refused(lambda: check_writable("a\0b"), "zero byte")
    assert sorted(os.listdir(tmp_path)) == before


@POSIX
def test_what_is_no_file_is_looked_at_too(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    refused(lambda: check_writable(tmp_path / "loop"), "cannot be written")
    (tmp_path / "dangling").symlink_to("no/file")
    refused(lambda: check_writable(tmp_path / "dangling"), "there is no folder")
    if os.path.exists("/dev/full"):
        refused(lambda: check_writable("/dev/full"), "No space left")
        with pytest.raises(OSError, match="No space left"):
            write_whole("/dev/full", b"too much")


@POSIX
@NOT_ROOT
def test_what_may_only_be_read_is_left_alone(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o444)
    refused(lambda: check_writable(tmp_path / "file"), "read-only")
    with pytest.raises(PermissionError):
        write_whole(tmp_path / "file", b"new")
    tmp_path.chmod(0o555)
    try:
        refused(lambda: check_writable(tmp_path / "new"), "cannot be written")
        with pytest.raises(ValueError, match="cannot be written"), locked(tmp_path, "playing"):
            pass
    finally:
        tmp_path.chmod(0o755)
    assert os.listdir(tmp_path) == ["file"]


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "file", b"new")
    refused(lambda: check_writable(tmp_path / "other"), "No space left on device")
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


def test_new_folders_are_never_shared(tmp_path):
    made = [new_folder(tmp_path / "runs" / "one") for _ in range(3)]
    assert [path.name for path in made] == ["one", "one-2", "one-3"]
    assert all(path.is_dir() for path in made)
    (tmp_path / "file").write_bytes(b"")
    refused(lambda: new_folder(tmp_path / "file" / "one"), "cannot be created")


HOLDER = """
import sys
from pathlib import Path
from card_agents.files import locked
with locked(Path(sys.argv[1]), "playing"):
    print("locked", flush=True)
    sys.stdin.read()
"""


def holder(folder):
    """A process that has the lock of the folder until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "locked\n"
    return process


@pytest.mark.parametrize("killed", [False, True])
def test_a_folder_is_worked_in_by_one_process_at_a_time(tmp_path, killed):
    folder = tmp_path / "run"
    with holder(folder) as process:

        def take():
            with locked(folder, "training"):
                pass

        refused(take, f"(pid {process.pid}) is playing in {folder}")
        assert is_empty(folder)
        if killed:
            process.kill()
        else:
            process.stdin.close()
        assert process.wait() == (-signal.SIGKILL if killed else 0)
    assert folder.exists() == killed  # made for the lock alone, and left empty
    with locked(folder, "playing"):
        assert (folder / LOCK).read_text() == f"{os.getpid()} playing\n"
        refused(take, f"pid {os.getpid()}")
        (folder / "result").write_bytes(b"")
    assert os.listdir(folder) == ["result"]
    assert not is_empty(folder)


def test_the_lock_goes_with_an_exception(tmp_path):
    with pytest.raises(KeyError), locked(tmp_path, "training"):
        raise KeyError
    with locked(tmp_path, "training"):
        pass
    assert os.listdir(tmp_path) == []


def test_no_folder_to_lock_gets_a_sentence(tmp_path):
    (tmp_path / "file").write_bytes(b"")

    def take():
        with locked(tmp_path / "file", "playing"):
            pass

    refused(take, "cannot be written")
