// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view gpt2 = R"("model_type": "gpt2", "architectures": ["GPT2LMHeadModel"])";
constexpr std::string_view bloom = R"("model_type": "bloom", "vocab_size": 250880, "seq_length": 2048)";

} // namespace

std::vector<HubModel> gptHubModels()
{
    return {{.ids = {"gpt2", "openai-community/gpt2"},
             .config = withKeys(gpt2, R"("n_embd": 768, "n_layer": 12, "n_head": 12)")},
            {.ids = {"gpt2-medium", "openai-community/gpt2-medium"},
             .config = withKeys(gpt2, R"("n_embd": 1024, "n_layer": 24, "n_head": 16)")},
            {.ids = {"gpt2-large", "openai-community/gpt2-large"},
             .config = withKeys(gpt2, R"("n_embd": 1280, "n_layer": 36, "n_head": 20)")},
            {.ids = {"gpt2-xl", "openai-community/gpt2-xl"},
             .config = withKeys(gpt2, R"("n_embd": 1600, "n_layer": 48, "n_head": 25)")},
            {.ids = {"distilgpt2", "distilbert/distilgpt2"},
             .config = withKeys(gpt2, R"("n_embd": 768, "n_layer": 6, "n_head": 12)")},
            {.ids = {"bigscience/bloom-560m", "bigscience/bloomz-560m"},
             .config = withKeys(bloom, R"("hidden_size": 1024, "n_layer": 24, "n_head": 16)")},
            {.ids = {"bigscience/bloom-1b1", "bigscience/bloomz-1b1"},
             .config = withKeys(bloom, R"("hidden_size": 1536, "n_layer": 24, "n_head": 16)")},
            {.ids = {"bigscience/bloom-1b7", "bigscience/bloomz-1b7"},
             .config = withKeys(bloom, R"("hidden_size": 2048, "n_layer": 24, "n_head": 16)")},
            {.ids = {"bigscience/bloom-3b", "bigscience/bloomz-3b"},
             .config = withKeys(bloom, R"("hidden_size": 2560, "n_layer": 30, "n_head": 32)")},
            {.ids = {"bigscience/bloom-7b1", "bigscience/bloomz-7b1"},
             .config = withKeys(bloom, R"("hidden_size": 4096, "n_layer": 30, "n_head": 32)")}};
}

} // namespace batchpeak::config
