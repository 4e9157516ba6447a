# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the whole bench with batchpeak and the fake worker.

BATCHPEAK_PROGRAM and BATCHPEAK_FAKE_WORKER are their paths.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent.parent
# In 2 GB, 23 samples of 80 MB fit in addition to 100 MB; 21, if 8 % stays free.
DEVICE = "base=100000000 slope=80000000"


def bench(json_file: Path) -> str:
    command = [sys.executable, "-m", "bench.training", "--program", os.environ["BATCHPEAK_PROGRAM"]]
    command += ["--worker", f"{os.environ['BATCHPEAK_FAKE_WORKER']} {DEVICE}", "--config", HERE / "gpt.yaml"]
    command += ["--steps", "2", "--rounds", "2", "--json", json_file]
    return subprocess.run(command, cwd=TESTS, check=True, stdout=subprocess.PIPE, text=True).stdout


class BenchTest(unittest.TestCase):
    def test_every_way_finds_a_size_and_trains_at_it(self):
        with tempfile.TemporaryDirectory() as folder:
            figures = Path(folder) / "figures.json"
            text = bench(figures)
            (result,) = json.loads(figures.read_text())
        self.assertEqual(result["batch_size"], 64)
        ways = {way["way"]: way for way in result["ways"]}
        sizes = {name: way["micro_batch_size"] for name, way in ways.items()}
        exploration = sizes.pop("exploration")
        self.assertTrue(1 <= exploration <= 21, exploration)
        self.assertEqual(
            sizes,
            {
                "Composer's halving": 16,
                "torchtune's halving": 16,
                "torchtune's binary": 16,
                "torchtune's predict": 16,
                "growth": 22,
            },
        )
        self.assertEqual(ways["Composer's halving"]["out_of_memory_events"], 2)
        for name, way in ways.items():
            self.assertEqual(len(way["samples_per_second"]), 2, name)
            self.assertGreater(way["ratio_to_ours"], 0, name)
            self.assertIn(f"| {name} | {way['micro_batch_size']} | ", text)


if __name__ == "__main__":
    unittest.main()
