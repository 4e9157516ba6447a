// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "syntax/config_error.h"

#include <QString>

#include <stdexcept>

namespace batchpeak::engine {

/// An exploration that cannot be started on this computer as asked; the message is a full sentence that says
/// what to do instead.
class ExplorationError : public std::runtime_error
{
public:
    explicit ExplorationError(const QString& sentence) : std::runtime_error(sentence.toStdString()) {}

    QString sentence() const { return QString::fromUtf8(what()); }
};

/// There is an NVIDIA GPU on which nothing can run, and nobody has asked for the CPU.
class UnusableGpuError : public ExplorationError
{
    using ExplorationError::ExplorationError;
};

/// Returns "path:line:column: sentence", without the numbers if there is no place to name. Editors and
/// terminals turn it into a link.
QString located(const QString& path, config::TextPosition place, const QString& sentence);

/// Return the same error with its place before its sentence, as above.
config::ConfigError located(const QString& path, const config::ConfigError& error);
config::BatchNotKept located(const QString& path, const config::BatchNotKept& error);

} // namespace batchpeak::engine
