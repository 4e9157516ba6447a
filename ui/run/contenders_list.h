// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace batchpeak::ui {

/// The measured sizes, each with the probability that it is within the tolerance of the best as a bar: the
/// recommended one first, with its confidence. A size is chosen with the
/// pointer or the keyboard, and so can be asked about.
class ContendersList : public QWidget
{
    Q_OBJECT

public:
    explicit ContendersList(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param awaitsSearch  what the search knew is still to be made out of the history
    void display(const engine::Snapshot& snapshot, bool awaitsSearch = false);
    /// What is said where there is no size.
    QString emptyText() const { return m_rows.empty() ? m_noRows : QString(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A person has pointed one out.
    void chosen(std::int64_t size);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    struct Row
    {
        std::int64_t size = 0;
        double probability = 0.0;
        bool isRecommended = false;
        bool operator==(const Row&) const = default;
    };
    int rowHeight() const;

    Theme m_theme = Theme::light();
    std::vector<Row> m_rows;
    /// What is said where there are none.
    QString m_noRows;
};

} // namespace batchpeak::ui
