# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests links that break in the middle of an exploration."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from . import cases
from .cases import TRACES, ClusterTest
from .desk import wait_for_silence


def sessions_of_sshd() -> list[int]:
    """Returns the processes of sshd that serve a connection."""
    pids = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"sshd: root@" in (folder / "cmdline").read_bytes():
                pids.append(int(folder.name))
        except OSError:
            pass
    return pids


class LinksTest(ClusterTest):
    def test_connection_closed(self):
        exploration = self.explore("--on", "ssh:n1", trial_time=500)
        exploration.wait_in_trial(3)
        for pid in sessions_of_sshd():
            os.kill(pid, signal.SIGKILL)
        result = exploration.end()
        self.expect_same_result(result)
        self.assertIn("There is no connection to n1", result.output)

    def test_link_cut_for_twenty_seconds(self):
        exploration = self.explore("--on", "ssh:n1", trial_time=500)
        exploration.wait_in_trial(3)
        cases.cluster.computers.cut("n1")
        self.addCleanup(cases.cluster.computers.mend, "n1")
        time.sleep(20)
        cases.cluster.computers.mend("n1")
        self.expect_same_result(exploration.end())

    def test_link_cut_for_good(self):
        exploration = self.explore("--on", "ssh:n1", "--reconnect", "5s", trial_time=500)
        exploration.wait_in_trial(3)
        cases.cluster.computers.cut("n1")
        self.addCleanup(cases.cluster.computers.mend, "n1")
        result = exploration.end()
        self.assertEqual(result.code, 3, result.output)
        self.assertIn("--resume", result.output)
        # The worker hears nothing any more.
        self.assertEqual(wait_for_silence(30.0, *TRACES), [])
        cases.cluster.computers.mend("n1")
        self.expect_same_result(self.resume().end())

    def test_desk_killed(self):
        for place in ("ssh:n1", "slurm -N2"):
            with self.subTest(place=place):
                exploration = self.explore("--on", place, trial_time=60000)
                exploration.wait_in_trial(1)
                exploration.kill()
                self.assertEqual(wait_for_silence(10.0, *TRACES), [])

    def test_interrupted(self):
        for place in ("ssh:n1", "slurm -N2"):
            with self.subTest(place=place):
                exploration = self.explore("--on", place, trial_time=1000)
                exploration.wait_in_trial(3)
                exploration.interrupt()
                self.assertEqual(exploration.end(15).code, 130)
                self.assertEqual(wait_for_silence(10.0, *TRACES), [])
