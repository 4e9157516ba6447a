# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps on texts that people prefer to others, by the losses of this Python's trl.

Its own trainer is made, around a network that is there already, and asked for the loss of batches that its
own collator makes: forward passes, chunks of logits and what it logs are those of a run. Its optimizer, its
data sets and its tokenizers are not used. Hyperparameters that change no time are its defaults."""

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
from .requirements import line_for, require, version_of
from .serving import Refusal

# Which trainer computes what, and where it is to be found, in the order of looking.
_TRAINERS = {
    "dpo": ("DPO", ("trl",)),
    "orpo": ("ORPO", ("trl", "trl.experimental.orpo")),
    "simpo": ("CPO", ("trl", "trl.experimental.cpo")),
    "kto": ("KTO", ("trl", "trl.experimental.kto")),
    "reward": ("Reward", ("trl",)),
}
# Those that learn by what a network says that is not trained.
_WITH_REFERENCE = ("dpo", "kto")
# CPO without the likelihood of the chosen texts is SimPO, as trl's documentation has it.
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
    """Whether a second network is held, run forward and never trained."""
    return request.get("preference") in _WITH_REFERENCE and bool(request.get("preference_reference"))


def prepare(preference: str) -> None:
    """Imports what a trainer needs, before memory is counted.

    Raises Refusal."""
    if preference == value_head.NAME:
        return
    _classes_of(preference)
    # Of rows that nobody has given it.
    require("datasets").disable_progress_bars()


class PreferenceLoss:
    """Of one network. Raises Refusal where trl is missing or does not take such a network.

    Without a reference, one with adapters is run with them turned off; of one without adapters the
    reference's log-probabilities come with the samples, as trl has it with precompute_ref_log_probs."""

    def __init__(self, request: dict, module, reference, device: torch.device):
        self._kind, self._length = request["preference"], request.get("sequence_length") or 1
        if self._length <= PROMPT:
            raise Refusal("A preference needs texts of 2 tokens at least. Set a longer sequence length.")
        self._brings_reference = False
        try:
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
        """Makes a batch of so many samples. tokens(texts, length) draws texts without padding."""

        def make(samples: int) -> dict:
            if self._kind == "kto" and samples < 2:
                text = "KTO compares texts with answers to other ones, so that a batch has 2 at least."
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
        # Each text with the answer of that before it.
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
            # Its name in 0.x, and in 1.x.
            trainer.precompute_ref_log_probs = trainer.precompute_ref_logps = self._brings_reference
        # As train() does it: autocast around forward alone, and outputs in fp32.
        trainer.model = trainer.accelerator.prepare_model(trainer.model)
        return trainer


def _classes_of(preference: str):
    # trl tells its makers of each trainer that is made.
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
        # Else accelerate takes the first one, and transformers all that there are.
        os.environ["ACCELERATE_TORCH_DEVICE"] = str(device)
    options = dict(_OPTIONS.get(request["preference"], {}))
    if "max_prompt_length" in inspect.signature(config_class).parameters:
        # Of 0.x, where it has to be less than the whole.
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
        # As cached_property of functools keeps it, and as that of older transformers.
        arguments.__dict__.update({"_setup_devices": device, "__cached__setup_devices": device})
        torch.cuda.set_device(device)
    return arguments


def _tokenizer():
    """Of a few words: trainers want one, for the rows that they are made with."""
    tokenizers = require("tokenizers")
    transformers = require("transformers")
    words = {"<pad>": _PADDING, "<eos>": 1, "<unk>": 2, "a": 3, "b": 4, "c": 5}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )


def _stand_in():
    """A reference that is never run: without any, trl makes another one by itself."""
    transformers = require("transformers")
    sizes = {"n_embd": 4, "n_layer": 1, "n_head": 1, "n_positions": 8, "vocab_size": 8}
    sizes.update(bos_token_id=1, eos_token_id=1)
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes))


def _both_names(**texts) -> dict:
    """As collators of trl 1 name them, and those of 0.x."""
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
