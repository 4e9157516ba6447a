# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with LLaMA-Factory's second trainer: its argument parser and its batch generator, which does the arithmetic."""

import sys

from llamafactory.v1.config.arg_parser import get_args
from llamafactory.v1.core.utils.batching import BatchGenerator

from ..batches import Batches, Request


class NoSamples:
    """A data set without samples: only its length is used if no sample is drawn."""

    def __len__(self) -> int:
        return 1


class NoRenderer:
    def process_samples(self, samples: list) -> list:
        return samples


def read(request: Request) -> Batches:
    sys.argv = ["llamafactory-cli", request.file]
    _, _, arguments, _ = get_args()
    generator = BatchGenerator(
        NoSamples(),
        NoRenderer(),
        micro_batch_size=arguments.micro_batch_size,
        global_batch_size=arguments.global_batch_size,
        pin_memory=False,
    )
    return Batches(generator.micro_batch_size, generator.num_micro_batch, generator.global_batch_size)
