// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_document.h"
#include "config_test_data.h"

#include <QByteArray>
#include <QFile>
#include <QString>
#include <QTest>

#include <algorithm>
#include <string>

namespace batchpeak::config {

/// Real configs of trainers, where they are at hand.
inline const QString otherConfigs = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/other/");

inline ChosenSize trainSize(std::int64_t size, std::optional<std::int64_t> batch = {})
{
    return {.phase = model::Phase::Train, .microBatchSize = size, .globalBatchSize = batch};
}

inline ChosenSize evalSize(std::int64_t size)
{
    return {.phase = model::Phase::Eval, .microBatchSize = size};
}

inline QByteArray nameOfFormat(const std::string& text)
{
    try {
        return QByteArray::fromStdString(recognise(text)->read().formatName);
    } catch (const ConfigError& error) {
        return error.what();
    }
}

/// The text with a size in it; what was said where it is refused.
inline QByteArray written(const QByteArray& before, const ChosenSize& chosen)
{
    try {
        return QByteArray::fromStdString(recognise(before.toStdString())->withMicroBatchSize(chosen).text);
    } catch (const ConfigError& error) {
        return error.what();
    }
}

inline bool hasWarning(const ConfigContents& contents, std::string_view part)
{
    return std::ranges::any_of(contents.warnings, [&](const Warning& warning) {
        return warning.sentence.find(part) != std::string::npos;
    });
}

inline bool hasNote(const SplicedText& spliced, std::string_view part)
{
    return std::ranges::any_of(spliced.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

/// A plan of a size that stands in a config which leaves the number of devices to the launcher.
inline BatchPlan planOnOneDevice(std::int64_t size, std::int64_t batch, const std::string& sizeKey,
                                 const std::string& batchKey)
{
    return {.globalBatchSize = batch,
            .setting = Explore{},
            .presentSize = size,
            .knowsDevices = false,
            .microBatchKey = sizeKey,
            .globalBatchKey = batchKey};
}

/// Fails the test unless a real config holds every line of \p before, and after a size is written differs in
/// these alone, which are those of \p after.
inline void checkChangesTheseLines(const QString& file, const ChosenSize& chosen, const QByteArray& before,
                                   const QByteArray& after)
{
    const QByteArray text = QByteArray::fromStdString(textOf(file));
    QCOMPARE(text.count(before), 1);
    QByteArray expected = text;
    expected.replace(before, after);
    QCOMPARE(written(text, chosen), expected);
}

} // namespace batchpeak::config
