# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests networks that the text of a config.json describes, and how invalid texts are refused.

It needs what `make setup-parity` installs."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import unittest
from unittest import mock

from .configured_cases import DECODERS, OTHERS
from .talk import PACKAGE, Talk
from .test_transformers import GPT2, LORA, WORKER, load_message

sys.path.insert(0, str(PACKAGE))

try:
    import torch
    import transformers
    from batchpeak_trial import configured_networks
    from batchpeak_trial.adapters import tune
    from batchpeak_trial.configured_samples import ConfiguredSamples
    from batchpeak_trial.serving import Refusal
    from batchpeak_trial.workload import Workload
except ImportError as error:  # without transformers there is nothing to build
    raise unittest.SkipTest(str(error)) from error

# As in test_transformers.
if importlib.util.find_spec("peft"):
    import peft.tuners.lora.torchao

    peft.tuners.lora.torchao.is_torchao_available = lambda: False

OLMO = DECODERS["OLMo 2"]


def model_of(config) -> dict:
    return {"family": "transformers", "config": config if isinstance(config, str) else json.dumps(config)}


def request_of(config, **fields) -> dict:
    return load_message(model_of(config), **{"sequence_length": 16, **fields})


def workload(config, **fields) -> Workload:
    return Workload(request_of(config, **fields), torch.device("cpu"))


