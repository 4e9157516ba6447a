// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "case_file.h"
#include "config_test_data.h"
#include "line_difference.h"
#include "sentence_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString folder = QStringLiteral(BATCHPEAK_TEST_DATA "/cases/config");
constexpr const char* updating = "BATCHPEAK_UPDATE_CASES";

/// A case, and the part that all cases of its file share.
struct CaseInFile
{
    ConfigCase all;
    ConfigCase one;
};

const CasePart* partOf(const ConfigCase& one, const std::string& header)
{
    const auto found = std::ranges::find(one.parts, header, &CasePart::header);
    return found == one.parts.end() ? nullptr : &*found;
}

/// Returns the path of the file that the config is in; empty if the case contains the config itself.
std::string pathOf(const ConfigCase& one)
{
    for (const CasePart& part : one.parts) {
        if (part.header.starts_with("file "))
            return BATCHPEAK_SOURCE_DIR "/" + part.header.substr(5);
    }
    return {};
}

std::string configOf(const CaseInFile& example)
{
    const std::string path = pathOf(example.one);
    return path.empty() ? configText(example.all, example.one) : textOf(QString::fromStdString(path));
}

bool isAvailable(const ConfigCase& one)
{
    return pathOf(one).empty() || QFile::exists(QString::fromStdString(pathOf(one)));
}

SentenceTable& sentences()
{
    static SentenceTable table(folder + QStringLiteral("/sentences.txt"));
    return table;
}

std::string shortened(const std::string& sentence)
{
    return sentences().shortened(sentence);
}

std::string withCrlf(const std::string& text)
{
    std::string other;
    for (char byte : text)
        other += byte == '\n' ? "\r\n" : std::string(1, byte);
    return other;
}

/// Parses "train 8" or "eval 8 of 64", where 64 is the chosen global batch size.
ChosenSize chosenFrom(const std::string& words)
{
    std::istringstream stream(words);
    std::string phase;
    std::string of;
    ChosenSize chosen;
    std::int64_t batch = 0;
    stream >> phase >> chosen.microBatchSize;
    chosen.phase = model::fromText<model::Phase>(phase).value();
    if (stream >> of >> batch)
        chosen.globalBatchSize = batch;
    return chosen;
}

/// Returns the differing lines with their numbers, as in a diff of two files.
Lines changes(const std::string& before, const std::string& after)
{
    const auto [removed, added] = lineDifference(before, after);
    Lines lines;
    auto old = removed.begin();
    for (auto fresh = added.begin(); old != removed.end() || fresh != added.end();) {
        const bool isOld = old != removed.end() && (fresh == added.end() || old->number <= fresh->number);
        const auto& [number, text] = isOld ? *old++ : *fresh++;
        lines.push_back((isOld ? "-" : "+") + std::to_string(number) + " " + escapedLines(text).front());
    }
    return lines;
}

CasePart written(const ConfigDocument& format, const std::string& before, const std::string& words)
{
    try {
        const SplicedText spliced = format.withMicroBatchSize(chosenFrom(words));
        CasePart part{.header = "writes " + words, .lines = changes(before, spliced.text)};
        const Lines reading = ownReading(readingLines(format.read(), shortened, false),
                                         readingLines(recognize(spliced.text)->read(), shortened, false));
        for (const std::string& line : reading)
            part.lines.push_back("then " + line);
        for (const std::string& note : spliced.notes)
            part.lines.push_back("note " + shortened(note));
        return part;
    } catch (const BatchNotKept& choice) {
        const std::string below = choice.below() ? std::to_string(*choice.below()) + " or " : "";
        return {.header = "refuses " + words,
                .lines = {placeText(choice.position()) + shortened(choice.what()),
                          "batches " + below + std::to_string(choice.above())}};
    } catch (const ConfigError& error) {
        return {.header = "refuses " + words,
                .lines = {placeText(error.position()) + shortened(error.what())}};
    }
}

/// Results for the config of a case: its complete reading, and the result of writing each size that the case
/// writes.
struct Outcomes
{
    std::vector<CasePart> parts;
    /// Lines of the reading that a case may leave out, as they are defaults.
    Lines defaults;
};

