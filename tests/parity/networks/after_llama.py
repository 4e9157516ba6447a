# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks made after LLaMA that differ from it in more than a few parameters."""

from transformers import (
    ArceeConfig,
    ArceeForCausalLM,
    Ernie4_5Config,
    Ernie4_5ForCausalLM,
    GraniteConfig,
    GraniteForCausalLM,
    GraniteMoeConfig,
    GraniteMoeForCausalLM,
    NemotronConfig,
    NemotronForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    Qwen2MoeConfig,
    Qwen2MoeForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
    SeedOssConfig,
    SeedOssForCausalLM,
    SmolLM3Config,
    SmolLM3ForCausalLM,
    StableLmConfig,
    StableLmForCausalLM,
    Starcoder2Config,
    Starcoder2ForCausalLM,
)

from .llama import Llama, Mixtral, Qwen3
from .network import Piece, halves_of_pairs, linear


class Qwen3Moe(Mixtral, Qwen3):
    """The first dense layers have no experts, but a feed-forward layer of another size."""

    family = "qwen3_moe"
    classes = Qwen3MoeConfig, Qwen3MoeForCausalLM

    def __init__(self, feed_forward: int, dense: int = 0, dense_feed_forward: int | None = None, **sizes):
        self._dense = dense
        super().__init__(
            feed_forward=dense_feed_forward or feed_forward,
            moe_intermediate_size=feed_forward,
            norm_topk_prob=True,
            mlp_only_layers=list(range(dense)),
            **sizes,
        )
        self.model |= {
            "feed_forward_size": feed_forward,
            "dense_layers": dense,
            "dense_feed_forward_size": dense_feed_forward or 0,
        }

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        if int(ours.removeprefix("layers.")) < self._dense:
            Llama._add_feed_forward(self, ours, theirs)
        else:
            super()._add_feed_forward(ours, theirs)


class Qwen2Moe(Mixtral):
    family = "qwen2_moe"
    classes = Qwen2MoeConfig, Qwen2MoeForCausalLM
    attention_bias = True

    def __init__(self, feed_forward: int, shared: int, experts: int, **sizes):
        super().__init__(
            feed_forward=feed_forward,
            experts=experts,
            # It does not use Mixtral's key.
            num_experts=experts,
            moe_intermediate_size=feed_forward,
            shared_expert_intermediate_size=shared,
            norm_topk_prob=True,
            **sizes,
        )
        self.model |= {"shared_expert_size": shared, "shared_expert_gate": True}

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        super()._add_feed_forward(ours, theirs)
        expert = f"{theirs}.shared_expert"
        self.pieces |= linear(
            f"{ours}.shared_expert.up", f"{expert}.gate_proj", f"{expert}.up_proj", bias=False
        )
        self.pieces |= linear(f"{ours}.shared_expert.down", f"{expert}.down_proj", bias=False)
        self.pieces |= linear(f"{ours}.shared_expert_gate", f"{theirs}.shared_expert_gate", bias=False)


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
    normalization_bias = True
    epsilon_key = "layer_norm_eps"

    def __init__(self, **sizes):
        super().__init__(**sizes, use_qkv_bias=True)
        self.model["rotary_dimensions"] = int(sizes["width"] // sizes["heads"] * 0.25)


class Starcoder2(Llama):
    family = "starcoder2"
    classes = Starcoder2Config, Starcoder2ForCausalLM
    attention_bias = True
    normalization = "layernorm"
    normalization_bias = True
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
        # The row of a padding token gets no gradient in transformers.
        super().__init__(**sizes, attention_dropout=0.0, residual_dropout=0.0, pad_token_id=None)


class Arcee(Llama):
    family = "arcee"
    classes = ArceeConfig, ArceeForCausalLM

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model["activation"] = "relu_squared"

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.up_proj", bias=False)
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.down_proj", bias=False)


class Nemotron(Arcee):
    family = "nemotron"
    classes = NemotronConfig, NemotronForCausalLM
    normalization = "layernorm"
    epsilon_key = "norm_eps"

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model["rotary_dimensions"] = int(sizes["width"] // sizes["heads"] * 0.5)

    def _add_norm(self, ours: str, theirs: str) -> None:
        self.pieces[f"{ours}.weight"] = [Piece(f"{theirs}.weight", shift=1.0)]
        self.pieces[f"{ours}.bias"] = [Piece(f"{theirs}.bias")]


class SmolLm3(Llama):
    """The layers in unrotated have no rotary embedding."""

    family = "smollm3"
    classes = SmolLM3Config, SmolLM3ForCausalLM

    def __init__(self, layers: int, unrotated: tuple[int, ...], **sizes):
        rotate = [int(layer not in unrotated) for layer in range(layers)]
        super().__init__(layers=layers, no_rope_layers=rotate, pad_token_id=None, **sizes)
        self.model["unrotated_layers"] = list(unrotated)


class Granite(Llama):
    """Granite with scales of 1: others change only values, not the speed."""

    family = "granite"
    classes = GraniteConfig, GraniteForCausalLM

    def __init__(self, **sizes):
        super().__init__(attention_multiplier=(sizes["width"] // sizes["heads"]) ** -0.5, **sizes)


class GraniteMoe(Mixtral):
    family = "granitemoe"
    classes = GraniteMoeConfig, GraniteMoeForCausalLM

    def __init__(self, **sizes):
        super().__init__(attention_multiplier=(sizes["width"] // sizes["heads"]) ** -0.5, **sizes)

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        experts = theirs.replace(".mlp", ".block_sparse_moe")
        self.pieces |= linear(f"{ours}.router", f"{experts}.router", bias=False)
        self.pieces[f"{ours}.experts.up"] = [Piece(f"{experts}.experts.gate_up_proj")]
        self.pieces[f"{ours}.experts.down"] = [Piece(f"{experts}.experts.down_proj")]


class Ernie45(Llama):
    family = "ernie4_5"
    classes = Ernie4_5Config, Ernie4_5ForCausalLM

    def __init__(self, heads: int, key_value_heads: int, **sizes):
        self._turns = {
            "q": halves_of_pairs(heads),
            "k": halves_of_pairs(key_value_heads),
            "v": lambda theirs: theirs,
        }
        super().__init__(
            heads=heads,
            key_value_heads=key_value_heads,
            head_size=sizes["width"] // heads,
            pad_token_id=None,
            **sizes,
        )

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        self.pieces[f"{ours}.attention.qkv.weight"] = [
            Piece(f"{theirs}.self_attn.{part}_proj.weight", turn) for part, turn in self._turns.items()
        ]
