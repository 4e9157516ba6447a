// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_test_data.h"
#include "support/test_main.h"

#include <QFileInfo>

#include <random>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString folder = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/other/megatron-lm/");

const std::string network = " --num-layers 2 --hidden-size 64 --num-attention-heads 4 --seq-length 32"
                            " --max-position-embeddings 64";

/// A script that runs on 2 data-parallel devices.
std::string launched(const std::string& arguments)
{
    return "#!/bin/bash\ntorchrun --nproc_per_node 2 pretrain_gpt.py" + network + " " + arguments + "\n";
}

ConfigContents contentsOf(const std::string& text)
{
    return recognise(text)->read();
}

bool isTaken(const std::string& text)
{
    try {
        return recognise(text)->name() == "Megatron-LM launch script";
    } catch (const ConfigError&) {
        return false;
    }
}

} // namespace

class MegatronFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void recognises_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isTaken");
        const auto row = [](const char* name, const std::string& text, bool isTaken) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << isTaken;
        };
        row("a script", launched("--micro-batch-size 4"), true);
        row("a script without the first line", "torchrun pretrain_gpt.py --global-batch-size 8\n", true);
        row("arguments alone", "--micro-batch-size 4\n--global-batch-size 8\n", true);
        row("one argument alone", "--micro-batch-size 4", true);
        row("a script that is YAML by chance", "#!/bin/bash\nrun --micro-batch-size 4 --x 'a: b'\n", true);
        row("another script", "#!/bin/bash\ntorchrun train.py --batch-size 4\n", false);
        row("a script without a value", "run --micro-batch-size --global-batch-size", false);
        row("axolotl's command", "axolotl train c.yml --micro-batch-size 4\n", false);
        row("axolotl's module", "python -m axolotl.cli.train c.yml --micro-batch-size 4\n", false);
        row("accumulation steps", "run --micro-batch-size 4 --gradient-accumulation-steps 2\n", false);
        row("axolotl's config", "base_model: a/b\nmicro_batch_size: 4\n", false);
        row("a list in YAML", "- --micro-batch-size\n- 4\n", false);
        row("JSON", R"({"train_micro_batch_size_per_gpu": 4, "note": "--micro-batch-size 4"})", false);
    }
    void recognises()
    {
        QFETCH(QByteArray, text);
        QTEST(isTaken(text.toStdString()), "isTaken");
    }

    void readsBatches_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<qint64>("devices");
        QTest::addColumn<bool>("knowsDevices");
        const auto row = [](const char* name, const std::string& text, qint64 size, qint64 batch,
                            qint64 devices, bool knowsDevices = true) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << size << batch << devices
                                << knowsDevices;
        };
        const std::string both = "--micro-batch-size 4 --global-batch-size 32";
        row("both", launched(both), 4, 32, 2);
        row("without a global batch", launched("--micro-batch-size 4"), 4, 8, 2);
        row("without a size", launched("--global-batch-size 32"), 0, 32, 2);
        row("with a size of the caller", launched("--micro-batch-size $1 --global-batch-size 32"), 0, 32, 2);
        row("nodes", "torchrun --nproc-per-node=8 --nnodes=2 pretrain_gpt.py " + both, 4, 32, 16);
        row("nodes of the caller", "torchrun --nproc-per-node=8 --nnodes=$N pretrain_gpt.py " + both, 4, 32,
            1, false);
        row("nodes by default", "N=${N:-2}\ntorchrun --nproc-per-node=8 --nnodes $N pretrain_gpt.py " + both,
            4, 32, 16);
        row("processes by the machine", "torchrun --nproc-per-node=gpu pretrain_gpt.py " + both, 4, 32, 1,
            false);
        row("WORLD_SIZE", "A=4\nB=2\nWORLD_SIZE=$(($A*$B))\nsrun python pretrain_gpt.py " + both, 4, 32, 8);
        row("no world", "srun python pretrain_gpt.py " + both, 4, 32, 1, false);
        row("arguments alone", both, 4, 32, 1, false);
        row("tensor parallel", "torchrun --nproc-per-node=8 x --tensor-model-parallel-size 2 " + both, 4, 32,
            4);
        row("all kinds of parallel",
            "torchrun --nproc-per-node=16 x --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 "
            "--context-parallel-size 2 " +
                both,
            4, 32, 2);
        row("too few devices", "torchrun --nproc-per-node=8 x --tensor-model-parallel-size 16 " + both, 4, 32,
            1, false);
        row("tensor parallel of the caller",
            "torchrun --nproc-per-node=8 x --tensor-model-parallel-size $T " + both, 4, 32, 1, false);
        row("a schedule", launched("--micro-batch-size 4 --step-batch-size-schedule '0:16 1B:64'"), 4, 64, 2);
        row("the last of two", launched(both + " --micro-batch-size 2"), 2, 32, 2);
    }
    void readsBatches()
    {
        QFETCH(QByteArray, text);
        const BatchPlan plan = *contentsOf(text.toStdString()).train;
        QTEST(qint64{plan.presentSize.value_or(0)}, "size");
        QTEST(qint64{plan.globalBatchSize}, "batch");
        QTEST(qint64{plan.devices}, "devices");
        QTEST(plan.knowsDevices, "knowsDevices");
        QCOMPARE(plan.setting, Setting(Explore{}));
        QCOMPARE(plan.microBatchKey, std::string("--micro-batch-size"));
        QCOMPARE(plan.globalBatchKey, std::string("--global-batch-size"));
    }

    void readsEvaluation_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("batch");
        QTest::newRow("that of training") << QByteArray() << qint64{4} << qint64{32};
        QTest::newRow("its own size") << QByteArray("--eval-micro-batch-size 8") << qint64{8} << qint64{32};
        QTest::newRow("its own batch")
            << QByteArray("--eval-global-batch-size 16") << qint64{4} << qint64{16};
        QTest::newRow("its own") << QByteArray("--eval-micro-batch-size 8 --eval-global-batch-size 16")
                                 << qint64{8} << qint64{16};
    }
    void readsEvaluation()
    {
        QFETCH(QByteArray, arguments);
        const ConfigContents contents =
            contentsOf(launched("--micro-batch-size 4 --global-batch-size 32 " + arguments.toStdString()));
        QTEST(qint64{contents.eval->presentSize.value_or(0)}, "size");
        QTEST(qint64{contents.eval->globalBatchSize}, "batch");
    }

    void readsTheRun()
    {
        const ConfigContents usual = contentsOf(launched("--micro-batch-size 4"));
        QCOMPARE(usual.formatName, std::string("Megatron-LM launch script"));
        QCOMPARE(usual.precision, model::Precision::Fp32);
        QCOMPARE(usual.optimizer, model::Optimizer::AdamW);
        QCOMPARE(usual.step.maxGradientNorm, 1.0);
        QVERIFY(!usual.step.activationCheckpointing);
        QCOMPARE(usual.sequenceLength, 32);
        QVERIFY2(usual.warnings.empty(), qPrintable(warningsOf(usual)));
        const ConfigContents other = contentsOf(
            launched("--micro-batch-size 4 --bf16 --grad-reduce-in-bf16 --optimizer sgd --clip-grad 0 "
                     "--recompute-granularity full --recompute-method uniform"));
        QCOMPARE(other.precision, model::Precision::PureBf16);
        QCOMPARE(other.optimizer, model::Optimizer::Sgd);
        QCOMPARE(other.step.maxGradientNorm, 0.0);
        QVERIFY(other.step.activationCheckpointing);
        QVERIFY2(other.warnings.empty(), qPrintable(warningsOf(other)));
    }

    void warns_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* arguments, const char* named) {
            QTest::newRow(arguments) << QByteArray(arguments) << QString::fromLatin1(named);
        };
        row("--global-batch-size 8", "--micro-batch-size is not there");
        row("--micro-batch-size 3 --global-batch-size 8", "no multiple of micro-batches of 3 on 2");
        row("--micro-batch-size 4 --rampup-batch-size 8 8 100", "--rampup-batch-size");
        row("--micro-batch-size 4 --step-batch-size-schedule 0:8", "its end");
        row("--micro-batch-size 4 --global-batch-size 8 --step-batch-size-schedule 0:8", "refuses");
        row("--micro-batch-size 4 --decrease-batch-size-if-needed", "less samples");
        row("--micro-batch-size 4 --fp16", "float16");
        row("--micro-batch-size 4 --bf16", "gradients in fp32");
        row("--micro-batch-size 4 --fp8-format hybrid", "FP8");
        row("--micro-batch-size 4 --optimizer muon", "muon");
        row("--micro-batch-size 4 --recompute-activations", "--recompute-activations selective");
        row("--micro-batch-size 4 --recompute-granularity full --recompute-method block", "some layers");
        row("--micro-batch-size 4 --use-distributed-optimizer", "optimizer's state");
        row("--micro-batch-size 4 --use-torch-fsdp2", "FSDP");
        row("--micro-batch-size 4 --optimizer-cpu-offload", "host");
        row("--micro-batch-size 4 --tokenizer-type TikTokenizer", "TikTokenizer");
    }
    void warns()
    {
        QFETCH(QByteArray, arguments);
        QFETCH(QString, named);
        const ConfigContents contents = contentsOf(launched(arguments.toStdString()));
        QCOMPARE(contents.warnings.size(), std::size_t{1});
        QVERIFY2(warningsOf(contents).contains(named), qPrintable(warningsOf(contents)));
        QVERIFY(contents.warnings.front().position.line == 2);
    }

    void namesOtherNetworks_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<bool>("isElsewhere");
        const auto row = [](const char* name, const std::string& text, const char* named, bool isElsewhere) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named)
                                << isElsewhere;
        };
        row("arguments of a batch alone", "--micro-batch-size 4", "--num-layers", true);
        row("layers of the caller", "run pretrain_gpt.py --num-layers $L --micro-batch-size 4", "$L", true);
        row("another program", "python pretrain_t5.py --micro-batch-size 4" + network, "pretrain_t5.py",
            true);
        row("a program in a variable", "P=\"/a/pretrain_vlm.py\"\npython $P --micro-batch-size 4" + network,
            "pretrain_vlm.py", true);
        row("tensor parallel", launched("--micro-batch-size 4 --tensor-model-parallel-size 2"), "2 * 1 * 1",
            false);
        row("expert parallel", launched("--micro-batch-size 4 --expert-model-parallel-size 2"),
            "experts over 2", false);
        row("latent attention", launched("--micro-batch-size 4 --multi-latent-attention"),
            "--multi-latent-attention", false);
    }
    void namesOtherNetworks()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ConfigContents contents = contentsOf(text.toStdString());
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QTEST(unsupported->isElsewhere, "isElsewhere");
        QVERIFY(contents.train);
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        const auto row = [](const char* name, const std::string& text, const char* named, int line,
                            int column) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QString::fromLatin1(named) << line
                                << column;
        };
        row("a batch of the caller", "run \\\n  --global-batch-size $1", "is $1, of which", 2, 23);
        row("no number of samples", "run --micro-batch-size 0", "1 to 2147483648", 1, 24);
        row("no number at all", "run --micro-batch-size four", "Neither", 1, 24);
        row("a network that cannot be", launched("--micro-batch-size 4 --num-attention-heads 5"),
            "not a multiple", 2, 74);
        row("no layers", "run --micro-batch-size 4 --hidden-size 64 --num-attention-heads 4",
            "--num-layers is missing", 1, 1);
        row("no number of layers", "run --micro-batch-size 4 --num-layers two", "whole number", 1, 39);
        row("more tokens than positions", launched("--micro-batch-size 4 --seq-length 65"), "64 positions", 2,
            180);
        row("a negative norm", launched("--micro-batch-size 4 --clip-grad -1"), "at least 0", 2, 179);
    }
    void namesWhatIsWrong()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const ReadingError error = errorOfReading(text.toStdString());
        QVERIFY2(error.sentence.contains(named), qPrintable(error.sentence));
        QTEST(error.position.line, "line");
        QTEST(error.position.column, "column");
    }

    void takesDamagedScripts()
    {
        const std::string whole =
            "A=${A:-2}\nB=$((A*4))\nX=(--bf16 # half\n --micro-batch-size $A\n)\n" +
            launched("${X[@]} --global-batch-size=\"$B\" --rampup-batch-size 8 8 1 "
                     "--step-batch-size-schedule '0:4 1B:8' --eval-micro-batch-size ${C:-1}");
        constexpr std::string_view signs = "$(){}\"'`\\#=-; \n49A_*/&<|";
        std::mt19937 random(20260822);
        for (int i = 0; i < 5000; ++i) {
            std::string text = whole;
            for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
                text.replace(random() % text.size(), random() % 3, 1, signs[random() % signs.size()]);
            try {
                const auto format = recognise(text);
                const std::int64_t size = format->read().train->globalBatchSize;
                format->withMicroBatchSize({.microBatchSize = size});
                format->withMicroBatchSize({.phase = model::Phase::Eval, .microBatchSize = size});
            } catch (const ConfigError& error) {
                QVERIFY(std::string_view(error.what()).ends_with('.'));
            }
        }
    }

    void readsAndWritesRealScripts_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("batch");
        QTest::newRow("BERT") << QStringLiteral("train_bert_340m_distributed.sh") << qint64{4} << qint64{32};
        QTest::newRow("GPT-3") << QStringLiteral("train_gpt3_175b_distributed.sh") << qint64{1}
                               << qint64{1536};
    }
    void readsAndWritesRealScripts()
    {
        QFETCH(QString, file);
        if (!QFileInfo::exists(folder))
            QSKIP("The shared configs are not on this computer.");
        const std::string text = textOf(folder + file);
        const auto format = recognise(text);
        const ConfigContents contents = format->read();
        QTEST(qint64{contents.train->presentSize.value_or(0)}, "size");
        QTEST(qint64{contents.train->globalBatchSize}, "batch");
        QVERIFY(!contents.train->knowsDevices);
        QVERIFY2(warningsOf(contents).contains(QStringLiteral("world of 8")),
                 qPrintable(warningsOf(contents)));
        QVERIFY2(warningsOf(contents).contains(QStringLiteral("8 * 16 * 1 = 128 devices")),
                 qPrintable(warningsOf(contents)));
        QVERIFY(!std::get<UnsupportedModel>(contents.model).isElsewhere);
        QCOMPARE(contents.precision, model::Precision::PureBf16);

        const Difference difference =
            differenceOf(text, format->withMicroBatchSize({.microBatchSize = 8}).text);
        QCOMPARE(QByteArray::fromStdString(difference.removed),
                 QByteArray::number(contents.train->presentSize.value_or(0)));
        QCOMPARE(difference.added, std::string("8"));
    }
};

BATCHPEAK_TEST(MegatronFormatTest)
#include "tst_megatron_format.moc"
