# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that an exploration runs at a place as it does at the desk, and what it says if it cannot."""

from __future__ import annotations

from . import cases
from .cases import ClusterTest
from .servers import run


class PlacesTest(ClusterTest):
    def test_ssh(self):
        result = self.explore("--on", "ssh:n1").end()
        self.expect_same_result(result, most_lost=0)
        self.assertEqual({trial["device"] for trial in result.trials}, {"n1/cpu"})

    def test_two_hosts(self):
        result = self.explore("--on", "ssh:n1", "--on", "ssh:n2", trial_time=100).end()
        self.expect_same_result(result, most_lost=0)
        self.assertEqual({trial["device"] for trial in result.trials}, {"n1/cpu", "n2/cpu"})

    def test_slurm_without_gpus(self):
        result = self.explore("--on", "slurm -N2", "--device", "cpu", trial_time=100).end()
        self.expect_same_result(result, most_lost=0)
        self.assertEqual({trial["device"] for trial in result.trials}, {"n1/cpu", "n2/cpu"})

    def test_a_step_for_each_gpu(self):
        exploration = self.explore("--on", "slurm -N2", trial_time=300)
        exploration.wait_for(lambda: len(exploration.events("device")) == 4, "four devices")
        steps = run("squeue", "--steps", "--noheader", "--format", "%N %u").split("\n")
        self.assertEqual(sum(step.startswith(("n1", "n2")) for step in steps), 4, steps)
        result = exploration.end()
        self.expect_same_result(result, most_lost=0)
        self.assertEqual(
            {device["id"] for device in exploration.events("device")},
            {"n1/cuda:0", "n1/cuda:1", "n2/cuda:0", "n2/cuda:1"},
        )

    def test_inside_an_allocation(self):
        exploration = self.explore("--on", "slurm", "--device", "cpu", before=("salloc", "-N2", "--exclusive"))
        self.expect_same_result(exploration.end(), most_lost=0)

    def test_banner_on_standard_output(self):
        profile = cases.cluster.home / ".ssh" / "rc"
        profile.write_text("echo Welcome to this computer\necho Behave yourself\n")
        self.addCleanup(profile.unlink)
        self.expect_same_result(self.explore("--on", "ssh:n1").end(), most_lost=0)


class RefusedPlacesTest(ClusterTest):
    """What ssh and Slurm refuse ends the exploration at once, with a sentence that says what to do."""

    def expect_refusal(self, place: str, *parts: str, seconds: float = 20.0) -> None:
        result = self.explore("--on", place).end(seconds)
        self.assertEqual(result.code, 3, result.output)
        self.assertEqual(result.trials, [])
        for part in parts:
            self.assertIn(part, result.output)

    def test_key_refused(self):
        keys = cases.cluster.folder / "authorized"
        kept = keys.read_text()
        keys.write_text("")
        self.addCleanup(keys.write_text, kept)
        self.expect_refusal("ssh:n1", "ssh-copy-id n1")

    def test_password_is_never_asked_for(self):
        keys = cases.cluster.folder / "authorized"
        kept = keys.read_text()
        keys.write_text("")
        self.addCleanup(keys.write_text, kept)
        cases.cluster.stop_server("sshd-n1")
        cases.cluster.start_sshd("n1", passwords=True)
        self.addCleanup(self.restart_sshd, "n1")
        self.expect_refusal("ssh:n1", "ssh-copy-id n1")

    def restart_sshd(self, name: str) -> None:
        cases.cluster.stop_server("sshd-" + name)
        cases.cluster.start_sshd(name)

    def test_host_unknown(self):
        cases.cluster.known_hosts.write_text("")
        self.addCleanup(cases.cluster.know_hosts)
        self.expect_refusal("ssh:n1", "`ssh n1`")

    def test_host_key_changed(self):
        cases.cluster.make_host_key("n1")
        self.restart_sshd("n1")
        self.addCleanup(cases.cluster.know_hosts)
        self.expect_refusal("ssh:n1", "ssh-keygen -R n1")

    def test_no_such_host(self):
        self.expect_refusal("ssh:nowhere", "nowhere")

    def test_no_such_partition(self):
        self.expect_refusal("slurm:nothing", "nvalid partition")
