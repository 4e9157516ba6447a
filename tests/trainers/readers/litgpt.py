# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with LitGPT's command line, for the command that a config is for, and with its TrainArgs."""

from typing import Any, Callable

import litgpt.finetune.full
import litgpt.finetune.lora
import litgpt.pretrain
import yaml
from jsonargparse import capture_parser
from litgpt.utils import CLI

from ..batches import Batches, Request


def read(request: Request) -> Batches:
    with open(request.file, encoding="utf-8") as stream:
        command = command_of(yaml.safe_load(stream))
    parser = capture_parser(lambda: CLI(command))
    parser.exit_on_error = False
    config = parser.instantiate_classes(parser.parse_args(["--config", request.file]))
    size = config.train.micro_batch_size
    if request.phase == "eval":
        return Batches(size)
    # The number of devices can be "auto".
    steps = config.train.gradient_accumulation_iters(request.devices)
    return Batches(size, steps, size * steps * request.devices)


def command_of(config: dict[str, Any]) -> Callable:
    """Returns the command that has the keys of a config, which does not name it."""
    if "checkpoint_dir" not in config:
        return litgpt.pretrain.setup
    return (litgpt.finetune.lora if "lora_r" in config else litgpt.finetune.full).setup
