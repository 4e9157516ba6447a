// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "sentence_table.h"

#include <QFile>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace batchpeak::config {

SentenceTable::SentenceTable(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return;
    std::vector<std::pair<qsizetype, Row>> rows;
    for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
        const QString id = line.section(QLatin1Char(' '), 0, 0);
        if (id.isEmpty() || id.startsWith(QLatin1Char('#')))
            continue;
        QStringList parts;
        qsizetype length = 0;
        for (const QString& part : line.mid(id.size()).trimmed().split(QStringLiteral("{}"))) {
            parts << QRegularExpression::escape(part);
            length += part.size();
        }
        const QString pattern = QRegularExpression::anchoredPattern(parts.join(QStringLiteral("(.*?)")));
        rows.emplace_back(length, Row{.id = id.toStdString(),
                                      .pattern = QRegularExpression(
                                          pattern, QRegularExpression::DotMatchesEverythingOption)});
    }
    std::ranges::stable_sort(rows, std::ranges::greater(), [](const auto& row) { return row.first; });
    for (auto& [length, row] : rows)
        m_rows.push_back(std::move(row));
}

std::string SentenceTable::shortened(const std::string& sentence)
{
    for (Row& row : m_rows) {
        const auto match = row.pattern.match(QString::fromStdString(sentence));
        if (!match.hasMatch())
            continue;
        row.isUsed = true;
        const QString values = match.capturedTexts().mid(1).join(QStringLiteral(" | "));
        return values.isEmpty() ? row.id : row.id + ": " + values.toStdString();
    }
    m_missing.insert(sentence);
    return sentence;
}

Lines SentenceTable::unused() const
{
    Lines ids;
    for (const Row& row : m_rows) {
        if (!row.isUsed)
            ids.push_back(row.id);
    }
    return ids;
}

} // namespace batchpeak::config
