// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/decoder_spec.h"
#include "network/optimizers/flat_parameters.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace batchpeak::network {

/// A decoder reimplemented from the papers' formulas for comparison: one head at a time, weights not stacked,
/// attention as a whole matrix.
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
            x = x + weight("embed_positions").slice(0, m_spec.positionOffset).slice(0, 0, tokens.size(1));
        if (m_spec.embeddingNormalization)
            x = norm(x, "embed_norm");
        for (std::int64_t i = 0; i < m_spec.layers; ++i) {
            const std::string layer = "layers." + std::to_string(i) + ".";
            const at::Tensor input = norm(x, layer + "attention_norm");
            const at::Tensor attended = ofBranch(attention(input, i), layer + "attention_output_norm");
            at::Tensor other = input;
            if (m_spec.branches == model::Branches::Sequential)
                other = norm(x + attended, layer + "feed_forward_norm");
            if (m_spec.branches == model::Branches::ParallelNorms)
                other = norm(x, layer + "feed_forward_norm");
            const at::Tensor fed =
                m_parameters.contains(layer + "router.weight") ? experts(other, layer) : dense(other, layer);
            x = x + attended + ofBranch(fed, layer + "feed_forward_output_norm");
        }
        const at::Tensor output = weight(m_spec.tiedEmbeddings ? "embed_tokens" : "output");
        const at::Tensor product = at::matmul(norm(x, "final_norm"), output.t());
        return capped(m_spec.outputBias ? product + m_parameters.at("output.bias") : product,
                      m_spec.logitSoftCap);
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
        const at::Tensor centered = x - x.mean(-1, true);
        const at::Tensor variance = (centered * centered).mean(-1, true);
        const at::Tensor scaled = centered / (variance + m_spec.normalizationEpsilon).sqrt() * weight(name);
        return m_spec.normalizationBias ? scaled + m_parameters.at(name + ".bias") : scaled;
    }

    at::Tensor ofBranch(const at::Tensor& output, const std::string& name) const
    {
        return m_spec.branchOutputNormalization ? norm(output, name) : output;
    }

    static at::Tensor capped(const at::Tensor& x, double cap)
    {
        return cap > 0.0 ? cap * (x / cap).tanh() : x;
    }

    static bool isAmong(const std::vector<std::int64_t>& layers, std::int64_t layer)
    {
        return std::find(layers.begin(), layers.end(), layer) != layers.end();
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

    // Elements i and i + half are one complex number, rotated by position * theta^(-2i / size).
    at::Tensor turned(const at::Tensor& head, std::int64_t layer) const
    {
        if (m_spec.positionEmbedding != model::PositionEmbedding::Rotary ||
            isAmong(m_spec.unrotatedLayers, layer))
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

    // Returns minus infinity for later positions and for those before the window, else 0.
    at::Tensor unseen(std::int64_t layer, std::int64_t length) const
    {
        const bool isWindowed = m_spec.windowedLayers.empty() || isAmong(m_spec.windowedLayers, layer);
        at::Tensor mask = at::zeros({length, length});
        for (std::int64_t query = 0; query < length; ++query) {
            for (std::int64_t key = 0; key < length; ++key) {
                const bool isTooOld =
                    m_spec.attentionWindow > 0 && isWindowed && key <= query - m_spec.attentionWindow;
                if (key > query || isTooOld)
                    mask[query][key] = -std::numeric_limits<float>::infinity();
            }
        }
        return mask;
    }

    at::Tensor attention(const at::Tensor& x, std::int64_t layer) const
    {
        const std::string prefix = "layers." + std::to_string(layer) + ".attention.";
        const std::int64_t size = m_spec.headSize > 0 ? m_spec.headSize : m_spec.hiddenSize / m_spec.heads;
        const std::int64_t perKey = m_spec.heads / m_spec.keyValueHeads;
        const std::int64_t length = x.size(1);
        const at::Tensor mask = unseen(layer, length);
        std::vector<at::Tensor> heads;
        for (std::int64_t head = 0; head < m_spec.heads; ++head) {
            const std::int64_t key = m_spec.heads + head / perKey;
            const at::Tensor q =
                turned(headNorm(rows(x, prefix + "qkv", head * size, size), prefix + "query_norm"), layer);
            const at::Tensor k =
                turned(headNorm(rows(x, prefix + "qkv", key * size, size), prefix + "key_norm"), layer);
            const at::Tensor v = rows(x, prefix + "qkv", (key + m_spec.keyValueHeads) * size, size);
            const at::Tensor products =
                at::matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<double>(size));
            const at::Tensor scores = capped(products, m_spec.attentionSoftCap) + bias(head, length) + mask;
            heads.push_back(at::matmul(scores.softmax(-1), v));
        }
        return rows(at::cat(heads, -1), prefix + "output", 0, m_spec.hiddenSize);
    }

    // ALiBi: the slope of a head times the distance between query and key, which is negative.
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

    // Every expert computes every token; the router's choice decides which results count.
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
        if (m_spec.sharedExpertSize == 0)
            return sum;
        at::Tensor shared = feedForward(x, layer + "shared_expert.", m_spec.sharedExpertSize);
        if (m_spec.sharedExpertGate)
            shared = shared * at::matmul(x, weight(layer + "shared_expert_gate").t()).sigmoid();
        return sum + shared;
    }

    at::Tensor dense(const at::Tensor& x, const std::string& layer) const
    {
        const bool isOfOwnSize = m_spec.denseLayers > 0 && m_spec.denseFeedForwardSize > 0;
        return feedForward(x, layer + "feed_forward.",
                           isOfOwnSize ? m_spec.denseFeedForwardSize : m_spec.feedForwardSize);
    }

    at::Tensor feedForward(const at::Tensor& x, const std::string& prefix, std::int64_t size) const
    {
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
        case model::Activation::GeluPython:
            inner = up * 0.5 * (1 + (up / std::sqrt(2.0)).erf());
            break;
        case model::Activation::GeluTanh:
        case model::Activation::GeluNew:
        case model::Activation::GeluFast:
        case model::Activation::BloomGelu:
            inner = geluTanh();
            break;
        case model::Activation::GeGlu:
        case model::Activation::GeGluNew:
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
