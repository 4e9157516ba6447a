# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step of one process, which shares nothing; the base of ways to share a network."""

from __future__ import annotations

import contextlib

import torch


class OneProcess:
    """Decides where a step differs if several processes take it together."""

    # The library, in a sentence.
    name = ""
    # Whether gradients are reduced once for each optimizer step rather than in each micro-batch.
    reduces_once = False
    asks_for_left_out = False
    # Where an optimizer steps, in a sentence.
    place = "on this device"
    # Whether parameters are cast to 16 bits for a mixed precision, so that autocast is not needed.
    casts = False
    # The dtype of images, if it is not that of the parameters.
    input_type: torch.dtype | None = None
    # Replaces OptimizerStep if a library runs the part of a step from backward on.
    optimizer_step = None

    def __init__(self):
        self.approximations: list[str] = []

    def wrap(self, module, leaves_out: bool = False):
        """Returns the module to call. leaves_out: a step does not reach all trained parameters."""
        return module

    def place_to_build(self, bytes_: int) -> torch.device | None:
        """Returns where to build a network whose parameters have so many bytes; None: on the device of the steps."""
        return None

    def micro_batch(self, reduces: bool, is_last: bool):
        """Returns the context of a micro-batch that reduces gradients or not; is_last: the optimizer steps after it."""
        return contextlib.nullcontext()

    def made(self, kind, parameters: list, **options):
        """Returns an optimizer of the class kind."""
        return kind(parameters, **options)

    def clip(self, parameters: list, norm: float) -> None:
        torch.nn.utils.clip_grad_norm_(parameters, norm)

    def scaler(self, device: torch.device, scale: float):
        return torch.amp.GradScaler(device.type, init_scale=scale)
