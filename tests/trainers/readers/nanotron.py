# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the two sections that concern batches with nanotron's reader of configs. The version on PyPI does not know
today's other sections."""

import sys
from dataclasses import dataclass

from .names import Names

# This version imports its logging in a circle, which ends here.
sys.modules["nanotron.logging"] = Names("nanotron.logging")

from nanotron.config import Config, ParallelismArgs, TokensArgs, get_config_from_file

from ..batches import Batches, Request


@dataclass
class Sections:
    tokens: TokensArgs
    parallelism: ParallelismArgs


def read(request: Request) -> Batches:
    config = get_config_from_file(request.file, Sections, skip_unused_config_keys=True)
    return Batches(
        config.tokens.micro_batch_size,
        config.tokens.batch_accumulation_per_replica,
        Config.global_batch_size.fget(config),
    )
