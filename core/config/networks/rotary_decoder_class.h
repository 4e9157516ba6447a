// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace batchpeak::config {

/// A feature of a class that a key switches; without a key, the class has or lacks it whatever a file says.
struct Switch
{
    std::string_view key = {};
    /// Value if the key is absent.
    bool otherwise = false;
};

/// Which layers of a class use the sliding window that its files set (sliding_window).
enum class WindowRule {
    /// There is no window.
    None,
    All,
    /// If use_sliding_window is on: all layers; those from max_window_layers on; every other one below
    /// max_window_layers; or those whose queries and keys are not rotated.
    SwitchedAll,
    SwitchedUpper,
    SwitchedAlternate,
    SwitchedUnrotated,
    /// All but every n-th layer (sliding_window_pattern).
    AllButEvery
};

/// A class of decoders with rotary positions: what its configuration class in transformers uses for absent
/// keys, and what its network has whatever a file says.
///
/// It holds what distinguishes one such decoder from another. It does not know how keys are read.
struct RotaryDecoderClass
{
    std::string_view type;
    /// Name of the class of the network without a head.
    std::string_view alone;
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 4096;
    std::int64_t feedForwardSize = 0;
    std::string_view feedForwardKey = "intermediate_size";
    std::int64_t layers = 32;
    std::int64_t heads = 32;
    /// 0 for as many as heads.
    std::int64_t keyValueHeads = 0;
    /// 0 for the hidden size divided by the number of heads.
    std::int64_t headSize = 0;
    std::int64_t maxPositions = 0;
    model::Normalization normalization = model::Normalization::RmsNorm;
    bool normalizationBias = true;
    double normalizationEpsilon = 1e-6;
    std::string_view epsilonKey = "rms_norm_eps";
    /// Branches if the switch sideBySide is on.
    model::Branches branches = model::Branches::Sequential;
    Switch sideBySide = {.otherwise = true};
    bool branchOutputNormalization = false;
    std::string_view activationKey = "hidden_act";
    std::string_view activation = "silu";
    bool isGated = true;
    /// Biases of queries, keys and values.
    Switch attentionBias = {};
    /// Nothing if attentionBias switches this bias too.
    std::optional<Switch> attentionOutputBias = {};
    Switch feedForwardBias = {};
    bool outputBias = false;
    Switch queryKeyNormalization = {};
    double ropeTheta = 10000.0;
    std::string_view ropeThetaKey = "rope_theta";
    /// The share of a head that is rotated; 0 for the whole head, whatever a file says.
    double rotaryShare = 0.0;
    std::string_view rotaryShareKey = "partial_rotary_factor";
    bool tiedEmbeddings = false;
    WindowRule windows = WindowRule::None;
    std::int64_t slidingWindow = 0;
    /// The n of WindowRule::AllButEvery.
    std::int64_t windowPattern = 0;
    /// Whether only layers with a sliding window have rotary positions.
    bool rotatesWindowedAlone = false;
    /// Number of experts in a feed-forward layer; 0 for none.
    std::int64_t experts = 0;
    std::string_view expertsKey = "num_experts";
    std::int64_t expertsPerToken = 2;
    /// Keys of the dropout rates on residual branches and on embeddings; empty for none.
    std::string_view dropoutKey = {};
    std::string_view embeddingDropoutKey = {};
    double dropout = 0.0;
    double attentionDropout = 0.0;
    /// Soft caps of attention scores and of logits, with the keys that set them; 0 if nothing sets them.
    std::string_view attentionSoftCapKey = {};
    double attentionSoftCap = 0.0;
    std::string_view logitSoftCapKey = {};
    double logitSoftCap = 0.0;
};

/// Returns the class with that model_type; null for another kind of network.
const RotaryDecoderClass* rotaryDecoderClass(std::string_view type);

/// Returns all types of the classes, separated by blanks.
std::string_view rotaryDecoderTypes();

} // namespace batchpeak::config