Outcomes outcomes(const std::string& text, const ConfigCase& one)
{
    Outcomes result;
    std::vector<CasePart>& parts = result.parts;
    try {
        const auto format = recognize(text);
        const ConfigContents contents = format->read();
        if (contents.formatName != format->name())
            throw ConfigError("It is recognized as " + std::string(format->name()) + ".");
        // Cases do not contain the reason, but a table of many configs groups by it.
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        if (unsupported && unsupported->reason.empty())
            throw ConfigError("It is refused without a reason.");
        parts.push_back({.header = "reads", .lines = readingLines(contents, shortened)});
        result.defaults = defaultLines(contents);
        for (const CasePart& part : one.parts) {
            for (const std::string verb : {"writes ", "refuses "}) {
                if (part.header.starts_with(verb))
                    parts.push_back(written(*format, text, part.header.substr(verb.size())));
            }
        }
    } catch (const ConfigError& error) {
        parts.push_back(
            {.header = "refused", .lines = {placeText(error.position()) + shortened(error.what())}});
    }
    return result;
}

/// Returns the parts of a case except for "file", with its complete reading.
std::vector<CasePart> expectedOutcomes(const CaseInFile& example)
{
    std::vector<CasePart> parts;
    if (!partOf(example.one, "refused")) {
        const CasePart* all = partOf(example.all, "reads");
        const CasePart* own = partOf(example.one, "reads");
        parts.push_back({.header = "reads",
                         .lines = readingWith(all ? all->lines : Lines(), own ? own->lines : Lines())});
    }
    std::ranges::copy_if(example.one.parts, std::back_inserter(parts), [](const CasePart& part) {
        return part.header != "reads" && !part.header.starts_with("file ");
    });
    return parts;
}

Lines withoutDefaults(Lines lines, const Lines& defaults)
{
    std::erase_if(lines, [&defaults](const std::string& line) {
        return std::ranges::find(defaults, line) != defaults.end();
    });
    return lines;
}

/// Returns a text to compare. The lines of a reading are sorted, as their order does not matter.
std::string comparable(const std::vector<CasePart>& parts, const Lines& defaults)
{
    std::string text;
    for (CasePart part : parts) {
        if (part.header == "reads") {
            part.lines = withoutDefaults(part.lines, defaults);
            std::ranges::stable_sort(part.lines, {}, keyOf);
        }
        text += "--- " + part.header + '\n';
        for (const std::string& line : part.lines)
            text += line + '\n';
    }
    return text;
}

/// Prints the whole difference, as Qt Test truncates long texts.
void print(const std::string& expected, const std::string& actual)
{
    std::fprintf(stderr, "%s: lines that are expected (-) and those that came (+):\n",
                 QTest::currentDataTag());
    for (const std::string& line : changes(expected, actual))
        std::fprintf(stderr, "  %s\n", line.c_str());
    std::fprintf(stderr, "Where this is right, run again with %s=1, which writes it into the case.\n",
                 updating);
}

/// Returns the file with the present results of its cases.
CaseFile updated(CaseFile file)
{
    std::vector<Lines> readings;
    Lines defaults;
    for (ConfigCase& one : file.cases) {
        if (!isAvailable(one))
            continue;
        auto [parts, ofThis] = outcomes(configOf({.all = file.all, .one = one}), one);
        std::ranges::copy_if(one.parts, std::inserter(parts, parts.begin()),
                             [](const CasePart& part) { return part.header.starts_with("file "); });
        one.parts = std::move(parts);
        defaults.insert(defaults.end(), ofThis.begin(), ofThis.end());
        if (const CasePart* reading = partOf(one, "reads"))
            readings.push_back(reading->lines);
    }
    // Defaults of one kind of network may differ from those of another.
    const Lines ofAll = defaults;
    std::erase_if(defaults, [&ofAll](const std::string& line) {
        return std::ranges::any_of(ofAll, [&line](const std::string& other) {
            return keyOf(other) == keyOf(line) && other != line;
        });
    });
    const bool hasCommon = readings.size() > 1;
    const Lines common = hasCommon ? commonReading(readings) : Lines();
    for (ConfigCase& one : file.cases) {
        if (!isAvailable(one))
            continue;
        for (CasePart& part : one.parts) {
            if (part.header == "reads")
                part.lines =
                    hasCommon ? ownReading(common, part.lines) : withoutDefaults(part.lines, defaults);
        }
        std::erase(one.parts, CasePart{.header = "reads"});
    }
    if (hasCommon) {
        file.all.name = "all";
        file.all.parts = {{.header = "reads", .lines = withoutDefaults(common, defaults)}};
    }
    return file;
}

