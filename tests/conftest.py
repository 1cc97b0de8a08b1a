"""What all tests share: no network but localhost, and the optional reference files."""

import socket
from pathlib import Path

import pytest

import gpt1lib as g

SHARED = Path(__file__).resolve().parents[2] / "shared"
LOCAL = ("127.0.0.1", "::1", "localhost")


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


@pytest.fixture(scope="session")
def shared() -> Path:
    """Reference files beside the checkout; they are not part of the project."""
    if not SHARED.is_dir():
        pytest.skip("no folder `shared` beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def novelist():
    return g.load_novelist()
