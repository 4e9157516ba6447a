# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the package as people install it: its wheel, in a Python without other packages.

It does not use the network, and is skipped if wheels cannot be built."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from .talk import PACKAGE, Talk

SCRIPT = """
import sys
import batchpeak_trial

assert batchpeak_trial.__file__.startswith(sys.prefix), batchpeak_trial.__file__

def step(micro_batch_size):
    sum(range(10000 * micro_batch_size))
    yield
    sum(range(10000 * micro_batch_size))
    yield
    sum(range(10000))

batchpeak_trial.serve(step, parameters=12)
"""


def what_lacks() -> str:
    """Returns what is missing to build a wheel; empty if nothing is."""
    if not all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "venv")):
        return "pip, setuptools or venv is missing in %s" % sys.executable
    numbers = [int(part) for part in importlib.metadata.version("setuptools").split(".")[:2]]
    if importlib.util.find_spec("wheel") or numbers >= [70, 1]:
        return ""
    return "wheel is missing in %s, and its setuptools is older than 70.1" % sys.executable


def run(*command: str, folder: Path) -> str:
    # Ignores the sources next to the tests, and the user's settings.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_CONFIG_FILE=os.devnull)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError("%s: %s" % (" ".join(command), done.stdout[-2000:] + done.stderr[-2000:]))
    return done.stdout


@unittest.skipIf(what_lacks(), what_lacks())
class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.held.cleanup)
        cls.folder = Path(cls.held.name)
        # A copy, since a build leaves folders next to the sources.
        source = cls.folder / "source"
        (source / "batchpeak_trial").mkdir(parents=True)
        # Only files: an installation may have left folders here.
        files = filter(Path.is_file, PACKAGE.glob("*.*"))
        for file in (*files, *PACKAGE.glob("batchpeak_trial/*.py")):
            (source / file.relative_to(PACKAGE)).write_bytes(file.read_bytes())
        pip = (sys.executable, "-m", "pip")
        offline = ("--no-deps", "--no-index", "--quiet")
        built = ("wheel", *offline, "--no-build-isolation", "--wheel-dir", "dist", "./source")
        run(*pip, *built, folder=cls.folder)
        cls.wheel = next((cls.folder / "dist").glob("*.whl"))
        run(sys.executable, "-m", "venv", "--without-pip", "fresh", folder=cls.folder)
        cls.python = str(cls.folder / "fresh" / "bin" / "python")
        run(*pip, "--python", cls.python, "install", *offline, str(cls.wheel), folder=cls.folder)

    def test_holds_every_module(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = {name for name in archive.namelist() if name.endswith(".py")}
        modules = {str(file.relative_to(PACKAGE)) for file in PACKAGE.glob("batchpeak_trial/*.py")}
        self.assertEqual(names, modules)

    def test_describes_what_there_is(self):
        said = run(self.python, "-m", "batchpeak_trial.transformers", "--describe", folder=self.folder)
        described = json.loads(said)
        self.assertIsNone(described["torch"])
        self.assertIsNone(described["trl"])
        self.assertEqual(described["devices"][-1]["kind"], "cpu")
        self.assertRegex(self.wheel.name, r"^batchpeak_trial-%s-py3-none-any\.whl$" % described["version"])

    def test_serves_a_script(self):
        script = self.folder / "train.py"
        script.write_text(SCRIPT, encoding="utf-8")
        talk = Talk(str(script), program=self.python, environment={"PYTHONPATH": ""})
        self.addCleanup(talk.end)
        self.assertEqual(talk.ask("hello", protocol=2)["program"], "train.py")
        self.assertEqual(talk.ask("load", model={"family": "own"})["parameters"], 12)
        result = talk.ask("trial", id=1, micro_batch_size=4, min_steps=4, max_steps=4)
        self.assertEqual((result["outcome"], result["samples"]), ("ok", 16), result.get("text"))
        self.assertGreater(result["optimizer_seconds"], 0)
        talk.say("bye")
        self.assertEqual(talk.exit_code(), 0)


if __name__ == "__main__":
    unittest.main()
