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

/// Where the time of one size goes, as a bar of its parts: of a whole optimizer step at the config's batch,
/// or of one micro-batch where there is no such step.
///
/// Which size it is, is for who has the charts. It is as high as two lines, and empty where nothing tells the
/// parts.
class PhaseStrip : public QWidget
{
    Q_OBJECT

public:
    explicit PhaseStrip(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param title  what stands before the time: "Size 192, recommended"
    void setPhases(const ChartScene& scene, std::optional<std::int64_t> size, const QString& title);

    bool isEmpty() const { return m_caption.isEmpty(); }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// It has something to show, or has nothing any more.
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
    /// \param shortCaption  where the other one has no room
    void show(QString caption, QString shortCaption, std::vector<Part> parts);
    QString shareText(const Part& part) const;

    Theme m_theme = Theme::light();
    QString m_caption;
    QString m_shortCaption;
    std::vector<Part> m_parts;
};

} // namespace batchpeak::ui
