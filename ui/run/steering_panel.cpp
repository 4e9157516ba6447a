// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "steering_panel.h"

#include "options/option_values.h"
#include "text/readable_text.h"
#include "widgets/buttons.h"
#include "widgets/form_fields.h"
#include "widgets/labels.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace batchpeak::ui {

namespace {

constexpr int moreTrials = 20;
constexpr std::chrono::minutes moreTime(10);
constexpr int numberWidth = 64;

QWidget* rowOf(std::initializer_list<QWidget*> parts, QWidget* parent)
{
    auto* row = new QWidget(parent);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    for (QWidget* part : parts)
        layout->addWidget(part);
    layout->addStretch(1);
    return row;
}

QString sizesText(const std::vector<std::int64_t>& sizes)
{
    QStringList texts;
    for (const std::int64_t size : sizes)
        texts << engine::numberText(size);
    return texts.join(QStringLiteral(", "));
}

} // namespace

SteeringPanel::SteeringPanel(QWidget* parent)
    : QWidget(parent), m_state(wrapped(mutedLabel(QString(), this))), m_problem(wrapped(new QLabel(this)))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(makeSizeRow());
    layout->addWidget(makeToleranceRow());
    layout->addWidget(makeEffortRow());
    // Below everything that can be clicked, so that its text moves nothing.
    m_problem->setProperty("bad", true);
    m_problem->hide();
    layout->addWidget(m_problem);
    layout->addWidget(m_state);
    layout->addStretch(1);
    display({});
}

QWidget* SteeringPanel::makeSizeRow()
{
    m_size = numberLine(tr("Micro-batch size"), tr("size"), this);
    m_size->setFixedWidth(numberWidth);
    m_try = dialogButton(tr("Try now"), "secondary", this);
    m_try->setToolTip(
        tr("Run a trial of this size now; this cancels the running trial, which then does not count"));
    m_exclude = dialogButton(tr("Exclude"), "secondary", this);
    m_skip = dialogButton(tr("Skip this trial"), "secondary", this);
    m_skip->setToolTip(tr("End the running trial without a result and continue with another"));
    connect(m_size, &QLineEdit::textChanged, this, &SteeringPanel::enable);
    connect(m_size, &QLineEdit::returnPressed, m_try, &QPushButton::click);
    connect(m_try, &QPushButton::clicked, this, [this] { emit trialAsked(size()); });
    connect(m_exclude, &QPushButton::clicked, this,
            [this] { emit exclusionAsked(size(), !isExcluded(size())); });
    connect(m_skip, &QPushButton::clicked, this, &SteeringPanel::skipAsked);
    return rowOf({m_size, m_try, m_exclude, m_skip}, this);
}

QWidget* SteeringPanel::makeToleranceRow()
{
    // The same ranges as for explore --tolerance and --confidence.
    addShare(tr("Tolerance"), tr("Tolerance, percent"), 0.1, 50, &SteeringPanel::toleranceAsked);
    addShare(tr("Stop at"), tr("Confidence to stop at, percent"), 1, 99,
             &SteeringPanel::targetConfidenceAsked);
    return rowOf({mutedLabel(tr("Tolerance, %"), this), m_shares.front()->line,
                  mutedLabel(tr("Stop at, %"), this), m_shares.back()->line},
                 this);
}

void SteeringPanel::addShare(const QString& name, const QString& accessibleName, double min, double max,
                             void (SteeringPanel::*asked)(double))
{
    auto* line = numberLine(accessibleName, {}, this);
    line->setFixedWidth(numberWidth);
    auto* field = m_shares
                      .emplace_back(std::make_unique<ShareField>(
                          ShareField{.line = line, .name = name, .min = min, .max = max, .asked = asked}))
                      .get();
    // A problem disappears while the input is corrected, and is reported once editing has finished.
    connect(line, &QLineEdit::textEdited, this, [this, field] {
        if (!field->problem.isEmpty())
            (void)read(*field);
    });
    connect(line, &QLineEdit::editingFinished, this, [this, field] {
        if (!field->line->isModified())
            return;
        field->line->setModified(false);
        if (const auto share = read(*field))
            emit(this->*field->asked)(*share);
    });
}

QWidget* SteeringPanel::makeEffortRow()
{
    m_moreTrials = dialogButton(tr("%1 more trials").arg(moreTrials), "secondary", this);
    m_moreTime = dialogButton(tr("10 more minutes"), "secondary", this);
    connect(m_moreTrials, &QPushButton::clicked, this,
            [this] { emit effortAsked({.trials = moreTrials, .time = {}}); });
    connect(m_moreTime, &QPushButton::clicked, this,
            [this] { emit effortAsked({.trials = 0, .time = moreTime}); });
    return rowOf({m_moreTrials, m_moreTime}, this);
}

