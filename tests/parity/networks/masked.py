# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What networks that predict masked tokens have in common."""

import torch
from torch import Tensor

from .network import NOT_COUNTED

# BERT, arXiv 1810.04805, section 3.1.
PREDICTED_SHARE = 0.15


def predicted_tokens(length: int) -> int:
    """Of each sample: ours counts as many of one as of any other."""
    return max(1, round(PREDICTED_SHARE * length))


def random_places(samples: int, length: int) -> Tensor:
    """{samples, predicted tokens}, all of a sample distinct, in random order."""
    return torch.rand(samples, length).topk(predicted_tokens(length), 1).indices


def at_places(targets: Tensor, places: Tensor) -> Tensor:
    """{samples, length}, where only what stands at the places is counted."""
    return torch.full_like(targets, NOT_COUNTED).scatter(1, places, targets.gather(1, places))
