// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "encoder_network.h"

#include "activations.h"
#include "collation.h"
#include "data/sample_random.h"
#include "layer_operations.h"
#include "token_loss.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace batchpeak::network {

namespace {

// Share of all tokens that masked-language pre-training predicts, and the share of those that the mask token
// replaces. The others stay or are replaced by other tokens (arXiv 1810.04805, section 3.1). Here they stay.
constexpr double predictedShare = 0.15;
constexpr double maskedShareOfPredicted = 0.8;

// Returns the number of predicted tokens in a sample of this length.
std::int64_t predictedTokens(std::int64_t length, const model::EncoderSpec& spec)
{
    if (spec.predictedTokens > 0)
        return std::min(spec.predictedTokens, length);
    const auto share = std::llround(predictedShare * static_cast<double>(length));
    return std::min(length, std::max<std::int64_t>(1, share));
}

// Returns the number of predicted tokens in all samples, whose padding is not predicted.
std::int64_t predictedTokens(std::span<const SampleRow> rows, const model::EncoderSpec& spec)
{
    std::int64_t predicted = 0;
    for (const SampleRow& row : rows)
        predicted += predictedTokens(tokensIn(row), spec);
    return predicted;
}

// Returns the number of predicted tokens that the mask token replaces.
std::int64_t maskedTokens(std::int64_t predicted)
{
    return static_cast<std::int64_t>(maskedShareOfPredicted * static_cast<double>(predicted));
}

// The tensors of a micro-batch of samples.
enum Part : std::size_t { Tokens, Targets, Types, Places, Follows };

// Returns distinct places in random order: first those of tokens, then those of padding.
std::vector<std::int64_t> randomPlaces(std::int64_t tokens, std::int64_t length, std::int64_t count,
                                       data::SampleRandom& random)
{
    std::vector<std::int64_t> places(static_cast<std::size_t>(length));
    std::iota(places.begin(), places.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < std::min(tokens, count); ++i) {
        const std::int64_t other = i + random.below(tokens - i);
        std::swap(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(other)]);
    }
    places.resize(static_cast<std::size_t>(count));
    return places;
}

/// The parts of a micro-batch's integers that belong to one sample.
struct Sample
{
    std::span<std::int64_t> tokens;
    std::span<std::int64_t> targets;
    std::span<std::int64_t> places;
    std::span<std::int64_t> follows;
};

void write(const SampleRow& row, const model::EncoderSpec& spec, const Sample& sample)
{
    const auto length = static_cast<std::int64_t>(sample.tokens.size());
    const std::int64_t predicted = predictedTokens(tokensIn(row), spec);
    data::SampleRandom random(row.key);
    const std::vector<std::int64_t> places =
        randomPlaces(tokensIn(row), length, predictedTokens(length, spec), random);
    writeInputs(row.tokens, sample.tokens);
    std::ranges::fill(sample.targets, ignoredTarget);
    for (std::size_t i = 0; i < static_cast<std::size_t>(predicted); ++i) {
        const auto place = static_cast<std::size_t>(places[i]);
        sample.targets[spec.predictedTokens > 0 ? i : place] = row.tokens[place];
        if (static_cast<std::int64_t>(i) < maskedTokens(predicted))
            sample.tokens[place] = spec.maskToken;
    }
    if (spec.predictedTokens > 0)
        std::ranges::copy(places, sample.places.begin());
    if (spec.nextSentenceHead)
        sample.follows.front() = random.below(spec.sentenceClasses);
}

std::int64_t rotaryDimensions(const model::EncoderSpec& spec)
{
    return spec.rotaryDimensions > 0 ? spec.rotaryDimensions : spec.hiddenSize / spec.heads;
}

bool isRotary(const model::EncoderSpec& spec)
{
    return spec.positionEmbedding == model::PositionEmbedding::Rotary;
}

} // namespace

