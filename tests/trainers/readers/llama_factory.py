# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with LLaMA-Factory's argument parser and its five classes of arguments. Its further checks, such as those of
optional packages and GPUs, do not affect batches."""

import os
import sys
from pathlib import Path

from llamafactory.hparams.parser import _parse_train_args

from ..batches import Batches, Request
from ..launching import SHELL_SUFFIXES, config_of
from .training_arguments import batches_of, words_of


def read(request: Request) -> Batches:
    enter_folder_of_examples(request.origin)
    sys.argv = ["llamafactory-cli", *words_for(request.file)]
    arguments = _parse_train_args()[2]
    return batches_of(arguments, request.phase)


def words_for(file: str) -> list[str]:
    """Returns a config's file, or the words that a launch script passes if it writes no config."""
    if Path(file).suffix not in SHELL_SUFFIXES:
        return [file]
    try:
        return [config_of(file)]
    except ValueError:
        words = words_of(file)
        return words[1:] if words[:1] == ["train"] else words


def enter_folder_of_examples(origin: str) -> None:
    """Enters the folder that paths in configs are relative to, such as examples/deepspeed/ds_z3_config.json."""
    for folder in Path(origin).parents:
        if (folder / "examples").is_dir():
            os.chdir(folder)
            return
