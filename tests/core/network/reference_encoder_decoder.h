// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/encoder_decoder_spec.h"
#include "network/optimizers/flat_parameters.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace batchpeak::network {

/// T5 reimplemented from its paper's formulas for comparison: one head at a time, weights not stacked, one
/// number of the position bias at a time.
class ReferenceEncoderDecoder
{
public:
    ReferenceEncoderDecoder(const model::EncoderDecoderSpec& spec, const FlatParameters& parameters)
        : m_spec(spec), m_parameters(parameters)
    {}

    /// Returns logits of shape {samples, target length, vocabulary}.
    at::Tensor logits(const at::Tensor& tokens, const at::Tensor& decoderTokens) const
    {
        at::Tensor memory = weight("embed_tokens").index({tokens});
        for (std::int64_t i = 0; i < m_spec.encoderLayers; ++i) {
            const std::string layer = "encoder.layers." + std::to_string(i) + ".";
            const at::Tensor input = norm(memory, layer + "attention_norm");
            memory = memory + selfAttention(input, layer, "encoder.");
            memory = memory + feedForward(norm(memory, layer + "feed_forward_norm"), layer);
        }
        memory = norm(memory, "encoder.final_norm");

        at::Tensor x = weight("embed_tokens").index({decoderTokens});
        for (std::int64_t i = 0; i < m_spec.decoderLayers; ++i) {
            const std::string layer = "decoder.layers." + std::to_string(i) + ".";
            x = x + selfAttention(norm(x, layer + "attention_norm"), layer, "decoder.");
            x = x + crossAttention(norm(x, layer + "cross_attention_norm"), memory, layer);
            x = x + feedForward(norm(x, layer + "feed_forward_norm"), layer);
        }
        x = norm(x, "decoder.final_norm");
        if (!m_spec.tiedEmbeddings)
            return at::matmul(x, weight("output").t());
        return at::matmul(x / std::sqrt(static_cast<double>(m_spec.hiddenSize)), weight("embed_tokens").t());
    }

private:
    const at::Tensor& weight(const std::string& name) const { return m_parameters.at(name + ".weight"); }

    at::Tensor rows(const at::Tensor& x, const std::string& name, std::int64_t from, std::int64_t count) const
    {
        return at::matmul(x, weight(name).slice(0, from, from + count).t());
    }

    at::Tensor norm(const at::Tensor& x, const std::string& name) const
    {
        if (m_spec.normalization == model::Normalization::RmsNorm)
            return x / ((x * x).mean(-1, true) + m_spec.normalizationEpsilon).sqrt() * weight(name);
        const at::Tensor centered = x - x.mean(-1, true);
        return centered / ((centered * centered).mean(-1, true) + m_spec.normalizationEpsilon).sqrt() *
                   weight(name) +
               m_parameters.at(name + ".bias");
    }

    // Table 1 of T5's released code in words: in the encoder, keys before and after the query have half of
    // the buckets each; half of those are for a single distance each, the rest for ranges that grow by a
    // factor.
    std::int64_t bucket(std::int64_t query, std::int64_t key, bool bidirectional) const
    {
        std::int64_t count = m_spec.relativeBuckets;
        std::int64_t first = 0;
        std::int64_t distance = query - key;
        if (bidirectional) {
            count /= 2;
            if (distance < 0) {
                first = count;
                distance = -distance;
            }
        }
        distance = std::max<std::int64_t>(distance, 0);
        std::int64_t found = std::min(distance, count / 2 - 1);
        if (distance >= count / 2) {
            const double exact = static_cast<double>(count / 2);
            const double factor = std::pow(static_cast<double>(m_spec.maxRelativeDistance) / exact,
                                           1.0 / static_cast<double>(count - count / 2));
            found = count / 2;
            while (found < count - 1 &&
                   static_cast<double>(distance) >=
                       exact * std::pow(factor, static_cast<double>(found - count / 2 + 1)) * (1 - 1e-9))
                ++found;
        }
        return first + found;
    }

    at::Tensor bias(const std::string& stack, std::int64_t head, std::int64_t length) const
    {
        const bool decodes = stack == "decoder.";
        at::Tensor bias = at::empty({length, length});
        for (std::int64_t query = 0; query < length; ++query) {
            for (std::int64_t key = 0; key < length; ++key) {
                if (decodes && key > query)
                    bias[query][key] = -std::numeric_limits<float>::infinity();
                else
                    bias[query][key] =
                        weight(stack + "relative_positions")[bucket(query, key, !decodes)][head];
            }
        }
        return bias;
    }

    at::Tensor selfAttention(const at::Tensor& x, const std::string& layer, const std::string& stack) const
    {
        const std::int64_t size = m_spec.headSize;
        const std::string name = layer + "attention.qkv";
        std::vector<at::Tensor> heads;
        for (std::int64_t head = 0; head < m_spec.heads; ++head) {
            const at::Tensor q = rows(x, name, head * size, size);
            const at::Tensor k = rows(x, name, (m_spec.heads + head) * size, size);
            const at::Tensor v = rows(x, name, (2 * m_spec.heads + head) * size, size);
            const at::Tensor scores = at::matmul(q, k.transpose(1, 2)) + bias(stack, head, x.size(1));
            heads.push_back(at::matmul(scores.softmax(-1), v));
        }
        return rows(at::cat(heads, -1), layer + "attention.output", 0, m_spec.hiddenSize);
    }

    at::Tensor crossAttention(const at::Tensor& x, const at::Tensor& memory, const std::string& layer) const
    {
        const std::int64_t size = m_spec.headSize;
        const std::string name = layer + "cross_attention.";
        std::vector<at::Tensor> heads;
        for (std::int64_t head = 0; head < m_spec.heads; ++head) {
            const at::Tensor q = rows(x, name + "query", head * size, size);
            const at::Tensor k = rows(memory, name + "key_value", head * size, size);
            const at::Tensor v = rows(memory, name + "key_value", (m_spec.heads + head) * size, size);
            heads.push_back(at::matmul(at::matmul(q, k.transpose(1, 2)).softmax(-1), v));
        }
        return rows(at::cat(heads, -1), name + "output", 0, m_spec.hiddenSize);
    }

    at::Tensor feedForward(const at::Tensor& x, const std::string& layer) const
    {
        const std::int64_t size = m_spec.feedForwardSize;
        const std::string name = layer + "feed_forward.";
        at::Tensor inner = rows(x, name + "up", 0, size);
        if (m_spec.activation == model::Activation::Relu) {
            inner = inner * (inner > 0);
        } else {
            const at::Tensor tanh =
                (std::sqrt(2.0 / std::numbers::pi) * (inner + 0.044715 * inner.pow(3))).tanh();
            inner = inner * 0.5 * (1 + tanh) * rows(x, name + "up", size, size);
        }
        return rows(inner, name + "down", 0, m_spec.hiddenSize);
    }

    const model::EncoderDecoderSpec& m_spec;
    const FlatParameters& m_parameters;
};

} // namespace batchpeak::network
