# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with HfArgumentParser and TrainingArguments, as transformers' own scripts do."""

from transformers import HfArgumentParser, TrainingArguments

from ..batches import Batches, Request
from .training_arguments import batches_of


def read(request: Request) -> Batches:
    parser = HfArgumentParser(TrainingArguments)
    parse = parser.parse_json_file if request.file.endswith(".json") else parser.parse_yaml_file
    (arguments,) = parse(request.file, allow_extra_keys=True)
    return batches_of(arguments, request.phase)
