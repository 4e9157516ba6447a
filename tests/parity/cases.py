# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The compared networks, with the options of a step and the trained parts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from .adapters import Tuning
from .fake_quantization import Rounding
from .networks.after_llama import (
    Arcee,
    Ernie45,
    Granite,
    GraniteMoe,
    Nemotron,
    Phi3,
    Qwen2Moe,
    Qwen3Moe,
    SeedOss,
    SmolLm3,
    StableLm,
    Starcoder2,
)
from .networks.bert import Bert, BertClassifier
from .networks.bloom import Bloom
from .networks.esm2 import Esm2
from .networks.gpt2 import Gpt2, GptBigCode
from .networks.learned_positions import GptNeo, Opt
from .networks.llama import Llama, Mistral, Mixtral, Qwen2, Qwen3
from .networks.network import Network
from .networks.norms_behind import Gemma2, Gemma3, Glm4
from .networks.resnet import ResNet
from .networks.side_by_side import Cohere, Cohere2, Falcon, GptJ, GptNeoX, Phi
from .networks.t5 import T5
from .networks.vit import ViT


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Network]
    # Fields of the load message.
    options: dict[str, object] = field(default_factory=dict)
    # Samples of each micro-batch of ours; theirs runs all in one batch.
    micro_batches: tuple[int, ...] = (5,)
    # None trains all of the network.
    tuning: Tuning | None = None
    # Rounding of quantization-aware training.
    rounding: Rounding | None = None


_TEXT = {"vocabulary": 101, "length": 24}
_TRUNK = {"layers": 3, "width": 48, "heads": 4}
_ROTARY = {"layers": 3, "width": 64, "heads": 4, "key_value_heads": 2, "feed_forward": 88, **_TEXT}

_gpt2 = partial(Gpt2, **_TRUNK, **_TEXT)
_llama = partial(Llama, **_ROTARY)
_mistral = partial(Mistral, **_ROTARY)
_qwen2 = partial(Qwen2, **_ROTARY, tied=True)
_qwen3 = partial(Qwen3, **_ROTARY, head_size=24, tied=True)
_mixtral = partial(Mixtral, **_ROTARY | {"layers": 2, "feed_forward": 40}, experts=4, experts_per_token=2)
_qwen3_moe = partial(
    Qwen3Moe, **_ROTARY | {"layers": 2, "feed_forward": 40}, head_size=24, experts=8, experts_per_token=3
)
_phi3 = partial(Phi3, **_ROTARY)
_stablelm = partial(StableLm, **_ROTARY)
_starcoder = partial(GptBigCode, **_TRUNK, **_TEXT)
_starcoder2 = partial(Starcoder2, **_ROTARY, tied=True)
_seed_oss = partial(SeedOss, **_ROTARY, head_size=24)
_WINDOWS = {"window": 7, "windowed": (0, 2)}
_gemma2 = partial(Gemma2, **_ROTARY, **_WINDOWS, head_size=24)
_gemma3 = partial(Gemma3, **_ROTARY, **_WINDOWS, head_size=24)
_glm4 = partial(Glm4, **_ROTARY)
_phi = partial(Phi, **_ROTARY)
_cohere = partial(Cohere, **_ROTARY, tied=True)
_cohere2 = partial(Cohere2, **_ROTARY, tied=True, window=7, whole=(1,))
_gpt_neox = partial(GptNeoX, **_TRUNK, **_TEXT)
# Each row is one quantization block, since our network has the rows in another order.
_gptj = partial(GptJ, **_TRUNK | {"width": 64}, **_TEXT)
_falcon = partial(Falcon, **_TRUNK, **_TEXT)
_later_falcon = partial(_falcon, key_value_heads=2)
_gpt_neo = partial(GptNeo, **_TRUNK, **_TEXT, window=7)
_opt = partial(Opt, **_TRUNK, **_TEXT)
_nemotron = partial(Nemotron, **_ROTARY)
_arcee = partial(Arcee, **_ROTARY)
_granite = partial(Granite, **_ROTARY)
_granite_moe = partial(
    GraniteMoe, **_ROTARY | {"layers": 2, "feed_forward": 40}, experts=4, experts_per_token=2
)
_ernie = partial(Ernie45, **_ROTARY)
_smollm3 = partial(SmolLm3, **_ROTARY, unrotated=(1,), tied=True)
_qwen2_moe = partial(
    Qwen2Moe, **_ROTARY | {"layers": 2, "feed_forward": 40}, shared=56, experts=8, experts_per_token=3
)
_bloom = partial(Bloom, **_TRUNK, **_TEXT)
_bert = partial(Bert, **_TRUNK, **_TEXT, feed_forward=80)
_bert_classifier = partial(BertClassifier, **_TRUNK, **_TEXT, feed_forward=80)
_esm2 = partial(Esm2, **_TRUNK, **_TEXT, feed_forward=80)
# Longer than 16, from which on distances share buckets.
_t5 = partial(T5, **_TRUNK, head_size=16, feed_forward=80, vocabulary=101, length=40, target_length=24)
_vit = partial(ViT, **_TRUNK, feed_forward=80, image=32, patch=8, classes=11)
_resnet = partial(ResNet, depth=18, image=64, classes=11)

