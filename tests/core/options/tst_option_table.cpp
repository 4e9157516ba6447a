// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_table.h"
#include "options/option_values.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTemporaryFile>
#include <QTest>

#include <set>

using namespace batchpeak;
using namespace batchpeak::engine;
using namespace batchpeak::test;

namespace {

/// Words of a command line, written with commas between them.
QStringList wordsIn(const Text& text)
{
    return text.isEmpty() ? QStringList() : text.split(QLatin1Char(','));
}

} // namespace

/// Tests every option of an exploration, as it is parsed from text and written as text.
class OptionTableTest : public QObject
{
    Q_OBJECT

private slots:
    void writesWhatItHasRead_data()
    {
        // What is usual is not said.
        rows<Text>({{"nothing", ""},
                    {"phase", "--phase,eval"},
                    {"both phases", "--phase,both"},
                    {"setting", "--setting,auto"},
                    {"a fixed setting", "--setting,20"},
                    {"bounds", "--min,2,--max,64"},
                    {"objective", "--objective,effective"},
                    {"tolerance", "--tolerance,2.5"},
                    {"confidence", "--confidence,90"},
                    {"confidence to write", "--min-confidence,12.5"},
                    {"devices", "--device,cuda:0,--device,cpu"},
                    {"memory", "--memory-limit,1536MiB"},
                    {"odd bytes", "--memory-limit,1000001B"},
                    {"headroom", "--headroom,0"},
                    {"sequence length", "--sequence-length,2048"},
                    {"packed texts", "--packed-text-length,256"},
                    {"precision", "--precision,pure-bf16"},
                    {"optimizer", "--optimizer,adamw-8bit"},
                    {"adapters", "--adapter,dora,--adapter-rank,64,--frozen-weights,nf4"},
                    {"a switch", "--activation-checkpointing"},
                    {"a switch that is off", "--activation-checkpointing=off"},
                    {"loss chunk", "--loss-chunk,0"},
                    {"gradient norm", "--max-gradient-norm,0.5"},
                    {"attention", "--attention,memory-efficient"},
                    {"a smaller network", "--shrink"},
                    {"images", "--channels-last,--cudnn-benchmark"},
                    {"program", "--worker,python3 step.py,--launcher,ssh host"},
                    {"Python", "--with,python"},
                    {"a Python", "--with,python=/venv/bin/python"},
                    {"seed", "--seed,18446744073709551615"},
                    {"strategy", "--strategy,halving"},
                    {"trials", "--max-trials,9"},
                    {"time", "--time-budget,1h30m"},
                    {"no verification", "--no-verify"}});
    }
    void writesWhatItHasRead()
    {
        const QStringList words = wordsIn(row<Text>());
        QCOMPARE(wordsFor(optionsFrom(words)), words);
    }

    void leavesOutWhatItCannotRead_data()
    {
        rows<Text>({{"an unknown option", "--faster,--min,2"},
                    {"a value out of bounds", "--tolerance,0,--min,2"},
                    {"a file that is gone", "--sample-lengths,/nowhere,--min,2"},
                    {"a value that is missing", "--min,2,--max"}});
    }
    void leavesOutWhatItCannotRead()
    {
        QCOMPARE(wordsFor(optionsFrom(wordsIn(row<Text>()))), wordsIn("--min,2"));
    }

    void keepsTheFileOfLengths()
    {
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write("12\n7\n");
        file.close();
        const QStringList words = wordsIn(QStringLiteral("--sample-lengths,%1").arg(file.fileName()));
        const ExplorationOptions options = optionsFrom(words);
        QCOMPARE(options.sampleLengths, (std::vector<std::int64_t>{7, 12}));
        QCOMPARE(wordsFor(options), words);
    }

    void putsOneBackAndLeavesTheOthers()
    {
        ExplorationOptions options = optionsFrom(wordsIn("--device,cpu,--min,2,--tolerance,3"));
        for (const char* name : {"--device", "--tolerance"}) {
            const ExplorationOption& option = explorationOption(name);
            QVERIFY(option.isGiven(options));
            option.clear(options);
            QVERIFY(!option.isGiven(options));
        }
        QCOMPARE(wordsFor(options), wordsIn("--min,2"));
    }

    void keepsNoWordOfTrust()
    {
        ExplorationOptions said = optionsFrom(wordsIn("--min,2"));
        said.trustsCode = true;
        QCOMPARE(wordsFor(said), wordsIn("--min,2"));
        QVERIFY(!overlaid({}, said, givenNames(said)).trustsCode);
        // As an earlier version has kept it.
        const ExplorationOptions kept = optionsFrom(wordsIn("--trust,--min,2"));
        QVERIFY(!kept.trustsCode);
        QCOMPARE(wordsFor(kept), wordsIn("--min,2"));
    }

    void takesTheNamedOnesAlone()
    {
        const ExplorationOptions one = optionsFrom(wordsIn("--device,cpu,--min,2,--tolerance,3"));
        const ExplorationOptions other = optionsFrom(wordsIn("--min,2,--max,8"));
        QCOMPARE(givenNames(one), wordsIn("--min,--tolerance,--device"));
        QCOMPARE(sameNames(wordsIn("--min,--max,--headroom"), one, other), wordsIn("--min,--headroom"));
        // One that asks for what is usual is taken too.
        QCOMPARE(wordsFor(overlaid(one, other, wordsIn("--max,--tolerance"))),
                 wordsIn("--min,2,--max,8,--device,cpu"));
    }

    void namesEachOnce()
    {
        std::set<std::string> names;
        for (const ExplorationOption& option : explorationOptions()) {
            QVERIFY2(names.insert(option.name).second, option.name.c_str());
            QVERIFY2(option.name.starts_with("--") && !option.help.empty(), option.name.c_str());
        }
    }

    void takesBackEveryTextThatItWrites()
    {
        // The values that are usual, too: a form shows them.
        const ExplorationOptions usual;
        for (const ExplorationOption& option : explorationOptions()) {
            ExplorationOptions options;
            option.clear(options);
            for (const std::string& text : option.texts(usual))
                option.take(options, text);
            QVERIFY2(option.texts(options) == option.texts(usual), option.name.c_str());
        }
    }
};

BATCHPEAK_TEST(OptionTableTest)
#include "tst_option_table.moc"
