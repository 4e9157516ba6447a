// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <functional>

namespace batchpeak::ui {

/// Holds a list and gives it only heights that are whole rows, so that none is cut in half at the
/// bottom; the rest stays empty.
class WholeRows : public QWidget
{
    Q_OBJECT

public:
    /// \param list       taken over
    /// \param besides    pixels that the list needs beside its rows: its header
    /// \param rowHeight  pixels of one row
    WholeRows(QWidget* list, std::function<int()> besides, std::function<int()> rowHeight,
              QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* m_list;
    std::function<int()> m_besides;
    std::function<int()> m_rowHeight;
};

} // namespace batchpeak::ui
