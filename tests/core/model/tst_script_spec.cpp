// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/parameter_table.h"
#include "support/test_main.h"

#include <QTest>

#include <functional>

using namespace batchpeak::model;

using Change = std::function<void(ScriptSpec&)>;

class ScriptSpecTest : public QObject
{
    Q_OBJECT

private slots:
    void namesWhatCannotBe_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const Change& change, const char* named) {
            QTest::newRow(name) << change << QString::fromLatin1(named);
        };
        row(
            "sound", [](ScriptSpec&) {}, "");
        row(
            "numbers alone", [](ScriptSpec& s) { s.inputs = {{.shape = {}}}; }, "");
        row(
            "no file", [](ScriptSpec& s) { s.file.clear(); }, "path of its file");
        row(
            "no inputs", [](ScriptSpec& s) { s.inputs.clear(); }, "inputs of the TorchScript module");
        row(
            "an empty dimension",
            [](ScriptSpec& s) {
                s.inputs[0].shape = {3, 0};
            },
            "dimension");
        row(
            "integers without bound", [](ScriptSpec& s) { s.inputs[0].type = ScriptInputType::Int64; },
            "upper_bound");
        row(
            "logits without classes", [](ScriptSpec& s) { s.output = ScriptOutput::Logits; }, "classes");
        row(
            "logits without targets",
            [](ScriptSpec& s) {
                s.output = ScriptOutput::Logits;
                s.classes = 10;
                s.targetsPerSample = 0;
            },
            "at least one target");
    }
    void namesWhatCannotBe()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        ScriptSpec spec{.file = "net.pt", .inputs = {{.shape = {3, 8, 8}}}};
        change(spec);
        const auto problem = problemWith(ModelSpec{.family = "torchscript", .architecture = spec});
        QCOMPARE(problem.has_value(), !named.isEmpty());
        if (problem)
            QVERIFY2(QString::fromStdString(*problem).contains(named), problem->c_str());
    }

    void wordsGoBothWays()
    {
        for (const ScriptInputType type : {ScriptInputType::Float32, ScriptInputType::Int64})
            QVERIFY(scriptInputTypeFromText(toText(type)) == type);
        for (const ScriptOutput output : {ScriptOutput::Loss, ScriptOutput::Logits})
            QVERIFY(scriptOutputFromText(toText(output)) == output);
        QVERIFY(!scriptInputTypeFromText("float64"));
    }

    void isCountedWhenLoaded()
    {
        QCOMPARE(parameterCount({.family = "torchscript", .architecture = ScriptSpec()}), 0);
    }
};

BATCHPEAK_TEST(ScriptSpecTest)
#include "tst_script_spec.moc"
