// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace batchpeak::engine {

/// An object of JSON as text that may be looked at in a terminal: Qt escapes C0 alone, and here all that is
/// unseen is escaped, as of withUnseenSpelled(). For programs it is the same.
QByteArray jsonText(const QJsonObject& object, QJsonDocument::JsonFormat format);

} // namespace batchpeak::engine
