# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the worker that runs networks with transformers, over the trial protocol.

It needs what `make setup-parity` installs."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .talk import PACKAGE, Talk

# As in tests/parity/fake_quantization.py: PEFT 0.21 requires a newer torchao, but no network here has its tensors.
WORKER = """
import importlib.util, sys
if importlib.util.find_spec("peft"):
    import peft.tuners.lora.torchao
    peft.tuners.lora.torchao.is_torchao_available = lambda: False
from batchpeak_trial import transformers
sys.exit(transformers.main(["--device", "cpu"]))
"""
DECODER = {"vocabulary_size": 101, "hidden_size": 64, "layers": 2, "heads": 4, "max_positions": 32}
GPT2 = {
    "family": "gpt2",
    **DECODER,
    "feed_forward_size": 256,
    "position_embedding": "learned",
    "normalization": "layernorm",
    "activation": "gelu_tanh",
    "tied_embeddings": True,
}
LLAMA = {
    "family": "llama",
    **DECODER,
    "key_value_heads": 2,
    "feed_forward_size": 88,
    "position_embedding": "rotary",
    "normalization": "rmsnorm",
    "activation": "swiglu",
    "tied_embeddings": False,
    "attention_bias": False,
    "attention_output_bias": False,
    "feed_forward_bias": False,
}
BERT = {"family": "bert", **DECODER, "feed_forward_size": 80}
VIT = {
    "family": "vit",
    "image_size": 32,
    "patch_size": 8,
    "hidden_size": 48,
    "layers": 2,
    "heads": 4,
    "feed_forward_size": 80,
    "classes": 11,
}
T5 = {
    "family": "t5",
    "vocabulary_size": 101,
    "hidden_size": 48,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "heads": 4,
    "head_size": 16,
    "feed_forward_size": 80,
    "activation": "relu",
}
RESNET = {"family": "resnet", "depth": 18, "image_size": 32, "classes": 11}
QUERY_VALUE = [{"projection": "query"}, {"projection": "value"}]
LORA = {"adapter": "lora", "rank": 4, "alpha": 8.0, "targets": QUERY_VALUE}
DORA = {**LORA, "adapter": "dora", "dropout": 0.1}


def load_message(model: dict, **fields) -> dict:
    return {
        "model": model,
        "phase": "train",
        "sequence_length": 32,
        "precision": "fp32",
        "optimizer": "adamw",
        "memory_limit_bytes": 0,
        "seed": 1,
        **fields,
    }


@unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
class TransformersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trials = 0
        cls.start()

    @classmethod
    def start(cls):
        cls.talk = Talk("-c", WORKER, environment={"OMP_NUM_THREADS": "1"})
        cls.hello = cls.talk.ask("hello", protocol=2)

    def setUp(self):
        # One process for all tests: a load replaces the previous one, as in an exploration.
        if self.talk.process.poll() is not None:
            self.talk.end()
            self.start()

    @classmethod
    def tearDownClass(cls):
        cls.talk.say("bye")
        code = cls.talk.exit_code()
        cls.talk.end()
        if code != 0:
            raise AssertionError("The program ended with %d: %s" % (code, cls.talk.errors()))

    def load(self, model: dict, **fields) -> dict:
        return self.talk.ask("load", **load_message(model, **fields))

    def refusal(self, model: dict, **fields) -> str:
        self.talk.say("load", **load_message(model, **fields))
        error = self.talk.hear("error")
        self.assertFalse(error["fatal"])
        self.assertTrue(error["text"].endswith("."), error["text"])
        return error["text"]

    def trial(self, size: int = 4, **fields) -> dict:
        type(self).trials += 1
        request = {"id": self.trials, "micro_batch_size": size, "time_limit": 60.0, "abandon_above": 0.0}
        steps = {"min_steps": 4, "max_steps": 8, "min_seconds": 0.05}
        result = self.talk.ask("trial", **{**request, **steps, **fields})
        self.assertEqual(result["id"], self.trials)
        return result

    def assert_whole(self, result: dict, size: int = 4, trains: bool = True) -> None:
        """Checks every field that the protocol requires of a successful trial."""
        self.assertEqual(result["outcome"], "ok", result.get("text"))
        self.assertEqual(result["micro_batch_size"], size)
        self.assertGreaterEqual(result["steps"], 4)
        self.assertEqual(len(result["step_seconds"]), result["steps"])
        self.assertEqual(result["samples"], size * result["steps"])
        self.assertTrue(all(seconds > 0 for seconds in result["step_seconds"]))
        for name in ("seconds_per_step", "wall_seconds", "clock", "forward_seconds", "relative_error"):
            self.assertGreater(result[name], 0, name)
        for name in ("peak_allocated_bytes", "peak_reserved_bytes", "alloc_retries"):
            self.assertIsInstance(result[name], int)
        for name in ("processor_share", "foreign_processors", "minor_page_faults_per_step"):
            self.assertGreaterEqual(result[name], 0, name)
        self.assertNotIn("energy_joules", result)
        self.assertIsInstance(result["flags"], list)
        if trains:
            self.assertGreater(result["backward_seconds"], 0)
            self.assertGreater(result["optimizer_seconds"], 0)
            self.assertLess(
                abs(result["forward_seconds"] + result["backward_seconds"] - result["seconds_per_step"]),
                0.5 * result["seconds_per_step"],
            )
        else:
            self.assertNotIn("backward_seconds", result)
            self.assertNotIn("optimizer_seconds", result)

    def test_greets(self):
        self.assertEqual(self.hello["protocol"], 2)
        self.assertRegex(self.hello["program"], r"^batchpeak_trial\.transformers \d")
        self.assertRegex(self.hello["framework"], r"^torch \S+, transformers \S+$")
        device = self.hello["device"]
        self.assertEqual(device["kind"], "cpu")
        self.assertGreater(device["total_bytes"], device["free_bytes"])
        self.assertGreater(device["free_bytes"], 0)

    def test_runs_families(self):
        cases = {
            "GPT-2": (GPT2, {}),
            "LLaMA with LoRA": (LLAMA, {"tuning": LORA}),
            "LLaMA with DoRA": (LLAMA, {"tuning": DORA}),
            "BERT": (BERT, {}),
            "ViT": (VIT, {}),
            "T5": (T5, {"decoder_sequence_length": 16}),
        }
        for name, (model, fields) in cases.items():
            with self.subTest(name):
                loaded = self.load(model, **fields)
                self.assertGreater(loaded["parameters"], 10000)
                self.assertGreater(loaded["limit_bytes"], loaded["baseline_bytes"])
                self.assertNotIn("approximations", loaded)
                self.assert_whole(self.trial())

    def test_counts_adapters(self):
        whole = self.load(LLAMA)["parameters"]
        # Adapters of rank 4 for queries, 64 to 64, and values, 64 to 32, in each of two layers.
        self.assertEqual(self.load(LLAMA, tuning=LORA)["parameters"], whole + 2 * 4 * (64 + 64 + 64 + 32))
        self.assertEqual(self.load(LLAMA, tuning=DORA)["parameters"], whole + 2 * (4 * 224 + 64 + 32))

    def test_compares(self):
        self.load(GPT2)
        result = self.talk.ask(
            "compare", id=900, micro_batch_sizes=[4, 6], visits=2, steps=3, untimed_steps=1, time_limit=60.0
        )
        self.assertEqual(result["outcome"], "ok", result.get("text"))
        self.assertGreater(result["optimizer_seconds"], 0)
        for entry in result["compared"]:
            self.assertEqual(len(entry["visits"]), 2)
            self.assertGreaterEqual(entry["peak_reserved_bytes"], 0)
            for visit in entry["visits"]:
                self.assertEqual(len(visit["step_seconds"]), 3)
                self.assertGreaterEqual(visit["seconds"], sum(visit["step_seconds"]))

    def test_evaluates(self):
        self.load(GPT2, phase="eval")
        self.assert_whole(self.trial(), trains=False)

    def test_precisions(self):
        for precision in ("tf32", "bf16", "plain-bf16", "pure-bf16", "fp16", "plain-fp16", "pure-fp16"):
            with self.subTest(precision):
                loaded = self.load(GPT2, precision=precision, max_gradient_norm=1.0)
                self.assertEqual("approximations" in loaded, precision.startswith("pure"))
                self.assert_whole(self.trial())

    def test_optimizers(self):
        for fields in (
            {"optimizer": "sgd"},
            {"optimizer": "sgd", "momentum": False},
            {"optimizer": "adamw", "adamw_step": "operations"},
            {"optimizer": "adafactor"},
        ):
            with self.subTest(fields):
                self.load(GPT2, **fields)
                self.assert_whole(self.trial())

    def test_updates_in_backward(self):
        cases = ({}, {"optimizer": "sgd"}, {"precision": "plain-bf16"}, {"activation_checkpointing": True})
        for fields in cases:
            with self.subTest(fields):
                # Gradients are not kept between steps.
                held = [
                    self.load(GPT2, updates_in_backward=is_within, **fields)["baseline_bytes"]
                    for is_within in (False, True)
                ]
                self.assertLess(held[1], held[0])
                self.assert_whole(self.trial())

    def test_optimizers_of_bitsandbytes(self):
        for optimizer in ("adamw-8bit", "adamw-32bit", "lion", "lion-8bit"):
            with self.subTest(optimizer):
                self.talk.say("load", **load_message(GPT2, optimizer=optimizer))
                answer = self.talk.next()
                # They run only on some devices, and report it on others.
                if answer["type"] == "error":
                    self.assertIn("does not run on this device", answer["text"])
                else:
                    self.assert_whole(self.trial())

    def test_checkpoints_activations(self):
        for model, fields in ((GPT2, {}), (LLAMA, {"tuning": LORA}), (T5, {}), (VIT, {})):
            self.load(model, activation_checkpointing=True, **fields)
            self.assert_whole(self.trial())

    def test_attention_kernels(self):
        for attention in ("math", "flash", "memory-efficient", "cudnn"):
            loaded = self.load(LLAMA, attention=attention)
            found = ["attention that is not run here"] if attention == "flash" else []
            self.assertEqual(loaded.get("approximations", []), found)
            result = self.trial()
            self.assert_whole(result)
            self.assertEqual(result["attention"], "math" if attention == "math" else "sdpa")

    def test_tunings(self):
        names = ("query", "key", "value", "attention_output", "gate", "up", "down")
        every = [{"projection": name} for name in names]
        cases = {
            "all matrices": (LLAMA, {**LORA, "targets": every}),
            "one layer": (LLAMA, {**LORA, "targets": [{"projection": "query", "layers": [1]}]}),
            "rank-stabilized": (LLAMA, {**LORA, "rank_stabilized": True}),
            "a trained output": (LLAMA, {**LORA, "trained_parts": ["output."]}),
            "a trained embedding": (LLAMA, {**LORA, "trained_parts": ["embed_tokens."]}),
            "the last layer": (GPT2, {"adapter": "none", "trained_parts": ["layers.1.", "final_norm."]}),
            "fused matrices": (GPT2, {**LORA, "targets": [{"projection": "query_key_value"}]}),
            "T5": (T5, {**LORA, "targets": QUERY_VALUE + [{"projection": "cross_query"}]}),
            "ViT": (VIT, {**LORA, "trained_parts": ["output."]}),
            "BERT": (BERT, {**LORA, "targets": QUERY_VALUE + [{"projection": "dense"}]}),
            "a base in bf16": (LLAMA, {**LORA, "frozen_weights": "bf16"}),
        }
        for name, (model, tuning) in cases.items():
            with self.subTest(name):
                self.load(model, tuning=tuning, precision="bf16" if "bf16" in name else "fp32")
                self.assert_whole(self.trial())

    def test_quantized_bases(self):
        for frozen in ("nf4", "int8"):
            with self.subTest(frozen):
                self.load(LLAMA, tuning={**LORA, "frozen_weights": frozen}, precision="bf16")
                self.assert_whole(self.trial())

    @unittest.skipUnless(importlib.util.find_spec("torchvision"), "torchvision is not installed")
    def test_residual_networks(self):
        self.load(RESNET, channels_last=True)
        self.assert_whole(self.trial())

    def test_names_approximations(self):
        loaded = self.load(GPT2, loss_chunk_rows=64, sample_lengths=[8, 16, 32], packed_text_length=8)
        self.assertEqual(len(loaded["approximations"]), 3)
        for phrase in loaded["approximations"]:
            self.assertLessEqual(len(phrase), 120)

    def test_refuses(self):
        for model, fields, words in (
            ({"family": "btlm"}, {}, "BTLM"),
            ({**GPT2, "position_embedding": "alibi"}, {}, "alibi"),
            (GPT2, {"precision": "int3"}, "precision"),
            (GPT2, {"optimizer": "shampoo"}, "shampoo"),
            (GPT2, {"sharding": "parameters", "shards": 8}, "several devices"),
            (GPT2, {"updates_in_backward": True, "max_gradient_norm": 1.0}, "clipped"),
            (GPT2, {"updates_in_backward": True, "precision": "fp16"}, "scaled"),
            (GPT2, {"optimizer_on_host": True}, "host"),
            (GPT2, {"tuning": LORA}, "query"),
            (GPT2, {"tuning": {"trained_parts": ["no.such."]}}, "no.such."),
            (LLAMA, {"tuning": {**LORA, "frozen_weights": "torchao-nf4"}}, "torchao"),
            (LLAMA, {"tuning": {"fake_quantized_weights": "int4"}}, "Quantization-aware"),
            (RESNET, {"activation_checkpointing": True}, "checkpointing"),
        ):
            with self.subTest(words):
                self.assertIn(words, self.refusal(model, **fields))
        self.load(GPT2)
        self.assert_whole(self.trial())

    def test_a_network_that_does_not_fit(self):
        loaded = self.load(GPT2, memory_limit_bytes=1 << 20)
        self.assertGreater(loaded["baseline_bytes"], loaded["limit_bytes"])
        result = self.trial()
        self.assertEqual((result["outcome"], result["steps"]), ("oom", 0))
        self.assertGreaterEqual(result["peak_reserved_bytes"], loaded["baseline_bytes"])

    def test_a_size_that_does_not_fit(self):
        loaded = self.load(GPT2, memory_limit_bytes=256 << 20)
        self.assertEqual(loaded["limit_bytes"], 256 << 20)
        large = self.trial(4096)
        self.assertEqual(large["outcome"], "oom", large.get("text"))
        self.assertNotIn("refused_host_bytes", large)
        self.assertGreater(large["peak_reserved_bytes"], 100 << 20)
        self.assert_whole(self.trial(8), 8)
        self.assert_whole(self.trial(32), 32)

    def test_peaks_grow_with_the_size(self):
        self.load(GPT2)
        small, large = (self.trial(size)["peak_reserved_bytes"] for size in (16, 256))
        # The logits of 240 further samples of 32 tokens already take 3 MB.
        self.assertGreater(large, small + (3 << 20))

    def test_is_cancelled(self):
        self.load(GPT2)
        self.talk.say("trial", id=901, micro_batch_size=4, min_steps=10**6, max_steps=10**6, time_limit=600)
        self.assertEqual(self.talk.next()["type"], "step")
        self.talk.say("cancel", id=901)
        self.assertEqual(self.talk.hear("result")["outcome"], "cancelled")


@unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
class CompiledTest(unittest.TestCase):
    """Each test runs in its own process, since torch keeps what it has compiled."""

    def worker(self, environment: dict) -> Talk:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = {"OMP_NUM_THREADS": "1", "TORCHINDUCTOR_CACHE_DIR": folder.name, **environment}
        talk = Talk("-c", WORKER, environment=environment)
        self.addCleanup(talk.end)
        talk.ask("hello", protocol=2)
        return talk

    @unittest.skipUnless(shutil.which("g++"), "there is no C++ compiler")
    def test_runs_each_size(self):
        talk = self.worker({})
        loaded = talk.ask("load", 300.0, **load_message(GPT2, compilation="default"))
        self.assertNotIn("approximations", loaded)
        for number, size in enumerate((2, 3, 2)):
            steps = {"min_steps": 4, "max_steps": 8, "min_seconds": 0.05, "time_limit": 300.0}
            result = talk.ask("trial", 300.0, id=number, micro_batch_size=size, abandon_above=0.0, **steps)
            self.assertEqual(result["outcome"], "ok", result.get("text"))

    @unittest.skipUnless(shutil.which("g++"), "there is no C++ compiler")
    def test_knows_every_mode(self):
        for mode in ("reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"):
            with self.subTest(mode):
                talk = self.worker({})
                talk.ask("load", 300.0, **load_message(GPT2, compilation=mode))
                steps = {"min_steps": 1, "max_steps": 1, "min_seconds": 0.0, "time_limit": 300.0}
                result = talk.ask("trial", 300.0, id=1, micro_batch_size=2, abandon_above=0.0, **steps)
                self.assertEqual(result["outcome"], "ok", result.get("text"))

    def test_says_what_the_compiler_lacks(self):
        talk = self.worker({"CXX": "/no/compiler"})
        talk.say("load", **load_message(GPT2, compilation="default"))
        text = talk.hear("error", 300.0)["text"]
        self.assertRegex(text, r"^torch\.compile does not run this network here \(.*\)\. Install .*\.$")


