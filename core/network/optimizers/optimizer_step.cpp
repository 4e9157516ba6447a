// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "optimizer_step.h"

#include "model/parameter_shares.h"
#include "networks/constant_tensor.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace batchpeak::network {

namespace {

// GPT-3, arXiv 2005.14165, appendix B.
constexpr double firstMomentDecay = 0.9;
constexpr double secondMomentDecay = 0.95;
constexpr double stabilizer = 1e-8;
constexpr double weightDecay = 0.1;
constexpr double momentum = 0.9;
// Lion in optim/lion.py of bitsandbytes 0.50.2, and DecoupledLionW in llmfoundry/optim/lion.py of LLM-Foundry
// 0.22.
constexpr double updateDecay = 0.9;
constexpr double momentDecay = 0.99;
// torch.nn.utils.clip_grad_norm_.
constexpr double normStabilizer = 1e-6;
// Number of gradients that are widened together: enough for one kernel to fill a GPU, 64 MiB in fp32.
constexpr std::int64_t maxElementsAtOnce = std::int64_t{1} << 24;
// Number of elements of state that are copied to the device together: little compared to what this saves, 16
// MiB for each copy.
constexpr std::int64_t maxBroughtAtOnce = std::int64_t{1} << 22;

bool hasMasters(const OptimizerChoice& choice, at::ScalarType type)
{
    return type != at::kFloat && choice.keepsMasters;
}

StateHolding holdingOf(const OptimizerChoice& choice, at::ScalarType type)
{
    const bool isWide = hasMasters(choice, type) || model::keepsWideMoments(choice.kind);
    return {.kind = choice.kind, .type = isWide ? at::kFloat : type, .onHost = choice.stateOnHost};
}

bool isAdafactor(const OptimizerChoice& choice)
{
    return choice.kind == model::Optimizer::Adafactor;
}

/// Whether values are widened: kernels require one dtype for all their tensors, and Lion is computed in fp32.
bool widens(const OptimizerChoice& choice, at::ScalarType type)
{
    if (type == at::kFloat || choice.keepsMasters || isAdafactor(choice))
        return false;
    return holdingOf(choice, type).isAway() || model::keepsWideMoments(choice.kind);
}

/// Whether gradients of pieces are widened, but not values.
bool widensGradients(const OptimizerChoice& choice, at::ScalarType type)
{
    return hasMasters(choice, type) && !isAdafactor(choice);
}

/// Whether the step is a kernel of libtorch that divides gradients by the scale of the loss.
bool takesScaleOut(const OptimizerChoice& choice)
{
    return choice.isFused() && !model::isLion(choice.kind) && !isAdafactor(choice);
}

bool countsSteps(model::Optimizer kind)
{
    return kind != model::Optimizer::Sgd && !model::isLion(kind);
}

std::int64_t largestPiece(const OptimizerChoice& choice, std::int64_t elements, at::ScalarType type)
{
    if (isAdafactor(choice))
        return elements;
    if (holdingOf(choice, type).isAway() || widens(choice, type) || model::isLion(choice.kind))
        return maxBroughtAtOnce;
    return hasMasters(choice, type) ? maxElementsAtOnce : elements;
}

/// Returns the elements of a segment that this device steps on.
std::int64_t shareOf(std::int64_t elements, std::int64_t shards)
{
    return std::min(elements, model::shareOf(elements, shards));
}

std::int64_t sumOf(const FlatParameters::Stretches& stretches)
{
    std::int64_t elements = 0;
    for (const auto& stretch : stretches)
        elements += stretch.elements;
    return elements;
}

/// Returns the pieces of a segment.
std::vector<MomentPiece> piecesOf(const OptimizerChoice& choice, const FlatParameters::Stretches& segment,
                                  at::ScalarType type)
{
    FlatParameters::Stretches stretches = segment;
    if (!choice.wideEmbeddingMoments)
        stretches = {{.elements = shareOf(sumOf(segment), choice.shards)}};
    std::vector<MomentPiece> pieces;
    for (const auto& [elements, isEmbedding] : stretches) {
        const std::int64_t atOnce = largestPiece(choice, elements, type);
        for (std::int64_t first = 0; first < elements; first += atOnce)
            pieces.push_back({.elements = std::min(atOnce, elements - first), .isWide = isEmbedding});
    }
    return pieces;
}

std::vector<MomentPiece> piecesOf(const OptimizerChoice& choice,
                                  const std::vector<FlatParameters::Stretches>& segments, at::ScalarType type)
{
    std::vector<MomentPiece> pieces;
    for (const auto& segment : segments)
        std::ranges::move(piecesOf(choice, segment, type), std::back_inserter(pieces));
    return pieces;
}

std::int64_t elementsOf(const std::vector<MomentPiece>& pieces)
{
    std::int64_t elements = 0;
    for (const MomentPiece& piece : pieces)
        elements += piece.elements;
    return elements;
}

std::int64_t largestOf(const std::vector<MomentPiece>& pieces)
{
    return pieces.empty() ? 0 : std::ranges::max_element(pieces, {}, &MomentPiece::elements)->elements;
}

/// Whether Adafactor steps on each parameter separately.
bool stepsOnEach(const OptimizerChoice& choice, at::ScalarType type, bool areShared)
{
    return isAdafactor(choice) && choice.shards <= 1 && !areShared && !hasMasters(choice, type);
}

std::vector<Adafactor::Shape> adafactorShapes(const OptimizerChoice& choice,
                                              const std::vector<model::Parameter>& table,
                                              const ParameterHolding& holding,
                                              const std::vector<MomentPiece>& pieces)
{
    std::vector<Adafactor::Shape> shapes;
    if (!stepsOnEach(choice, holding.type, holding.sharing.has_value())) {
        for (const MomentPiece& piece : pieces)
            shapes.push_back({piece.elements});
        return shapes;
    }
    for (const model::Parameter& parameter : table) {
        if (!parameter.isTrained())
            continue;
        for (Adafactor::Shape& shape : model::separateShapes(parameter))
            shapes.push_back(std::move(shape));
    }
    return shapes;
}

} // namespace

