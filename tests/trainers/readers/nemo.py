# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with NeMo's initialization of Megatron, with the arguments that MegatronBaseModel takes from a config."""

import importlib.util
from pathlib import Path

import nemo
from megatron.core import num_microbatches_calculator
from omegaconf import OmegaConf

from ..batches import Batches, Request


def megatron_init():
    """Imports the file alone, since its package imports every collection of NeMo."""
    file = Path(nemo.__file__).parent / "collections/nlp/modules/common/megatron/megatron_init.py"
    specification = importlib.util.spec_from_file_location("megatron_init", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


initialize = megatron_init().initialize_model_parallel_for_nemo


def read(request: Request) -> Batches:
    cfg = OmegaConf.load(request.file)
    model = cfg.model
    num_microbatches_calculator.destroy_num_microbatches_calculator()
    initialize(
        world_size=cfg.trainer.devices * cfg.trainer.num_nodes,
        global_rank=0,
        local_rank=0,
        tensor_model_parallel_size=model.get("tensor_model_parallel_size", 1),
        pipeline_model_parallel_size=model.get("pipeline_model_parallel_size", 1),
        pipeline_model_parallel_split_rank=model.get("pipeline_model_parallel_split_rank", 0),
        context_parallel_size=model.get("context_parallel_size", 1),
        micro_batch_size=model.get("micro_batch_size"),
        global_batch_size=model.get("global_batch_size"),
        rampup_batch_size=model.get("rampup_batch_size", None),
        # Seeding would need a GPU.
        seed=None,
    )
    if request.phase == "eval":
        return Batches(num_microbatches_calculator.get_micro_batch_size())
    return Batches(
        num_microbatches_calculator.get_micro_batch_size(),
        num_microbatches_calculator.get_num_microbatches(),
        num_microbatches_calculator.get_current_global_batch_size(),
    )
