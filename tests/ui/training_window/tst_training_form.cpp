// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_table.h"
#include "plan_page/option_form.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "training/training_option_table.h"
#include "training_window/training_form.h"
#include "widgets/form_fields.h"
#include "widgets/option_field.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include <functional>
#include <map>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::row;
using test::rows;
using test::Text;
using training::MaximumWay;
using training::TrainingOptions;

/// Tests the choices in the form, and their effects.
class TrainingFormTest : public test::WindowFixture
{
    Q_OBJECT

    std::unique_ptr<TrainingForm> m_form;

    OptionField& field(const char* option) { return *m_form->field(option); }
    void type(const char* option, const char* text) { field(option).type(QString::fromUtf8(text)); }
    QString originOf(const char* option) { return field(option).originText(); }

    /// Types a list of options and texts, such as "--steps,500,--exact,on".
    void typeAll(const Text& words)
    {
        const QStringList parts = words.isEmpty() ? QStringList() : words.split(QLatin1Char(','));
        for (qsizetype place = 0; place < parts.size(); place += 2)
            m_form->field(parts.at(place).toStdString())->type(parts.at(place + 1));
    }

    void setConfig(const QByteArray& microBatchSize)
    {
        m_form->setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("48", microBatchSize))));
    }

private slots:
    void init()
    {
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        m_form = std::make_unique<TrainingForm>();
        setConfig("explore");
    }

    void turnsTextsIntoOptions_data()
    {
        using Check = std::function<bool(const TrainingOptions&)>;
        using Options = const TrainingOptions&;
        const auto add = rows<Text, Check>();
        add("as it opens", {"", [](Options o) {
                                return !o.run.setting && !o.maximum && !o.steps && !o.epochs &&
                                       !o.learningRate && o.growth.isEmpty() && !o.run.precision &&
                                       o.data == trial::DataChoice{.samples = 0} && o.evaluateEvery == 0;
                            }});
        add("halving", {"--setting,auto-halving", [](Options o) { return o.halvesAutomatically; }});
        add("the whole batch", {"--setting,null", [](Options o) {
                                    return o.run.setting == config::Setting(config::Whole{}) &&
                                           !o.halvesAutomatically;
                                }});
        add("a size",
            {"--setting,24", [](Options o) { return o.run.setting == config::Setting(config::Fixed{24}); }});
        add("the maximum", {"--maximum,binary", [](Options o) {
                                return o.maximum == MaximumWay::Binary && !o.exact && !o.run.setting;
                            }});
        add("the exact maximum", {"--maximum,halving,--exact,on",
                                  [](Options o) { return o.maximum == MaximumWay::Halving && o.exact; }});
        add("growth up to a maximum",
            {"--maximum,binary,--grow, epoch < 3 ? 4 : 0 ,--setting,8", [](Options o) {
                 return o.growth == QLatin1String("epoch < 3 ? 4 : 0") && o.maximum == MaximumWay::Binary &&
                        o.run.setting == config::Setting(config::Fixed{8});
             }});
        add("epochs", {"--epochs,3", [](Options o) { return o.epochs == 3 && !o.steps; }});
        add("steps", {"--steps,500", [](Options o) { return o.steps == 500 && !o.epochs; }});
        add("a text", {"--data,/proc/self/maps", [](Options o) {
                           return o.data.kind == trial::DataKind::Text && o.data.path == "/proc/self/maps";
                       }});
        add("arrays",
            {"--data,/proc/self", [](Options o) { return o.data.kind == trial::DataKind::Arrays; }});
        add("samples", {"--samples,2048", [](Options o) { return o.data.samples == 2048; }});
        add("a share held out",
            {"--eval-split,0.05", [](Options o) { return o.data.heldOut.share == 0.05; }});
        add("a share in percent",
            {"--eval-split,5%", [](Options o) { return o.data.heldOut.share == 0.05; }});
        add("samples held out",
            {"--eval-split,100", [](Options o) { return o.data.heldOut.samples == 100; }});
        add("few batches of evaluation",
            {"--eval-split,5%,--evaluation-batches,2", [](Options o) { return o.evaluationBatches == 2; }});
        add("a device",
            {"--device,cpu", [](Options o) { return o.run.devices == QStringList{QStringLiteral("cpu")}; }});
        add("a memory limit",
            {"--memory-limit,2GiB", [](Options o) { return o.run.memoryLimitBytes == 1LL << 31; }});
        add("headroom", {"--headroom,8", [](Options o) { return o.run.headroom == 0.08; }});
        add("a precision",
            {"--precision,bf16", [](Options o) { return o.run.precision == model::Precision::Bf16; }});
        add("a switch", {"--strict,on", [](Options o) { return o.strict; }});
        add("a large seed",
            {"--seed,18446744073709551615", [](Options o) { return o.run.seed == 18446744073709551615U; }});
        add("a place", {"--on,ssh host",
                        [](Options o) { return o.run.places == QStringList{QStringLiteral("ssh host")}; }});
        add("a learning rate", {"--learning-rate,2e-5", [](Options o) { return o.learningRate == 2e-5; }});
        add("evaluation", {"--evaluate-every,50", [](Options o) { return o.evaluateEvery == 50; }});
        add("checkpoints", {"--checkpoint,/run,--checkpoint-every,100", [](Options o) {
                                return o.checkpointFolder == QLatin1String("/run") &&
                                       o.checkpointEvery == 100;
                            }});
        add("going on", {"--resume,/run", [](Options o) { return o.resumeFolder == QLatin1String("/run"); }});
    }
    void turnsTextsIntoOptions()
    {
        const auto& [words, check] = row<Text, std::function<bool(const TrainingOptions&)>>();
        typeAll(words);
        QVERIFY2(m_form->problem().isEmpty(), qPrintable(m_form->problem()));
        QVERIFY(check(m_form->options()));
    }

    void hasAFieldForEachOptionOfTheTerminal()
    {
        const std::map<QString, const char*> elsewhere{
            {QStringLiteral("--help"), "the window has tool tips"},
            {QStringLiteral("--model"), "the network is chosen in the main window, for both"},
            {QStringLiteral("--download"), "the main window asks when a network is missing"},
            {QStringLiteral("--confirm"), "an action of the main window"},
            {QStringLiteral("--confirm-steps"), "of that action"},
            {QStringLiteral("--events"), "what a window shows needs no file"},
            {QStringLiteral("--force"), "of --events"},
            {QStringLiteral("--trust"), "the window asks when code is to run"},
            {QStringLiteral("--quiet"), "of the terminal's lines"},
            {QStringLiteral("--color"), "of the terminal's lines"}};
        QProcess program;
        program.start(QStringLiteral(BATCHPEAK_PROGRAM), {QStringLiteral("train"), QStringLiteral("--help")});
        QVERIFY(program.waitForFinished());
        static const QRegularExpression option(QStringLiteral("^ +(?:-\\w,)? *(--[a-z-]+)"),
                                               QRegularExpression::MultilineOption);
        QStringList asked;
        auto found = option.globalMatch(QString::fromUtf8(program.readAllStandardOutput()));
        while (found.hasNext())
            asked << found.next().captured(1);
        QVERIFY2(asked.size() > 25, qPrintable(asked.join(QLatin1Char(' '))));
        QStringList fields;
        for (const OptionField* each : m_form->fields())
            fields << QString::fromStdString(each->name());
        for (const QString& name : asked)
            QVERIFY2(fields.contains(name) != elsewhere.contains(name), qPrintable(name));
        for (const QString& name : fields)
            QVERIFY2(asked.contains(name), qPrintable(name));
        QCOMPARE(fields.removeDuplicates(), 0);
    }

    void adoptsOptionsOfTheExploration()
    {
        m_form->setExploration({.devices = {QStringLiteral("cuda:1"), QStringLiteral("cuda:0")},
                                .headroom = 0.08,
                                .setting = config::Explore{},
                                .seed = 7});
        QCOMPARE(m_form->options().run.seed, 7U);
        QCOMPARE(originOf("--seed"), QStringLiteral("explored"));
        // Training uses the first of several devices.
        QCOMPARE(m_form->options().run.devices, QStringList{QStringLiteral("cuda:1")});
        QCOMPARE(field("--device").text(), QStringLiteral("cuda:1"));
        // A setting to explore is no size to train at, and training by default leaves no headroom.
        QVERIFY(!m_form->options().run.setting);
        QCOMPARE(m_form->options().run.headroom, 0.0);
        QCOMPARE(originOf("--headroom"), QStringLiteral("default"));
        // A default can also be set explicitly.
        type("--seed", "0");
        QCOMPARE(m_form->options().run.seed, 0U);
        QCOMPARE(originOf("--seed"), QStringLiteral("set by you"));
    }

    void trainsAtTheRecommendedSize()
    {
        QCOMPARE(field("--setting").text(), QStringLiteral("auto-halving"));
        m_form->setRecommended(12);
        QCOMPARE(m_form->options().run.setting, config::Setting(config::Fixed{12}));
        QCOMPARE(originOf("--setting"), QStringLiteral("explored"));
        QCOMPARE(field("--setting").text(), QStringLiteral("12"));
        type("--setting", "6");
        m_form->setRecommended(16);
        QCOMPARE(m_form->options().run.setting, config::Setting(config::Fixed{6}));
        // A search for the maximum replaces the size.
        type("--maximum", "predict");
        QVERIFY(!m_form->options().run.setting);
        QVERIFY2(m_form->problem().isEmpty(), qPrintable(m_form->problem()));
    }

    void showsTheOriginOfAValue()
    {
        setConfig("4");
        QCOMPARE(originOf("--setting"), QStringLiteral("config"));
        QCOMPARE(field("--setting").text(), QStringLiteral("4"));
        for (const char* option : {"--maximum", "--eval-split", "--memory-limit"})
            QCOMPARE(originOf(option), QStringLiteral("default"));
        auto* origin = test::buttonOf(field("--sequence-length"), "config");
        QVERIFY(origin);
        QVERIFY2(origin->toolTip().contains(QStringLiteral("max_sequence_length, line ")),
                 qPrintable(origin->toolTip()));
        const QString rate = field("--learning-rate").text();
        type("--learning-rate", "2e-4");
        QCOMPARE(originOf("--learning-rate"), QStringLiteral("set by you"));
        // The text can be reset.
        auto* back = test::buttonOf(field("--learning-rate"), "set by you");
        QVERIFY(back && back->isEnabled());
        back->click();
        QCOMPARE(field("--learning-rate").text(), rate);
        QVERIFY(originOf("--learning-rate") != QLatin1String("set by you"));
    }

    void showsTheDefaultForADeletedText()
    {
        m_form->show();
        m_form->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_form.get()));
        auto* line = field("--epochs").findChild<QLineEdit*>();
        QCOMPARE(line->text(), QStringLiteral("1"));
        line->setFocus();
        line->selectAll();
        QTest::keyClick(line, Qt::Key_Delete);
        QVERIFY(line->text().isEmpty());
        QTest::keyClick(line, Qt::Key_Tab);
        QCOMPARE(line->text(), QStringLiteral("1"));
    }

    void savesAndRestoresItsWords()
    {
        setConfig("4");
        QVERIFY2(m_form->words().isEmpty(), qPrintable(m_form->words().join(QLatin1Char(' '))));
        typeAll("--checkpoint,/run,--checkpoint-every,9,--device,cpu,--eval-split,5%,--grow,4,--seed,0,"
                "--setting,8,--steps,1500,--strict,on");
        const QStringList words = m_form->words();
        QCOMPARE(words.size(), 18);
        const auto next = std::make_unique<TrainingForm>();
        next->setConfig(engine::ConfigFile::open(pathOf("params.yaml")));
        next->setWords(words);
        QCOMPARE(next->words(), words);
        QVERIFY(next->options().steps == 1500 && next->options().strict);
        next->setWords({QStringLiteral("--no-such"), QStringLiteral("1")});
        QVERIFY(next->words().isEmpty());
        QVERIFY(!next->options().steps);
    }

    void reportsTheInvalidField_data()
    {
        rows<const char*, const char*>({{"a size of 0", {"--setting", "0"}},
                                        {"a size in words", {"--setting", "many"}},
                                        {"no length at all", {"--epochs", "0"}},
                                        {"a broken length", {"--steps", "1.5"}},
                                        {"a text that is not there", {"--data", "/no/such"}},
                                        {"a negative rate", {"--learning-rate", "-1e-4"}},
                                        {"an endless rate", {"--learning-rate", "inf"}},
                                        {"a negative interval", {"--evaluate-every", "-1"}},
                                        {"all held out", {"--eval-split", "100%"}},
                                        {"a limit without a unit", {"--memory-limit", "6"}},
                                        {"a device of another kind", {"--device", "tpu"}}});
    }
    void reportsTheInvalidField()
    {
        const auto& [option, text] = row<const char*, const char*>();
        QSignalSpy changes(m_form.get(), &TrainingForm::changed);
        type(option, text);
        QCOMPARE(changes.count() > 0, true);
        const QString sentence = field(option).problem();
        QCOMPARE(m_form->problem(), sentence);
        QVERIFY2(sentence.startsWith(field(option).title()), qPrintable(sentence));
        QCOMPARE(field(option).explanation(), sentence);
        QVERIFY2(sentence.endsWith(QLatin1Char('.')), qPrintable(sentence));
        QVERIFY2(sentence.at(0) == sentence.at(0).toUpper(), qPrintable(sentence));
        type(option, "");
        QVERIFY2(m_form->problem().isEmpty(), qPrintable(m_form->problem()));
    }

    // In other fields, such as a path, a comma stays as it is.
    void acceptsNumbersOfTheLocaleInNumericFields()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        OptionForm explored;
        int numeric = 0;
        const auto check = [&numeric](const auto& option, OptionField* field) {
            const auto takes = [&option](const char* text) {
                return engine::normalText(option, text).has_value();
            };
            const bool takesNumbers = !takes("no number") && (takes("2.5") || takes("25") || takes("25m") ||
                                                              takes("25GiB") || takes("25%"));
            if (!field || !field->findChild<QLineEdit*>())
                return !takesNumbers;
            numeric += takesNumbers ? 1 : 0;
            field->type(QStringLiteral("2,5"));
            return field->text() == (takesNumbers ? QStringLiteral("2.5") : QStringLiteral("2,5"));
        };
        QStringList wrong;
        for (const auto& option : engine::explorationOptions()) {
            if (!check(option, explored.field(option.name)))
                wrong << QString::fromStdString(option.name);
        }
        for (const auto& option : training::trainingOptionTable()) {
            if (!check(option, m_form->field(option.name)))
                wrong << QString::fromStdString(option.name);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char(' '))));
        QVERIFY(numeric > 20);
    }

    void reportsValuesThatTheConfigDoesNotAllow()
    {
        type("--sequence-length", "4096");
        QVERIFY(field("--sequence-length").problem().isEmpty());
        QVERIFY2(m_form->problem().contains(QStringLiteral("4096")) ||
                     m_form->problem().contains(QStringLiteral("4,096")),
                 qPrintable(m_form->problem()));
    }

    void disablesOptionsWithoutEffect_data()
    {
        rows<const char*, Text, Text>(
            {{"a size beside a maximum", {"--setting", "--setting,8", "--maximum,binary"}},
             {"samples beside a text", {"--samples", "--samples,64", "--data,/proc/self/maps"}}});
    }
    void disablesOptionsWithoutEffect()
    {
        const auto& [option, own, other] = row<const char*, Text, Text>();
        auto* editor = m_form->field(option)->findChild<QLineEdit*>();
        typeAll(own);
        QVERIFY(editor->isEnabled());
        typeAll(other);
        QVERIFY(!editor->isEnabled());
        QVERIFY2(m_form->problem().isEmpty(), qPrintable(m_form->problem()));
    }

    void enablesOptionsThatAnotherOptionNeeds_data()
    {
        rows<const char*, Text>({{"the exact maximum", {"--exact", "--maximum,binary"}},
                                 {"by growth", {"--exact", "--grow,4"}},
                                 {"checkpoints", {"--checkpoint-every", "--checkpoint,/run"}},
                                 {"evaluations", {"--evaluation-batches", "--evaluate-every,5"}}});
    }
    void enablesOptionsThatAnotherOptionNeeds()
    {
        const auto& [option, other] = row<const char*, Text>();
        auto* line = m_form->field(option)->findChild<QLineEdit*>();
        QWidget* editor = line ? static_cast<QWidget*>(line) : m_form->field(option)->findChild<QComboBox*>();
        QVERIFY(!editor->isEnabled());
        typeAll(other);
        QVERIFY(editor->isEnabled());
    }

    void canBeFilledInWithoutAMouse()
    {
        for (const auto* label : m_form->findChildren<QLabel*>()) {
            if (label->text().contains(QLatin1Char('&')))
                QVERIFY2(label->buddy(), qPrintable(label->text()));
        }
        for (auto* each : m_form->findChildren<QWidget*>()) {
            const bool isField = qobject_cast<QLineEdit*>(each) || qobject_cast<ChoiceBox*>(each);
            if (!isField || each->focusProxy())
                continue;
            QVERIFY(each->focusPolicy() & Qt::TabFocus);
            const QWidget* named =
                qobject_cast<QComboBox*>(each->parentWidget()) ? each->parentWidget() : each;
            QVERIFY(!named->accessibleName().isEmpty());
        }
    }
};

BATCHPEAK_TEST(TrainingFormTest)
#include "tst_training_form.moc"
