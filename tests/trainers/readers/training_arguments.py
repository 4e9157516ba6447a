# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Returns the batches of TrainingArguments according to transformers' Trainer, whichever parser made them."""

import os
from types import SimpleNamespace

import transformers.training_args
from transformers import Trainer, TrainingArguments

from ..batches import Batches
from ..launching import launched

# Accepts arguments for a GPU without a GPU.
transformers.training_args.is_torch_bf16_gpu_available = lambda: True
transformers.training_args.is_torch_tf32_available = lambda: True
# There is no process group that could be counted.
TrainingArguments.world_size = property(lambda arguments: int(os.environ["WORLD_SIZE"]))


def batches_of(arguments: TrainingArguments, phase: str) -> Batches:
    if phase == "eval":
        return Batches(arguments.eval_batch_size)
    # The arithmetic is in a method of the Trainer, which cannot be constructed without a model.
    trainer = object.__new__(Trainer)
    trainer.args = arguments
    trainer.model = None
    trainer.accelerator = SimpleNamespace(parallelism_config=None)
    trainer.is_deepspeed_enabled = False
    trainer._train_batch_size = arguments.train_batch_size
    return Batches(
        arguments.train_batch_size,
        arguments.gradient_accumulation_steps,
        trainer.get_total_train_batch_size(arguments),
    )


def words_of(script: str) -> list[str]:
    """Returns the words that a launch script passes."""
    return without_deepspeed(launched(script, "per_device_train_batch_size").words)


def without_deepspeed(words: list[str]) -> list[str]:
    """Drops the file of a DeepSpeed config, which is elsewhere and would ask for DeepSpeed."""
    if "--deepspeed" not in words:
        return words
    place = words.index("--deepspeed")
    return words[:place] + words[place + 2 :]
