// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "network/failure.h"
#include "network/training_runner.h"
#include "tiny_networks.h"

#include <QFile>
#include <QTemporaryDir>

#include <optional>
#include <vector>

namespace batchpeak::network {

inline constexpr std::int64_t samplesInEpoch = 32;

/// Returns the network with dropout wherever its family has it.
inline model::Architecture withDropout(model::Architecture architecture)
{
    std::visit(
        [](auto& spec) {
            if constexpr (requires { spec.dropout; })
                spec.dropout = 0.2;
            if constexpr (requires { spec.attentionDropout; })
                spec.attentionDropout = 0.2;
        },
        architecture);
    return architecture;
}

inline trial::LoadRequest trainingLoad(const model::Architecture& architecture)
{
    return tinyRequest(architecture, model::Phase::Train);
}

inline trial::TrainingRequest syntheticTraining()
{
    return {.data = {.samples = samplesInEpoch}, .learningRate = 1e-3};
}

/// Returns the batch of an optimizer step, counted from 0; batches follow one another through the epochs.
inline trial::BatchRequest batchOfStep(std::int64_t step, std::int64_t samples, std::int64_t microBatchSize)
{
    const std::int64_t inEpoch = samplesInEpoch / samples;
    return {.id = step,
            .epoch = step / inEpoch,
            .first = step % inEpoch * samples,
            .samples = samples,
            .microBatchSize = microBatchSize};
}

/// Returns the losses of \p steps steps from \p first on.
inline std::vector<double> lossesOf(TrainingRunner& runner, std::int64_t first, std::int64_t steps,
                                    std::int64_t samples, std::int64_t microBatchSize)
{
    std::vector<double> losses;
    for (std::int64_t step = first; step < first + steps; ++step)
        losses.push_back(runner.run(batchOfStep(step, samples, microBatchSize)).loss);
    return losses;
}

/// Returns the whole state of a training run as the bytes of its checkpoint: parameters, optimizer state,
/// random state and statistics.
inline QByteArray stateOf(const TrainingRunner& runner)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("state.safetensors"));
    runner.save(path.toStdString());
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Runs a batch as a worker does: an exception is classified inside the catch block, and the device recovers
/// outside it. Cancelled is a failure like any other here.
///
/// \param losses  receives the loss if there is no failure
inline std::optional<Failure> failureOf(TrainingRunner& runner, const DeviceMemory& memory,
                                        const trial::BatchRequest& batch,
                                        std::vector<double>* losses = nullptr)
{
    const std::int64_t before = memory.outOfMemoryCount();
    try {
        const double loss = runner.run(batch).loss;
        if (losses)
            losses->push_back(loss);
    } catch (const std::exception& error) {
        return classifyFailure(error, memory, before);
    }
    return std::nullopt;
}

} // namespace batchpeak::network