Lion::Lion(double learningRate)
    : m_learningRate(learningRate), m_left(static_cast<float>(1.0 - learningRate * weightDecay))
{}

// The operations of DecoupledLionW.lionw, one by one.
void Lion::update(const at::Tensor& values, const at::Tensor& gradients, const at::Tensor& moment,
                  at::Tensor room, bool decays) const
{
    if (decays)
        values.mul_(constantTensor(m_left));
    at::lerp_out(room, moment, gradients, 1.0 - updateDecay).sign_();
    values.add_(room, -m_learningRate);
    moment.lerp_(gradients, 1.0 - momentDecay);
}

std::vector<std::int64_t> OptimizerStep::stateBytes(const OptimizerChoice& choice,
                                                    const std::vector<model::Parameter>& table,
                                                    const ParameterHolding& parameters)
{
    constexpr std::int64_t floatBytes = sizeof(float);
    const at::ScalarType type = parameters.type;
    const std::vector<MomentPiece> pieces =
        piecesOf(choice, FlatParameters::segmentStretches(table, parameters), type);
    const std::int64_t largest = largestOf(pieces);
    const StateHolding holding = holdingOf(choice, type);
    std::vector<std::int64_t> bytes;
    for (int copy = 0; copy < model::optimizerStateCopies(choice.kind, choice.keepsMomentum); ++copy) {
        for (const std::int64_t tensor : OptimizerMoment::tensorBytes(pieces, holding))
            bytes.push_back(tensor);
        if (holding.isAway())
            bytes.push_back(OptimizerMoment::roomElements(largest, holding) * floatBytes);
    }
    if (isAdafactor(choice)) {
        const auto kept =
            Adafactor::stateBytes(adafactorShapes(choice, table, parameters, pieces), choice.stateOnHost);
        bytes.insert(bytes.end(), kept.begin(), kept.end());
    }
    if (hasMasters(choice, type))
        bytes.push_back(elementsOf(pieces) * floatBytes);
    if (widensGradients(choice, type))
        bytes.push_back(largest * floatBytes);
    if (widens(choice, type))
        bytes.insert(bytes.end(), {largest * floatBytes, largest * floatBytes});
    if (model::isLion(choice.kind))
        bytes.push_back(largest * floatBytes);
    if (countsSteps(choice.kind))
        bytes.push_back(floatBytes);
    if (choice.scalesLoss) {
        const std::vector<std::int64_t> scale = LossScale::tensorBytes();
        bytes.insert(bytes.end(), scale.begin(), scale.end());
    }
    return bytes;
}

