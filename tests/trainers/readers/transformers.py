# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with HfArgumentParser and TrainingArguments, as transformers' own scripts do."""

from pathlib import Path

from transformers import HfArgumentParser, TrainingArguments

from ..batches import Batches, Request
from ..launching import SHELL_SUFFIXES
from .training_arguments import batches_of, words_of


def read(request: Request) -> Batches:
    parser = HfArgumentParser(TrainingArguments)
    if Path(request.file).suffix in SHELL_SUFFIXES:
        arguments, _ = parser.parse_args_into_dataclasses(words_of(request.file), return_remaining_strings=True)
        return batches_of(arguments, request.phase)
    parse = parser.parse_json_file if request.file.endswith(".json") else parser.parse_yaml_file
    (arguments,) = parse(request.file, allow_extra_keys=True)
    return batches_of(arguments, request.phase)
