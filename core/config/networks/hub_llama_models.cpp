// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view llama2 =
    R"("model_type": "llama", "vocab_size": 32000, "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-05)";
constexpr std::string_view llama3 =
    R"("model_type": "llama", "vocab_size": 128256, "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-05, "rope_theta": 500000.0)";
// Its positions are scaled (rope_scaling), which changes numbers alone.
constexpr std::string_view llama31 = R"("model_type": "llama", "vocab_size": 128256,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "rope_theta": 500000.0)";
constexpr std::string_view llama32 = R"("model_type": "llama", "vocab_size": 128256,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "tie_word_embeddings": true)";
constexpr std::string_view tinyLlama = R"("model_type": "llama", "vocab_size": 32000,
    "max_position_embeddings": 2048, "rms_norm_eps": 1e-05)";
constexpr std::string_view smolLm2 =
    R"("model_type": "llama", "vocab_size": 49152, "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-05, "tie_word_embeddings": true)";

} // namespace

std::vector<HubModel> llamaHubModels()
{
    return {
        {.ids = {"meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b", "meta-llama/Llama-2-7b-chat-hf",
                 "meta-llama/Llama-2-7b-chat"},
         .config =
             withKeys(llama2, R"("hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 32)")},
        {.ids = {"meta-llama/Llama-2-13b-hf", "meta-llama/Llama-2-13b", "meta-llama/Llama-2-13b-chat-hf",
                 "meta-llama/Llama-2-13b-chat"},
         .config =
             withKeys(llama2, R"("hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 40,
            "num_attention_heads": 40, "num_key_value_heads": 40)")},
        {.ids = {"meta-llama/Llama-2-70b-hf", "meta-llama/Llama-2-70b", "meta-llama/Llama-2-70b-chat-hf",
                 "meta-llama/Llama-2-70b-chat"},
         .config =
             withKeys(llama2, R"("hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80,
            "num_attention_heads": 64, "num_key_value_heads": 8)")},
        {.ids = {"meta-llama/Meta-Llama-3-8B", "meta-llama/Meta-Llama-3-8B-Instruct"},
         .config =
             withKeys(llama3, R"("hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8)")},
        {.ids = {"meta-llama/Meta-Llama-3-70B", "meta-llama/Meta-Llama-3-70B-Instruct"},
         .config =
             withKeys(llama3, R"("hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80,
            "num_attention_heads": 64, "num_key_value_heads": 8)")},
        {.ids = {"meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct",
                 "meta-llama/Meta-Llama-3.1-8B", "meta-llama/Meta-Llama-3.1-8B-Instruct"},
         .config =
             withKeys(llama31, R"("hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8)")},
        {.ids = {"meta-llama/Llama-3.1-70B", "meta-llama/Llama-3.1-70B-Instruct",
                 "meta-llama/Meta-Llama-3.1-70B", "meta-llama/Meta-Llama-3.1-70B-Instruct",
                 "meta-llama/Llama-3.3-70B-Instruct"},
         .config =
             withKeys(llama31, R"("hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80,
            "num_attention_heads": 64, "num_key_value_heads": 8)")},
        {.ids = {"meta-llama/Llama-3.1-405B", "meta-llama/Llama-3.1-405B-Instruct",
                 "meta-llama/Meta-Llama-3.1-405B", "meta-llama/Meta-Llama-3.1-405B-Instruct"},
         .config =
             withKeys(llama31, R"("hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126,
            "num_attention_heads": 128, "num_key_value_heads": 8)")},
        {.ids = {"meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct"},
         .config =
             withKeys(llama32, R"("hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
            "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64)")},
        {.ids = {"meta-llama/Llama-3.2-3B", "meta-llama/Llama-3.2-3B-Instruct"},
         .config =
             withKeys(llama32, R"("hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 28,
            "num_attention_heads": 24, "num_key_value_heads": 8, "head_dim": 128)")},
        {.ids = {"TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T", "TinyLlama/TinyLlama-1.1B-Chat-v1.0",
                 "TinyLlama/TinyLlama_v1.1"},
         .config =
             withKeys(tinyLlama, R"("hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22,
            "num_attention_heads": 32, "num_key_value_heads": 4)")},
        {.ids = {"HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M-Instruct"},
         .config =
             withKeys(smolLm2, R"("hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
            "num_attention_heads": 9, "num_key_value_heads": 3, "rope_theta": 100000)")},
        {.ids = {"HuggingFaceTB/SmolLM2-360M", "HuggingFaceTB/SmolLM2-360M-Instruct"},
         .config =
             withKeys(smolLm2, R"("hidden_size": 960, "intermediate_size": 2560, "num_hidden_layers": 32,
            "num_attention_heads": 15, "num_key_value_heads": 5, "rope_theta": 100000)")},
        {.ids = {"HuggingFaceTB/SmolLM2-1.7B", "HuggingFaceTB/SmolLM2-1.7B-Instruct"},
         .config =
             withKeys(smolLm2, R"("hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 24,
            "num_attention_heads": 32, "num_key_value_heads": 32, "rope_theta": 130000)")}};
}

} // namespace batchpeak::config
