// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "approximations.h"
#include "hugging_face_networks.h"
#include "network_readers.h"
#include "rotary_decoder_class.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace batchpeak::config {

using model::DecoderSpec;

namespace {

model::Activation readActivation(const ConfigSection& config, const RotaryDecoderClass& known)
{
    if (!known.isGated)
        return readPlainActivation(config, known.activationKey, known.activation);
    std::string word = config.text(known.activationKey).value_or(std::string(known.activation));
    // Gemma uses the tanh approximation even if the file says "gelu": __post_init__ of GemmaConfig.
    if (known.type == "gemma" && word == "gelu")
        word = "gelu_pytorch_tanh";
    const auto gated = gatedActivationOf(word);
    if (!gated)
        refuse(config, known.activationKey, sentence("the gated activation \"{}\"", word));
    return *gated;
}

bool isOn(const ConfigSection& config, const Switch& option)
{
    return option.key.empty() ? option.otherwise : config.boolean(option.key).value_or(option.otherwise);
}

void refuseOtherLayers(const ConfigSection& config, const RotaryDecoderClass& known)
{
    for (const std::string& layer : config.words("layer_types").value_or(std::vector<std::string>())) {
        if (layer != "full_attention" && layer != "sliding_attention")
            refuse(config, "layer_types", sentence("layers of the type \"{}\"", layer));
    }
    if (config.boolean("qk_layernorm").value_or(false))
        refuse(config, "qk_layernorm", "a normalization of its own for each head");
    if (known.queryKeyNormalization.key.empty() && config.boolean("use_qk_norm").value_or(false))
        refuse(config, "use_qk_norm", "a normalization of its own for each head");
    if (config.boolean("use_bidirectional_attention").value_or(false))
        refuse(config, "use_bidirectional_attention", "attention in both directions");
    if (config.integer("decoder_sparse_step").value_or(1) != 1)
        refuse(config, "decoder_sparse_step", "layers with experts and layers without");
    const auto dense = config.integers("mlp_only_layers");
    if (dense && !dense->empty())
        refuse(config, "mlp_only_layers", "layers with experts and layers without");
}

/// Returns the number of key and value heads. An absent key means the default, null means one for each head:
/// __post_init__ of the configuration classes.
std::int64_t keyValueHeadsOf(const ConfigSection& config, const RotaryDecoderClass& known, std::int64_t heads)
{
    constexpr std::string_view key = "num_key_value_heads";
    const std::int64_t absent = config.find(key) ? 0 : known.keyValueHeads;
    return sizeOr(config, key, absent == 0 ? heads : absent);
}

/// Returns the head size; 0 if the heads divide the hidden size.
std::int64_t headSizeOf(const ConfigSection& config, const RotaryDecoderClass& known, const DecoderSpec& spec)
{
    constexpr std::string_view key = "head_dim";
    if (known.headSize == 0 && !config.has(key))
        return 0;
    const std::int64_t size = sizeOr(config, key, known.headSize);
    return size * spec.heads == spec.hiddenSize ? 0 : size;
}

/// Returns a parameter of rotary positions. It is beside the other keys, for which some classes have key
/// names of their own, or since transformers 5 in a mapping (convert_rope_params_to_dict,
/// modeling_rope_utils.py).
double rotaryNumberOf(const ConfigSection& config, std::string_view key, std::string_view ownKey,
                      double otherwise)
{
    const double beside = positiveNumberOr(config, ownKey, otherwise);
    for (std::string_view mapping : {"rope_scaling", "rope_parameters"}) {
        const ConfigSection section = config.sectionIfAny(mapping);
        if (section.has(key))
            return positiveNumberOr(section, key, beside);
    }
    return beside;
}

/// Returns the number of rotated dimensions, rounded down as compute_default_rope_parameters in
/// modeling_rope_utils.py does; 0 for the whole head.
std::int64_t rotaryDimensionsOf(const ConfigSection& config, const RotaryDecoderClass& known,
                                const DecoderSpec& spec)
{
    if (known.rotaryShare == 0.0)
        return 0;
    const double share =
        rotaryNumberOf(config, "partial_rotary_factor", known.rotaryShareKey, known.rotaryShare);
    const std::int64_t size = model::headSizeOf(spec);
    return share < 1.0 ? static_cast<std::int64_t>(static_cast<double>(size) * share) : 0;
}

/// Reads the feed-forward layer that every token takes beside its chosen experts (Qwen2MoeSparseMoeBlock,
/// Glm4MoeMoE), and the first layers, which have no experts (Glm4MoeDecoderLayer).
void readSharedExpert(DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known)
{
    if (known.type == "qwen2_moe") {
        spec.sharedExpertSize = sizeOr(config, "shared_expert_intermediate_size", 5632);
        spec.sharedExpertGate = true;
    } else if (known.type == "glm4_moe") {
        constexpr std::string_view sharedKey = "n_shared_experts";
        spec.sharedExpertSize =
            checkedResult(config, sharedKey, spec.feedForwardSize * sizeOr(config, sharedKey, 1));
        spec.denseLayers = config.integer("first_k_dense_replace").value_or(1);
        spec.denseFeedForwardSize = sizeOr(config, "intermediate_size", 10944);
    }
}

DecoderSpec readSizes(const ConfigSection& config, const RotaryDecoderClass& known)
{
    DecoderSpec spec{.vocabularySize = sizeOr(config, "vocab_size", known.vocabularySize),
                     .hiddenSize = sizeOr(config, "hidden_size", known.hiddenSize),
                     .layers = sizeOr(config, "num_hidden_layers", known.layers),
                     .heads = sizeOr(config, "num_attention_heads", known.heads),
                     .feedForwardSize = sizeOr(config, known.feedForwardKey, known.feedForwardSize),
                     .maxPositions = sizeOr(config, "max_position_embeddings", known.maxPositions)};
    spec.keyValueHeads = keyValueHeadsOf(config, known, spec.heads);
    spec.headSize = headSizeOf(config, known, spec);
    if (known.experts > 0) {
        spec.experts = sizeOr(config, keyThere(config, known.expertsKey, "num_local_experts"), known.experts);
        spec.expertsPerToken = sizeOr(config, "num_experts_per_tok", known.expertsPerToken);
        readSharedExpert(spec, config, known);
    }
    return spec;
}

using Layers = std::vector<std::int64_t>;

template<typename Is>
Layers layersWhere(std::int64_t count, const Is& is)
{
    Layers layers;
    for (std::int64_t layer = 0; layer < count; ++layer) {
        if (is(layer))
            layers.push_back(layer);
    }
    return layers;
}

/// Checks a list with a value for each layer. It may be longer than the number of layers, but not shorter.
void checkLength(const ConfigSection& config, std::string_view key, std::size_t length, std::int64_t layers)
{
    if (std::cmp_less(length, layers))
        config.fail(key, "is a list of {}, but the network has {} layers", length, layers);
}

/// Returns the window size of layers with a sliding window; 0 for no window. An absent key means the default,
/// null means no window.
std::int64_t windowOf(const ConfigSection& config, const RotaryDecoderClass& known)
{
    constexpr std::string_view key = "sliding_window";
    const bool isSwitched = known.windows != WindowRule::All && known.windows != WindowRule::AllButEvery;
    if (known.windows == WindowRule::None ||
        (isSwitched && !config.boolean("use_sliding_window").value_or(false)))
        return 0;
    return sizeOr(config, key, config.find(key) ? 0 : known.slidingWindow);
}

/// Returns the layers without rotary positions: no_rope_layers has a 1 for each layer that is rotated; the
/// default is that every fourth layer is not: __post_init__ of SmolLM3Config.
Layers unrotatedOfSmolLm(const ConfigSection& config, std::int64_t layers)
{
    constexpr std::string_view key = "no_rope_layers";
    if (const auto rotated = config.integers(key)) {
        checkLength(config, key, rotated->size(), layers);
        return layersWhere(layers, [&rotated](std::int64_t layer) {
            return rotated->at(static_cast<std::size_t>(layer)) == 0;
        });
    }
    const std::int64_t interval = sizeOr(config, "no_rope_layer_interval", 4);
    return layersWhere(layers, [interval](std::int64_t layer) { return (layer + 1) % interval == 0; });
}

/// Returns the layers with a sliding window, as __post_init__ of the configuration classes does. Classes
/// whose layers are all alike do not read layer_types.
Layers windowedLayers(const DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known)
{
    constexpr std::string_view typesKey = "layer_types";
    const bool areAlike = known.windows == WindowRule::All || known.windows == WindowRule::SwitchedAll;
    if (const auto types = areAlike ? std::nullopt : config.words(typesKey)) {
        checkLength(config, typesKey, types->size(), spec.layers);
        return layersWhere(spec.layers, [&types](std::int64_t layer) {
            return types->at(static_cast<std::size_t>(layer)) == "sliding_attention";
        });
    }
    const std::int64_t bound = config.integer("max_window_layers").value_or(28);
    const std::int64_t pattern =
        sizeOr(config, "sliding_window_pattern", std::max<std::int64_t>(1, known.windowPattern));
    return layersWhere(spec.layers, [&](std::int64_t layer) {
        switch (known.windows) {
        case WindowRule::SwitchedUpper:
            return layer >= bound;
        case WindowRule::SwitchedAlternate:
            return layer % 2 == 0 && layer < bound;
        case WindowRule::SwitchedUnrotated:
            return std::ranges::binary_search(spec.unrotatedLayers, layer);
        case WindowRule::AllButEvery:
            return (layer + 1) % pattern != 0;
        case WindowRule::None:
        case WindowRule::All:
        case WindowRule::SwitchedAll:
            break;
        }
        return true;
    });
}

/// Reads from a config.json which layers of a decoder use sliding-window attention and which have no rotary
/// positions: from keys that say so for each layer or, if they are absent, from the rule of its class. It
/// does not check whether a window is shorter than the texts of a run.
/// \param spec  specification whose layers are known
/// \throws ConfigError if a value is impossible
void readAttentionLayers(DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known)
{
    if (known.windows == WindowRule::SwitchedUnrotated)
        spec.unrotatedLayers = unrotatedOfSmolLm(config, spec.layers);
    const std::int64_t window = windowOf(config, known);
    const Layers windowed = window == 0 ? Layers() : windowedLayers(spec, config, known);
    if (known.rotatesWindowedAlone) {
        spec.unrotatedLayers = layersWhere(spec.layers, [&windowed](std::int64_t layer) {
            return !std::ranges::binary_search(windowed, layer);
        });
    }
    if (windowed.empty())
        return;
    spec.attentionWindow = window;
    if (std::cmp_less(windowed.size(), spec.layers))
        spec.windowedLayers = windowed;
}

void readDropout(DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known,
                 std::vector<Warning>& warnings)
{
    spec.attentionDropout = dropoutRateOr(config, "attention_dropout", known.attentionDropout);
    if (known.dropoutKey.empty())
        return;
    spec.dropout = dropoutRateOr(config, known.dropoutKey, known.dropout);
    const double ofEmbeddings =
        known.embeddingDropoutKey.empty() ? 0.0 : dropoutRateOr(config, known.embeddingDropoutKey, 0.0);
    if (spec.dropout != ofEmbeddings) {
        warn(warnings, config.positionOf(known.dropoutKey),
             "Trials drop embeddings and every residual branch at the rate of {}, the network not all of "
             "them; "
             "the difference in speed is small.",
             config.pathOf(known.dropoutKey));
    }
}

void readSoftCaps(DecoderSpec& spec, const ConfigSection& config, const RotaryDecoderClass& known)
{
    const auto capOr = [&config](std::string_view key, double otherwise) {
        if (key.empty() || config.isWrittenNull(key))
            return 0.0;
        return otherwise == 0.0 && !config.has(key) ? 0.0 : positiveNumberOr(config, key, otherwise);
    };
    spec.attentionSoftCap = capOr(known.attentionSoftCapKey, known.attentionSoftCap);
    spec.logitSoftCap = capOr(known.logitSoftCapKey, known.logitSoftCap);
}

void checkRotarySoundness(const DecoderSpec& spec, const ConfigSection& config)
{
    const auto problem = model::problemWith(spec);
    if (!problem)
        return;
    if (spec.heads % spec.keyValueHeads != 0)
        throw ConfigError(*problem, config.positionOf("num_key_value_heads"));
    if (!model::chooseableExperts(spec))
        throw ConfigError(*problem, config.positionOf("num_experts_per_tok"));
    if (spec.denseLayers < 0 || spec.denseLayers > spec.layers)
        throw ConfigError(*problem, config.positionOf("first_k_dense_replace"));
    throw ConfigError(*problem,
                      config.positionOf(config.has("head_dim") ? "head_dim" : "num_attention_heads"));
}

void warnOfManyExperts(const DecoderSpec& spec, const ConfigSection& config, std::vector<Warning>& warnings)
{
    // Trials run one expert after the other, transformers 5 runs all of them in one product (grouped_mm,
    // integrations/moe.py). With a few large experts the difference is negligible.
    constexpr std::int64_t few = 16;
    if (spec.experts <= few)
        return;
    warnOfApproximation(
        warnings, config.positionOf("num_experts"), approximation::singleExperts,
        "The network has {} small experts, which trials run one after the other; a trainer that "
        "runs them in one product is faster.",
        spec.experts);
}

} // namespace

