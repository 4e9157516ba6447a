# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with TrlParser and SFTConfig or DPOConfig, as the scripts of TRL and alignment-handbook do."""

from pathlib import Path

from trl import DPOConfig, ModelConfig, ScriptArguments, SFTConfig, TrlParser

from ..batches import Batches, Request
from ..launching import SHELL_SUFFIXES
from .training_arguments import batches_of, words_of


def read(request: Request) -> Batches:
    config = DPOConfig if "/dpo/" in request.origin else SFTConfig
    parser = TrlParser((ScriptArguments, config, ModelConfig))
    is_script = Path(request.file).suffix in SHELL_SUFFIXES
    words = words_of(request.file) if is_script else ["--config", request.file]
    # Recipes also have keys of scripts that TRL does not have.
    parsed = parser.parse_args_and_config(args=words, return_remaining_strings=True, fail_with_unknown_args=False)
    return batches_of(parsed[1], request.phase)
