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

/// The user's batch_increase_function(epoch, current_batch_size), which returns the number of samples by
/// which the batch is to grow (torchtune RFC, PR 2199).
///
/// It calls the user's code and turns the result into a number or a sentence; decideGrowth decides whether
/// the batch grows. It answers each question once, and never before ask() has returned.
class GrowthFunction : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    virtual void ask(std::int64_t epoch, std::int64_t currentBatchSize) = 0;

signals:
    void answered(qint64 increment);
    /// Emitted if the function fails.
    /// \param sentence  a full sentence that says what the function did instead, and where
    void failed(const QString& sentence);
};

/// Default time limit for an answer of a Python file.
constexpr std::chrono::seconds growthTimeout{10};

/// Whether a growth is the path of a Python file, which is code that runs, and not an expression. The text
/// must be trimmed.
bool isPythonFile(const QString& text);

/// Makes a growth function from a muParser expression ("epoch < 3 ? 4 : 0"), or from a Python file,
/// recognized by its ending .py, which runs in its own python3 process.
///
/// \param timeout  time limit for one answer of a Python file; its process is killed when the limit is
///        exceeded
/// \param code  content of the Python file that the user allowed to run; no process is started with any other
///        content. Empty for no check.
/// \throws config::ConfigError  if the expression cannot be parsed or names anything but epoch and
///         current_batch_size, with the column of the error, or if the file does not exist
std::unique_ptr<GrowthFunction> makeGrowthFunction(const QString& text,
                                                   std::chrono::milliseconds timeout = growthTimeout,
                                                   const engine::CodeContent& code = {});

} // namespace batchpeak::training
