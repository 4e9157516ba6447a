// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "actions/earlier_runs.h"
#include "actions/tool_bar.h"
#include "actions/window_actions.h"
#include "actions/window_settings.h"
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "exploration/config_remarks.h"
#include "exploration/recommendation_card.h"
#include "exploration/status_bar.h"
#include "exploration/unmeasurable_view.h"
#include "files/config_file.h"
#include "plan_page/option_form.h"
#include "plan_page/plan_search.h"
#include "plan_page/plan_view.h"
#include "run/contenders_list.h"
#include "run/course_chart.h"
#include "sample_snapshots.h"
#include "store/exploration_store.h"
#include "store/history_writer.h"
#include "support/held_history.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "widgets/labels.h"
#include "widgets/message_banner.h"
#include "window_fixture.h"

#include <QAction>
#include <QDir>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <memory>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::actionOf;
using test::buttonOf;

/// Tests that everything that the window shows and does belongs to its current subject: a plan, a run, an
/// earlier run, or a file that cannot be tried.
class WindowInHandTest : public test::WindowFixture
{
    Q_OBJECT

    const QByteArray m_config = smallGpt2("64", "explore");
    QString m_path;

    QString history() const { return pathOf("history.sqlite"); }
    bool isPlanVisible() { return window().findChild<PlanView*>()->isVisible(); }
    UnmeasurableView* errorPage() { return window().findChild<UnmeasurableView*>(); }

    QString status()
    {
        QStringList texts;
        for (const auto* label : window().findChild<StatusBar*>()->findChildren<ElidedLabel*>())
            texts << label->fullText();
        return texts.join(QLatin1Char('\n'));
    }

    /// Returns the texts of the visible banners.
    QString message()
    {
        QStringList texts;
        for (const auto* banner : window().findChildren<MessageBanner*>()) {
            if (banner->isVisible())
                texts << banner->text();
        }
        return texts.join(QLatin1Char('\n'));
    }

    void open(const engine::ExplorationOptions& options)
    {
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
    }

    void explore(const engine::ExplorationOptions& options)
    {
        open(options);
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
    }

    /// Explores into the history, as another program did earlier.
    void exploreIntoHistory()
    {
        auto options = optionsWith({}, 6);
        options.strategy = QStringLiteral("posterior");
        engine::Exploration exploration;
        const engine::ExplorationRecorder recorder(exploration, history());
        exploration.load(engine::ConfigFile::open(m_path), options);
        exploration.start();
        TRY_VERIFY(exploration.snapshot().finish.has_value());
        QVERIFY(exploration.snapshot().searchState.recommendation);
    }

    /// Returns the button in the plan for an earlier run whose text contains \p words; null if there is none.
    QPushButton* entryOf(const char* words)
    {
        for (auto* button : window().findChild<PlanView*>()->findChildren<QPushButton*>()) {
            if (button->text().contains(QString::fromUtf8(words)))
                return button;
        }
        return nullptr;
    }

    /// Returns the accessible name of the banner whose button has the text \p way.
    QString kindOfLookingBack(const char* way)
    {
        const QPushButton* button = buttonOf(window(), way);
        return button ? button->parentWidget()->accessibleName() : QString();
    }

    /// Returns the path of a config that causes a warning.
    QString notedConfig()
    {
        return fileWith("noted.yaml", QByteArray(m_config).replace(
                                          "  hidden_size", "  embedding_dropout_rate: 0.3\n  hidden_size"));
    }

    /// Returns the path of a config with adapters for a network that batchpeak-worker cannot run.
    QString forPythonAlone()
    {
        const QString network = fileWith("gpt-oss.json", R"({"model_type": "gpt_oss", "vocab_size": 128,
            "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "intermediate_size": 64, "num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 16,
            "max_position_embeddings": 64})");
        return fileWith("lora.yaml", "base_model: " + network.toUtf8() +
                                         "\nadapter: lora\nlora_r: 8\nlora_alpha: 16\n"
                                         "lora_target_linear: true\nmicro_batch_size: 2\n"
                                         "gradient_accumulation_steps: 2\nsequence_len: 32\n"
                                         "datasets: [{path: a, type: alpaca}]\noutput_dir: out\n");
    }

    /// Exploration of a config in another window or terminal.
    struct Elsewhere
    {
        Elsewhere(const QString& history, const QString& config)
        {
            exploration.load(engine::ConfigFile::open(config),
                             optionsWith(QStringLiteral("trial=hang#3"), 20));
            recorder = std::make_unique<engine::ExplorationRecorder>(exploration, history);
            exploration.start();
        }
        engine::Exploration exploration;
        std::unique_ptr<engine::ExplorationRecorder> recorder;
    };