_CHECKPOINTING = {"activation_checkpointing": True}
# Fewer rows than a batch has, and not a divisor of their number.
_CHUNKS = {"loss_chunk_rows": 50}
_UNEVEN = (1, 2, 2)

_FULL = [
    Case("GPT-2", _gpt2),
    Case("GPT-2, untied", partial(_gpt2, tied=False)),
    Case("GPT-2, checkpointing", _gpt2, _CHECKPOINTING),
    Case("GPT-2, loss in chunks", _gpt2, _CHUNKS),
    Case("GPT-2, uneven micro-batches", _gpt2, micro_batches=_UNEVEN),
    Case("LLaMA", partial(_llama, key_value_heads=4)),
    Case("LLaMA, grouped queries, tied", partial(_llama, tied=True)),
    Case("LLaMA, checkpointing and chunks", partial(_llama, key_value_heads=4), _CHECKPOINTING | _CHUNKS),
    # As in Mistral-Nemo, the heads together are smaller than the hidden state.
    Case("LLaMA, heads of a size of their own", partial(_llama, head_size=12)),
    Case("Mistral", _mistral),
    Case("Qwen2", _qwen2),
    Case("Qwen3", _qwen3),
    Case("Qwen3, heads that share the hidden size, untied", partial(_qwen3, head_size=16, tied=False)),
    Case("Qwen3, checkpointing and chunks", _qwen3, _CHECKPOINTING | _CHUNKS),
    Case("Qwen3, uneven micro-batches", _qwen3, micro_batches=_UNEVEN),
    Case("Mixtral", _mixtral),
    Case("Mixtral, checkpointing", _mixtral, _CHECKPOINTING),
    Case("Qwen3 with experts", _qwen3_moe),
    Case("Qwen3 with experts, a dense layer", partial(_qwen3_moe, dense=1, dense_feed_forward=88)),
    Case("Mistral with a window", partial(_mistral, window=7)),
    Case("Mistral with a window, checkpointing", partial(_mistral, window=7), _CHECKPOINTING),
    Case("Gemma 2", _gemma2),
    Case("Gemma 2, checkpointing and chunks", _gemma2, _CHECKPOINTING | _CHUNKS),
    Case("Gemma 3", _gemma3),
    Case("Gemma 3, checkpointing and chunks", _gemma3, _CHECKPOINTING | _CHUNKS),
    Case("GLM-4", _glm4),
    Case("Phi", _phi),
    Case("Phi, checkpointing and chunks", _phi, _CHECKPOINTING | _CHUNKS),
    Case("Cohere", _cohere),
    Case("Cohere 2", _cohere2),
    Case("Cohere 2, checkpointing", _cohere2, _CHECKPOINTING),
    Case("GPT-NeoX", _gpt_neox),
    Case("GPT-NeoX, checkpointing and chunks", _gpt_neox, _CHECKPOINTING | _CHUNKS),
    Case("GPT-NeoX, branches one after the other", partial(_gpt_neox, sequential=True)),
    Case("GPT-J", _gptj),
    Case("GPT-J, checkpointing and chunks", _gptj, _CHECKPOINTING | _CHUNKS),
    Case("Falcon", _falcon),
    Case("Falcon, grouped queries", _later_falcon),
    Case("Falcon, branches one after the other", partial(_falcon, sequential=True)),
    Case("GPT-Neo", _gpt_neo),
    Case("GPT-Neo, checkpointing", _gpt_neo, _CHECKPOINTING),
    Case("OPT", _opt),
    Case("Nemotron", _nemotron),
    Case("Arcee", _arcee),
    Case("Granite", _granite),
    Case("Granite with experts", _granite_moe),
    Case("ERNIE 4.5", _ernie),
    Case("SmolLM3", _smollm3),
    Case("Qwen2 with experts", _qwen2_moe),
    Case("Qwen2 with experts, checkpointing", _qwen2_moe, _CHECKPOINTING),
    Case("Phi-3", _phi3),
    Case("StableLM", _stablelm),
    Case("StarCoder2", _starcoder2),
    Case("StarCoder2, checkpointing and chunks", partial(Starcoder2, **_ROTARY), _CHECKPOINTING | _CHUNKS),
    Case("Seed-OSS", _seed_oss),
    Case("StarCoder", _starcoder),
    Case("BLOOM", _bloom),
    Case("BLOOM, 6 heads", partial(_bloom, width=72, heads=6)),
    Case("BLOOM, checkpointing", _bloom, _CHECKPOINTING),
    Case("BERT", _bert),
    Case("BERT, checkpointing and chunks", _bert, _CHECKPOINTING | _CHUNKS),
    Case("BERT, uneven micro-batches", _bert, micro_batches=_UNEVEN),
    Case("BERT, pre-training", partial(_bert, pretraining=True)),
    Case("BERT, classes of texts", _bert_classifier),
    Case("BERT, classes of texts, checkpointing", _bert_classifier, _CHECKPOINTING),
    Case("ESM-2", _esm2),
    Case("ESM-2, checkpointing", _esm2, _CHECKPOINTING),
    Case("T5", _t5),
    Case("T5 1.1", partial(_t5, gated=True)),
    Case("T5, checkpointing and chunks", _t5, _CHECKPOINTING | _CHUNKS),
    Case("ViT", _vit),
    Case("ViT, checkpointing", _vit, _CHECKPOINTING),
    # Batch normalization: only whole batches can be compared.
    Case("ResNet-50", partial(_resnet, depth=50)),
    Case("ResNet-18", _resnet),
    Case("ResNet-18, checkpointing", _resnet, _CHECKPOINTING),
]

