# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which networks are compared, and under which options of a step."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .networks.bert import Bert
from .networks.bloom import Bloom
from .networks.esm2 import Esm2
from .networks.gpt2 import Gpt2
from .networks.llama import Llama
from .networks.mixtral import Mixtral
from .networks.network import Network
from .networks.qwen2 import Qwen2
from .networks.qwen3 import Qwen3
from .networks.resnet import ResNet
from .networks.t5 import T5
from .networks.vit import ViT


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


_ROTARY = {"layers": 3, "width": 64, "heads": 4, "feed_forward": 88, "vocabulary": 101, "length": 24}


def _llama(key_value_heads: int = 4, tied: bool = False, head_size: int | None = None) -> Network:
    return Llama(**_ROTARY, key_value_heads=key_value_heads, tied=tied, head_size=head_size)


def _qwen2() -> Network:
    return Qwen2(**_ROTARY, key_value_heads=2, tied=True)


def _qwen3(head_size: int = 24, tied: bool = True) -> Network:
    return Qwen3(**_ROTARY, key_value_heads=2, head_size=head_size, tied=tied)


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


_ENCODER = {"layers": 3, "width": 48, "heads": 4, "feed_forward": 80, "vocabulary": 101, "length": 24}


def _bert(pretraining: bool = False) -> Network:
    return Bert(**_ENCODER, pretraining=pretraining)


def _esm2() -> Network:
    return Esm2(**_ENCODER)


def _t5(gated: bool = False) -> Network:
    # Longer than 16, where distances begin to share buckets.
    return T5(
        layers=3,
        width=48,
        heads=4,
        head_size=16,
        feed_forward=80,
        vocabulary=101,
        length=40,
        target_length=24,
        gated=gated,
    )


def _vit() -> Network:
    return ViT(layers=3, width=48, heads=4, feed_forward=80, image=32, patch=8, classes=11)


def _resnet(depth: int) -> Network:
    return ResNet(depth=depth, image=64, classes=11)


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
    # As in Mistral-Nemo, the heads together are smaller than the hidden size.
    Case("LLaMA, heads of a size of their own", lambda: _llama(key_value_heads=2, head_size=12)),
    Case("Qwen2", _qwen2),
    Case("Qwen3", _qwen3),
    Case("Qwen3, heads that share the hidden size, untied", lambda: _qwen3(head_size=16, tied=False)),
    Case("Qwen3, checkpointing and chunks", _qwen3, _CHECKPOINTING | _CHUNKS),
    Case("Qwen3, uneven micro-batches", _qwen3, micro_batches=_UNEVEN),
    Case("Mixtral", _mixtral),
    Case("Mixtral, checkpointing", _mixtral, _CHECKPOINTING),
    Case("BLOOM", _bloom),
    Case("BLOOM, 6 heads", lambda: _bloom(heads=6)),
    Case("BLOOM, checkpointing", _bloom, _CHECKPOINTING),
    Case("BERT", _bert),
    Case("BERT, checkpointing and chunks", _bert, _CHECKPOINTING | _CHUNKS),
    Case("BERT, uneven micro-batches", _bert, micro_batches=_UNEVEN),
    Case("BERT, pre-training", lambda: _bert(pretraining=True)),
    Case("ESM-2", _esm2),
    Case("ESM-2, checkpointing", _esm2, _CHECKPOINTING),
    Case("T5", _t5),
    Case("T5 1.1", lambda: _t5(gated=True)),
    Case("T5, checkpointing and chunks", _t5, _CHECKPOINTING | _CHUNKS),
    Case("ViT", _vit),
    Case("ViT, checkpointing", _vit, _CHECKPOINTING),
    # Statistics over the batch: only whole batches compare.
    Case("ResNet-50", lambda: _resnet(50)),
    Case("ResNet-18", lambda: _resnet(18)),
    Case("ResNet-18, checkpointing", lambda: _resnet(18), _CHECKPOINTING),
]
