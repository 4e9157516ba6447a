# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which packages are reported as missing in a Python, and the commands that install them. It needs no library."""

from __future__ import annotations

import importlib.machinery
import sys
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from .talk import PACKAGE

sys.path.insert(0, str(PACKAGE))

from batchpeak_trial import requirements  # noqa: E402
from batchpeak_trial.requirements import (  # noqa: E402
    Missing,
    builds_for_gpus,
    line_for,
    problem_of,
    require,
)


class RequirementsTest(unittest.TestCase):
    def setUp(self):
        self.patches = ExitStack()
        self.addCleanup(self.patches.close)
        self.has(pip=True)
        self.replace(sys, "executable", "/my env/bin/python3")
        self.replace(requirements, "_is_of_the_system", lambda: False)
        self.installed = {"torch": "2.9.1+cpu", "transformers": "5.1"}
        self.replace(requirements, "version_of", self.installed.get)

    def replace(self, place, name, value):
        self.patches.enter_context(mock.patch.object(place, name, value))

    def has(self, pip=False, uv=None):
        found = importlib.machinery.ModuleSpec("pip", None) if pip else None
        self.replace(requirements.importlib.util, "find_spec", lambda name: found)
        self.replace(requirements.shutil, "which", lambda name: uv)

    def test_nothing_is_wrong_where_all_is_there(self):
        self.assertEqual(problem_of("torch", "transformers"), "")

    def test_names_what_is_missing_with_the_line_that_installs_it(self):
        self.installed.clear()
        self.assertEqual(
            problem_of("torch", "transformers"),
            "/my env/bin/python3 has no torch and no transformers. To install them: "
            "'/my env/bin/python3' -m pip install 'torch>=2.5' 'transformers>=4.45'",
        )
        self.assertTrue(problem_of("trl").endswith("has no trl. To install it: " + line_for("trl")))

    def test_names_what_is_too_old(self):
        for version, is_enough in (
            ("4.44.2", False),
            ("4.45.0", True),
            ("4.100", True),
            ("5.0.0rc1", True),
            ("", False),
        ):
            self.installed["transformers"] = version
            with self.subTest(version):
                problem = problem_of("torch", "transformers")
                self.assertEqual(not problem, is_enough, problem)
                if problem:
                    text = "has transformers %s, and trials need 4.45 or newer. To update it: "
                    self.assertIn(text % version, problem)
                    self.assertTrue(problem.endswith(" install --upgrade 'transformers>=4.45'"), problem)

    def test_names_a_python_that_is_too_old(self):
        self.replace(sys, "version_info", (3, 8, 20))
        self.assertEqual(
            problem_of("torch", "transformers"),
            "/my env/bin/python3 is Python 3.8, and trials need 3.9 or newer. Name another one by "
            "--with python=PATH.",
        )

    def test_the_line_is_one_for_this_python(self):
        rows = (
            ({"pip": True}, "'/my env/bin/python3' -m pip install peft"),
            ({"uv": "/bin/uv"}, "uv pip install --python '/my env/bin/python3' peft"),
            ({}, "'/my env/bin/python3' -m ensurepip && '/my env/bin/python3' -m pip install peft"),
        )
        for tools, line in rows:
            with self.subTest(tools):
                self.has(**tools)
                self.assertEqual(line_for("peft"), line)

    def test_nothing_is_installed_into_the_python_of_the_system(self):
        self.replace(requirements, "_is_of_the_system", lambda: True)
        python = "~/batchpeak-python/bin/python3"
        self.assertEqual(
            line_for("peft"),
            "'/my env/bin/python3' -m venv ~/batchpeak-python && "
            + python
            + " -m pip install 'torch>=2.5' 'transformers>=4.45' peft; then name it by --with python="
            + python,
        )

    def test_what_cannot_be_imported_is_not_called_missing(self):
        for error in (ImportError("libcudart.so.12: cannot open"), OSError("libcudnn"), ValueError("numpy")):
            with self.subTest(error), self.assertRaises(Missing) as refused:
                with mock.patch.object(requirements.importlib, "import_module", side_effect=error):
                    require("torch")
            self.assertIn("has torch 2.9.1+cpu, which cannot be imported (%s)" % error, str(refused.exception))
            # Without --force-reinstall, pip would find it already installed.
            self.assertIn("pip install --force-reinstall 'torch>=2.5'", str(refused.exception))
        with self.assertRaises(Missing) as refused:
            require("trl", "trl_is_not_here")
        self.assertIn("has no trl", str(refused.exception))

    def test_reads_for_what_torch_was_built(self):
        rows = (
            ("cuda: Optional[str] = None\nhip: Optional[str] = None\n", False),
            ("cuda: Optional[str] = '12.8'\n", True),
            ("cuda = '11.8'\nhip = None\n", True),
            ("cuda: Optional[str] = None\nhip: Optional[str] = '6.2'\n", True),
            ("__version__ = '9'\n", True),
        )
        with tempfile.TemporaryDirectory() as folder:
            found = mock.Mock(submodule_search_locations=[folder])
            self.replace(requirements.importlib.util, "find_spec", lambda name: found)
            for text, is_for_gpus in rows:
                with self.subTest(text):
                    Path(folder, "version.py").write_text(text, encoding="utf-8")
                    self.assertEqual(builds_for_gpus(), is_for_gpus)


if __name__ == "__main__":
    unittest.main()
