// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QWidget>

namespace batchpeak::ui {

/// What stands in place of the charts before a config is opened: an invitation to drop one.
class EmptyView : public QWidget
{
    Q_OBJECT

public:
    explicit EmptyView(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// A file hangs over the window.
    void setInviting(bool inviting);

signals:
    void openRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    Theme m_theme = Theme::light();
    bool m_inviting = false;
};

} // namespace batchpeak::ui
