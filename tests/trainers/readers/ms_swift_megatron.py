# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with the parser of ms-swift's arguments for Megatron, and with their method that divides the batch. Their
construction needs Megatron's kernels and a process group."""

from .names import stand_in_for

stand_in_for("cryptography", "einops", "mcore_bridge", "megatron", "transformer_engine")

import swift.megatron.arguments.megatron_args
from swift.cli.main import parse_yaml_args
from swift.megatron.arguments import (
    MegatronArguments,
    MegatronPretrainArguments,
    MegatronRLHFArguments,
    MegatronSftArguments,
)
from swift.utils.utils import _patch_get_type_hints
from transformers import HfArgumentParser

from ..batches import Batches, Request
from ..launching import words_or_file

COMMANDS = {"sft": MegatronSftArguments, "pt": MegatronPretrainArguments, "rlhf": MegatronRLHFArguments}


def read(request: Request) -> Batches:
    command, *words = words_or_file(request.file, "micro_batch_size", "sft")
    parse_yaml_args(words)
    with _patch_get_type_hints():
        parser = HfArgumentParser(COMMANDS[command])
    arguments, rest = parser.parse_known_args(words)
    if rest and not arguments.ignore_args_error:
        raise ValueError(f"remaining_argv: {rest}")
    if request.phase == "eval":
        return Batches(arguments.micro_batch_size)

    def initialize(given) -> None:
        """Counts the processes that the devices of the batch need."""
        of_a_network = (
            given.tensor_model_parallel_size * given.pipeline_model_parallel_size * given.context_parallel_size
        )
        given.world_size = request.devices * of_a_network

    swift.megatron.arguments.megatron_args.initialize_megatron = initialize
    MegatronArguments._init_distributed(arguments)
    return Batches(arguments.micro_batch_size, arguments.num_microbatches, arguments.global_batch_size)
