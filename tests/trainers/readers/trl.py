# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with TrlParser and SFTConfig or DPOConfig, as the scripts of TRL and alignment-handbook do."""

from trl import DPOConfig, ModelConfig, ScriptArguments, SFTConfig, TrlParser

from ..batches import Batches, Request
from .training_arguments import batches_of


def read(request: Request) -> Batches:
    config = DPOConfig if "/dpo/" in request.origin else SFTConfig
    parser = TrlParser((ScriptArguments, config, ModelConfig))
    # Recipes also have keys of scripts that TRL does not have.
    parsed = parser.parse_args_and_config(
        args=["--config", request.file], return_remaining_strings=True, fail_with_unknown_args=False
    )
    return batches_of(parsed[1], request.phase)
