// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "support/test_main.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string network = " --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 32"
                            " --max-position-embeddings 64";

/// A script that runs on 2 data-parallel devices.
std::string launched(const std::string& arguments)
{
    return "#!/bin/bash\ntorchrun --nproc_per_node 2 pretrain_gpt.py" + network + " " + arguments + "\n";
}

} // namespace

class MegatronWritingTest : public QObject
{
    Q_OBJECT

private slots:
    void writesASize_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("noted");
        const auto row = [](const char* name, const char* before, const char* after, const char* noted = "") {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after) << QString::fromLatin1(noted);
        };
        row("a word", "run --micro-batch-size 4 --global-batch-size 16",
            "run --micro-batch-size 8 --global-batch-size 16", "Evaluation takes");
        row("joined, with a comment",
            "run --micro-batch-size=4 # four\n# --micro-batch-size 2\nx --global-batch-size=16",
            "run --micro-batch-size=8 # four\n# --micro-batch-size 2\nx --global-batch-size=16");
        row("an array", "A=(\n\t--micro-batch-size 4 # four\n\t--global-batch-size 16\n)\nrun ${A[@]}\n",
            "A=(\n\t--micro-batch-size 8 # four\n\t--global-batch-size 16\n)\nrun ${A[@]}\n");
        row("line ends of Windows", "run \\\r\n --micro-batch-size 4 \\\r\n --global-batch-size 16\r\n",
            "run \\\r\n --micro-batch-size 8 \\\r\n --global-batch-size 16\r\n");
        row("a quoted list", "A=\" --micro-batch-size 4 \\\n --global-batch-size 16 \"\nrun $A",
            "A=\" --micro-batch-size 8 \\\n --global-batch-size 16 \"\nrun $A");
        row("a variable", "M=4\nG=16\nrun --micro-batch-size $M --global-batch-size $G",
            "M=8\nG=16\nrun --micro-batch-size $M --global-batch-size $G");
        row("a variable that is used elsewhere",
            "M=4\nrun --micro-batch-size $M --global-batch-size 16 --save out-$M",
            "M=8\nrun --micro-batch-size $M --global-batch-size 16 --save out-$M",
            "Line 2 changes with it, because it uses M");
        row("a batch of the size", "M=4\nG=$((M*4))\nrun --micro-batch-size $M --global-batch-size $G",
            "M=8\nG=16\nrun --micro-batch-size $M --global-batch-size $G", "Line 2 had $((M*4))");
        row("a default", "run --micro-batch-size ${M:-4} --global-batch-size 16",
            "run --micro-batch-size ${M:-8} --global-batch-size 16", "default of M");
        row("a default of itself", "M=${M:-\"4\"}\nrun --micro-batch-size $M --global-batch-size 16",
            "M=${M:-\"8\"}\nrun --micro-batch-size $M --global-batch-size 16", "default of M");
        row("of the caller", "run --micro-batch-size $1 --global-batch-size 16",
            "run --micro-batch-size 8 --global-batch-size 16", "Line 1 had $1");
        row("in one of two branches",
            "if x; then M=2; else M=4; fi\nrun --micro-batch-size $M --global-batch-size 16",
            "if x; then M=2; else M=4; fi\nrun --micro-batch-size 8 --global-batch-size 16", "Line 2 had $M");
        row("absent", "run --lr 1 --global-batch-size 16",
            "run --lr 1 --micro-batch-size 8 --global-batch-size 16");
        row("absent, joined", "run --global-batch-size=16",
            "run --micro-batch-size=8 --global-batch-size=16");
        row("absent, in an array", "A=(\n    --global-batch-size 16 # all\n)\n",
            "A=(\n    --micro-batch-size 8\n    --global-batch-size 16 # all\n)\n");
        row("absent, in continued lines", "run \\\n  --lr 1 \\\n  --global-batch-size 16\n",
            "run \\\n  --lr 1 \\\n  --micro-batch-size 8 \\\n  --global-batch-size 16\n");
        row("absent, in lines of Windows", "--lr 1\r\n--global-batch-size 16",
            "--lr 1\r\n--micro-batch-size 8\r\n--global-batch-size 16");
        row("absent, quoted", "A=(\"--global-batch-size 16\")\nrun ${A[@]}",
            "A=(\"--micro-batch-size 8 --global-batch-size 16\")\nrun ${A[@]}");
        row("the same", "M=$((2*4))\nrun --micro-batch-size $M --global-batch-size 16",
            "M=$((2*4))\nrun --micro-batch-size $M --global-batch-size 16");
        row("without a global batch", "run --micro-batch-size 16",
            "run --global-batch-size 16 --micro-batch-size 8");
        row("with a ramp", "run --micro-batch-size 4 --global-batch-size 16 --rampup-batch-size 4 4 100",
            "run --micro-batch-size 8 --global-batch-size 16 --rampup-batch-size 4 4 100", "they are not");
        row("with a ramp that fits",
            "run --micro-batch-size 4 --global-batch-size 16 --rampup-batch-size 8 8 100",
            "run --micro-batch-size 8 --global-batch-size 16 --rampup-batch-size 8 8 100",
            "as Megatron demands");
        row("with a schedule", "run --micro-batch-size 4 --step-batch-size-schedule '0:4 1B:16'",
            "run --micro-batch-size 8 --step-batch-size-schedule '0:4 1B:16'", "these are not: 4.");
        row("with a batch of evaluation",
            "run --micro-batch-size 4 --global-batch-size 16 --eval-global-batch-size 4",
            "run --micro-batch-size 8 --global-batch-size 16 --eval-global-batch-size 4",
            "Of evaluation, the 4 samples of");
    }
    void writesASize()
    {
        QFETCH(QByteArray, before);
        QFETCH(QString, noted);
        const SplicedText spliced =
            recognise(before.toStdString())->withMicroBatchSize({.microBatchSize = 8});
        QTEST(QByteArray::fromStdString(spliced.text), "after");
        QVERIFY2(joined(spliced.notes).contains(noted), qPrintable(joined(spliced.notes)));
    }

    void countsUsesBeyondTheFirst()
    {
        std::string text = "M=4\nrun --global-batch-size 16 --micro-batch-size $M";
        for (int i = 0; i < 100000; ++i)
            text += " $M";
        const SplicedText spliced = recognise(text)->withMicroBatchSize({.microBatchSize = 8});
        QVERIFY2(joined(spliced.notes).contains(QStringLiteral("99992 more uses of M")),
                 qPrintable(joined(spliced.notes)));
    }

    void writesASizeOfEvaluation_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::newRow("in place")
            << QByteArray("run --micro-batch-size 4 --global-batch-size 16 --eval-micro-batch-size 2")
            << QByteArray("run --micro-batch-size 4 --global-batch-size 16 --eval-micro-batch-size 8");
        QTest::newRow("absent")
            << QByteArray("run --micro-batch-size 4 --global-batch-size 16")
            << QByteArray("run --eval-micro-batch-size 8 --micro-batch-size 4 --global-batch-size 16");
        QTest::newRow("that of training") << QByteArray("run --micro-batch-size 8 --global-batch-size 16")
                                          << QByteArray("run --micro-batch-size 8 --global-batch-size 16");
    }
    void writesASizeOfEvaluation()
    {
        QFETCH(QByteArray, before);
        const auto format = recognise(before.toStdString());
        const SplicedText spliced =
            format->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 8});
        QTEST(QByteArray::fromStdString(spliced.text), "after");
        QVERIFY(recognise(spliced.text)->read().train == format->read().train);
    }

    void keepsTheBatchOrAsks()
    {
        const auto format = recognise(launched("--micro-batch-size 4 --global-batch-size 32"));
        try {
            format->withMicroBatchSize({.microBatchSize = 6});
            QFAIL("A batch of 32 is none of 6 on 2 devices.");
        } catch (const BatchNotKept& error) {
            QCOMPARE(error.below(), std::optional<std::int64_t>(24));
            QCOMPARE(error.above(), std::int64_t{36});
            QCOMPARE(error.position().line, 2);
        }
        const SplicedText chosen = format->withMicroBatchSize({.microBatchSize = 6, .globalBatchSize = 36});
        QCOMPARE(chosen.text, launched("--micro-batch-size 6 --global-batch-size 36"));
        QVERIFY_THROWS_EXCEPTION(ConfigError,
                                 format->withMicroBatchSize({.microBatchSize = 6, .globalBatchSize = 32}));
    }

    void refusesToGuess_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::newRow("two sizes")
            << QByteArray("run --micro-batch-size 4 --global-batch-size 16\nrun --micro-batch-size 2")
            << QStringLiteral("2 times");
        QTest::newRow("a schedule") << QByteArray("run --micro-batch-size 4 --step-batch-size-schedule 0:12")
                                    << QStringLiteral("by hand");
    }
    void refusesToGuess()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const auto format = recognise(text.toStdString());
        try {
            format->withMicroBatchSize({.microBatchSize = 8, .globalBatchSize = 16});
            QFAIL("Nothing tells which one counts.");
        } catch (const ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
        }
    }
};

BATCHPEAK_TEST(MegatronWritingTest)
#include "tst_megatron_writing.moc"
