// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace batchpeak::ui {

/// For a tool tip, which Qt shows as rich text where it looks so: names of devices, workers and tokens are
/// anybody's, and "<img src=...>" would be fetched.
QString plainToolTip(const QString& text);

/// For the title of a window: names of files are anybody's, too, and Qt takes "[*]" in them for its sign of a
/// change.
QString plainTitle(const QString& text);

/// Has the labels, buttons and tool tips of all windows show text as it is, and what nobody sees in it
/// spelled out: a name with U+202E would turn around what stands beside it. A label that is to show rich text
/// says so itself (QLabel::setTextFormat).
class PlainText : public QObject
{
    Q_OBJECT

public:
    /// For this program, from now on; a second call changes nothing.
    static void install();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace batchpeak::ui
