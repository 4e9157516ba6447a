# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The networks of the bench, with three micro-batch sizes of each, trained in full and with adapters.

Each family has two sizes for CPUs, whose steps take their side between 5 ms and 1 s on two cores. Some also have a
size that people train, which keeps a GPU busy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from parity.adapters import Tuning
from parity.networks.bert import Bert
from parity.networks.bloom import Bloom
from parity.networks.esm2 import Esm2
from parity.networks.gpt2 import Gpt2
from parity.networks.llama import Llama, Mixtral
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
    checkpoints: bool = False
    # None trains all of the network.
    tuning: Tuning | None = None


def _rivals(family: str, small: Callable[[], Network], large: Callable[[], Network]) -> list[Rival]:
    return [Rival(family, "small", small, (2, 8, 32)), Rival(family, "large", large, (1, 4, 12))]


_SMALL = {"layers": 2, "width": 128, "heads": 4}
_LARGE = {"layers": 4, "width": 256, "heads": 8}
_SMALL_TEXT = {**_SMALL, "vocabulary": 2048, "length": 64}
_LARGE_TEXT = {**_LARGE, "vocabulary": 8192, "length": 128}
# ESM-2's alphabet is the same in all sizes.
_PROTEINS = {"vocabulary": 33, "length": 128}

_llama = partial(Llama, **_SMALL_TEXT, key_value_heads=4, feed_forward=352)
_llama_large = partial(_llama, **_LARGE_TEXT, key_value_heads=2, feed_forward=704)
_mixtral = partial(
    Mixtral, **_SMALL_TEXT, key_value_heads=2, feed_forward=224, experts=4, experts_per_token=2
)
_t5 = partial(T5, **_SMALL_TEXT, head_size=32, feed_forward=512, target_length=32)
_vit = partial(ViT, **_SMALL, feed_forward=512, image=64, patch=8, classes=100)

RIVALS = [
    *_rivals("GPT-2", partial(Gpt2, **_SMALL_TEXT), partial(Gpt2, **_LARGE_TEXT)),
    *_rivals("LLaMA", _llama, _llama_large),
    *_rivals("Mixtral", _mixtral, partial(_mixtral, **_LARGE_TEXT, feed_forward=448, experts=8)),
    *_rivals("BLOOM", partial(Bloom, **_SMALL_TEXT), partial(Bloom, **_LARGE_TEXT)),
    *_rivals(
        "BERT", partial(Bert, **_SMALL_TEXT, feed_forward=512), partial(Bert, **_LARGE_TEXT, feed_forward=1024)
    ),
    *_rivals(
        "ESM-2",
        partial(Esm2, **_SMALL, **_PROTEINS, feed_forward=512),
        partial(Esm2, **_LARGE, **_PROTEINS, feed_forward=1024),
    ),
    *_rivals("T5", _t5, partial(_t5, **_LARGE_TEXT, feed_forward=1024, target_length=64)),
    *_rivals("ViT", _vit, partial(_vit, **_LARGE, feed_forward=1024, image=96, classes=1000)),
    *_rivals(
        "ResNet",
        partial(ResNet, depth=18, image=32, classes=100),
        partial(ResNet, depth=50, image=64, classes=1000),
    ),
]

# PEFT's defaults, except the rank, which is 16 in most examples of axolotl 0.13.
_ADAPTERS = {"rank": 16, "alpha": 32}
_ATTENTION = {"GPT-2": ("c_attn",), "LLaMA": ("q_proj", "v_proj")}


def _tunings(family: str) -> dict[str, Tuning]:
    return {
        "LoRA attention": Tuning(_ATTENTION[family], **_ADAPTERS),
        "LoRA": Tuning("all-linear", **_ADAPTERS),
        "DoRA": Tuning("all-linear", **_ADAPTERS, dora=True),
        "QLoRA": Tuning("all-linear", **_ADAPTERS, quantized=True),
    }


ADAPTER_RIVALS = [
    Rival(f"{family} {kind}", size, make, (1, 4, 16), tuning=tuning)
    for family, size, make in (
        ("GPT-2", "small", partial(Gpt2, **_SMALL_TEXT)),
        ("GPT-2", "large", partial(Gpt2, **_LARGE_TEXT)),
        ("LLaMA", "small", _llama),
        ("LLaMA", "large", _llama_large),
    )
    for kind, tuning in _tunings(family).items()
]

# GPT-3 1.3B (arXiv 2005.14165, table 2.1), BERT-large (1810.04805), ViT-L/16 (2010.11929), ResNet-50 (1512.03385).
_gpt_1b = partial(Gpt2, layers=24, width=2048, heads=16, vocabulary=50257, length=1024)
_bert_large = partial(
    Bert, layers=24, width=1024, heads=16, feed_forward=4096, vocabulary=30522, length=512
)
_vit_large = partial(
    ViT, layers=24, width=1024, heads=16, feed_forward=4096, image=224, patch=16, classes=1000
)
_res_net_50 = partial(ResNet, depth=50, image=224, classes=1000)
# TinyLlama 1.1B (arXiv 2401.02385, table 2).
_llama_1b = partial(
    Llama,
    layers=22,
    width=2048,
    heads=32,
    key_value_heads=4,
    feed_forward=5632,
    vocabulary=32000,
    length=1024,
)

GPU_RIVALS = [
    Rival("GPT-3 1.3B", "gpu", _gpt_1b, (1, 4, 8)),
    Rival("GPT-3 1.3B, checkpoints", "gpu", _gpt_1b, (1, 8, 32), checkpoints=True),
    Rival("ViT-L", "gpu", _vit_large, (1, 32, 128)),
    Rival("BERT-large", "gpu", _bert_large, (1, 16, 64)),
    Rival("ResNet-50", "gpu", _res_net_50, (1, 64, 256)),
]

GPU_ADAPTER_RIVALS = [
    Rival(f"LLaMA 1.1B {kind}", "gpu", _llama_1b, (1, 4, 12), tuning=tuning)
    for kind, tuning in _tunings("LLaMA").items()
]