std::vector<std::int64_t> EncoderNetwork::bufferBytes(const model::EncoderSpec& spec,
                                                      const NetworkOptions& options)
{
    if (!isRotary(spec))
        return {};
    const std::int64_t table =
        RotaryPositions::tableElements(rotaryDimensions(spec), options.sequenceLength) *
        static_cast<std::int64_t>(c10::elementSize(options.computeType));
    return {table, table};
}

EncoderNetwork::EncoderNetwork(model::EncoderSpec spec, const FlatParameters& parameters,
                               const NetworkOptions& options)
    : Network(options), m_spec(spec)
{
    const auto longest = model::longestSequence(m_spec);
    if (options.sequenceLength < 1 || (longest && options.sequenceLength > *longest)) {
        throw std::invalid_argument("The sequence length is " + std::to_string(options.sequenceLength) +
                                    ", but this network takes 1 to " + std::to_string(m_spec.maxPositions) +
                                    " positions. Choose a length in that range.");
    }
    findParameters(parameters);
    if (isRotary(m_spec))
        m_rotary.emplace(rotaryDimensions(m_spec), options.sequenceLength, m_spec.ropeTheta,
                         options.computeType, options.device);
}

void EncoderNetwork::findParameters(const FlatParameters& parameters)
{
    const auto find = [&parameters](const std::string& name) { return affineOf(parameters, name); };
    m_tokenEmbedding = find("embed_tokens");
    m_positionEmbedding = find("embed_positions");
    m_typeEmbedding = find("embed_types");
    m_embeddingNorm = find("embed_norm");
    for (std::int64_t i = 0; i < m_spec.layers; ++i)
        m_layers.push_back(transformerLayerOf(parameters, "layers." + std::to_string(i) + "."));
    m_finalNorm = find("final_norm");
    m_pooler = find("pooler");
    m_headTransform = find("head.transform");
    m_headNorm = find("head.norm");
    m_output = outputOf(parameters, m_tokenEmbedding);
    m_nextSentence = find("next_sentence");
}

EncoderNetwork::Inputs EncoderNetwork::inputsOf(const Batch& batch) const
{
    auto next = batch.inputs.begin();
    Inputs inputs{.tokens = *next++};
    if (m_spec.tokenTypes > 0)
        inputs.types = *next++;
    if (m_spec.predictedTokens > 0)
        inputs.places = *next++;
    if (m_spec.nextSentenceHead)
        inputs.follows = *next;
    return inputs;
}

Batch EncoderNetwork::makeBatch(std::int64_t samples, std::int64_t sequenceLength) const
{
    const auto integers = at::TensorOptions(options().device).dtype(at::kLong);
    const std::int64_t predicted = predictedTokens(sequenceLength, m_spec);
    const at::Tensor tokens = at::randint(m_spec.vocabularySize, {samples, sequenceLength}, integers);
    at::Tensor targets = at::randint(m_spec.vocabularySize, {samples, predicted}, integers);
    // The places of the largest random numbers are distinct and in random order.
    const at::Tensor random = at::rand({samples, sequenceLength}, at::TensorOptions(options().device));
    const at::Tensor places = std::get<1>(random.topk(predicted, 1));
    if (m_spec.tokenDropout) {
        tokens.scatter_(1, places.narrow(1, 0, maskedTokens(predicted)), m_spec.maskToken);
    }
    if (m_spec.predictedTokens == 0)
        targets = at::full({samples, sequenceLength}, ignoredTarget, integers).scatter_(1, places, targets);

    Batch batch{.inputs = {tokens}, .targets = targets, .countedTargets = samples * predicted};
    if (m_spec.tokenTypes > 0)
        batch.inputs.push_back(at::randint(m_spec.tokenTypes, {samples, sequenceLength}, integers));
    if (m_spec.predictedTokens > 0)
        batch.inputs.push_back(places);
    if (m_spec.nextSentenceHead)
        batch.inputs.push_back(at::randint(m_spec.sentenceClasses, {samples}, integers));
    return batch;
}