OptimizerStep::OptimizerStep(const OptimizerChoice& choice, FlatParameters& parameters, double learningRate)
    : m_choice(choice), m_parameters(parameters), m_learningRate(learningRate), m_lion(learningRate)
{
    const at::Tensor& values = parameters.segments().front().values;
    makeMoments(values.device(), values.scalar_type());
    makePieces();
    if (choice.scalesLoss)
        m_lossScale.emplace(values.device());
    if (isAdafactor(choice))
        makeAdafactor();
    if (!choice.isFused())
        makeUnfused();
}

void OptimizerStep::makeMoments(at::Device device, at::ScalarType type)
{
    const std::vector<MomentPiece> pieces = piecesOf(m_choice, m_parameters.stretches(), type);
    const std::int64_t largest = largestOf(pieces);
    const StateHolding holding = holdingOf(m_choice, type);
    const auto options = at::TensorOptions(device).dtype(at::kFloat);
    for (int copy = 0; copy < model::optimizerStateCopies(m_choice.kind, m_choice.keepsMomentum); ++copy) {
        m_moments.emplace_back(pieces, /*isSquare=*/copy == 1, holding, device);
        if (holding.isAway())
            m_rooms.push_back(at::zeros({OptimizerMoment::roomElements(largest, holding)}, options));
    }
    if (hasMasters(m_choice, type))
        m_masters = at::zeros({elementsOf(pieces)}, options);
    if (widensGradients(m_choice, type))
        m_wideGradients = at::zeros({largest}, options);
    if (widens(m_choice, type)) {
        m_wideValues = at::zeros({largest}, options);
        m_wideGradients = at::zeros({largest}, options);
    }
    if (model::isLion(m_choice.kind))
        m_updateRoom = at::zeros({largest}, options);
    if (countsSteps(m_choice.kind))
        m_stepCount = at::zeros({}, m_choice.isFused() ? options : options.device(at::kCPU));
}

void OptimizerStep::makePieces()
{
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < m_parameters.segments().size(); ++i) {
        const FlatParameters::Segment& segment = m_parameters.segments()[i];
        m_firstPieces.push_back(m_pieces.size());
        const at::ScalarType type = segment.values.scalar_type();
        std::int64_t first = 0;
        for (const auto& [size, isWide] : piecesOf(m_choice, m_parameters.stretches()[i], type)) {
            Piece piece{.values = segment.values.narrow(0, first, size), .decays = segment.decays};
            if (segment.gradients.defined())
                piece.gradients = segment.gradients.narrow(0, first, size);
            piece.masterValues = piece.values;
            if (m_masters.defined()) {
                piece.masterValues = m_masters.narrow(0, offset, size);
                piece.masterValues.copy_(piece.values);
            } else if (m_wideValues.defined()) {
                piece.masterValues = m_wideValues.narrow(0, 0, size);
            }
            m_pieces.push_back(piece);
            first += size;
            offset += size;
        }
    }
    m_firstPieces.push_back(m_pieces.size());
}

void OptimizerStep::makeAdafactor()
{
    std::vector<Adafactor::Target> targets;
    const at::ScalarType type = m_parameters.segments().front().values.scalar_type();
    if (!stepsOnEach(m_choice, type, m_parameters.areShared())) {
        for (const Piece& piece : m_pieces) {
            targets.push_back({.values = piece.values,
                               .gradients = piece.gradients,
                               .masters = m_masters.defined() ? piece.masterValues : at::Tensor()});
        }
    } else {
        const std::vector<NamedTensor> values = m_parameters.trained();
        const std::vector<NamedTensor> gradients = m_parameters.stretchesOf(m_parameters.gradients());
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::int64_t first = 0;
            for (const auto& shape : model::separateShapes(*m_parameters.rowOf(values[i].name))) {
                targets.push_back({.values = values[i].tensor.detach().narrow(0, first, shape.front()),
                                   .gradients = gradients[i].tensor.narrow(0, first, shape.front())});
                first += shape.front();
            }
        }
    }
    m_adafactor.emplace(std::move(targets), m_learningRate, m_choice.stateOnHost);
}

