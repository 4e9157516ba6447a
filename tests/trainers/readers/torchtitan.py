# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with torchtitan's ConfigManager and ParallelDims. The accumulation is computed in the constructor of its
Trainer, which needs a process group, so it is repeated here."""

from torchtitan.config import ConfigManager, Parallelism
from torchtitan.distributed import ParallelDims

from ..batches import Batches, Request


def read(request: Request) -> Batches:
    config = ConfigManager().parse_args(["--job.config_file", request.file])
    if request.phase == "eval":
        return Batches(config.validation.local_batch_size)
    size, batch = config.training.local_batch_size, config.training.global_batch_size
    of_a_step = size * data_parallel(config.parallelism, request.devices)
    if batch < 0:
        batch = of_a_step
    if batch % of_a_step != 0:
        raise ValueError(f"global batch size {batch} is no multiple of {of_a_step}")
    return Batches(size, batch // of_a_step, batch)


def data_parallel(parallelism: Parallelism, devices: int) -> int:
    """Returns the replicas and shards among as many processes as `devices` of them need."""
    of_a_network = (
        parallelism.tensor_parallel_degree
        * parallelism.pipeline_parallel_degree
        * parallelism.context_parallel_degree
    )
    dimensions = ParallelDims(
        dp_replicate=parallelism.data_parallel_replicate_degree,
        dp_shard=parallelism.data_parallel_shard_degree,
        cp=parallelism.context_parallel_degree,
        tp=parallelism.tensor_parallel_degree,
        pp=parallelism.pipeline_parallel_degree,
        ep=parallelism.expert_parallel_degree,
        etp=parallelism.expert_tensor_parallel_degree,
        world_size=devices * of_a_network,
    )
    return dimensions.dp_replicate * dimensions.dp_shard
