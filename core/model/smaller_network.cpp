// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "smaller_network.h"

#include "parameter_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace batchpeak::model {

namespace {

// Large enough that each operation has more than one of everything, and that widths are multiples of the
// sizes of kernels and of blocks of 64 quantized values.
constexpr std::int64_t widthStep = 16;
constexpr std::int64_t largestHead = 16;
constexpr std::int64_t maxKeyValueHeads = 2;
constexpr std::int64_t maxSharingHeads = 8;
constexpr std::int64_t maxExperts = 4;
constexpr std::int64_t maxWords = 256;
constexpr std::int64_t maxTokens = 64;
constexpr std::int64_t largestPatch = 4;
constexpr std::int64_t maxPatchesASide = 4;
// A residual network halves its images five times, and batch normalization needs more than one pixel at the
// end.
constexpr std::int64_t largestImage = 64;
constexpr std::int64_t fewestChannels = 8;

/// Scales \p value by \p part / \p whole to a multiple of widthStep, and never increases it.
std::int64_t scaledWidth(std::int64_t value, std::int64_t part, std::int64_t whole)
{
    if (part >= whole || value <= widthStep)
        return value;
    const double width = static_cast<double>(value) * static_cast<double>(part) / static_cast<double>(whole);
    const std::int64_t steps = std::llround(width / static_cast<double>(widthStep));
    return std::min(value, widthStep * std::max<std::int64_t>(1, steps));
}

/// Scales a number of tokens by \p part / \p whole, to at least one if there was any.
std::int64_t scaledTokens(std::int64_t value, std::int64_t part, std::int64_t whole)
{
    if (part >= whole || value < 1)
        return value;
    const double tokens = static_cast<double>(value) * static_cast<double>(part) / static_cast<double>(whole);
    return std::max<std::int64_t>(1, std::llround(tokens));
}

/// Sizes to which every kind of network is shrunk.
struct Cut
{
    /// Indices in the original network of the layers that are kept.
    std::vector<std::int64_t> layers;
    /// Whether the trained parts name blocks of a residual network, so that all blocks are kept.
    bool namesBlocks = false;
    /// Number of tokens in a sample before and after shrinking.
    std::int64_t wholeLength = 0;
    std::int64_t length = 0;

    std::int64_t ofTokens(std::int64_t tokens) const { return scaledTokens(tokens, length, wholeLength); }
};

bool contains(const std::vector<std::int64_t>& layers, std::int64_t layer)
{
    return std::ranges::find(layers, layer) != layers.end();
}

/// Returns the name of a part of a network with another number after "layers."; empty if the part is outside
/// of layers.
std::string inLayer(const std::string& part, std::int64_t number)
{
    constexpr std::string_view mark = "layers.";
    if (!layerOf(part))
        return {};
    const std::size_t digits = part.find(mark) + mark.size();
    const std::size_t end = part.find_first_not_of("0123456789", digits);
    return part.substr(0, digits) + std::to_string(number) +
           (end == std::string::npos ? std::string() : part.substr(end));
}

/// Returns what is trained in a layer, except what is trained in every layer.
std::vector<std::string> trainedIn(const Tuning& tuning, std::int64_t layer)
{
    std::vector<std::string> parts;
    for (const AdapterTarget& target : tuning.targets) {
        if (contains(target.layers, layer))
            parts.emplace_back(toText(target.projection));
    }
    for (const std::string& part : tuning.trainedParts) {
        if (layerOf(part) == layer)
            parts.push_back(inLayer(part, 0));
    }
    std::ranges::sort(parts);
    return parts;
}

using LayerKind = std::array<bool, 3>;

template<typename Spec>
LayerKind kindOf(const Spec&, std::int64_t)
{
    return {};
}

LayerKind kindOf(const DecoderSpec& spec, std::int64_t layer)
{
    return {contains(spec.windowedLayers, layer), contains(spec.unrotatedLayers, layer),
            layer < spec.denseLayers};
}

/// Returns the first layer, and the first of those that differ most from it. What is trained in a layer
/// counts more than its kind, so that there is something to train.
template<typename Spec>
std::vector<std::int64_t> keptLayers(const Spec& spec, const Tuning& tuning, std::int64_t layers)
{
    const auto differenceOf = [&](std::int64_t layer) {
        const bool isTrainedOtherwise = trainedIn(tuning, layer) != trainedIn(tuning, 0);
        const bool isOtherKind = kindOf(spec, layer) != kindOf(spec, 0);
        return 2 * static_cast<int>(isTrainedOtherwise) + static_cast<int>(isOtherKind);
    };
    std::vector<std::int64_t> kept{0};
    int max = -1;
    for (std::int64_t layer = 1; layer < layers; ++layer) {
        if (const int difference = differenceOf(layer); difference > max) {
            max = difference;
            kept = {0, layer};
        }
    }
    return kept;
}

/// Returns the new indices of those of \p layers that are kept.
std::vector<std::int64_t> renumbered(const std::vector<std::int64_t>& layers,
                                     const std::vector<std::int64_t>& kept)
{
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (contains(layers, kept[i]))
            numbers.push_back(static_cast<std::int64_t>(i));
    }
    return numbers;
}

