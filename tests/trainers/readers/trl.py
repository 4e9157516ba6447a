# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""TrlParser with SFTConfig or DPOConfig, as TRL's and alignment-handbook's scripts read their recipes."""

from trl import DPOConfig, ModelConfig, ScriptArguments, SFTConfig, TrlParser

from ..batches import Batches, Request
from .training_arguments import batches_of


def read(request: Request) -> Batches:
    config = DPOConfig if "/dpo/" in request.origin else SFTConfig
    parser = TrlParser((ScriptArguments, config, ModelConfig))
    # Recipes have keys of scripts that are not TRL's.
    parsed = parser.parse_args_and_config(
        args=["--config", request.file], return_remaining_strings=True, fail_with_unknown_args=False
    )
    return batches_of(parsed[1], request.phase)
