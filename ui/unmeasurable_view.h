// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "card.h"
#include "engine/config_file.h"

class QAction;
class QGridLayout;
class QLabel;

namespace batchpeak::ui {

/// A config that was read and with which nothing can be tried: what was found in it, why no trial is
/// possible, and what can be done all the same, to name a network or to write a size.
class UnmeasurableView : public Card
{
    Q_OBJECT

public:
    /// The buttons do what the actions do, and are enabled as they are.
    UnmeasurableView(QAction* chooseNetwork, QAction* writeSize, QWidget* parent = nullptr);

    /// \param why  no trial is possible, as sentences
    void display(const engine::ConfigFile& file, const QString& why);

    /// All that is said, in one text.
    QString summary() const;

private:
    void addFact(const QString& name, const QString& text);

    QGridLayout* m_facts;
    QLabel* m_why;
};

} // namespace batchpeak::ui