std::int64_t countBelow(const std::vector<std::int64_t>& kept, std::int64_t layers)
{
    return std::ranges::count_if(kept, [layers](std::int64_t layer) { return layer < layers; });
}

/// Drops a target if none of the layers that it lists is kept: with an empty list it would apply to all
/// layers.
std::vector<AdapterTarget> keptTargets(const std::vector<AdapterTarget>& targets,
                                       const std::vector<std::int64_t>& kept)
{
    std::vector<AdapterTarget> result;
    for (AdapterTarget target : targets) {
        const bool isInAll = target.layers.empty();
        target.layers = renumbered(target.layers, kept);
        if (isInAll || !target.layers.empty())
            result.push_back(std::move(target));
    }
    return result;
}

std::vector<std::string> keptParts(const std::vector<std::string>& parts,
                                   const std::vector<std::int64_t>& kept)
{
    std::vector<std::string> result;
    for (const std::string& part : parts) {
        const auto layer = layerOf(part);
        const auto place = layer ? std::ranges::find(kept, *layer) : kept.end();
        if (!layer)
            result.push_back(part);
        else if (place != kept.end())
            result.push_back(inLayer(part, place - kept.begin()));
    }
    return result;
}

Tuning ofLayers(Tuning tuning, const std::vector<std::int64_t>& kept)
{
    tuning.targets = keptTargets(tuning.targets, kept);
    tuning.trainedParts = keptParts(tuning.trainedParts, kept);
    return tuning;
}

/// Returns the shortest side of all matrices with an adapter, at most \p longest: a larger rank would not be
/// low. It ignores sides shorter than widthStep, which are as short in the original network, such as a gate
/// of one row.
std::int64_t shortestSide(const ModelSpec& model, const Tuning& tuning, std::int64_t longest)
{
    std::int64_t shortest = longest;
    for (const Parameter& parameter : parameterTable(model)) {
        for (const AdapterPlace& place : adapterPlaces(parameter)) {
            for (const std::int64_t side : {place.rows, parameter.shape.back()}) {
                if (isTarget(tuning, place.projection) && side >= widthStep)
                    shortest = std::min(shortest, side);
            }
        }
    }
    return shortest;
}

/// Returns the tuning with a rank that fits the network, and with the same scale.
Tuning withLowRank(Tuning tuning, const ModelSpec& model)
{
    if (!hasAdapters(tuning))
        return tuning;
    const double scale = adapterScale(tuning);
    const std::int64_t rank = shortestSide(model, tuning, tuning.rank);
    if (rank == tuning.rank)
        return tuning;
    tuning.rank = rank;
    tuning.alpha = 1.0;
    tuning.alpha = scale / adapterScale(tuning);
    return tuning;
}

struct Heads
{
    std::int64_t heads = 0;
    std::int64_t keyValueHeads = 0;
    std::int64_t headSize = 0;

    std::int64_t width() const { return heads * headSize; }
};

/// Keeps the number of heads that share a key and a value, up to maxSharingHeads; a single key-value head for
/// all is kept.
Heads shrunk(const Heads& whole)
{
    const std::int64_t keyValueHeads = std::min(whole.keyValueHeads, maxKeyValueHeads);
    return {.heads = keyValueHeads * std::min(whole.heads / whole.keyValueHeads, maxSharingHeads),
            .keyValueHeads = keyValueHeads,
            .headSize = std::min(whole.headSize, largestHead)};
}

