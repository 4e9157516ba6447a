# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests explorations that run as batch jobs."""

from __future__ import annotations

import re

from . import cases
from .cases import SEARCH, ClusterTest
from .desk import BatchJob
from .servers import run


class BatchTest(ClusterTest):
    def expect_restarted(self, job: BatchJob, most_lost: int = 1) -> None:
        result = job.end()
        self.expect_same_result(result, most_lost)
        self.assertGreaterEqual(len(job.events("started")), 2)
        self.assertEqual(len({event["exploration"] for event in job.events("recorded")}), 1)

    def test_writes_the_config(self):
        job = self.submit("-N2", "--in-place")
        self.expect_same_result(job.end(), most_lost=0)
        self.assertEqual({device["id"] for device in job.events("device")}, {"n1/cpu", "n2/cpu"})
        sizes = re.findall(r"micro_batch_size: (\S+)", job.config.read_text())
        self.assertEqual(sizes, ["128", "explore"])

    def test_requeued(self):
        job = self.submit()
        job.wait_for_trials(2)
        run("scontrol", "requeue", job.id)
        self.expect_restarted(job)

    def test_preempted(self):
        job = self.submit("-N2", partition="low")
        job.wait_for_trials(2)
        run("srun", "--partition=main", "-N2", "--exclusive", "true")
        # Each of the two devices had a trial under way.
        self.expect_restarted(job, most_lost=2)

    def test_node_down(self):
        job = self.submit("-N1")
        job.wait_for_trials(2)
        node = run("squeue", "--noheader", "--jobs", job.id, "--format", "%N").strip()
        cases.cluster.kill_node(node)
        self.addCleanup(cases.cluster.revive_node, node)
        self.expect_restarted(job)

    def test_time_limit(self):
        job = self.submit(trial_time=6000)
        job.wait_for_trials(1)
        # The warning of 90 seconds is due now. Slurm looks at its limits twice a minute.
        run("scontrol", "update", "jobid=" + job.id, "timelimit=2")
        job.wait_for(lambda: len(job.events("started")) >= 2, "a restart", 150)
        run("scontrol", "update", "jobid=" + job.id, "timelimit=60")
        self.expect_restarted(job)

    def test_two_at_once(self):
        first = self.submit()
        with self.in_folder_of_its_own():
            second = self.submit()
        for job in (first, second):
            self.expect_same_result(job.end(), most_lost=0)