class ConfiguredNetworksTest(unittest.TestCase):
    def take_step(self, made: Workload) -> None:
        before = {name: part.detach().clone() for name, part in made._module.named_parameters()}
        self.assertTrue(torch.isfinite(made._loss(made._batches.of(2))).item())
        self.assertEqual(sum(1 for _ in made.step(2, 1)), 2)
        moved = [not torch.equal(before[name], part) for name, part in made._module.named_parameters()]
        self.assertTrue(any(moved))

    def test_decoders_take_steps(self):
        for name, config in DECODERS.items():
            with self.subTest(name):
                made = workload(config, max_gradient_norm=1.0)
                self.take_step(made)
                counted = configured_networks.count_parameters(configured_networks.described(model_of(config)))
                self.assertEqual(counted, made.parameters)
                self.assertEqual(made.approximations, [])
            with self.subTest(name + " in bf16, checkpointing"):
                self.take_step(workload(config, precision="bf16", activation_checkpointing=True))

    def test_have_adapters_beside_parameters(self):
        tuning = {**LORA, "target_modules": ["q_proj"], "target_parameters": ["mlp.experts.gate_up_proj"]}
        made = workload(DECODERS["GPT-OSS"], tuning=tuning)
        self.take_step(made)
        trained = [name for name, part in made._module.named_parameters() if part.requires_grad]
        self.assertTrue(any("experts" in name for name in trained))
        self.assertTrue(any("q_proj" in name for name in trained))
        alone = workload(DECODERS["GPT-OSS"], tuning={**tuning, "targets": [], "target_modules": []})
        trained = [name for name, part in alone._module.named_parameters() if part.requires_grad]
        self.assertTrue(trained and all("experts" in name for name in trained))

    def test_train_parameters_by_name(self):
        made = workload(OLMO, tuning={"trained_parameters": [r"lm_head\.weight", r"model\.layers\.1\."]})
        trained = {name for name, part in made._module.named_parameters() if part.requires_grad}
        self.assertTrue(all(name.startswith(("lm_head.", "model.layers.1.")) for name in trained))
        self.assertIn("lm_head.weight", trained)
        self.take_step(made)
        with self.assertRaisesRegex(Refusal, "no parameter"):
            workload(OLMO, tuning={"trained_parameters": ["nothing"]})

    def test_are_those_that_transformers_makes(self):
        config = transformers.Olmo2Config(**{key: OLMO[key] for key in OLMO if key != "model_type"})
        with torch.device("meta"):
            theirs = transformers.Olmo2ForCausalLM(config)
        ours = workload(OLMO)._module
        self.assertIs(type(ours), type(theirs))
        shapes = [{name: part.shape for name, part in m.named_parameters()} for m in (ours, theirs)]
        self.assertEqual(*shapes)

    def test_other_networks_take_steps(self):
        for name, (config, class_name) in OTHERS.items():
            with self.subTest(name):
                made = workload(config, decoder_sequence_length=8)
                self.assertEqual(type(made._module).__name__, class_name)
                self.take_step(made)

    def test_inputs_are_what_classes_take(self):
        expected = {
            "Gemma 3": {"input_ids": (3, 16), "attention_mask": (3, 16), "labels": (3, 16)},
            "BART": {"input_ids": (3, 16), "attention_mask": (3, 16), "labels": (3, 8)},
            "RoBERTa that classifies": {"input_ids": (3, 16), "attention_mask": (3, 16), "labels": (3,)},
            "ConvNeXt": {"pixel_values": (3, 3, 32, 32), "labels": (3,)},
        }
        for name, shapes in expected.items():
            with self.subTest(name):
                made = workload(OTHERS[name][0], decoder_sequence_length=8)
                batch = made._batches.of(3)
                self.assertEqual({key: tuple(part.shape) for key, part in batch.items()}, shapes)

    def test_texts_alone_are_an_approximation(self):
        made = workload(OTHERS["Gemma 3"][0])
        self.assertEqual(made.approximations, ["no images in the samples"])
        tokens = ConfiguredSamples(made._configured, made._module, made.request).tokens(64, 64)
        for special in (100, 101, 102):
            self.assertFalse((tokens == special).any())
        self.assertEqual(tokens.max().item(), 127)

    def test_masks_some_tokens(self):
        labels = workload(OTHERS["ModernBERT"][0])._batches.of(4)["labels"]
        self.assertEqual(((labels != -100).sum(1)).tolist(), [2] * 4)

    def test_attention_is_what_was_asked_for(self):
        self.assertEqual(workload(OLMO, attention="math").attention, "math")
        self.assertEqual(workload(OLMO).attention, "sdpa")

    def test_flash_attention_is_the_library_where_it_is_there(self):
        others = ["attention that is not run here"]
        wanted = mock.patch.object(Workload, "_takes_flash_attention", return_value=True)
        # flash-attn is not installed, so this is like a class that does not support it.
        with wanted:
            for made in (
                workload(OLMO, attention="flash"),
                Workload(load_message(GPT2, attention="flash"), torch.device("cpu")),
            ):
                self.assertEqual((made.attention, made.approximations), ("sdpa", others))
        asked = []
        with wanted, mock.patch.object(Workload, "_built_with", side_effect=asked.append):
            with self.assertRaises(AttributeError):
                workload(OLMO, attention="flash")
        self.assertEqual(asked, ["flash_attention_2"])

    def test_rewards(self):
        made = workload(OLMO, preference="reward")
        self.assertEqual(type(made._module).__name__, "Olmo2ForSequenceClassification")
        self.assertEqual(made._module.config.num_labels, 1)
        self.take_step(made)


