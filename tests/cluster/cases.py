# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of explorations on servers share."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import unittest
from pathlib import Path

from .desk import BatchJob, Exploration, Programs, Result, wait_for_silence
from .servers import Servers, run

# Set before the tests run.
cluster: Servers
programs: Programs
folder: Path

# Sizes whose speeds differ by more than the tolerance, so that a result does not depend on chance.
SEARCH = ("--setting", "auto", "--fresh", "--no-verify")
# What must not be left of an exploration, wherever it ran.
TRACES = ("batchpeak-fake-worker", "batchpeak-worker", "srun", "salloc", "bin/batchpeak ")


class ClusterTest(unittest.TestCase):
    """An exploration at a place, compared with one of the same worker at the desk."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.expect_nothing_left)

    def explore(self, *words: str, trial_time: int = 0, worker: str = "", **options) -> Exploration:
        """Starts an exploration. \\p trial_time is in milliseconds."""
        words_of_worker = ("trial-time=%d " % trial_time if trial_time else "") + worker
        exploration = Exploration(programs, self.folder, *SEARCH, *words, worker=words_of_worker, **options)
        self.addCleanup(exploration.kill)
        return exploration

    def submit(self, *words: str, trial_time: int = 500, partition: str = "main") -> BatchJob:
        """Submits an exploration. \\p trial_time is in milliseconds."""
        job = BatchJob(
            programs,
            self.folder,
            *SEARCH,
            "--on",
            "slurm:" + partition,
            "--device",
            "cpu",
            *words,
            worker="trial-time=%d" % trial_time,
        )
        self.addCleanup(run, "scancel", "--quiet", job.id)
        return job

    @contextlib.contextmanager
    def in_folder_of_its_own(self):
        """What is started meanwhile has its own history and files."""
        before, self.folder = self.folder, self.folder / "other"
        self.folder.mkdir()
        try:
            yield
        finally:
            self.folder = before

    def resume(self) -> Exploration:
        exploration = Exploration(programs, self.folder, "--resume", config=None)
        self.addCleanup(exploration.kill)
        return exploration

    def undisturbed(self) -> Result:
        """Returns what the worker's formula leads to."""
        if not hasattr(ClusterTest, "_undisturbed"):
            ClusterTest._undisturbed = self.explore().end()
            self.assertEqual(ClusterTest._undisturbed.code, 0, ClusterTest._undisturbed.output)
        return ClusterTest._undisturbed

    def expect_same_result(self, result: Result, most_lost: int = 1) -> None:
        self.assertEqual(result.code, 0, result.output)
        self.assertEqual(result.numbers, self.undisturbed().numbers, result.output)
        self.assertLessEqual(len(result.lost()), most_lost, result.output)

    def expect_nothing_left(self) -> None:
        self.assertEqual(wait_for_silence(12.0, *TRACES), [])
