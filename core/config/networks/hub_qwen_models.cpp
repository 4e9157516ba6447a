// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

// Most base networks of Qwen2 and Qwen2.5 say 131072 positions where those that follow instructions say
// 32768.
constexpr std::string_view qwen2 = R"("model_type": "qwen2", "rope_theta": 1000000.0,
    "max_position_embeddings": 32768)";
constexpr std::string_view longQwen2 = R"("model_type": "qwen2", "rope_theta": 1000000.0,
    "max_position_embeddings": 131072)";
constexpr std::string_view qwen3 = R"("model_type": "qwen3", "vocab_size": 151936, "head_dim": 128,
    "rope_theta": 1000000.0, "max_position_embeddings": 40960)";
constexpr std::string_view qwen3Base = R"("model_type": "qwen3", "vocab_size": 151936, "head_dim": 128,
    "rope_theta": 1000000.0, "max_position_embeddings": 32768)";

} // namespace

std::vector<HubModel> qwenHubModels()
{
    return {
        {.ids = {"Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B-Instruct", "Qwen/Qwen2-0.5B-Instruct"},
         .config = withKeys(qwen2, R"("hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
            "num_attention_heads": 14, "num_key_value_heads": 2,
            "vocab_size": 151936, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen2-0.5B"},
         .config =
             withKeys(longQwen2, R"("hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
            "num_attention_heads": 14, "num_key_value_heads": 2,
            "vocab_size": 151936, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen2.5-1.5B", "Qwen/Qwen2-1.5B"},
         .config =
             withKeys(longQwen2, R"("hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28,
            "num_attention_heads": 12, "num_key_value_heads": 2,
            "vocab_size": 151936, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen2.5-1.5B-Instruct", "Qwen/Qwen2-1.5B-Instruct"},
         .config = withKeys(qwen2, R"("hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28,
            "num_attention_heads": 12, "num_key_value_heads": 2,
            "vocab_size": 151936, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen2.5-3B", "Qwen/Qwen2.5-3B-Instruct"},
         .config =
             withKeys(qwen2, R"("hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36,
            "num_attention_heads": 16, "num_key_value_heads": 2,
            "vocab_size": 151936, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen2.5-7B", "Qwen/Qwen2-7B"},
         .config =
             withKeys(longQwen2, R"("hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
            "num_attention_heads": 28, "num_key_value_heads": 4,
            "vocab_size": 152064, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2-7B-Instruct"},
         .config =
             withKeys(qwen2, R"("hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
            "num_attention_heads": 28, "num_key_value_heads": 4,
            "vocab_size": 152064, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen2.5-14B"},
         .config =
             withKeys(longQwen2, R"("hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 48,
            "num_attention_heads": 40, "num_key_value_heads": 8,
            "vocab_size": 152064, "tie_word_embeddings": false, "rms_norm_eps": 1e-05)")},
        {.ids = {"Qwen/Qwen2.5-14B-Instruct"},
         .config =
             withKeys(qwen2, R"("hidden_size": 5120, "intermediate_size": 13824, "num_hidden_layers": 48,
            "num_attention_heads": 40, "num_key_value_heads": 8,
            "vocab_size": 152064, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen2.5-32B"},
         .config =
             withKeys(longQwen2, R"("hidden_size": 5120, "intermediate_size": 27648, "num_hidden_layers": 64,
            "num_attention_heads": 40, "num_key_value_heads": 8,
            "vocab_size": 152064, "tie_word_embeddings": false, "rms_norm_eps": 1e-05)")},
        {.ids = {"Qwen/Qwen2.5-32B-Instruct"},
         .config =
             withKeys(qwen2, R"("hidden_size": 5120, "intermediate_size": 27648, "num_hidden_layers": 64,
            "num_attention_heads": 40, "num_key_value_heads": 8,
            "vocab_size": 152064, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen2.5-72B", "Qwen/Qwen2-72B"},
         .config =
             withKeys(longQwen2, R"("hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers": 80,
            "num_attention_heads": 64, "num_key_value_heads": 8,
            "vocab_size": 152064, "tie_word_embeddings": false, "rms_norm_eps": 1e-05)")},
        {.ids = {"Qwen/Qwen2.5-72B-Instruct", "Qwen/Qwen2-72B-Instruct"},
         .config =
             withKeys(qwen2, R"("hidden_size": 8192, "intermediate_size": 29568, "num_hidden_layers": 80,
            "num_attention_heads": 64, "num_key_value_heads": 8,
            "vocab_size": 152064, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen3-0.6B"},
         .config = withKeys(qwen3, R"("hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
            "num_attention_heads": 16, "num_key_value_heads": 8, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen3-0.6B-Base"},
         .config =
             withKeys(qwen3Base, R"("hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
            "num_attention_heads": 16, "num_key_value_heads": 8, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen3-1.7B"},
         .config = withKeys(qwen3, R"("hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28,
            "num_attention_heads": 16, "num_key_value_heads": 8, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen3-1.7B-Base"},
         .config =
             withKeys(qwen3Base, R"("hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28,
            "num_attention_heads": 16, "num_key_value_heads": 8, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen3-4B"},
         .config = withKeys(qwen3, R"("hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36,
            "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen3-4B-Base"},
         .config =
             withKeys(qwen3Base, R"("hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36,
            "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": true)")},
        {.ids = {"Qwen/Qwen3-8B"},
         .config =
             withKeys(qwen3, R"("hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36,
            "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen3-8B-Base"},
         .config =
             withKeys(qwen3Base, R"("hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36,
            "num_attention_heads": 32, "num_key_value_heads": 8, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen3-14B"},
         .config =
             withKeys(qwen3, R"("hidden_size": 5120, "intermediate_size": 17408, "num_hidden_layers": 40,
            "num_attention_heads": 40, "num_key_value_heads": 8, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen3-14B-Base"},
         .config =
             withKeys(qwen3Base, R"("hidden_size": 5120, "intermediate_size": 17408, "num_hidden_layers": 40,
            "num_attention_heads": 40, "num_key_value_heads": 8, "tie_word_embeddings": false)")},
        {.ids = {"Qwen/Qwen3-32B"},
         .config =
             withKeys(qwen3, R"("hidden_size": 5120, "intermediate_size": 25600, "num_hidden_layers": 64,
            "num_attention_heads": 64, "num_key_value_heads": 8, "tie_word_embeddings": false)")}};
}

} // namespace batchpeak::config
