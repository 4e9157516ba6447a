# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares preference steps with trainers of trl that are made as people make them.

It needs what `make setup-parity` installs."""

from __future__ import annotations

import copy
import gc
import os
import sys
import tempfile
import unittest
import weakref
from unittest import mock

from .talk import PACKAGE, Talk
from .test_transformers import BERT, GPT2, LLAMA, LORA, WORKER, load_message

sys.path.insert(0, str(PACKAGE))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

try:
    import datasets
    import peft.tuners.lora.torchao
    import torch
    import transformers
    import trl
    from batchpeak_trial import preferences
    from batchpeak_trial.failures import classify
    from batchpeak_trial.serving import Refusal
    from batchpeak_trial.workload import Workload, count_parameters, needed_bytes
    from trl.experimental.cpo import CPOConfig, CPOTrainer
    from trl.experimental.orpo import ORPOConfig, ORPOTrainer
except ImportError as error:  # without trl there is nothing to compare with
    raise unittest.SkipTest(str(error)) from error

# As in test_transformers.
peft.tuners.lora.torchao.is_torchao_available = lambda: False
datasets.disable_progress_bars()

PAIRS = {"prompt": ["a"] * 3, "chosen": [" b c"] * 3, "rejected": [" c b"] * 3}
TRAINERS = {
    "dpo": (trl.DPOTrainer, trl.DPOConfig, PAIRS, {}),
    "orpo": (ORPOTrainer, ORPOConfig, PAIRS, {}),
    "simpo": (CPOTrainer, CPOConfig, PAIRS, {"loss_type": "simpo", "cpo_alpha": 0.0}),
    "kto": (
        trl.KTOTrainer,
        trl.KTOConfig,
        {"prompt": ["a"] * 3, "completion": [" b c", " c", " b"], "label": [True, False, True]},
        {},
    ),
    "reward": (trl.RewardTrainer, trl.RewardConfig, {"chosen": ["a b"] * 3, "rejected": ["a c"] * 3}, {}),
}
REFERRED = ("dpo", "kto")
MASKED = '{"model_type": "roberta", "architectures": ["RobertaForMaskedLM"]}'


def workload(preference: str, model: dict = LLAMA, **fields):
    request = load_message(model, preference=preference, **{"sequence_length": 12, **fields})
    return Workload(request, torch.device("cpu"))


def tokenizer():
    words = {"<pad>": 0, "<eos>": 1, "<unk>": 2, "a": 3, "b": 4, "c": 5}
    made = preferences.require("tokenizers").Tokenizer(
        preferences.require("tokenizers").models.WordLevel(words, unk_token="<unk>")
    )
    made.pre_tokenizer = preferences.require("tokenizers").pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>")


def plain(module):
    """Returns a copy of a module without the attributes that trl has added."""
    kept = {name: module.__dict__.pop(name) for name in ("forward", "_original_forward") if name in module.__dict__}
    made = copy.deepcopy(module)
    module.__dict__.update(kept)
    return made


def trainer_of(preference: str, module, reference=None, peft_config=None):
    """Makes a trainer as a training script does."""
    trainer, config, rows, options = TRAINERS[preference]
    with tempfile.TemporaryDirectory() as folder:
        arguments = config(
            output_dir=folder,
            report_to=[],
            use_cpu=True,
            bf16=False,
            per_device_train_batch_size=3,
            gradient_checkpointing=False,
            disable_tqdm=True,
            **options,
        )
        more = {"ref_model": reference} if preference in REFERRED else {}
        return trainer(
            model=module,
            args=arguments,
            train_dataset=datasets.Dataset.from_dict(rows),
            processing_class=tokenizer(),
            peft_config=peft_config,
            **more,
        )


def shapes_of(batch: dict) -> dict:
    """Returns dtypes and dimensions of tensors in a batch. A loss does not use the texts that some collators add."""
    return {
        name: (value.dtype, value.dim(), len(value))
        for name, value in batch.items()
        if isinstance(value, torch.Tensor)
    }


def disturb(module) -> None:
    """Changes the weights of a policy, so that it differs from its reference."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.requires_grad:
                parameter.add_(0.05 * torch.randn(parameter.shape, generator=generator))


