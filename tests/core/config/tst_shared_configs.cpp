// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config_document.h"
#include "config_test_data.h"
#include "parameter_table.h"

#include <QDirIterator>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

const QString folder = QStringLiteral(BATCHPEAK_SHARED_CONFIGS "/cerebras-modelzoo");

} // namespace

/// Real configs, as Cerebras shipped them, where they are at hand. The project's own small configs cover
/// the same ground in the other tests.
class SharedConfigsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!QFileInfo::exists(folder))
            QSKIP("The shared configs are not on this computer.");
    }

    void countsParameters_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("family");
        QTest::addColumn<qint64>("parameters");
        const auto row = [](const char* file, const char* family, qint64 parameters) {
            QTest::newRow(file) << QString::fromLatin1(file) << QString::fromLatin1(family) << parameters;
        };
        row("R_1.7.1/params_gpt2_small.yaml", "gpt2", 124439808);
        // 2048 positions in place of 1024.
        row("Release_2.3.1/params_gpt2_small.yaml", "gpt2", 125226240);
        row("Release_2.3.1/params_gpt3_125m_rigl75.yaml", "gpt2", 125226240);
        row("Release_2.1.1/params_gpt3_xl.yaml", "gpt2", 1315723264);
        row("Release_2.3.1/params_gpt3_xl.yaml", "gpt2", 1315723264);
        row("Release_2.3.1/params_gpt3_13b.yaml", "gpt2", 12853386240);
        row("Release_2.3.1/params_llama3_8b.yaml", "llama", 8030261248);
        row("Release_2.3.1/params_llama3p1_8b_msl_8k.yaml", "llama", 8030261248);
        row("Release_2.10.0/params_gpt3_xl.yaml", "gpt3", 1315723264);
        row("Release_2.10.0/params_llama3p1_8b_msl_8k.yaml", "llama", 8030261248);
        row("Release_2.10.0/model_config.yaml", "llama", 8030261248);
        row("Release_2.3.1/params_mixtral_8x7b.yaml", "mixtral", 46702792704);
        row("Release_2.3.1/params_bloom_7b.yaml", "bloom", 7069016064);
        row("Release_2.10.0/params_bloom_7b.yaml", "bloom", 7069016064);
        // V D + L (4 (D^2 + D) + 2 (D F + F) + D F + D + 4 D) + 2 D
        row("Release_2.3.1/params_jais_13b.yaml", "jais", 13020811920);
        row("Release_2.10.0/params_jais_13b.yaml", "jais", 13020811920);
        row("Release_2.3.1/params_vit_base_patch_16_imagenet_1k.yaml", "vit", 86567656);
        row("Release_2.10.0/params_vit_base_patch_16_imagenet_1k.yaml", "vit", 86567656);
        // With pooler, next-sentence head and masked-language head.
        row("Release_2.3.1/bert_base_MSL128.yaml", "bert", 110106428);
        row("Release_2.10.0/bert_base_MSL128.yaml", "bert", 110106428);
        // Hugging Face's 651043254 without the 661 of its head for contacts.
        row("Release_2.3.1/params_esm2_t33_650M_UR50D.yaml", "esm2", 651042593);
        // T5's with 32101 tokens in place of 32128, and biases in its normalisations.
        row("Release_2.3.1/t5_base.yaml", "t5", 222903552 - 27 * 768 + (12 * 2 + 12 * 3 + 2) * 768);
        row("Release_2.4.3/t5_base.yaml", "t5", 222903552 - 27 * 768 + (12 * 2 + 12 * 3 + 2) * 768);
        row("Release_2.10.0/t5_3B.yaml", "t5", 2851598336 - 27 * 1024 + (24 * 2 + 24 * 3 + 2) * 1024);
        // Not the published size: 8 layers, and half the feed-forward size.
        row("Release_2.4.3/t5_small.yaml", "t5", 58422272);
    }
    void countsParameters()
    {
        QFETCH(QString, file);
        const ConfigContents contents = recognise(textOf(folder + QLatin1Char('/') + file))->read();
        const auto* spec = std::get_if<model::ModelSpec>(&contents.model);
        QVERIFY2(spec, spec ? "" : std::get<UnsupportedModel>(contents.model).sentence.c_str());
        QTEST(QString::fromStdString(spec->family), "family");
        QTEST(qint64{model::parameterCount(*spec)}, "parameters");
        QCOMPARE(contents.sequenceLength,
                 file.contains(QLatin1String("MSL128")) ? 128 : model::usualSequenceLength(*spec));
        QCOMPARE(contents.precision, model::Precision::Bf16);
    }

    void namesOtherNetworks_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* file, const char* named) {
            QTest::newRow(file) << QString::fromLatin1(file) << QString::fromLatin1(named);
        };
        row("Release_2.10.0/params_dinov2_large_patch14_img224.yaml", "\"dino\"");
        row("Release_2.10.0/params_dit_2B_patchsize_2x2.yaml", "\"dit\"");
    }
    void namesOtherNetworks()
    {
        QFETCH(QString, file);
        QFETCH(QString, named);
        const ConfigContents contents = recognise(textOf(folder + QLatin1Char('/') + file))->read();
        const auto* unsupported = std::get_if<UnsupportedModel>(&contents.model);
        QVERIFY(unsupported);
        QVERIFY2(QString::fromStdString(unsupported->sentence).contains(named),
                 unsupported->sentence.c_str());
        QVERIFY(unsupported->position.line > 0);
        QVERIFY(contents.train);
    }

    void changesOneValueAlone_data()
    {
        QTest::addColumn<QString>("file");
        QDirIterator files(folder, {QStringLiteral("*.yaml")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString file = files.next();
            QTest::newRow(qPrintable(file.mid(folder.size() + 1))) << file;
        }
    }
    void changesOneValueAlone()
    {
        QFETCH(QString, file);
        checkChangesOneValueAlone(textOf(file));
    }
};

QTEST_APPLESS_MAIN(SharedConfigsTest)
#include "tst_shared_configs.moc"
