// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "adapters.h"

#include "model/parameter_table.h"
#include "optimizers/flat_parameters.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>

namespace batchpeak::network {

namespace {

/// Returns places in the matrix if the parameters have it, or in the embedding if the output uses its matrix.
std::vector<model::AdapterPlace> placesOf(const FlatParameters& parameters, const std::string& name)
{
    if (const model::Parameter* matrix = parameters.rowOf(name + ".weight"))
        return model::adapterPlaces(*matrix);
    const model::Parameter* embedding = parameters.rowOf("embed_tokens.weight");
    if (name != "output" || !embedding)
        return {};
    return {{.projection = model::Projection::Output, .rows = embedding->shape.front()}};
}

/// Returns the input of an adapter, in the adapter's dtype. Only beside quantized matrices under autocast it
/// is left as it is, as in PEFT (tuners/lora/bnb.py).
at::Tensor takenBy(const Adapter& part, const at::Tensor& input, const AdaptedMatrix& matrix,
                   const Adapters& adapters, bool trains)
{
    const bool isLeft = matrix.isQuantized && at::autocast::is_autocast_enabled(input.device().type());
    const at::Tensor taken = isLeft ? input : input.to(part.a.scalar_type());
    return trains && adapters.dropout > 0.0 ? at::dropout(taken, adapters.dropout, /*train=*/true) : taken;
}

at::Tensor lowRank(const at::Tensor& input, const Adapter& part)
{
    return at::linear(at::linear(input, part.a), part.b);
}

/// Returns the adapters' results for their rows, and zeros for all others.
at::Tensor overAllRows(std::vector<at::Tensor> outputs, const Adapters& adapters, std::int64_t rows)
{
    if (adapters.parts.size() == 1 && adapters.parts.front().rows == rows)
        return outputs.front();
    std::vector<at::Tensor> pieces;
    const auto fillTo = [&](std::int64_t from, std::int64_t to) {
        if (from == to)
            return;
        std::vector<std::int64_t> shape = outputs.front().sizes().vec();
        shape.back() = to - from;
        pieces.push_back(at::zeros({}, outputs.front().options().requires_grad(false)).expand(shape));
    };
    std::int64_t row = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        fillTo(row, adapters.parts[i].firstRow);
        pieces.push_back(outputs[i]);
        row = adapters.parts[i].firstRow + adapters.parts[i].rows;
    }
    fillTo(row, rows);
    return at::cat(pieces, -1);
}

at::Tensor withLowRank(const at::Tensor& result, const at::Tensor& input, const AdaptedMatrix& matrix,
                       const Adapters& adapters, bool trains)
{
    std::vector<at::Tensor> outputs;
    for (const Adapter& part : adapters.parts)
        outputs.push_back(lowRank(takenBy(part, input, matrix, adapters, trains), part));
    const at::Tensor all = overAllRows(std::move(outputs), adapters, result.size(-1));
    if (matrix.isQuantized)
        return result.add(all, adapters.scale).to(result.scalar_type());
    return result.add_(all, adapters.scale);
}

/// Returns the difference that an adapter makes to the matrix, {rows, inputs}: its two products with an
/// identity matrix, as PEFT and torchtune compute it for the sake of FSDP, at the same cost.
at::Tensor differenceOf(const Adapter& part, at::ScalarType type)
{
    at::Tensor difference;
    {
        const at::Tensor identity = at::eye(part.a.size(1), part.a.options().requires_grad(false));
        difference = lowRank(identity, part).t();
    }
    return difference.to(type);
}

/// Returns the lengths of the rows of matrix and adapter together, which autograd takes as constants.
at::Tensor rowLengths(const at::Tensor& rows, const at::Tensor& difference, double scale)
{
    const at::NoGradGuard noGradients;
    constexpr std::int64_t inputs = 1;
    return at::linalg_vector_norm(rows.add(difference.mul(scale)), 2, at::IntArrayRef(inputs))
        .to(rows.scalar_type());
}

at::Tensor withLengths(const at::Tensor& result, const at::Tensor& input, const AdaptedMatrix& matrix,
                       const Adapters& adapters, bool trains)
{
    const bool drops = trains && adapters.dropout > 0.0;
    const at::Tensor values = matrix.values();
    std::vector<at::Tensor> outputs;
    for (const Adapter& part : adapters.parts) {
        const at::Tensor taken = takenBy(part, input, matrix, adapters, trains);
        // It stays alive until the adapter has computed everything, like a local variable of PEFT's and
        // torchtune's.
        const at::Tensor difference = differenceOf(part, taken.scalar_type());
        const at::Tensor rows = values.narrow(0, part.firstRow, part.rows).to(taken.scalar_type());
        const at::Tensor factor =
            part.magnitude.div(rowLengths(rows, difference, adapters.scale)).view({1, part.rows});
        at::Tensor base;
        if (drops) {
            base = at::linear(taken, rows);
        } else {
            base = result.narrow(-1, part.firstRow, part.rows);
            if (matrix.bias.defined())
                base = base.sub(matrix.bias.narrow(0, part.firstRow, part.rows));
        }
        outputs.push_back(
            factor.sub(1.0).mul(base).add(factor.mul(lowRank(taken, part)).mul(adapters.scale)));
    }
    return result.add(overAllRows(std::move(outputs), adapters, result.size(-1))).to(result.scalar_type());
}

} // namespace

std::shared_ptr<const Adapters> adaptersOf(const FlatParameters& parameters, const std::string& name)
{
    const model::Tuning& tuning = parameters.tuning();
    Adapters adapters{.scale = model::adapterScale(tuning), .dropout = tuning.dropout};
    for (const auto& [projection, firstRow, rows] : placesOf(parameters, name)) {
        const std::string prefix = name + "." + std::string(model::toText(projection));
        if (!parameters.contains(prefix + ".lora_a"))
            continue;
        Adapter part{.firstRow = firstRow,
                     .rows = rows,
                     .a = parameters.at(prefix + ".lora_a"),
                     .b = parameters.at(prefix + ".lora_b")};
        if (parameters.contains(prefix + ".magnitude"))
            part.magnitude = parameters.at(prefix + ".magnitude");
        adapters.parts.push_back(std::move(part));
    }
    if (adapters.parts.empty())
        return nullptr;
    std::ranges::sort(adapters.parts, {}, &Adapter::firstRow);
    return std::make_shared<const Adapters>(std::move(adapters));
}

at::Tensor adapted(const at::Tensor& result, const at::Tensor& input, const AdaptedMatrix& matrix,
                   const Adapters& adapters, bool trains)
{
    return adapters.learnMagnitudes() ? withLengths(result, input, matrix, adapters, trains)
                                      : withLowRank(result, input, matrix, adapters, trains);
}

} // namespace batchpeak::network
