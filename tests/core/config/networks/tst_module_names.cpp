// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/networks/module_names.h"
#include "config_test_data.h"
#include "known_networks.h"
#include "model/parameter_table.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QFile>

#include <set>
#include <sstream>
#include <string>

using namespace batchpeak;
using namespace batchpeak::config;
using test::row;
using test::rows;

namespace {

const QString listPath = QStringLiteral(BATCHPEAK_TEST_DATA "/module_names.txt");
constexpr const char* updating = "BATCHPEAK_UPDATE_CASES";

std::string wordOf(const NamedModule& module)
{
    switch (module.kind) {
    case ModuleKind::Linear:
        return module.projection ? std::string(toText(*module.projection)) : "linear";
    case ModuleKind::Conv1d:
        return std::string(toText(module.projection.value())) + " turned";
    case ModuleKind::Embedding:
        return "embedding";
    case ModuleKind::Normalization:
        return "normalization";
    case ModuleKind::Router:
        return "router";
    case ModuleKind::Experts:
        return "experts";
    case ModuleKind::Other:
        break;
    }
    return "other";
}

/// Returns a line for each module, and for each parameter that belongs to no module.
std::string listOf(const std::string& name, const std::vector<NamedModule>& modules)
{
    std::string text = "=== " + name + "\n";
    for (const NamedModule& module : modules) {
        const std::string from = module.firstLayer > 0 ? " from " + std::to_string(module.firstLayer) : "";
        text += module.name + (module.layers > 0 ? " x " + std::to_string(module.layers) : "") + from + ": " +
                wordOf(module) + ", " + module.parameter + "\n";
    }
    return text;
}

std::string allLists()
{
    std::string text;
    for (const auto& [name, spec] : namedNetworks())
        text += (text.empty() ? "" : "\n") + listOf(name, modulesOf(spec));
    return text + "\n" + listOf("mixtral of transformers 4", olderModulesOf(namedNetwork("mixtral")));
}

/// Returns the full names of our parameters.
std::set<std::string> ownNames(const model::ModelSpec& spec)
{
    std::set<std::string> names;
    for (const NamedParameter& parameter : parametersOf(modulesOf(spec), spec)) {
        for (std::int64_t layer = parameter.firstLayer; layer < std::max<std::int64_t>(1, parameter.layers);
             ++layer)
            names.insert(nameOfLayer(parameter.own, layer));
    }
    return names;
}

} // namespace

class ModuleNamesTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (!qEnvironmentVariableIsSet(updating))
            return;
        QFile file(listPath);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(allLists()));
    }

    /// tests/parity/networks takes the same names from transformers 5.
    void matchTheList()
    {
        std::istringstream expected(textOf(listPath));
        std::istringstream actual(allLists());
        std::string expectedLine;
        std::string actualLine;
        while (std::getline(actual, actualLine)) {
            std::getline(expected, expectedLine);
            QCOMPARE(actualLine, expectedLine);
        }
        QVERIFY(!std::getline(expected, expectedLine));
    }

    void coverEveryParameter_data()
    {
        const auto add = rows<std::string>();
        for (const auto& [name, spec] : namedNetworks())
            add(name, name);
    }

    void coverEveryParameter()
    {
        const model::ModelSpec spec = namedNetwork(row<std::string>());
        std::set<std::string> names = ownNames(spec);
        for (const model::Parameter& parameter : model::parameterTable(spec))
            QVERIFY2(names.erase(parameter.name) == 1, parameter.name.c_str());
        // An output that shares the matrix of the embedding is not in the table.
        names.erase("output.weight");
        QVERIFY2(names.empty(), names.empty() ? "" : names.begin()->c_str());
    }

    void joinProjectionsOfOneModule_data() { coverEveryParameter_data(); }

    /// Projections that one module computes are quantized together, with common scales.
    void joinProjectionsOfOneModule()
    {
        const model::ModelSpec spec = namedNetwork(row<std::string>());
        std::set<std::string> joined;
        for (const NamedModule& module : modulesOf(spec)) {
            if (module.projection == model::Projection::QueryKeyValue ||
                module.projection == model::Projection::GateUp)
                joined.insert(nameOfLayer(module.parameter, module.firstLayer) + ".weight");
        }
        for (const model::Parameter& parameter : model::parameterTable(spec)) {
            if (parameter.name.starts_with("layers.0."))
                QVERIFY2(parameter.isJoined == joined.contains(parameter.name), parameter.name.c_str());
        }
    }

    void knowEveryFamily()
    {
        std::set<std::string> known{"resnet", "torchscript", "transformers"};
        for (const auto& [name, spec] : namedNetworks())
            known.insert(spec.family);
        std::istringstream words(model::familyWords());
        std::string family;
        while (std::getline(words, family, ',')) {
            family.erase(0, family.find_first_not_of(' '));
            QVERIFY2(known.contains(family), family.c_str());
        }
        QVERIFY(modulesOf({.family = "resnet", .architecture = model::ResNetSpec()}).empty());
    }

    void useLlamasNamesForOtherDecoders()
    {
        model::ModelSpec spec = namedNetwork("llama");
        spec.family = "a new one";
        QCOMPARE(listOf("", modulesOf(spec)), listOf("", modulesOf(namedNetwork("llama"))));
        QVERIFY(!defaultTargets(spec));
    }
};

BATCHPEAK_TEST(ModuleNamesTest)
#include "tst_module_names.moc"
