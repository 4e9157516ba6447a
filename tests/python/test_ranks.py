# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests processes that take steps together with serve(), without a framework: how a launcher starts them, and how any
of them may fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from .talk import PACKAGE, Talk

# Like torchrun: each process has the launcher's standard input and output, and its own session.
LAUNCHER = """
import subprocess, sys
commands = [[sys.executable, *sys.argv[1:], str(rank)] for rank in (0, 1, 2)]
processes = [subprocess.Popen(command, start_new_session=True) for command in commands]
sys.exit(max(process.wait() for process in processes))
"""

# The last of three processes is the slowest, and uses the most memory. If one fails, the others wait for it forever.
SCRIPT = """
import json, os, sys, threading, time
from pathlib import Path
from batchpeak_trial import Ranks, serve

folder, rank = Path(sys.argv[1]), int(sys.argv[2])
Path(folder, "pid%d" % rank).write_text(str(os.getpid()))

def broadcast(value):
    told = folder / "told"
    if rank == 0:
        Path(folder, "telling").write_text(json.dumps(value))
        os.rename(folder / "telling", told)
    while not told.exists():
        time.sleep(0.01)
    return json.loads(told.read_text())

taken = {"steps": 0, "optimizer steps": 0}

def wait_for_ever():
    threading.Event().wait()

def step(micro_batch_size):
    print("a step of rank %d" % rank)
    taken["steps"] += 1
    if micro_batch_size == 9:
        if rank == 1:
            raise RuntimeError("CUDA out of memory. Tried to allocate 64 bytes.")
        wait_for_ever()
    if micro_batch_size == 10:
        if rank == 0:
            raise RuntimeError("CUDA out of memory.")
        wait_for_ever()
    if micro_batch_size == 11:
        if rank == 2:
            os._exit(9)
        wait_for_ever()
    if micro_batch_size == 12:
        if rank == 2:
            time.sleep(0.2)
            raise MemoryError("the cause")
        raise RuntimeError("Connection reset by peer")
    if micro_batch_size == 13:
        raise RuntimeError("the same everywhere")
    time.sleep(0.005)
    yield
    time.sleep(0.03 if rank == 2 else 0.001)
    yield
    taken["optimizer steps"] += 1

def load(request):
    if request["model"].get("family") == "broken" and rank == 1:
        raise ValueError("no such network")
    if request["model"].get("family") == "broken":
        wait_for_ever()
    return {"baseline_bytes": 100 * rank, "limit_bytes": 1 << 40 - rank}

ranks = Ranks(rank, 3, broadcast)
code = serve(step, load, parameters=12, peak_bytes=lambda: 1000 * (rank + 1), ranks=ranks)
Path(folder, "taken%d" % rank).write_text("%d %d" % tuple(taken.values()))
sys.exit(code)
"""


# Measures the CPU seconds of processes on this computer, and of processes on a computer with another host name.
BURNING = """
import sys, threading, time
from batchpeak_trial.failures import FailureElsewhere
from batchpeak_trial.ranks import Leader, Ranks, follow

rank, host, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]

def broadcast(value):
    if rank == 0:
        value[3] = host or value[3]
        print(*value, file=open(path, "w"), flush=True)
        return value
    while len(words := open(path).read().split()) < 4:
        time.sleep(0.01)
    return words[0], int(words[1]), *words[2:]

def burn(order):
    end = time.process_time() + order["seconds"]
    while time.process_time() < end:
        pass

if rank == 0:
    leader = Leader(Ranks(0, 2, broadcast))
    before = leader.processor_seconds()
    for _ in range(2):
        leader.together({"do": "burn", "seconds": 0.1}, lambda: None)
    print(leader.processor_seconds() - before)
    leader.end()
    while not leader._failures:
        time.sleep(0.01)
    try:
        leader.together({"do": "burn", "seconds": 0.1}, threading.Event().wait)
    except FailureElsewhere:
        print("missed")
else:
    follow(Ranks(1, 2, broadcast), burn, None)
"""


class RanksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "launch.py").write_text(LAUNCHER)
        (self.folder / "train.py").write_text(SCRIPT)

    def start(self) -> Talk:
        state = Path(tempfile.mkdtemp(dir=self.folder))
        talk = Talk(*map(str, (self.folder / "launch.py", self.folder / "train.py", state)))
        self.addCleanup(talk.end)
        talk.state = state
        return talk

    def load(self) -> Talk:
        talk = self.start()
        talk.ask("hello", protocol=2)
        talk.ask("load", model={"family": "own"})
        return talk

    def assert_all_ended(self, talk: Talk, code: int = 0):
        self.assertEqual(talk.exit_code(), code, talk.errors())
        pids = [int((talk.state / ("pid%d" % rank)).read_text()) for rank in (0, 1, 2)]
        self.assertEqual([pid for pid in pids if Path("/proc", str(pid)).exists()], [])

    def test_one_speaks_for_all(self):
        talk = self.start()
        hello = talk.ask("hello", protocol=2)
        self.assertTrue(hello["framework"].endswith(", 3 processes"), hello)
        loaded = talk.ask("load", model={"family": "own"})
        self.assertEqual(loaded["parameters"], 12)
        self.assertEqual(loaded["baseline_bytes"], 200)
        self.assertEqual(loaded["limit_bytes"], 1 << 38)
        talk.say("bye")
        self.assert_all_ended(talk)

    def test_all_step_together_and_the_slowest_and_fullest_counts(self):
        talk = self.load()
        result = talk.ask("trial", id=1, micro_batch_size=8, min_steps=6, max_steps=6)
        self.assertEqual((result["outcome"], result["steps"]), ("ok", 6))
        self.assertGreaterEqual(min(result["step_seconds"]), 0.035)
        self.assertGreaterEqual(result["backward_seconds"], 0.03)
        self.assertEqual(result["peak_reserved_bytes"], 3000)
        result = talk.ask("compare", id=2, micro_batch_sizes=[4, 8], visits=2, steps=2)
        self.assertEqual(result["outcome"], "ok")
        for entry in result["compared"]:
            self.assertEqual(entry["peak_reserved_bytes"], 3000)
            for visit in entry["visits"]:
                self.assertGreaterEqual(min(visit["step_seconds"]), 0.035)
        talk.say("bye")
        self.assert_all_ended(talk)
        taken = [(talk.state / ("taken%d" % rank)).read_text() for rank in (0, 1, 2)]
        self.assertEqual(len(set(taken)), 1)
        steps, optimizer_steps = map(int, taken[0].split())
        self.assertGreater(steps, optimizer_steps)
        self.assertGreater(optimizer_steps, 2)

    def test_a_failure_of_one_ends_all_and_names_the_cause(self):
        outcomes = {
            9: ("oom", "In the process of rank 1: "),
            10: ("oom", "RuntimeError: CUDA out of memory."),
            12: ("oom", "In the process of rank 2: MemoryError: the cause"),
            13: ("failed", "RuntimeError: the same everywhere"),
        }
        for kind in ("trial", "compare"):
            for size, (outcome, text) in outcomes.items():
                with self.subTest(kind=kind, size=size):
                    talk = self.load()
                    fields = {"micro_batch_size": size} if kind == "trial" else {"micro_batch_sizes": [8, size]}
                    result = talk.ask(kind, id=size, timeout=20.0, **fields)
                    self.assertEqual((result["outcome"], result["micro_batch_size"]), (outcome, size))
                    self.assertTrue(result["text"].startswith(text), result["text"])
                    self.assertTrue(result["last"])
                    if size == 9:
                        self.assertEqual(result["peak_reserved_bytes"], 2064)
                    self.assert_all_ended(talk)

    def test_one_that_ends_leaves_the_size_to_a_fresh_start(self):
        talk = self.load()
        talk.say("trial", id=1, micro_batch_size=11)
        error = talk.hear("error", timeout=20.0)
        self.assertTrue(error["fatal"])
        self.assertEqual(error["text"], "In the process of rank 2: It has ended.")
        self.assert_all_ended(talk, 42)

    def test_one_that_ends_between_trials_is_missed_in_the_next(self):
        talk = self.load()
        os.kill(int((talk.state / "pid1").read_text()), signal.SIGKILL)
        time.sleep(0.2)
        talk.say("trial", id=1, micro_batch_size=8)
        self.assertIn("rank 1", talk.hear("error", timeout=20.0)["text"])
        self.assert_all_ended(talk, 42)

    def test_a_load_that_fails_in_one_ends_all(self):
        talk = self.start()
        talk.ask("hello", protocol=2)
        talk.say("load", model={"family": "broken"})
        error = talk.hear("error", timeout=20.0)
        self.assertEqual(error["text"], "In the process of rank 1: ValueError: no such network")
        self.assert_all_ended(talk, 1)

    def test_all_end_with_their_input(self):
        for is_busy in (False, True):
            with self.subTest(is_busy=is_busy):
                talk = self.load()
                if is_busy:
                    endless = {"min_steps": 10**6, "max_steps": 10**6, "time_limit": 3600}
                    talk.say("trial", id=1, micro_batch_size=1, **endless)
                    self.assertEqual(talk.next()["type"], "step")
                talk.process.stdin.close()
                self.assert_all_ended(talk)

    def test_knows_what_the_others_take_of_this_processor_and_that_they_are_gone(self):
        (self.folder / "burn.py").write_text(BURNING)
        for host, least, most in (("", 0.2, 60.0), ("elsewhere", 0.0, 0.0)):
            path = self.folder / ("told by " + host)
            path.write_text("")
            command = [sys.executable, str(self.folder / "burn.py")]
            environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
            with subprocess.Popen([*command, "1", host, str(path)], env=environment) as other:
                told = subprocess.check_output([*command, "0", host, str(path)], env=environment, timeout=60)
                self.assertEqual(other.wait(20), 0)
            seconds, missed = told.decode().split()
            self.assertGreaterEqual(float(seconds), least)
            self.assertLessEqual(float(seconds), most)
            self.assertEqual(missed, "missed")

    def test_refuses_processes_that_nothing_brings_together(self):
        script = self.folder / "alone.py"
        script.write_text("from batchpeak_trial import serve\nserve(lambda size: None)\n")
        talk = Talk(str(script), environment={"WORLD_SIZE": "2", "RANK": "0"})
        self.addCleanup(talk.end)
        self.assertEqual(talk.exit_code(), 1)
        talk.end()
        self.assertIn("torch.distributed.init_process_group() before serve()", talk.errors())


if __name__ == "__main__":
    unittest.main()