std::int64_t EncoderNetwork::tokensPerRow() const
{
    return options().sequenceLength;
}

// The key decides which places are predicted and of which class the sentences are; token types are 0. The
// mask token replaces tokens whether or not the network looks for it, because it would otherwise learn to
// copy its input.
Batch EncoderNetwork::batchOf(std::span<const SampleRow> rows) const
{
    const auto samples = static_cast<std::int64_t>(rows.size());
    const std::int64_t length = options().sequenceLength;
    const bool choosesPlaces = m_spec.predictedTokens > 0;
    const std::int64_t places = choosesPlaces ? predictedTokens(length, m_spec) : 0;
    HostIntegers integers(options().device, samples,
                          {length, choosesPlaces ? places : length, m_spec.tokenTypes > 0 ? length : 0,
                           places, m_spec.nextSentenceHead ? 1 : 0});
    for (std::int64_t i = 0; i < samples; ++i) {
        write(rows[static_cast<std::size_t>(i)], m_spec,
              {.tokens = integers.row(Tokens, i),
               .targets = integers.row(Targets, i),
               .places = integers.row(Places, i),
               .follows = integers.row(Follows, i)});
    }
    const std::vector<at::Tensor> tensors = integers.tensors();
    Batch batch{.inputs = {tensors[Tokens]},
                .targets = tensors[Targets],
                .countedTargets = predictedTokens(rows, m_spec)};
    if (m_spec.tokenTypes > 0)
        batch.inputs.push_back(tensors[Types]);
    if (choosesPlaces)
        batch.inputs.push_back(tensors[Places]);
    if (m_spec.nextSentenceHead)
        batch.inputs.push_back(tensors[Follows].flatten());
    return batch;
}

std::int64_t EncoderNetwork::countedTargets(std::span<const SampleRow> rows) const
{
    return predictedTokens(rows, m_spec);
}

at::Tensor EncoderNetwork::loss(const Batch& batch, double normalizer) const
{
    const at::Tensor hidden = encoded(batch);
    if (!m_spec.nextSentenceHead)
        return maskedLanguageLoss(hidden, batch, normalizer);
    at::Tensor sentences = nextSentenceLoss(hidden, batch, normalizer);
    if (!m_spec.maskedLanguageHead)
        return sentences;
    return maskedLanguageLoss(hidden, batch, normalizer).add(sentences);
}

at::Tensor EncoderNetwork::maskedLanguageLoss(const at::Tensor& hidden, const Batch& batch,
                                              double normalizer) const
{
    at::Tensor predicted = hidden;
    if (const at::Tensor places = inputsOf(batch).places; places.defined())
        predicted = hidden.gather(1, places.unsqueeze(-1).expand({-1, -1, m_spec.hiddenSize}));
    predicted = normalized(activated(projected(predicted, m_headTransform), m_spec.activation), m_headNorm);
    return tokenLoss(predicted.flatten(0, 1), m_output, batch.targets.flatten(), normalizer, lossCut());
}

at::Tensor EncoderNetwork::nextSentenceLoss(const at::Tensor& hidden, const Batch& batch,
                                            double normalizer) const
{
    const Inputs inputs = inputsOf(batch);
    const at::Tensor pooled = projected(hidden.select(1, 0), m_pooler).tanh();
    const at::Tensor scores = projected(pooled, m_nextSentence).to(at::kFloat);
    const auto perSample = static_cast<double>(predictedTokens(inputs.tokens.size(1), m_spec));
    return at::cross_entropy_loss(scores, inputs.follows, /*weight=*/{}, at::Reduction::Sum)
        .mul(perSample / normalizer);
}

