// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_runner.h"

#include "accumulation/micro_batches.h"
#include "device_memory.h"
#include "execution_state.h"
#include "networks/loaded_network.h"
#include "phase_clock.h"
#include "tensor_file.h"
#include "training_data.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace batchpeak::network {

namespace {

constexpr const char* randomName = "random_state";

const trial::LoadRequest& forTraining(const trial::LoadRequest& load)
{
    if (load.phase != model::Phase::Train) {
        throw std::invalid_argument(
            "The network was loaded for evaluation, so it cannot be trained. Load it for training.");
    }
    if (load.step.updatesInBackward) {
        throw std::invalid_argument(
            "Training accumulates gradients, which are not kept where backward updates parameters. Load the "
            "network without updates in backward.");
    }
    return load;
}

/// Returns the tokens of a sample that go through the network: the last token of a decoder's row is only
/// predicted.
std::int64_t tokensPerSample(const LoadedNetwork& loaded)
{
    const trial::LoadRequest& load = loaded.request();
    if (loaded.network().tokensPerRow() == 0)
        return 0;
    const bool readsTwo = std::holds_alternative<model::EncoderDecoderSpec>(load.model.architecture);
    return load.sequenceLength + (readsTwo ? load.targetLength.value_or(0) : 0);
}

/// Sets whether the network trains while the guard lives; it trains again afterwards.
class ModeGuard
{
public:
    ModeGuard(Network& network, bool trains) : m_network(network) { network.setTrains(trains); }
    ~ModeGuard() { m_network.setTrains(true); }
    ModeGuard(const ModeGuard&) = delete;
    ModeGuard& operator=(const ModeGuard&) = delete;

private:
    Network& m_network;
};

/// State that the micro-batches of a step change before the step is done: the state of the device's random
/// number generator, and the statistics of batch normalization. It is kept so that a failed step leaves no
/// trace.
///
/// Parameters and optimizer state are not part of it: OptimizerStep changes them last, and changes all or
/// none.
class RestorePoint
{
public:
    /// Allocates the copies, which live as long as the object.
    /// \param statistics  result of Network::statistics()
    RestorePoint(at::Device device, std::vector<at::Tensor> statistics);

    /// Takes the copies. If that throws, nothing has changed and the point is not set.
    void set();
    bool isSet() const { return m_isSet; }
    /// Drops the point: the step is done, and cannot be undone.
    void clear() { m_isSet = false; }
    /// Restores everything if the point is set. Allocates nothing, so that a full device cannot refuse it.
    void restore();

private:
    at::Device m_device;
    std::vector<at::Tensor> m_statistics;
    std::vector<at::Tensor> m_copies;
    /// Lies on the host's own heap, so that it takes nothing of the budget of tensors on the CPU either.
    std::vector<std::uint8_t> m_random;
    bool m_isSet = false;
};

RestorePoint::RestorePoint(at::Device device, std::vector<at::Tensor> statistics)
    : m_device(device), m_statistics(std::move(statistics))
{
    for (const at::Tensor& statistic : m_statistics)
        m_copies.push_back(at::empty_like(statistic));
}

void RestorePoint::set()
{
    m_isSet = false;
    const at::Tensor random = randomState(m_device);
    const auto* bytes = random.const_data_ptr<std::uint8_t>();
    m_random.assign(bytes, bytes + random.numel());
    const at::NoGradGuard noGradients;
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        m_copies[i].copy_(m_statistics[i]);
    m_isSet = true;
}

void RestorePoint::restore()
{
    if (!m_isSet)
        return;
    setRandomState(m_device, at::from_blob(m_random.data(), {static_cast<std::int64_t>(m_random.size())},
                                           at::TensorOptions(at::kByte)));
    const at::NoGradGuard noGradients;
    for (std::size_t i = 0; i < m_copies.size(); ++i)
        m_statistics[i].copy_(m_copies[i]);
    m_isSet = false;
}

} // namespace

class TrainingRunner::State
{
public:
    State(const trial::LoadRequest& load, const trial::TrainingRequest& training, DeviceMemory& memory);

    BatchDone run(const trial::BatchRequest& batch);
    bool recover();
    std::int64_t save(const std::string& path);

    LoadedNetwork m_loaded;
    TrainingData m_data;
    std::function<void(std::int64_t)> m_microBatchDone;

private:
    struct MicroBatch
    {
        std::span<const SampleRow> rows;
        double normalizer = 1.0;
        /// The batch, if it consists of tokens for a GPU. Otherwise nothing: all batches at once may not fit
        /// into the device's memory, so each is made just before it runs.
        std::optional<Batch> onHost;
    };

