"""What all tests share: no network but localhost, no GPU, and the optional reference files."""

import signal
import socket
from pathlib import Path

import hypothesis
import pytest
import torch

import gpt1lib as g

hypothesis.settings.load_profile("ci")  # no example may fail for want of time

SHARED = Path(__file__).resolve().parents[2] / "shared"
LOCAL = ("127.0.0.1", "::1", "localhost")
TINY_BOOKS = {
    "books": {"one": "the cat sat on the mat. ", "two": "a dog ran to the red house. "},
    "heldout": {"three": "the dog sat on the house. "},
}


def pytest_addoption(parser):
    told = "tests/claims: train and ask as much as a reader's run does, and claim all of it"
    parser.addoption("--full-run", action="store_true", help=told)


@pytest.fixture(autouse=True, scope="session")
def offline():
    """Any connection that leaves this machine is an error: nothing may download."""
    connect = socket.socket.connect

    def guarded(self, address):
        if isinstance(address, tuple) and address[0] not in LOCAL:
            raise RuntimeError(f"a test tried to reach {address[0]}")
        return connect(self, address)

    socket.socket.connect = guarded
    yield
    socket.socket.connect = connect


@pytest.fixture(autouse=True, scope="session")
def single_threaded():
    """Some tests fork, and a copy of a process would wait for threads that it doesn't have."""
    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def heeding_interrupts():
    """A shell lets what it runs in the background ignore Ctrl-C, and programs inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="module")
def on_the_cpu(request):
    """A GPU is for test_gpu.py alone: all other numbers are the CPU's, with or without one."""
    if request.path.name == "test_gpu.py":
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.cuda, "is_available", lambda: False)
        patch.setenv("CUDA_VISIBLE_DEVICES", "")  # for the processes that a test starts
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference files beside the checkout; they are not part of the project."""
    if not SHARED.is_dir():
        pytest.skip("no folder `shared` beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def novelist():
    return g.load_novelist()


@pytest.fixture(scope="session")
def make_books():
    """Writes the folders `books` and `heldout`, which a tiny model soon learns; their paths."""

    def make(root: Path) -> tuple[Path, Path]:
        for folder, books in TINY_BOOKS.items():
            (root / folder).mkdir()
            for name, line in books.items():
                (root / folder / f"{name}.txt").write_text(line * 120)
        return root / "books", root / "heldout"

    return make


@pytest.fixture(scope="session")
def one_line():
    """What a command that fails says, which is a line that begins with its name."""

    def said(command, argv: list[str], name: str) -> str:
        with pytest.raises(SystemExit) as end:
            command(argv)
        told = end.value.code
        assert isinstance(told, str) and told.startswith(f"{name}: ") and "\n" not in told
        return told.removeprefix(f"{name}: ")

    return said