class PreferencesTest(unittest.TestCase):
    def test_losses_are_those_of_trl(self):
        for preference in TRAINERS:
            with self.subTest(preference):
                made = workload(preference, preference_reference=preference in REFERRED)
                disturb(made._module)
                reference = made._preference._trainer.ref_model if preference in REFERRED else None
                theirs = trainer_of(preference, plain(made._module), reference and plain(reference))
                batch = made._batches.of(3)
                self.assertEqual(shapes_of(batch), shapes_of(next(iter(theirs.get_train_dataloader()))))
                loss = made._loss(dict(batch))
                self.assertEqual(loss.item(), theirs.compute_loss(theirs.model, dict(batch)).item())
                self.assertTrue(torch.isfinite(loss).item())

    def test_adapters_are_turned_off_for_the_reference(self):
        adapted = peft.LoraConfig(r=4, lora_alpha=8.0, target_modules=["q_proj", "v_proj"])
        for preference in REFERRED:
            with self.subTest(preference):
                made = workload(preference, tuning=LORA, preference_reference=False)
                self.assertEqual(list(made._module.peft_config), ["default"])
                base = plain(made._module.get_base_model())
                for name, part in list(base.named_modules()):
                    if name.endswith(("q_proj", "v_proj")):
                        base.set_submodule(name, part.base_layer)
                theirs = trainer_of(preference, base.requires_grad_(True), peft_config=adapted)
                disturb(made._module)
                weights = {name: part.data for name, part in made._module.named_parameters()}
                for name, part in theirs.model.named_parameters():
                    part.data.copy_(weights[name])
                batch = made._batches.of(3)
                loss = made._loss(dict(batch)).item()
                self.assertEqual(loss, theirs.compute_loss(theirs.model, dict(batch)).item())
                unmoved = workload(preference, tuning=LORA, preference_reference=False)
                self.assertNotAlmostEqual(loss, unmoved._loss(dict(batch)).item(), places=4)

    def test_pairs_go_forward_together(self):
        # Forward passes of policy and reference for 3 samples: KTO runs its mismatched texts separately.
        expected = {
            "dpo": ([6], [6]),
            "orpo": ([6], []),
            "simpo": ([6], []),
            "kto": ([3, 3], [3, 3]),
            "reward": ([6], []),
        }
        for preference, rows in expected.items():
            with self.subTest(preference):
                made = workload(preference, preference_reference=preference in REFERRED)
                seen = ([], [])
                trainer = made._preference._trainer
                for module, counts in zip((made._module, getattr(trainer, "ref_model", None)), seen):
                    if module is not None:
                        layer = module.model.layers[0]
                        layer.register_forward_pre_hook(
                            lambda _, inputs, counts=counts: counts.append(tuple(inputs[0].shape[:2]))
                        )
                made._loss(made._batches.of(3))
                self.assertEqual(seen, tuple([(count, 12) for count in counts] for counts in rows))

    def test_casts_as_a_run_does(self):
        for precision, inner in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
            for preference in ("dpo", "orpo"):
                with self.subTest(preference + ", " + precision):
                    made = workload(preference, precision=precision, preference_reference=True)
                    seen = []
                    for module in (made._module, getattr(made._preference._trainer, "ref_model", None)):
                        if module is not None:
                            layer = module.model.layers[0].self_attn.q_proj
                            layer.register_forward_hook(lambda _, __, output: seen.append(output.dtype))
                    made._loss(made._batches.of(2))
                    self.assertEqual(set(seen), {inner})
                    tokens = torch.ones(1, 4, dtype=torch.long)
                    # Therefore, a run holds logits in four bytes.
                    self.assertEqual(made._module(input_ids=tokens).logits.dtype, torch.float32)

    def test_take_steps(self):
        cases = {
            "plain": {},
            "adapters": {
                "tuning": LORA,
                "preference_reference": False,
                "activation_checkpointing": True,
            },
            "bf16": {"precision": "bf16", "activation_checkpointing": True},
            "known log-probabilities": {"preference_reference": False},
            "evaluation": {"phase": "eval"},
        }
        for preference in TRAINERS:
            for name, fields in cases.items():
                with self.subTest(preference + ", " + name):
                    self._take_step(preference, {"preference_reference": True, **fields})

    def _take_step(self, preference: str, fields: dict) -> None:
        made = workload(preference, max_gradient_norm=1.0, **fields)
        trainer, trains = made._preference._trainer, fields.get("phase") != "eval"
        is_held = preference in REFERRED and fields["preference_reference"]
        self.assertEqual(getattr(trainer, "ref_model", None) is not None, is_held)
        reference = [part.clone() for part in trainer.ref_model.parameters()] if is_held else []
        if is_held:
            self.assertFalse(trainer.ref_model.training)
            self.assertFalse(any(part.requires_grad for part in trainer.ref_model.parameters()))
        before = [part.detach().clone() for part in made._module.parameters()]
        self.assertEqual(sum(1 for _ in made.step(2, 1)), 2 if trains else 0)
        pairs = zip(before, made._module.parameters())
        self.assertEqual(any(not torch.equal(*pair) for pair in pairs), trains)
        for pair in zip(reference, trainer.ref_model.parameters() if is_held else []):
            self.assertTrue(torch.equal(*pair))

    def test_a_reference_needs_memory(self):
        request = load_message(LLAMA, preference="dpo", preference_reference=True)
        alone = needed_bytes({**request, "preference_reference": False}, 10**9)
        self.assertEqual(needed_bytes(request, 10**9), alone + 4 * 10**9)
        self.assertEqual(needed_bytes({**request, "preference": "orpo"}, 10**9), alone)

    def test_a_reward_model_has_no_vocabulary_to_tell(self):
        counted = count_parameters(load_message(LLAMA, preference="reward"))
        self.assertEqual(counted, workload("reward").parameters)
        self.assertEqual(counted, workload("dpo").parameters - 101 * 64 + 64)

    def test_nothing_is_left_of_a_network(self):
        for preference in TRAINERS:
            with self.subTest(preference):
                made = workload(preference, preference_reference=True)
                sum(1 for _ in made.step(2, 1))
                trainer = made._preference._trainer
                held = [made._module, getattr(trainer, "ref_model", None)]
                held = [weakref.ref(module) for module in held if module is not None]
                del made, trainer
                gc.collect()
                self.assertEqual([module() for module in held], [None] * len(held))

    def test_one_sample_is_no_batch_of_kto(self):
        with self.assertRaises(Exception) as failed:
            workload("kto", preference_reference=True)._batches.of(1)
        self.assertEqual(classify(failed.exception, False).outcome, "unsupported")

    def test_refuses(self):
        for model, fields, words in (
            (LLAMA, {"preference": "ppo"}, "ppo"),
            (BERT, {"preference": "dpo"}, "bert"),
            (LLAMA, {"preference": "dpo", "sequence_length": 1}, "2 tokens"),
            (LLAMA, {"preference": ["dpo"]}, "dpo"),
            ({"family": "transformers", "config": MASKED}, {"preference": "dpo"}, "RobertaForMaskedLM"),
        ):
            with self.subTest(words), self.assertRaises(Refusal) as refused:
                Workload(load_message(model, **fields), torch.device("cpu"))
            self.assertIn(words, str(refused.exception))
            self.assertTrue(str(refused.exception).endswith("."), refused.exception)

    def test_says_how_to_get_trl(self):
        with mock.patch.dict(sys.modules, {"trl": None}), self.assertRaises(Refusal) as refused:
            workload("dpo")
        self.assertIn("%s -m pip install --force-reinstall trl" % sys.executable, str(refused.exception))


