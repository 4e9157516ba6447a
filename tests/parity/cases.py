# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which networks are compared, and under which options of a step."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .networks.bloom import Bloom
from .networks.gpt2 import Gpt2
from .networks.llama import Llama
from .networks.mixtral import Mixtral
from .networks.network import Network


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Network]
    # Of the load message.
    options: dict[str, object] = field(default_factory=dict)
    # Samples of each micro-batch of ours; theirs runs all of them at once.
    micro_batches: tuple[int, ...] = (5,)


def _gpt2(tied: bool = True) -> Network:
    return Gpt2(layers=3, width=48, heads=4, vocabulary=101, length=24, tied=tied)


def _llama(key_value_heads: int = 4, tied: bool = False) -> Network:
    return Llama(
        layers=3,
        width=64,
        heads=4,
        key_value_heads=key_value_heads,
        feed_forward=88,
        vocabulary=101,
        length=24,
        tied=tied,
    )


def _mixtral() -> Network:
    return Mixtral(
        layers=2,
        width=64,
        heads=4,
        key_value_heads=2,
        feed_forward=40,
        experts=4,
        experts_per_token=2,
        vocabulary=101,
        length=24,
    )


def _bloom(heads: int = 4) -> Network:
    return Bloom(layers=3, width=12 * heads, heads=heads, vocabulary=101, length=24)


_CHECKPOINTING = {"activation_checkpointing": True}
# Fewer rows than a batch has, and no divisor of them.
_CHUNKS = {"loss_chunk_rows": 50}
_UNEVEN = (1, 2, 2)

CASES = [
    Case("GPT-2", _gpt2),
    Case("GPT-2, untied", lambda: _gpt2(tied=False)),
    Case("GPT-2, checkpointing", _gpt2, _CHECKPOINTING),
    Case("GPT-2, loss in chunks", _gpt2, _CHUNKS),
    Case("GPT-2, uneven micro-batches", _gpt2, micro_batches=_UNEVEN),
    Case("LLaMA", _llama),
    Case("LLaMA, grouped queries, tied", lambda: _llama(key_value_heads=2, tied=True)),
    Case("LLaMA, checkpointing and chunks", _llama, _CHECKPOINTING | _CHUNKS),
    Case("Mixtral", _mixtral),
    Case("Mixtral, checkpointing", _mixtral, _CHECKPOINTING),
    Case("BLOOM", _bloom),
    Case("BLOOM, 6 heads", lambda: _bloom(heads=6)),
    Case("BLOOM, checkpointing", _bloom, _CHECKPOINTING),
]