void OptimizerStep::makeUnfused()
{
    std::vector<UnfusedStep::Group> groups;
    const auto add = [](UnfusedStep::Group& group, const at::Tensor& values, const at::Tensor& gradients,
                        const at::Tensor& first, const at::Tensor& second) {
        group.values.push_back(values);
        group.gradients.push_back(gradients);
        group.firstMoments.push_back(first);
        group.secondMoments.push_back(second);
    };
    if (m_choice.shards > 1 || m_parameters.areShared()) {
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            UnfusedStep::Group& group = groups.emplace_back(UnfusedStep::Group{.decays = m_pieces[i].decays});
            add(group, m_pieces[i].values, m_pieces[i].gradients, m_moments[0].take(i, {}),
                m_moments[1].take(i, {}));
        }
    } else {
        const std::vector<NamedTensor> values = m_parameters.trained();
        const std::vector<NamedTensor> gradients = m_parameters.stretchesOf(m_parameters.gradients());
        const std::vector<NamedTensor> first = m_parameters.stretchesOf(m_moments[0].tensors().front());
        const std::vector<NamedTensor> second = m_parameters.stretchesOf(m_moments[1].tensors().front());
        for (const bool decays : {true, false}) {
            UnfusedStep::Group group{.decays = decays};
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (m_parameters.rowOf(values[i].name)->decays == decays)
                    add(group, values[i].tensor.detach(), gradients[i].tensor, first[i].tensor,
                        second[i].tensor);
            }
            if (!group.values.empty())
                groups.push_back(std::move(group));
        }
    }
    const bool isOnCpu = m_parameters.segments().front().values.is_cpu();
    using enum UnfusedStep::Way;
    const auto torchsWay = isOnCpu ? OneByOne : Together;
    m_unfused.emplace(std::move(groups),
                      UnfusedStep::Rates{.learningRate = m_learningRate,
                                         .firstMomentDecay = firstMomentDecay,
                                         .secondMomentDecay = secondMomentDecay,
                                         .stabilizer = stabilizer,
                                         .weightDecay = weightDecay},
                      m_choice.adamWStep == model::AdamWStep::Decoupled ? Decoupled : torchsWay);
}

std::vector<NamedTensor> OptimizerStep::state() const
{
    // Names of torch.optim. DecoupledLionW uses "exp_avg", too; Adafactor has its own names.
    const std::vector<std::string> names = m_choice.kind == model::Optimizer::Sgd
                                               ? std::vector<std::string>{"momentum_buffer"}
                                               : std::vector<std::string>{"exp_avg", "exp_avg_sq"};
    std::vector<NamedTensor> state = m_adafactor ? m_adafactor->state() : std::vector<NamedTensor>();
    for (std::size_t i = 0; i < m_moments.size(); ++i) {
        const std::vector<at::Tensor> tensors = m_moments[i].tensors();
        state.push_back({.name = names[i], .tensor = tensors.front()});
        if (tensors.size() > 1)
            state.push_back({.name = names[i] + ".scales", .tensor = tensors[1]});
        if (tensors.size() > 2)
            state.push_back({.name = names[i] + ".wide", .tensor = tensors[2]});
    }
    if (m_stepCount.defined())
        state.push_back({.name = "step", .tensor = m_stepCount});
    if (m_masters.defined())
        state.push_back({.name = "master", .tensor = m_masters});
    if (m_lossScale) {
        for (NamedTensor& tensor : m_lossScale->state())
            state.push_back(std::move(tensor));
    }
    return state;
}

void OptimizerStep::run()
{
    const at::NoGradGuard noGradients;
    m_parameters.completeGradients();
    if (m_lossScale)
        m_lossScale->check(m_parameters.gradients(), unscalesAllAtOnce());
    if (m_choice.maxGradientNorm > 0)
        clip();
    // Fused kernels check by themselves whether the step is left out. For others GradScaler checks it
    // beforehand, which waits for the device.
    if (takesScaleOut(m_choice) || !hasLeftOutStep())
        stepOnAll();
    if (m_lossScale)
        m_lossScale->update();
    m_parameters.clearGradients();
}

void OptimizerStep::stepOnAll()
{
    if (m_adafactor) {
        m_adafactor->run(m_stepCount);
        return;
    }
    if (m_unfused) {
        m_unfused->run(m_stepCount);
        return;
    }
    if (m_stepCount.defined())
        m_stepCount.add_(1);
    for (std::size_t i = 0; i < m_pieces.size(); ++i)
        step(i, m_pieces[i].gradients);
    if (m_lossScale && m_stepCount.defined())
        m_stepCount.sub_(m_lossScale->isInfinite());
}

