// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace batchpeak::ui {

/// Lets a window take a file that is dropped on it: exactly one, of this computer.
class FileDrop : public QObject
{
    Q_OBJECT

public:
    explicit FileDrop(QWidget* window);

    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    /// A file that can be taken hangs over the window, or does so no more.
    void hovered(bool isThere);
    void dropped(const QString& path);
};

} // namespace batchpeak::ui
