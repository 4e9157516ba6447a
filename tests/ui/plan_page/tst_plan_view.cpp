// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/window_actions.h"
#include "options/option_table.h"
#include "plan_page/memory_bars.h"
#include "plan_page/option_form.h"
#include "plan_page/plan_view.h"
#include "plan_page/program_card.h"
#include "sample_snapshots.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "widgets/labels.h"
#include "window_fixture.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTest>
#include <QTranslator>

#include <algorithm>
#include <string_view>
#include <utility>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::row;
using test::rows;
using test::Text;

/// Tests the plan of a config before the start.
class PlanViewTest : public test::WindowFixture
{
    Q_OBJECT

    std::unique_ptr<QWidget> m_owner;
    PlanView* m_plan = nullptr;
    engine::ExplorationOptions m_emitted;
    int m_emissions = 0;

    OptionField& field(const char* name) { return *m_plan->findChild<OptionForm*>()->field(name); }

    void type(const char* name, const QString& text)
    {
        auto* line = field(name).findChild<QLineEdit*>();
        line->setFocus();
        line->selectAll();
        QTest::keyClick(line, Qt::Key_Delete);
        QTest::keyClicks(line, text);
    }

    QCheckBox* tick(const char* id)
    {
        for (auto* box : m_plan->findChildren<QCheckBox*>()) {
            if (box->text().startsWith(QLatin1String(id)))
                return box;
        }
        return nullptr;
    }

    QRadioButton* radio(const char* text)
    {
        for (auto* button : m_plan->findChildren<QRadioButton*>()) {
            if (button->text() == QLatin1String(text))
                return button;
        }
        return nullptr;
    }

    QString programTexts()
    {
        QStringList texts;
        for (const auto* label : m_plan->findChild<ProgramCard*>()->findChildren<QLabel*>()) {
            if (!label->isHidden())
                texts << label->text();
        }
        return texts.join(QLatin1Char('\n'));
    }

    static engine::PythonStack otherTorch()
    {
        return {.program = QStringLiteral("/venv/bin/python3"),
                .version = QStringLiteral("3.11.2"),
                .torch = QStringLiteral("2.9.1+cu128"),
                .transformers = QStringLiteral("5.1"),
                .devices = {QStringLiteral("NVIDIA H200")}};
    }

