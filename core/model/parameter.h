// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace batchpeak::model {

/// How a parameter starts: the values do not change the speed, but they must keep a step finite.
enum class Initialization { Normal, Zeros, Ones };

/// One parameter of a network. Matrices are stored as {outputs, inputs}. The projections that one
/// product computes together are one matrix: query, key and value heads stacked in that order
/// ("attention.qkv"), gate over value of a gated feed-forward layer ("feed_forward.up").
struct Parameter
{
    std::string name;
    std::vector<std::int64_t> shape;
    Initialization initialization = Initialization::Normal;
    /// Weight matrices and embeddings decay; biases and normalisation weights do not
    /// (GPT-3, arXiv 2005.14165, appendix B; nanoGPT).
    bool decays = true;

    std::int64_t elements() const;
};

} // namespace batchpeak::model
