// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "theme/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace batchpeak::ui {

/// The measured sizes, each with a bar for the probability that it is within the tolerance of the best size:
/// the recommended one first, with its confidence. A click chooses a size, so that the user can ask about it.
class ContendersList : public QWidget
{
    Q_OBJECT

public:
    explicit ContendersList(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// \param awaitsSearch  whether the state of the search has yet to be recomputed from the history
    void display(const engine::Snapshot& snapshot, bool awaitsSearch = false);
    /// Returns the text that is shown if there is no size.
    QString emptyText() const { return m_rows.empty() ? m_noRows : QString(); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// The user clicked a size.
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
    /// Text that is shown if there are no rows.
    QString m_noRows;
};

} // namespace batchpeak::ui
