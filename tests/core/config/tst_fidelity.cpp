// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_document.h"
#include "config/fidelity.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

using namespace batchpeak;
using namespace batchpeak::config;

namespace {

struct Label
{
    std::vector<Warning> warnings;
    std::vector<std::string> replaced;
    Fidelity::Kind kind = Fidelity::Kind::AsConfigured;
    const char* text = "";
    const char* word = "";
    bool isMemoryAsConfigured = true;
};

Warning warning(std::string approximation)
{
    return {.sentence = "Something is so.", .position = {}, .approximation = std::move(approximation)};
}

} // namespace

class FidelityTest : public QObject
{
    Q_OBJECT

private slots:
    void labelsConfigs_data()
    {
        using Kind = Fidelity::Kind;
        rows<Label>(
            {{"nothing said", {{}, {}, Kind::AsConfigured, "measured as configured", "as_configured"}},
             {"a warning that changes no speed",
              {{warning("")}, {}, Kind::AsConfigured, "measured as configured", "as_configured"}},
             {"one reason",
              {{warning("packed samples")},
               {},
               Kind::Approximate,
               "approximate because of packed samples",
               "approximate",
               false}},
             {"a reason that changes no memory",
              {{warning("the step of an 8-bit optimizer"), warning("another kernel for 4-bit weights")},
               {},
               Kind::Approximate,
               "memory as configured, speed approximate because of the step of an 8-bit optimizer and "
               "another kernel for 4-bit weights",
               "approximate"}},
             {"a reason beside one that changes no memory",
              {{warning("another kernel for 4-bit weights"), warning("sparse weights")},
               {},
               Kind::Approximate,
               "approximate because of another kernel for 4-bit weights and sparse weights",
               "approximate",
               false}},
             {"several reasons, each once",
              {{warning("a"), warning("b"), warning("a"), warning(""), warning("c")},
               {},
               Kind::Approximate,
               "approximate because of a, b and c",
               "approximate",
               false}},
             {"another network",
              {{},
               {"another network"},
               Kind::AnotherRun,
               "another run, with another network",
               "another_run",
               false}},
             {"another run that is approximate too",
              {{warning("a")},
               {"another network", "another precision"},
               Kind::AnotherRun,
               "another run, with another network and another precision; approximate because of a",
               "another_run",
               false}}});
    }
    void labelsConfigs()
    {
        const auto& [warnings, replaced, kind, text, word, isMemoryAsConfigured] = row<Label>();
        ConfigContents contents;
        contents.warnings = warnings;
        contents.replaced = replaced;
        const Fidelity fidelity = fidelityOf(contents);
        QVERIFY(fidelity.kind == kind);
        QCOMPARE(toText(fidelity), std::string(text));
        QCOMPARE(std::string(wordOf(fidelity.kind)), std::string(word));
        QCOMPARE(fidelity.memoryKind() == Fidelity::Kind::AsConfigured, isMemoryAsConfigured);
        QCOMPARE(nameOf(fidelity).starts_with("speed "),
                 isMemoryAsConfigured && kind == Fidelity::Kind::Approximate);
    }

    void staysAnotherRunWithFurtherReasons()
    {
        Fidelity fidelity;
        fidelity.addReplaced("another optimizer");
        fidelity.addReason("a");
        QVERIFY(fidelity.kind == Fidelity::Kind::AnotherRun);
        QCOMPARE(fidelity.reasons, std::vector<std::string>{"a"});
        QCOMPARE(nameOf(fidelity), std::string("another run"));
    }

    void reportsAssumedData_data()
    {
        rows<std::vector<std::string>, std::string, std::string>(
            {{"nothing", {{}, "measured as configured", "as configured"}},
             {"of samples",
              {{"samples of 8 tokens", "samples of 8 tokens"},
               "measured as configured, for samples of 8 tokens",
               "as configured, assumed data"}},
             {"of samples and of what they hold",
              {{"samples of 8 tokens", "packed texts of 4 tokens"},
               "measured as configured, for samples of 8 tokens and packed texts of 4 tokens",
               "as configured, assumed data"}}});
    }
    void reportsAssumedData()
    {
        const auto& [assumed, text, name] = row<std::vector<std::string>, std::string, std::string>();
        Fidelity fidelity;
        for (const std::string& data : assumed)
            fidelity.addAssumed(data);
        QVERIFY(fidelity.kind == Fidelity::Kind::AsConfigured);
        QCOMPARE(toText(fidelity), text);
        QCOMPARE(nameOf(fidelity), name);
        if (assumed.empty())
            return;
        fidelity.addReason("a");
        QCOMPARE(nameOf(fidelity), std::string("approximate"));
        QVERIFY(toText(fidelity).starts_with("approximate because of a, for samples of 8 tokens"));
        fidelity.addReplaced("b");
        QVERIFY(toText(fidelity).starts_with("another run, with b; approximate because of a, for samples"));
    }

    // If the config only refers to its network elsewhere, supplying the network replaces nothing.
    void reportsAReplacedNetwork_data()
    {
        const UnsupportedModel elsewhere{.sentence = "It is elsewhere.", .position = {}, .isElsewhere = true};
        const UnsupportedModel unknown{.sentence = "It is unknown.", .position = {}};
        const model::ModelSpec same{.family = "llama", .architecture = model::ResNetSpec{}};
        rows<Network, bool>({{"its own", {model::ModelSpec{.family = "gpt2"}, true}},
                             {"by itself", {same, false}},
                             {"one that is not run", {unknown, true}},
                             {"one that is elsewhere", {elsewhere, false}}});
    }
    void reportsAReplacedNetwork()
    {
        const auto& [own, isReplaced] = row<Network, bool>();
        ConfigContents contents;
        contents.model = own;
        ConfigContents source;
        source.model = model::ModelSpec{.family = "llama", .architecture = model::ResNetSpec{}};
        const auto kind = fidelityOf(withModelOf(contents, source)).kind;
        QCOMPARE(kind == Fidelity::Kind::AnotherRun, isReplaced);
        QCOMPARE(kind == Fidelity::Kind::AsConfigured, !isReplaced);
    }
};

BATCHPEAK_TEST(FidelityTest)
#include "tst_fidelity.moc"
