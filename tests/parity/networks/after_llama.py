# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks made after LLaMA that differ from it in more than a few parameters."""

from transformers import (
    Phi3Config,
    Phi3ForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
    SeedOssConfig,
    SeedOssForCausalLM,
    StableLmConfig,
    StableLmForCausalLM,
    Starcoder2Config,
    Starcoder2ForCausalLM,
)

from .llama import Llama, Mixtral, Qwen3
from .network import linear


class Qwen3Moe(Mixtral, Qwen3):
    family = "qwen3_moe"
    classes = Qwen3MoeConfig, Qwen3MoeForCausalLM

    def __init__(self, feed_forward: int, **sizes):
        # Theirs has another size for layers without experts, of which there are none.
        super().__init__(
            feed_forward=feed_forward, moe_intermediate_size=feed_forward, norm_topk_prob=True, **sizes
        )


class Phi3(Llama):
    family = "phi3"
    classes = Phi3Config, Phi3ForCausalLM

    def __init__(self, **sizes):
        super().__init__(**sizes, pad_token_id=None)

    def _add_attention(self, ours: str, theirs: str) -> None:
        attention = f"{theirs}.self_attn"
        self._add_norm(f"{ours}.attention_norm", f"{theirs}.input_layernorm")
        self.pieces |= linear(f"{ours}.attention.qkv", f"{attention}.qkv_proj", bias=False)
        self.pieces |= linear(f"{ours}.attention.output", f"{attention}.o_proj", bias=False)

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.gate_up_proj", bias=False)
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.down_proj", bias=False)


class StableLm(Llama):
    family = "stablelm"
    classes = StableLmConfig, StableLmForCausalLM
    attention_bias = True
    normalization = "layernorm"
    epsilon_key = "layer_norm_eps"

    def __init__(self, **sizes):
        super().__init__(**sizes, use_qkv_bias=True)
        self.model["rotary_dimensions"] = int(sizes["width"] // sizes["heads"] * 0.25)


class Starcoder2(Llama):
    family = "starcoder2"
    classes = Starcoder2Config, Starcoder2ForCausalLM
    attention_bias = True
    normalization = "layernorm"
    epsilon_key = "norm_epsilon"

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model |= {
            "activation": "gelu_tanh",
            "attention_output_bias": True,
            "feed_forward_bias": True,
        }

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        self.pieces |= linear(f"{ours}.attention.output", f"{theirs}.self_attn.o_proj")

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.c_fc")
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.c_proj")


class SeedOss(Llama):
    family = "seed_oss"
    classes = SeedOssConfig, SeedOssForCausalLM
    attention_bias = True

    def __init__(self, **sizes):
        # Rows of a padding token have no gradients in theirs.
        super().__init__(**sizes, attention_dropout=0.0, residual_dropout=0.0, pad_token_id=None)