/// Returns an even number of elements, with the same share of a head; 0 stands for the whole head.
std::int64_t shrunkRotation(std::int64_t rotaryDimensions, std::int64_t headSize, std::int64_t wholeHead)
{
    if (rotaryDimensions == 0 || headSize >= wholeHead)
        return rotaryDimensions;
    return std::max<std::int64_t>(2, rotaryDimensions * headSize / wholeHead / 2 * 2);
}

void shrinkExperts(DecoderSpec& spec)
{
    if (spec.experts <= maxExperts)
        return;
    const bool takesAll = spec.expertsPerToken == spec.experts;
    spec.experts = maxExperts;
    spec.expertsPerToken = takesAll ? maxExperts : std::min(spec.expertsPerToken, maxExperts / 2);
}

void shrinkLayers(DecoderSpec& spec, const std::vector<std::int64_t>& kept)
{
    const bool hadWindowedLayers = !spec.windowedLayers.empty();
    spec.windowedLayers = renumbered(spec.windowedLayers, kept);
    // With an empty list the window would apply to all layers.
    if (hadWindowedLayers && spec.windowedLayers.empty())
        spec.attentionWindow = 0;
    spec.unrotatedLayers = renumbered(spec.unrotatedLayers, kept);
    spec.denseLayers = countBelow(kept, spec.denseLayers);
    spec.layers = countBelow(kept, spec.layers);
}

DecoderSpec shrunk(DecoderSpec spec, const Cut& cut)
{
    const Heads whole{spec.heads, spec.keyValueHeads, headSizeOf(spec)};
    const Heads heads = shrunk(whole);
    const std::int64_t hidden = spec.hiddenSize;
    // An unspecified head size is a share of the hidden size.
    spec.hiddenSize = spec.headSize == 0 ? heads.width() : scaledWidth(hidden, heads.width(), whole.width());
    spec.headSize = spec.headSize == 0 ? 0 : heads.headSize;
    spec.heads = heads.heads;
    spec.keyValueHeads = heads.keyValueHeads;
    spec.rotaryDimensions = shrunkRotation(spec.rotaryDimensions, heads.headSize, whole.headSize);
    for (std::int64_t* width : {&spec.feedForwardSize, &spec.sharedExpertSize, &spec.denseFeedForwardSize})
        *width = scaledWidth(*width, spec.hiddenSize, hidden);
    spec.vocabularySize = std::min(spec.vocabularySize, maxWords);
    spec.maxPositions = std::min(spec.maxPositions, maxTokens);
    spec.attentionWindow = cut.ofTokens(spec.attentionWindow);
    shrinkExperts(spec);
    shrinkLayers(spec, cut.layers);
    return spec;
}

/// Shrinks a network whose heads divide the hidden size evenly, and each have a key and a value of their own.
template<typename Spec>
void shrinkWidths(Spec& spec)
{
    const Heads heads = shrunk(Heads{spec.heads, spec.heads, spec.hiddenSize / spec.heads});
    const std::int64_t hidden = std::exchange(spec.hiddenSize, heads.width());
    spec.feedForwardSize = scaledWidth(spec.feedForwardSize, spec.hiddenSize, hidden);
    spec.heads = heads.heads;
}

EncoderSpec shrunk(EncoderSpec spec, const Cut& cut)
{
    const std::int64_t wholeHead = spec.hiddenSize / spec.heads;
    shrinkWidths(spec);
    spec.rotaryDimensions = shrunkRotation(spec.rotaryDimensions, spec.hiddenSize / spec.heads, wholeHead);
    spec.vocabularySize = std::min(spec.vocabularySize, maxWords);
    spec.maskToken = std::min(spec.maskToken, spec.vocabularySize - 1);
    spec.maxPositions = std::min(spec.maxPositions, maxTokens);
    spec.predictedTokens = cut.ofTokens(spec.predictedTokens);
    spec.layers = countBelow(cut.layers, spec.layers);
    return spec;
}

