# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Preference training with the losses of this Python's trl.

It makes trl's trainer around an existing network, and calls its loss with batches from its collator: forward
passes, chunks of logits and logged values are those of a run. trl's optimizer, data sets and tokenizers are not
used. Hyperparameters that do not change the speed have trl's defaults."""

from __future__ import annotations

import importlib
import inspect
import os
import shutil
import tempfile

import torch

from . import value_head
from .batches import NOT_COUNTED, PROMPT
from .configured_networks import one_line
from .failures import UnsupportedSize, is_of_memory
from .processes import hidden
from .requirements import line_for, require, version_of
from .serving import Refusal

# The trainer of each kind, and the modules that may contain it, in the order of search.
_TRAINERS = {
    "dpo": ("DPO", ("trl",)),
    "orpo": ("ORPO", ("trl", "trl.experimental.orpo")),
    "simpo": ("CPO", ("trl", "trl.experimental.cpo")),
    "kto": ("KTO", ("trl", "trl.experimental.kto")),
    "reward": ("Reward", ("trl",)),
}
# Kinds that use a reference model, which is not trained.
_WITH_REFERENCE = ("dpo", "kto")
# SimPO is CPO without the likelihood of the chosen texts, according to trl's documentation.
_OPTIONS = {"simpo": {"loss_type": "simpo", "cpo_alpha": 0.0}}
_PAIRED_ROWS = {"prompt": ["a"] * 2, "chosen": [" b"] * 2, "rejected": [" c"] * 2}
_ROWS = {
    "kto": {"prompt": ["a"] * 2, "completion": [" b", " c"], "label": [True, False]},
    "reward": {"chosen": ["a b"] * 2, "rejected": ["a c"] * 2},
}
_PADDING = 0


def is_known(preference) -> bool:
    return isinstance(preference, str) and (preference in _TRAINERS or preference == value_head.NAME)


def has_reference(request: dict) -> bool:
    """Returns whether there is a reference model: a second network that runs forward and is not trained."""
    return request.get("preference") in _WITH_REFERENCE and bool(request.get("preference_reference"))


def prepare(preference: str) -> None:
    """Imports what a trainer needs, before memory is measured.

    Raises Refusal."""
    if preference == value_head.NAME:
        return
    _classes_of(preference)
    # The progress of preparing the data set is of no interest.
    require("datasets").disable_progress_bars()


