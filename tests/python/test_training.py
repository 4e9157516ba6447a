# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests whole batches of a script's own steps, as a confirmation run requests them."""

from __future__ import annotations

import sys
import tempfile
import time
import unittest
from pathlib import Path

from .talk import PACKAGE, Talk

sys.path.insert(0, str(PACKAGE))

from batchpeak_trial.training import even_spread  # noqa: E402  (the path comes first)

# Up to 8 samples fit, and 7 fail in the optimizer step. Making samples takes long.
SCRIPT = """
import sys, time
from batchpeak_trial import serve

def phased(micro_batch_size, count):
    print("forward of", micro_batch_size, "of", count)
    if micro_batch_size > 8:
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 MiB.")
    time.sleep(0.002)
    yield
    time.sleep(0.004)
    yield
    print("optimizer step")
    if micro_batch_size == 7:
        raise RuntimeError("the optimizer's own trouble")
    time.sleep(0.01)

def whole(micro_batch_size):
    time.sleep(0.002)

def prepare(micro_batch_size):
    print("samples for", micro_batch_size)
    time.sleep(0.25)

def recover():
    print("recovered")

sys.exit(serve(globals()[sys.argv[1]], recover=recover, prepare=prepare, peak_bytes=lambda: 4096,
               load=lambda request: {"tokens_per_sample": 32}))
"""
SYNTHETIC = {"kind": "synthetic", "path": "", "samples": 64}


class EvenSpreadTest(unittest.TestCase):
    def test_is_as_in_batchpeak(self):
        rows = {
            (10, 4): [4, 3, 3],
            (8, 4): [4, 4],
            (1, 4): [1],
            (7, 7): [7],
            (9, 8): [5, 4],
        }
        for (samples, largest), sizes in rows.items():
            with self.subTest(samples=samples, largest=largest):
                self.assertEqual(even_spread(samples, largest), sizes)


class TrainingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = Path(folder.name, "train.py")
        self.script.write_text(SCRIPT)

    def load(self, step: str = "phased", **fields) -> Talk:
        talk = Talk(str(self.script), step)
        self.addCleanup(talk.end)
        talk.ask("hello", protocol=2)
        talk.ask("load", model={"family": "own"}, **fields)
        return talk

    def train(self, step: str = "phased") -> Talk:
        talk = self.load(step)
        talk.say("training", data=SYNTHETIC)
        talk.hear("training_ready")
        return talk

    def batch(self, talk: Talk, samples: int, micro_batch_size: int, id: int = 1, **fields) -> dict:
        talk.say("batch", id=id, samples=samples, micro_batch_size=micro_batch_size, **fields)
        return talk.hear("batch_result")

    def test_is_ready_with_so_many_samples(self):
        talk = self.load()
        talk.say("training", data=SYNTHETIC)
        ready = {"type": "training_ready", "samples": 64, "tokens_per_sample": 32}
        self.assertEqual(talk.hear("training_ready"), ready)

    def test_takes_a_batch_in_micro_batches_of_two_sizes_and_one_optimizer_step(self):
        talk = self.train()
        result = self.batch(talk, samples=10, micro_batch_size=4)
        self.assertEqual((result["id"], result["outcome"], result["micro_batch_size"]), (1, "ok", 4))
        self.assertEqual(result["peak_reserved_bytes"], 4096)
        self.assertGreaterEqual(result["optimizer_seconds"], 0.01)
        self.assertNotIn("loss", result)
        talk.end()
        said = [line for line in talk.errors().splitlines() if not line.startswith("samples")]
        steps = ["forward of 4 of 3", "forward of 3 of 3", "forward of 3 of 3", "optimizer step"]
        self.assertEqual(said, steps)

    def test_times_steps_without_the_making_of_samples(self):
        talk = self.train()
        begin = time.monotonic()
        result = self.batch(talk, samples=10, micro_batch_size=4)
        wall = time.monotonic() - begin
        self.assertGreaterEqual(result["seconds"], 3 * 0.006 + 0.01)
        talk.say("trial", id=2, micro_batch_size=4)
        talk.hear("error")
        talk.end()
        made = [line for line in talk.errors().splitlines() if line.startswith("samples")]
        # Samples are made once for each size of a batch, and their time does not count, however busy the computer is.
        self.assertEqual(made, ["samples for 4", "samples for 3"])
        self.assertLess(result["seconds"], wall - 2 * 0.25)

    def test_a_batch_that_does_not_fit_can_be_tried_again(self):
        talk = self.train()
        self.assertEqual(self.batch(talk, samples=9, micro_batch_size=9)["outcome"], "oom")
        self.assertEqual(self.batch(talk, samples=9, micro_batch_size=8)["outcome"], "ok")
        talk.end()
        self.assertIn("recovered", talk.errors())

    def test_a_failure_of_the_optimizer_ends_the_program(self):
        talk = self.train()
        result = self.batch(talk, samples=7, micro_batch_size=7)
        self.assertEqual((result["outcome"], result.get("last")), ("failed", True))
        self.assertEqual(talk.exit_code(), 43)

    def test_a_cancel_is_heard_between_micro_batches(self):
        talk = self.train()
        talk.say("batch", id=1, samples=100000, micro_batch_size=1)
        step = talk.next()
        self.assertEqual((step["type"], step["id"]), ("step", 1))
        talk.say("cancel", id=1)
        self.assertEqual(talk.hear("batch_result")["outcome"], "cancelled")
        self.assertEqual(self.batch(talk, samples=4, micro_batch_size=2, id=2)["outcome"], "ok")
        talk.end()
        self.assertIn("recovered", talk.errors())

    def test_a_step_in_one_piece_takes_single_micro_batches(self):
        talk = self.train("whole")
        self.assertEqual(self.batch(talk, samples=8, micro_batch_size=8)["outcome"], "ok")
        result = self.batch(talk, samples=8, micro_batch_size=4)
        self.assertEqual(result["outcome"], "unsupported")
        self.assertIn("yield", result["text"])

    def test_refuses_what_it_cannot_do(self):
        requests = {
            "a text": {"data": {"kind": "text", "path": "/tmp/a.txt"}},
            "no data": {},
            "data that is no object": {"data": "synthetic"},
            "no samples": {"data": {"kind": "synthetic", "samples": 0}},
            "a checkpoint": {"data": SYNTHETIC, "checkpoint": "/tmp/tensors.safetensors"},
        }
        talk = self.load()
        for name, request in requests.items():
            with self.subTest(name):
                talk.say("training", **request)
                self.assertFalse(talk.hear("error")["fatal"])
                talk.ask("load", model={"family": "own"})
        talk.say("training", data=SYNTHETIC)
        talk.hear("training_ready")
        result = self.batch(talk, samples=4, micro_batch_size=2, phase="eval")
        self.assertEqual(result["outcome"], "unsupported")
        talk.say("save", id=9, path="/tmp/tensors.safetensors")
        saved = talk.hear("saved")
        self.assertEqual((saved["id"], saved["bytes"]), (9, 0))
        self.assertRegex(saved["problem"], r"^This program .*\.$")


if __name__ == "__main__":
    unittest.main()
