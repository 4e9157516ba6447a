// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "flat_parameters.h"

#include "sharded_parameters.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <stdexcept>
#include <utility>

namespace batchpeak::network {

namespace {

// Standard deviation of weights in GPT-2 and LLaMA.
constexpr double weightDeviation = 0.02;

std::int64_t aligned(std::int64_t elements, at::ScalarType type)
{
    const std::int64_t step =
        model::parameterAlignmentBytes / static_cast<std::int64_t>(c10::elementSize(type));
    return (elements + step - 1) / step * step;
}

/// Returns the elements of the buffer of all parameters in one role, gaps included.
std::int64_t bufferElements(const std::vector<model::Parameter>& table, model::ParameterRole role,
                            at::ScalarType type)
{
    std::int64_t elements = 0;
    for (const model::Parameter& parameter : table) {
        if (parameter.role == role)
            elements += aligned(parameter.elements(), type);
    }
    return elements;
}

void initialize(at::Tensor& parameter, model::Initialization initialization)
{
    switch (initialization) {
    case model::Initialization::Normal:
        parameter.normal_(0.0, weightDeviation);
        break;
    case model::Initialization::Zeros:
        parameter.zero_();
        break;
    case model::Initialization::Ones:
        parameter.fill_(1.0);
        break;
    }
}

at::Tensor shaped(const at::Tensor& stretch, const std::vector<std::int64_t>& shape, bool channelsLast)
{
    constexpr std::size_t convolutionDimensions = 4;
    if (!channelsLast || shape.size() != convolutionDimensions)
        return stretch.view(shape);
    return stretch.view({shape[0], shape[2], shape[3], shape[1]}).permute({0, 3, 1, 2});
}

// Runs after a parameter got a gradient: the first one is a tensor of its own, which is moved into the flat
// buffer; later ones have been added there.
class MovesFirstGradient : public torch::autograd::PostAccumulateGradHook
{
public:
    explicit MovesFirstGradient(at::Tensor place) : m_place(std::move(place)) {}

    void operator()(const at::Tensor& parameter) override
    {
        if (parameter.grad().is_alias_of(m_place))
            return;
        m_place.copy_(parameter.grad());
        parameter.mutable_grad() = m_place;
    }

private:
    at::Tensor m_place;
};

// Steps on a parameter in the backward pass. The gradient has the same layout as its parameter
// (AccumulateGrad's layout contract, torch/csrc/autograd/utils/grad_layout_contract.h), so its elements are
// in the order of the segment's.
class UpdatesAtOnce : public torch::autograd::PostAccumulateGradHook
{
public:
    UpdatesAtOnce(std::size_t segment, std::shared_ptr<FlatParameters::Update> update)
        : m_segment(segment), m_update(std::move(update))
    {}