class ValueHeadTest(unittest.TestCase):
    def test_loss_is_of_the_last_tokens(self):
        made = workload("value-head")
        made._module.eval()
        batch = made._batches.of(3)
        self.assertEqual(tuple(batch["input_ids"].shape), (6, 12))
        whole = made._module.network(**batch, output_hidden_states=True)
        scores = made._module.summary(whole.hidden_states[-1])[:, -1, 0]
        expected = -torch.nn.functional.logsigmoid(scores[:3] - scores[3:]).mean()
        self.assertAlmostEqual(made._loss(batch).item(), expected.item(), places=6)
        # The loss of the answers, which is not used for training: a run computes it anyway.
        self.assertTrue(torch.equal(made._module(**batch)[1], whole.loss))
        self.assertEqual(batch["labels"][:, 0].unique().tolist(), [-100])

    def test_computes_all_logits(self):
        inners = {"bf16": torch.bfloat16, "plain-bf16": torch.bfloat16, "fp32": torch.float32}
        for precision, inner in inners.items():
            with self.subTest(precision):
                made = workload("value-head", precision=precision)
                seen = []
                made._module.network.lm_head.register_forward_hook(lambda _, __, output: seen.append(output))
                made._loss(made._batches.of(2))
                self.assertEqual([(part.dtype, tuple(part.shape)) for part in seen], [(inner, (4, 12, 101))])
                self.assertEqual(made._module.summary.weight.dtype, torch.float32)

    def test_takes_steps(self):
        cases = {
            "plain": {},
            "adapters": {"tuning": LORA, "activation_checkpointing": True},
            "bf16": {"precision": "bf16", "max_gradient_norm": 1.0},
            "plain bf16": {"precision": "plain-bf16"},
            "pure bf16": {"precision": "pure-bf16"},
        }
        for name, fields in cases.items():
            with self.subTest(name):
                made = workload("value-head", **fields)
                before = {key: part.detach().clone() for key, part in made._module.named_parameters()}
                for _ in range(2):
                    self.assertEqual(sum(1 for _ in made.step(2, 1)), 2)
                after = dict(made._module.named_parameters())
                moved = {key for key, part in before.items() if not torch.equal(after[key], part)}
                self.assertIn("summary.weight", moved)
                # The head has neither a gradient nor moments.
                self.assertFalse([key for key in moved if "lm_head" in key])
                self.assertIsNone(made._module.network.get_output_embeddings().weight.grad)
                if "tuning" in fields:
                    self.assertFalse([key for key in moved if "lora" not in key and "summary" not in key])
                self.assertTrue(any("lora" in key or "layers" in key for key in moved))

    def test_evaluates(self):
        made = workload("value-head", phase="eval")
        self.assertFalse(made._module.training)
        self.assertEqual(sum(1 for _ in made.step(2, 1)), 0)

    def test_counts_the_head(self):
        made = workload("value-head")
        self.assertEqual(made.parameters, count_parameters(load_message(LLAMA)) + 64 + 1)
        self.assertEqual(made.tokens_per_sample(), 24)

    def test_runs_networks_of_a_config(self):
        config = workload("value-head")._module.config.to_json_string()
        model = {"family": "transformers", "config": config}
        self.assertEqual(sum(1 for _ in workload("value-head", model).step(2, 1)), 2)

    def test_needs_no_trl(self):
        with mock.patch.dict(sys.modules, {"trl": None}):
            preferences.prepare("value-head")
            self.assertEqual(sum(1 for _ in workload("value-head").step(2, 1)), 2)


