// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

namespace batchpeak::ui {

/// The file in which a user's settings of the windows stand, as each of its values is asked for.
///
/// Where something else lies in its place that may not be read to its end, as a pipe or a device, it is left
/// alone: settings then last as long as the program.
class SettingsFile
{
public:
    /// It need not be there. XDG Base Directory Specification 0.8.
    static QString path();
    /// Why nothing is read from it or written there, as a sentence; empty where it is.
    static QString problem();

    static QVariant value(const QString& key, const QVariant& otherwise = {});
    static void setValue(const QString& key, const QVariant& value);
    static void remove(const QString& key);
};

} // namespace batchpeak::ui