class PreferenceLoss:
    """Computes the loss of one network. Raises Refusal if trl is missing or does not accept such a network.

    Without a reference model, a network with adapters is its own reference, with the adapters disabled. For a
    network without adapters, the samples contain the log-probabilities of the reference, as with trl's
    precompute_ref_log_probs."""

    def __init__(self, request: dict, module, reference, device: torch.device):
        self._kind, self._length = request["preference"], request.get("sequence_length") or 1
        if self._length <= PROMPT:
            raise Refusal("Preference training needs texts of at least 2 tokens. Set a longer sequence length.")
        self._brings_reference = False
        try:
            # Not accelerate, but sharing.py wraps the network for several processes.
            with hidden():
                self._trainer = self._make_trainer(request, module, reference, device)
        except Refusal:
            raise
        except Exception as error:  # each trainer checks what it is given in its own way
            if is_of_memory(error):
                raise
            text = "%s of trl %s does not train this network (%s)."
            name = _TRAINERS[self._kind][0] + "Trainer"
            raise Refusal(text % (name, version_of("trl"), one_line(error))) from error
        self.module = self._trainer.model

    def __call__(self, batch: dict) -> torch.Tensor:
        return self._trainer.compute_loss(self.module, batch)

    def samples(self, tokens):
        """Returns a function that makes a batch of a number of samples. tokens(texts, length) draws texts without
        padding."""

        def make(samples: int) -> dict:
            if self._kind == "kto" and samples < 2:
                text = "KTO compares each text with an answer to another one, so a batch needs at least 2."
                raise UnsupportedSize(text)
            batch = self._trainer.data_collator(self._examples(samples, tokens))
            if self._brings_reference:
                batch.update(self._reference_of(samples))
            return dict(batch)

        return make

    def _examples(self, samples: int, tokens) -> list[dict]:
        first, second = (tokens(samples, self._length).tolist() for _ in range(2))
        if self._kind in ("orpo", "simpo"):
            return [_labeled(*texts) for texts in zip(first, second)]
        if self._kind == "reward":
            return [_both_names(chosen=a, rejected=b) for a, b in zip(first, second)]
        if self._kind == "dpo":
            return [
                _both_names(prompt=a[:PROMPT], chosen=a[PROMPT:], rejected=b[PROMPT:])
                for a, b in zip(first, second)
            ]
        # Each text gets the answer of the text before it.
        shifted = first[-1:] + first[:-1]
        return [
            _unpaired(text, other, index % 2 == 0) for index, (text, other) in enumerate(zip(first, shifted))
        ]

    def _reference_of(self, samples: int) -> dict:
        zeros = torch.zeros(samples)
        if self._kind == "kto":
            return {"ref_logps": zeros, "ref_KL_logps": zeros}
        return {"ref_chosen_logps": zeros, "ref_rejected_logps": zeros}

    def _make_trainer(self, request: dict, module, reference, device: torch.device):
        trainer_class, config_class = _classes_of(self._kind)
        datasets = require("datasets")
        folder = tempfile.mkdtemp(prefix="batchpeak-trl-")
        try:
            options = {}
            if self._kind in _WITH_REFERENCE:
                options["ref_model"] = reference or _stand_in()
            trainer = trainer_class(
                model=module,
                args=_arguments(config_class, request, folder, device),
                train_dataset=datasets.Dataset.from_dict(_ROWS.get(self._kind, _PAIRED_ROWS)),
                processing_class=_tokenizer(),
                **options,
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if self._kind in _WITH_REFERENCE and reference is None:
            trainer.ref_model = None
            self._brings_reference = not hasattr(module, "peft_config")
            # The names of the option in 0.x and in 1.x.
            trainer.precompute_ref_log_probs = trainer.precompute_ref_logps = self._brings_reference
        # As in train(): autocast for forward only, and fp32 outputs.
        trainer.model = trainer.accelerator.prepare_model(trainer.model)
        return trainer


def _classes_of(preference: str):
    # trl sends telemetry whenever a trainer is made.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    require("trl")
    name, places = _TRAINERS[preference]
    reasons = []
    for place in places:
        try:
            library = importlib.import_module(place)
            return getattr(library, name + "Trainer"), getattr(library, name + "Config")
        except (AttributeError, ImportError, RuntimeError) as error:
            reasons.append(one_line(error))
    text = "trl %s has no %sTrainer that this Python can import (%s). To update it: %s"
    line = line_for("trl", updates=True)
    raise Refusal(text % (version_of("trl"), name, "; ".join(reasons), line))


def _arguments(config_class, request: dict, folder: str, device: torch.device):
    precision = request.get("precision", "fp32")
    if device.type != "cpu":
        # Otherwise, accelerate would use the first device, and transformers all devices.
        os.environ["ACCELERATE_TORCH_DEVICE"] = str(device)
    options = dict(_OPTIONS.get(request["preference"], {}))
    if "max_prompt_length" in inspect.signature(config_class).parameters:
        # In 0.x, it must be less than the whole length.
        options["max_prompt_length"] = PROMPT
    arguments = config_class(
        output_dir=folder,
        report_to=[],
        disable_tqdm=True,
        save_strategy="no",
        use_cpu=device.type == "cpu",
        bf16=precision == "bf16",
        fp16=precision == "fp16",
        max_length=request.get("sequence_length"),
        per_device_train_batch_size=2,
        gradient_checkpointing=bool(request.get("activation_checkpointing")),
        gradient_checkpointing_kwargs={"use_reentrant": False},
        remove_unused_columns=False,
        **options,
    )
    if device.type != "cpu":
        arguments._n_gpu = 1
        # The cache entries of functools.cached_property, and of cached_property in older transformers.
        arguments.__dict__.update({"_setup_devices": device, "__cached__setup_devices": device})
        torch.cuda.set_device(device)
    return arguments


def _tokenizer():
    """Returns a tokenizer of a few words, which trainers need for the data set that they are made with."""
    tokenizers = require("tokenizers")
    transformers = require("transformers")
    words = {"<pad>": _PADDING, "<eos>": 1, "<unk>": 2, "a": 3, "b": 4, "c": 5}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )


def _stand_in():
    """Returns a tiny reference model that never runs: without one, trl would make its own."""
    transformers = require("transformers")
    sizes = {"n_embd": 4, "n_layer": 1, "n_head": 1, "n_positions": 8, "vocab_size": 8}
    sizes.update(bos_token_id=1, eos_token_id=1)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes))


def _both_names(**texts) -> dict:
    """Returns the texts under the names that collators of trl 1.x use, and those of 0.x."""
    example = {}
    for name, ids in texts.items():
        example.update({name + "_ids": ids, name + "_input_ids": ids})
        example[name + "_attention_mask"] = [1] * len(ids)
    return example


def _labeled(chosen: list, rejected: list) -> dict:
    example = {"prompt_input_ids": chosen[:PROMPT], "prompt_attention_mask": [1] * PROMPT}
    for name, ids in (("chosen", chosen), ("rejected", rejected)):
        example[name + "_input_ids"] = ids
        example[name + "_attention_mask"] = [1] * len(ids)
        example[name + "_labels"] = [NOT_COUNTED] * PROMPT + ids[PROMPT:]
    return example


def _unpaired(text: list, other: list, is_desirable: bool) -> dict:
    example = {"label": is_desirable, "prompt_ids": text[:PROMPT], "completion_ids": text[PROMPT:]}
    example["KL_completion_ids"] = other[PROMPT:]
    for prefix, ids in (("", text), ("KL_", text[:PROMPT] + other[PROMPT:])):
        example[prefix + "completion_input_ids"] = ids
        example[prefix + "completion_attention_mask"] = [1] * len(ids)
        example[prefix + "completion_labels"] = [NOT_COUNTED] * PROMPT + ids[PROMPT:]
        example[prefix + "prompt_input_ids"] = text[:PROMPT]
        example[prefix + "prompt_attention_mask"] = [1] * PROMPT
    return example