_ALL = "all-linear"
_QUERY_VALUE = ("q_proj", "v_proj")
_ALL_OF_ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
# The modules of attention that users of PEFT usually name: queries and values, or queries, keys and values if they are
# one module. Then all modules that our network can adapt.
_ADAPTED = {
    "GPT-2": (_gpt2, ("c_attn",), _ALL),
    "LLaMA": (_llama, _QUERY_VALUE, _ALL),
    "Mistral": (_mistral, _QUERY_VALUE, _ALL),
    "Qwen2": (_qwen2, _QUERY_VALUE, _ALL),
    "Qwen3": (_qwen3, _QUERY_VALUE, _ALL),
    # PEFT's all-linear includes routers and experts, depending on the version.
    "Mixtral": (_mixtral, _QUERY_VALUE, _ALL_OF_ATTENTION),
    "Qwen3 with experts": (_qwen3_moe, _QUERY_VALUE, _ALL_OF_ATTENTION),
    "Qwen2 with experts": (
        _qwen2_moe,
        _QUERY_VALUE,
        (
            *_ALL_OF_ATTENTION,
            "shared_expert.gate_proj",
            "shared_expert.up_proj",
            "shared_expert.down_proj",
            "shared_expert_gate",
        ),
    ),
    "Granite with experts": (_granite_moe, _QUERY_VALUE, _ALL_OF_ATTENTION),
    "Mistral with a window": (partial(_mistral, window=7), _QUERY_VALUE, _ALL),
    "Gemma 2": (_gemma2, _QUERY_VALUE, _ALL),
    "Gemma 3": (_gemma3, _QUERY_VALUE, _ALL),
    "GLM-4": (_glm4, _QUERY_VALUE, _ALL),
    "Phi": (_phi, _QUERY_VALUE, _ALL),
    "Cohere": (_cohere, _QUERY_VALUE, _ALL),
    "Cohere 2": (_cohere2, _QUERY_VALUE, _ALL),
    "GPT-NeoX": (_gpt_neox, ("query_key_value",), _ALL),
    "GPT-J": (_gptj, _QUERY_VALUE, _ALL),
    "Falcon": (_falcon, ("query_key_value",), _ALL),
    "Falcon, grouped queries": (_later_falcon, ("query_key_value",), _ALL),
    "GPT-Neo": (_gpt_neo, _QUERY_VALUE, _ALL),
    "OPT": (_opt, _QUERY_VALUE, _ALL),
    "Nemotron": (_nemotron, _QUERY_VALUE, _ALL),
    "Arcee": (_arcee, _QUERY_VALUE, _ALL),
    "Granite": (_granite, _QUERY_VALUE, _ALL),
    "ERNIE 4.5": (_ernie, _QUERY_VALUE, _ALL),
    "SmolLM3": (_smollm3, _QUERY_VALUE, _ALL),
    "Phi-3": (_phi3, ("qkv_proj",), _ALL),
    "StableLM": (_stablelm, _QUERY_VALUE, _ALL),
    "StarCoder": (_starcoder, ("c_attn",), _ALL),
    "StarCoder2": (_starcoder2, _QUERY_VALUE, _ALL),
    "Seed-OSS": (_seed_oss, _QUERY_VALUE, _ALL),
    "BLOOM": (_bloom, ("query_key_value",), _ALL),
    "BERT": (_bert, ("query", "value"), _ALL),
    "BERT, pre-training": (
        partial(_bert, pretraining=True),
        ("query", "value"),
        ("query", "key", "value", "dense"),
    ),
    # PEFT's all-linear would include the classifier.
    "BERT, classes of texts": (_bert_classifier, ("query", "value"), ("query", "key", "value", "dense")),
    "ESM-2": (_esm2, ("query", "value"), _ALL),
    "T5": (_t5, ("q", "v"), _ALL),
    "T5 1.1": (partial(_t5, gated=True), ("q", "v"), _ALL),
    "ViT": (_vit, _QUERY_VALUE, _ALL),
}


