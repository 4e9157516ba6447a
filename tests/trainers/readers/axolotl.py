# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads with axolotl's load_cfg: the YAML, its pydantic classes and derived values. Its builders pass size and steps to
TrainingArguments (core/builders/base.py)."""

import tempfile

import axolotl.cli.config
import axolotl.utils.config
import torch
from axolotl.integrations.base import PluginManager
import yaml
from transformers import LlamaConfig, TrainingArguments

from ..batches import Batches, Request
from ..launching import config_of
from .training_arguments import batches_of

# A GPU that supports whatever a config asks for.
axolotl.cli.config.gpu_capabilities = lambda: (
    {"bf16": True, "fp8": True, "tf32": True, "n_gpu": 1, "compute_capability": "sm_90"},
    {"torch_version": torch.__version__.split("+")[0]},
)
# This would start a process group if a config asks for DeepSpeed.
axolotl.cli.config.prepare_optim_env = lambda cfg: None
# The networks would be downloaded from the hub; batch sizes do not depend on them.
axolotl.utils.config.load_model_config = lambda cfg: LlamaConfig()


def read(request: Request) -> Batches:
    file = config_of(request.file)
    # Plugins of one config would require their keys in the next one.
    PluginManager.get_instance().plugins.clear()
    with tempfile.TemporaryDirectory() as folder:
        cfg = axolotl.cli.config.load_cfg(file, output_dir=folder)
    if request.phase == "eval":
        return Batches(cfg.eval_batch_size)
    arguments = TrainingArguments(
        per_device_train_batch_size=cfg.micro_batch_size,
        gradient_accumulation_steps=cfg.gradient_accumulation_steps,
        use_cpu=True,
    )
    batches = batches_of(arguments, "train")
    if cfg.batch_size != batches.global_batch_size and not has_batch_size(file):
        raise ValueError(f"axolotl counts steps of {cfg.batch_size} samples and trains {batches}")
    return batches


def has_batch_size(file: str) -> bool:
    """Returns whether a config has the deprecated key, by which axolotl counts the steps of a run without
    accumulation."""
    with open(file, encoding="utf-8") as stream:
        return "batch_size" in yaml.safe_load(stream)
