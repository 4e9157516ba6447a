# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with ms-swift's argument classes, which build the arguments of a transformers Trainer. The words come from a
launch script, or from YAML as its command line reads it."""

import json
from pathlib import Path

from .names import stand_in_for

# A client of ModelScope's hub imports it.
stand_in_for("cryptography")

import swift.model.model_meta
from swift.arguments import PretrainArguments, RLHFArguments, SftArguments
from swift.cli.main import parse_yaml_args
from swift.utils import parse_args

from ..batches import Batches, Request
from ..launching import words_or_file
from .training_arguments import batches_of, without_deepspeed

COMMANDS = {"sft": SftArguments, "pt": PretrainArguments, "rlhf": RLHFArguments}
NETWORK = {"architectures": ["AnyForCausalLM"], "model_type": "llama", "torch_dtype": "bfloat16"}


def read(request: Request) -> Batches:
    command, *words = words_or_file(request.file, "per_device_train_batch_size", "sft")
    parse_yaml_args(words)
    # The network's config would be downloaded from a hub; batch sizes do not depend on it.
    folder = Path(request.file).with_name("network")
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(NETWORK))
    swift.model.model_meta.safe_snapshot_download = lambda *arguments, **named: str(folder)
    arguments, rest = parse_args(COMMANDS[command], without_deepspeed(words))
    if rest and not arguments.ignore_args_error:
        raise ValueError(f"remaining_argv: {rest}")
    return batches_of(arguments.training_args, request.phase)
