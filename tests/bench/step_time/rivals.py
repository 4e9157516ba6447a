# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of the bench: each family in two sizes, with three micro-batch sizes of each.

A step of theirs takes between 5 ms and 1 s on two processor cores.
"""

from collections.abc import Callable
from dataclasses import dataclass

from parity.networks.bert import Bert
from parity.networks.bloom import Bloom
from parity.networks.esm2 import Esm2
from parity.networks.gpt2 import Gpt2
from parity.networks.llama import Llama
from parity.networks.mixtral import Mixtral
from parity.networks.network import Network
from parity.networks.resnet import ResNet
from parity.networks.t5 import T5
from parity.networks.vit import ViT


@dataclass(frozen=True)
class Rival:
    family: str
    size: str
    make: Callable[[], Network]
    micro_batches: tuple[int, int, int]


_SMALL_TEXT = {"vocabulary": 2048, "length": 64}
_LARGE_TEXT = {"vocabulary": 8192, "length": 128}
# ESM-2's alphabet is the same in all sizes.
_PROTEINS = {"vocabulary": 33, "length": 128}
_SMALL_TRUNK = {"layers": 2, "width": 128, "heads": 4}
_LARGE_TRUNK = {"layers": 4, "width": 256, "heads": 8}

RIVALS = [
    Rival("GPT-2", "small", lambda: Gpt2(**_SMALL_TRUNK, **_SMALL_TEXT), (2, 8, 32)),
    Rival("GPT-2", "large", lambda: Gpt2(**_LARGE_TRUNK, **_LARGE_TEXT), (1, 4, 12)),
    Rival(
        "LLaMA",
        "small",
        lambda: Llama(**_SMALL_TRUNK, **_SMALL_TEXT, key_value_heads=4, feed_forward=352),
        (2, 8, 32),
    ),
    Rival(
        "LLaMA",
        "large",
        lambda: Llama(**_LARGE_TRUNK, **_LARGE_TEXT, key_value_heads=2, feed_forward=704),
        (1, 4, 12),
    ),
    Rival(
        "Mixtral",
        "small",
        lambda: Mixtral(
            **_SMALL_TRUNK,
            **_SMALL_TEXT,
            key_value_heads=2,
            feed_forward=224,
            experts=4,
            experts_per_token=2,
        ),
        (2, 8, 32),
    ),
    Rival(
        "Mixtral",
        "large",
        lambda: Mixtral(
            **_LARGE_TRUNK,
            **_LARGE_TEXT,
            key_value_heads=2,
            feed_forward=448,
            experts=8,
            experts_per_token=2,
        ),
        (1, 4, 12),
    ),
    Rival("BLOOM", "small", lambda: Bloom(**_SMALL_TRUNK, **_SMALL_TEXT), (2, 8, 32)),
    Rival("BLOOM", "large", lambda: Bloom(**_LARGE_TRUNK, **_LARGE_TEXT), (1, 4, 12)),
    Rival("BERT", "small", lambda: Bert(**_SMALL_TRUNK, **_SMALL_TEXT, feed_forward=512), (2, 8, 32)),
    Rival("BERT", "large", lambda: Bert(**_LARGE_TRUNK, **_LARGE_TEXT, feed_forward=1024), (1, 4, 12)),
    Rival("ESM-2", "small", lambda: Esm2(**_SMALL_TRUNK, **_PROTEINS, feed_forward=512), (2, 8, 32)),
    Rival("ESM-2", "large", lambda: Esm2(**_LARGE_TRUNK, **_PROTEINS, feed_forward=1024), (1, 4, 12)),
    Rival(
        "T5",
        "small",
        lambda: T5(**_SMALL_TRUNK, **_SMALL_TEXT, head_size=32, feed_forward=512, target_length=32),
        (2, 8, 32),
    ),
    Rival(
        "T5",
        "large",
        lambda: T5(**_LARGE_TRUNK, **_LARGE_TEXT, head_size=32, feed_forward=1024, target_length=64),
        (1, 4, 12),
    ),
    Rival(
        "ViT",
        "small",
        lambda: ViT(**_SMALL_TRUNK, feed_forward=512, image=64, patch=8, classes=100),
        (2, 8, 32),
    ),
    Rival(
        "ViT",
        "large",
        lambda: ViT(**_LARGE_TRUNK, feed_forward=1024, image=96, patch=8, classes=1000),
        (1, 4, 12),
    ),
    Rival("ResNet", "small", lambda: ResNet(depth=18, image=32, classes=100), (2, 8, 32)),
    Rival("ResNet", "large", lambda: ResNet(depth=50, image=64, classes=1000), (1, 4, 12)),
]
