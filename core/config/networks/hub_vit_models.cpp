// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "hub_tables.h"

namespace batchpeak::config {

namespace {

// Trained on ImageNet with 1000 classes.
constexpr std::string_view classifier =
    R"("model_type": "vit", "architectures": ["ViTForImageClassification"],
    "num_labels": 1000)";
// Trained on ImageNet-21k; the classifier of its 21843 classes is not published.
constexpr std::string_view withoutHead = R"("model_type": "vit", "architectures": ["ViTModel"])";

} // namespace

std::vector<HubModel> vitHubModels()
{
    return {
        {.ids = {"google/vit-base-patch16-224"},
         .config =
             withKeys(classifier, R"("hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
            "num_attention_heads": 12, "patch_size": 16)")},
        {.ids = {"google/vit-base-patch16-224-in21k"},
         .config =
             withKeys(withoutHead, R"("hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
            "num_attention_heads": 12, "patch_size": 16)")},
        {.ids = {"google/vit-large-patch16-224"},
         .config =
             withKeys(classifier, R"("hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
            "num_attention_heads": 16, "patch_size": 16)")},
        {.ids = {"google/vit-large-patch16-224-in21k"},
         .config =
             withKeys(withoutHead, R"("hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
            "num_attention_heads": 16, "patch_size": 16)")},
        {.ids = {"google/vit-huge-patch14-224-in21k"},
         .config =
             withKeys(withoutHead, R"("hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32,
            "num_attention_heads": 16, "patch_size": 14)")}};
}

} // namespace batchpeak::config
