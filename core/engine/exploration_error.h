// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace batchpeak::engine
