// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace batchpeak::ui {

/// One number that a person reads first, over a muted word for what it is.
class Figure : public QWidget
{
    Q_OBJECT

public:
    explicit Figure(const QString& caption, QWidget* parent = nullptr);

    void setValue(const QString& value);
    void setCaption(const QString& caption);
    /// Of the caption, what it means.
    void setExplanation(const QString& sentence);

    /// "2,266 ± 38 samples/s"
    QString text() const;

private:
    QLabel* m_value;
    QLabel* m_caption;
};

} // namespace batchpeak::ui
