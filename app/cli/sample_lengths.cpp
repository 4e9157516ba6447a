// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_lengths.h"

#include "usage_error.h"

#include <QFile>

#include <algorithm>

namespace batchpeak::cli {

namespace {

// A line of the trial protocol holds them all, and finer quantiles change no mean that can be measured.
constexpr std::size_t mostLengths = 1000;
// Longer lists are no lengths of samples, but a file given by mistake.
constexpr qint64 mostBytes = qint64{64} << 20;

std::vector<std::int64_t> quantiles(std::vector<std::int64_t> lengths)
{
    std::ranges::sort(lengths);
    if (lengths.size() <= mostLengths)
        return lengths;
    std::vector<std::int64_t> picked;
    for (std::size_t i = 0; i < mostLengths; ++i)
        picked.push_back(lengths[(2 * i + 1) * lengths.size() / (2 * mostLengths)]);
    return picked;
}

} // namespace

std::vector<std::int64_t> sampleLengthsFromText(const QByteArray& text, const QString& name)
{
    std::vector<std::int64_t> lengths;
    int lineNumber = 0;
    for (const QByteArray& line : text.split('\n')) {
        ++lineNumber;
        const QByteArray word = line.trimmed();
        if (word.isEmpty() || word.startsWith('#'))
            continue;
        bool isNumber = false;
        const qint64 length = word.toLongLong(&isNumber);
        if (!isNumber || length < 1)
            throw UsageError(
                QStringLiteral("%1:%2: '%3' is no length of a sample; write one whole number of at "
                               "least 1 on each line.")
                    .arg(name)
                    .arg(lineNumber)
                    .arg(QString::fromUtf8(word.left(40)))
                    .toStdString());
        lengths.push_back(length);
    }
    if (lengths.empty())
        throw UsageError(
            QStringLiteral("%1 holds no length of a sample; write one whole number on each line.")
                .arg(name)
                .toStdString());
    return quantiles(std::move(lengths));
}

std::vector<std::int64_t> sampleLengthsFromFile(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        throw UsageError(QStringLiteral("%1 cannot be read: %2. Give a file of one length on each line.")
                             .arg(path, file.errorString())
                             .toStdString());
    return sampleLengthsFromText(file.read(mostBytes), path);
}

} // namespace batchpeak::cli
