# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small configs of networks that batchpeak-worker does not support, in the format of transformers' config.json."""

from __future__ import annotations

_DECODER = {
    "vocab_size": 128,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_LINEAR_ATTENTION = {
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
}
_MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_ssm": 64, "mamba_d_state": 8, "mamba_n_groups": 1}
_VISION = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 16,
    "patch_size": 8,
}

DECODERS = {
    "GPT-OSS": {
        **_DECODER,
        "model_type": "gpt_oss",
        "architectures": ["GptOssForCausalLM"],
        "head_dim": 8,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "sliding_window": 8,
        "layer_types": ["sliding_attention", "full_attention"],
        # The quantization of the published checkpoint, which is ignored, since weights are random.
        "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]},
        "torch_dtype": "bfloat16",
    },
    "Qwen3-Next": {
        **_DECODER,
        **_LINEAR_ATTENTION,
        "model_type": "qwen3_next",
        "architectures": ["Qwen3NextForCausalLM"],
        "head_dim": 8,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 16,
        "shared_expert_intermediate_size": 16,
        "layer_types": ["linear_attention", "full_attention"],
    },
    "DeepSeek-V3": {
        **_DECODER,
        "model_type": "deepseek_v3",
        "architectures": ["DeepseekV3ForCausalLM"],
        "auto_map": {"AutoModelForCausalLM": "modeling_deepseek.DeepseekV3ForCausalLM"},
        "num_key_value_heads": 4,
        "q_lora_rank": 16,
        "kv_lora_rank": 16,
        "qk_rope_head_dim": 8,
        "qk_nope_head_dim": 8,
        "v_head_dim": 8,
        "n_routed_experts": 4,
        "num_experts_per_tok": 2,
        "n_group": 2,
        "topk_group": 1,
        "moe_intermediate_size": 16,
        "first_k_dense_replace": 1,
    },
    "Llama 4": {
        **_DECODER,
        "model_type": "llama4_text",
        "architectures": ["Llama4ForCausalLM"],
        "head_dim": 8,
        "intermediate_size_mlp": 48,
        "num_local_experts": 4,
    },
    "Falcon-H1": {
        **_DECODER,
        **_MAMBA,
        "model_type": "falcon_h1",
        "architectures": ["FalconH1ForCausalLM"],
        "head_dim": 8,
    },
    "Mamba 2": {
        "model_type": "mamba2",
        "architectures": ["Mamba2ForCausalLM"],
        "vocab_size": 128,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_heads": 8,
        "head_dim": 8,
        "state_size": 8,
        "n_groups": 1,
        "chunk_size": 8,
        "time_step_limit": [0.0, float("inf")],
    },
    "Jamba": {
        **_DECODER,
        "model_type": "jamba",
        "architectures": ["JambaForCausalLM"],
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "attn_layer_period": 2,
        "attn_layer_offset": 1,
        "mamba_d_state": 8,
        "mamba_dt_rank": 4,
        "use_mamba_kernels": False,
    },
    "OLMo 2": {**_DECODER, "model_type": "olmo2", "architectures": ["Olmo2ForCausalLM"]},
    "EXAONE 4": {
        **_DECODER,
        "model_type": "exaone4",
        "architectures": ["Exaone4ForCausalLM"],
        "sliding_window": 8,
        "layer_types": ["sliding_attention", "full_attention"],
    },
    "LFM2": {
        **_DECODER,
        "model_type": "lfm2",
        "architectures": ["Lfm2ForCausalLM"],
        "layer_types": ["conv", "full_attention"],
        "block_multiple_of": 8,
    },
    "MiniMax": {
        **_DECODER,
        "model_type": "minimax",
        "architectures": ["MiniMaxForCausalLM"],
        "head_dim": 8,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "layer_types": ["linear_attention", "full_attention"],
    },
    "a class that there is no more": {**_DECODER, "model_type": "olmo2", "architectures": ["OlmoOfYore"]},
}
# Each with the class that it should make.
OTHERS = {
    "Gemma 3": (
        {
            "model_type": "gemma3",
            "architectures": ["Gemma3ForConditionalGeneration"],
            "text_config": {**_DECODER, "model_type": "gemma3_text", "head_dim": 8, "sliding_window": 8},
            "vision_config": {**_VISION, "model_type": "siglip_vision_model"},
            "mm_tokens_per_image": 4,
            "image_token_index": 100,
            "boi_token_index": 101,
            "eoi_token_index": 102,
        },
        "Gemma3ForConditionalGeneration",
    ),
    "BART": (
        {
            "model_type": "bart",
            "architectures": ["BartForConditionalGeneration"],
            "vocab_size": 128,
            "d_model": 32,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 48,
            "decoder_ffn_dim": 48,
            "max_position_embeddings": 64,
            "is_encoder_decoder": True,
        },
        "BartForConditionalGeneration",
    ),
    "ModernBERT": (
        {
            **_DECODER,
            "model_type": "modernbert",
            "architectures": ["ModernBertForMaskedLM"],
            "cls_token_id": 1,
            "sep_token_id": 2,
        },
        "ModernBertForMaskedLM",
    ),
    "RoBERTa that classifies": (
        {**_DECODER, "model_type": "roberta", "architectures": ["RobertaForSequenceClassification"]},
        "RobertaForSequenceClassification",
    ),
    "RoBERTa that classifies tokens": (
        {**_DECODER, "model_type": "roberta", "architectures": ["RobertaForTokenClassification"]},
        "RobertaForTokenClassification",
    ),
    "RoBERTa that answers": (
        {**_DECODER, "model_type": "roberta", "architectures": ["RobertaForQuestionAnswering"]},
        "RobertaForQuestionAnswering",
    ),
    # The class has no loss, so the class that its configuration maps to is used instead.
    "XLM-RoBERTa without a head": (
        {**_DECODER, "model_type": "xlm-roberta", "architectures": ["XLMRobertaModel"]},
        "XLMRobertaForCausalLM",
    ),
    "ConvNeXt": (
        {
            "model_type": "convnext",
            "architectures": ["ConvNextForImageClassification"],
            "image_size": 32,
            "hidden_sizes": [8, 16],
            "depths": [1, 1],
            "num_stages": 2,
        },
        "ConvNextForImageClassification",
    ),
}
