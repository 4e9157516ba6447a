// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/batch_plan.h"
#include "syntax/config_error.h"

#include <QString>

#include <stdexcept>

namespace batchpeak::engine {

/// An exploration that cannot be started on this computer as asked, as a full sentence that says what to
/// do instead.
class ExplorationError : public std::runtime_error
{
public:
    explicit ExplorationError(const QString& sentence) : std::runtime_error(sentence.toStdString()) {}

    QString sentence() const { return QString::fromUtf8(what()); }
};

/// An NVIDIA GPU is here that nothing can run on, and nobody has asked for the CPU.
class UnusableGpuError : public ExplorationError
{
    using ExplorationError::ExplorationError;
};

/// "path:line:column: sentence", without the numbers where there is no place to name: what editors and
/// terminals make a link of.
QString located(const QString& path, config::TextPosition place, const QString& sentence);

/// The same error with its place in front of its sentence, as above.
config::ConfigError located(const QString& path, const config::ConfigError& error);
config::BatchNotKept located(const QString& path, const config::BatchNotKept& error);

} // namespace batchpeak::engine
