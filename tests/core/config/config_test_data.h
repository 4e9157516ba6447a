// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config_document.h"

#include <QByteArray>
#include <QFile>
#include <QString>
#include <QTest>

#include <algorithm>
#include <string>

namespace batchpeak::config {

/// Bytes of a file that a test cannot do without; empty, and the test failed, where it is not there.
inline std::string textOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        QTest::qFail(qPrintable(path + QStringLiteral(" cannot be read")), __FILE__, __LINE__);
        return {};
    }
    return file.readAll().toStdString();
}

/// Phases that a config has.
inline std::vector<model::Phase> phasesOf(const ConfigContents& contents)
{
    std::vector<model::Phase> phases;
    for (model::Phase phase : {model::Phase::Train, model::Phase::Eval}) {
        if (contents.plan(phase))
            phases.push_back(phase);
    }
    return phases;
}

/// What of one text is not in the other: their bytes between the longest common beginning and end.
struct Difference
{
    std::string removed;
    std::string added;
};
inline Difference differenceOf(const std::string& before, const std::string& after)
{
    const auto [fromBefore, fromAfter] = std::ranges::mismatch(before, after);
    const std::string tailBefore(fromBefore, before.end());
    const std::string tailAfter(fromAfter, after.end());
    const auto [endBefore, endAfter] =
        std::mismatch(tailBefore.rbegin(), tailBefore.rend(), tailAfter.rbegin(), tailAfter.rend());
    return {std::string(tailBefore.begin(), endBefore.base()),
            std::string(tailAfter.begin(), endAfter.base())};
}

} // namespace batchpeak::config
