# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs whole explorations and confirmations in this Python's stack, for real runs with smaller networks. Without torch,
transformers, peft and trl, or without the program, the tests are skipped."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS / "data" / "corpus"
PROGRAM = Path(os.environ.get("BATCHPEAK_PROGRAM", TESTS.parent / "build" / "dev" / "bin" / "batchpeak"))
NEEDED = ("torch", "transformers", "peft", "trl")


def what_lacks() -> str:
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    if missing:
        return "%s has no %s" % (sys.executable, " and no ".join(missing))
    return "" if os.access(PROGRAM, os.X_OK) else "There is no batchpeak at %s" % PROGRAM


@unittest.skipIf(what_lacks(), what_lacks())
class ExplorationsTest(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def batchpeak(self, *arguments: str) -> str:
        home = {"XDG_DATA_HOME": str(self.folder / "data"), "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [str(PROGRAM), *arguments, "--with", "python=" + sys.executable, "--device", "cpu"],
            env={**os.environ, **home},
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_of_full_training(self):
        self.explore("torchtune/full.yaml")

    def test_of_adapters(self):
        self.explore("llama-factory/lora.yaml")

    def test_of_preferences(self):
        self.explore("llama-factory/dpo.yaml")

    def explore(self, config: str) -> None:
        events = self.folder / "events.jsonl"
        file = self.folder / Path(config).name
        file.write_bytes((CORPUS / config).read_bytes())
        network = ("--shrink", "--sequence-length", "32")
        bounds = ("--setting", "explore", "--max-trials", "4", "--max", "8")
        said = self.batchpeak("explore", str(file), *network, *bounds, "--events", str(events))
        self.assertIn("torch", said)
        told = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
        results = [event for event in told if event["event"] == "trial_finished"]
        self.assertIn("ok", {event["outcome"] for event in results}, told)
        devices = [event["program"] for event in told if event["event"] == "device"]
        self.assertTrue(all(name.startswith("batchpeak_trial.transformers") for name in devices), devices)
        said = self.batchpeak("confirm", str(file), *network, "--steps", "3")
        self.assertRegex(said, r"confirming what exploration 1 of .*\n.*\nSIZE  ACCUMULATION  PREDICTED")
        self.assertNotIn("another program", said)


if __name__ == "__main__":
    unittest.main()