class SpokenPreferencesTest(unittest.TestCase):
    def test_runs_trials(self):
        talk = Talk("-c", WORKER, environment={"OMP_NUM_THREADS": "1"})
        self.addCleanup(talk.end)
        talk.ask("hello", protocol=2)
        talk.ask("load", **load_message(GPT2))
        plain_baseline = talk.ask("load", **load_message(GPT2))["baseline_bytes"]
        fields = {"preference": "dpo", "preference_reference": True}
        loaded = talk.ask("load", **load_message(GPT2, **fields))
        self.assertNotIn("approximations", loaded)
        # Libraries do not count as memory of the network: trl's take 60 MB.
        self.assertLess(loaded["baseline_bytes"], plain_baseline + (30 << 20))
        result = talk.ask("trial", id=1, micro_batch_size=4, min_steps=4, max_steps=4)
        self.assertEqual((result["outcome"], result["samples"]), ("ok", 16), result.get("text"))
        for name in ("forward_seconds", "backward_seconds", "optimizer_seconds"):
            self.assertGreater(result[name], 0, name)
        talk.ask("load", **load_message(LLAMA, preference="kto", preference_reference=True))
        result = talk.ask("trial", id=2, micro_batch_size=1, min_steps=4, max_steps=4)
        self.assertEqual(result["outcome"], "unsupported")
        self.assertEqual(talk.ask("trial", id=3, micro_batch_size=2, max_steps=5)["outcome"], "ok")


if __name__ == "__main__":
    unittest.main()