EncoderDecoderSpec shrunk(EncoderDecoderSpec spec, const Cut& cut)
{
    const Heads whole{spec.heads, spec.heads, spec.headSize};
    const Heads heads = shrunk(whole);
    const std::int64_t hidden = spec.hiddenSize;
    spec.hiddenSize = scaledWidth(hidden, heads.width(), whole.width());
    spec.feedForwardSize = scaledWidth(spec.feedForwardSize, spec.hiddenSize, hidden);
    spec.heads = heads.heads;
    spec.headSize = heads.headSize;
    spec.vocabularySize = std::min(spec.vocabularySize, maxWords);
    spec.encoderLayers = countBelow(cut.layers, spec.encoderLayers);
    spec.decoderLayers = countBelow(cut.layers, spec.decoderLayers);
    return spec;
}

VisionTransformerSpec shrunk(VisionTransformerSpec spec, const Cut& cut)
{
    shrinkWidths(spec);
    const std::int64_t patchesASide = std::min(spec.imageSize / spec.patchSize, maxPatchesASide);
    spec.patchSize = std::min(spec.patchSize, largestPatch);
    spec.imageSize = patchesASide * spec.patchSize;
    spec.classes = std::min(spec.classes, maxWords);
    spec.layers = countBelow(cut.layers, spec.layers);
    return spec;
}

ResNetSpec shrunk(ResNetSpec spec, const Cut& cut)
{
    // The smallest depths with blocks of three convolutions, and with blocks of two (arXiv 1512.03385, table
    // 1).
    constexpr std::int64_t shallowBottlenecks = 50;
    constexpr std::int64_t shallow = 18;
    if (!cut.namesBlocks)
        spec.depth = spec.depth >= shallowBottlenecks ? shallowBottlenecks : shallow;
    spec.width = std::min(spec.width, fewestChannels);
    spec.imageSize = std::min(spec.imageSize, largestImage);
    spec.classes = std::min(spec.classes, maxWords);
    return spec;
}

std::int64_t layersOf(const EncoderDecoderSpec& spec)
{
    return std::max(spec.encoderLayers, spec.decoderLayers);
}

/// Returns 1: its blocks have no layer indices that a tuning may name.
std::int64_t layersOf(const ResNetSpec&)
{
    return 1;
}

template<typename Spec>
std::int64_t layersOf(const Spec& spec)
{
    return spec.layers;
}

/// Shrinks a length. One that is too long for the original network is too long for the small one.
std::int64_t shrunkLength(std::int64_t length, const ModelSpec& model)
{
    const auto longest = longestSequence(model);
    const bool isTooLong = longest && length > *longest;
    return isTooLong ? std::min(*longest, maxTokens) + 1 : std::min(length, maxTokens);
}

template<typename Spec>
RunSizes shrunk(RunSizes run, const Spec& spec)
{
    const bool namesBlocks = std::ranges::any_of(run.tuning.trainedParts, [](const std::string& part) {
        return part.find("blocks.") != std::string::npos;
    });
    const std::int64_t length =
        run.sequenceLength > 0 ? run.sequenceLength : defaultSequenceLength(run.model);
    const Cut cut{.layers = keptLayers(spec, run.tuning, layersOf(spec)),
                  .namesBlocks = namesBlocks,
                  .wholeLength = length,
                  .length = shrunkLength(length, run.model)};
    run.sequenceLength = run.sequenceLength > 0 ? cut.length : run.sequenceLength;
    if (run.targetLength)
        run.targetLength = cut.ofTokens(*run.targetLength);
    run.packedTextLength = cut.ofTokens(run.packedTextLength);
    run.model.architecture = shrunk(spec, cut);
    run.tuning = withLowRank(ofLayers(std::move(run.tuning), cut.layers), run.model);
    return run;
}

} // namespace

std::optional<RunSizes> shrunk(const RunSizes& run)
{
    return std::visit(
        [&run]<typename Spec>(const Spec& spec) -> std::optional<RunSizes> {
            if constexpr (std::is_same_v<Spec, ScriptSpec> || std::is_same_v<Spec, TransformersSpec>)
                return std::nullopt;
            else
                return shrunk(run, spec);
        },
        run.model.architecture);
}

} // namespace batchpeak::model
