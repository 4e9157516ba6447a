# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with OLMo's TrainConfig; its Trainer splits the batch of a device."""

from types import SimpleNamespace

import torch

from .names import Anything, stand_in_for

stand_in_for("boto3", "botocore", "cached_path", "google", "olmo_data", "requests", "sklearn", "torchmetrics", "wandb")
# OLMo adds its own errors to those of a client of cloud storage.
Anything.recoverable_errors = ()

from olmo.config import TrainConfig
from olmo.train import Trainer

from ..batches import Batches, Request


def read(request: Request) -> Batches:
    # Data and checkpoints are elsewhere.
    config = TrainConfig.load(request.file, validate_paths=False)
    if request.phase == "eval":
        return Batches(config.device_eval_batch_size)
    # As in its script.
    of_a_device = config.global_train_batch_size // request.devices
    parts = Trainer.split_batch(SimpleNamespace(cfg=config), {"input_ids": torch.zeros(of_a_device, 1)})
    sizes = {len(part["input_ids"]) for part in parts}
    return Batches(max(sizes), len(parts), of_a_device * request.devices)
