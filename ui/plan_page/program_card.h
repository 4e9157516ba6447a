// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/card.h"
#include "workers/trial_programs.h"

#include <QString>

class QLabel;
class QRadioButton;

namespace batchpeak::ui {

/// The programs with which a network can be measured, what was found in each, and which one is recommended.
class ProgramCard : public Card
{
    Q_OBJECT

public:
    explicit ProgramCard(QWidget* parent = nullptr);

    /// \param python  value of ExplorationOptions::python; empty for batchpeak-worker
    /// \param isOther  whether neither program runs the trials, but the user's own command
    void display(const engine::TrialPrograms& programs, const QString& python, bool isOther);
    /// Does the same for programs elsewhere, of which nothing is known here.
    void displayElsewhere(const QString& python);
    /// Makes "Your Python" the default interpreter again, until display() names another one.
    void forgetInterpreter();

signals:
    /// The user chose a value of ExplorationOptions::python.
    void chosen(const QString& python);

private:
    void check(const QString& python, bool isOther);
    QLabel* addFacts();
    QRadioButton* addChoice(const QString& text);
    void chooseInterpreter();

    QRadioButton* m_worker;
    QLabel* m_workerFacts;
    QRadioButton* m_python;
    QLabel* m_pythonFacts;
    QLabel* m_advice;
    /// The interpreter that "your Python" stands for.
    QString m_interpreter = engine::anyPython;
};

} // namespace batchpeak::ui
