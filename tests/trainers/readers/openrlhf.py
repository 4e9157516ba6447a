# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the arguments that a launch script passes to OpenRLHF's train_sft with its parser, which is in the file's main
part, and computes the accumulation as its strategy for DeepSpeed does. Their imports would need flash-attn and Ray."""

import argparse
import ast
import os
import sys
from datetime import datetime
from types import SimpleNamespace

from ..batches import Batches, Request
from ..launching import launched
from .cutting import run, source_of

MAIN = next(node for node in source_of("openrlhf", "cli/train_sft.py").body if isinstance(node, ast.If)).body
PARSED = next(place for place, node in enumerate(MAIN) if ast.unparse(node) == "args = parser.parse_args()")
(ACCUMULATION,) = (
    node
    for node in ast.walk(source_of("openrlhf", "utils/deepspeed/deepspeed.py"))
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "self.accumulated_gradient"
)


def read(request: Request) -> Batches:
    sys.argv = ["train_sft.py", *launched(request.file, "train_sft").words]
    given = run(MAIN[: PARSED + 1], {"argparse": argparse, "os": os, "datetime": datetime})["args"]
    # The names have had sections since version 0.11.
    named = {name.replace(".", "_").removeprefix("ds_"): value for name, value in vars(given).items()}
    size = named.get("train_micro_batch_size", named.get("micro_train_batch_size"))
    if request.phase == "eval":
        return Batches(size)
    strategy = SimpleNamespace(
        train_batch_size=named.get("train_batch_size"),
        micro_train_batch_size=size,
        ring_attn_size=named.get("ring_attn_size", 1),
        ds_tensor_parallel_size=named.get("tensor_parallel_size", 1),
    )
    strategy.world_size = request.devices * strategy.ring_attn_size * strategy.ds_tensor_parallel_size
    run([ACCUMULATION], {"self": strategy})
    return Batches(size, strategy.accumulated_gradient, strategy.train_batch_size)
