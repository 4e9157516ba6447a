# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with LLM-Foundry's TrainConfig and its transforms; Composer splits the batch of a device."""

import torch
import yaml
from composer.core.data_spec import default_split_batch
from composer.utils import dist
from llmfoundry.utils import config_utils
from omegaconf import OmegaConf

from ..batches import Batches, Request


def read(request: Request) -> Batches:
    with open(request.file, encoding="utf-8") as stream:
        given = yaml.safe_load(stream)
    # MosaicML's platform passes this block to the trainer.
    cfg = OmegaConf.create(given.get("parameters", given))
    logged, config = config_utils.make_dataclass_and_log_config(
        cfg, config_utils.TrainConfig, config_utils.TRAIN_CONFIG_KEYS, transforms="all"
    )
    if request.phase == "eval":
        return Batches(config.device_eval_batch_size)
    size = config.device_train_microbatch_size
    if size == "auto":
        return Batches(None)
    parts = default_split_batch(torch.zeros(config.device_train_batch_size), size)
    return Batches(size, len(parts), config.device_train_batch_size * dist.get_world_size())
