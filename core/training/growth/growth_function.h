// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "files/trusted_code.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <cstdint>
#include <memory>

namespace batchpeak::training {

/// The user's batch_increase_function(epoch, current_batch_size), which answers by how many samples the batch
/// is to grow (torchtune RFC, PR 2199).
///
/// It asks the user's code and turns what comes back into a number or a sentence; whether the batch grows is
/// for decideGrowth. It answers once for each question, and never before ask() has returned.
class GrowthFunction : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void ask(std::int64_t epoch, std::int64_t currentBatchSize) = 0;

signals:
    void answered(qint64 increment);
    /// A full sentence: what the function did instead, and where.
    void failed(const QString& sentence);
};

/// How long a Python file may take for an answer.
constexpr std::chrono::seconds growthTimeout{10};

/// Whether a growth is the path of a Python file, which is code that runs, and no expression. It has no
/// blanks around it.
bool isPythonFile(const QString& text);

/// An expression of muParser ("epoch < 3 ? 4 : 0"), or a Python file, told by its ending .py, which runs in a
/// python3 process of its own.
///
/// \param timeout  for one answer of a Python file; then its process is killed
/// \param code  what was let run of a Python file; no process is started with anything else
/// \throws config::ConfigError  where the expression cannot be read or names anything but epoch and
///         current_batch_size, with the place in it, or there is no such file
std::unique_ptr<GrowthFunction> makeGrowthFunction(const QString& text,
                                                   std::chrono::milliseconds timeout = growthTimeout,
                                                   const engine::CodeContent& code = {});

} // namespace batchpeak::training
