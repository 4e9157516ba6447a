// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"

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

/// Sentences, a line each.
inline QString joined(const std::vector<std::string>& sentences)
{
    QString text;
    for (const std::string& sentence : sentences)
        text += QString::fromStdString(sentence) + QLatin1Char('\n');
    return text;
}

/// The sentences of all warnings, a line each.
inline QString warningsOf(const ConfigContents& contents)
{
    std::vector<std::string> sentences;
    for (const Warning& warning : contents.warnings)
        sentences.push_back(warning.sentence);
    return joined(sentences);
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

/// The message and place of the error that reading a text ends with; empty where it does not.
struct ReadingError
{
    QString sentence;
    TextPosition position;
};
inline ReadingError errorOfReading(const std::string& text)
{
    try {
        recognise(text)->read();
    } catch (const ConfigError& error) {
        return {QString::fromUtf8(error.what()), error.position()};
    }
    return {};
}

/// Fails the test unless a size can be written for every phase of a config, replaces one value or adds
/// one line, is read back, and leaves every other byte.
inline void checkChangesOneValueAlone(const std::string& before)
{
    const auto format = recognise(before);
    const ConfigContents contents = format->read();
    for (model::Phase phase : phasesOf(contents)) {
        const std::int64_t size = std::min<std::int64_t>(7, contents.plan(phase)->globalBatchSize);
        const std::string after = format->withMicroBatchSize({.phase = phase, .microBatchSize = size}).text;

        const auto [removed, added] = differenceOf(before, after);
        QVERIFY2(removed.find_first_of("\n#") == std::string::npos, removed.c_str());
        const bool isOneLine = std::ranges::count(added, '\n') == 1;
        const bool isBetweenBraces = added.find('\n') == std::string::npos;
        QVERIFY2(removed.empty() ? isOneLine || isBetweenBraces : isBetweenBraces, added.c_str());
        QCOMPARE(recognise(after)->read().plan(phase)->setting, Setting(Fixed{size}));
    }
}

} // namespace batchpeak::config
