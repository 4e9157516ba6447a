# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with torchtune's parser and validation of configs, and for one device with the recipe that its registry names.

torchtune has no number for the global batch: its recipes accumulate `gradient_accumulation_steps` batches of
`batch_size` samples on each device, so it is their product.
"""

import functools
import importlib.util
from pathlib import Path
from types import ModuleType

import torchtune
from omegaconf import DictConfig
from torchtune import config
from torchtune._recipe_registry import get_all_recipes
from torchtune.config._errors import InstantiationError
from torchtune.config._parse import TuneRecipeArgumentParser
from torchtune.config._utils import _merge_yaml_and_cli_args

from ..batches import Batches, Request

# A recipe opens the device of its run, and uses features that only a GPU has.
ON_THIS_COMPUTER = ["device=cpu", "enable_activation_offloading=False"]


def read(request: Request) -> Batches:
    parser = TuneRecipeArgumentParser()
    cfg = _merge_yaml_and_cli_args(*parser.parse_known_args(["--config", request.file, *ON_THIS_COMPUTER]))
    validate(cfg)
    if request.phase == "eval":
        return Batches(cfg.batch_size_val)
    steps = accumulation_steps(cfg, request.origin)
    return Batches(cfg.batch_size, steps, cfg.batch_size * steps * request.devices)


def validate(cfg: DictConfig) -> None:
    try:
        config.validate(cfg)
    except InstantiationError:
        # A config can be newer than the last release, and name components that the release does not have.
        pass


def accumulation_steps(cfg: DictConfig, origin: str) -> int:
    """Returns the steps that a recipe has after its construction, if it is one for a single device; others need a
    process group."""
    name = origin.partition("recipes/configs/")[2]
    recipes = [recipe for recipe in get_all_recipes() if any(name == known.file_path for known in recipe.configs)]
    for recipe in recipes:
        if recipe.name in RECIPES:
            return getattr(module_of(recipe.file_path), RECIPES[recipe.name])(cfg)._gradient_accumulation_steps
    return cfg.get("gradient_accumulation_steps", 1)


@functools.cache
def module_of(recipe: str) -> ModuleType:
    """Imports a recipe from its file: the folder of recipes raises an error if it is imported as a package."""
    file = Path(torchtune.__file__).parent.parent / "recipes" / recipe
    specification = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


RECIPES = {
    "full_finetune_single_device": "FullFinetuneRecipeSingleDevice",
    "lora_finetune_single_device": "LoRAFinetuneRecipeSingleDevice",
}
