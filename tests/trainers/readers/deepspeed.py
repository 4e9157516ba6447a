# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with DeepSpeedConfig, after transformers' Trainer if values are "auto"."""

from types import SimpleNamespace
from typing import Any

import deepspeed.runtime.config
import hjson
from deepspeed.runtime.config import DeepSpeedConfig
from transformers import TrainingArguments
from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

from ..batches import Batches, Request
from ..launching import config_of

# A Trainer fills in values that depend on the network and on the length of the run.
NETWORK = SimpleNamespace(config=SimpleNamespace(hidden_size=1024))
STEPS_OF_RUN = 1000


def read(request: Request) -> Batches:
    # Replaces a process group.
    deepspeed.runtime.config.dist = SimpleNamespace(get_rank=lambda: 0, get_world_size=lambda: request.devices)
    file = config_of(request.file)
    with open(file, encoding="utf-8") as stream:
        if "auto" in batch_numbers(hjson.load(stream)):
            return read_by_trainer(HfTrainerDeepSpeedConfig(file))
    config = DeepSpeedConfig(file)
    return Batches(
        config.train_micro_batch_size_per_gpu, config.gradient_accumulation_steps, config.train_batch_size
    )


def batch_numbers(config: dict[str, Any]) -> list[Any]:
    keys = ("train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps")
    return [config[key] for key in keys if key in config]


def read_by_trainer(given: HfTrainerDeepSpeedConfig) -> Batches:
    """Reads a config with values "auto": the Trainer's arguments set the steps, and must state the same size."""
    size = given.get_value("train_micro_batch_size_per_gpu")
    if size == "auto":
        return Batches(None)
    arguments = TrainingArguments(per_device_train_batch_size=size, gradient_accumulation_steps=5, use_cpu=True)
    given.trainer_config_process(arguments)
    given.trainer_config_finalize(arguments, NETWORK, STEPS_OF_RUN)
    config = DeepSpeedConfig(given.config)
    expected = (5, size * 5 * arguments.world_size)
    if (config.gradient_accumulation_steps, config.train_batch_size) != expected:
        raise ValueError(f"steps and batch are {config.gradient_accumulation_steps} and {config.train_batch_size}")
    return Batches(config.train_micro_batch_size_per_gpu)
