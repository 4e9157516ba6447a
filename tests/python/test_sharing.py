# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests processes that torchrun starts and that share a network, over gloo: their losses, their trials, and how they
fail.

It needs what `make setup-parity` installs."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from .talk import PACKAGE, Talk, running
from .test_transformers import GPT2, LLAMA, LORA, load_message

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node")
LOSSES = Path(__file__).with_name("losses_of_ranks.py")
SHARDED = {"sharding": "parameters", "shards": 2}
HAS_DEEPSPEED = importlib.util.find_spec("deepspeed") is not None
WITH_DEEPSPEED = (
    [({**SHARDED, "sharding_library": "deepspeed", "precision": "plain-bf16"}, "master weights")]
    if HAS_DEEPSPEED
    else []
)
# Rank 1 fails in micro-batches of 13 samples as if its device had no memory left, while the others reduce gradients.
# Every rank writes its process id.
WORKER = """
import importlib.util, os, sys
import torch
from batchpeak_trial import transformers, workload
if importlib.util.find_spec("peft"):
    import peft.tuners.lora.torchao
    peft.tuners.lora.torchao.is_torchao_available = lambda: False

open(os.path.join(sys.argv[1], os.environ["RANK"]), "w").write(str(os.getpid()))
loss_of = workload.Workload._loss

def failing(self, batch):
    if len(batch["input_ids"]) == 13 and os.environ["RANK"] == "1":
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 64 bytes.")
    return loss_of(self, batch)

workload.Workload._loss = failing
sys.exit(transformers.main(["--device", "cpu"]))
"""
needs_transformers = unittest.skipUnless(
    importlib.util.find_spec("transformers"), "transformers is not installed"
)


