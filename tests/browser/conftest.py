"""One private JupyterLab and one headless Chromium for the whole test session."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
import quick
from in_lab import NOTEBOOKS, OFTEN, STARTED, tab

from gpt1course import notebooks, settings

CSS = Path(__file__).resolve().parents[2] / "tools" / "lab" / "custom.css"
PATIENCE = 90_000  # milliseconds: three parts of the tests may share two slow cores
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium_path() -> str | None:
    """A Chromium on this machine, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = (shutil.which(name) for name in names)
    return os.environ.get("CHROMIUM") or next((p for p in found if p), None)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """A browser context; skips where there is no Chromium, unless CI requires one."""
    path = chromium_path()
    if path is None:
        if settings.require_browser():
            pytest.fail("no Chromium found, and GPT1_REQUIRE_BROWSER=1 asks for one")
        pytest.skip("no Chromium on this machine: install it, or name it in CHROMIUM")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("profile")),
            executable_path=path,
            headless=True,
            reduced_motion="reduce",  # the book's buttons fade, and axe would read half-way
            args=FLAGS,
            viewport={"width": 1400, "height": 1000},
        )
        context.set_default_timeout(PATIENCE)
        yield context
        context.close()


def lab_environment(home: Path) -> dict:
    """Settings of its own, so that a user's JupyterLab is neither read nor changed.

    Nothing is saved by itself: a slow test must not change what a later one opens.
    """
    chosen = {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "docmanager-extension/plugin": {"autosave": False},
    }
    for name, values in chosen.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "run",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    private = {name: str(home / part) for name, part in folders.items()}
    return os.environ | private | {"GPT1_STRICT": "1", "CUDA_VISIBLE_DEVICES": ""}


@pytest.fixture(scope="session")
def lab(tmp_path_factory, chromium):
    """The address of a JupyterLab that serves the notebooks, every exercise solved.

    It is strict: a solution that its own check does not pass is an error.
    """
    home = tmp_path_factory.mktemp("jupyter")
    copy_solved(NOTEBOOKS, home / "root" / "notebooks")
    (home / "config" / "custom").mkdir(parents=True)
    shutil.copy(CSS, home / "config" / "custom" / "custom.css")
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--allow-root",
        "--no-browser",
        "--ip=127.0.0.1",
        "--port=0",  # the server takes one that is free
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={home / 'root'}",
        "--LabApp.expose_app_in_browser=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.custom_css=True",
    ]
    with open(home / "lab.log", "w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=lab_environment(home))
    try:
        yield served_address(server, home / "run", home / "lab.log")
    finally:
        server.terminate()
        server.wait(60)


def copy_solved(source: Path, target: Path) -> None:
    """A copy of the notebooks with the solutions in place of the stubs; quick ones."""
    shutil.copytree(source, target)
    for path in target.glob("[0-9]*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        notebooks.solve(notebook, path)
        quick.shorten(notebook, path.name[:2])
        nbformat.write(notebook, path)


def served_address(server: subprocess.Popen, runtime: Path, log: Path) -> str:
    """Where the server answers, once it does; RuntimeError with its log if it never does."""
    about, end = runtime / f"jpserver-{server.pid}.json", time.time() + 300
    while time.time() < end and server.poll() is None:
        try:
            address = f"http://127.0.0.1:{json.loads(about.read_text())['port']}"
            urllib.request.urlopen(f"{address}/api", timeout=1).read()
            return address
        except (OSError, json.JSONDecodeError):  # not there, half written, not serving yet
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


@pytest.fixture
def page(lab, chromium):
    """A tab for one test."""
    with tab(lab, chromium) as page:
        yield page


@pytest.fixture(scope="module")
def desk(lab, chromium):
    """A tab that holds a JupyterLab: to load it anew takes longer than to open a notebook."""
    with tab(lab, chromium) as page:
        page.goto(f"{lab}/lab?reset")
        page.wait_for_function(STARTED, polling=OFTEN)
        yield page
