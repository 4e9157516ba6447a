// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/encoder_spec.h"
#include "network/optimizers/flat_parameters.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <vector>

namespace batchpeak::network {

/// An encoder reimplemented from the papers' formulas for comparison: one head at a time, weights not
/// stacked, attention as a whole matrix, the loss one target at a time.
class ReferenceEncoder
{
public:
    ReferenceEncoder(const model::EncoderSpec& spec, const FlatParameters& parameters)
        : m_spec(spec), m_parameters(parameters)
    {}

    at::Tensor encoded(const at::Tensor& tokens, const at::Tensor& types) const
    {
        at::Tensor x = embedded(tokens);
        if (m_spec.tokenTypes > 0)
            x = x + weight("embed_types").index({types});
        if (m_spec.positionEmbedding == model::PositionEmbedding::Learned)
            x = x + weight("embed_positions").slice(0, 0, tokens.size(1));
        if (m_spec.embeddingNormalization)
            x = norm(x, "embed_norm");
        for (std::int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string layer = "layers." + std::to_string(i) + ".";
            if (m_spec.normalizesFirst) {
                x = x + attention(norm(x, layer + "attention_norm"), layer + "attention.");
                x = x + feedForward(norm(x, layer + "feed_forward_norm"), layer + "feed_forward.");
            } else {
                x = norm(x + attention(x, layer + "attention."), layer + "attention_norm");
                x = norm(x + feedForward(x, layer + "feed_forward."), layer + "feed_forward_norm");
            }
        }
        return m_spec.finalNormalization ? norm(x, "final_norm") : x;
    }

    /// Returns the scores of all tokens of the vocabulary at one position, from one sample's hidden states.
    at::Tensor scores(const at::Tensor& hidden, std::int64_t place) const
    {
        const at::Tensor inner = norm(
            activated(rows(hidden.select(0, place), "head.transform", 0, m_spec.hiddenSize)), "head.norm");
        return at::matmul(weight(m_spec.tiedEmbeddings ? "embed_tokens" : "output"), inner) +
               m_parameters.at("output.bias");
    }

    /// Returns the scores of the two answers, or of the classes of a text, from one sample's hidden states.
    at::Tensor sentenceScores(const at::Tensor& hidden) const
    {
        return rows(rows(hidden.select(0, 0), "pooler", 0, m_spec.hiddenSize).tanh(), "next_sentence", 0,
                    m_spec.sentenceClasses);
    }

    static double crossEntropy(const at::Tensor& scores, std::int64_t target)
    {
        return (scores.exp().sum().log() - scores[target]).item<double>();
    }

private:
    const at::Tensor& weight(const std::string& name) const { return m_parameters.at(name + ".weight"); }

    // ESM-2's token dropout: masked tokens are zeros, and the others are scaled by 0.88 divided by their
    // share.
    at::Tensor embedded(const at::Tensor& tokens) const
    {
        at::Tensor x = weight("embed_tokens").index({tokens}).clone();
        if (!m_spec.tokenDropout)
            return x;
        for (std::int64_t sample = 0; sample < tokens.size(0); ++sample) {
            std::int64_t left = 0;
            for (std::int64_t place = 0; place < tokens.size(1); ++place) {
                if (tokens[sample][place].item<std::int64_t>() == m_spec.maskToken)
                    x[sample][place].zero_();
                else
                    ++left;
            }
            x[sample].mul_(0.88 * static_cast<double>(tokens.size(1)) / static_cast<double>(left));
        }
        return x;
    }

    at::Tensor rows(const at::Tensor& x, const std::string& name, std::int64_t from, std::int64_t count) const
    {
        return at::matmul(x, weight(name).slice(0, from, from + count).t()) +
               m_parameters.at(name + ".bias").slice(0, from, from + count);
    }

    at::Tensor norm(const at::Tensor& x, const std::string& name) const
    {
        const at::Tensor centered = x - x.mean(-1, true);
        const at::Tensor variance = (centered * centered).mean(-1, true);
        return centered / (variance + m_spec.normalizationEpsilon).sqrt() * weight(name) +
               m_parameters.at(name + ".bias");
    }

    at::Tensor activated(const at::Tensor& x) const
    {
        return m_spec.activation == model::Activation::Relu ? x * (x > 0)
                                                            : x * 0.5 * (1 + (x / std::sqrt(2.0)).erf());
    }

    // Elements i and i + half are one complex number, rotated by position * theta^(-2i / size).
    at::Tensor turned(const at::Tensor& head) const
    {
        if (m_spec.positionEmbedding != model::PositionEmbedding::Rotary)
            return head;
        const std::int64_t size = m_spec.rotaryDimensions > 0 ? m_spec.rotaryDimensions : head.size(-1);
        at::Tensor result = head.clone();
        for (std::int64_t position = 0; position < head.size(1); ++position) {
            for (std::int64_t i = 0; i < size / 2; ++i) {
                const double angle =
                    static_cast<double>(position) *
                    std::pow(m_spec.ropeTheta, -2.0 * static_cast<double>(i) / static_cast<double>(size));
                const at::Tensor a = head.select(1, position).select(1, i);
                const at::Tensor b = head.select(1, position).select(1, i + size / 2);
                result.select(1, position).select(1, i).copy_(a * std::cos(angle) - b * std::sin(angle));
                result.select(1, position)
                    .select(1, i + size / 2)
                    .copy_(a * std::sin(angle) + b * std::cos(angle));
            }
        }
        return result;
    }

    at::Tensor attention(const at::Tensor& x, const std::string& prefix) const
    {
        const std::int64_t size = m_spec.hiddenSize / m_spec.heads;
        std::vector<at::Tensor> heads;
        for (std::int64_t head = 0; head < m_spec.heads; ++head) {
            const at::Tensor q = turned(rows(x, prefix + "qkv", head * size, size));
            const at::Tensor k = turned(rows(x, prefix + "qkv", (m_spec.heads + head) * size, size));
            const at::Tensor v = rows(x, prefix + "qkv", (2 * m_spec.heads + head) * size, size);
            const at::Tensor scores = at::matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<double>(size));
            heads.push_back(at::matmul(scores.softmax(-1), v));
        }
        return rows(at::cat(heads, -1), prefix + "output", 0, m_spec.hiddenSize);
    }

    at::Tensor feedForward(const at::Tensor& x, const std::string& prefix) const
    {
        return rows(activated(rows(x, prefix + "up", 0, m_spec.feedForwardSize)), prefix + "down", 0,
                    m_spec.hiddenSize);
    }

    const model::EncoderSpec& m_spec;
    const FlatParameters& m_parameters;
};

} // namespace batchpeak::network
