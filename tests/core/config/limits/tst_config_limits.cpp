// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config_test_data.h"
#include "large_texts.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <random>

using namespace batchpeak;
using namespace batchpeak::config;

/// Texts of a size or shape that no person writes: read where they are configs, refused where not. Of what it
/// costs the bench tells (make bench-config).
class ConfigLimitsTest : public QObject
{
    Q_OBJECT

private slots:
    void readsAndWritesMegabytes_data()
    {
        const auto add = rows<std::string>();
        for (const MadeText& made : largeConfigs(1'000'000))
            add(made.name, made.text);
    }
    void readsAndWritesMegabytes()
    {
        const auto& text = row<std::string>();
        const std::string after =
            recognise(text)->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 66}).text;
        const auto [removed, added] = differenceOf(text, after);
        QCOMPARE(removed, std::string("88"));
        QCOMPARE(added, std::string("66"));
    }

    void refusesHostileTexts_data()
    {
        const auto add = rows<std::string>();
        for (const MadeText& made : hostileTexts())
            add(made.name, made.text);
    }
    void refusesHostileTexts()
    {
        const auto& text = row<std::string>();
        const ReadingError error = errorOfReading(text);
        QVERIFY2(error.sentence.endsWith(QLatin1Char('.')), qPrintable(error.sentence));
        QVERIFY2(error.sentence.size() < 1000, qPrintable(error.sentence));
    }

    void takesDamagedScripts()
    {
        const std::string whole =
            "A=${A:-2}\nB=$((A*4))\nX=(--bf16 # half\n --micro-batch-size $A\n)\n#!/bin/bash\n"
            "torchrun --nproc_per_node 2 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
            "--num-attention-heads 4 --seq-length 32 --max-position-embeddings 64 "
            "${X[@]} --global-batch-size=\"$B\" --rampup-batch-size 8 8 1 "
            "--step-batch-size-schedule '0:4 1B:8' --eval-micro-batch-size ${C:-1}\n";
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

    void countsUsesOfAVariableBeyondTheFirst()
    {
        std::string text = "M=4\nrun --global-batch-size 16 --micro-batch-size $M";
        for (int i = 0; i < 100000; ++i)
            text += " $M";
        const SplicedText spliced = recognise(text)->withMicroBatchSize({.microBatchSize = 8});
        QVERIFY2(joined(spliced.notes).contains(QStringLiteral("99992 more uses of M")),
                 qPrintable(joined(spliced.notes)));
    }
};

BATCHPEAK_TEST(ConfigLimitsTest)
#include "tst_config_limits.moc"