    static QStringList words(const engine::ExplorationOptions& options) { return engine::wordsFor(options); }

private slots:
    void init()
    {
        m_owner = std::make_unique<QWidget>();
        m_owner->resize(1440, 900);
        m_plan = new PlanView(new WindowActions(m_owner.get()), m_owner.get());
        m_plan->resize(1400, 800);
        m_plan->setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("64", "explore"))), {});
        m_plan->setDevices(test::sampleDevices());
        m_owner->show();
        m_owner->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_owner.get()));
        m_emitted = {};
        m_emissions = 0;
        connect(m_plan, &PlanView::optionsChanged, this, [this](const engine::ExplorationOptions& options) {
            m_emitted = options;
            ++m_emissions;
        });
    }

    void cleanup() { m_owner.reset(); }

    void hasAFieldForEveryOption()
    {
        for (const engine::ExplorationOption& option : engine::explorationOptions()) {
            if (option.name == "--device") {
                QVERIFY(tick("cuda:0") && tick("cuda:1") && tick("cpu"));
                continue;
            }
            if (option.name == "--with") {
                QVERIFY(m_plan->findChild<ProgramCard*>());
                continue;
            }
            const OptionField* field = m_plan->findChild<OptionForm*>()->field(option.name);
            QVERIFY2(field, option.name.c_str());
            QVERIFY2(!field->explanation().isEmpty(), option.name.c_str());
            QVERIFY2(!field->originText().isEmpty(), option.name.c_str());
        }
    }

    void acceptsTypedValues_data()
    {
        rows<const char*, Text, Text>({{"a number", {"--max", "96", "--max 96"}},
                                       {"a share", {"--tolerance", "2.5", "--tolerance 2.5"}},
                                       {"a time", {"--time-budget", "1h30m", "--time-budget 1h30m"}},
                                       {"memory", {"--memory-limit", "8GiB", "--memory-limit 8GiB"}},
                                       {"a word or number", {"--setting", "20", "--setting 20"}},
                                       {"what is usual", {"--tolerance", "2", ""}}});
    }
    void acceptsTypedValues()
    {
        const auto& [name, text, expected] = row<const char*, Text, Text>();
        type(name, text);
        QCOMPARE(words(m_emitted).join(QLatin1Char(' ')), expected);
        QCOMPARE(field(name).text(), text);
        QCOMPARE(m_plan->problem(), QString());
        QCOMPARE(field(name).originText(),
                 expected.isEmpty() ? QStringLiteral("default") : QStringLiteral("set by you"));
    }

    void explainsInvalidTextWhileTyping()
    {
        QSignalSpy problems(m_plan, &PlanView::problemChanged);
        type("--time-budget", QStringLiteral("10"));
        QVERIFY(!problems.isEmpty());
        QCOMPARE(m_plan->problem(),
                 QStringLiteral("Time budget must be a length of time, such as 90s, 10m or 1h30m."));
        QCOMPARE(field("--time-budget").explanation(), m_plan->problem());
        QTest::keyClicks(field("--time-budget").findChild<QLineEdit*>(), QStringLiteral("m"));
        QCOMPARE(m_plan->problem(), QString());
        QCOMPARE(words(m_emitted), QStringList({QStringLiteral("--time-budget"), QStringLiteral("10m")}));
    }

    // The readable beginning of a text is no value, and an invalid plan has no command to copy.
    void reportsEachInvalidField()
    {
        auto* copy = test::buttonOf(*m_plan, "Copy command");
        QVERIFY(copy->isEnabled());
        type("--tolerance", QStringLiteral("1.5.5"));
        type("--memory-limit", QStringLiteral("2 gigs"));
        type("--confidence", QStringLiteral("150"));
        for (const auto& [name, said] :
             {std::pair("--tolerance", "Tolerance must be a percentage between 0.1 and 50."),
              std::pair("--memory-limit", "Memory limit must be an amount of memory"),
              std::pair("--confidence", "Confidence must be a percentage between 1 and 99.")}) {
            QVERIFY2(field(name).explanation().startsWith(QLatin1String(said)),
                     qPrintable(field(name).explanation()));
            QCOMPARE(field(name).originText(), QStringLiteral("set by you"));
            QVERIFY2(m_plan->problem().contains(field(name).explanation()), qPrintable(m_plan->problem()));
        }
        QVERIFY(words(m_emitted).isEmpty());
        QCOMPARE(m_plan->command(), QString());
        QVERIFY(!copy->isEnabled());
        // Choosing another device keeps the typed text.
        tick("cpu")->click();
        QCOMPARE(field("--memory-limit").text(), QStringLiteral("2 gigs"));
        type("--tolerance", QStringLiteral("1.5"));
        type("--memory-limit", QStringLiteral("2G"));
        QVERIFY(!copy->isEnabled());
        test::buttonOf(field("--confidence"), "set by you")->click();
        QCOMPARE(field("--confidence").text(), QStringLiteral("95"));
        QVERIFY(copy->isEnabled());
        QVERIFY2(m_plan->command().contains(QStringLiteral("--memory-limit 2GiB")) &&
                     m_plan->command().contains(QStringLiteral("--tolerance 1.5")),
                 qPrintable(m_plan->command()));
    }

    void acceptsNumbersOfTheLocale()
    {
        const QLocale usual;
        QLocale::setDefault(QLocale(QLocale::German));
        type("--tolerance", QStringLiteral("1,5"));
        QCOMPARE(m_plan->problem(), QString());
        QCOMPARE(words(m_emitted), QStringList({QStringLiteral("--tolerance"), QStringLiteral("1.5")}));
        m_plan->setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("64", "explore"))),
                          m_emitted);
        field("--max").findChild<QLineEdit*>()->setFocus();
        QCOMPARE(field("--tolerance").findChild<QLineEdit*>()->text(), QStringLiteral("1,5"));
        type("--tolerance", QStringLiteral("50,5"));
        const QString problem = m_plan->problem();
        QLocale::setDefault(usual);
        QCOMPARE(problem, QStringLiteral("Tolerance must be a percentage between 0,1 and 50."));
    }

    void keepsTheBatchWithOneClick()
    {
        const auto offer = [this](const char* text) { return test::buttonOf(*m_plan, text); };
        QTest::mouseClick(offer("Keep the batch"), Qt::LeftButton);
        QCOMPARE(words(m_emitted), QStringList({QStringLiteral("--setting"), QStringLiteral("auto")}));
        QCOMPARE(m_plan->preview().plan->space.maximum, 64);
        QVERIFY(m_plan->command().endsWith(QStringLiteral("--setting auto")));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(!offer("Keep the batch"));
        // A search for devices keeps the button that is under the pointer.
        const auto* button = offer("Explore all sizes");
        m_plan->setDevices(test::processorAlone());
        QCOMPARE(offer("Explore all sizes"), button);
        QTest::mouseClick(offer("Explore all sizes"), Qt::LeftButton);
        QVERIFY(words(m_emitted).isEmpty());
    }

    void updatesAnOfferWhenItsWordsChange()
    {
        struct OtherWords : QTranslator
        {
            bool isEmpty() const override { return false; }
            QString translate(const char*, const char* text, const char*, int) const override
            {
                return text == std::string_view("Keep the batch") ? QStringLiteral("Batch stays") : QString();
            }
        } words;
        QVERIFY(QCoreApplication::installTranslator(&words));
        m_plan->setDevices(test::processorAlone());
        QVERIFY(test::buttonOf(*m_plan, "Batch stays"));
    }

    void warnsIfNothingIsExpectedToFit()
    {
        const auto says = [this](const char* words) {
            const auto labels = m_plan->findChildren<QLabel*>();
            return std::ranges::any_of(labels, [words](const QLabel* label) {
                return label->isVisible() && label->text().contains(QString::fromUtf8(words));
            });
        };
        QVERIFY(says("Ready") && !says("Nothing is expected to fit"));
        type("--memory-limit", QStringLiteral("1K"));
        QVERIFY(says("Too little memory") && says("Nothing is expected to fit"));
        // It is only an expectation, so the user may start.
        QCOMPARE(m_plan->problem(), QString());
    }

    void reportsOptionsThatContradictEachOther()
    {
        type("--min", QStringLiteral("9"));
        type("--max", QStringLiteral("8"));
        QVERIFY2(m_plan->problem().contains(QStringLiteral("above the largest")),
                 qPrintable(m_plan->problem()));
        type("--max", QStringLiteral("16"));
        QCOMPARE(m_plan->problem(), QString());
    }

    void offersTheNewestEarlierRuns()
    {
        int chosen = -1;
        std::vector<EarlierRuns::Entry> runs;
        for (int place = 0; place < 6; ++place)
            runs.push_back({.text = QStringLiteral("run %1").arg(place),
                            .choose = [&chosen, place] { chosen = place; }});
        m_plan->setEarlier(runs);
        QVERIFY(test::buttonOf(*m_plan, "run 3")->isVisible());
        QVERIFY(!test::buttonOf(*m_plan, "run 4"));
        test::buttonOf(*m_plan, "run 2")->click();
        QCOMPARE(chosen, 2);
        const auto* card = test::partOf<QWidget>(*m_plan, "Earlier");
        QVERIFY(card->isVisible());
        // The list of runs changes while the user presses the button of one of them.
        const QPointer<QPushButton> pressed = test::buttonOf(*m_plan, "run 0");
        QTest::mousePress(pressed, Qt::LeftButton);
        runs.at(1).text = QStringLiteral("running elsewhere");
        m_plan->setEarlier(runs);
        runs.at(0).choose = [&chosen] { chosen = 7; };
        m_plan->setEarlier(runs);
        QVERIFY(pressed);
        QTest::mouseRelease(pressed, Qt::LeftButton);
        QCOMPARE(chosen, 7);
        runs.insert(runs.begin(), {.text = QStringLiteral("newest"), .choose = [] {}});
        m_plan->setEarlier(runs);
        QCoreApplication::processEvents();
        const auto topOf = [this](const char* text) { return test::buttonOf(*m_plan, text)->y(); };
        QVERIFY(topOf("newest") < topOf("run 0") && topOf("run 0") < topOf("running elsewhere"));
        QCOMPARE(test::buttonOf(*m_plan, "newest")->nextInFocusChain(), pressed);
        QVERIFY(!test::buttonOf(*m_plan, "run 3"));
        m_plan->setEarlier({{.text = QStringLiteral("The history cannot be read."), .choose = nullptr}});
        QVERIFY(!card->isVisible());
    }

    void resetsAnOption()
    {
        type("--tolerance", QStringLiteral("5"));
        type("--max", QStringLiteral("96"));
        auto* origin = test::buttonOf(field("--tolerance"), "set by you");
        QVERIFY(origin);
        QTest::mouseClick(origin, Qt::LeftButton);
        QCOMPARE(words(m_emitted), QStringList({QStringLiteral("--max"), QStringLiteral("96")}));
        QCOMPARE(field("--tolerance").text(), QStringLiteral("2"));
        QCOMPARE(field("--tolerance").originText(), QStringLiteral("default"));
    }

    void choosesAPhase()
    {
        auto* box = field("--phase").findChild<QComboBox*>();
        box->setCurrentText(QStringLiteral("eval"));
        emit box->activated(box->currentIndex());
        QCOMPARE(m_emitted.phase, model::Phase::Eval);
        // This config has no evaluation.
        QVERIFY2(m_plan->problem().contains(QStringLiteral("no evaluation batch")),
                 qPrintable(m_plan->problem()));
    }

    void emitsTheTickedDevices()
    {
        QTest::mouseClick(tick("cuda:1"), Qt::LeftButton, {}, QPoint(8, 10));
        QCOMPARE(m_emitted.devices, QStringList(QStringLiteral("cuda:0")));
        QTest::mouseClick(tick("cpu"), Qt::LeftButton, {}, QPoint(8, 10));
        QCOMPARE(m_emitted.devices, QStringList({QStringLiteral("cuda:0"), QStringLiteral("cpu")}));
        // The default devices need no option.
        QTest::mouseClick(tick("cpu"), Qt::LeftButton, {}, QPoint(8, 10));
        QTest::mouseClick(tick("cuda:1"), Qt::LeftButton, {}, QPoint(8, 10));
        QCOMPARE(m_emitted.devices, QStringList());
    }

    void requiresATickedDevice()
    {
        QTest::mouseClick(tick("cuda:1"), Qt::LeftButton, {}, QPoint(8, 10));
        QTest::mouseClick(tick("cuda:0"), Qt::LeftButton, {}, QPoint(8, 10));
        QVERIFY2(m_plan->problem().contains(QStringLiteral("No device is ticked")),
                 qPrintable(m_plan->problem()));
        QCOMPARE(m_emissions, 1);
        QTest::mouseClick(tick("cpu"), Qt::LeftButton, {}, QPoint(8, 10));
        QCOMPARE(m_plan->problem(), QString());
    }

    void measuresWithThePythonThatIsChosen()
    {
        auto* python = radio("Your Python");
        auto* worker = radio("Batchpeak's worker");
        QVERIFY(worker->isChecked());
        QVERIFY2(programTexts().contains(QStringLiteral("Checking its packages")),
                 qPrintable(programTexts()));
        python->click();
        QCOMPARE(m_emitted.python, engine::anyPython);
        QVERIFY(python->isChecked() && !worker->isChecked());
        QVERIFY2(m_plan->problem().contains(QStringLiteral("Checking the packages")),
                 qPrintable(m_plan->problem()));
        QVERIFY2(m_plan->command().endsWith(QStringLiteral("--with python")), qPrintable(m_plan->command()));

        m_plan->setPython(otherTorch());
        QCOMPARE(m_plan->problem(), QString());
        const QString texts = programTexts();
        QVERIFY2(texts.contains(QStringLiteral("torch 2.9.1+cu128, transformers 5.1")), qPrintable(texts));
        QVERIFY2(texts.contains(QStringLiteral("It sees NVIDIA H200.")), qPrintable(texts));
        QVERIFY2(texts.contains(QStringLiteral("Your Python is advised")), qPrintable(texts));

        m_plan->setPython(engine::PythonStack{.program = QStringLiteral("/p"),
                                              .problem = QStringLiteral("It has no torch.")});
        QCOMPARE(m_plan->problem(), QStringLiteral("It has no torch."));
        worker->click();
        QCOMPARE(m_emitted.python, QString());
        QCOMPARE(m_plan->problem(), QString());
        QVERIFY2(programTexts().contains(QStringLiteral("Batchpeak's worker is advised")),
                 qPrintable(programTexts()));
    }

    /// A missing package that only this run needs is reported before the start.
    void requiresThePackagesOfTheRun()
    {
        engine::ExplorationOptions options;
        options.python = engine::anyPython;
        options.adapter = model::AdapterKind::Lora;
        m_plan->setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("64", "explore"))),
                          options);
        engine::PythonStack python = otherTorch();
        python.lacks[QStringLiteral("peft")] = QStringLiteral("It has no peft.");
        m_plan->setPython(python);
        QCOMPARE(m_plan->problem(), QStringLiteral("It has no peft."));
        python.lacks.clear();
        m_plan->setPython(python);
        QCOMPARE(m_plan->problem(), QString());
        engine::PythonStack none;
        none.problem = QStringLiteral("There is none.");
        m_plan->setPython(none);
        QCOMPARE(m_plan->problem(), QStringLiteral("There is none."));
    }

    void restoresTheChosenInterpreter()
    {
        engine::ExplorationOptions options;
        options.python = QStringLiteral("/venv/bin/python3");
        const QString path = fileWith("params.yaml", smallGpt2("64", "explore"));
        m_plan->setConfig(engine::ConfigFile::open(path), options);
        radio("Batchpeak's worker")->click();
        QCOMPARE(m_emitted.python, QString());
        radio("Your Python")->click();
        QCOMPARE(m_emitted.python, options.python);
        // The chosen interpreter belongs to the other config.
        m_plan->setConfig(engine::ConfigFile::open(path), {});
        radio("Your Python")->click();
        QCOMPARE(m_emitted.python, engine::anyPython);
    }

    void offersPythonForANetworkThatIsNotRunHere()
    {
        const QString path = fileWith("config.json", R"({"model_type": "gpt_oss", "vocab_size": 100})");
        m_plan->setConfig(engine::ConfigFile::open(path), {});
        m_plan->setPython(otherTorch());
        QVERIFY2(m_plan->problem().contains(QStringLiteral("gpt_oss")), qPrintable(m_plan->problem()));
        QVERIFY2(programTexts().contains(QStringLiteral("cannot run this network")),
                 qPrintable(programTexts()));
        radio("Your Python")->click();
        QCOMPARE(m_plan->problem(), QString());
    }

    void keepsTheTextThatIsBeingTyped()
    {
        auto* line = field("--tolerance").findChild<QLineEdit*>();
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, QStringLiteral("2."));
        m_plan->setDevices(test::processorAlone());
        QCOMPARE(line->text(), QStringLiteral("2."));
    }

    void discardsTypedTextForAnotherFile_data() { rows<Text>({{"a number", {"3"}}, {"no number", {"x"}}}); }
    void discardsTypedTextForAnotherFile()
    {
        type("--tolerance", row<Text>());
        m_plan->setConfig(engine::ConfigFile::open(fileWith("other.yaml", smallGpt2("32", "explore"))), {});
        QVERIFY(field("--tolerance").findChild<QLineEdit*>()->hasFocus());
        QCOMPARE(field("--tolerance").text(), QStringLiteral("2"));
        QCOMPARE(field("--tolerance").problem(), QString());
    }

    void showsTheEquivalentCommand()
    {
        const QString path = fileWith("it's a config.yaml", smallGpt2("64", "explore"));
        engine::ExplorationOptions options;
        options.places = {QStringLiteral("ssh host")};
        m_plan->setConfig(engine::ConfigFile::open(path), options);
        QString quoted = path;
        quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
        QCOMPARE(m_plan->command(), QStringLiteral("batchpeak explore '%1' --on 'ssh host'").arg(quoted));
    }

    // A line break at a hyphen would split an option. A shell accepts the command as it is shown.
    void breaksTheCommandBetweenItsOptions()
    {
        engine::ExplorationOptions options;
        options.places = {QStringLiteral("ssh host --quiet")};
        options.memoryLimitBytes = 30 * 1024 * 1024;
        options.tolerance = 0.015;
        m_plan->setConfig(engine::ConfigFile::open(fileWith("params.yaml", smallGpt2("64", "explore"))),
                          options);
        QString shown;
        for (const auto* label : m_plan->findChildren<QLabel*>()) {
            if (label->property("code").toBool())
                shown = label->text();
        }
        const QStringList lines = shown.split(QStringLiteral(" \\\n"));
        QVERIFY2(lines.size() > 1, qPrintable(shown));
        for (const QString& line : lines.sliced(1))
            QVERIFY2(line.startsWith(QLatin1String("--")), qPrintable(line));
        QCOMPARE(lines.join(QLatin1Char(' ')), m_plan->command());
    }

    void reportsTheLineThatCannotBeRun()
    {
        const QByteArray preferences = "model_name_or_path: gpt2\n"
                                       "beta: 0.1\n"
                                       "loss_type: sigmoid\n"
                                       "max_length: 128\n"
                                       "per_device_train_batch_size: 8\n"
                                       "gradient_accumulation_steps: 2\n"
                                       "learning_rate: 5.0e-7\n"
                                       "output_dir: out\n";
        m_plan->setConfig(engine::ConfigFile::open(fileWith("dpo.yaml", preferences)), {});
        QVERIFY2(m_plan->problem().startsWith(QStringLiteral("Line 2: ")), qPrintable(m_plan->problem()));
    }

    void laysOutTheFieldsForEveryWidth_data()
    {
        const auto add = rows<int>();
        for (const int width : {776, 876, 900, 956, 1060, 1100, 1200, 1300, 1400})
            add(QByteArray::number(width).constData(), {width});
    }
    void laysOutTheFieldsForEveryWidth()
    {
        const int width = row<int>();
        // The window was wider previously.
        m_plan->resize(width, 600);
        m_owner->grab();
        // Each form that is laid out again requests another height from its parents.
        for (int round = 0; round < 8; ++round)
            QCoreApplication::processEvents();
        for (const OptionField* field : m_plan->findChild<OptionForm*>()->fields()) {
            if (!field->isVisible())
                continue;
            QList<QWidget*> parts;
            for (QWidget* part : field->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
                if (part->isVisible())
                    parts << part;
            }
            for (const QWidget* part : parts) {
                QVERIFY2(field->rect().contains(part->geometry()), field->name().c_str());
                QVERIFY2(part->height() >= part->heightForWidth(part->width()),
                         qPrintable(QStringLiteral("%1: %2 x %3 of %4, in %5 x %6")
                                        .arg(QString::fromStdString(field->name()))
                                        .arg(part->width())
                                        .arg(part->height())
                                        .arg(part->heightForWidth(part->width()))
                                        .arg(field->width())
                                        .arg(field->height())));
                for (const QWidget* other : parts)
                    QVERIFY2(part == other || !part->geometry().intersects(other->geometry()),
                             field->name().c_str());
            }
        }
        // No label is stretched to a height that it does not need.
        for (const QLabel* label :
             m_plan->findChild<OptionForm*>()->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly))
            QVERIFY2(label->height() <= 2 * label->sizeHint().height(), qPrintable(label->text()));
    }

    void labelsTheFidelityOfTrials()
    {
        const auto label = [this] {
            for (const auto* text : m_plan->findChildren<QLabel*>()) {
                if (text->isVisible() && text->styleSheet().startsWith(QLatin1String("color")))
                    return text;
            }
            return static_cast<const QLabel*>(nullptr);
        };
        QVERIFY(label());
        QCOMPARE(label()->text(), QStringLiteral("as configured"));
        QVERIFY(label()->styleSheet().contains(Theme::light().good.name()));
        type("--max-gradient-norm", QStringLiteral("2"));
        QCOMPARE(label()->text(), QStringLiteral("another run, with another gradient clipping"));
        QVERIFY(label()->styleSheet().contains(Theme::light().warn.name()));
        // If nothing can be run, there is nothing to label.
        type("--sequence-length", QStringLiteral("9999999"));
        QVERIFY(!label());
    }

    void describesThePartsOfTheMemory()
    {
        const auto* bars = m_plan->findChild<MemoryBars*>();
        for (const char* part : {"weights ", "gradients ", "optimizer ", "activations about "})
            QVERIFY2(bars->accessibleDescription().contains(QLatin1String(part)),
                     qPrintable(bars->accessibleDescription()));
        QVERIFY(bars->partAt({2, 10}).isEmpty());
        QVERIFY(bars->partAt({100, 10}).startsWith(QLatin1String("activations, estimated")));
        // With a single size, the rest of the memory is free.
        type("--setting", QStringLiteral("1"));
        QVERIFY2(bars->partAt({bars->width() / 2, 10}).startsWith(QLatin1String("free: ")),
                 qPrintable(bars->partAt({bars->width() / 2, 10})));
        QVERIFY(bars->partAt({10, 10 * bars->height()}).isEmpty());
    }

    void drawsTheMemoryOfTheChosenDevices()
    {
        auto* bars = m_plan->findChild<MemoryBars*>();
        QVERIFY(bars->isVisible());
        QVERIFY2(bars->accessibleDescription().contains(QStringLiteral("cuda:1 has room for")),
                 qPrintable(bars->accessibleDescription()));
        const QImage picture = bars->grab().toImage();
        // The limit of the larger device is far right.
        bool hasLimit = false;
        for (int x = picture.width() / 2; x < picture.width(); ++x)
            hasLimit = hasLimit || picture.pixelColor(x, 17) == Theme::light().bad;
        QVERIFY(hasLimit);
        type("--worker", QStringLiteral("python3 step.py"));
        QVERIFY(!bars->isVisible());
    }

    void estimatesTrialsAndTime()
    {
        const auto says = [this](const char* words) {
            const auto labels = m_plan->findChildren<QLabel*>();
            return std::ranges::any_of(labels, [words](const QLabel* label) {
                return label->isVisible() && label->text().contains(QString::fromUtf8(words));
            });
        };
        QVERIFY(says("About ") && says(" trials (") && says(", at most 64)."));
        type("--max-trials", QStringLiteral("2"));
        QVERIFY(says("About 2 trials.") && !says("at most 64"));
        QVERIFY(!says("No longer than"));
        type("--time-budget", QStringLiteral("10m"));
        QVERIFY(says("No longer than 10 min."));
        type("--setting", QStringLiteral("20"));
        QVERIFY(says("1 trial."));
        type("--min", QStringLiteral("x"));
        QVERIFY(!says("1 trial."));
    }

    void fitsItsMinimumWidth()
    {
        m_plan->resize(958, 560);
        QCoreApplication::processEvents();
        for (const OptionField* field : m_plan->findChild<OptionForm*>()->fields()) {
            if (!field->isVisible())
                continue;
            const int right = field->mapTo(m_plan, QPoint(field->width(), 0)).x();
            QVERIFY2(right <= m_plan->width() - 404, field->name().c_str());
        }
    }

    void elidesLongKeysAndShowsThemInToolTips()
    {
        const auto elided = [this] {
            QCoreApplication::processEvents();
            std::vector<const ElidedLabel*> labels;
            for (const auto* label : m_plan->findChildren<ElidedLabel*>()) {
                if (label->isVisible() && label->text() != label->fullText())
                    labels.push_back(label);
            }
            return labels;
        };
        QVERIFY(elided().empty());
        m_plan->resize(800, 560);
        const auto labels = elided();
        QVERIFY(!labels.empty());
        for (const ElidedLabel* label : labels) {
            QCOMPARE(label->toolTip(), label->fullText());
            QVERIFY2(label->fontMetrics().horizontalAdvance(label->text()) <= label->width(),
                     qPrintable(label->text()));
        }
    }

    // The text about the parameters is long for adapters, so the labels after it, with places in the config,
    // have to shrink.
    void fitsAdaptersIntoASmallWindow()
    {
        const QByteArray adapters =
            "batchpeak: 1\n"
            "model: {family: llama, vocabulary_size: 128256, hidden_size: 2048, layers: 16, heads: 32,\n"
            "  key_value_heads: 8, feed_forward_size: 8192, max_positions: 4096}\n"
            "batch_size: 64\n"
            "sequence_length: 2048\n"
            "tuning: {adapter: lora, rank: 16, targets: [{projection: query}, {projection: value}]}\n";
        m_plan->setConfig(engine::ConfigFile::open(fileWith("adapters.yaml", adapters)), {});
        const auto* form = m_plan->findChild<OptionForm*>();
        const QWidget* page = form->parentWidget();
        for (const int width : {1076, 876, 776}) {
            m_plan->resize(width, 560);
            m_owner->grab();
            QCoreApplication::processEvents();
            QVERIFY2(page->width() <= page->parentWidget()->width(),
                     qPrintable(QStringLiteral("%1 of %2 in %3")
                                    .arg(page->width())
                                    .arg(page->parentWidget()->width())
                                    .arg(width)));
        }
    }
};

BATCHPEAK_TEST(PlanViewTest)
#include "tst_plan_view.moc"
