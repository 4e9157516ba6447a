// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot.h"

namespace batchpeak::engine {

QString toText(FinishStatus status)
{
    switch (status) {
    case FinishStatus::Confident:
        return QStringLiteral("confident");
    case FinishStatus::Exhausted:
        return QStringLiteral("exhausted");
    case FinishStatus::Budget:
        return QStringLiteral("budget");
    case FinishStatus::Cancelled:
        return QStringLiteral("cancelled");
    case FinishStatus::NothingFits:
        return QStringLiteral("nothing_fits");
    case FinishStatus::Failed:
        break;
    }
    return QStringLiteral("failed");
}

QString toText(Verification::Outcome outcome)
{
    switch (outcome) {
    case Verification::Outcome::Pending:
        return QStringLiteral("pending");
    case Verification::Outcome::Confirmed:
        return QStringLiteral("confirmed");
    case Verification::Outcome::Slower:
        return QStringLiteral("slower");
    case Verification::Outcome::Failed:
        return QStringLiteral("failed");
    case Verification::Outcome::NotRun:
        break;
    }
    return QStringLiteral("not_run");
}

} // namespace batchpeak::engine
