# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests what a Slurm cluster does to an exploration at the desk that uses an allocation."""

from __future__ import annotations

import re
import shutil
import subprocess

from . import cases
from .cases import SEARCH, ClusterTest
from .desk import EXAMPLE, Exploration, environment
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

    def test_nodes_together(self):
        """A step on two nodes is torchrun on each; only the first node's speaks to the desk."""
        torchrun = self.folder / "torchrun"
        torchrun.write_text(
            """#!/bin/sh
case "$*" in *--nnodes=2*--master-addr=n1*--nproc-per-node=2*) ;; *) echo "not as torchrun: $*" >&2; exit 9;; esac
[ "$PET_MASTER_PORT" -gt 0 ] || exit 9
if [ "$PET_NODE_RANK" = 0 ]; then
  %s
  touch %s/ended
else
  while ! [ -e %s/ended ]; do sleep 0.1; done
fi
"""
            % (cases.programs.fake_worker, self.folder, self.folder)
        )
        torchrun.chmod(0o755)
        exploration = self.explore(
            "--on", "slurm", "--nodes", "2", "--processes", "2", "--device", "cpu", python=torchrun
        )
        result = exploration.end()
        self.assertEqual(result.code, 0, result.output)
        self.assertEqual({event["device"] for event in result.trials}, {"n1+n2/cpu"})
        # Each of 4 processes has 64 of the 256 samples of a batch, and all of them take steps at the same time.
        self.assertEqual(result.size, 64)
        self.assertEqual(result.finished["accumulation_steps"], 1)
        speed = result.finished["samples_per_second"] / self.undisturbed().finished["samples_per_second"]
        self.assertTrue(3 < speed < 4, speed)

    def test_several_configs(self):
        """Each has a share of the nodes of one allocation."""
        configs = [self.folder / name for name in ("a.yaml", "b.yaml", "c.yaml")]
        for config in configs:
            shutil.copy(EXAMPLE, config)
        words = ("explore", *map(str, configs), "--worker", cases.programs.fake_worker, *SEARCH)
        places = ("--on", "slurm -N2", "--device", "cpu")
        output = run(cases.programs.batchpeak, *words, *places, env=environment(self.folder))
        for config in configs:
            self.assertIn("%s: micro_batch_size 128" % config.name, output)
        self.assertEqual(set(re.findall(r"on (n\d/cpu): size", output)), {"n1/cpu", "n2/cpu"})

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
