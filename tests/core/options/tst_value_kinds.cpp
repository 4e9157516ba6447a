// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/value_kinds.h"
#include "support/rows.h"
#include "support/test_main.h"

using namespace batchpeak;
using engine::ValueKinds;
using test::row;
using test::rows;

namespace {

struct Values
{
    std::string values;
    ValueKinds kinds;
};

} // namespace

class ValueKindsTest : public QObject
{
    Q_OBJECT

private slots:
    void areParsedFromTheHelp_data()
    {
        rows<Values>(
            {{"a switch", {"", {}}},
             {"words", {"train|eval", {.words = {"train", "eval"}}}},
             {"words and a number",
              {"explore|auto|N|null",
               {.words = {"explore", "auto", "null"}, .takesNumbers = true, .takesOthers = true}}},
             {"a file", {"FILE", {.takesFiles = true, .takesOthers = true}}},
             {"a file or a name", {"FILE|ID", {.takesFiles = true, .takesOthers = true}}},
             {"either", {"PATH", {.takesFiles = true, .takesFolders = true, .takesOthers = true}}},
             {"a folder", {"DIR", {.takesFolders = true, .takesOthers = true}}},
             {"a command", {"COMMAND", {.takesCommands = true, .takesOthers = true}}},
             {"a word with a path", {"worker|python=PATH", {.words = {"worker"}, .takesOthers = true}}}});
    }
    void areParsedFromTheHelp()
    {
        const auto& [values, expected] = row<Values>();
        const ValueKinds kinds = engine::valueKindsOf(values);
        QCOMPARE(kinds.words, expected.words);
        QCOMPARE(kinds.takesNumbers, expected.takesNumbers);
        QCOMPARE(kinds.takesFiles, expected.takesFiles);
        QCOMPARE(kinds.takesFolders, expected.takesFolders);
        QCOMPARE(kinds.takesCommands, expected.takesCommands);
        QCOMPARE(kinds.takesOthers, expected.takesOthers);
    }
};

BATCHPEAK_TEST(ValueKindsTest)
#include "tst_value_kinds.moc"
