// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recommendation_chips.h"

#include "engine/speed_text.h"
#include "fonts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace batchpeak::ui {

namespace {

using engine::FinishStatus;
using engine::Snapshot;

QLabel* chip(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setProperty("chip", QStringLiteral("plain"));
    label->setFont(scaled(label->font(), 0.9));
    label->hide();
    return label;
}

/// Empty where there is nothing to say of the recommended size.
QString verificationWord(const Snapshot& snapshot)
{
    using Outcome = engine::Verification::Outcome;
    const auto& recommendation = snapshot.searchState.recommendation;
    if (!snapshot.verification || !recommendation || recommendation->size != snapshot.verification->size)
        return {};
    switch (snapshot.verification->outcome) {
    case Outcome::Pending:
        return RecommendationChips::tr("verifying");
    case Outcome::Confirmed:
        return RecommendationChips::tr("verified");
    case Outcome::Slower:
        return RecommendationChips::tr("ran slower");
    case Outcome::NotRun:
        return RecommendationChips::tr("not verified");
    case Outcome::Failed:
        break;
    }
    return {};
}

bool isWarning(const std::optional<engine::Verification>& verification)
{
    return verification && (verification->outcome == engine::Verification::Outcome::Slower ||
                            verification->outcome == engine::Verification::Outcome::NotRun);
}

void word(QLabel* label, const QString& text, const QString& toolTip)
{
    if (label->text() != text)
        label->setText(text);
    label->setToolTip(toolTip);
    label->setVisible(!text.isEmpty());
}

} // namespace

RecommendationChips::RecommendationChips(QWidget* parent)
    : QWidget(parent), m_limit(chip(this)), m_verification(chip(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addStretch(1);
    layout->addWidget(m_limit);
    layout->addWidget(m_verification);
}

void RecommendationChips::display(const Snapshot& snapshot)
{
    const bool hasSize = snapshot.searchState.recommendation && snapshot.finish != FinishStatus::NothingFits;
    const search::SpeedLimit& limit = snapshot.searchState.speedLimit;
    word(m_limit, hasSize ? engine::speedLimitWord(limit) : QString(),
         tr("%1\nProbability: %2 %")
             .arg(snapshot.speedLimit)
             .arg(std::clamp(std::lround(100.0 * limit.probability), 1L, 99L)));
    word(m_verification, hasSize ? verificationWord(snapshot) : QString(),
         snapshot.verification ? engine::verificationText(*snapshot.verification) : QString());
    const QString kind = isWarning(snapshot.verification) ? QStringLiteral("warn") : QStringLiteral("plain");
    if (m_verification->property("chip").toString() != kind) {
        m_verification->setProperty("chip", kind);
        style()->unpolish(m_verification);
        style()->polish(m_verification);
        m_verification->updateGeometry();
    }
}

QStringList RecommendationChips::words() const
{
    return {m_limit->text(), m_verification->text()};
}

} // namespace batchpeak::ui