std::optional<double> SteeringPanel::read(ShareField& field)
{
    std::optional<double> share;
    field.problem.clear();
    try {
        share = engine::shareFromPercentText(
            engine::withPlainNumbers(field.line->text().trimmed(), locale()).toStdString(), field.min,
            field.max);
    } catch (const engine::ValueError& error) {
        field.problem = error.sentence(field.name, locale());
    }
    showProblems();
    return share;
}

void SteeringPanel::showProblems()
{
    QStringList problems;
    for (const auto& field : m_shares) {
        problems << field->problem;
        field->line->setProperty("bad", !field->problem.isEmpty());
        style()->unpolish(field->line);
        style()->polish(field->line);
    }
    problems.removeAll(QString());
    setTextIfNew(m_problem, problems.join(QLatin1Char('\n')));
    m_problem->setVisible(!problems.isEmpty());
}

/// Shows the share in its field. Invalid input stays there for correction, as long as the field is enabled.
void SteeringPanel::showShare(ShareField& field, double share, bool isEnabled, bool isOfAnother)
{
    field.line->setEnabled(isEnabled);
    if (isEnabled && !isOfAnother && (!field.problem.isEmpty() || field.line->hasFocus()))
        return;
    const QString text =
        engine::withLocalNumbers(QString::fromStdString(engine::shareToPercentText(share)), locale());
    if (field.line->text() != text)
        field.line->setText(text);
    if (!std::exchange(field.problem, QString()).isEmpty())
        showProblems();
}

std::int64_t SteeringPanel::size() const
{
    bool isNumber = false;
    const qlonglong size = locale().toLongLong(m_size->text().trimmed(), &isNumber);
    return isNumber ? size : 0;
}

bool SteeringPanel::isExcluded(std::int64_t size) const
{
    return std::ranges::find(m_excluded, size) != m_excluded.end();
}

void SteeringPanel::setSize(std::int64_t size)
{
    m_size->setText(engine::numberText(size));
}

void SteeringPanel::enable()
{
    const bool isExcludedNow = isExcluded(size());
    m_size->setEnabled(m_commands.triesSizes || m_commands.excludesSizes);
    m_try->setEnabled(m_commands.triesSizes && size() > 0 && !isExcludedNow);
    m_exclude->setEnabled(m_commands.excludesSizes && size() > 0);
    m_exclude->setText(isExcludedNow ? tr("Allow") : tr("Exclude"));
    m_exclude->setToolTip(isExcludedNow ? tr("It may be tried and recommended again")
                                        : tr("It is neither tried nor recommended any more"));
    m_skip->setEnabled(m_commands.skipsTrial);
    m_moreTrials->setEnabled(m_commands.extends);
    m_moreTime->setEnabled(m_commands.extends);
}

void SteeringPanel::display(const engine::Snapshot& snapshot)
{
    m_commands = snapshot.commands;
    m_excluded = snapshot.searchState.excluded;
    enable();
    if (!snapshot.run) {
        for (const auto& field : m_shares)
            field->line->setEnabled(false);
        return;
    }
    // Input for a previous exploration does not apply to this one.
    const bool isAnother = snapshot.trials.size() < m_trials;
    m_trials = snapshot.trials.size();
    showShare(*m_shares.front(), snapshot.run->tolerance, m_commands.changesTolerance, isAnother);
    showShare(*m_shares.back(), snapshot.run->targetConfidence, m_commands.changesTargetConfidence,
              isAnother);
    m_moreTime->setEnabled(m_commands.extends && snapshot.run->budgetSeconds.has_value());
    m_moreTime->setToolTip(snapshot.run->budgetSeconds ? QString() : tr("No time budget is set"));
    QStringList lines;
    lines << tr("At most %1%2.")
                 .arg(engine::trialsText(snapshot.run->maxTrials),
                      snapshot.run->budgetSeconds
                          ? tr(" and %1").arg(engine::durationText(*snapshot.run->budgetSeconds))
                          : QString());
    if (!snapshot.askedSizes.empty())
        lines << tr("To be tried: %1.").arg(sizesText(snapshot.askedSizes));
    if (!m_excluded.empty())
        lines << tr("Excluded: %1.").arg(sizesText(m_excluded));
    setTextIfNew(m_state, lines.join(QLatin1Char(' ')));
}

} // namespace batchpeak::ui