model::Architecture readHuggingFaceRotaryDecoder(const ConfigSection& config, const RotaryDecoderClass& known,
                                                 std::vector<Warning>& warnings)
{
    refuseOtherHead(config, {.alone = known.alone}, warnings);
    const model::Activation activation = readActivation(config, known);
    refuseOtherLayers(config, known);

    DecoderSpec spec = readSizes(config, known);
    spec.positionEmbedding = model::PositionEmbedding::Rotary;
    spec.normalization = known.normalization;
    spec.normalizationBias = known.normalizationBias;
    spec.branches = isOn(config, known.sideBySide) ? known.branches : model::Branches::Sequential;
    spec.branchOutputNormalization = known.branchOutputNormalization;
    spec.activation = activation;
    spec.tiedEmbeddings = config.boolean("tie_word_embeddings").value_or(known.tiedEmbeddings);
    spec.attentionBias = isOn(config, known.attentionBias);
    spec.attentionOutputBias = isOn(config, known.attentionOutputBias.value_or(known.attentionBias));
    spec.feedForwardBias = isOn(config, known.feedForwardBias);
    spec.outputBias = known.outputBias;
    spec.queryKeyNormalization = isOn(config, known.queryKeyNormalization);
    spec.normalizationEpsilon = positiveNumberOr(config, known.epsilonKey, known.normalizationEpsilon);
    spec.ropeTheta = rotaryNumberOf(config, "rope_theta", known.ropeThetaKey, known.ropeTheta);
    spec.rotaryDimensions = rotaryDimensionsOf(config, known, spec);
    readAttentionLayers(spec, config, known);
    readSoftCaps(spec, config, known);
    readDropout(spec, config, known, warnings);
    checkRotarySoundness(spec, config);
    warnOfManyExperts(spec, config, warnings);
    return spec;
}

} // namespace batchpeak::config
