# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares networks that are built from a load message's model with the networks of tests/parity that it describes.

It needs what `make setup-parity` installs."""

from __future__ import annotations

import json
import sys
import unittest

from .talk import PACKAGE

sys.path.insert(0, str(PACKAGE))

try:
    import torch
    from batchpeak_trial.descriptions import completed, parameters_of
    from batchpeak_trial.networks import build
    from batchpeak_trial.serving import Refusal
    from batchpeak_trial.workload import Workload
    from parity.cases import CASES
except ImportError as error:  # without transformers and torchvision there is nothing to compare with
    raise unittest.SkipTest(str(error)) from error


def _distinct() -> dict:
    """Returns one case for each network."""
    found = {}
    for case in CASES:
        with torch.device("meta"):
            try:
                network = case.make()
            except (NotImplementedError, RuntimeError):
                network = None
        if network is None:
            network = case.make()
        found.setdefault(json.dumps(network.model, sort_keys=True), (case.name, network))
    return {name: network for name, network in found.values()}


def _shapes(module) -> dict:
    return {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}


def _models_without_a_case() -> dict:
    sizes = {
        "vocabulary_size": 101,
        "hidden_size": 64,
        "layers": 3,
        "heads": 4,
        "key_value_heads": 2,
        "feed_forward_size": 88,
        "max_positions": 24,
    }
    rotary = {
        **sizes,
        "position_embedding": "rotary",
        "normalization": "rmsnorm",
        "activation": "swiglu",
        "tied_embeddings": False,
        "attention_bias": False,
        "attention_output_bias": False,
        "feed_forward_bias": False,
    }
    models = {
        "gpt3": {**sizes, "key_value_heads": 4, "tied_embeddings": False},
        "gemma": {**rotary, "activation": "geglu", "tied_embeddings": True, "head_size": 24},
        "glm": {**rotary, "attention_bias": True, "rotary_dimensions": 8},
        "hunyuan_v1_dense": {**rotary, "query_key_normalization": True},
        "glm4_moe": {
            **rotary,
            "rotary_dimensions": 8,
            "feed_forward_size": 40,
            "experts": 8,
            "experts_per_token": 2,
            "shared_expert_size": 40,
            "dense_layers": 1,
            "dense_feed_forward_size": 88,
            "query_key_normalization": True,
        },
        "mpt": {
            **sizes,
            "key_value_heads": 4,
            "feed_forward_size": 256,
            "position_embedding": "alibi",
            "attention_bias": False,
            "attention_output_bias": False,
            "feed_forward_bias": False,
            "normalization_bias": False,
        },
        "resnet": {"depth": 18, "width": 16, "channels": 2, "image_size": 64, "classes": 10},
    }
    return models


class NetworksTest(unittest.TestCase):
    def test_have_the_parameters_of_those_that_they_describe(self):
        networks = _distinct()
        self.assertGreater(len(networks), 40)
        for name, network in networks.items():
            with self.subTest(name), torch.device("meta"):
                built = build(network.model)
                self.assertEqual(_shapes(built), _shapes(network.module))
                self.assertIs(type(built), type(network.module))
                if hasattr(built, "config"):
                    self._agree(built.config, network.module.config)

    def _agree(self, built, theirs) -> None:
        """Compares two configurations. Keys that do not change the speed may differ, such as the tokens at the ends of
        texts."""
        free = {
            "query_pre_attn_scalar",
            "attention_multiplier",
            "norm_topk_prob",
            "max_window_layers",
            "logit_scale",
            # Falcon reads only one of these, depending on its architecture.
            "num_kv_heads",
            "multi_query",
            # Rotary positions have no table.
            *(("max_position_embeddings",) if built.model_type == "esm" else ()),
        }
        ours, others = built.to_dict(), theirs.to_dict()
        keys = (ours.keys() & others.keys()) - free
        differences = {key: (ours[key], others[key]) for key in keys if ours[key] != others[key]}
        # Keys that one side leaves to the default of the class do not count.
        differences = {key: pair for key, pair in differences.items() if None not in pair}
        for key in ("id2label", "label2id", "bos_token_id", "eos_token_id", "pad_token_id"):
            differences.pop(key, None)
        self.assertEqual(differences, {})

    def test_are_counted_as_they_are(self):
        for name, network in _distinct().items():
            model = completed(network.model)
            with self.subTest(name):
                count = parameters_of(model)
                if count is not None:
                    found = sum(parameter.numel() for parameter in network.module.parameters())
                    self.assertEqual(count, found)

    def test_of_families_without_a_case(self):
        for family, model in _models_without_a_case().items():
            with self.subTest(family), torch.device("meta"):
                # build() compares the numbers of parameters.
                self.assertGreater(len(_shapes(build({"family": family, **model}))), 10)

    def test_residual_networks_are_of_any_width(self):
        model = {"family": "resnet", "depth": 18, "width": 16, "channels": 6, "image_size": 64, "classes": 10}
        with torch.device("meta"):
            narrow, theirs = _shapes(build(model)), _shapes(build({**model, "width": 64, "channels": 3}))
        # Weights of the classifier: 10 for each channel of the last stage.
        whole = {name: tuple(size if size == 10 else size * 4 for size in sizes[:2]) + sizes[2:]
                 for name, sizes in narrow.items()}
        whole["conv1.weight"] = (64, 3, 7, 7)
        self.assertEqual(narrow["conv1.weight"], (16, 6, 7, 7))
        self.assertEqual(whole, theirs)

    def test_take_steps(self):
        models = {name: network.model for name, network in _distinct().items()}
        models.update({name: {"family": name, **model} for name, model in _models_without_a_case().items()})
        for name, model in models.items():
            # Batch normalization needs at least two samples.
            request = {"model": model, "sequence_length": 24, "decoder_sequence_length": 16}
            with self.subTest(name):
                self._take_step(request)
                self._take_step({**request, "phase": "eval"})
            if model["family"] != "resnet":
                with self.subTest(name + ", checkpointing in bf16"):
                    self._take_step({**request, "activation_checkpointing": True, "precision": "bf16"})

    def _take_step(self, request: dict) -> None:
        workload = Workload(request, torch.device("cpu"))
        losses = []
        loss_of = workload._loss
        workload._loss = lambda batch: losses.append(loss_of(batch)) or losses[-1]
        before = [parameter.detach().clone() for parameter in workload._module.parameters()]
        phases = sum(1 for _ in workload.step(2, 1))
        self.assertTrue(torch.isfinite(losses[0]).item())
        trains = request.get("phase") != "eval"
        self.assertEqual(phases, 2 if trains else 0)
        pairs = zip(before, workload._module.parameters())
        self.assertEqual(any(not torch.equal(*pair) for pair in pairs), trains)

    def test_predict_the_masked_tokens_alone(self):
        """Loss and gradients equal those of scores for all tokens, if the same tokens count."""
        sizes = {"vocabulary_size": 101, "hidden_size": 48, "layers": 2, "heads": 4, "feed_forward_size": 80}
        for has_sentences in (False, True):
            model = {**sizes, "family": "bert", "max_positions": 24, "next_sentence_head": has_sentences}
            model["pooler"] = has_sentences
            with self.subTest(model):
                whole = build(completed(model)).eval()
                alone = build(completed({**model, "predicted_tokens": 4})).eval()
                alone.load_state_dict(whole.state_dict())
                tokens, places = torch.randint(101, (3, 24)), torch.rand(3, 24).topk(4, 1).indices
                picked = tokens.gather(1, places)
                labels = torch.full_like(tokens, -100).scatter(1, places, picked)
                more = {"next_sentence_label": torch.tensor([0, 1, 1])} if has_sentences else {}
                expected = whole(input_ids=tokens, labels=labels, **more).loss
                output = alone(input_ids=tokens, places=places, labels=picked, **more)
                self.assertEqual(output.logits.shape, (3, 4, 101))
                torch.testing.assert_close(output.loss, expected)
                expected.backward()
                output.loss.backward()
                for one, other in zip(alone.parameters(), whole.parameters()):
                    torch.testing.assert_close(one.grad, other.grad)

    def test_is_updated_in_backward_as_behind_it(self):
        request = {"model": _distinct()["GPT-2"].model, "sequence_length": 16, "precision": "fp32"}
        parameters = []
        for is_within in (False, True):
            workload = Workload({**request, "updates_in_backward": is_within}, torch.device("cpu"))
            torch.manual_seed(5)
            phases = workload.step(2, 1)
            next(phases)
            next(phases)
            found = list(workload._module.parameters())
            if is_within:
                self.assertTrue(all(parameter.grad is None for parameter in found))
            self.assertEqual(list(phases), [])
            parameters.append(found)
        for behind, within in zip(*parameters):
            torch.testing.assert_close(behind, within)

    def test_bloom_has_the_activation_that_is_asked_for(self):
        model = _distinct()["BLOOM"].model
        for word, expected in (
            ("bloom_gelu", "BloomGelu"),
            ("gelu", "GELUActivation"),
            ("gelu_tanh", "GELUTanh"),
            ("gelu_new", "NewGELUActivation"),
        ):
            with self.subTest(word), torch.device("meta"):
                parts = build({**model, "activation": word}).modules()
                kinds = {type(part.gelu_impl).__name__ for part in parts if hasattr(part, "gelu_impl")}
                self.assertEqual(kinds, {expected})

    def test_refuses_what_transformers_lacks(self):
        gpt2 = {
            "family": "gpt2",
            "vocabulary_size": 101,
            "hidden_size": 48,
            "layers": 1,
            "heads": 4,
            "feed_forward_size": 192,
            "max_positions": 24,
        }
        for model in (
            {"family": "btlm"},
            {"family": "jais"},
            {"family": "qwen"},
            {"family": "torchscript", "file": "net.pt"},
            {"family": "resnet", "depth": 20, "classes": 2, "image_size": 32},
            {**gpt2, "family": "no such"},
            {**gpt2, "position_embedding": "alibi"},
            {**gpt2, "normalization": "rmsnorm"},
            {**gpt2, "branches": "parallel"},
            {**gpt2, "attention_bias": False},
            {**gpt2, "attention_window": 8},
            {**gpt2, "logit_soft_cap": 30.0},
            {**_distinct()["BLOOM"].model, "activation": "silu"},
        ):
            with self.subTest(model), torch.device("meta"), self.assertRaises(Refusal) as refused:
                build(model)
            self.assertRegex(str(refused.exception), r"^[A-Zt].*\.$")


if __name__ == "__main__":
    unittest.main()