at::Tensor EncoderNetwork::encoded(const Batch& batch) const
{
    at::Tensor hidden = embedded(inputsOf(batch));
    const std::int64_t length = hidden.size(1);
    at::Tensor mask;
    if (batch.attentionMask.defined())
        mask = batch.attentionMask.view({-1, 1, 1, length}).expand({-1, 1, length, length});
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        hidden = throughLayer(i,
                              [this, &layer = m_layers[i], mask](const std::vector<at::Tensor>& inputs) {
                                  return throughBranches(inputs[0], layer, mask);
                              },
                              {hidden});
    }
    askBetweenLayers(hidden);
    return m_spec.finalNormalization ? normalized(hidden, m_finalNorm) : hidden;
}

at::Tensor EncoderNetwork::embedded(const Inputs& inputs) const
{
    at::Tensor hidden = at::embedding(m_tokenEmbedding.weight, inputs.tokens);
    if (m_spec.tokenDropout)
        hidden = withoutMaskedTokens(hidden, inputs.tokens);
    if (inputs.types.defined())
        hidden = hidden.add(at::embedding(m_typeEmbedding.weight, inputs.types));
    if (m_positionEmbedding.weight.defined())
        hidden = hidden.add(m_positionEmbedding.weight.narrow(0, 0, inputs.tokens.size(1)));
    if (m_spec.embeddingNormalization)
        hidden = normalized(hidden, m_embeddingNorm);
    return dropped(hidden);
}

// Works as if dropout had hit the masked tokens: the rest is scaled by the share of tokens that training
// leaves on average, divided by the share that is left in this sample (ESM's own code, and EsmEmbeddings of
// transformers).
at::Tensor EncoderNetwork::withoutMaskedTokens(const at::Tensor& embeddings, const at::Tensor& tokens) const
{
    const at::Tensor masked = tokens.eq(m_spec.maskToken);
    const at::Tensor left = masked.logical_not().to(embeddings.scalar_type()).mean(1).view({-1, 1, 1});
    return embeddings.masked_fill(masked.unsqueeze(-1), 0.0)
        .mul(left.reciprocal().mul(1.0 - predictedShare * maskedShareOfPredicted));
}

at::Tensor EncoderNetwork::throughBranches(const at::Tensor& hidden, const TransformerLayer& layer,
                                           const at::Tensor& mask) const
{
    if (m_spec.normalizesFirst) {
        const at::Tensor attended =
            hidden.add(attention(normalized(hidden, layer.attentionNorm), layer, mask));
        return attended.add(feedForward(normalized(attended, layer.feedForwardNorm), layer));
    }
    const at::Tensor attended = normalized(hidden.add(attention(hidden, layer, mask)), layer.attentionNorm);
    return normalized(attended.add(feedForward(attended, layer)), layer.feedForwardNorm);
}

at::Tensor EncoderNetwork::attention(const at::Tensor& input, const TransformerLayer& layer,
                                     const at::Tensor& mask) const
{
    const std::int64_t heads = m_spec.heads;
    const at::Tensor stacked =
        projected(input, layer.qkv)
            .view({input.size(0), input.size(1), 3 * heads, m_spec.hiddenSize / heads});
    const auto [query, key, value] = attentionHeads(stacked, heads, heads, m_rotary ? &*m_rotary : nullptr);
    const double dropout = options().trains ? m_spec.attentionDropout : 0.0;
    const at::Tensor mixed = attend({.query = query,
                                     .key = key,
                                     .value = value,
                                     .mask = mask.defined() ? std::optional(mask) : std::nullopt,
                                     .dropout = dropout});
    return dropped(projected(joined(mixed), layer.attentionOutput));
}

at::Tensor EncoderNetwork::feedForward(const at::Tensor& input, const TransformerLayer& layer) const
{
    return dropped(projected(activated(projected(input, layer.up), m_spec.activation), layer.down));
}

at::Tensor EncoderNetwork::normalized(const at::Tensor& input, const Affine& norm) const
{
    return network::normalized(input, norm, model::Normalization::LayerNorm, m_spec.normalizationEpsilon);
}

at::Tensor EncoderNetwork::dropped(const at::Tensor& input) const
{
    return network::dropped(input, m_spec.dropout, options().trains);
}

} // namespace batchpeak::network
