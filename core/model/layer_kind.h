// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace batchpeak::model {

/// How a transformer knows where a token stands. ALiBi lowers attention in proportion to distance
/// (arXiv 2108.12409), and learns nothing.
enum class PositionEmbedding { Learned, Rotary, Alibi };
enum class Normalization { LayerNorm, RmsNorm };
/// Of feed-forward layers. SwiGlu and GeGlu are gated: two products of the input, one of them activated,
/// are multiplied (arXiv 2002.05202); GeGlu activates by the tanh approximation, as T5 1.1 does.
enum class Activation { Gelu, GeluTanh, Relu, SwiGlu, GeGlu };

bool isGated(Activation value);

/// The words of the trial protocol: "learned", "rmsnorm", "gelu_tanh".
std::string_view toText(PositionEmbedding value);
std::string_view toText(Normalization value);
std::string_view toText(Activation value);
std::optional<PositionEmbedding> positionEmbeddingFromText(std::string_view text);
std::optional<Normalization> normalizationFromText(std::string_view text);
std::optional<Activation> activationFromText(std::string_view text);

} // namespace batchpeak::model
