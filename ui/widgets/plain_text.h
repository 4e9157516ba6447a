// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace batchpeak::ui {

/// Escapes a tool tip, which Qt shows as rich text if it looks like that: names of devices, workers and
/// tokens may come from anyone, and "<img src=...>" would be fetched.
QString plainToolTip(const QString& text);

/// Escapes the title of a window: names of files may come from anyone, too, and Qt interprets "[*]" in them
/// as its placeholder for a modification.
QString plainTitle(const QString& text);

/// Makes the labels, buttons and tool tips of all windows show text literally, with invisible characters
/// escaped: a name with U+202E would reverse the text beside it. A label that should show rich text must say
/// so itself (QLabel::setTextFormat).
class PlainText : public QObject
{
    Q_OBJECT

public:
    /// Installs the filter for this program; a second call changes nothing.
    static void install();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace batchpeak::ui
