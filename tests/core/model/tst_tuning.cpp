// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/tuning.h"

#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <limits>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(Tuning&)>;

class TuningTest : public QObject
{
    Q_OBJECT

private slots:
    void namesInvalidValues_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](Tuning&) {}, ""}},
             {"no adapters", {[](Tuning& t) { t = {.rank = 0}; }, ""}},
             {"no rank", {[](Tuning& t) { t.rank = 0; }, "rank of the adapters"}},
             {"no targets", {[](Tuning& t) { t.targets.clear(); }, "nothing to train"}},
             {"a layer below the first",
              {[](Tuning& t) {
                   t.targets[0].layers = {0, -1};
               },
               "below 0"}},
             {"as many as there may be", {[](Tuning& t) { t.targets.resize(1024); }, ""}},
             {"targets without end", {[](Tuning& t) { t.targets.resize(1025); }, "There are 1025 targets"}},
             {"no alpha",
              {[](Tuning& t) { t.alpha = std::numeric_limits<double>::infinity(); },
               "alpha of the adapters"}},
             {"all dropped", {[](Tuning& t) { t.dropout = 1.0; }, "dropout"}}});
    }
    void namesInvalidValues()
    {
        const auto& [change, named] = row<Change, std::string>();
        Tuning tuning{.adapter = AdapterKind::Lora, .targets = {{.projection = Projection::Query}}};
        change(tuning);
        const auto problem = problemWith(tuning);
        QCOMPARE(problem.has_value(), !named.empty());
        if (problem)
            QVERIFY2(problem->find(named) != std::string::npos, problem->c_str());
    }

    void findsLayersInNames()
    {
        QCOMPARE(layerOf("decoder.layers.12.attention.qkv.weight"), 12);
        QVERIFY(!layerOf("output.weight"));
        QVERIFY(!layerOf("layers.99999999999999999999.x"));
    }
};

BATCHPEAK_TEST(TuningTest)

#include "tst_tuning.moc"