class ConfiguredAdaptersTest(unittest.TestCase):
    def targets(self, config, **tuning) -> set:
        made = workload(config, tuning={**LORA, **tuning})
        modules = [name for name, part in made._module.named_modules() if hasattr(part, "lora_A")]
        self.assertEqual(sum(1 for _ in made.step(2, 1)), 2)
        return {name.rpartition(".")[2] for name in modules}

    def test_kinds_of_projections_are_found_by_their_names(self):
        kinds = ("query", "key", "value", "attention_output", "gate", "up", "down")
        every = [{"projection": kind} for kind in kinds]
        attention = {"q_proj", "k_proj", "v_proj", "o_proj"}
        self.assertEqual(self.targets(OLMO), {"q_proj", "v_proj"})
        self.assertEqual(
            self.targets(OLMO, targets=every), attention | {"gate_proj", "up_proj", "down_proj"}
        )
        # MLA has these instead of a query, and instead of keys and values.
        self.assertEqual(self.targets(DECODERS["DeepSeek-V3"]), {"q_b_proj", "kv_b_proj"})
        # A fused matrix is the target for each of its projections.
        self.assertEqual(self.targets(OTHERS["ModernBERT"][0]), {"Wqkv"})
        self.assertEqual(self.targets(OTHERS["BART"][0]), {"q_proj", "v_proj"})
        self.assertEqual(self.targets(OTHERS["RoBERTa that classifies"][0]), {"query", "value"})

    def test_layers_are_heeded(self):
        made = workload(OLMO, tuning={**LORA, "targets": [{"projection": "query", "layers": [1]}]})
        modules = [name for name, part in made._module.named_modules() if hasattr(part, "lora_A")]
        self.assertEqual([name.rpartition("model.")[2] for name in modules], ["layers.1.self_attn.q_proj"])

    def test_names_go_to_peft_as_they_are(self):
        every = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}
        self.assertEqual(self.targets(OLMO, target_modules=["o_proj"]), {"o_proj"})
        self.assertEqual(self.targets(OLMO, target_modules=["all-linear"]), every)
        self.assertEqual(self.targets(OLMO, targets=[{"projection": "all_linear"}]), every)
        self.assertEqual(self.targets(OLMO, target_modules=r".*layers\.0\..*(up|down)_proj"), {"up_proj", "down_proj"})
        made = workload(OLMO, tuning={**LORA, "modules_to_save": ["embed_tokens"]})
        trained = [name for name, part in made._module.named_parameters() if part.requires_grad]
        self.assertTrue(any("embed_tokens.modules_to_save" in name for name in trained))

    def test_the_precision_is_that_of_the_load(self):
        # The checkpoint has another precision.
        made = workload(DECODERS["GPT-OSS"], tuning=LORA)
        self.assertEqual({part.dtype for part in made._module.parameters()}, {torch.float32})

    def test_a_quantized_base(self):
        if not importlib.util.find_spec("bitsandbytes"):
            self.skipTest("bitsandbytes is not installed")
        made = workload(OLMO, tuning={**LORA, "frozen_weights": "nf4"}, precision="bf16")
        kinds = {type(part).__name__ for part in made._module.modules()}
        self.assertIn("Linear4bit", kinds)
        with self.assertRaisesRegex(Refusal, "stacked experts"):
            tuning = {**LORA, "frozen_weights": "nf4", "quantize_experts": True}
            workload(DECODERS["GPT-OSS"], tuning=tuning, precision="bf16")

    def test_refusals_name_the_modules_that_there_are(self):
        for tuning in ({"targets": [{"projection": "query"}]}, {"target_modules": ["q_proj"]}):
            with self.subTest(tuning), self.assertRaises(Refusal) as refused:
                module = workload(DECODERS["Mamba 2"])._module
                tune(module, model_of(DECODERS["Mamba 2"]), {**LORA, **tuning}, torch.device("cpu"))
            self.assertIn("in_proj, lm_head, out_proj", str(refused.exception))


