"""`python3 -m venv V && V/bin/pip install ./Clients/python && V/bin/python -m seamd.demo`, and the snippets for CI with
what they install. Needs PyPI: a package is built with setuptools, and pytest comes from there too."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, find

sys.path.insert(0, str(ROOT / "Clients/python/tests"))

import test_readme  # noqa: E402


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A virtual environment and a copy of the package, so that the build leaves nothing in this folder."""
    folder = tmp_path_factory.mktemp("install")
    shutil.copytree(
        ROOT / "Clients/python", folder / "package", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    )
    python = getattr(sys, "_base_executable", sys.executable)
    subprocess.run([python, "-m", "venv", folder / "V"], check=True, timeout=120)
    bin = folder / "bin"
    bin.mkdir()
    for name in ("seam", "seamd"):
        (bin / name).symlink_to(shutil.which(find(name)))
    changed = {**os.environ, "PATH": f"{folder}/V/bin:{bin}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for name in ("SEAMD", "PYTHONPATH", "PYTEST_PLUGINS", "PYTEST_ADDOPTS", "VIRTUAL_ENV"):
        changed.pop(name, None)
    return folder, changed


def test_the_package_installs_and_shows_its_demo(environment):
    folder, changed = environment
    installed = subprocess.run(
        ["V/bin/pip", "install", "./package"], cwd=folder, env=changed, capture_output=True, text=True, timeout=300
    )
    assert installed.returncode == 0, f"PyPI is needed here:\n{installed.stderr}"
    # seamd is found in PATH, and from elsewhere through $SEAMD.
    for more in ({}, {"SEAMD": str(folder / "bin/seamd"), "PATH": "/usr/bin:/bin"}):
        shown = subprocess.run(
            [folder / "V/bin/python", "-m", "seamd.demo"], cwd=folder, env={**changed, **more}, capture_output=True,
            text=True, timeout=60,
        )  # fmt: skip
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "Toolbar.openCount: model=5 screen=3 -> stale" in shown.stdout
    files = subprocess.run(["V/bin/pip", "show", "-f", "seamd-client"], cwd=folder, env=changed, capture_output=True, text=True)
    assert "seamd/py.typed" in files.stdout and "Requires: \n" in files.stdout


class Installed:
    is_real = True

    def __init__(self, environment):
        self.environment = environment


@pytest.mark.parametrize("kind", ["run:", "script:"])
def test_the_snippets_for_ci_with_what_they_install(kind, tmp_path, environment):
    """The plug-in is found by its entry point here."""
    folder, changed = environment
    test_readme.test_the_snippets_for_ci_run_line_by_line(kind, tmp_path, Installed(changed), package=folder / "package")
