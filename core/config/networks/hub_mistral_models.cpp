// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view mistral7b = R"("model_type": "mistral", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "max_position_embeddings": 32768, "rms_norm_eps": 1e-05)";
constexpr std::string_view nemo = R"("model_type": "mistral", "vocab_size": 131072,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0, "sliding_window": null)";
constexpr std::string_view mixtral = R"("model_type": "mixtral", "vocab_size": 32000,
    "max_position_embeddings": 32768, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0, "sliding_window": null)";

} // namespace

std::vector<HubModel> mistralHubModels()
{
    return {
        {.ids = {"mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.1"},
         .config =
             withKeys(mistral7b, R"("vocab_size": 32000, "rope_theta": 10000.0, "sliding_window": 4096)")},
        {.ids = {"mistralai/Mistral-7B-Instruct-v0.2", "mistral-community/Mistral-7B-v0.2"},
         .config =
             withKeys(mistral7b, R"("vocab_size": 32000, "rope_theta": 1000000.0, "sliding_window": null)")},
        {.ids = {"mistralai/Mistral-7B-v0.3", "mistralai/Mistral-7B-Instruct-v0.3"},
         .config =
             withKeys(mistral7b, R"("vocab_size": 32768, "rope_theta": 1000000.0, "sliding_window": null)")},
        {.ids = {"mistralai/Mistral-Nemo-Base-2407", "mistralai/Mistral-Nemo-Instruct-2407"},
         .config = withKeys(nemo, R"("hidden_size": 5120, "intermediate_size": 14336, "num_hidden_layers": 40,
            "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128)")},
        {.ids = {"mistralai/Mixtral-8x7B-v0.1", "mistralai/Mixtral-8x7B-Instruct-v0.1"},
         .config =
             withKeys(mixtral, R"("hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 8,
            "num_experts_per_tok": 2)")}};
}

} // namespace batchpeak::config
