// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

QString text(const char* latin)
{
    return QString::fromLatin1(latin);
}

bool isMentioned(const std::vector<Warning>& warnings, const QString& words)
{
    return std::ranges::any_of(warnings, [&](const Warning& warning) {
        return QString::fromStdString(warning.sentence).contains(words);
    });
}

} // namespace

class BatchPlanReaderTest : public QObject
{
    Q_OBJECT

private slots:
    void readsSettings_data()
    {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* written, const char* expected) {
            QTest::newRow(name) << text(written) << text(expected);
        };
        row("absent", "", "auto");
        row("auto", "micro_batch_size: auto", "auto");
        row("quoted auto", "micro_batch_size: \"auto\"", "auto");
        row("explore", "micro_batch_size: explore", "explore");
        row("bounds in braces", "micro_batch_size: {explore: {min: 2, max: 16}}",
            "{explore: {min: 2, max: 16}}");
        row("bounds in a block", "micro_batch_size:\n    explore:\n      min: 2\n      max: 16",
            "{explore: {min: 2, max: 16}}");
        row("one bound", "micro_batch_size: {explore: {max: 16}}", "{explore: {max: 16}}");
        row("a null bound", "micro_batch_size: {explore: {min: null, max: 16}}", "{explore: {max: 16}}");
        row("equal bounds", "micro_batch_size: {explore: {min: 4, max: 4}}", "{explore: {min: 4, max: 4}}");
        row("a bound above the batch", "micro_batch_size: {explore: {max: 1000}}", "{explore: {max: 1000}}");
        row("no bounds", "micro_batch_size: {explore: {}}", "explore");
        row("null", "micro_batch_size: null", "null");
        row("tilde", "micro_batch_size: ~", "null");
        row("NULL", "micro_batch_size: NULL", "null");
        row("nothing", "micro_batch_size:", "null");
        row("none", "micro_batch_size: none", "null");
        row("None", "micro_batch_size: None", "null");
        row("the least", "micro_batch_size: 1", "1");
        row("the most", "micro_batch_size: 32", "32");
        row("with underscores", "micro_batch_size: 1_6", "16");
    }
    void readsSettings()
    {
        QFETCH(QString, written);
        const std::string params = "train_input:\n  batch_size: 32\n  " + written.toStdString() + "\n";
        QTEST(QString::fromStdString(toText(recognise(params)->read().train->setting)), "expected");
        if (written.isEmpty())
            return;
        QString flag = written;
        flag.replace(text("micro_batch_size"), text("csx.performance.micro_batch_size"))
            .replace(text("\n"), text("\n  "));
        const std::string trainer = "trainer:\n  init:\n    callbacks:\n      ScopedTrainFlags:\n        " +
                                    flag.replace(text("\n"), text("\n      ")).toStdString() +
                                    "\n  fit:\n    train_dataloader:\n      batch_size: 32\n";
        QTEST(QString::fromStdString(toText(recognise(trainer)->read().train->setting)), "expected");
    }

    void refusesOtherValues_data()
    {
        QTest::addColumn<QString>("batchSize");
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QString>("devices");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const char* batchSize, const char* setting, const char* devices,
                            const char* named, int line, int column) {
            QTest::newRow(name) << text(batchSize) << text(setting) << text(devices) << text(named) << line
                                << column;
        };
        row("size zero", "batch_size: 32", "micro_batch_size: 0", "1", "at least 1", 3, 21);
        row("size negative", "batch_size: 32", "micro_batch_size: -4", "1", "is -4", 3, 21);
        row("size above the batch", "batch_size: 32", "micro_batch_size: 33", "1", "above the batch_size 32",
            3, 21);
        row("size not whole", "batch_size: 32", "micro_batch_size: 2.5", "1", "\"2.5\"; write", 3, 21);
        row("size as a float", "batch_size: 32", "micro_batch_size: 2.0", "1", "\"2.0\"; write", 3, 21);
        row("size with an exponent", "batch_size: 32", "micro_batch_size: 1e1", "1", "\"1e1\"; write", 3, 21);
        row("size in quotation marks", "batch_size: 32", "micro_batch_size: \"8\"", "1", "without quotation",
            3, 21);
        row("size too large", "batch_size: 32", "micro_batch_size: 99999999999999999999", "1", "too large", 3,
            21);
        row("another word", "batch_size: 32", "micro_batch_size: Auto", "1", "\"Auto\"; write explore", 3,
            21);
        row("a boolean", "batch_size: 32", "micro_batch_size: True", "1", "\"True\"; write", 3, 21);
        row("quoted null", "batch_size: 32", "micro_batch_size: 'null'", "1", "without quotation", 3, 21);
        row("a list", "batch_size: 32", "micro_batch_size: [1, 2]", "1", "is a list", 3, 21);
        row("an empty mapping", "batch_size: 32", "micro_batch_size: {}", "1", "must hold bounds", 3, 21);
        row("another key", "batch_size: 32", "micro_batch_size: {explore: {}, min: 2}", "1", "no meaning", 3,
            40);
        row("another bound", "batch_size: 32", "micro_batch_size: {explore: {least: 2}}", "1", "no meaning",
            3, 39);
        row("explore with a number", "batch_size: 32", "micro_batch_size: {explore: 2}", "1",
            "must be a mapping", 3, 31);
        row("explore with nothing", "batch_size: 32", "micro_batch_size: {explore: }", "1",
            "must hold bounds", 3, 22);
        row("min above max", "batch_size: 32", "micro_batch_size: {explore: {min: 9, max: 8}}", "1",
            "above max", 3, 37);
        row("min zero", "batch_size: 32", "micro_batch_size: {explore: {min: 0}}", "1", "at least 1", 3, 37);
        row("max negative", "batch_size: 32", "micro_batch_size: {explore: {max: -1}}", "1", "at least 1", 3,
            37);
        row("max a word", "batch_size: 32", "micro_batch_size: {explore: {max: all}}", "1", "whole number", 3,
            37);
        row("twice", "batch_size: 32", "micro_batch_size: 4\n  micro_batch_size: 8", "1", "stands twice", 4,
            3);
        row("batch absent", "shuffle: True", "micro_batch_size: 4", "1", "batch_size is missing", 2, 3);
        row("batch null", "batch_size:", "micro_batch_size: 4", "1", "batch_size is missing", 2, 3);
        row("batch zero", "batch_size: 0", "micro_batch_size: auto", "1", "at least 1", 2, 15);
        row("batch negative", "batch_size: -32", "micro_batch_size: auto", "1", "is -32", 2, 15);
        row("batch not whole", "batch_size: 3.2", "micro_batch_size: auto", "1", "whole number", 2, 15);
        row("batch a word", "batch_size: many", "micro_batch_size: auto", "1", "\"many\"", 2, 15);
        row("batch too large", "batch_size: 9999999999999999999", "micro_batch_size: auto", "1", "too large",
            2, 15);
        row("batch below the devices", "batch_size: 3", "micro_batch_size: explore", "4",
            "num_csx, which is 4", 2, 15);
        row("no device", "batch_size: 32", "micro_batch_size: auto", "0", "at least 1 device", 5, 12);
        row("devices a word", "batch_size: 32", "micro_batch_size: auto", "all", "whole number", 5, 12);
    }
    void refusesOtherValues()
    {
        QFETCH(QString, batchSize);
        QFETCH(QString, setting);
        QFETCH(QString, devices);
        QFETCH(QString, named);
        const ReadingError error =
            errorOfReading("train_input:\n  " + batchSize.toStdString() + "\n  " + setting.toStdString() +
                           "\nrunconfig:\n  num_csx: " + devices.toStdString() + "\n");
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QVERIFY(error.sentence.endsWith(QLatin1Char('.')));
        QTEST(error.position.line, "line");
        QTEST(error.position.column, "column");
    }

    void warns_data()
    {
        QTest::addColumn<QByteArray>("params");
        QTest::addColumn<QString>("mentioned");
        QTest::addColumn<int>("warnings");
        const auto row = [](const char* name, const char* params, const char* mentioned, int warnings) {
            QTest::newRow(name) << QByteArray(params) << text(mentioned) << warnings;
        };
        row("all even", "train_input: {batch_size: 32, micro_batch_size: 8}\nrunconfig: {num_csx: 2}\n", "",
            0);
        row("devices do not divide", "train_input: {batch_size: 7}\nrunconfig: {num_csx: 2}\n",
            "take 4 samples of a step and others 3", 1);
        row("size does not divide", "train_input: {batch_size: 220, micro_batch_size: 24}\n",
            "10 micro-batches of at most 22", 1);
        row("size above one device's part",
            "train_input: {batch_size: 32, micro_batch_size: 24}\nrunconfig: {num_csx: 2}\n",
            "1 micro-batch of 16", 1);
        row("the word none", "train_input: {batch_size: 32, micro_batch_size: none}\n", "write null", 1);
        row("explore in one phase alone",
            "train_input: {batch_size: 8, micro_batch_size: explore}\neval_input: {batch_size: 8}\n",
            "explore", 1);
        row("explore in both",
            "train_input: {batch_size: 8, micro_batch_size: explore}\n"
            "eval_input: {batch_size: 8, micro_batch_size: {explore: {min: 2}}}\n",
            "", 0);
        row("evaluation larger than training",
            "train_input: {batch_size: 8, micro_batch_size: 2}\neval_input: {batch_size: 8, "
            "micro_batch_size: 4}\n",
            "above that of train_input", 1);
        row("evaluation whole",
            "train_input: {batch_size: 8, micro_batch_size: 2}\neval_input: {batch_size: 8, "
            "micro_batch_size: null}\n",
            "above that of train_input", 1);
        row("evaluation smaller",
            "train_input: {batch_size: 8, micro_batch_size: 4}\neval_input: {batch_size: 8, "
            "micro_batch_size: 2}\n",
            "", 0);
        // Its layout since 2.4 has no such rules: the shipped mistral_12b trains with 1 and validates with 2.
        row("evaluation larger than training in a Trainer config",
            "trainer: {init: {callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: 1}}, "
            "{ScopedValidateFlags: {csx.performance.micro_batch_size: 2}}]}, "
            "fit: {train_dataloader: {batch_size: 8}, val_dataloader: {batch_size: 8}}}\n",
            "", 0);
        row("explore in one phase alone in a Trainer config",
            "trainer: {init: {callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: explore}}]}, "
            "fit: {train_dataloader: {batch_size: 8}, val_dataloader: {batch_size: 8}}}\n",
            "", 0);
        row("accumulation off",
            "train_input: {batch_size: 8, micro_batch_size: 4}\nrunconfig: {use_cs_grad_accum: False}\n",
            "use_cs_grad_accum is False", 1);
        row("accumulation on",
            "train_input: {batch_size: 8, micro_batch_size: 4}\nrunconfig: {use_cs_grad_accum: True}\n", "",
            0);
    }
    void warns()
    {
        QFETCH(QByteArray, params);
        QFETCH(QString, mentioned);
        const ConfigContents contents = recognise(params.toStdString())->read();
        QTEST(int(contents.warnings.size()), "warnings");
        QVERIFY(mentioned.isEmpty() || isMentioned(contents.warnings, mentioned));
        for (const Warning& warning : contents.warnings)
            QVERIFY(warning.position.line > 0);
    }

    void takesNullForAccumulationOff()
    {
        const auto contents =
            recognise(
                "train_input: {batch_size: 8, micro_batch_size: 4}\nrunconfig: {use_cs_grad_accum: False}\n")
                ->read();
        QCOMPARE(contents.train->setting, Setting(Whole{}));
    }
};

BATCHPEAK_TEST(BatchPlanReaderTest)
#include "tst_batch_plan_reader.moc"
