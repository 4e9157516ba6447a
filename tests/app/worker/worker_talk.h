// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <QProcess>

#include <deque>
#include <optional>

/// A test's side of a conversation with a worker process.
class WorkerTalk
{
public:
    /// \param environment  "NAME=value", in addition to our own
    WorkerTalk(const QString& program, const QStringList& arguments, const QStringList& environment = {});
    ~WorkerTalk();

    void say(const batchpeak::trial::ParentMessage& message);
    void sayLine(const QByteArray& line);
    /// Returns the next line as a message; nothing if the worker sends none in time, ends, or violates the
    /// protocol.
    std::optional<batchpeak::trial::WorkerMessage> hear();
    /// Returns the next message of this type; skips messages of other types.
    template<typename Message>
    std::optional<Message> hear()
    {
        while (const auto message = hear()) {
            if (const auto* wanted = std::get_if<Message>(&*message))
                return *wanted;
        }
        return std::nullopt;
    }

    /// Returns the result of a trial, a comparison or a batch; "no result" if the worker sends none.
    batchpeak::trial::TrialResult resultOf(const batchpeak::trial::TrialRequest& request);
    batchpeak::trial::TrialResult resultOf(const batchpeak::trial::CompareRequest& request);
    batchpeak::trial::BatchResult resultOf(const batchpeak::trial::BatchRequest& request);

    /// Waits for the worker's end; returns -1 if a signal ended it, or it does not end.
    int exitCode();

    QProcess process;
};

/// Returns a network of two layers, whose steps take a moment.
///
/// \param limit  memory limit [bytes], 0 for none
batchpeak::trial::LoadRequest tinyGpt(batchpeak::model::Phase phase = batchpeak::model::Phase::Train,
                                      std::int64_t limit = 0);

/// Returns a trial of three timed steps.
batchpeak::trial::TrialRequest quickTrial(std::int64_t id, std::int64_t size);

/// The real worker on a GPU that CUDA_VISIBLE_DEVICES selects, after its hello.
class GpuWorker : public WorkerTalk
{
public:
    /// \param environment  environment of WorkerTalk
    GpuWorker(const QString& program, const QStringList& environment);

    /// Loads a network; returns nothing if the worker sends an error, which is printed as a warning.
    std::optional<batchpeak::trial::Loaded> load(const batchpeak::trial::LoadRequest& request);

    std::optional<batchpeak::trial::WorkerHello> hello;
};

/// The real worker on the CPU.
class CpuWorker : public WorkerTalk
{
public:
    explicit CpuWorker(const char* program = BATCHPEAK_WORKER_PROGRAM);

    std::optional<batchpeak::trial::Loaded> load(const batchpeak::trial::LoadRequest& request);
};