def _adapter_cases() -> list[Case]:
    cases = []
    for name, (make, attention, linear) in _ADAPTED.items():
        kinds = {
            "LoRA on attention": Tuning(attention),
            "LoRA on all linear": Tuning(linear),
            "DoRA": Tuning(linear, dora=True),
            "QLoRA": Tuning(linear, quantized=True),
        }
        cases += [Case(f"{name}, {kind}", make, tuning=tuning) for kind, tuning in kinds.items()]
    return cases


# torchao requires that the number of elements is a multiple of 64 x 256. Two heads of keys have 128 rows.
_TORCHAO_SIZES = {"width": 256, "feed_forward": 384}
_TORCHAO = {
    "LLaMA": partial(_llama, **_TORCHAO_SIZES),
    "Mistral": partial(_mistral, **_TORCHAO_SIZES),
    # Queries, keys and values have biases.
    "Qwen2": partial(_qwen2, **_TORCHAO_SIZES),
    "Gemma 2": partial(Gemma2, **_ROTARY | _TORCHAO_SIZES, **_WINDOWS, head_size=64),
}


def _torchao_cases() -> list[Case]:
    cases = []
    for name, make in _TORCHAO.items():
        cases += [
            Case(f"{name}, torchao NF4, LoRA on attention", make, tuning=Tuning(_QUERY_VALUE, torchao=True)),
            Case(f"{name}, torchao NF4, LoRA", make, tuning=Tuning(_ALL, torchao=True)),
            Case(f"{name}, torchao NF4, DoRA", make, tuning=Tuning(_ALL, torchao=True, dora=True)),
        ]
    llama = _TORCHAO["LLaMA"]
    return [
        *cases,
        Case("LLaMA, torchao NF4, LoRA, checkpointing", llama, _CHECKPOINTING, tuning=Tuning(_ALL, torchao=True)),
        Case(
            "LLaMA, torchao NF4, LoRA, uneven micro-batches",
            llama,
            micro_batches=_UNEVEN,
            tuning=Tuning(_ALL, torchao=True),
        ),
    ]


