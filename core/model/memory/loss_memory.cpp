// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "loss_memory.h"

#include "held_memory.h"

#include <algorithm>
#include <string_view>

namespace batchpeak::model {

double lossBytes(double rows, double choices, const Widths& widths, Phase phase)
{
    const double narrow = widths.product < floatBytes ? widths.product : 0.0;
    const double values = phase == Phase::Train ? 3.0 * floatBytes : 2.0 * floatBytes + narrow;
    return rows * choices * values;
}

double tokenLossBytes(double rows, double choices, double hidden, const Widths& widths,
                      const StepSettings& settings, bool isCapped)
{
    if (settings.options.lossChunkRows > 0) {
        // Recomputed chunks are slices of a copy of the rows that count. The backward pass adds the gradient
        // of each chunk, which is as large as the copy, to that of the previous chunks.
        const bool addsUp = settings.options.recomputesLossChunks && settings.phase == Phase::Train;
        return rows * hidden * widths.state * (addsUp ? 3.0 : 1.0);
    }
    // With parts, the log-probabilities of all are kept, and the rest of the backward pass's memory is that
    // of one part at a time. A cap keeps the results of its tanh.
    const double each = floatBytes + (isCapped ? widths.product : 0.0);
    const double kept = settings.phase == Phase::Train ? rows * choices * each : 0.0;
    const double logarithms = settings.phase == Phase::Train ? rows * choices * floatBytes : 0.0;
    const double all = lossBytes(rows, choices, widths, settings.phase);
    return kept + (all - logarithms) / static_cast<double>(settings.options.lossParts);
}

double chunkBytes(double choices, const StepSettings& settings, bool isCapped)
{
    // The recomputation also computes the entropy of the predictions.
    const double again = settings.options.recomputesLossChunks ? 1.0 : 0.0;
    const double matrices = again + (isCapped ? 4.0 : 3.0);
    return matrices * floatBytes * static_cast<double>(settings.options.lossChunkRows) * choices;
}

double chunkGradientBytes(const std::vector<Parameter>& table, const StepSettings& settings)
{
    const bool recomputes = settings.options.recomputesLossChunks;
    const bool trains = settings.phase == Phase::Train;
    if (settings.options.lossChunkRows == 0 || (!trains && !recomputes))
        return 0.0;
    const auto named = [&](std::string_view name) {
        return std::ranges::find(table, name, &Parameter::name);
    };
    auto output = named("output.weight");
    if (output == table.end())
        output = named("embed_tokens.weight");
    if (output == table.end())
        return 0.0;
    const ElementBytes widths = computedBytes(settings);
    const auto elements = static_cast<double>(output->elements());
    const double width = output->isTrained() ? widths.trained : widths.frozen;
    const bool learns = trains && output->isTrained();
    const double bytes = learns ? elements * widths.trained : 0.0;
    if (!recomputes)
        return bytes;
    // Each chunk has a gradient of its own, which is added to that of the previous chunks.
    const bool isNarrow = width < floatBytes;
    if (!isNarrow && trains)
        return 2.0 * bytes;
    if (!isNarrow && !isMixed(settings.precision))
        return 0.0;
    // The memory that chunkBytes() counts is not in use while the weights are widened and cast back to 16
    // bits for the product; the 16-bit ones are kept for the backward pass. Their gradient exists in 16 bits,
    // in fp32 and again in 16 bits.
    const auto choices = static_cast<double>(output->shape.front());
    const double ofChunk = chunkBytes(choices, settings);
    const double logits = halfBytes * static_cast<double>(settings.options.lossChunkRows) * choices;
    double max = std::max(ofChunk, elements * (isNarrow ? floatBytes + halfBytes : halfBytes) + logits);
    if (trains)
        max = std::max(max, elements * halfBytes + ofChunk);
    if (learns)
        max =
            std::max({max, elements * (2.0 * halfBytes + floatBytes), elements * 2.0 * halfBytes + ofChunk});
    return max - ofChunk - (isNarrow ? 0.0 : elements * halfBytes);
}

} // namespace batchpeak::model
