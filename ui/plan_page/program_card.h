// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/card.h"
#include "workers/trial_programs.h"

#include <QString>

class QLabel;
class QRadioButton;

namespace batchpeak::ui {

/// What a network can be measured with, what was found in each, and which is advised.
class ProgramCard : public Card
{
    Q_OBJECT

public:
    explicit ProgramCard(QWidget* parent = nullptr);

    /// \param python  as ExplorationOptions::python; empty for batchpeak-worker
    /// \param isOther  neither runs the trials, but a command of a person's own, or a program behind a
    /// launcher
    void display(const engine::TrialPrograms& programs, const QString& python, bool isOther);
    /// "Your Python" is the usual one again, until another one is displayed.
    void forgetInterpreter();

signals:
    /// As ExplorationOptions::python.
    void chosen(const QString& python);

private:
    QLabel* addFacts();
    QRadioButton* addChoice(const QString& text);
    void chooseInterpreter();

    QRadioButton* m_worker;
    QLabel* m_workerFacts;
    QRadioButton* m_python;
    QLabel* m_pythonFacts;
    QLabel* m_advice;
    /// Which interpreter stands for "your Python".
    QString m_interpreter = engine::anyPython;
};

} // namespace batchpeak::ui