def _8_bit_cases() -> list[Case]:
    cases = []
    for name in ("GPT-2", "LLaMA", "Qwen2", "Gemma 2", "GPT-NeoX", "OPT", "BERT"):
        make, attention, linear = _ADAPTED[name]
        cases += [
            Case(f"{name}, 8 bits, LoRA on attention", make, tuning=Tuning(attention, in_8_bits=True)),
            Case(f"{name}, 8 bits, LoRA", make, tuning=Tuning(linear, in_8_bits=True)),
            Case(f"{name}, 8 bits, DoRA", make, tuning=Tuning(linear, in_8_bits=True, dora=True)),
        ]
    return [
        *cases,
        Case("LLaMA, 8 bits, LoRA, checkpointing", _llama, _CHECKPOINTING, tuning=Tuning(_ALL, in_8_bits=True)),
    ]


_tied_llama = partial(_llama, tied=True)

_TUNED = [
    *_adapter_cases(),
    *_torchao_cases(),
    *_8_bit_cases(),
    Case("LLaMA, rank-stabilized LoRA", _llama, tuning=Tuning(_ALL, rank=8, alpha=16, rank_stabilized=True)),
    Case("LLaMA, DoRA on attention", _llama, tuning=Tuning(_QUERY_VALUE, dora=True)),
    Case("LLaMA, quantized DoRA", _llama, tuning=Tuning(_ALL, dora=True, quantized=True)),
    # The scales of a matrix fill more than one block.
    Case(
        "LLaMA, wide, QLoRA",
        partial(_llama, width=128, feed_forward=352),
        tuning=Tuning(_ALL, quantized=True),
    ),
    Case("LLaMA, LoRA in two layers", _llama, tuning=Tuning(_QUERY_VALUE, layers=(0, 2))),
    Case("LLaMA, LoRA on the output too", _llama, tuning=Tuning((*_QUERY_VALUE, "lm_head"))),
    Case("LLaMA, tied, LoRA on the output too", _tied_llama, tuning=Tuning((*_QUERY_VALUE, "lm_head"))),
    Case(
        "LLaMA, tied, DoRA on the output too",
        _tied_llama,
        tuning=Tuning((*_QUERY_VALUE, "lm_head"), dora=True),
    ),
    *(
        Case(
            f"{network}, LoRA and a trained {name}",
            make,
            tuning=Tuning(_QUERY_VALUE, modules_to_save=modules),
        )
        for network, make in (("LLaMA", _llama), ("LLaMA, tied", _tied_llama))
        for name, modules in (
            ("embedding", ("embed_tokens",)),
            ("output", ("lm_head",)),
            ("embedding and output", ("embed_tokens", "lm_head")),
        )
    ),
    Case("ViT, LoRA and trained classes", _vit, tuning=Tuning(_QUERY_VALUE, modules_to_save=("classifier",))),
    Case(
        "BERT, classes of texts, LoRA and a trained classifier",
        _bert_classifier,
        tuning=Tuning(("query", "value"), modules_to_save=("classifier",)),
    ),
    Case("GPT-2, LoRA, checkpointing", _gpt2, _CHECKPOINTING, tuning=Tuning(_ALL)),
    Case("LLaMA, LoRA, checkpointing and chunks", _llama, _CHECKPOINTING | _CHUNKS, tuning=Tuning(_ALL)),
    Case("LLaMA, QLoRA, checkpointing", _llama, _CHECKPOINTING, tuning=Tuning(_ALL, quantized=True)),
    Case("LLaMA, DoRA, checkpointing", _llama, _CHECKPOINTING, tuning=Tuning(_ALL, dora=True)),
    Case("T5, LoRA, checkpointing", _t5, _CHECKPOINTING, tuning=Tuning(_ALL)),
    Case("Qwen3, LoRA, uneven micro-batches", _qwen3, micro_batches=_UNEVEN, tuning=Tuning(_ALL)),
    Case("GPT-2, the last layer trained", _gpt2, tuning=Tuning(trained_parts=("layers.2.", "final_norm."))),
    Case("GPT-2, embeddings trained", _gpt2, tuning=Tuning(trained_parts=("embed_",))),
    Case("LLaMA, layers and output trained", _llama, tuning=Tuning(trained_parts=("layers.1.", "output."))),
    Case(
        "LLaMA, the last layer trained, checkpointing",
        _llama,
        _CHECKPOINTING,
        tuning=Tuning(trained_parts=("layers.2.",)),
    ),
    Case(
        "Mixtral, routers trained",
        _mixtral,
        tuning=Tuning(trained_parts=("layers.0.router.", "layers.1.router.")),
    ),
    Case("ViT, classes trained", _vit, tuning=Tuning(trained_parts=("output.",))),
    Case("ResNet-18, classes trained", _resnet, tuning=Tuning(trained_parts=("output.",))),
]

