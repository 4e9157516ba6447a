# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""torchtune's parser and validation of configs, and for one device the recipe that its registry names.

No torchtune has a number for the whole batch: its recipes accumulate `gradient_accumulation_steps` batches of
`batch_size` samples on each device, of which the product is taken here.
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

# A recipe asks for the device of its run, and for what only a GPU does.
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
        # A config can be newer than the last release, and name components that it does not have.
        pass


def accumulation_steps(cfg: DictConfig, origin: str) -> int:
    """As the recipe has them once it is made, where it is one of a single device: others want a process group."""
    name = origin.partition("recipes/configs/")[2]
    recipes = [recipe for recipe in get_all_recipes() if any(name == known.file_path for known in recipe.configs)]
    for recipe in recipes:
        if recipe.name in RECIPES:
            return getattr(module_of(recipe.file_path), RECIPES[recipe.name])(cfg)._gradient_accumulation_steps
    return cfg.get("gradient_accumulation_steps", 1)


@functools.cache
def module_of(recipe: str) -> ModuleType:
    """The folder of recipes is no package, and says so to whoever imports it."""
    file = Path(torchtune.__file__).parent.parent / "recipes" / recipe
    specification = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


RECIPES = {
    "full_finetune_single_device": "FullFinetuneRecipeSingleDevice",
    "lora_finetune_single_device": "LoRAFinetuneRecipeSingleDevice",
}
