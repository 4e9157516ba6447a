// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"

#include <QWidget>

#include <optional>

namespace batchpeak::ui {

/// The confidence as an arc of 240 degrees with the percentage in it: green if the size counts as
/// recommended, gray until then.
class ConfidenceGauge : public QWidget
{
    Q_OBJECT

public:
    explicit ConfidenceGauge(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param percent  1..99, or nothing while there is no recommendation
    void setConfidence(std::optional<int> percent);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme m_theme = Theme::light();
    std::optional<int> m_percent;
};

} // namespace batchpeak::ui
