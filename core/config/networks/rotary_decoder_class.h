// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <cstdint>
#include <string_view>

namespace batchpeak::config {

/// Something that a class has where a key says so, or whatever a file says where there is no key.
struct Switch
{
    std::string_view key = {};
    /// Where the key is absent.
    bool otherwise = false;
};

/// Which layers of a class keep to the window of attention that its files have (sliding_window).
enum class WindowRule {
    /// There is no window.
    None,
    All,
    /// Where use_sliding_window is on: all; those from max_window_layers on; every other one below
    /// max_window_layers; or those whose queries and keys are not rotated.
    SwitchedAll,
    SwitchedUpper,
    SwitchedAlternate,
    SwitchedUnrotated,
    /// All but every n-th (sliding_window_pattern).
    AllButEvery
};

/// What a configuration class of transformers puts in the place of absent keys, and what its network has
/// whatever a file says: a decoder with rotary positions.
///
/// It holds what tells one such decoder from another. It does not know how keys are read.
struct RotaryDecoderClass
{
    std::string_view type;
    /// The class of the network without a head.
    std::string_view alone;
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 4096;
    std::int64_t feedForwardSize = 0;
    std::string_view feedForwardKey = "intermediate_size";
    std::int64_t layers = 32;
    std::int64_t heads = 32;
    /// 0 for as many as there are heads.
    std::int64_t keyValueHeads = 0;
    /// 0 for the hidden size divided by the number of heads.
    std::int64_t headSize = 0;
    std::int64_t maxPositions = 0;
    model::Normalization normalization = model::Normalization::RmsNorm;
    bool normalizationBias = true;
    double normalizationEpsilon = 1e-6;
    std::string_view epsilonKey = "rms_norm_eps";
    /// Where its switch is on.
    model::Branches branches = model::Branches::Sequential;
    Switch sideBySide = {.otherwise = true};
    bool branchOutputNormalization = false;
    std::string_view activationKey = "hidden_act";
    std::string_view activation = "silu";
    bool isGated = true;
    /// Of queries, keys and values.
    Switch attentionBias = {};
    Switch attentionOutputBias = {};
    Switch feedForwardBias = {};
    bool outputBias = false;
    Switch queryKeyNormalization = {};
    double ropeTheta = 10000.0;
    std::string_view ropeThetaKey = "rope_theta";
    /// The share of a head that is rotated; 0 for all of it, whatever a file says.
    double rotaryShare = 0.0;
    std::string_view rotaryShareKey = "partial_rotary_factor";
    bool tiedEmbeddings = false;
    WindowRule windows = WindowRule::None;
    std::int64_t slidingWindow = 0;
    /// Of WindowRule::AllButEvery.
    std::int64_t windowPattern = 0;
    /// Only layers that keep to the window are rotated.
    bool rotatesWindowedAlone = false;
    /// Feed-forward layers side by side; 0 for one.
    std::int64_t experts = 0;
    std::string_view expertsKey = "num_experts";
    std::int64_t expertsPerToken = 2;
    /// Of rates of dropout on residual branches and on embeddings; empty for none.
    std::string_view dropoutKey = {};
    std::string_view embeddingDropoutKey = {};
    double dropout = 0.0;
    double attentionDropout = 0.0;
    /// Scores of attention, and logits, are capped where a key says so; 0 where nothing does.
    std::string_view attentionSoftCapKey = {};
    double attentionSoftCap = 0.0;
    std::string_view logitSoftCapKey = {};
    double logitSoftCap = 0.0;
};

/// The one of that model_type; nothing for another kind of network.
const RotaryDecoderClass* rotaryDecoderClass(std::string_view type);

/// All of their types, with blanks between.
std::string_view rotaryDecoderTypes();

} // namespace batchpeak::config
