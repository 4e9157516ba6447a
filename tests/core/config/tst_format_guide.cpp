// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/format_guide.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QDirIterator>
#include <QSet>
#include <QStringList>
#include <QTest>

#include <algorithm>
#include <memory>
#include <optional>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

QString plain(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Returns the cells of the table row about a format in docs/configs.md, without backticks.
QStringList cellsFor(const QString& name)
{
    const QString page =
        QString::fromStdString(textOf(QStringLiteral(BATCHPEAK_SOURCE_DIR "/docs/configs.md")));
    for (const QString& line : page.split(QLatin1Char('\n'))) {
        const QStringList cells = QString(line).remove(QLatin1Char('`')).split(QLatin1Char('|'));
        if (cells.size() == 5 && cells.at(1).contains(name))
            return cells.mid(1, 3);
    }
    return {};
}

const FormatGuide* guideTo(std::string_view name)
{
    const auto guides = formatGuides();
    const auto place = std::ranges::find(guides, name, &FormatGuide::name);
    return place == guides.end() ? nullptr : &*place;
}

/// Returns null for a seed that almost matches a format.
std::unique_ptr<const ConfigDocument> documentIn(const QString& path)
{
    try {
        return recognize(textOf(path));
    } catch (const ConfigError&) {
        return nullptr;
    }
}

/// Returns no value for a seed that matches a format but cannot be read.
std::optional<ConfigContents> contentsOf(const ConfigDocument& document)
{
    try {
        return document.read();
    } catch (const ConfigError&) {
        return std::nullopt;
    }
}

} // namespace

/// Tests the guide's text about each format against the page with more details, and against configs of the
/// format.
class FormatGuideTest : public QObject
{
    Q_OBJECT

private slots:
    void matchesThePage()
    {
        for (const FormatGuide& guide : formatGuides()) {
            const QStringList cells = cellsFor(plain(guide.name));
            QVERIFY2(cells.size() == 3, guide.name.data());
            for (const QString& key : plain(guide.writes).split(QLatin1Char(' '), Qt::SkipEmptyParts))
                QVERIFY2(cells.at(2).contains(key), qPrintable(key));
            QCOMPARE(guide.writes.empty(), cells.at(2).trimmed().isEmpty());
            QVERIFY2(guide.example.starts_with("batchpeak explore "), guide.example.data());
        }
    }

    void namesKeysOfRealConfigs()
    {
        QSet<QString> seen;
        QDirIterator seeds(QStringLiteral(BATCHPEAK_SOURCE_DIR "/tests/fuzz/corpus"),
                           {QStringLiteral("*_format")}, QDir::Dirs);
        while (seeds.hasNext()) {
            QDirIterator files(seeds.next(), QDir::Files);
            while (files.hasNext()) {
                const auto document = documentIn(files.next());
                if (!document)
                    continue;
                const FormatGuide* guide = guideTo(document->name());
                QVERIFY2(guide, document->name().data());
                seen.insert(plain(guide->name));
                const auto contents = contentsOf(*document);
                if (!contents)
                    continue;
                const QStringList keys = plain(guide->writes).split(QLatin1Char(' '), Qt::SkipEmptyParts);
                for (const model::Phase phase : phasesOf(*contents)) {
                    const QString key = QString::fromStdString(contents->plan(phase)->microBatchKey);
                    QVERIFY2(std::ranges::any_of(
                                 keys, [&](const QString& written) { return written.endsWith(key); }),
                             qPrintable(key));
                }
            }
        }
        QCOMPARE(seen.size(), static_cast<qsizetype>(formatGuides().size()));
    }
};

BATCHPEAK_TEST(FormatGuideTest)
#include "tst_format_guide.moc"
