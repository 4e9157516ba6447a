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

/// Returns the words of a command line that \p text separates with commas.
QStringList wordsIn(const Text& text)
{
    return text.isEmpty() ? QStringList() : text.split(QLatin1Char(','));
}

} // namespace

/// Tests parsing and writing every option of an exploration.
class OptionTableTest : public QObject
{
    Q_OBJECT

private slots:
    void writesOptionsThatItHasRead_data()
    {
        // Defaults are not written.
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
                    {"program", "--worker,python3 step.py,--on,ssh host"},
                    {"several places", "--on,ssh:a + slurm:gpu -N 2"},
                    {"Python", "--with,python"},
                    {"a Python", "--with,python=/venv/bin/python"},
                    {"seed", "--seed,18446744073709551615"},
                    {"strategy", "--strategy,halving"},
                    {"trials", "--max-trials,9"},
                    {"time", "--time-budget,1h30m"},
                    {"no verification", "--no-verify"}});
    }
    void writesOptionsThatItHasRead()
    {
        const QStringList words = wordsIn(row<Text>());
        QCOMPARE(wordsFor(optionsFrom(words)), words);
    }

    void ignoresInvalidOptions_data()
    {
        rows<Text>({{"an unknown option", "--faster,--min,2"},
                    {"a value out of bounds", "--tolerance,0,--min,2"},
                    {"a file that is gone", "--sample-lengths,/nowhere,--min,2"},
                    {"a value that is missing", "--min,2,--max"}});
    }
    void ignoresInvalidOptions()
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

    void resetsSingleOptions()
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

    void doesNotKeepTrust()
    {
        ExplorationOptions given = optionsFrom(wordsIn("--min,2"));
        given.trustsCode = true;
        QCOMPARE(wordsFor(given), wordsIn("--min,2"));
        QVERIFY(!overlaid({}, given, givenNames(given)).trustsCode);
        // An earlier version kept it.
        const ExplorationOptions kept = optionsFrom(wordsIn("--trust,--min,2"));
        QVERIFY(!kept.trustsCode);
        QCOMPARE(wordsFor(kept), wordsIn("--min,2"));
    }

    void overlaysOnlyNamedOptions()
    {
        const ExplorationOptions one = optionsFrom(wordsIn("--device,cpu,--min,2,--tolerance,3"));
        const ExplorationOptions other = optionsFrom(wordsIn("--min,2,--max,8"));
        QCOMPARE(givenNames(one), wordsIn("--min,--tolerance,--device"));
        QCOMPARE(sameNames(wordsIn("--min,--max,--headroom"), one, other), wordsIn("--min,--headroom"));
        // A named option is overlaid even if its value is the default.
        QCOMPARE(wordsFor(overlaid(one, other, wordsIn("--max,--tolerance"))),
                 wordsIn("--min,2,--max,8,--device,cpu"));
    }

    void hasUniqueNames()
    {
        std::set<std::string> names;
        for (const ExplorationOption& option : explorationOptions()) {
            QVERIFY2(names.insert(option.name).second, option.name.c_str());
            QVERIFY2(option.name.starts_with("--") && !option.help.empty(), option.name.c_str());
        }
    }

    void parsesEveryTextThatItWrites()
    {
        // Includes defaults, as a form shows them.
        const ExplorationOptions defaults;
        for (const ExplorationOption& option : explorationOptions()) {
            ExplorationOptions options;
            option.clear(options);
            for (const std::string& text : option.texts(defaults))
                option.take(options, text);
            QVERIFY2(option.texts(options) == option.texts(defaults), option.name.c_str());
        }
    }
};

BATCHPEAK_TEST(OptionTableTest)
#include "tst_option_table.moc"
