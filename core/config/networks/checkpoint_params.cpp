// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network_readers.h"
#include "unmodeled_features.h"

#include <algorithm>
#include <array>
#include <string>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

using enum UnmodeledFeature::When;

/// Limit of positions, for which the file has no key, since positions are computed: that of the longest
/// published network, Llama 3.1.
constexpr std::int64_t longestText = 131072;

/// Keys of networks after Mistral's first, in mistral_inference/args.py and in the files on the hub.
constexpr std::array<UnmodeledFeature, 4> otherLlamas{{{"vision_encoder", "an encoder of images"},
                                                       {"audio_encoder", "an encoder of sounds"},
                                                       {"quantization", "quantized weights"},
                                                       {"quantization_args", "quantized weights"}}};

std::int64_t vocabularyOf(const ConfigSection& params)
{
    // Llama.build in llama/generation.py fills it in from the tokenizer.
    if (params.integer("vocab_size") == -1) {
        throw notRun(params.positionOf("vocab_size"),
                     "The checkpoint leaves the size of the vocabulary to its tokenizer (vocab_size is -1); "
                     "write it there, as 32000 for LLaMA and Llama 2, or give the network's config.json with "
                     "--model.");
    }
    return requiredSize(params, "vocab_size");
}

/// Returns the feed-forward size: Mistral writes it; LLaMA derives it as FeedForward in llama/model.py does.
std::int64_t feedForwardSizeOf(const ConfigSection& params, std::int64_t hiddenSize)
{
    if (params.has("hidden_dim"))
        return requiredSize(params, "hidden_dim");
    const std::int64_t unit = sizeOr(params, "multiple_of", 256);
    const double factor = positiveNumberOr(params, "ffn_dim_multiplier", 1.0);
    constexpr double largest = 1 << 22;
    // ModelArgs rounds down before it multiplies.
    const std::int64_t twoThirds = 2 * (4 * hiddenSize) / 3;
    const auto size =
        static_cast<std::int64_t>(std::min(factor * static_cast<double>(twoThirds), largest + 1.0));
    return checkedSize(params, "ffn_dim_multiplier", (size + unit - 1) / unit * unit);
}

void readExperts(DecoderSpec& spec, const ConfigSection& params)
{
    const auto experts = params.section("moe");
    if (!experts)
        return;
    spec.experts = requiredSize(*experts, "num_experts");
    spec.expertsPerToken = requiredSize(*experts, "num_experts_per_tok");
}

/// Reads the attention window, which files of Mistral set; a list has a window for each layer.
void readWindow(DecoderSpec& spec, const ConfigSection& params)
{
    const auto* window = params.value("sliding_window");
    if (!window)
        return;
    if (window->kind != NodeKind::Scalar)
        refuseNetwork(params, "sliding_window", "windows of several sizes");
    spec.attentionWindow = requiredSize(params, "sliding_window");
}

} // namespace

model::ModelSpec readCheckpointParams(const ConfigSection& params)
{
    refuseOtherNetwork(params, otherLlamas);
    DecoderSpec spec{.vocabularySize = vocabularyOf(params),
                     .hiddenSize = requiredSize(params, "dim"),
                     .layers = requiredSize(params, "n_layers"),
                     .heads = requiredSize(params, "n_heads"),
                     .headSize = sizeOr(params, "head_dim", 0),
                     .maxPositions = longestText,
                     .positionEmbedding = model::PositionEmbedding::Rotary,
                     .normalization = model::Normalization::RmsNorm,
                     .activation = model::Activation::SwiGlu,
                     .tiedEmbeddings = params.boolean("tied_embeddings").value_or(false),
                     .attentionBias = false,
                     .attentionOutputBias = false,
                     .feedForwardBias = false};
    spec.keyValueHeads = sizeOr(params, "n_kv_heads", spec.heads);
    spec.feedForwardSize = feedForwardSizeOf(params, spec.hiddenSize);
    spec.normalizationEpsilon = positiveNumberOr(params, "norm_eps", 1e-5);
    spec.ropeTheta = positiveNumberOr(params, "rope_theta", 10000.0);
    readExperts(spec, params);
    readWindow(spec, params);
    model::ModelSpec network{.family = hasExperts(spec) ? "mixtral" : "llama", .architecture = spec};
    if (const auto problem = problemWith(network))
        throw ConfigError(*problem, params.positionOf("n_heads"));
    return network;
}

} // namespace batchpeak::config
