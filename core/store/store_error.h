// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <stdexcept>

namespace batchpeak::store {

/// The history cannot be read or written, as a full sentence that tells the user what to do.
class StoreError : public std::runtime_error
{
public:
    explicit StoreError(const QString& sentence) : std::runtime_error(sentence.toStdString()) {}
    QString sentence() const { return QString::fromUtf8(what()); }
};

} // namespace batchpeak::store