bool OptimizerStep::hasLeftOutStep() const
{
    return m_lossScale && m_lossScale->isInfinite().item<float>() > 0.0F;
}

void OptimizerStep::beginUpdates()
{
    const at::NoGradGuard noGradients;
    if (m_stepCount.defined())
        m_stepCount.add_(1);
}

void OptimizerStep::update(std::size_t segment, const at::Tensor& gradient)
{
    const at::NoGradGuard noGradients;
    std::int64_t first = 0;
    for (std::size_t i = m_firstPieces[segment]; i < m_firstPieces[segment + 1]; ++i) {
        const std::int64_t size = m_pieces[i].values.numel();
        step(i, gradient.narrow(0, first, size));
        first += size;
    }
}

void OptimizerStep::step(std::size_t index, const at::Tensor& gradients)
{
    const Piece& piece = m_pieces[index];
    if (m_wideValues.defined())
        piece.masterValues.copy_(piece.values);
    if (m_wideGradients.defined()) {
        const at::Tensor wide = m_wideGradients.narrow(0, 0, piece.values.numel());
        wide.copy_(gradients);
        if (m_lossScale && !takesScaleOut(m_choice))
            wide.div_(m_lossScale->scale());
        change(index, wide);
        at::Tensor(piece.values).copy_(piece.masterValues);
    } else {
        change(index, gradients);
    }
}

// Like GradScaler.unscale_() before gradients are clipped; otherwise the step itself divides them, piece by
// piece.
bool OptimizerStep::unscalesAllAtOnce() const
{
    return (m_choice.maxGradientNorm > 0 || !takesScaleOut(m_choice)) &&
           m_parameters.gradients().scalar_type() == at::kFloat;
}

void OptimizerStep::clip()
{
    const at::Tensor& gradients = m_parameters.gradients();
    const at::Tensor norm = at::linalg_vector_norm(gradients, 2, /*dim=*/{}, /*keepdim=*/false, at::kFloat);
    if (m_lossScale && !unscalesAllAtOnce())
        norm.div_(m_lossScale->scale());
    const at::Tensor scale =
        norm.add_(normStabilizer).reciprocal_().mul_(m_choice.maxGradientNorm).clamp_max_(1.0);
    at::Tensor(gradients).mul_(scale);
}

void OptimizerStep::change(std::size_t index, const at::Tensor& gradients)
{
    const Piece& piece = m_pieces[index];
    const auto room = [this](std::size_t moment) { return m_rooms.empty() ? at::Tensor() : m_rooms[moment]; };
    std::vector<at::Tensor> moments;
    for (std::size_t i = 0; i < m_moments.size(); ++i)
        moments.push_back(m_moments[i].take(index, room(i)));
    const double decay = piece.decays ? weightDecay : 0.0;
    std::optional<at::Tensor> lossScale;
    std::optional<at::Tensor> isInfinite;
    if (m_lossScale) {
        isInfinite = m_lossScale->isInfinite();
        if (!unscalesAllAtOnce())
            lossScale = m_lossScale->scale();
    }
    if (m_choice.kind == model::Optimizer::Sgd) {
        // Momentum that starts at zero makes the first step like any other.
        at::_fused_sgd_({piece.masterValues}, {gradients}, moments, decay,
                        m_choice.keepsMomentum ? momentum : 0.0, m_learningRate,
                        /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false,
                        /*is_first_step=*/false, lossScale, isInfinite);
    } else if (model::isLion(m_choice.kind)) {
        m_lion.update(piece.masterValues, gradients, moments.front(),
                      m_updateRoom.narrow(0, 0, piece.values.numel()), piece.decays);
    } else {
        at::_fused_adamw_({piece.masterValues}, {gradients}, {moments[0]}, {moments[1]}, {}, {m_stepCount},
                          m_learningRate, firstMomentDecay, secondMomentDecay, decay, stabilizer,
                          /*amsgrad=*/false, /*maximize=*/false, lossScale, isInfinite);
    }
    for (std::size_t i = 0; i < m_moments.size(); ++i)
        m_moments[i].put(index, room(i));
}

} // namespace batchpeak::network