class HostileConfigsTest(unittest.TestCase):
    """Sends hostile configs as Batchpeak would: each is refused with a sentence, and the program continues."""

    @classmethod
    def setUpClass(cls):
        cls.talk = Talk("-c", WORKER, environment={"OMP_NUM_THREADS": "1"})
        cls.talk.ask("hello", protocol=2)

    @classmethod
    def tearDownClass(cls):
        cls.talk.end()

    def refusal(self, config, **fields) -> str:
        message = request_of(config, **fields)
        if not isinstance(config, (dict, str)):
            message["model"]["config"] = config
        self.talk.say("load", **message)
        error = self.talk.hear("error", timeout=60.0)
        self.assertFalse(error["fatal"], error["text"])
        self.assertRegex(error["text"], r"^[A-Zt][^\n]*(\.|'transformers>=4\.45')$")
        self.assertNotIn("Traceback", error["text"])
        self.assertLess(len(error["text"]), 1000)
        return error["text"]

    def test_are_refused_by_a_sentence(self):
        layers = {**OLMO, "num_hidden_layers": 10**9}
        cases = (
            ("no JSON", "{", "no JSON"),
            ("no object", "[1, 2]", "no JSON object"),
            ("nothing", "", "text of its config.json"),
            ("nested without end", "[" * 200000, "no JSON"),
            ("no type", {"hidden_size": 8}, "model_type"),
            ("another type", {"model_type": 7}, "model_type"),
            ("a text in place of a number", {**OLMO, "hidden_size": "large"}, "hidden_size"),
            ("a negative number", {**OLMO, "hidden_size": -32}, "negative dimension"),
            ("a list in place of a number", {**OLMO, "num_attention_heads": [4]}, "num_attention_heads"),
            ("sizes that do not fit", {**OLMO, "num_attention_heads": 5}, "head"),
            ("layers without end", layers, "num_hidden_layers"),
            ("classes without end", {**OTHERS["ConvNeXt"][0], "num_labels": 10**12}, "num_labels"),
            ("layers in a part", {**OTHERS["Gemma 3"][0], "text_config": layers}, "num_hidden_layers"),
            ("a matrix beyond numbers", {**OLMO, "vocab_size": 10**18}, "vocab_size"),
            ("a table of the host's", {**OTHERS["BART"][0], "vocab_size": 2**31, "d_model": 2**31}, "Bart"),
            ("a long text", {**OLMO, "note": "x" * 900000, "hidden_size": "y" * 90000}, "hidden_size"),
            ("a network of sounds", {"model_type": "wav2vec2"}, "wav2vec2"),
            ("samples that are too long", {**OTHERS["BART"][0], "max_position_embeddings": 8}, "positions"),
        )
        for name, config, words in cases:
            with self.subTest(name):
                self.assertIn(words, self.refusal(config))
        self.talk.ask("load", **request_of(OLMO))
        self.assertEqual(self.talk.ask("trial", id=1, micro_batch_size=2, max_steps=5)["outcome"], "ok")

    def test_the_compiler_is_not_blamed_for_a_network(self):
        text = self.refusal({**OLMO, "num_key_value_heads": 3}, compilation="default")
        self.assertIn("transformers' Olmo2ForCausalLM does not run", text)

    def test_nobody_else_is_named_who_could_run_it(self):
        text = self.refusal(OLMO, optimizer_on_host=True)
        self.assertEqual(text, "An optimizer whose state lies in the host's memory is not run here.")

    def test_code_of_a_hub_is_not_run(self):
        auto_map = {"AutoConfig": "someone/net--configuration.Foo", "AutoModelForCausalLM": "modeling.Foo"}
        text = self.refusal({**OLMO, "model_type": "foo", "auto_map": auto_map})
        self.assertIn('%s has no model_type "foo"' % transformers.__version__, text)
        line = "%s -m pip install --upgrade 'transformers>=4.45'" % self._python()
        self.assertTrue(text.endswith(line), text)
        self.assertIn("auto_map", text)
        self.talk.ask("load", **request_of({**OLMO, "auto_map": auto_map}))

    def _python(self) -> str:
        return os.path.normpath(sys.executable)

    def test_what_cannot_fit_is_told_without_trying(self):
        huge = {**OLMO, "hidden_size": 16384, "intermediate_size": 65536, "num_hidden_layers": 120}
        loaded = self.talk.ask("load", **request_of({**huge, "num_attention_heads": 128}))
        self.assertGreater(loaded["parameters"], 400 * 10**9)
        # Parameters, gradients and two moments, each of four bytes.
        self.assertEqual(loaded["baseline_bytes"], 16 * loaded["parameters"])
        result = self.talk.ask("trial", id=2, micro_batch_size=1)
        self.assertEqual((result["outcome"], result["steps"]), ("oom", 0))
        adapted = {**LORA, "frozen_weights": "nf4"}
        loaded = self.talk.ask("load", **request_of({**huge, "num_attention_heads": 128}, tuning=adapted))
        self.assertEqual(loaded["baseline_bytes"], loaded["parameters"] // 2)


if __name__ == "__main__":
    unittest.main()
