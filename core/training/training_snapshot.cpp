// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "training_snapshot.h"

#include <array>
#include <utility>

namespace batchpeak::training {

namespace {

constexpr std::array maximumWays{std::pair(MaximumWay::Halving, "halving"),
                                 std::pair(MaximumWay::Binary, "binary"),
                                 std::pair(MaximumWay::Predict, "predict")};

} // namespace

QString toText(TrainingEnd end)
{
    switch (end) {
    case TrainingEnd::Completed:
        return QStringLiteral("completed");
    case TrainingEnd::Interrupted:
        return QStringLiteral("interrupted");
    case TrainingEnd::NothingFits:
        return QStringLiteral("nothing_fits");
    case TrainingEnd::Failed:
        break;
    }
    return QStringLiteral("failed");
}

QString toText(MaximumWay way)
{
    for (const auto& [value, word] : maximumWays) {
        if (value == way)
            return QLatin1String(word);
    }
    return {};
}

std::optional<MaximumWay> maximumWayFromText(const QString& text)
{
    for (const auto& [value, word] : maximumWays) {
        if (text == QLatin1String(word))
            return value;
    }
    return std::nullopt;
}

QString toText(SizeChange::Reason reason)
{
    switch (reason) {
    case SizeChange::Reason::OutOfMemory:
        return QStringLiteral("out_of_memory");
    case SizeChange::Reason::Thrashing:
        return QStringLiteral("thrashing");
    case SizeChange::Reason::Growth:
        break;
    }
    return QStringLiteral("growth");
}

QString toText(accumulation::GrowthDecision::Kind kind)
{
    using Kind = accumulation::GrowthDecision::Kind;
    switch (kind) {
    case Kind::Stays:
        return QStringLiteral("stays");
    case Kind::Changes:
        return QStringLiteral("changes");
    case Kind::PassesMaximum:
        return QStringLiteral("passes_maximum");
    case Kind::LeavesNothing:
        break;
    }
    return QStringLiteral("leaves_nothing");
}

} // namespace batchpeak::training