    std::vector<MicroBatch> microBatchesOf(const trial::BatchRequest& batch, std::span<const SampleRow> rows,
                                           std::int64_t countedTargets) const;
    void run(std::span<const MicroBatch> microBatches, bool trains);
    void run(const MicroBatch& microBatch, bool trains);
    double normalizerOf(const accumulation::Chunk& chunk, std::span<const SampleRow> rows,
                        std::int64_t countedTargets) const;
    void readCheckpoint(const std::string& path);
    void finishWithinReach() const;
    /// \return seconds of the step
    double step();

    trial::LossWeighting m_weighting;
    /// Loss of the micro-batches so far, float64 on the device: reading it waits for the device.
    at::Tensor m_loss;
    RestorePoint m_before;
    /// Time for making micro-batches within the current batch. In training runs a loader does this beside the
    /// steps, so it is not counted as part of them. A GPU keeps computing meanwhile, so it is measured on the
    /// CPU alone.
    std::chrono::steady_clock::duration m_loading{};
    /// Whether the optimizer step of the current batch is done.
    bool m_stepped = false;
    /// Maximum number of samples in a micro-batch of the last training batch.
    std::int64_t m_trainedSize = 0;
};

TrainingRunner::State::State(const trial::LoadRequest& load, const trial::TrainingRequest& training,
                             DeviceMemory& memory)
    : m_loaded(forTraining(load), memory, training.learningRate),
      m_data(training.data, m_loaded.network(), load.seed),
      m_weighting(training.weighting),
      m_loss(at::zeros({}, at::TensorOptions(m_loaded.device()).dtype(at::kDouble))),
      m_before(m_loaded.device(), m_loaded.network().statistics())
{
    if (!training.checkpoint.empty())
        readCheckpoint(training.checkpoint);
    m_loaded.measureBaseline();
}

BatchDone TrainingRunner::State::run(const trial::BatchRequest& batch)
{
    DeviceMemory& memory = m_loaded.memory();
    memory.synchronize();
    m_loaded.admitWorkspaces();
    // A new micro-batch size starts with an empty cache, so that its peak is not that of the previous size.
    // Evaluations run between training steps, which keep their cache.
    if (batch.phase == model::Phase::Train &&
        std::exchange(m_trainedSize, batch.microBatchSize) != batch.microBatchSize)
        memory.emptyCache();
    memory.resetPeaks();
    m_before.set();

    const std::vector<SampleRow> rows = m_data.rows(batch);
    const std::int64_t countedTargets = m_loaded.network().countedTargets(rows);
    const std::vector<MicroBatch> microBatches = microBatchesOf(batch, rows, countedTargets);
    const auto begin = std::chrono::steady_clock::now();
    m_loading = {};
    m_loss.zero_();
    run(microBatches, batch.phase == model::Phase::Train);
    finishWithinReach();
    BatchDone done{.loss = m_loss.item<double>(), .countedTargets = countedTargets};
    if (batch.phase == model::Phase::Train)
        done.optimizerSeconds = step();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin - m_loading;
    done.seconds = seconds.count();
    m_before.clear();
    m_stepped = false;
    return done;
}

std::vector<TrainingRunner::State::MicroBatch>
TrainingRunner::State::microBatchesOf(const trial::BatchRequest& batch, std::span<const SampleRow> rows,
                                      std::int64_t countedTargets) const
{
    const bool liesOnHost = m_loaded.network().tokensPerRow() > 0 && !m_loaded.device().is_cpu();
    std::vector<MicroBatch> microBatches;
    accumulation::forEachChunk(batch.samples, batch.microBatchSize, [&](const accumulation::Chunk& chunk) {
        const auto part =
            rows.subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.samples));
        microBatches.push_back({.rows = part, .normalizer = normalizerOf(chunk, part, countedTargets)});
        if (liesOnHost)
            microBatches.back().onHost = m_loaded.network().batchOf(part);
    });
    return microBatches;
}

void TrainingRunner::State::run(std::span<const MicroBatch> microBatches, bool trains)
{
    const ModeGuard mode(m_loaded.network(), trains);
    std::int64_t done = 0;
    for (const MicroBatch& microBatch : microBatches) {
        run(microBatch, trains);
        if (m_microBatchDone)
            m_microBatchDone(++done);
    }
}

