// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "large_texts.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

/// Returns the error message for a text; empty if the text can be read.
std::string errorMessageOf(const std::string& text)
{
    try {
        recognize(text)->read();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

} // namespace

/// Tests texts of a size or shape that no person writes: they are read if they are configs, and refused if
/// not. The bench measures their cost (make bench-config).
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
            recognize(text)->withMicroBatchSize({.phase = model::Phase::Train, .microBatchSize = 66}).text;
        const auto differing = std::ranges::mismatch(text, after).in1;
        const auto first = std::size_t(differing - text.begin());
        QCOMPARE(text.substr(first, 2), std::string("88"));
        QVERIFY(after == std::string(text).replace(first, 2, "66"));
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
        const std::string sentence = errorMessageOf(text);
        QVERIFY2(sentence.ends_with('.'), sentence.c_str());
        QVERIFY2(sentence.size() < 1000, sentence.c_str());
    }

    void survivesDamagedScripts()
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
                const auto format = recognize(text);
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
        const SplicedText spliced = recognize(text)->withMicroBatchSize({.microBatchSize = 8});
        QVERIFY(std::ranges::any_of(spliced.notes, [](const std::string& note) {
            return note.find("99992 more uses of M") != std::string::npos;
        }));
    }
};

BATCHPEAK_TEST(ConfigLimitsTest)
#include "tst_config_limits.moc"