private slots:
    void init()
    {
        m_path = fileWith("params.yaml", m_config);
        QFile::remove(history());
        WindowSettings().setOptionsOf(m_path, {});
    }

    void showsTheRunThatItStarts()
    {
        explore(optionsWith({}));
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        actionOf(window(), "Plan")->trigger();
        TRY_VERIFY(buttonOf(window(), "Back to the present run")->isVisible());
        auto* earlier = actionOf(window(), "Previous run");
        QVERIFY(earlier->isEnabled());
        earlier->trigger();
        QVERIFY(message().contains(QStringLiteral("Viewing the run of ")));
        QVERIFY(!isPlanVisible());
        QTest::keyClick(&window(), Qt::Key_F5);
        TRY_VERIFY(snapshot().runsTrials());
        QVERIFY2(message().isEmpty(), qPrintable(message()));
        QVERIFY(!actionOf(window(), "Back to the present run")->isEnabled());
        TRY_VERIFY2(status().contains(QStringLiteral("Trial 1")), qPrintable(status()));
        const QString card = window().findChild<RecommendationCard*>()->summary();
        QVERIFY2(card.contains(QStringLiteral("The first sizes are being measured.")), qPrintable(card));
    }

    void hasOneCurrentFile()
    {
        open(optionsWith({}));
        QVERIFY(isPlanVisible());
        QVERIFY(!window().openConfig(fileWith(
            "unknown.yaml", QByteArray(m_config).replace("model_name: gpt2", "model_name: nothing"))));
        QVERIFY(errorPage()->isVisible() && !isPlanVisible());
        const QString broken = fileWith("broken.yaml", "a: [b\n");
        QVERIFY(!window().openConfig(broken));
        QVERIFY(errorPage()->isVisible() && !isPlanVisible());
        QVERIFY2(errorPage()->summary().contains(broken), qPrintable(errorPage()->summary()));
        QVERIFY2(message().isEmpty(), qPrintable(message()));
        QCOMPARE(window().windowTitle(), QStringLiteral("broken.yaml"));
        QVERIFY2(status().contains(QStringLiteral("No trial is possible")), qPrintable(status()));
        QVERIFY(!actionOf(window(), "Start")->isEnabled());
        QVERIFY(!actionOf(window(), "Plan")->isEnabled());
        QVERIFY(buttonOf(*errorPage(), "Write a size")->isHidden());
        QTest::keyClick(&window(), Qt::Key_F5);
        window().startExploring();
        QVERIFY(!snapshot().run);
        // The corrected file can be read again.
        fileWith("broken.yaml", m_config);
        QTest::mouseClick(buttonOf(*errorPage(), "Read it again"), Qt::LeftButton);
        QVERIFY(isPlanVisible());
        QVERIFY(window().windowTitle().startsWith(QStringLiteral("broken.yaml")));
    }

    void showsThePlanOfAConfigThatTheWorkerCannotRun()
    {
        window().setOptions({});
        QVERIFY(window().openConfig(forPythonAlone()));
        const auto* plan = window().findChild<PlanView*>();
        QVERIFY(!plan->problem().isEmpty());
        QCOMPARE(window().windowTitle(), QStringLiteral("lora.yaml"));
        QVERIFY2(status().contains(QStringLiteral("Not ready to start")), qPrintable(status()));
        const QString header = window().findChild<ToolBar*>()->findChild<ElidedLabel*>()->fullText();
        QVERIFY2(header.startsWith(QStringLiteral("lora.yaml")), qPrintable(header));
        QCOMPARE(plan->preview().option("--adapter").text, QStringLiteral("lora"));
        QCOMPARE(plan->preview().option("--adapter-rank").text, QStringLiteral("8"));
        for (const char* way : {"Measure with your Python", "Choose the network", "Write a size"}) {
            const QPushButton* button = buttonOf(*plan, way);
            QVERIFY2(button && button->isVisible() && button->isEnabled(), way);
        }
        buttonOf(*plan, "Measure with your Python")->click();
        QVERIFY(!buttonOf(*plan, "Measure with your Python")->isVisible());
        // None of this is shown for a config that the worker can run.
        QVERIFY(window().openConfig(m_path));
        QVERIFY(!buttonOf(*plan, "Measure with your Python")->isVisible());
        QVERIFY2(status().contains(QStringLiteral("Ready to start")), qPrintable(status()));
    }

    void keepsTheEndedRunDuringThePlan()
    {
        explore(optionsWith({}, 2));
        const auto trials = snapshot().trials;
        QAction* continueSearch = actionOf(window(), "Go on");
        QAction* confirm = actionOf(window(), "Confirm");
        TRY_VERIFY(continueSearch->isEnabled() && confirm->isEnabled());
        actionOf(window(), "Plan")->trigger();
        QVERIFY(isPlanVisible());
        QVERIFY(continueSearch->isEnabled() && confirm->isEnabled());
        QVERIFY2(message().contains(QStringLiteral("after 3 trials with size")), qPrintable(message()));
        QCOMPARE(kindOfLookingBack("Back to the present run"), QStringLiteral("Message"));
        QCOMPARE(window().windowTitle(), QStringLiteral("params.yaml"));
        // Options of the next run do not affect the ended run.
        window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("4"));
        QVERIFY(continueSearch->isEnabled() && confirm->isEnabled());
        QTest::mouseClick(buttonOf(window(), "Back to the present run"), Qt::LeftButton);
        QVERIFY(!isPlanVisible());
        actionOf(window(), "Plan")->trigger();
        QVERIFY(continueSearch->isEnabled());
        continueSearch->trigger();
        QVERIFY(!isPlanVisible());
        TRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(snapshot().trials.size() > trials.size());
        QVERIFY(std::equal(trials.begin(), trials.end(), snapshot().trials.begin()));
        QCOMPARE(snapshot().run->tolerance, engine::ExplorationOptions().tolerance);
        // The ended run does not belong to another config.
        QVERIFY(window().openConfig(fileWith("other.yaml", m_config)));
        QVERIFY(!continueSearch->isEnabled() && !confirm->isEnabled());
        QVERIFY(!actionOf(window(), "Back to the present run")->isEnabled());
    }

    void retriesToReadTheSearchWithoutAMessage()
    {
        exploreIntoHistory();
        auto elsewhere = std::make_unique<store::HistoryWriter>(history());
        elsewhere->begin(
            {.started = QDateTime::currentDateTimeUtc(), .filePath = QStringLiteral("/other.yaml")});
        window().setHistory(history());
        open(optionsWith({}));
        const auto* runs = window().findChild<EarlierRuns*>();
        TRY_VERIFY(runs->elsewhere().size() == 1 && entryOf("6 trials"));
        entryOf("6 trials")->click();
        // Recomputing the search waits for the end of the other run.
        const auto* course = window().findChild<CourseChart*>();
        QCOMPARE(course->emptyText(), QStringLiteral("Being worked out from the history"));
        // Sizes of a missing trial cannot be read.
        QVERIFY(test::OtherProgram(history()).run(
            "INSERT INTO compared_size (exploration, trial, place, micro_batch_size) VALUES (1, 99, 0, 4)"));
        QVERIFY_THROWS_EXCEPTION(store::StoreError, store::ExplorationStore(history()).show(1));
        elsewhere.reset();
        TRY_VERIFY(runs->elsewhere().empty());
        QVERIFY2(!banner().isVisible(), qPrintable(banner().text()));
        QVERIFY(test::OtherProgram(history()).run("DELETE FROM compared_size WHERE trial = 99"));
        TRY_VERIFY(course->emptyText().isEmpty());
    }

    void showsAProblemUntilItIsSolved()
    {
        m_path = notedConfig();
        open(optionsWith({}));
        const QString remarks = remarksText(engine::ConfigFile::open(m_path));
        auto* form = window().findChild<OptionForm*>();
        form->field("--min")->type(QStringLiteral("9"));
        form->field("--max")->type(QStringLiteral("8"));
        const QString problem = window().findChild<PlanView*>()->problem();
        window().startExploring();
        QCOMPARE(banner().text(), problem);
        QCOMPARE(banner().accessibleName(), QStringLiteral("Error"));
        form->field("--max")->type(QStringLiteral("16"));
        QCOMPARE(banner().text(), remarks);
        QVERIFY(banner().isVisible());
        form->field("--max")->type(QStringLiteral("8"));
        window().startExploring();
        QCOMPARE(banner().text(), problem);
        // The problem does not belong to another plan.
        QVERIFY(window().openConfig(fileWith("params.yaml", m_config)));
        QVERIFY2(!banner().isVisible(), qPrintable(banner().text()));
    }

    void startsOnceItsPythonIsKnown_data()
    {
        rows<bool>({{"and says its problem then", false}, {"unless something else is asked", true}});
    }
    void startsOnceItsPythonIsKnown()
    {
        const bool changesItsMind = row<bool>();
        engine::ExplorationOptions options;
        options.python = QStringLiteral("/no/such/python");
        open(options);
        const auto* plan = window().findChild<PlanView*>();
        const QString asking = plan->problem();
        window().startExploring();
        QCOMPARE(banner().text(), asking);
        QCOMPARE(banner().accessibleName(), QStringLiteral("Message"));
        if (changesItsMind)
            window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("3"));
        TRY_VERIFY(plan->problem() != asking);
        // The effect of the answer begins after the repaint.
        QCoreApplication::processEvents();
        QCOMPARE(banner().isVisible(), !changesItsMind);
        if (!changesItsMind) {
            QCOMPARE(banner().text(), plan->problem());
            QCOMPARE(banner().accessibleName(), QStringLiteral("Error"));
        }
    }

    void showsEverythingInTheHistoryAboutARun()
    {
        exploreIntoHistory();
        window().setHistory(history());
        open(optionsWith({}));
        TRY_VERIFY(entryOf("6 trials"));
        entryOf("6 trials")->click();
        const QString sentence = message();
        QVERIFY2(sentence.startsWith(QStringLiteral("Viewing the run of ")), qPrintable(sentence));
        QVERIFY2(sentence.contains(QStringLiteral(" (training). Finished after 6 trials with size ")) &&
                     sentence.contains(QStringLiteral(", on cpu")),
                 qPrintable(sentence));
        const auto labels = window().findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [this](const QLabel* label) {
            return label->isVisible() &&
                   label->text().startsWith(QStringLiteral("batchpeak explore %1 ").arg(m_path)) &&
                   label->text().contains(QStringLiteral("--max-trials 6"));
        }));
        // The state of its search is recomputed.
        const auto* course = window().findChild<CourseChart*>();
        TRY_VERIFY2(course->accessibleDescription().contains(QStringLiteral("and 6 trials")),
                    qPrintable(course->accessibleDescription()));
        QVERIFY(!window().findChild<ContendersList*>()->accessibleDescription().isEmpty());
    }

    void remembersOptionsOfTheUserButNotOfTheCommandLine()
    {
        auto given = optionsWith({});
        given.memoryLimitBytes = std::int64_t{20} << 20;
        given.devices = QStringList{QStringLiteral("cpu")};
        open(given);
        window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("4"));
        QCOMPARE(WindowSettings().optionsOf(m_path),
                 (QStringList{QStringLiteral("--tolerance"), QStringLiteral("4")}));

        MainWindow later;
        later.show();
        later.setOptions(optionsWith({}));
        QVERIFY(later.openConfig(m_path));
        const auto& preview = later.findChild<PlanView*>()->preview();
        QCOMPARE(preview.option("--memory-limit").text, QString());
        QCOMPARE(preview.option("--tolerance").text, QStringLiteral("4"));
        QPushButton* reset = buttonOf(later, "Reset all");
        QVERIFY(reset && reset->isVisible());
        const auto* banner = qobject_cast<MessageBanner*>(reset->parentWidget());
        QVERIFY(banner && banner->text().endsWith(QStringLiteral(": --tolerance 4")));
        QTest::mouseClick(reset, Qt::LeftButton);
        QCOMPARE(preview.option("--tolerance").text, QStringLiteral("2"));
        QVERIFY(banner->isHidden());
        QVERIFY(WindowSettings().optionsOf(m_path).isEmpty());
    }

    void movesNothingWhenRememberedOptionsChange()
    {
        WindowSettings().setOptionsOf(m_path, {QStringLiteral("--tolerance"), QStringLiteral("4")});
        open(optionsWith({}));
        const auto* bar = qobject_cast<MessageBanner*>(buttonOf(window(), "Reset all")->parentWidget());
        QVERIFY(bar && bar->isVisible());
        QCoreApplication::processEvents();
        const auto* plan = window().findChild<PlanView*>();
        const QPoint before = plan->mapTo(&window(), QPoint(0, 0));
        const int height = plan->height();
        window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("3"));
        TRY_VERIFY(plan->height() > height);
        QVERIFY(bar->isHidden());
        QCOMPARE(plan->mapTo(&window(), QPoint(0, 0)), before);
    }

    void showsRememberedOptionsOfARunThatStartsImmediately()
    {
        WindowSettings().setOptionsOf(m_path, {QStringLiteral("--tolerance"), QStringLiteral("4"),
                                               QStringLiteral("--phase"), QStringLiteral("eval")});
        // An explicit option takes precedence, even with the default value.
        auto names = engine::givenNames(optionsWith({}));
        window().setOptions(optionsWith(QStringLiteral("trial=hang")), names << QStringLiteral("--phase"));
        QVERIFY(window().openConfig(m_path));
        window().startExploring();
        TRY_VERIFY(snapshot().runsTrials());
        QCOMPARE(snapshot().run->phase, model::Phase::Train);
        QCOMPARE(snapshot().run->tolerance, 0.04);
        QVERIFY2(message().startsWith(QStringLiteral("This run uses options remembered")) &&
                     message().endsWith(QStringLiteral(": --tolerance 4")),
                 qPrintable(message()));
        QTest::mouseClick(buttonOf(window(), "Reset all"), Qt::LeftButton);
        QVERIFY(WindowSettings().optionsOf(m_path).isEmpty());
        QVERIFY2(!message().contains(QStringLiteral("--tolerance")), qPrintable(message()));
        QCOMPARE(snapshot().run->tolerance, 0.04);
    }

    void followsARunOfAnotherWindow()
    {
        auto elsewhere = std::make_unique<Elsewhere>(history(), m_path);
        TRY_VERIFY(elsewhere->exploration.snapshot().trials.size() == 3);
        window().setHistory(history());
        open(optionsWith({}));
        TRY_VERIFY(buttonOf(window(), "Watch it")->isVisible());
        const auto* plan = window().findChild<PlanView*>();
        TRY_VERIFY(std::ranges::any_of(plan->findChildren<QLabel*>(), [](const QLabel* label) {
            return label->text().startsWith(
                QStringLiteral("Another window or terminal has been exploring this config since "));
        }));
        // The two runs would disturb each other.
        QString question;
        test::whenOpen<QMessageBox>(&window(), [&](QMessageBox* box) {
            question = box->informativeText();
            buttonOf(*box, "Wait")->click();
        });
        window().startExploring();
        QVERIFY2(question.contains(QStringLiteral("would disturb each other")), qPrintable(question));
        QVERIFY(!snapshot().run);

        buttonOf(window(), "Watch it")->click();
        QVERIFY2(message().contains(QStringLiteral("running in another window or terminal. 3 trials so far")),
                 qPrintable(message()));
        TRY_VERIFY2(status().contains(QStringLiteral("Trial 3")), qPrintable(status()));
        QVERIFY2(!message().contains(QStringLiteral("Finished")), qPrintable(message()));
        // The hanging trial is skipped, and the run continues to its end.
        elsewhere->exploration.skipTrial();
        TRY_VERIFY(elsewhere->exploration.snapshot().finish.has_value());
        TRY_VERIFY2(message().contains(QStringLiteral("(training). Finished after ")), qPrintable(message()));
        TRY_VERIFY2(status().contains(QStringLiteral("Finished after ")), qPrintable(status()));
        QCOMPARE(kindOfLookingBack("Back to the plan"), QStringLiteral("Earlier run"));
        actionOf(window(), "Back to the plan")->trigger();
        QVERIFY(isPlanVisible());
        TRY_VERIFY(!buttonOf(window(), "Watch it")->isVisible());
    }

    void asksOnlyIfAnotherRunUsesTheSameDevices_data()
    {
        rows<QString, bool, bool>({{"once devices are found", {QStringLiteral("cuda:7"), true, true}},
                                   {"before they are", {QStringLiteral("cuda:7"), false, true}},
                                   {"on the same device", {QStringLiteral("cpu"), true, false}},
                                   {"before that is known", {QStringLiteral("cpu"), false, false}}});
    }
    void asksOnlyIfAnotherRunUsesTheSameDevices()
    {
        const auto& [device, areFound, isUnasked] = row<QString, bool, bool>();
        store::HistoryWriter elsewhere(history());
        elsewhere.begin({.started = QDateTime::currentDateTimeUtc(), .filePath = QStringLiteral("/a.yaml")});
        elsewhere.addDevice({.id = device, .name = {}, .program = {}});
        window().setHistory(history());
        auto options = optionsWith({});
        options.devices = QStringList{QStringLiteral("cpu")};
        open(options);
        if (areFound)
            TRY_VERIFY(window().findChild<PlanView*>()->preview().hasChosenDevice());
        bool isAsked = false;
        test::whenOpen<QMessageBox>(&window(), [&](QMessageBox* box) {
            isAsked = true;
            buttonOf(*box, "Wait")->click();
        });
        window().startExploring();
        QCOMPARE(!isAsked, isUnasked);
        if (isUnasked)
            TRY_VERIFY(snapshot().finish.has_value());
    }

    void startsThroughALauncherWithoutAQuestion()
    {
        const Elsewhere elsewhere(history(), m_path);
        TRY_VERIFY(elsewhere.exploration.snapshot().runsTrials());
        window().setHistory(history());
        auto options = optionsWith({});
        options.places = {QStringLiteral("env")};
        open(options);
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
    }

    void showsThePlanIfItCannotStart()
    {
        explore(optionsWith({}));
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
        actionOf(window(), "Plan")->trigger();
        window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("x"));
        actionOf(window(), "Previous run")->trigger();
        QVERIFY(!isPlanVisible() && actionOf(window(), "Export")->isEnabled());
        QVERIFY(!actionOf(window(), "Start")->isEnabled());
        window().startExploring();
        QVERIFY(isPlanVisible() && !actionOf(window(), "Export")->isEnabled());
        QVERIFY2(message().contains(window().findChild<PlanView*>()->problem()), qPrintable(message()));
    }

    void updatesThePlanWhileAnEarlierRunIsViewed()
    {
        explore(optionsWith({}));
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
        engine::ExplorationOptions options;
        options.python = QStringLiteral("/no/such/python");
        window().setOptions(options);
        actionOf(window(), "Plan")->trigger();
        const auto* plan = window().findChild<PlanView*>();
        const QString asking = plan->problem();
        actionOf(window(), "Previous run")->trigger();
        auto* search = window().findChild<PlanSearch*>();
        QVERIFY(!search->python());
        TRY_VERIFY(search->python());
        emit search->devicesFound(test::sampleDevices());
        actionOf(window(), "Back to the plan")->trigger();
        QVERIFY(isPlanVisible());
        QVERIFY(plan->problem() != asking);
        QVERIFY(std::ranges::any_of(plan->preview().devices, [](const engine::DevicePreview& device) {
            return device.device.id() == "cuda:0";
        }));
    }

    void exploresOnTheCpuFromAnEarlierRun()
    {
        explore(optionsWith({}));
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
        actionOf(window(), "Plan")->trigger();
        actionOf(window(), "Previous run")->trigger();
        window().findChild<WindowActions*>()->useCpu->trigger();
        QVERIFY(snapshot().run->command.contains(QStringLiteral("--device")));
        TRY_VERIFY(snapshot().finish.has_value());
    }

    void keepsTheEndedRunIfTheFileCannotBeRead()
    {
        explore(optionsWith({}, 2));
        const std::size_t trials = snapshot().trials.size();
        const QAction* present = actionOf(window(), "Back to the present run");
        QAction* continueSearch = actionOf(window(), "Go on");
        const auto breakIt = [this] {
            fileWith("params.yaml", "a: [b\n");
            QVERIFY(!window().openConfig(m_path));
            QVERIFY(errorPage()->isVisible());
        };
        breakIt();
        QVERIFY(continueSearch->isEnabled() && actionOf(window(), "Confirm")->isEnabled() &&
                present->isEnabled());
        QVERIFY(!actionOf(window(), "Export")->isEnabled());
        buttonOf(window(), "Back to the present run")->click();
        QVERIFY(!errorPage()->isVisible() && actionOf(window(), "Export")->isEnabled());
        breakIt();
        fileWith("params.yaml", m_config);
        actionOf(window(), "Read it again")->trigger();
        QVERIFY(isPlanVisible());
        QVERIFY(continueSearch->isEnabled() && actionOf(window(), "Confirm")->isEnabled() &&
                present->isEnabled());
        breakIt();
        continueSearch->trigger();
        QVERIFY(!errorPage()->isVisible() && !isPlanVisible());
        TRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(snapshot().trials.size() > trials);
        // The ended run does not belong to another file.
        QVERIFY(!window().openConfig(fileWith("broken.yaml", "a: [b\n")));
        QVERIFY(!present->isEnabled() && !continueSearch->isEnabled());
    }

    void keepsWarningsOfTheConfigAfterAFailure()
    {
        m_path = notedConfig();
        const auto warnings = engine::ConfigFile::open(m_path).contents().warnings;
        QVERIFY(!warnings.empty());
        explore(optionsWith(QStringLiteral("start=exit")));
        TRY_VERIFY(!snapshot().failure.isEmpty() && message().contains(snapshot().failure));
        actionOf(window(), "Plan")->trigger();
        QVERIFY2(message().contains(QString::fromStdString(warnings.front().sentence)),
                 qPrintable(message()));
    }

    // An action that changes even for a moment makes its buttons lose a press and the focus.
    void changesNoActionIfNothingIsNew()
    {
        const auto changed = [this] {
            // Each signal causes a repaint; the first repaint shows what the previous one could not know.
            emit window().findChild<PlanSearch*>()->pythonChanged();
            std::vector<std::unique_ptr<QSignalSpy>> spies;
            const auto actions = window().findChild<WindowActions*>()->findChildren<QAction*>();
            for (QAction* action : actions)
                spies.push_back(std::make_unique<QSignalSpy>(action, &QAction::changed));
            emit window().findChild<PlanSearch*>()->pythonChanged();
            QStringList names;
            for (std::size_t i = 0; i < spies.size(); ++i) {
                if (!spies[i]->isEmpty())
                    names << actions.at(static_cast<qsizetype>(i))->text();
            }
            return names.join(QLatin1Char('\n'));
        };
        open(optionsWith({}));
        QCOMPARE(changed(), QString());
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
        TRY_VERIFY(actionOf(window(), "Export")->isEnabled());
        auto* table = window().findChild<QTreeView*>();
        table->setCurrentIndex(table->model()->index(0, 0));
        QCOMPARE(changed(), QString());
        actionOf(window(), "Plan")->trigger();
        QCOMPARE(changed(), QString());
        window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("x"));
        QCOMPARE(changed(), QString());
        window().findChild<OptionForm*>()->field("--tolerance")->type(QStringLiteral("3"));
        window().startExploring();
        TRY_VERIFY(snapshot().finish.has_value());
        TRY_VERIFY(actionOf(window(), "Previous run")->isEnabled());
        actionOf(window(), "Plan")->trigger();
        actionOf(window(), "Previous run")->trigger();
        QCOMPARE(changed(), QString());
        QVERIFY(!window().openConfig(fileWith("broken.yaml", "a: [b\n")));
        QCOMPARE(changed(), QString());
    }

    void reportsWhereAnExplorationIsKeptInstead()
    {
        const QString folder = pathOf("a folder.sqlite");
        QVERIFY(QDir().mkpath(folder));
        const engine::ExplorationRecorder recorder(window().exploration(), folder);
        QObject::connect(&recorder, &engine::ExplorationRecorder::message, &window(),
                         &MainWindow::tellOfHistory);
        open(optionsWith(QString()));
        window().startExploring();
        TRY_VERIFY(snapshot().finish);
        QVERIFY2(banner().isVisible() && banner().text().contains(folder), qPrintable(banner().text()));
    }

    void recognizesItsOwnRunInTheHistory()
    {
        window().setHistory(history());
        const engine::ExplorationRecorder recorder(window().exploration(), history());
        const Elsewhere elsewhere(history(), m_path);
        open(optionsWith(QStringLiteral("trial=hang")));
        auto* runs = window().findChild<EarlierRuns*>();
        // Both runs have begun within the same second.
        test::whenOpen<QMessageBox>(&window(),
                                    [](QMessageBox* box) { buttonOf(*box, "Start anyway")->click(); });
        window().startExploring();
        QVERIFY(snapshot().numberInHistory > 0);
        runs->lookElsewhere();
        QCOMPARE(runs->elsewhere().size(), std::size_t{1});
        QCOMPARE(runs->elsewhere().front().exploration, elsewhere.exploration.snapshot().numberInHistory);
    }
};

BATCHPEAK_TEST(WindowInHandTest)
#include "tst_window_in_hand.moc"
