# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests `batchpeak watch`: of jobs, and over ssh."""

from __future__ import annotations

import signal

from . import cases
from .cases import ClusterTest
from .desk import Watching, wait_for_silence
from .servers import run


def lines_of_trials(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("trial ")]


class WatchTest(ClusterTest):
    def watch(self, *words: str) -> Watching:
        watching = Watching(cases.programs, self.folder, *words)
        self.addCleanup(watching.kill)
        return watching

    def expect_same_lines(self, watching: Watching, printed: str) -> None:
        self.assertEqual(watching.end(), 0, watching.output)
        self.assertTrue(lines_of_trials(printed))
        self.assertEqual(lines_of_trials(watching.output), lines_of_trials(printed))
        self.assertEqual(watching.output.splitlines()[-1], printed.splitlines()[-1])

    def set_nodes(self, *words: str) -> None:
        for node in cases.cluster.computers.names:
            run("scontrol", "update", "nodename=" + node, *words)

    def test_job_from_queue_to_end(self):
        self.set_nodes("state=drain", "reason=test")
        job = self.submit()
        watching = self.watch(job.id)
        watching.wait_for("waits in the queue (")
        self.set_nodes("state=resume")
        self.expect_same_lines(watching, job.end().output)

    def test_job_requeued(self):
        job = self.submit()
        watching = self.watch(job.id)
        job.wait_for_trials(2)
        run("scontrol", "requeue", job.id)
        result = job.end()
        self.assertEqual(watching.end(), 0, watching.output)
        self.assertEqual(watching.output.splitlines()[-1], result.output.splitlines()[-1])

    def test_job_canceled(self):
        job = self.submit()
        watching = self.watch("ssh:n1:" + job.id)
        watching.wait_for("trial 1 on")
        run("scancel", job.id)
        # Slurm may give the exploration no time to say that it ends.
        code = watching.end(90)
        said = {130: "recommended ", 3: "was canceled before its exploration ended"}
        self.assertIn(code, said, watching.output)
        self.assertIn(said[code], watching.output)
        # It does not go back into the queue.
        self.assertEqual(job.state(), "CANCELLED")
        self.assertEqual(len(job.events("started")), 1)

    def test_job_killed(self):
        job = self.submit()
        watching = self.watch(job.id)
        watching.wait_for("trial 1 on")
        run("scancel", "--signal=KILL", "--batch", job.id)
        self.assertEqual(watching.end(90), 3, watching.output)

    def test_job_forgotten(self):
        watching = self.watch("4711")
        self.assertEqual(watching.end(), 1, watching.output)
        self.assertIn("Slurm does not know the job 4711", watching.output)

    def test_link_cut_and_back(self):
        exploration = self.explore(trial_time=2000)
        watching = self.watch("--on", "ssh:n1", str(exploration.events_path))
        watching.wait_for("trial 2 on")
        cases.cluster.computers.cut("n1")
        self.addCleanup(cases.cluster.computers.mend, "n1")
        watching.wait_for("There is no connection to n1")
        # Nothing asks the shell there any more.
        self.assertEqual(wait_for_silence(30.0, "batchpeak-file"), [])
        cases.cluster.computers.mend("n1")
        result = exploration.end(120)
        self.expect_same_lines(watching, result.output)

    def test_interrupted(self):
        exploration = self.explore(trial_time=1000)
        watching = self.watch("ssh:n1:%s" % exploration.events_path)
        watching.wait_for("trial 1 on")
        watching.process.send_signal(signal.SIGINT)
        self.assertEqual(watching.end(10), 130)
        self.assertEqual(wait_for_silence(5.0, "batchpeak-file"), [])
        self.expect_same_result(exploration.end())
