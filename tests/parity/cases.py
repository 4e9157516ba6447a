# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which networks are compared, and under which options of a step."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from .networks.after_llama import Phi3, Qwen3Moe, SeedOss, StableLm, Starcoder2
from .networks.bert import Bert
from .networks.bloom import Bloom
from .networks.esm2 import Esm2
from .networks.gpt2 import Gpt2, GptBigCode
from .networks.llama import Llama, Mixtral, Qwen2, Qwen3
from .networks.network import Network
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


_TEXT = {"vocabulary": 101, "length": 24}
_TRUNK = {"layers": 3, "width": 48, "heads": 4}
_ROTARY = {"layers": 3, "width": 64, "heads": 4, "key_value_heads": 2, "feed_forward": 88, **_TEXT}

_gpt2 = partial(Gpt2, **_TRUNK, **_TEXT)
_llama = partial(Llama, **_ROTARY)
_qwen3 = partial(Qwen3, **_ROTARY, head_size=24, tied=True)
_mixtral = partial(Mixtral, **_ROTARY | {"layers": 2, "feed_forward": 40}, experts=4, experts_per_token=2)
_bloom = partial(Bloom, **_TRUNK, **_TEXT)
_bert = partial(Bert, **_TRUNK, **_TEXT, feed_forward=80)
_esm2 = partial(Esm2, **_TRUNK, **_TEXT, feed_forward=80)
# Longer than 16, where distances begin to share buckets.
_t5 = partial(T5, **_TRUNK, head_size=16, feed_forward=80, vocabulary=101, length=40, target_length=24)
_vit = partial(ViT, **_TRUNK, feed_forward=80, image=32, patch=8, classes=11)
_resnet = partial(ResNet, depth=18, image=64, classes=11)

_CHECKPOINTING = {"activation_checkpointing": True}
# Fewer rows than a batch has, and no divisor of them.
_CHUNKS = {"loss_chunk_rows": 50}
_UNEVEN = (1, 2, 2)

CASES = [
    Case("GPT-2", _gpt2),
    Case("GPT-2, untied", partial(_gpt2, tied=False)),
    Case("GPT-2, checkpointing", _gpt2, _CHECKPOINTING),
    Case("GPT-2, loss in chunks", _gpt2, _CHUNKS),
    Case("GPT-2, uneven micro-batches", _gpt2, micro_batches=_UNEVEN),
    Case("LLaMA", partial(_llama, key_value_heads=4)),
    Case("LLaMA, grouped queries, tied", partial(_llama, tied=True)),
    Case("LLaMA, checkpointing and chunks", partial(_llama, key_value_heads=4), _CHECKPOINTING | _CHUNKS),
    # As in Mistral-Nemo, the heads together are smaller than the hidden size.
    Case("LLaMA, heads of a size of their own", partial(_llama, head_size=12)),
    Case("Qwen2", partial(Qwen2, **_ROTARY, tied=True)),
    Case("Qwen3", _qwen3),
    Case("Qwen3, heads that share the hidden size, untied", partial(_qwen3, head_size=16, tied=False)),
    Case("Qwen3, checkpointing and chunks", _qwen3, _CHECKPOINTING | _CHUNKS),
    Case("Qwen3, uneven micro-batches", _qwen3, micro_batches=_UNEVEN),
    Case("Mixtral", _mixtral),
    Case("Mixtral, checkpointing", _mixtral, _CHECKPOINTING),
    Case(
        "Qwen3 with experts",
        partial(
            Qwen3Moe,
            **_ROTARY | {"layers": 2, "feed_forward": 40},
            head_size=24,
            experts=8,
            experts_per_token=3,
        ),
    ),
    Case("Phi-3", partial(Phi3, **_ROTARY)),
    Case("StableLM", partial(StableLm, **_ROTARY)),
    Case("StarCoder2", partial(Starcoder2, **_ROTARY, tied=True)),
    Case("StarCoder2, checkpointing and chunks", partial(Starcoder2, **_ROTARY), _CHECKPOINTING | _CHUNKS),
    Case("Seed-OSS", partial(SeedOss, **_ROTARY, head_size=24)),
    Case("StarCoder", partial(GptBigCode, **_TRUNK, **_TEXT)),
    Case("BLOOM", _bloom),
    Case("BLOOM, 6 heads", partial(_bloom, width=72, heads=6)),
    Case("BLOOM, checkpointing", _bloom, _CHECKPOINTING),
    Case("BERT", _bert),
    Case("BERT, checkpointing and chunks", _bert, _CHECKPOINTING | _CHUNKS),
    Case("BERT, uneven micro-batches", _bert, micro_batches=_UNEVEN),
    Case("BERT, pre-training", partial(_bert, pretraining=True)),
    Case("ESM-2", _esm2),
    Case("ESM-2, checkpointing", _esm2, _CHECKPOINTING),
    Case("T5", _t5),
    Case("T5 1.1", partial(_t5, gated=True)),
    Case("T5, checkpointing and chunks", _t5, _CHECKPOINTING | _CHUNKS),
    Case("ViT", _vit),
    Case("ViT, checkpointing", _vit, _CHECKPOINTING),
    # Statistics over the batch: only whole batches compare.
    Case("ResNet-50", partial(_resnet, depth=50)),
    Case("ResNet-18", _resnet),
    Case("ResNet-18, checkpointing", _resnet, _CHECKPOINTING),
]
