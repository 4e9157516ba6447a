# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what a Slurm cluster does to an exploration at the desk that uses an allocation."""

from __future__ import annotations

import subprocess

from . import cases
from .cases import ClusterTest
from .desk import Exploration
from .servers import run, wait_until


def jobs() -> list[str]:
    return run("squeue", "--noheader", "--format", "%i").split()


class SlurmTest(ClusterTest):
    def explore_both(self, **options) -> Exploration:
        return self.explore("--on", "slurm -N2", "--device", "cpu", trial_time=500, **options)

    def occupy_all_nodes(self) -> subprocess.Popen:
        holder = subprocess.Popen(
            ["srun", "-N2", "--exclusive", "sleep", "infinity"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.addCleanup(holder.wait)
        self.addCleanup(holder.terminate)
        wait_until(lambda: len(jobs()) == 1, "the job before")
        return holder

    def test_job_canceled(self):
        exploration = self.explore_both()
        exploration.wait_for_trials(3)
        run("scancel", *jobs())
        result = exploration.end(15)
        self.assertEqual(result.code, 3, result.output)
        self.assertIn("--resume", result.output)
        self.expect_same_result(self.resume().end())

    def test_time_limit(self):
        # Slurm looks at its limits twice a minute.
        exploration = self.explore("--on", "slurm", "--device", "cpu", trial_time=8000)
        exploration.wait_for_trials(2)
        run("scontrol", "update", "jobid=" + jobs()[0], "endtime=now")
        result = exploration.end(60)
        self.assertEqual(result.code, 3, result.output)
        self.assertIn("TIME LIMIT", result.output.upper())
        self.expect_same_result(self.resume().end())

    def test_preempted(self):
        exploration = self.explore("--on", "slurm:low -N2", "--device", "cpu", trial_time=500)
        exploration.wait_for_trials(2)
        run("srun", "--partition=main", "-N2", "--exclusive", "true")
        result = exploration.end(15)
        self.assertEqual(result.code, 3, result.output)
        self.expect_same_result(self.resume().end())

    def test_node_down(self):
        exploration = self.explore_both()
        exploration.wait_for_trials(2)
        cases.cluster.kill_node("n2")
        self.addCleanup(cases.cluster.revive_node, "n2")
        self.expect_same_result(exploration.end())

    def test_controller_restarted(self):
        exploration = self.explore_both()
        exploration.wait_for_trials(2)
        cases.cluster.stop_server("slurmctld")
        cases.cluster.start_controller()
        self.expect_same_result(exploration.end(), most_lost=0)

    def test_queue(self):
        holder = self.occupy_all_nodes()
        exploration = self.explore_both()
        exploration.wait_for(lambda: len(jobs()) == 2, "a job in the queue")
        exploration.wait_for(lambda: "Slurm has not given" in exploration.output, "a word on the queue")
        holder.terminate()
        self.expect_same_result(exploration.end(), most_lost=0)

    def test_interrupted_in_the_queue(self):
        self.occupy_all_nodes()
        for end in (Exploration.interrupt, Exploration.kill):
            exploration = self.explore_both()
            exploration.wait_for(lambda: len(jobs()) == 2, "a job in the queue")
            end(exploration)
            exploration.end(10)
            wait_until(lambda: len(jobs()) == 1, "an empty queue", 10)

    def test_two_at_once(self):
        other = self.explore_both()
        with self.in_folder_of_its_own():
            exploration = self.explore_both()
        for one in (other, exploration):
            self.expect_same_result(one.end(), most_lost=0)
