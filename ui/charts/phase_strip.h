// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart_scene.h"
#include "theme/theme.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace batchpeak::ui {

/// Shows the time of one size as a bar of its phases: the time of a whole optimizer step at the config's
/// batch, or of one micro-batch if there is no such step.
///
/// The owner of the charts decides which size it is. The strip is two lines high, and empty if the phases are
/// unknown.
class PhaseStrip : public QWidget
{
    Q_OBJECT

public:
    explicit PhaseStrip(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param title  text before the time: "Size 192, recommended"
    void setPhases(const ChartScene& scene, std::optional<std::int64_t> size, const QString& title);

    bool isEmpty() const { return m_caption.isEmpty(); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// The strip has content now, or has none any more.
    void emptyChanged();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Part
    {
        QString name;
        double seconds = 0.0;
        bool operator==(const Part&) const = default;
    };

    QColor colorOf(std::size_t part) const;
    /// \param shortCaption  caption for when the other one does not fit
    void show(QString caption, QString shortCaption, std::vector<Part> parts);
    QString shareText(const Part& part) const;

    Theme m_theme = Theme::light();
    QString m_caption;
    QString m_shortCaption;
    std::vector<Part> m_parts;
};

} // namespace batchpeak::ui
