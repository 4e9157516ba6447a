# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Returns the batches of TrainingArguments according to transformers' Trainer, whichever parser made them."""

from types import SimpleNamespace

import transformers.training_args
from transformers import Trainer, TrainingArguments

from ..batches import Batches

# Accepts arguments for a GPU without a GPU.
transformers.training_args.is_torch_bf16_gpu_available = lambda: True


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