# Groups of 8 divide all rows: those of 64 and 88 inputs, or 40 of experts.
_INTEGERS = Rounding("int4", 8, "int8")
_NARROW_FLOATS = Rounding("nvfp4", 16, "nvfp4")
_BESIDE_ADAPTERS = Rounding("int4", 8, "int8", adapted_layers=True)
_LLAMA_TARGETS = ("q_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")

_ROUNDED = [
    *(
        Case(f"{name}, int4 weights and int8 activations", make, rounding=_INTEGERS)
        for name, make in [
            ("LLaMA", _llama),
            ("LLaMA, tied", partial(_llama, tied=True)),
            ("Mistral", _mistral),
            ("Qwen2", _qwen2),
            ("Qwen3", _qwen3),
            ("Phi-3", _phi3),
            ("Starcoder2", _starcoder2),
            ("Mixtral", _mixtral),
        ]
    ),
    Case("LLaMA, int4 and int8, checkpointing", _llama, _CHECKPOINTING, rounding=_INTEGERS),
    Case("LLaMA, int4 weights", _llama, rounding=Rounding("int4", 8)),
    Case("LLaMA, int8 weights by rows", _llama, rounding=Rounding("int8")),
    Case("LLaMA, uint4 weights", _llama, rounding=Rounding("uint4", 8)),
    Case("LLaMA, nvfp4", partial(_llama, feed_forward=96), rounding=_NARROW_FLOATS),
    Case("Qwen2, nvfp4", partial(_qwen2, feed_forward=96), rounding=_NARROW_FLOATS),
    Case(
        "LLaMA, int4 and int8, embeddings too",
        partial(_llama, tied=True),
        rounding=Rounding("int4", 8, "int8", embeddings=True),
    ),
    Case(
        "LLaMA, int4 and int8 in adapted layers",
        _llama,
        tuning=Tuning(_LLAMA_TARGETS),
        rounding=_BESIDE_ADAPTERS,
    ),
    Case(
        "Qwen3, int4 and int8 in adapted layers, checkpointing",
        _qwen3,
        _CHECKPOINTING,
        tuning=Tuning(_LLAMA_TARGETS),
        rounding=_BESIDE_ADAPTERS,
    ),
    Case(
        "LLaMA, int4 and int8, LoRA beside some",
        _llama,
        tuning=Tuning(("q_proj", "v_proj")),
        rounding=_INTEGERS,
    ),
    Case(
        "LLaMA, int4 and int8, DoRA",
        _llama,
        tuning=Tuning(("q_proj", "v_proj"), dora=True),
        rounding=_INTEGERS,
    ),
]

CASES = _FULL + _TUNED + _ROUNDED
