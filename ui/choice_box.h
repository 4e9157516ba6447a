// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace batchpeak::ui {

/// One of a few choices, as high and as plain as a line of text beside it. The arrow is painted: a style
/// sheet has one only from a picture, and without it Qt leaves the place empty.
class ChoiceBox : public QComboBox
{
    Q_OBJECT

public:
    struct Choice
    {
        QString text;
        int value = 0;
    };

    /// \param name  of what is chosen, for a screen reader
    ChoiceBox(const QString& name, const QList<Choice>& choices, QWidget* parent = nullptr);

    int value() const { return currentData().toInt(); }
    /// Does nothing where there is no such choice.
    void setValue(int value);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace batchpeak::ui
