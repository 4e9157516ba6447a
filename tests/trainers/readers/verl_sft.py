# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the overrides that a launch script passes to verl's SFT trainer with Hydra, and divides the batch as its
trainer does."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

from hydra import compose, initialize_config_dir

from ..batches import Batches, Request
from ..launching import launched
from .cutting import function_of, source_of

normalize = function_of(source_of("verl", "trainer/fsdp_sft_trainer.py"), "_normalize_config_bsz")


def read(request: Request) -> Batches:
    words = launched(request.file, "fsdp_sft_trainer").words
    # The others are arguments of the script.
    overrides = [word for word in words if "=" in word or word.startswith("~")]
    folder = Path(importlib.util.find_spec("verl").submodule_search_locations[0], "trainer", "config")
    with initialize_config_dir(str(folder), version_base=None):
        config = compose("sft_trainer", overrides)
    batch, size = config.data.train_batch_size, config.data.micro_batch_size_per_gpu
    # A mesh of the processes that share the batch.
    mesh = SimpleNamespace(size=lambda dimension: request.devices, get_rank=lambda: 0)
    normalize(SimpleNamespace(config=config, device_mesh=mesh, ulysses_device_mesh=None))
    if request.phase == "eval":
        return Batches(size)
    return Batches(size, config.data.train_batch_size // size, batch)
