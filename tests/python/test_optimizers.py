# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares optimizers of load messages with those that transformers' Trainer makes.

It needs what `make setup-parity` installs."""

from __future__ import annotations

import sys
import tempfile
import unittest

from .talk import PACKAGE
from .test_transformers import GPT2, LLAMA, LORA, load_message

sys.path.insert(0, str(PACKAGE))

try:
    import bitsandbytes
    import peft.tuners.lora.torchao
    import torch
    import transformers
    from batchpeak_trial.serving import Refusal
    from batchpeak_trial.workload import Workload
except ImportError as error:  # without them there is nothing to compare with
    raise unittest.SkipTest(str(error)) from error

# As in test_transformers.
peft.tuners.lora.torchao.is_torchao_available = lambda: False
# bitsandbytes stores moments of fewer than 4096 elements in fp32 anyway.
SIZES = {"vocabulary_size": 256, "hidden_size": 64, "feed_forward_size": 256, "max_positions": 64}
TIED = {**GPT2, **SIZES}
UNTIED = {**LLAMA, **SIZES}


def manager():
    return bitsandbytes.optim.GlobalOptimManager.get_instance()


def widths(optimizer, module) -> dict:
    """Returns the bytes of each element of a moment, keyed by the names of the parameters."""
    names = {parameter: name for name, parameter in module.named_parameters()}
    return {names[part]: state["state1"].element_size() for part, state in optimizer.state.items()}


def widths_here(model: dict, **fields) -> dict:
    made = Workload(load_message(model, **fields), torch.device("cpu"))
    return widths(made._optimizer._optimizer, made._module)


class EmbeddingsTest(unittest.TestCase):
    def setUp(self):
        try:
            widths_here(TIED, optimizer="adamw-8bit")
        except Refusal as error:
            self.skipTest(str(error))
        self.addCleanup(manager().initialize)

    def widths_of_trainer(self, model: dict, optim: str) -> dict:
        module = Workload(load_message(model), torch.device("cpu"))._module
        with tempfile.TemporaryDirectory() as folder:
            arguments = transformers.TrainingArguments(folder, report_to=[], use_cpu=True, optim=optim)
            optimizer = transformers.Trainer(model=module, args=arguments).create_optimizer()
        for parameter in module.parameters():
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()
        manager().initialize()
        return widths(optimizer, module)

    def test_has_moments_as_a_trainer(self):
        for model in (TIED, UNTIED):
            for name, theirs in (("adamw-8bit", "adamw_bnb_8bit"), ("lion-8bit", "lion_8bit")):
                with self.subTest(model["family"] + ", " + name):
                    found = widths_here(model, optimizer=name, fp32_embedding_moments=True)
                    self.assertEqual(found, self.widths_of_trainer(model, theirs))
                    self.assertIn(1, found.values())
                    wide = [part for part, width in found.items() if width == 4 and "norm" not in part]
                    self.assertTrue([part for part in wide if "embed" in part or "wte" in part])

    def test_is_forgotten_by_the_next_load(self):
        asked = {"optimizer": "adamw-8bit", "fp32_embedding_moments": True}
        before = widths_here(TIED, optimizer="adamw-8bit")
        self.assertNotEqual(widths_here(TIED, **asked), before)
        self.assertEqual(widths_here(TIED, optimizer="adamw-8bit"), before)
        left = manager()
        self.assertFalse(left.pid2config or left.index2config or left.module_weight_config_triple)

    def test_leaves_others_as_they_are(self):
        for fields in ({"optimizer": "adamw"}, {"optimizer": "adamw-32bit"}):
            Workload(load_message(TIED, fp32_embedding_moments=True, **fields), torch.device("cpu"))
        found = widths_here(UNTIED, optimizer="adamw-8bit", tuning=LORA, fp32_embedding_moments=True)
        self.assertTrue(all("lora" in name for name in found))
