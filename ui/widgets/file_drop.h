// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace batchpeak::ui {

/// Lets a window accept a dropped file: exactly one, from this computer.
class FileDrop : public QObject
{
    Q_OBJECT

public:
    explicit FileDrop(QWidget* window);

    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    /// An acceptable file has been dragged over the window, or has left it.
    void hovered(bool isThere);
    void dropped(const QString& path);
};

} // namespace batchpeak::ui
