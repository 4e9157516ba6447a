# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""LLaMA, and the networks that differ from it in a few parameters."""

from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from .causal import CausalNetwork
from .network import Piece, linear


class Llama(CausalNetwork):
    family = "llama"
    classes = LlamaConfig, LlamaForCausalLM
    # Biases of queries, keys and values.
    attention_bias = False
    normalization = "rmsnorm"
    normalization_bias = False
    epsilon_key = "rms_norm_eps"
    # attn_implementation of their network.
    attention = "sdpa"
    final_norm = "model.norm"

    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        key_value_heads: int,
        feed_forward: int,
        vocabulary: int,
        length: int,
        tied: bool = False,
        head_size: int | None = None,
        **others: object,
    ):
        """others are further arguments of their configuration."""
        config_class, network_class = self.classes
        if head_size is not None:
            others["head_dim"] = head_size
        config = config_class(
            vocab_size=vocabulary,
            hidden_size=width,
            intermediate_size=feed_forward,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=key_value_heads,
            max_position_embeddings=length,
            tie_word_embeddings=tied,
            bos_token_id=None,
            eos_token_id=None,
            **others,
        )
        self.module = network_class._from_config(config, attn_implementation=self.attention)
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": self.family,
            "layers": layers,
            "feed_forward_size": feed_forward,
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "heads": heads,
            "key_value_heads": key_value_heads,
            "max_positions": length,
            "position_embedding": "rotary",
            "rope_theta": self._theta(config.rope_parameters),
            "normalization": self.normalization,
            "normalization_epsilon": getattr(config, self.epsilon_key),
            "activation": "swiglu",
            "tied_embeddings": tied,
            "attention_bias": self.attention_bias,
            "attention_output_bias": False,
            "feed_forward_bias": False,
        }
        if head_size is not None:
            self.model["head_size"] = head_size
        self.pieces = linear("embed_tokens", "model.embed_tokens", bias=False)
        self._add_norm("final_norm", self.final_norm)
        if not tied:
            self.pieces |= linear("output", "lm_head", bias=False)
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"model.layers.{layer}"
            self._add_attention(ours, theirs)
            self._add_norms_of_feed_forward(ours, theirs)
            self._add_feed_forward(ours, f"{theirs}.mlp")

    def _theta(self, rope: dict[str, object]) -> float:
        return rope["rope_theta"]

    def _add_norm(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(ours, theirs, bias=self.normalization_bias)

    def _add_norms_of_feed_forward(self, ours: str, theirs: str) -> None:
        self._add_norm(f"{ours}.feed_forward_norm", f"{theirs}.post_attention_layernorm")

    def _add_attention(self, ours: str, theirs: str) -> None:
        attention = f"{theirs}.self_attn"
        parts = (f"{attention}.{part}_proj" for part in "qkv")
        self._add_norm(f"{ours}.attention_norm", f"{theirs}.input_layernorm")
        self.pieces |= linear(f"{ours}.attention.qkv", *parts, bias=self.attention_bias)
        self.pieces |= linear(f"{ours}.attention.output", f"{attention}.o_proj", bias=False)

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(
            f"{ours}.feed_forward.up", f"{theirs}.gate_proj", f"{theirs}.up_proj", bias=False
        )
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.down_proj", bias=False)


class Mistral(Llama):
    """Mistral 0.2 or later, which has no window."""

    family = "mistral"
    classes = MistralConfig, MistralForCausalLM

    def __init__(self, window: int | None = None, **sizes):
        super().__init__(**sizes, sliding_window=window)
        self.model["attention_window"] = window or 0


class Qwen2(Llama):
    family = "qwen2"
    classes = Qwen2Config, Qwen2ForCausalLM
    attention_bias = True


class Qwen3(Llama):
    family = "qwen3"
    classes = Qwen3Config, Qwen3ForCausalLM

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model["query_key_normalization"] = True

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        self.pieces |= linear(f"{ours}.attention.query_norm", f"{theirs}.self_attn.q_norm", bias=False)
        self.pieces |= linear(f"{ours}.attention.key_norm", f"{theirs}.self_attn.k_norm", bias=False)


class Mixtral(Llama):
    family = "mixtral"
    classes = MixtralConfig, MixtralForCausalLM

    def __init__(self, experts: int, experts_per_token: int, **sizes):
        super().__init__(**sizes, num_local_experts=experts, num_experts_per_tok=experts_per_token)
        self.model |= {"experts": experts, "experts_per_token": experts_per_token}

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(f"{ours}.router", f"{theirs}.gate", bias=False)
        self.pieces[f"{ours}.experts.up"] = [Piece(f"{theirs}.experts.gate_up_proj")]
        self.pieces[f"{ours}.experts.down"] = [Piece(f"{theirs}.experts.down_proj")]
