// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/decoder_spec.h"
#include "network/flat_parameters.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace batchpeak::network {

/// A decoder written again from the papers' formulas, to compare with: a head at a time, weights not
/// stacked, attention as a whole matrix.
class ReferenceDecoder
{
public:
    ReferenceDecoder(const model::DecoderSpec& spec, const FlatParameters& parameters)
        : m_spec(spec), m_parameters(parameters)
    {}

    at::Tensor logits(const at::Tensor& tokens) const
    {
        at::Tensor x = weight("embed_tokens").index({tokens});
        if (m_spec.positionEmbedding == model::PositionEmbedding::Learned)
            x = x + weight("embed_positions").slice(0, 0, tokens.size(1));
        if (m_spec.embeddingNormalization)
            x = norm(x, "embed_norm");
        for (std::int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string layer = "layers." + std::to_string(i) + ".";
            x = x + attention(norm(x, layer + "attention_norm"), layer + "attention.");
            const at::Tensor inner = norm(x, layer + "feed_forward_norm");
            x = x + (model::hasExperts(m_spec) ? experts(inner, layer) : feedForward(inner, layer));
        }
        const at::Tensor output = weight(m_spec.tiedEmbeddings ? "embed_tokens" : "output");
        const at::Tensor product = at::matmul(norm(x, "final_norm"), output.t());
        return m_spec.outputBias ? product + m_parameters.at("output.bias") : product;
    }

private:
    const at::Tensor& weight(const std::string& name) const { return m_parameters.at(name + ".weight"); }

    at::Tensor rows(const at::Tensor& x, const std::string& name, std::int64_t from, std::int64_t count) const
    {
        const at::Tensor product = at::matmul(x, weight(name).slice(0, from, from + count).t());
        return m_parameters.contains(name + ".bias")
                   ? product + m_parameters.at(name + ".bias").slice(0, from, from + count)
                   : product;
    }

    at::Tensor norm(const at::Tensor& x, const std::string& name) const
    {
        if (m_spec.normalization == model::Normalization::RmsNorm)
            return rmsNorm(x, name);
        const at::Tensor centred = x - x.mean(-1, true);
        const at::Tensor variance = (centred * centred).mean(-1, true);
        return centred / (variance + m_spec.normalizationEpsilon).sqrt() * weight(name) +
               m_parameters.at(name + ".bias");
    }

    at::Tensor rmsNorm(const at::Tensor& x, const std::string& name) const
    {
        const at::Tensor meanSquare = (x * x).mean(-1, true);
        return x / (meanSquare + m_spec.normalizationEpsilon).sqrt() * weight(name);
    }

    at::Tensor headNorm(const at::Tensor& head, const std::string& name) const
    {
        return m_spec.queryKeyNormalization ? rmsNorm(head, name) : head;
    }

    // Element i and element i + half are one complex number, turned by position * theta^(-2i / size).
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
        const std::int64_t size = m_spec.headSize > 0 ? m_spec.headSize : m_spec.hiddenSize / m_spec.heads;
        const std::int64_t perKey = m_spec.heads / m_spec.keyValueHeads;
        const std::int64_t length = x.size(1);
        const at::Tensor future = at::full({length, length}, -std::numeric_limits<float>::infinity()).triu(1);
        std::vector<at::Tensor> heads;
        for (std::int64_t head = 0; head < m_spec.heads; ++head) {
            const std::int64_t key = m_spec.heads + head / perKey;
            const at::Tensor q =
                turned(headNorm(rows(x, prefix + "qkv", head * size, size), prefix + "query_norm"));
            const at::Tensor k =
                turned(headNorm(rows(x, prefix + "qkv", key * size, size), prefix + "key_norm"));
            const at::Tensor v = rows(x, prefix + "qkv", (key + m_spec.keyValueHeads) * size, size);
            const at::Tensor scores =
                at::matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<double>(size)) + bias(head, length) +
                future;
            heads.push_back(at::matmul(scores.softmax(-1), v));
        }
        return rows(at::cat(heads, -1), prefix + "output", 0, m_spec.hiddenSize);
    }

    // ALiBi: a head's slope times the distance of query and key, which is negative.
    at::Tensor bias(std::int64_t head, std::int64_t length) const
    {
        const at::Tensor positions = at::arange(length, at::kFloat);
        if (m_spec.positionEmbedding != model::PositionEmbedding::Alibi)
            return at::zeros({length, length});
        const auto power = static_cast<std::int64_t>(std::exp2(std::floor(std::log2(m_spec.heads))));
        const double exponent = head < power
                                    ? static_cast<double>(head + 1) / static_cast<double>(power)
                                    : (static_cast<double>(head - power) + 0.5) / static_cast<double>(power);
        return (positions.unsqueeze(0) - positions.unsqueeze(1)) * std::exp2(-8.0 * exponent);
    }

    // Every expert sees every token; the router's choice decides what counts.
    at::Tensor experts(const at::Tensor& x, const std::string& layer) const
    {
        const at::Tensor chances = at::matmul(x, weight(layer + "router").t()).softmax(-1);
        const auto [best, chosen] = chances.topk(m_spec.expertsPerToken, -1);
        at::Tensor sum = at::zeros_like(x);
        for (std::int64_t expert = 0; expert < m_spec.experts; ++expert) {
            const at::Tensor share = (best * (chosen == expert)).sum(-1, true) / best.sum(-1, true);
            const at::Tensor up = at::matmul(x, m_parameters.at(layer + "experts.up")[expert].t());
            const std::int64_t size = m_spec.feedForwardSize;
            const at::Tensor inner = activated(up.slice(-1, 0, size), up.slice(-1, size));
            sum = sum + share * at::matmul(inner, m_parameters.at(layer + "experts.down")[expert].t());
        }
        return sum;
    }

    at::Tensor feedForward(const at::Tensor& x, const std::string& layer) const
    {
        const std::string prefix = layer + "feed_forward.";
        const std::int64_t size = m_spec.feedForwardSize;
        const at::Tensor up = rows(x, prefix + "up", 0, size);
        const at::Tensor gate =
            model::isGated(m_spec.activation) ? rows(x, prefix + "up", size, size) : at::Tensor();
        return rows(activated(up, gate), prefix + "down", 0, m_spec.hiddenSize);
    }

    at::Tensor activated(const at::Tensor& up, const at::Tensor& gate) const
    {
        const auto geluTanh = [&] {
            return up * 0.5 * (1 + (std::sqrt(2.0 / std::numbers::pi) * (up + 0.044715 * up.pow(3))).tanh());
        };
        at::Tensor inner;
        switch (m_spec.activation) {
        case model::Activation::SwiGlu:
            inner = up * up.sigmoid() * gate;
            break;
        case model::Activation::Gelu:
            inner = up * 0.5 * (1 + (up / std::sqrt(2.0)).erf());
            break;
        case model::Activation::GeluTanh:
            inner = geluTanh();
            break;
        case model::Activation::GeGlu:
            inner = geluTanh() * gate;
            break;
        case model::Activation::Relu:
            inner = up * (up > 0);
            break;
        case model::Activation::ReluSquared:
            inner = up * up * (up > 0);
            break;
        }
        return inner;
    }

    const model::DecoderSpec& m_spec;
    const FlatParameters& m_parameters;
};

} // namespace batchpeak::network
