# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the arguments that a launch script passes to torchrun with Megatron-LM's parser and validation."""

import os
import sys
import typing

import typing_extensions

# Megatron Core 0.19 is for Python 3.12, but its arguments need only this name of it.
if not hasattr(typing, "override"):
    typing.override = typing_extensions.override

import megatron.training.arguments
from megatron.core import num_microbatches_calculator
from megatron.training.arguments import parse_args, validate_args
from torch.distributed.run import get_args_parser

from ..batches import Batches, Request
from ..launching import launched

# The generation of an H100.
megatron.training.arguments.get_device_arch_version = lambda: 9


def read(request: Request) -> Batches:
    # The scripts export this.
    os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"
    start = launched(request.file, "--micro-batch-size")
    launch = get_args_parser().parse_args([*start.options, start.program])
    sys.argv = [start.program, *start.words]
    arguments = parse_args()
    arguments.world_size = processes(launch, arguments, request.devices)
    validate_args(arguments)
    if request.phase == "eval":
        return Batches(arguments.eval_micro_batch_size)
    num_microbatches_calculator.unset_num_microbatches_calculator()
    num_microbatches_calculator.init_num_microbatches_calculator(
        rank=0,
        global_batch_size=arguments.global_batch_size,
        micro_batch_size=arguments.micro_batch_size,
        data_parallel_size=arguments.data_parallel_size,
        step_batch_size_schedule=arguments.step_batch_size_schedule,
    )
    return Batches(
        num_microbatches_calculator.get_micro_batch_size(),
        num_microbatches_calculator.get_num_microbatches(),
        num_microbatches_calculator.get_current_global_batch_size(),
    )


def processes(launch, arguments, data_parallel: int) -> int:
    """Returns the number of processes that the script passes to torchrun. If they cannot hold one network, as in some
    published scripts, returns the number that the data-parallel devices need."""
    told = int(launch.nproc_per_node) * int(launch.nnodes.split(":")[0])
    of_a_network = (
        arguments.tensor_model_parallel_size
        * arguments.pipeline_model_parallel_size
        * arguments.context_parallel_size
    )
    return told if told % of_a_network == 0 else data_parallel * of_a_network
