// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace batchpeak::engine {

/// Returns a JSON object as text that is safe to show in a terminal: Qt escapes only C0, and this function
/// escapes all unseen characters, those of withUnseenSpelled(). For programs, the object is the same.
QByteArray jsonText(const QJsonObject& object, QJsonDocument::JsonFormat format);

} // namespace batchpeak::engine
