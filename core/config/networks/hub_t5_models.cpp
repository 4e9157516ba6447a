// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

constexpr std::string_view t5 = R"("model_type": "t5", "feed_forward_proj": "relu")";
constexpr std::string_view t511 = R"("model_type": "t5", "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": false)";

} // namespace

std::vector<HubModel> t5HubModels()
{
    return {
        {.ids = {"t5-small", "google-t5/t5-small"},
         .config =
             withKeys(t5, R"("d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6, "num_heads": 8)")},
        {.ids = {"t5-base", "google-t5/t5-base"},
         .config =
             withKeys(t5, R"("d_model": 768, "d_kv": 64, "d_ff": 3072, "num_layers": 12, "num_heads": 12)")},
        {.ids = {"t5-large", "google-t5/t5-large"},
         .config =
             withKeys(t5, R"("d_model": 1024, "d_kv": 64, "d_ff": 4096, "num_layers": 24, "num_heads": 16)")},
        {.ids = {"t5-3b", "google-t5/t5-3b"},
         .config = withKeys(
             t5, R"("d_model": 1024, "d_kv": 128, "d_ff": 16384, "num_layers": 24, "num_heads": 32)")},
        {.ids = {"t5-11b", "google-t5/t5-11b"},
         .config = withKeys(
             t5, R"("d_model": 1024, "d_kv": 128, "d_ff": 65536, "num_layers": 24, "num_heads": 128)")},
        {.ids = {"google/flan-t5-small", "google/t5-v1_1-small"},
         .config =
             withKeys(t511, R"("d_model": 512, "d_kv": 64, "d_ff": 1024, "num_layers": 8, "num_heads": 6)")},
        {.ids = {"google/flan-t5-base", "google/t5-v1_1-base"},
         .config = withKeys(
             t511, R"("d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_heads": 12)")},
        {.ids = {"google/flan-t5-large", "google/t5-v1_1-large"},
         .config = withKeys(
             t511, R"("d_model": 1024, "d_kv": 64, "d_ff": 2816, "num_layers": 24, "num_heads": 16)")},
        {.ids = {"google/flan-t5-xl", "google/t5-v1_1-xl"},
         .config = withKeys(
             t511, R"("d_model": 2048, "d_kv": 64, "d_ff": 5120, "num_layers": 24, "num_heads": 32)")},
        {.ids = {"google/flan-t5-xxl", "google/t5-v1_1-xxl"},
         .config = withKeys(
             t511, R"("d_model": 4096, "d_kv": 64, "d_ff": 10240, "num_layers": 24, "num_heads": 64)")}};
}

} // namespace batchpeak::config