def losses(processes: int, requests: dict) -> dict:
    """Returns what losses_of_ranks.py has found."""
    command = [sys.executable, *((*TORCHRUN, str(processes)) if processes > 1 else ()), str(LOSSES)]
    run = subprocess.run(
        [*command, json.dumps(requests)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    if run.returncode:
        raise AssertionError(run.stderr)
    # Libraries print too.
    return json.loads(next(line for line in run.stdout.splitlines() if line.startswith('{"')))


@needs_transformers
class LossesTest(unittest.TestCase):
    """Several processes train as one process does with their samples."""

    WAYS = {
        "ddp": {},
        "ddp, layers recomputed": {"activation_checkpointing": True},
        "zero-1": {"sharding": "optimizer"},
        "fsdp2": {"sharding": "parameters"},
        "fsdp2, layers recomputed": {"sharding": "parameters", "activation_checkpointing": True},
        "fsdp2, gradients": {"sharding": "gradients"},
        "fsdp1": {"sharding": "parameters", "sharding_library": "fsdp1"},
        "fsdp1, gradients": {"sharding": "gradients", "sharding_library": "fsdp1"},
    }

    def assert_equal(self, found: dict, wanted: dict):
        self.assertEqual(len(found["losses"]), len(wanted["losses"]))
        for loss, other in zip(found["losses"], wanted["losses"]):
            self.assertAlmostEqual(loss, other, delta=1e-5)

    def test_are_those_of_one_process(self):
        for model in (GPT2, LLAMA):
            # The norm of the gradients is above 0.5, so they are clipped.
            base = load_message(model, max_gradient_norm=0.5)
            one = losses(1, {"one": base})["one"]
            self.assertGreater(one["losses"][0], one["losses"][-1] + 0.05)
            found = losses(2, {name: {**base, **fields} for name, fields in self.WAYS.items()})
            for name in self.WAYS:
                with self.subTest(name, family=model["family"]):
                    self.assert_equal(found[name], one)
            # Once in each of 4 optimizer steps, which have 2 micro-batches each.
            self.assertEqual(found["ddp"]["reductions"], [0] * 4)
            self.assertEqual(found["zero-1"]["reductions"], [0] * 4)

    def test_are_those_of_one_process_in_groups_that_shard_and_within_backward(self):
        base = load_message(GPT2)
        within = {"updates_in_backward": True}
        one = losses(1, {"plain": base, "within": {**base, **within}})
        ways = {
            "fsdp2": {"shards": 2},
            "fsdp1": {"shards": 2, "sharding_library": "fsdp1"},
            "within": {"shards": 4, **within},
        }
        four = losses(4, {name: {**base, "sharding": "parameters", **way} for name, way in ways.items()})
        for name, found in four.items():
            with self.subTest(name):
                self.assert_equal(found, one["within" if name == "within" else "plain"])

    def test_are_those_of_one_process_in_evaluation(self):
        base = load_message(GPT2, phase="eval")
        one = losses(1, {"one": base})["one"]
        for found in losses(2, {"ddp": base, "fsdp2": {**base, **SHARDED}}).values():
            self.assert_equal(found, one)

    @unittest.skipUnless(HAS_DEEPSPEED, "deepspeed is not installed")
    def test_are_those_of_one_process_with_deepspeed(self):
        base = load_message(GPT2, max_gradient_norm=0.5, begins_at_zero=True)
        one = losses(1, {"one": base})["one"]
        for sharding in ("optimizer", "gradients", "parameters"):
            with self.subTest(sharding):
                way = {"sharding": sharding, "sharding_library": "deepspeed"}
                self.assert_equal(losses(2, {"two": {**base, **way}})["two"], one)


class RankCase(unittest.TestCase):
    processes = 2

    def start(self) -> Talk:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        script = self.folder / "worker.py"
        script.write_text(WORKER)
        talk = Talk(*TORCHRUN, str(self.processes), str(script), str(self.folder))
        self.addCleanup(talk.end)
        self.hello = talk.ask("hello", protocol=3)
        self.pids = [int((self.folder / str(rank)).read_text()) for rank in range(self.processes)]
        return talk

    def trial(self, talk: Talk, size: int = 4, timeout: float = 120.0) -> dict:
        steps = {"min_steps": 4, "max_steps": 8, "min_seconds": 0.05, "time_limit": 60.0, "abandon_above": 0.0}
        return talk.ask("trial", timeout, id=1, micro_batch_size=size, **steps)

    def assert_ended(self, talk: Talk):
        talk.exit_code()
        self.assertEqual(running(self.pids, timeout=10.0), [])


@needs_transformers
class TrialsTest(RankCase):
    def test_runs_what_a_config_asks_for(self):
        talk = self.start()
        self.assertEqual(self.hello["processes"], 2)
        self.assertTrue(self.hello["framework"].endswith(", 2 processes"), self.hello)
        fsdp1 = {**SHARDED, "sharding_library": "fsdp1"}
        cases = {
            "ddp": ({}, True),
            "fp16": ({"precision": "fp16", "max_gradient_norm": 1.0}, True),
            "pure-bf16": ({"precision": "pure-bf16"}, True),
            "zero-1": ({"sharding": "optimizer", "shards": 2}, True),
            "fsdp2": (SHARDED, False),
            "fsdp2, gradients": ({"sharding": "gradients", "shards": 2}, False),
            "fsdp2, fp16": ({**SHARDED, "precision": "fp16", "max_gradient_norm": 1.0}, False),
            "fsdp2, pure-bf16": ({**SHARDED, "precision": "pure-bf16"}, False),
            "fsdp2, adapters": ({**SHARDED, "model": LLAMA, "tuning": LORA}, False),
            "fsdp1": (fsdp1, False),
            "fsdp1, fp16": ({**fsdp1, "precision": "fp16", "max_gradient_norm": 1.0}, False),
            "evaluation": ({"phase": "eval"}, False),
            "fsdp2, evaluation": ({**SHARDED, "phase": "eval"}, False),
        }
        for name, (fields, reduces) in cases.items():
            with self.subTest(name):
                model = fields.get("model", GPT2)
                talk.ask("load", **load_message(model, **{k: v for k, v in fields.items() if k != "model"}))
                result = self.trial(talk)
                self.assertEqual(result["outcome"], "ok", result.get("text"))
                self.assertGreaterEqual(result["steps"], 4)
                self.assertEqual(result["samples"], 4 * result["steps"])
                self.assertEqual("reduction_seconds" in result, reduces)
                self.assertEqual(result["flags"], [f for f in result["flags"] if f.startswith("disturbed")])
        result = talk.ask("compare", id=2, micro_batch_sizes=[2, 4], visits=2, steps=2)
        self.assertEqual((result["outcome"], len(result["compared"])), ("ok", 2))
        talk.ask("load", **load_message(GPT2))
        result = talk.ask("compare", id=3, micro_batch_sizes=[2, 4], visits=2, steps=2)
        self.assertEqual(result["outcome"], "ok")
        talk.say("training", data={"kind": "synthetic", "path": "", "samples": 64})
        talk.hear("training_ready")
        talk.say("batch", id=4, samples=7, micro_batch_size=2)
        batch = talk.hear("batch_result")
        self.assertEqual((batch["outcome"], batch["micro_batch_size"]), ("ok", 2), batch)
        talk.say("bye")
        self.assertEqual(talk.exit_code(), 0, talk.errors())
        self.assert_ended(talk)

    def test_says_what_differs_from_the_config(self):
        talk = self.start()
        loaded = talk.ask("load", **load_message(GPT2, sharding="parameters", shards=8))
        self.assertEqual(loaded["approximations"], ["sharding over fewer devices"])

    def test_refuses(self):
        for fields, words in (
            ({"updates_in_backward": True}, "FSDP2"),
            ({**SHARDED, "sharding_library": "horovod"}, "horovod"),
            ({"sharding": "everything"}, "everything"),
            *WITH_DEEPSPEED,
        ):
            with self.subTest(words):
                talk = self.start()
                talk.say("load", **load_message(GPT2, **fields))
                error = talk.hear("error")
                self.assertIn(words, error["text"])
                self.assertTrue(error["text"].endswith("."), error["text"])
                self.assert_ended(talk)

    @unittest.skipIf(HAS_DEEPSPEED, "deepspeed is installed")
    def test_says_how_to_install_deepspeed(self):
        talk = self.start()
        talk.say("load", **load_message(GPT2, **SHARDED, sharding_library="deepspeed"))
        self.assertRegex(talk.hear("error")["text"], "deepspeed. To install it: .*deepspeed")

    def test_measures_the_link(self):
        talk = self.start()
        talk.say("load", **load_message(GPT2, measure_link=True))
        link = talk.hear("loaded")["link"]
        self.assertEqual(link["processes"], 2)
        self.assertGreater(link["alpha_seconds"] + link["beta_seconds_per_byte"], 0)
        self.assertGreaterEqual(link["relative_error"], 0)


@needs_transformers
class FailuresTest(RankCase):
    processes = 3

    def test_memory_that_one_lacks_ends_the_size_for_all(self):
        for fields in ({}, {"sharding": "parameters", "shards": 3}):
            with self.subTest(fields):
                talk = self.start()
                talk.ask("load", **load_message(GPT2, **fields))
                self.assertEqual(self.trial(talk)["outcome"], "ok")
                result = self.trial(talk, size=13, timeout=10.0)
                self.assertEqual((result["outcome"], result["micro_batch_size"]), ("oom", 13))
                self.assertIn("rank 1", result["text"])
                self.assertTrue(result["last"])
                self.assertGreater(result["peak_reserved_bytes"], 0)
                self.assert_ended(talk)

    def test_one_that_is_killed_is_named(self):
        talk = self.start()
        talk.ask("load", **load_message(GPT2))
        endless = {"min_steps": 10**6, "max_steps": 10**6, "time_limit": 600.0}
        talk.say("trial", id=1, micro_batch_size=4, **endless)
        self.assertEqual(talk.next()["type"], "step")
        os.kill(self.pids[1], signal.SIGKILL)
        error = talk.hear("error", timeout=20.0)
        self.assertTrue(error["fatal"])
        self.assertEqual(error["text"], "In the process of rank 1: It has ended.")
        self.assert_ended(talk)

    def test_one_that_is_stopped_for_ever_ends_with_the_parent(self):
        talk = self.start()
        talk.ask("load", **load_message(GPT2, sharding="parameters", shards=3))
        talk.say("trial", id=1, micro_batch_size=4, min_steps=10**6, max_steps=10**6, time_limit=600.0)
        self.assertEqual(talk.next()["type"], "step")
        os.kill(self.pids[2], signal.SIGSTOP)
        time.sleep(0.5)
        talk.process.stdin.close()
        self.assertEqual(running(self.pids[:2], timeout=10.0), [])
        os.kill(self.pids[2], signal.SIGCONT)
        self.assert_ended(talk)


if __name__ == "__main__":
    unittest.main()
