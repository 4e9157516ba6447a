// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "support/test_main.h"

#include <QDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString folder = QStringLiteral(BATCHPEAK_TEST_DATA "/configs");

SplicedText spliced(const QByteArray& text, const QString& phase, std::int64_t size)
{
    return recognise(text.toStdString())
        ->withMicroBatchSize({.phase = *model::phaseFromText(phase.toStdString()), .microBatchSize = size});
}

QByteArray withCrlf(const QByteArray& text)
{
    return QByteArray(text).replace("\r\n", "\n").replace("\n", "\r\n");
}

} // namespace

class SpliceTest : public QObject
{
    Q_OBJECT

private slots:
    void changesOneValueAlone_data()
    {
        QTest::addColumn<QString>("file");
        for (const QString& name : QDir(folder).entryList({QStringLiteral("*.yaml")})) {
            QTest::newRow(qPrintable(name)) << folder + QLatin1Char('/') + name;
        }
    }
    void changesOneValueAlone()
    {
        QFETCH(QString, file);
        checkChangesOneValueAlone(textOf(file));
    }

    // The micro-batch size of "phase" becomes 5; "changed" is the one line that differs, or is added.
    void writesParams_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* before, const char* after) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after);
        };
        row("number", "train_input:\n  batch_size: 8\n  micro_batch_size: 4\n",
            "train_input:\n  batch_size: 8\n  micro_batch_size: 5\n");
        row("word, comment behind",
            "train_input:\n  micro_batch_size: explore  # searched\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5  # searched\n  batch_size: 8\n");
        row("quoted word", "train_input:\n  micro_batch_size: 'auto'\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5\n  batch_size: 8\n");
        row("null", "train_input:\n  micro_batch_size: null # off\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5 # off\n  batch_size: 8\n");
        row("nothing", "train_input:\n  micro_batch_size:\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5\n  batch_size: 8\n");
        row("nothing, comment behind", "train_input:\n  micro_batch_size:  # off\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5  # off\n  batch_size: 8\n");
        row("nothing at the end", "train_input:\n  batch_size: 8\n  micro_batch_size:",
            "train_input:\n  batch_size: 8\n  micro_batch_size: 5");
        row("nothing behind an anchor", "train_input:\n  micro_batch_size: &m\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: &m 5\n  batch_size: 8\n");
        row("nothing behind an anchor, between braces",
            "train_input: {micro_batch_size: &m, batch_size: 8}\n",
            "train_input: {micro_batch_size: &m 5, batch_size: 8}\n");
        row("anchor kept", "train_input:\n  micro_batch_size: &m 4\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: &m 5\n  batch_size: 8\n");
        row("on the line below", "train_input:\n  micro_batch_size:\n    4\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size:\n    5\n  batch_size: 8\n");
        row("alias", "n: &n 4\ntrain_input:\n  micro_batch_size: *n\n  batch_size: 8\n",
            "n: &n 4\ntrain_input:\n  micro_batch_size: 5\n  batch_size: 8\n");
        row("bounds in braces",
            "train_input:\n  micro_batch_size: {explore: {min: 1, max: 4}} # b\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5 # b\n  batch_size: 8\n");
        row("bounds in braces over lines",
            "train_input:\n  micro_batch_size: {explore: {min: 1, # }\n    max: 4}}\n  batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5\n  batch_size: 8\n");
        row("bounds in a block",
            "train_input:\n  micro_batch_size: # b\n    explore:\n      min: 1\n      max: 4 # m\n  "
            "batch_size: 8\n",
            "train_input:\n  micro_batch_size: 5 # b\n  batch_size: 8\n");
        row("bounds in a block at the end",
            "train_input:\n  batch_size: 8\n  micro_batch_size:\n    explore:\n      max:",
            "train_input:\n  batch_size: 8\n  micro_batch_size: 5\n");
        row("quoted keys", "\"train_input\":\n  \"batch_size\": 8\n  \"micro_batch_size\": 4\n",
            "\"train_input\":\n  \"batch_size\": 8\n  \"micro_batch_size\": 5\n");
        row("blank before the colon", "train_input:\n  batch_size: 8\n  micro_batch_size : 4\n",
            "train_input:\n  batch_size: 8\n  micro_batch_size : 5\n");
        row("JSON", "{\"train_input\": {\"batch_size\": 8, \"micro_batch_size\": null}}",
            "{\"train_input\": {\"batch_size\": 8, \"micro_batch_size\": 5}}");
        row("CRLF", "train_input:\r\n  batch_size: 8\r\n  micro_batch_size: auto\r\n",
            "train_input:\r\n  batch_size: 8\r\n  micro_batch_size: 5\r\n");

        row("added", "train_input:\n    batch_size: 8 # all\n    shuffle: True\n",
            "train_input:\n    batch_size: 8 # all\n    micro_batch_size: 5\n    shuffle: True\n");
        row("added at the end", "train_input:\n  shuffle: True\n  batch_size: 8",
            "train_input:\n  shuffle: True\n  batch_size: 8\n  micro_batch_size: 5");
        row("added with CRLF at the end", "train_input:\r\n  shuffle: True\r\n  batch_size: 8",
            "train_input:\r\n  shuffle: True\r\n  batch_size: 8\r\n  micro_batch_size: 5");
        row("added behind a byte order mark", "\xEF\xBB\xBFtrain_input:\n  batch_size: 8\n",
            "\xEF\xBB\xBFtrain_input:\n  batch_size: 8\n  micro_batch_size: 5\n");
        row("added below the line of a byte order mark",
            "\xEF\xBB\xBF"
            "batch_size: 8\nbatchpeak: 1\nmodel: {family: resnet, depth: 18}\n",
            "\xEF\xBB\xBF"
            "batch_size: 8\nmicro_batch_size: 5\nbatchpeak: 1\nmodel: {family: resnet, depth: 18}\n");
        row("added like quoted keys", "\"train_input\":\n  \"batch_size\": 8\n",
            "\"train_input\":\n  \"batch_size\": 8\n  \"micro_batch_size\": 5\n");
        row("added between braces", "train_input: {batch_size: 8}\n",
            "train_input: {batch_size: 8, micro_batch_size: 5}\n");
        row("added to JSON", "{\"train_input\": {\n  \"batch_size\": 8\n}}",
            "{\"train_input\": {\n  \"micro_batch_size\": 5,\n  \"batch_size\": 8\n}}");
        row("added where batch_size is merged in",
            "base: &b\n  batch_size: 8\ntrain_input:\n  # as above\n  <<: *b\n  shuffle: True\n",
            "base: &b\n  batch_size: 8\ntrain_input:\n  micro_batch_size: 5\n  # as above\n  <<: *b\n  "
            "shuffle: True\n");
        row("added above a key on a line of its own", "train_input:\n  ? batch_size\n  : 8\n",
            "train_input:\n  micro_batch_size: 5\n  ? batch_size\n  : 8\n");
        row("added over a merged size",
            "base: &b\n  batch_size: 8\n  micro_batch_size: 4\ntrain_input:\n  <<: *b\n",
            "base: &b\n  batch_size: 8\n  micro_batch_size: 4\ntrain_input:\n  micro_batch_size: 5\n  <<: "
            "*b\n");
    }
    void writesParams()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QCOMPARE(QByteArray::fromStdString(spliced(before, QStringLiteral("train"), 5).text), after);
        QCOMPARE(QByteArray::fromStdString(spliced(withCrlf(before), QStringLiteral("train"), 5).text),
                 withCrlf(after));
    }

    void writesTrainer_data()
    {
        QTest::addColumn<QString>("phase");
        QTest::addColumn<QByteArray>("callbacks");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char* name, const char* phase, const char* callbacks, const char* after) {
            QTest::newRow(name) << QString::fromLatin1(phase) << QByteArray(callbacks) << QByteArray(after);
        };
        row("scoped, train", "train",
            "    callbacks:\n    - ScopedTrainFlags:\n        csx.performance.micro_batch_size: 4 # c\n",
            "    callbacks:\n    - ScopedTrainFlags:\n        csx.performance.micro_batch_size: 5 # c\n");
        row("scoped wins over global", "train",
            "    callbacks:\n    - ScopedTrainFlags: {csx.performance.micro_batch_size: 4}\n"
            "    - GlobalFlags: {csx.performance.micro_batch_size: 2}\n",
            "    callbacks:\n    - ScopedTrainFlags: {csx.performance.micro_batch_size: 5}\n"
            "    - GlobalFlags: {csx.performance.micro_batch_size: 2}\n");
        row("global alone", "eval",
            "    callbacks:\n    - GlobalFlags:\n        csx.performance.micro_batch_size: 2\n",
            "    callbacks:\n    - GlobalFlags:\n        csx.performance.micro_batch_size: 5\n");
        row("the last of two", "train",
            "    callbacks:\n    - GlobalFlags: {csx.performance.micro_batch_size: 2}\n"
            "    - GlobalFlags: {csx.performance.micro_batch_size: 3}\n",
            "    callbacks:\n    - GlobalFlags: {csx.performance.micro_batch_size: 2}\n"
            "    - GlobalFlags: {csx.performance.micro_batch_size: 5}\n");
        row("other phase's flag stays", "eval",
            "    callbacks:\n    - ScopedTrainFlags:\n        csx.performance.micro_batch_size: 4\n",
            "    callbacks:\n    - ScopedValidateFlags: {csx.performance.micro_batch_size: 5}\n"
            "    - ScopedTrainFlags:\n        csx.performance.micro_batch_size: 4\n");
        row("scoped without the flag", "train",
            "    callbacks:\n      # first\n      - ScopedTrainFlags:\n          # inside\n          "
            "csx.debug.ini: 1\n",
            "    callbacks:\n      # first\n      - ScopedTrainFlags:\n"
            "          csx.performance.micro_batch_size: 5\n          # inside\n          csx.debug.ini: "
            "1\n");
        row("scoped, empty mapping", "train", "    callbacks:\n    - ScopedTrainFlags: {}\n",
            "    callbacks:\n    - ScopedTrainFlags: {csx.performance.micro_batch_size: 5}\n");
        row("scoped, nothing in it", "train", "    callbacks:\n    - ScopedTrainFlags: # none\n",
            "    callbacks:\n    - ScopedTrainFlags: {csx.performance.micro_batch_size: 5} # none\n");
        row("bounds", "train",
            "    callbacks:\n    - ScopedTrainFlags:\n        csx.performance.micro_batch_size:\n"
            "          explore:\n            min: 2\n",
            "    callbacks:\n    - ScopedTrainFlags:\n        csx.performance.micro_batch_size: 5\n");
        row("other callbacks alone", "train", "    callbacks:\n      # norms\n      - ComputeNorm: {}\n",
            "    callbacks:\n      - ScopedTrainFlags: {csx.performance.micro_batch_size: 5}\n"
            "      # norms\n      - ComputeNorm: {}\n");
        row("callbacks in brackets", "train", "    callbacks: [{ComputeNorm: {}}]\n",
            "    callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: 5}}, {ComputeNorm: "
            "{}}]\n");
        row("no callbacks in brackets", "train", "    callbacks: []\n",
            "    callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: 5}}]\n");
        row("callbacks as a mapping", "train", "    callbacks:\n      ComputeNorm: {}\n",
            "    callbacks:\n      ScopedTrainFlags: {csx.performance.micro_batch_size: 5}\n      "
            "ComputeNorm: {}\n");
        row("flag in a mapping", "train",
            "    callbacks:\n      ScopedTrainFlags:\n        csx.performance.micro_batch_size: 4\n",
            "    callbacks:\n      ScopedTrainFlags:\n        csx.performance.micro_batch_size: 5\n");
        row("callbacks null", "train", "    callbacks: null\n",
            "    callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: 5}}]\n");
        row("callbacks without a value", "train", "    callbacks:\n",
            "    callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: 5}}]\n");
        row("nothing at all", "train", "",
            "    callbacks: [{ScopedTrainFlags: {csx.performance.micro_batch_size: 5}}]\n");
    }
    void writesTrainer()
    {
        QFETCH(QString, phase);
        QFETCH(QByteArray, callbacks);
        QFETCH(QByteArray, after);
        const QByteArray head("trainer:\n  init:\n");
        const QByteArray tail("    seed: 1\n  fit:\n    train_dataloader:\n      batch_size: 8\n"
                              "    val_dataloader:\n      batch_size: 8\n");
        const QByteArray before = head + callbacks + tail;
        const QByteArray expected = head + after + tail;
        QCOMPARE(QByteArray::fromStdString(spliced(before, phase, 5).text), expected);
        QCOMPARE(QByteArray::fromStdString(spliced(withCrlf(before), phase, 5).text), withCrlf(expected));
    }

    void notesWhatChangesWithIt_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("phase");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QStringList>("noted");
        const QByteArray merged(
            "train_input: &t\n  batch_size: 8\n  micro_batch_size: 4\neval_input:\n  <<: *t\n");
        QTest::newRow("merged into the other phase") << merged << QStringLiteral("train") << qint64{2}
                                                     << QStringList{QStringLiteral("Line 5 (eval_input)")};
        QTest::newRow("set apart from what is merged in")
            << merged << QStringLiteral("eval") << qint64{2} << QStringList{};
        QTest::newRow("merged and set again") << merged + "  micro_batch_size: 4\n"
                                              << QStringLiteral("train") << qint64{2} << QStringList{};
        QTest::newRow("whole section")
            << QByteArray("train_input: &t\n  batch_size: 8\neval_input: *t\nmodel: {a: 1}\n")
            << QStringLiteral("eval") << qint64{2} << QStringList{QStringLiteral("Line 3 (eval_input)")};
        QTest::newRow("aliases of aliases")
            << QByteArray(
                   "train_input: &t\n  batch_size: 8\n  micro_batch_size: 4\nother: &o\n  a: *t\nlast: *o\n")
            << QStringLiteral("train") << qint64{2}
            << QStringList{QStringLiteral("Line 5 (a)"), QStringLiteral("Line 6 (last)")};
        QTest::newRow("an anchored size")
            << QByteArray("train_input:\n  batch_size: 8\n  micro_batch_size: &m 4\n"
                          "eval_input:\n  batch_size: 8\n  micro_batch_size: *m\n")
            << QStringLiteral("train") << qint64{2}
            << QStringList{QStringLiteral("Line 6 (micro_batch_size)")};
        QTest::newRow("accumulation off")
            << QByteArray("train_input:\n  batch_size: 8\nrunconfig:\n  use_cs_grad_accum: False\n")
            << QStringLiteral("train") << qint64{2} << QStringList{QStringLiteral("use_cs_grad_accum")};
        QTest::newRow("global flags") << QByteArray("trainer:\n  init:\n    callbacks:\n    - GlobalFlags: "
                                                    "{csx.performance.micro_batch_size: 4}\n"
                                                    "  fit:\n    train_dataloader: {batch_size: 8}\n")
                                      << QStringLiteral("train") << qint64{2}
                                      << QStringList{QStringLiteral("training and evaluation alike")};
        QTest::newRow("several trainers")
            << QByteArray("trainer:\n- trainer:\n    init:\n      callbacks:\n"
                          "      - ScopedTrainFlags: {csx.performance.micro_batch_size: 4}\n"
                          "    fit:\n      train_dataloader: {batch_size: 8}\n- trainer: {init: {}}\n")
            << QStringLiteral("train") << qint64{2}
            << QStringList{QStringLiteral("first of several trainers")};
        QTest::newRow("no divisor") << QByteArray("train_input: {batch_size: 8}\n") << QStringLiteral("train")
                                    << qint64{5} << QStringList{QStringLiteral("up to 2.1 refuse them")};
    }
    void notesWhatChangesWithIt()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, phase);
        QFETCH(qint64, size);
        QFETCH(QStringList, noted);
        const auto notes = spliced(text, phase, size).notes;
        QCOMPARE(qsizetype(notes.size()), noted.size());
        for (qsizetype i = 0; i < noted.size(); ++i)
            QVERIFY2(QString::fromStdString(notes[std::size_t(i)]).contains(noted[i]),
                     notes[std::size_t(i)].c_str());
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QString>("named");
        QTest::newRow("a size above the batch") << QByteArray("train_input: {batch_size: 8}\n") << qint64{9}
                                                << QStringLiteral("above the batch_size 8");
        QTest::newRow("zero") << QByteArray("train_input: {batch_size: 8}\n") << qint64{0}
                              << QStringLiteral("at least 1");
        QTest::newRow("an absent phase")
            << QByteArray("eval_input: {batch_size: 8}\n") << qint64{4} << QStringLiteral("no train_input");
        QTest::newRow("an absent loader")
            << QByteArray("trainer:\n  init: {seed: 1}\n  validate: {val_dataloader: {batch_size: 8}}\n")
            << qint64{4} << QStringLiteral("no data loader for training");
        QTest::newRow("bounds with an anchor that is used elsewhere")
            << QByteArray(
                   "train_input:\n  batch_size: 8\n  micro_batch_size: {explore: &e {min: 2}}\nother: *e\n")
            << qint64{4} << QStringLiteral("by hand");
    }
    void refuses()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, size);
        QFETCH(QString, named);
        try {
            const SplicedText result = spliced(text, QStringLiteral("train"), size);
            QFAIL(result.text.c_str());
        } catch (const ConfigError& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(named), error.what());
        }
    }
};

BATCHPEAK_TEST(SpliceTest)
#include "tst_splice.moc"
