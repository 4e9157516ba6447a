// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view bertBase = R"("model_type": "bert", "architectures": ["BertForMaskedLM"],
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12)";
constexpr std::string_view bertLarge = R"("model_type": "bert", "architectures": ["BertForMaskedLM"],
    "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16)";

} // namespace

std::vector<HubModel> bertHubModels()
{
    return {{.ids = {"bert-base-uncased", "google-bert/bert-base-uncased"},
             .config = withKeys(bertBase, R"("vocab_size": 30522)")},
            {.ids = {"bert-base-cased", "google-bert/bert-base-cased"},
             .config = withKeys(bertBase, R"("vocab_size": 28996)")},
            {.ids = {"bert-large-uncased", "google-bert/bert-large-uncased"},
             .config = withKeys(bertLarge, R"("vocab_size": 30522)")},
            {.ids = {"bert-large-cased", "google-bert/bert-large-cased"},
             .config = withKeys(bertLarge, R"("vocab_size": 28996)")}};
}

} // namespace batchpeak::config