void writeTo(const QString& path, const std::string& text)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly))
        file.write(QByteArray::fromStdString(text));
}

QStringList caseFiles()
{
    QStringList paths;
    QDirIterator files(folder, {QStringLiteral("*.cases")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext())
        paths << files.next();
    paths.sort();
    return paths;
}

/// Returns every case with its name "folder/file/case".
std::vector<std::pair<std::string, CaseInFile>> allCases()
{
    std::vector<std::pair<std::string, CaseInFile>> found;
    for (const QString& path : caseFiles()) {
        const CaseFile file = caseFileFromText(textOf(path));
        const QString name = path.mid(folder.size() + 1).section(QLatin1Char('.'), 0, 0);
        for (const ConfigCase& one : file.cases)
            found.emplace_back(name.toStdString() + '/' + one.name, CaseInFile{.all = file.all, .one = one});
    }
    return found;
}

bool writes(const ConfigCase& one)
{
    return std::ranges::any_of(one.parts,
                               [](const CasePart& part) { return part.header.starts_with("writes "); });
}

} // namespace

/// Tests cases from files: configs, with their readings and the results of writing sizes into them; see
/// tests/data/cases/config/README.md.
class ConfigCasesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY2(!caseFiles().isEmpty(), "the cases were not found");
        for (const QString& path : qEnvironmentVariableIsSet(updating) ? caseFiles() : QStringList())
            writeTo(path, toText(updated(caseFileFromText(textOf(path)))));
    }

    void isReadAndWritten_data()
    {
        const auto add = rows<CaseInFile>();
        for (const auto& [name, example] : allCases())
            add(name, example);
    }
    void isReadAndWritten()
    {
        const auto& example = row<CaseInFile>();
        if (!isAvailable(example.one))
            QSKIP("The shared configs are not on this computer.");
        const auto [parts, defaults] = outcomes(configOf(example), example.one);
        const std::string expected = comparable(expectedOutcomes(example), defaults);
        const std::string actual = comparable(parts, defaults);
        if (expected != actual)
            print(expected, actual);
        QVERIFY2(expected == actual, "the difference is printed above");
    }

    /// Requires a row in sentences.txt for every sentence of a case, and a sentence for every row.
    void matchesTheSentenceTable()
    {
        for (const auto& [name, example] : allCases()) {
            if (!isAvailable(example.one))
                QSKIP("The shared configs are not on this computer.");
            outcomes(configOf(example), example.one);
        }
        for (const std::string& sentence : sentences().missing())
            std::fprintf(stderr, "missing in sentences.txt: %s\n", sentence.c_str());
        QVERIFY2(sentences().missing().empty(), "Add the sentences that are printed above.");
        QCOMPARE(sentences().unused(), Lines());
    }

    /// Requires that a size is written in the same way into a text with CRLF line ends.
    void isWrittenWithCrlfLineEnds_data()
    {
        const auto add = rows<CaseInFile>();
        for (const auto& [name, example] : allCases()) {
            // Without a newline, there is no line end to replace.
            const std::string text = writes(example.one) && isAvailable(example.one) ? configOf(example) : "";
            if (text.find('\n') != std::string::npos && text.find('\r') == std::string::npos)
                add(name, example);
        }
    }
    void isWrittenWithCrlfLineEnds()
    {
        const auto& example = row<CaseInFile>();
        const std::string text = configOf(example);
        for (const CasePart& part : example.one.parts) {
            if (!part.header.starts_with("writes "))
                continue;
            const ChosenSize chosen = chosenFrom(part.header.substr(7));
            QCOMPARE(recognize(withCrlf(text))->withMicroBatchSize(chosen).text,
                     withCrlf(recognize(text)->withMicroBatchSize(chosen).text));
        }
    }
};

BATCHPEAK_TEST(ConfigCasesTest)
#include "tst_config_cases.moc"