class DescriptionTest(unittest.TestCase):
    def test_says_what_there_is_without_importing_it(self):
        program = "import sys; from batchpeak_trial import transformers as t; t.main(['--describe'])"
        program += "; assert 'torch' not in sys.modules"
        run = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=PACKAGE
        )
        described = json.loads(run.stdout)
        libraries = {"torch", "transformers", "peft", "trl", "bitsandbytes"}
        others = {"python", "version", "devices", "unused_devices", "problem", "lacks"}
        self.assertEqual(described.keys(), libraries | others)
        self.assertEqual(described["devices"][-1]["kind"], "cpu")
        self.assertEqual((described["problem"], described["lacks"]), ("", {}))

    def test_says_how_to_get_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "bare.py")
            # A Python with only its standard library.
            script.write_text(
                "import sys\n"
                "sys.path[:] = [p for p in sys.path if 'site-packages' not in p]\n"
                "from batchpeak_trial import transformers\n"
                "sys.exit(transformers.main(['--device', 'cpu']))\n"
            )
            talk = Talk(str(script))
            self.addCleanup(talk.end)
            error = talk.hear("error")
            self.assertTrue(error["fatal"])
            self.assertRegex(error["text"], "^.* has no torch and no transformers. To install them: .*$")
            self.assertEqual(talk.exit_code(), 1)


if __name__ == "__main__":
    unittest.main()
