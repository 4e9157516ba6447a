# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions for networks that predict masked tokens."""

import torch
from torch import Tensor

from .network import NOT_COUNTED

# BERT, arXiv 1810.04805, section 3.1.
PREDICTED_SHARE = 0.15


def predicted_tokens(length: int) -> int:
    """Returns the number of predicted tokens of each sample; in our network, it is the same for all."""
    return max(1, round(PREDICTED_SHARE * length))


def random_places(samples: int, length: int) -> Tensor:
    """Returns {samples, predicted tokens}: distinct positions of each sample, in random order."""
    return torch.rand(samples, length).topk(predicted_tokens(length), 1).indices


def at_places(targets: Tensor, places: Tensor) -> Tensor:
    """Returns targets {samples, length} of which only those at the places count."""
    return torch.full_like(targets, NOT_COUNTED).scatter(1, places, targets.gather(1, places))
