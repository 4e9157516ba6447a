# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests serve() with a script's own steps, without any framework."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from .talk import Talk, running

# Up to 8 samples fit; 13 loses the device, 14 runs out of main memory, 15 fails for another reason, and 16 is too large
# for a kernel. It prints to standard output, as scripts do.
SCRIPT = """
import sys, time
from batchpeak_trial import serve

FAILURES = {13: "CUDA error: an illegal memory access was encountered",
            14: "[enforce fail] DefaultCPUAllocator: can't allocate memory: tried to allocate 4096 bytes.",
            15: "the script's own trouble",
            16: "CUDA error: invalid configuration argument"}

def compute(size):
    print("step of", size)
    if size in FAILURES:
        raise RuntimeError(FAILURES[size])
    if size > 8:
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 MiB.")
    sum(range(20000 * size))

def whole(micro_batch_size):
    compute(micro_batch_size)

def phased(micro_batch_size):
    compute(micro_batch_size)
    time.sleep(0.002)
    yield
    time.sleep(0.008)
    yield
    print("optimizer step")
    time.sleep(0.02)

def joint(micro_batch_size):
    compute(micro_batch_size)
    yield "backward"
    print("optimizer step")
    time.sleep(0.02)

def joint_and_greedy(micro_batch_size):
    yield "backward"
    yield

def forward(micro_batch_size):
    compute(micro_batch_size)
    if False:
        yield

unready = 3
def scaled(micro_batch_size, count):
    global unready
    sum(range(20000))
    yield
    yield
    unready -= 1
    return unready < 0

def greedy(micro_batch_size):
    yield
    yield
    yield

def unfinished(micro_batch_size):
    yield

def shouting(micro_batch_size):
    yield "Backward"

async def later(micro_batch_size):
    pass

def leaving(micro_batch_size):
    sys.exit("I quit")

def counting(micro_batch_size, accumulation_steps=1):
    print("one of", accumulation_steps)
    yield
    yield

def counting_slowly(micro_batch_size, accumulation_steps=1):
    print("one of", accumulation_steps)
    time.sleep(0.05)
    yield
    yield

kept = []
def hungry(micro_batch_size):
    kept.append(b"x" * (micro_batch_size << 20))
    kept.clear()

def load(request):
    if request["model"].get("family") == "broken":
        raise ValueError("no such network")
    return {"approximations": ["a script"]}

gauge = {"peak_bytes": lambda: 4096} if sys.argv[1] != "hungry" else {}
class Count:
    # Like NumPy's numbers, which json cannot write.
    def __int__(self):
        return 12

sys.exit(serve(globals()[sys.argv[1]], load=load, parameters=Count(), **gauge))
"""


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = Path(folder.name, "train.py")
        self.script.write_text(SCRIPT)

    def start(self, step: str) -> Talk:
        talk = Talk(str(self.script), step)
        self.addCleanup(talk.end)
        return talk

    def load(self, step: str = "whole", protocol: int = 2, **fields) -> Talk:
        talk = self.start(step)
        talk.ask("hello", protocol=protocol)
        talk.ask("load", model={"family": "own"}, **fields)
        return talk

    def test_greets_and_loads(self):
        talk = self.start("whole")
        hello = talk.ask("hello", protocol=2)
        self.assertEqual((hello["protocol"], hello["program"]), (2, "train.py"))
        self.assertEqual(hello["device"]["kind"], "cpu")
        self.assertGreater(hello["device"]["total_bytes"], hello["device"]["free_bytes"])
        loaded = talk.ask("load", model={"family": "own"}, memory_limit_bytes=1 << 30)
        self.assertEqual(loaded["parameters"], 12)
        self.assertEqual(loaded["limit_bytes"], 1 << 30)
        self.assertEqual(loaded["approximations"], ["a script"])
        talk.say("bye")
        self.assertEqual(talk.exit_code(), 0)

    def test_times_a_whole_step(self):
        result = self.load().ask("trial", id=3, micro_batch_size=8, min_steps=4, max_steps=4)
        self.assertEqual((result["id"], result["outcome"], result["steps"]), (3, "ok", 4))
        self.assertEqual(len(result["step_seconds"]), 4)
        self.assertEqual(result["samples"], 32)
        self.assertEqual(result["peak_reserved_bytes"], 4096)
        self.assertNotIn("optimizer_seconds", result)
        self.assertGreater(result["relative_error"], -1e-9)
        self.assertGreaterEqual(result["clock"], 0)

    def test_times_phases_apart(self):
        talk = self.load("phased")
        result = talk.ask("trial", id=1, micro_batch_size=4, min_steps=6, max_steps=24)
        self.assertEqual(result["outcome"], "ok")
        # On a busy computer, phases take longer, but never shorter.
        self.assertGreaterEqual(result["forward_seconds"], 0.002)
        self.assertGreaterEqual(result["backward_seconds"], 0.008)
        self.assertGreaterEqual(result["optimizer_seconds"], 0.02)
        self.assertGreaterEqual(min(result["step_seconds"]), 0.01)
        self.assertGreater(result["wall_seconds"], sum(result["step_seconds"]) + 0.02)
        talk.end()
        # One optimizer step ends each chain, which has several steps.
        self.assertLess(talk.errors().count("optimizer step"), talk.errors().count("step of"))

    def test_times_the_optimizer_step_apart_where_forward_and_backward_are_one(self):
        talk = self.load("joint")
        result = talk.ask("trial", id=1, micro_batch_size=4, min_steps=6, max_steps=24)
        self.assertEqual(result["outcome"], "ok")
        self.assertNotIn("forward_seconds", result)
        self.assertNotIn("backward_seconds", result)
        self.assertGreaterEqual(result["optimizer_seconds"], 0.02)
        talk.end()
        self.assertLess(talk.errors().count("optimizer step"), talk.errors().count("step of"))

    def test_evaluates(self):
        result = self.load("forward").ask("trial", id=1, micro_batch_size=4)
        self.assertEqual(result["outcome"], "ok")
        self.assertGreater(result["forward_seconds"], 0)
        self.assertNotIn("backward_seconds", result)
        self.assertNotIn("optimizer_seconds", result)

    def test_finds_the_scale_of_a_loss(self):
        result = self.load("scaled").ask("trial", id=1, micro_batch_size=1)
        self.assertEqual((result["outcome"], result["flags"]), ("ok", result["flags"]))
        self.assertNotIn("without all optimizer steps", result["flags"])

    def test_refuses_a_third_yield(self):
        for step in ("greedy", "joint_and_greedy"):
            result = self.load(step).ask("trial", id=1, micro_batch_size=1)
            self.assertEqual(result["outcome"], "failed")
            self.assertIn("no third time", result["text"])

    def test_refuses_what_is_no_step(self):
        for step, reason in (
            ("unfinished", "yields after forward and after backward"),
            ("shouting", "not 'Backward'"),
            ("later", "cannot be an async function"),
            ("leaving", "SystemExit: I quit"),
        ):
            with self.subTest(step):
                talk = self.load(step)
                for number in (1, 2):
                    result = talk.ask("trial", id=number, micro_batch_size=1)
                    self.assertEqual(result["outcome"], "failed")
                    self.assertIn(reason, result["text"])

    def test_evaluation_may_end_behind_forward(self):
        result = self.load("unfinished", phase="eval").ask("trial", id=1, micro_batch_size=1)
        self.assertEqual(result["outcome"], "ok")

    def test_tells_a_step_how_many_there_are_by_that_name(self):
        talk = self.load("counting")
        talk.ask("trial", id=1, micro_batch_size=1, min_steps=24, max_steps=24)
        talk.end()
        self.assertRegex(talk.errors(), "one of ([2-9]|1[0-9]|2[0-4])")

    def test_tells_failures_apart(self):
        talk = self.load()
        for size, outcome in ((9, "oom"), (14, "oom"), (15, "failed"), (16, "unsupported"), (8, "ok")):
            result = talk.ask("trial", id=size, micro_batch_size=size)
            self.assertEqual((result["id"], result["outcome"]), (size, outcome))
            self.assertNotIn("last", result)
            if size == 9:
                self.assertEqual(result["peak_reserved_bytes"], 4096 + (2 << 20))
            if outcome != "ok":
                self.assertEqual((result["steps"], result["micro_batch_size"]), (0, size))
                self.assertTrue(result["text"])

    def test_leaves_a_lost_device_to_a_fresh_process(self):
        requests = {
            "trial": {"micro_batch_size": 13},
            "compare": {"micro_batch_sizes": [8, 13], "visits": 1},
        }
        for kind, fields in requests.items():
            with self.subTest(kind):
                talk = self.load()
                talk.say(kind, id=1, **fields)
                self.assertTrue(talk.hear("error")["fatal"])
                self.assertEqual(talk.exit_code(), 42)

    def test_compares(self):
        talk = self.load("phased")
        result = talk.ask("compare", id=5, micro_batch_sizes=[8, 2, 4], visits=3, steps=2, untimed_steps=1)
        self.assertEqual(result["outcome"], "ok")
        self.assertNotIn("micro_batch_size", result)
        self.assertEqual([entry["micro_batch_size"] for entry in result["compared"]], [8, 2, 4])
        order = []
        for entry in result["compared"]:
            self.assertEqual(entry["peak_reserved_bytes"], 4096)
            self.assertEqual(len(entry["visits"]), 3)
            for visit in entry["visits"]:
                self.assertEqual(len(visit["step_seconds"]), 2)
                self.assertGreaterEqual(visit["seconds"], sum(visit["step_seconds"]))
                order.append((visit["clock"], entry["micro_batch_size"]))
        self.assertEqual([size for _, size in sorted(order)], [8, 2, 4, 4, 2, 8, 8, 2, 4])
        self.assertGreater(result["optimizer_seconds"], 0)

    def test_a_comparison_ends_with_a_size_that_does_not_fit(self):
        talk = self.load()
        result = talk.ask("compare", id=5, micro_batch_sizes=[8, 9], visits=2)
        self.assertEqual((result["outcome"], result["micro_batch_size"]), ("oom", 9))
        self.assertEqual(len(result["compared"]), 2)
        self.assertEqual(talk.ask("compare", id=6, micro_batch_sizes=[8, 7], visits=2)["outcome"], "ok")

    def test_cancels(self):
        endless = {"min_steps": 10**6, "max_steps": 10**6, "time_limit": 3600}
        requests = {
            "trial": {"micro_batch_size": 1, **endless},
            "compare": {"micro_batch_sizes": [1, 2], "visits": 10**6, "time_limit": 3600},
        }
        for kind, fields in requests.items():
            with self.subTest(kind):
                talk = self.load("phased")
                talk.say(kind, id=1, **fields)
                self.assertEqual(talk.next()["type"], "step")
                talk.say("cancel", id=1)
                self.assertEqual(talk.hear("result")["outcome"], "cancelled")

    def test_a_cancel_is_heard_between_micro_batches(self):
        talk = self.load("counting_slowly")
        talk.say("compare", id=1, micro_batch_sizes=[1, 2], visits=2, steps=10**5, time_limit=36000)
        while "one of 100000" not in talk.errors():
            self.assertEqual(running([talk.process.pid]), [talk.process.pid], talk.errors())
        talk.say("cancel", id=1)
        self.assertEqual(talk.hear("result")["outcome"], "cancelled")
        self.assertEqual(talk.ask("trial", id=2, micro_batch_size=1)["outcome"], "ok")

    def test_ends_in_time(self):
        talk = self.load()
        result = talk.ask(
            "trial", id=1, micro_batch_size=8, min_steps=10**6, max_steps=10**6, time_limit=0.3
        )
        self.assertEqual(result["outcome"], "timeout")
        self.assertGreater(result["steps"], 0)
        result = talk.ask("compare", id=2, micro_batch_sizes=[8, 7], visits=10**6, time_limit=0.3)
        self.assertEqual(result["outcome"], "timeout")
        # If there are as many steps as requested, the measurement counts.
        steps = {"min_steps": 3, "max_steps": 10**6, "min_seconds": 9}
        result = talk.ask("trial", id=3, micro_batch_size=8, time_limit=1, **steps)
        self.assertEqual(result["outcome"], "ok")

    def test_heartbeats(self):
        talk = self.start("whole")
        talk.say("hello", protocol=3, heartbeat_seconds=0.1)
        talk.hear("hello")
        for _ in range(3):
            talk.say("heartbeat")
            talk.hear("heartbeat")
        # A link that is cut reports no end of the input.
        self.assertEqual(talk.exit_code(), 0)

    def test_abandons(self):
        for step in ("whole", "phased"):
            result = self.load(step).ask("trial", id=1, micro_batch_size=8, min_steps=9, abandon_above=1e-9)
            self.assertEqual((result["outcome"], result["steps"]), ("ok", 3))
            self.assertIn("abandoned", result["flags"])

    def test_is_silent_of_version_2_where_the_parent_speaks_1(self):
        talk = self.load(protocol=1)
        result = talk.ask("trial", id=1, micro_batch_size=8)
        self.assertEqual(result["outcome"], "ok")
        self.assertNotIn("clock", result)
        talk.say("compare", id=2, micro_batch_sizes=[1, 2])
        self.assertFalse(talk.hear("error")["fatal"])

    def test_answers_with_the_highest_that_both_speak(self):
        for offered, spoken in ((1, 1), (2, 2), (3, 3), (4, 3)):
            self.assertEqual(self.start("whole").ask("hello", protocol=offered)["protocol"], spoken)

    def test_answers_nonsense_and_goes_on(self):
        talk = self.start("whole")
        lines = (
            b"help\n",
            b"[]\n",
            b"\xff\xfe\x00\n",
            b'{"type":"dance"}\n',
            b'{"type":["trial"]}\n',
            b'{"type":"trial","id":1}\n',
            b'{"type":"load","model":{}}\n',
            b"[" * 100000 + b"\n",
        )
        for line in lines:
            talk.say_line(line)
            self.assertFalse(talk.hear("error")["fatal"])
        talk.ask("hello", protocol=2)
        talk.ask("load", model={})
        for fields in ({}, {"micro_batch_size": 0}, {"micro_batch_size": "8"}, {"micro_batch_size": True}):
            talk.say("trial", id=1, **fields)
            self.assertFalse(talk.hear("error")["fatal"])
        for fields in ({}, {"micro_batch_sizes": []}, {"micro_batch_sizes": [1, None]}):
            talk.say("compare", id=1, **fields)
            self.assertFalse(talk.hear("error")["fatal"])
        for kind, fields in (("batch", {"samples": 4, "micro_batch_size": 2}), ("save", {"path": "/tmp/a"})):
            talk.say(kind, id=1, **fields)
            self.assertFalse(talk.hear("error")["fatal"])
        self.assertEqual(talk.ask("trial", id=2, micro_batch_size=1)["outcome"], "ok")

    def test_a_load_that_fails_ends_it(self):
        talk = self.start("whole")
        talk.ask("hello", protocol=2)
        talk.say("load", model={"family": "broken"})
        error = talk.hear("error")
        self.assertEqual((error["text"], error["fatal"]), ("ValueError: no such network", True))
        self.assertEqual(talk.exit_code(), 1)

    def test_ends_with_its_input(self):
        talk = self.load()
        talk.process.stdin.close()
        self.assertEqual(talk.exit_code(), 0)

    def test_measures_and_bounds_its_own_memory(self):
        mebibyte = 1 << 20
        talk = self.load("hungry", memory_limit_bytes=64 * mebibyte)
        fits = talk.ask("trial", id=1, micro_batch_size=32)
        self.assertEqual(fits["outcome"], "ok")
        # The kernel counts pages of a thread in batches of dozens.
        self.assertGreater(fits["peak_reserved_bytes"], 31 * mebibyte)
        self.assertLess(fits["peak_reserved_bytes"], 64 * mebibyte)
        self.assertEqual(talk.ask("trial", id=2, micro_batch_size=80)["outcome"], "oom")
        again = talk.ask("trial", id=3, micro_batch_size=8)
        self.assertEqual(again["outcome"], "ok")
        self.assertLess(again["peak_reserved_bytes"], 20 * mebibyte)

    def test_reads_the_processor(self):
        result = self.load().ask("trial", id=1, micro_batch_size=8, min_seconds=0.4)
        self.assertGreater(result["processor_share"], 0)
        self.assertLessEqual(result["processor_share"], 1)
        self.assertGreaterEqual(result["foreign_processors"], 0)
        self.assertIn("minor_page_faults_per_step", result)


if __name__ == "__main__":
    unittest.main()