    void operator()(const at::Tensor& parameter) override
    {
        const at::Tensor& gradient = parameter.grad();
        (*m_update)(m_segment, gradient.as_strided({gradient.numel()}, {1}, gradient.storage_offset()));
        parameter.mutable_grad().reset();
    }

private:
    std::size_t m_segment;
    std::shared_ptr<FlatParameters::Update> m_update;
};

} // namespace

std::vector<FlatParameters::Stretches>
FlatParameters::segmentStretches(const std::vector<model::Parameter>& table, const ParameterHolding& holding)
{
    std::vector<Stretches> segments;
    if (holding.sharing) {
        const model::ParameterShares shares = ShardedParameters::sharesOf(table, *holding.sharing);
        for (const std::int64_t share : {shares.decayingShare, shares.undecayedShare}) {
            if (share > 0)
                segments.push_back({{.elements = share}});
        }
        return segments;
    }
    for (const bool decays : {true, false}) {
        Stretches together;
        for (const model::Parameter& parameter : table) {
            if (!parameter.isTrained() || parameter.decays != decays)
                continue;
            if (holding.updatesInBackward) {
                segments.push_back(
                    {{.elements = parameter.elements(), .isEmbedding = parameter.isEmbedding}});
                continue;
            }
            if (together.empty() || together.back().isEmbedding != parameter.isEmbedding)
                together.push_back({.isEmbedding = parameter.isEmbedding});
            together.back().elements += aligned(parameter.elements(), holding.type);
        }
        if (!together.empty())
            segments.push_back(std::move(together));
    }
    return segments;
}

std::vector<std::int64_t> FlatParameters::valueBytes(const std::vector<model::Parameter>& table,
                                                     const ParameterHolding& holding)
{
    using enum model::ParameterRole;
    if (holding.sharing)
        return ShardedParameters::valueBytes(table, holding);
    const auto buffer = [&table](model::ParameterRole role, at::ScalarType type) {
        return bufferElements(table, role, type) * static_cast<std::int64_t>(c10::elementSize(type));
    };
    std::vector<std::int64_t> bytes{buffer(Trained, holding.type), buffer(Frozen, holding.frozenType)};
    for (const model::Parameter& parameter : table) {
        if (parameter.role != Quantized)
            continue;
        const auto ofMatrix = QuantizedMatrix::tensorBytes(
            parameter.shape, model::separateRows(parameter), holding.tuning.frozenWeights,
            holding.tuning.doubleQuantization, holding.frozenType);
        bytes.insert(bytes.end(), ofMatrix.begin(), ofMatrix.end());
    }
    return bytes;
}

FlatParameters::FlatParameters(std::vector<model::Parameter> table, model::Phase phase, c10::Device device,
                               const ParameterHolding& holding)
    : m_table(std::move(table)),
      m_tuning(holding.tuning),
      m_views(m_table.size()),
      m_stretches(segmentStretches(m_table, holding))
{
    for (std::size_t i = 0; i < m_table.size(); ++i)
        m_indexOf.emplace(m_table[i].name, i);
    if (holding.sharing) {
        makeShared(phase, device, holding);
        return;
    }
    makeTrained(phase, device, holding);
    makeFrozen(device, holding);
}

void FlatParameters::makeTrained(model::Phase phase, at::Device device, const ParameterHolding& holding)
{
    const bool trains = phase == model::Phase::Train;
    const bool keepsGradients = trains && !holding.updatesInBackward;
    const auto options = at::TensorOptions(device).dtype(holding.type);
    const at::Tensor values =
        at::zeros({bufferElements(m_table, model::ParameterRole::Trained, holding.type)}, options);
    if (keepsGradients)
        m_gradients = at::zeros_like(values);
    else if (trains)
        m_update = std::make_shared<Update>();

    std::int64_t offset = 0;
    for (const bool decays : {true, false}) {
        const std::int64_t begin = offset;
        for (std::size_t i = 0; i < m_table.size(); ++i) {
            const model::Parameter& row = m_table[i];
            if (!row.isTrained() || row.decays != decays)
                continue;
            const std::int64_t elements = row.elements();
            View& view = m_views[i];
            view.parameter =
                shaped(values.narrow(0, offset, elements), row.shape, holding.channelsLast).detach();
            // Has a version counter of its own: changes of other parameters do not invalidate what is kept
            // for the backward pass.
            if (m_update)
                view.parameter = view.parameter.variable_data();
            initialize(view.parameter, row.initialization);
            view.parameter.requires_grad_(trains);
            if (m_update) {
                torch::autograd::impl::set_post_acc_grad_hooks(
                    view.parameter, std::make_unique<UpdatesAtOnce>(m_segments.size(), m_update));
                addSegment(values, offset, elements, decays);
            } else if (trains) {
                view.gradient =
                    shaped(m_gradients.narrow(0, offset, elements), row.shape, holding.channelsLast);
                torch::autograd::impl::set_post_acc_grad_hooks(
                    view.parameter, std::make_unique<MovesFirstGradient>(view.gradient));
            }
            offset += aligned(elements, holding.type);
        }
        if (offset > begin && !m_update)
            addSegment(values, begin, offset - begin, decays);
    }
}

void FlatParameters::addSegment(const at::Tensor& values, std::int64_t first, std::int64_t elements,
                                bool decays)
{
    m_segments.push_back(
        {.values = values.narrow(0, first, elements),
         .gradients = m_gradients.defined() ? m_gradients.narrow(0, first, elements) : at::Tensor(),
         .decays = decays});
}

void FlatParameters::makeFrozen(at::Device device, const ParameterHolding& holding)
{
    const auto options = at::TensorOptions(device).dtype(holding.frozenType);
    const at::Tensor values =
        at::zeros({bufferElements(m_table, model::ParameterRole::Frozen, holding.frozenType)}, options);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < m_table.size(); ++i) {
        const model::Parameter& row = m_table[i];
        View& view = m_views[i];
        if (row.role == model::ParameterRole::Quantized) {
            at::Tensor full = at::empty(row.shape, options);
            initialize(full, row.initialization);
            quantize(i, full);
        } else if (row.role == model::ParameterRole::Frozen) {
            view.parameter =
                shaped(values.narrow(0, offset, row.elements()), row.shape, holding.channelsLast).detach();
            initialize(view.parameter, row.initialization);
            offset += aligned(row.elements(), holding.frozenType);
        }
    }
}

void FlatParameters::makeShared(model::Phase phase, at::Device device, const ParameterHolding& holding)
{
    const bool trains = phase == model::Phase::Train;
    m_sharded = std::make_shared<ShardedParameters>(m_table, phase, device, holding);
    m_gradients = m_sharded->gradients();
    const model::ParameterShares& shares = m_sharded->shares();
    for (std::size_t unit = 0; unit < shares.units.size(); ++unit)
        makeUnit(unit, device, trains, holding);
    std::int64_t first = 0;
    for (const auto& [elements, decays] :
         {std::pair(shares.decayingShare, true), std::pair(shares.undecayedShare, false)}) {
        if (elements == 0)
            continue;
        addSegment(m_sharded->values(), first, elements, decays);
        first += elements;
    }
}

