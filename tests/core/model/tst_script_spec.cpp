// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>
#include <string>

using namespace batchpeak::model;

using Change = std::function<void(ScriptSpec&)>;

class ScriptSpecTest : public QObject
{
    Q_OBJECT

private slots:
    void namesInvalidValues_data()
    {
        rows<Change, std::string>(
            {{"sound", {[](ScriptSpec&) {}, ""}},
             {"numbers alone", {[](ScriptSpec& s) { s.inputs = {{.shape = {}}}; }, ""}},
             {"no file", {[](ScriptSpec& s) { s.file.clear(); }, "path of its file"}},
             {"no inputs", {[](ScriptSpec& s) { s.inputs.clear(); }, "inputs of the TorchScript module"}},
             {"an empty dimension",
              {[](ScriptSpec& s) {
                   s.inputs[0].shape = {3, 0};
               },
               "dimension"}},
             {"integers without bound",
              {[](ScriptSpec& s) { s.inputs[0].type = ScriptInputType::Int64; }, "upper_bound"}},
             {"logits without classes", {[](ScriptSpec& s) { s.output = ScriptOutput::Logits; }, "classes"}},
             {"logits without targets",
              {[](ScriptSpec& s) {
                   s.output = ScriptOutput::Logits;
                   s.classes = 10;
                   s.targetsPerSample = 0;
               },
               "at least one target"}}});
    }
    void namesInvalidValues()
    {
        const auto& [change, named] = row<Change, std::string>();
        ScriptSpec spec{.file = "net.pt", .inputs = {{.shape = {3, 8, 8}}}};
        change(spec);
        const auto problem = problemWith(ModelSpec{.family = "torchscript", .architecture = spec});
        QCOMPARE(problem.has_value(), !named.empty());
        if (problem)
            QVERIFY2(problem->find(named) != std::string::npos, problem->c_str());
    }

    void parsesItsOwnWords()
    {
        for (const ScriptInputType type : {ScriptInputType::Float32, ScriptInputType::Int64})
            QVERIFY(fromText<ScriptInputType>(toText(type)) == type);
        for (const ScriptOutput output : {ScriptOutput::Loss, ScriptOutput::Logits})
            QVERIFY(fromText<ScriptOutput>(toText(output)) == output);
        QVERIFY(!fromText<ScriptInputType>("float64"));
    }

    void countsNothingBeforeLoading()
    {
        QCOMPARE(parameterCount({.family = "torchscript", .architecture = ScriptSpec()}), 0);
    }
};

BATCHPEAK_TEST(ScriptSpecTest)
#include "tst_script_spec.moc"
