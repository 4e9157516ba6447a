// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "support/test_main.h"

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const std::string network = "model: {name: mpt_causal_lm, d_model: 64, n_heads: 4, n_layers: 2, "
                            "vocab_size: 512, max_seq_len: 32}\n";
const std::string loaders = "train_loader: {name: text}\neval_loader: {name: text}\n";

/// A config of a tiny network; its own keys come first.
std::string withTop(const std::string& top)
{
    return top + "max_seq_len: 32\n" + network + loaders;
}

} // namespace

class LlmFoundryWritingTest : public QObject
{
    Q_OBJECT

private slots:
    void writes_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addColumn<QString>("phase");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QStringList>("notes");
        const auto row = [](const char* name, const char* before, const char* after, const char* phase,
                            qint64 size, const QStringList& notes) {
            QTest::newRow(name) << QByteArray(before) << QByteArray(after) << QString::fromLatin1(phase)
                                << size << notes;
        };
        const QString own = QStringLiteral("is a number of its own now");
        const QString evalToo = QStringLiteral("Evaluation takes this size too");
        row("a number",
            "global_train_batch_size: 64\ndevice_eval_batch_size: 4\ndevice_train_microbatch_size: 4 # m\n",
            "global_train_batch_size: 64\ndevice_eval_batch_size: 4\ndevice_train_microbatch_size: 8 # m\n",
            "train", 8, {});
        row("auto", "global_train_batch_size: 64\ndevice_train_microbatch_size: auto\n",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 8\n", "train", 8, {evalToo});
        row("parts of samples", "global_train_batch_size: 64\ndevice_train_microbatch_size: 0.5\n",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 8\n", "train", 8, {evalToo});
        row("inserted", "seed: 1\nglobal_train_batch_size: 64 # all\ndevice_eval_batch_size: 4\n",
            "seed: 1\nglobal_train_batch_size: 64 # all\ndevice_train_microbatch_size: 8\n"
            "device_eval_batch_size: 4\n",
            "train", 8, {});
        row("quoted keys",
            "\"global_train_batch_size\": 64\n\"device_eval_batch_size\": 4\n"
            "\"device_train_microbatch_size\": \"auto\"\n",
            "\"global_train_batch_size\": 64\n\"device_eval_batch_size\": 4\n"
            "\"device_train_microbatch_size\": 8\n",
            "train", 8, {});
        row("no divisor",
            "global_train_batch_size: 64\ndevice_eval_batch_size: 4\ndevice_train_microbatch_size: auto\n",
            "global_train_batch_size: 64\ndevice_eval_batch_size: 4\ndevice_train_microbatch_size: 24\n",
            "train", 24, {QStringLiteral("run as 2 micro-batches of 24 and one of 16")});
        row("an interpolation",
            "variables: {m: 4}\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: ${variables.m}\n"
            "device_eval_batch_size: ${variables.m}\n",
            "variables: {m: 4}\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: 8\n"
            "device_eval_batch_size: ${variables.m}\n",
            "train", 8, {own});
        row("what evaluation stands for",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 4\n"
            "device_eval_batch_size: ${device_train_microbatch_size}\n",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 8\n"
            "device_eval_batch_size: ${device_train_microbatch_size}\n",
            "train", 8, {QStringLiteral("Line 3 (device_eval_batch_size)")});
        row("an alias",
            "variables: {m: &m 4}\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: *m\n",
            "variables: {m: &m 4}\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: 8\n", "train",
            8, {evalToo});
        row("as it is", "global_train_batch_size: 0x40\ndevice_train_microbatch_size: 0x8\n",
            "global_train_batch_size: 0x40\ndevice_train_microbatch_size: 0x8\n", "train", 8, {evalToo});
        row("evaluation", "global_train_batch_size: 64\ndevice_eval_batch_size: 4\n",
            "global_train_batch_size: 64\ndevice_eval_batch_size: 100\n", "eval", 100, {});
        row("evaluation, inserted", "global_train_batch_size: 64\ndevice_train_microbatch_size: 4\nseed: 1\n",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 4\ndevice_eval_batch_size: 8\nseed: "
            "1\n",
            "eval", 8, {});
        row("evaluation, inserted below the batch", "global_train_batch_size: 64\nseed: 1\n",
            "global_train_batch_size: 64\ndevice_eval_batch_size: 8\nseed: 1\n", "eval", 8, {});
        row("evaluation by an interpolation",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 4\n"
            "device_eval_batch_size: ${device_train_microbatch_size}\n",
            "global_train_batch_size: 64\ndevice_train_microbatch_size: 4\ndevice_eval_batch_size: 8\n",
            "eval", 8, {own});
    }
    void writes()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        QFETCH(QString, phase);
        QFETCH(qint64, size);
        QFETCH(QStringList, notes);
        const QByteArray rest = QByteArray::fromStdString(loaders);
        const auto written = [&](const QByteArray& text) {
            return recognise(text.toStdString())
                ->withMicroBatchSize(
                    {.phase = *model::phaseFromText(phase.toStdString()), .microBatchSize = size});
        };
        const SplicedText spliced = written(before + rest);
        QCOMPARE(QByteArray::fromStdString(spliced.text), after + rest);
        QCOMPARE(qsizetype(spliced.notes.size()), notes.size());
        for (qsizetype i = 0; i < notes.size(); ++i)
            QVERIFY2(QString::fromStdString(spliced.notes[std::size_t(i)]).contains(notes[i]),
                     spliced.notes[std::size_t(i)].c_str());

        const auto withCrlf = [](QByteArray text) { return text.replace("\n", "\r\n"); };
        QCOMPARE(QByteArray::fromStdString(written(withCrlf(before + rest)).text), withCrlf(after + rest));
        // The keys last in the file, without an end of the line.
        QCOMPARE(QByteArray::fromStdString(written(rest + before.chopped(1)).text), rest + after.chopped(1));
    }

    void writesBetweenBraces()
    {
        const SplicedText spliced =
            recognise("{\"global_train_batch_size\": 64, \"train_loader\": {}}")
                ->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 8});
        QCOMPARE(spliced.text, std::string("{\"global_train_batch_size\": 64, "
                                           "\"device_train_microbatch_size\": 8, \"train_loader\": {}}"));
    }

    void writesAnotherBatch()
    {
        const SplicedText spliced =
            recognise(withTop("global_train_batch_size: 64\ndevice_train_microbatch_size: auto\n"))
                ->withMicroBatchSize(
                    {.phase = model::Phase::Train, .microBatchSize = 24, .globalBatchSize = 72});
        QCOMPARE(spliced.text, withTop("global_train_batch_size: 72\ndevice_train_microbatch_size: 24\n"));
    }

    void refusesSizesThatCannotBe()
    {
        const auto format = recognise(withTop("global_train_batch_size: 64\n"));
        for (std::int64_t size : {0, 65}) {
            QVERIFY_THROWS_EXCEPTION(ConfigError, format->withMicroBatchSize({.phase = model::Phase::Train,
                                                                              .microBatchSize = size}));
        }
        QVERIFY_THROWS_EXCEPTION(
            ConfigError, format->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = 0}));
    }
};

BATCHPEAK_TEST(LlmFoundryWritingTest)
#include "tst_llm_foundry_writing.moc"
