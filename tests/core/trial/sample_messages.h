// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <QByteArray>

#include <cstdint>
#include <string_view>

namespace batchpeak::trial {

/// Returns a network with every field set to something that is not its default, so that a lost field is
/// noticed.

inline model::ModelSpec smallLlama()
{
    return {.family = "llama",
            .architecture = model::DecoderSpec{.vocabularySize = 32000,
                                               .hiddenSize = 64,
                                               .layers = 2,
                                               .heads = 8,
                                               .keyValueHeads = 2,
                                               .headSize = 16,
                                               .feedForwardSize = 172,
                                               .maxPositions = 2048,
                                               .positionEmbedding = model::PositionEmbedding::Rotary,
                                               .normalization = model::Normalization::RmsNorm,
                                               .activation = model::Activation::SwiGlu,
                                               .tiedEmbeddings = false,
                                               .attentionBias = false,
                                               .attentionOutputBias = false,
                                               .feedForwardBias = false,
                                               .outputBias = true,
                                               .queryKeyNormalization = true,
                                               .embeddingNormalization = true,
                                               .normalizationBias = false,
                                               .branchOutputNormalization = true,
                                               .branches = model::Branches::ParallelNorms,
                                               .normalizationEpsilon = 1e-6,
                                               .ropeTheta = 500000.5,
                                               .rotaryDimensions = 4,
                                               .unrotatedLayers = {1},
                                               .positionOffset = 2,
                                               .attentionWindow = 7,
                                               .windowedLayers = {0, 1},
                                               .attentionSoftCap = 50.5,
                                               .logitSoftCap = 30.5,
                                               .experts = 4,
                                               .expertsPerToken = 3,
                                               .sharedExpertSize = 24,
                                               .sharedExpertGate = true,
                                               .denseLayers = 1,
                                               .denseFeedForwardSize = 99,
                                               .dropout = 0.1,
                                               .attentionDropout = 0.2}};
}

// No field has its default value.
inline model::EncoderSpec smallEncoder()
{
    return {.vocabularySize = 33,
            .hiddenSize = 64,
            .layers = 2,
            .heads = 8,
            .feedForwardSize = 172,
            .maxPositions = 1026,
            .tokenTypes = 3,
            .positionEmbedding = model::PositionEmbedding::Rotary,
            .activation = model::Activation::Relu,
            .normalizesFirst = true,
            .embeddingNormalization = false,
            .finalNormalization = true,
            .pooler = true,
            .maskedLanguageHead = false,
            .nextSentenceHead = true,
            .sentenceClasses = 5,
            .tiedEmbeddings = false,
            .predictedTokens = 20,
            .tokenDropout = true,
            .maskToken = 32,
            .normalizationEpsilon = 1e-6,
            .ropeTheta = 500000.5,
            .rotaryDimensions = 4,
            .dropout = 0.1,
            .attentionDropout = 0.2};
}

inline model::EncoderDecoderSpec smallEncoderDecoder()
{
    return {.vocabularySize = 33,
            .hiddenSize = 64,
            .encoderLayers = 2,
            .decoderLayers = 3,
            .heads = 8,
            .headSize = 5,
            .feedForwardSize = 172,
            .relativeBuckets = 16,
            .maxRelativeDistance = 64,
            .normalization = model::Normalization::LayerNorm,
            .activation = model::Activation::GeGlu,
            .tiedEmbeddings = false,
            .normalizationEpsilon = 1e-5,
            .dropout = 0.1};
}

inline TrialResult fullResult()
{
    return {.id = 7,
            .microBatchSize = 96,
            .outcome = Outcome::Ok,
            .steps = 2,
            .samples = 192,
            .secondsPerStep = 0.1 + 0.2,
            .stepSeconds = {0.3, 0.30000000000000004},
            .clockSeconds = 12.31,
            .relativeError = 0.004,
            .forwardSeconds = 0.07,
            .backwardSeconds = 0.13,
            .optimizerSeconds = 0.01,
            .reductionSeconds = 0.02,
            .peakAllocatedBytes = (std::int64_t{1} << 53) + 1,
            .peakReservedBytes = std::int64_t{1} << 60,
            .refusedHostBytes = 4096,
            .allocationRetries = 3,
            .wallSeconds = 3.1,
            .readings = {.processorShare = 0.98,
                         .foreignProcessors = 0.0,
                         .contention = 0.125,
                         .minorPageFaultsPerStep = 12.5,
                         .majorPageFaultsPerStep = 0.2,
                         .energyJoules = 1234.5,
                         .meanPowerWatts = 612.0,
                         .temperatureCelsius = 71.0,
                         .clockMegahertz = 1755.0},
            .attention = "cudnn",
            .flags = {"thrashes", "disturbed: 71 % of the processor"},
            .text = "Größe \"96\"\n"};
}

inline TrialResult fullComparison()
{
    const auto size = [](std::int64_t microBatchSize, double clock) {
        return ComparedSize{
            .microBatchSize = microBatchSize,
            .peakReservedBytes = (std::int64_t{1} << 53) + 1,
            .allocationRetries = 2,
            .visits = {{.clockSeconds = clock, .seconds = 0.64, .stepSeconds = {0.1 + 0.2, 0.2}},
                       {.clockSeconds = 9.5, .seconds = 1e-9, .stepSeconds = {1e-9}}}};
    };
    return {.id = 8,
            .outcome = Outcome::Ok,
            .optimizerSeconds = 0.01,
            .wallSeconds = 9.8,
            .compared = {size(24, 0.0), size(28, 1.5), size(32, 3.25)},
            .readings = {.temperatureCelsius = 71.0},
            .flags = {"disturbed"}};
}

// Returns a comparison that ended because one size ran out of memory.
inline TrialResult cutComparison()
{
    return {
        .id = 8,
        .microBatchSize = 32,
        .outcome = Outcome::OutOfMemory,
        .peakReservedBytes = 4096,
        .compared =
            {{.microBatchSize = 24,
              .visits = {{.clockSeconds = 1.0, .seconds = 0.5, .stepSeconds = {0.4}, .contention = 0.25}}},
             {.microBatchSize = 32}},
        .text = "It did not fit."};
}

// Returns a result message of the worker with additional or changed fields.
inline QByteArray resultWith(const char* fields)
{
    return QByteArray(R"({"type":"result","id":7,"micro_batch_size":96,"outcome":"ok","steps":12,)"
                      R"("seconds_per_step":0.2,"peak_reserved_bytes":5)") +
           fields + '}';
}

// Returns the result of a comparison of two sizes, the second of which has these fields in addition to its
// size.
inline QByteArray comparisonWith(const char* fields, const char* outcome = "ok")
{
    return QByteArray(R"({"type":"result","id":8,"micro_batch_size":28,"outcome":")") + outcome +
           R"(","compared":[{"micro_batch_size":24,"visits":[{"clock":1,"seconds":0.6,"step_seconds":[0.2]}]},)"
           R"({"micro_batch_size":28)" +
           fields + "}]}";
}

inline QByteArray nested(int levels)
{
    return R"({"type":"bye","extra":)" + QByteArray(levels - 1, '[') + QByteArray(levels - 1, ']') + '}';
}

inline std::string_view view(const QByteArray& bytes)
{
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

} // namespace batchpeak::trial
