"""Nothing may reach the network, in the tests and in the lessons."""

import re
import socket
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_guard_stops_a_connection():
    with pytest.raises(RuntimeError, match="tried to reach 192.0.2.1"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_localhost_is_allowed():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        socket.create_connection(server.getsockname(), timeout=1).close()


def test_no_remote_resource_is_loaded():
    loads = re.compile(
        r"""(?:src|href)=["']https?:|@import|\bfetch\(|XMLHttpRequest|import\(["']http|"""
        r"""from ["']http|urlopen|hf_hub_download|(?<!Embedding\.)from_pretrained"""
    )
    files = [p for s in ("py", "js", "css", "ipynb") for p in ROOT.glob(f"gpt1lib/**/*.{s}")]
    files += ROOT.glob("notebooks/**/*.ipynb")
    assert len(files) > 20
    for path in files:
        assert not loads.search(path.read_text(encoding="utf-8")), path