// Layers that use the same buffer write to it one after another: each takes its share before the next one.
void FlatParameters::makeUnit(std::size_t index, at::Device device, bool trains,
                              const ParameterHolding& holding)
{
    const model::ParameterUnit& unit = m_sharded->shares().units[index];
    const auto make = [&](std::size_t row, const at::Tensor& stretch) -> at::Tensor& {
        const model::Parameter& parameter = m_table[row];
        at::Tensor& view = m_views[row].parameter;
        view = shaped(stretch, parameter.shape, holding.channelsLast).detach();
        initialize(view, parameter.initialization);
        return view;
    };
    for (const auto& place : unit.trained) {
        at::Tensor& view = make(place.row, m_sharded->trained(index, place, m_table[place.row].elements()));
        view.requires_grad_(trains);
        if (trains)
            m_sharded->learn(view, index, place);
    }
    for (const auto& place : unit.frozen)
        make(place.row, m_sharded->frozen(index, place, m_table[place.row].elements()));
    const model::ParameterUnit& lender = m_sharded->shares().units[unit.lender];
    for (std::size_t i = 0; i < unit.quantized.size(); ++i) {
        const std::size_t row = unit.quantized[i];
        at::Tensor full = at::empty(m_table[row].shape, at::TensorOptions(device).dtype(holding.frozenType));
        initialize(full, m_table[row].initialization);
        quantize(row, full);
        if (unit.lender != index)
            m_views[row].quantized.borrowCodes(m_views[lender.quantized[i]].quantized);
    }
    m_sharded->keepShare(index);
}

void FlatParameters::quantize(std::size_t index, const at::Tensor& values)
{
    m_views[index].quantized = QuantizedMatrix(values, model::separateRows(m_table[index]),
                                               m_tuning.frozenWeights, m_tuning.doubleQuantization);
}

const at::Tensor& FlatParameters::at(const std::string& name) const
{
    const View& view = m_views[m_indexOf.at(name)];
    if (!view.parameter.defined())
        throw std::out_of_range("The parameter " + name + " is a quantized matrix.");
    return view.parameter;
}

bool FlatParameters::contains(const std::string& name) const
{
    const auto found = m_indexOf.find(name);
    return found != m_indexOf.end() && m_views[found->second].parameter.defined();
}

const QuantizedMatrix* FlatParameters::quantized(const std::string& name) const
{
    const auto found = m_indexOf.find(name);
    if (found == m_indexOf.end() || !m_views[found->second].quantized.defined())
        return nullptr;
    return &m_views[found->second].quantized;
}

const model::Parameter* FlatParameters::rowOf(const std::string& name) const
{
    const auto found = m_indexOf.find(name);
    return found == m_indexOf.end() ? nullptr : &m_table[found->second];
}

void FlatParameters::set(const std::string& name, const at::Tensor& values)
{
    if (m_sharded)
        throw std::logic_error("The parameter " + name + " is shared with other devices.");
    const at::NoGradGuard noGradients;
    const std::size_t index = m_indexOf.at(name);
    if (m_views[index].quantized.defined())
        quantize(index, values);
    else
        m_views[index].parameter.copy_(values);
}

std::vector<NamedTensor> FlatParameters::trained() const
{
    std::vector<NamedTensor> trained;
    for (std::size_t i = 0; i < m_table.size(); ++i) {
        if (m_table[i].isTrained())
            trained.push_back({.name = m_table[i].name, .tensor = m_views[i].parameter});
    }
    return trained;
}

std::vector<NamedTensor> FlatParameters::stretchesOf(const at::Tensor& buffer) const
{
    std::vector<NamedTensor> stretches = trained();
    for (NamedTensor& stretch : stretches) {
        const at::Tensor& parameter = stretch.tensor;
        stretch.tensor = buffer.as_strided(parameter.sizes(), parameter.strides(),
                                           buffer.storage_offset() + parameter.storage_offset());
    }
    return stretches;
}

void FlatParameters::setUpdate(Update update)
{
    *m_update = std::move(update);
}

void FlatParameters::clearGradients()
{
    if (m_sharded) {
        m_sharded->clearGradients();
        return;
    }
    for (View& view : m_views) {
        if (view.gradient.defined() || (m_update && view.parameter.defined()))
            view.parameter.mutable_grad().reset();
    }
}

void FlatParameters::completeGradients()
{
    if (!m_gradients.defined())
        return;
    reduceGradients();
    for (View& view : m_views) {
        if (view.gradient.defined() && !view.parameter.grad().defined())
            view.parameter.mutable_grad() = view.gradient.zero_();
    }
}

void FlatParameters::gatherOutside()
{
    if (m_sharded)
        m_sharded->gatherOutside();
}

void FlatParameters::enterLayer(std::size_t layer)
{
    if (m_sharded)
        m_sharded->enterLayer(layer);
}

void FlatParameters::leaveLayer(std::size_t layer)
{
    if (m_sharded)
        m_sharded->leaveLayer(layer);
}

void FlatParameters::reduceGradients()
{
    if (m_sharded)
        m_sharded->reduceAll();
}

} // namespace batchpeak::network
