// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

/// Phrases of UnsupportedModel::reason: why a run is not measured. The same reason has the same phrase for
/// every trainer.
namespace batchpeak::config::reason {

// Networks.
inline constexpr std::string_view family = "a network family that is not run here";
inline constexpr std::string_view networkPart = "a part of a network that is not run here";
inline constexpr std::string_view otherInputs = "a network of more than texts";
inline constexpr std::string_view unknownId = "a hub id that is not known";
inline constexpr std::string_view networkElsewhere = "a network that the config does not describe";

// What is trained of them. The phrase of another adapter ends with its kind.
inline constexpr std::string_view otherAdapter = "an adapter of another kind ({})";
inline constexpr std::string_view adapterOnEmbeddings = "adapters on embeddings";
inline constexpr std::string_view adapterOnExperts = "adapters on experts";
inline constexpr std::string_view adapterOnOtherModules = "adapters on modules that have none here";
inline constexpr std::string_view adaptersOfSeveralKinds = "adapters of several kinds";
inline constexpr std::string_view partialTraining = "a part of a network that is trained alone";
inline constexpr std::string_view quantizedTraining = "quantized weights that are trained";
inline constexpr std::string_view namePattern = "a pattern of names that is not read";

// Runs.
inline constexpr std::string_view preferences = "preferences or rewards";
inline constexpr std::string_view secondNetwork = "a second network beside the trained one";
inline constexpr std::string_view overDevices = "a network or texts cut over devices";
inline constexpr std::string_view quantizationAware = "quantization-aware training";
inline constexpr std::string_view noTraining = "a config that trains nothing";
inline constexpr std::string_view otherRun = "a run of another kind";

} // namespace batchpeak::config::reason
