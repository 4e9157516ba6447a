// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_card.h"

#include "theme/theme.h"
#include "widgets/labels.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace batchpeak::ui {

namespace {

QString workerFacts(const engine::TrialPrograms& programs)
{
    const QString torch = ProgramCard::tr("torch %1, without Python").arg(engine::workerTorch());
    return programs.workerProblem.isEmpty() ? torch
                                            : ProgramCard::tr("%1; it cannot run this network").arg(torch);
}

/// "2 × NVIDIA H100, AMD EPYC"
QString countedText(const QStringList& names)
{
    QStringList parts = names;
    parts.removeDuplicates();
    for (QString& part : parts) {
        if (const auto count = names.count(part); count > 1)
            part = QStringLiteral("%1 × %2").arg(count).arg(part);
    }
    return parts.join(QStringLiteral(", "));
}

QString pythonFacts(const engine::TrialPrograms& programs)
{
    const std::optional<engine::PythonStack>& python = programs.python;
    if (!python)
        return ProgramCard::tr("Checking its packages…");
    if (python->program.isEmpty())
        return ProgramCard::tr("There is no python3 in PATH, and no environment is active.");
    QStringList lines;
    if (!python->version.isEmpty())
        lines << engine::pythonStackText(*python);
    if (!python->devices.isEmpty() && python->problem.isEmpty())
        lines << ProgramCard::tr("It sees %1.").arg(countedText(python->devices));
    if (!python->unusedDevices.isEmpty())
        lines << ProgramCard::tr("Its torch was not built for %1.").arg(countedText(python->unusedDevices));
    if (!python->problem.isEmpty())
        lines << python->problem;
    else if (!programs.pythonProblem.isEmpty())
        lines << programs.pythonProblem;
    return lines.join(QLatin1Char('\n'));
}

} // namespace

ProgramCard::ProgramCard(QWidget* parent)
    : Card(tr("Measure with"), parent),
      m_worker(addChoice(tr("Batchpeak's worker"))),
      m_workerFacts(addFacts()),
      m_python(addChoice(tr("Your Python"))),
      m_pythonFacts(addFacts()),
      m_advice(wrapped(new QLabel(this)))
{
    body()->setSpacing(2);
    body()->addSpacing(4);
    body()->addWidget(m_advice);
    auto* other = new QPushButton(tr("Another Python…"), this);
    other->setProperty("link", QStringLiteral("plain"));
    auto* corner = new QWidget(this);
    auto* line = new QHBoxLayout(corner);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(other, 0, Qt::AlignRight);
    setHeaderWidget(corner);
    connect(m_worker, &QRadioButton::clicked, this, [this] { emit chosen({}); });
    connect(m_python, &QRadioButton::clicked, this, [this] { emit chosen(m_interpreter); });
    connect(other, &QPushButton::clicked, this, &ProgramCard::chooseInterpreter);
}

QRadioButton* ProgramCard::addChoice(const QString& text)
{
    auto* button = new QRadioButton(text, this);
    body()->addWidget(button);
    return button;
}

QLabel* ProgramCard::addFacts()
{
    QLabel* facts = wrapped(mutedLabel(QString(), this));
    facts->setFont(scaled(font(), 0.9));
    facts->setIndent(24);
    body()->addWidget(facts);
    return facts;
}

void ProgramCard::check(const QString& python, bool isOther)
{
    if (!python.isEmpty())
        m_interpreter = python;
    const bool isPython = !isOther && !python.isEmpty();
    for (QRadioButton* button : {m_worker, m_python}) {
        const QSignalBlocker quiet(button);
        // Otherwise one of the two would always be checked.
        button->setAutoExclusive(false);
        button->setChecked(!isOther && (button == m_python) == isPython);
        button->setAutoExclusive(true);
    }
}

void ProgramCard::displayElsewhere(const QString& python)
{
    check(python, false);
    setTextIfNew(m_workerFacts, tr("the one that is there, or in a bundle that was sent there"));
    setTextIfNew(m_pythonFacts, python.isEmpty() || python == engine::anyPython
                                    ? tr("the python3 that is there")
                                    : tr("%1, as it is there").arg(python));
    m_advice->hide();
}

void ProgramCard::display(const engine::TrialPrograms& programs, const QString& python, bool isOther)
{
    check(python, isOther);
    setTextIfNew(m_workerFacts, workerFacts(programs));
    setTextIfNew(m_pythonFacts, pythonFacts(programs));
    setTextIfNew(m_advice, isOther ? tr("The command under More options runs the trials.") : programs.advice);
    m_advice->setVisible(!m_advice->text().isEmpty());
}

void ProgramCard::forgetInterpreter()
{
    m_interpreter = engine::anyPython;
}

void ProgramCard::chooseInterpreter()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Choose a Python interpreter"));
    if (!path.isEmpty())
        emit chosen(path);
}

} // namespace batchpeak::ui