void TrainingRunner::State::run(const MicroBatch& microBatch, bool trains)
{
    const at::AutoGradMode gradients(trains);
    const auto begin = std::chrono::steady_clock::now();
    const Batch batch = microBatch.onHost ? microBatch.onHost->to(m_loaded.device())
                                          : m_loaded.network().batchOf(microBatch.rows);
    if (m_loaded.device().is_cpu())
        m_loading += std::chrono::steady_clock::now() - begin;
    const at::Tensor loss = m_loaded.forward(batch, microBatch.normalizer);
    {
        const at::NoGradGuard noGradients;
        m_loss.add_(loss);
    }
    if (trains)
        m_loaded.optimizer()->scaled(loss).backward();
}

double TrainingRunner::State::normalizerOf(const accumulation::Chunk& chunk, std::span<const SampleRow> rows,
                                           std::int64_t countedTargets) const
{
    // The loss is a sum over counted targets, divided by this number. If there are none, the sum is 0, and
    // must stay so.
    const auto atLeastOne = [](std::int64_t targets) {
        return static_cast<double>(std::max<std::int64_t>(targets, 1));
    };
    if (m_weighting == trial::LossWeighting::Tokens)
        return atLeastOne(countedTargets);
    return atLeastOne(m_loaded.network().countedTargets(rows)) / chunk.weight;
}

// The optimizer step cannot be undone, so errors that a GPU reports late must be known before. One wait is
// negligible compared to a whole batch.
void TrainingRunner::State::finishWithinReach() const
{
    DeviceMemory& memory = m_loaded.memory();
    memory.synchronize();
    TORCH_CHECK_WITH(OutOfMemoryError, !memory.spilled(),
                     "The batch took more memory than the device has; its driver moved data to main memory "
                     "instead of refusing it.");
}

double TrainingRunner::State::step()
{
    PhaseClock clock(m_loaded.device());
    clock.mark();
    m_loaded.optimizer()->run();
    m_stepped = true;
    clock.mark();
    m_loaded.memory().synchronize();
    return clock.intervals().front();
}

bool TrainingRunner::State::recover()
{
    if (m_stepped || !m_loaded.recover())
        return false;
    try {
        m_before.restore();
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

std::int64_t TrainingRunner::State::save(const std::string& path)
{
    std::vector<NamedTensor> tensors = m_loaded.trainedTensors();
    tensors.push_back({.name = randomName, .tensor = randomState(m_loaded.device())});
    // Without this entry Hugging Face's own readers refuse the file.
    return writeTensorFile(path, tensors, {{"format", "pt"}});
}

void TrainingRunner::State::readCheckpoint(const std::string& path)
{
    std::vector<NamedTensor> tensors = m_loaded.trainedTensors();
    const at::Tensor random = randomState(m_loaded.device());
    tensors.push_back({.name = randomName, .tensor = random});
    readTensorFile(path, tensors);
    try {
        setRandomState(m_loaded.device(), random);
    } catch (const c10::OutOfMemoryError&) {
        throw;
    } catch (const c10::Error&) {
        // libtorch's message is meant for its developers.
        throw CheckpointError(
            "The checkpoint " + path + " holds a " + randomName +
            " that no generator of random numbers can have, as where a disk has damaged it. "
            "Resume from an older one.");
    }
}

TrainingRunner::TrainingRunner(const trial::LoadRequest& load, const trial::TrainingRequest& training,
                               DeviceMemory& memory)
    : m_state(std::make_unique<State>(load, training, memory))
{}

TrainingRunner::~TrainingRunner() = default;

trial::TrainingReady TrainingRunner::ready() const
{
    return {.samples = m_state->m_data.samples(),
            .heldOutSamples = m_state->m_data.heldOutSamples(),
            .tokensPerSample = tokensPerSample(m_state->m_loaded)};
}

std::int64_t TrainingRunner::baselineBytes() const
{
    return m_state->m_loaded.baselineBytes();
}

void TrainingRunner::setCancelled(std::function<bool()> cancelled)
{
    m_state->m_loaded.setCancelled(std::move(cancelled));
}

void TrainingRunner::setMicroBatchDone(std::function<void(std::int64_t)> done)
{
    m_state->m_microBatchDone = std::move(done);
}

BatchDone TrainingRunner::run(const trial::BatchRequest& batch)
{
    return m_state->run(batch);
}

bool TrainingRunner::recover()
{
    return m_state->recover();
}

std::int64_t TrainingRunner::save(const std::string& path) const
{
    return m_state->save(path);
}

} // namespace batchpeak::network
