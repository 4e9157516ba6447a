// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Writes pictures of the window in every state, theme and size, and of each dialog, into a folder, for visual
// inspection:
//   QT_QPA_PLATFORM=offscreen batchpeak-render-window FOLDER [STATE | DIALOG]
// With QT_SCALE_FACTOR=2 the pictures have twice as many pixels.
#include "charts/exploration_charts.h"
#include "charts/run_charts.h"
#include "exploration/trials_view.h"
#include "exploration/unmeasurable_view.h"
#include "plan/phase_sequence.h"
#include "plan_page/plan_view.h"
#include "sample_snapshots.h"
#include "sample_trainings.h"
#include "sample_windows.h"
#include "training_window/confirmation_dialog.h"
#include "training_window/runs_model.h"
#include "training_window/training_form.h"
#include "widgets/help_dialog.h"
#include "window/export_dialog.h"
#include "window/network_dialog.h"
#include "workers/python_stack.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMouseEvent>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStandardPaths>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTextStream>
#include <QTreeView>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::ui;

namespace {

const QByteArray trainingArguments = "# Supervised fine-tuning\n"
                                     "model_name_or_path: example/our-own-7b\n"
                                     "output_dir: out # on the fast disk\n"
                                     "learning_rate: 2.0e-05\n"
                                     "gradient_accumulation_steps: 8\n"
                                     "per_device_train_batch_size: 8\n"
                                     "per_device_eval_batch_size: 4\n"
                                     "num_train_epochs: 1\n"
                                     "auto_find_batch_size: true\n"
                                     "max_seq_length: 2048\n";

const QByteArray network = "batchpeak: 1\n"
                           "model:\n"
                           "  family: llama\n"
                           "  layers: 16\n"
                           "  hidden_size: 2048\n"
                           "  heads: 32\n"
                           "  key_value_heads: 8\n"
                           "  feed_forward_size: 8192\n"
                           "  vocabulary_size: 128256\n"
                           "  max_positions: 131072\n"
                           "batch_size: 64\n";

const QByteArray unknownNetwork = R"({"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"],
 "vocab_size": 201088, "max_position_embeddings": 131072, "num_hidden_layers": 24})";
const QByteArray adapters = network + "tuning:\n"
                                      "  adapter: dora\n"
                                      "  rank: 16\n"
                                      "  alpha: 32\n"
                                      "  dropout: 0.05\n"
                                      "  targets:\n"
                                      "    - projection: query\n"
                                      "    - projection: key\n"
                                      "    - projection: value\n"
                                      "    - projection: attention_output\n"
                                      "    - projection: gate\n"
                                      "    - projection: up\n"
                                      "    - projection: down\n"
                                      "  frozen_weights: nf4\n"
                                      "sequence_length: 2048\n"
                                      "activation_checkpointing: true\n"
                                      "precision: bf16\n";

/// Does what a user does who zooms into the leading sizes with a band, selects one of them and points at
/// another.
void zoomIntoTheLeadingSizes(test::SampleWindow& window)
{
    // Charts know positions only after they have been drawn.
    window.grab();
    auto* chart = window.findChild<ThroughputChart*>();
    auto* viewport = chart->findChild<QAbstractScrollArea*>()->viewport();
    const auto at = [&](double size, double value) {
        return viewport->mapFrom(chart, chart->positionOf(size, value).toPoint());
    };
    const auto send = [&](QEvent::Type type, const QPoint& point, Qt::MouseButtons buttons) {
        const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
        QMouseEvent event(type, point, viewport->mapToGlobal(point), button, buttons, Qt::ShiftModifier);
        QCoreApplication::sendEvent(viewport, &event);
    };
    const QPoint from = at(150.0, 2320.0);
    const QPoint to = at(262.0, 2120.0);
    send(QEvent::MouseButtonPress, from, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::NoButton);
    window.findChild<ExplorationCharts*>()->setSelectedSize(208);
    emit chart->placePointedAt(192);
}

/// Returns the interpreter of an active environment on the computer of the samples.
engine::PythonStack samplePython(const QString& torch = QStringLiteral("2.11.0"))
{
    return {.program = QStringLiteral("/home/me/venv/bin/python3"),
            .version = QStringLiteral("3.12.4"),
            .torch = torch,
            .transformers = QStringLiteral("5.23.0"),
            .peft = QStringLiteral("0.21.2"),
            .devices = {QStringLiteral("NVIDIA H100 80GB HBM3"), QStringLiteral("NVIDIA H100 80GB HBM3"),
                        QStringLiteral("AMD EPYC 9554")}};
}

/// Draws the requested pictures in one theme.
class Studio
{
public:
    /// \param only  name of the only state or dialog to draw; empty for all
    Studio(const QDir& folder, QString only, const Theme& theme)
        : m_folder(folder), m_only(std::move(only)), m_theme(theme)
    {
        applyTheme(m_owner, theme);
    }

    void drawAll()
    {
        for (const auto& [name, snapshot] : test::allSamples()) {
            drawState<test::SampleWindow>(name, snapshot, [name = name](test::SampleWindow& window) {
                if (name == QLatin1String("stalled"))
                    emit window.findChild<ThroughputChart*>()->placePointedAt(96);
                if (name == QLatin1String("comparing"))
                    emit window.findChild<ThroughputChart*>()->placePointedAt(224);
                auto* charts = window.findChild<ExplorationCharts*>();
                if (name == QLatin1String("utilization"))
                    charts->setQuantity(engine::SpeedQuantity::ModelFlopUtilization);
                if (name == QLatin1String("energy"))
                    charts->setQuantity(engine::SpeedQuantity::JoulesPerSample);
                if (name == QLatin1String("zoomed"))
                    zoomIntoTheLeadingSizes(window);
            });
        }
        for (const auto& [name, snapshot] : test::allTrainings()) {
            drawState<test::SampleTrainingWindow>(
                name, snapshot,
                [name = name](test::SampleTrainingWindow& window) { prepareTraining(window, name); });
        }
        drawInsight();
        drawPlans();
        drawLookingBack();
        drawEvaluation();
        drawUnmeasurable();
        drawDialogs();
    }

private:
    bool isRequested(const QString& name) const { return m_only.isEmpty() || name == m_only; }

    /// \throws std::runtime_error
    void save(const QPixmap& picture, const QString& name, const QString& size = {}) const
    {
        const QString theme = m_theme.isDark ? QStringLiteral("-dark") : QStringLiteral("-light");
        const QString file = name + theme + size + QStringLiteral(".png");
        if (!picture.save(m_folder.filePath(file)))
            throw std::runtime_error("The picture " + file.toStdString() + " cannot be written.");
    }

    void saveWindow(QWidget& window, const QString& name, const QString& size = {}) const
    {
        // Scroll areas are laid out by posted events, after the rest.
        window.grab();
        QCoreApplication::sendPostedEvents();
        save(window.grab(), name, size);
    }

    template<typename Window, typename Snapshot, typename Prepare>
    void drawState(const QString& name, const Snapshot& snapshot, Prepare prepare) const
    {
        if (!isRequested(name))
            return;
        for (const QSize size : {QSize(1440, 900), QSize(1100, 680), QSize(900, 600)}) {
            Window window(m_theme, size);
            window.display(snapshot);
            prepare(window);
            saveWindow(window, name, QStringLiteral("-%1").arg(size.width()));
        }
    }

    /// Draws each page next to the trials.
    void drawInsight() const
    {
        const auto config = engine::ConfigFile::open(QStringLiteral("gpt2-tiny.yaml"));
        for (const char* page : {"Steer", "Devices", "Batch", "Log"}) {
            const QString name = QStringLiteral("insight-%1").arg(QString::fromLatin1(page).toLower());
            if (!isRequested(name))
                continue;
            test::SampleWindow window(m_theme, QSize(1440, 900));
            engine::Snapshot snapshot = test::runningSnapshot();
            snapshot.run->plan.globalBatchSize = 1000;
            snapshot.run->plan.devices = 2;
            snapshot.run->plan.setting = config::Fixed{128};
            snapshot.accumulationSteps = snapshot.run->plan.accumulationSteps(192);
            engine::DeviceSnapshot second = test::sampleGpu(QStringLiteral("cuda:1"));
            second.restarts = 1;
            second.telemetry.throttle = engine::Throttle::Heat;
            second.telemetry.otherBytes = test::bytesOf(14.0);
            second.telemetry.processes = {{.pid = 812, .name = "python3", .bytes = {}}};
            snapshot.devices.push_back(second);
            window.view()->setConfig(config);
            window.display(snapshot);
            for (auto* tabs : window.findChildren<QTabBar*>()) {
                for (int tab = 0; tab < tabs->count(); ++tab) {
                    if (tabs->tabText(tab) == QLatin1String(page))
                        tabs->setCurrentIndex(tab);
                }
            }
            saveWindow(window, name);
        }
    }

    void drawPlans()
    {
        const QString gpt = QStringLiteral("gpt2-tiny.yaml");
        drawPlan("plan", gpt, {}, test::sampleDevices());
        drawPlan("plan-cpu", gpt, {}, test::processorAlone());
        engine::ExplorationOptions options;
        options.phase = model::Phase::Eval;
        options.devices = {QStringLiteral("cuda:0"), QStringLiteral("cpu")};
        options.timeBudget = std::chrono::minutes(10);
        options.tolerance = 0.03;
        drawPlan("plan-yours", fileWith("own.yaml", network), options, test::sampleDevices());
        engine::ExplorationOptions other;
        drawPlan("plan-adapters", fileWith("adapters.yaml", adapters), other, test::sampleDevices());
        other.setting = config::Fixed{32};
        other.precision = model::Precision::Fp32;
        other.adapterRank = 64;
        drawPlan("plan-another-run", fileWith("adapters.yaml", adapters), other, test::sampleDevices());
        options.phase = model::Phase::Train;
        options.minimum = 64;
        options.maximum = 8;
        drawPlan("plan-problem", gpt, options, test::sampleDevices());
        device::LocalDevices server = test::sampleDevices();
        for (int index = 2; index < 8; ++index) {
            const auto place = server.devices.end() - 1;
            server.devices.insert(place, server.devices.front())->index = index;
        }
        drawPlan("plan-server", gpt, {.bothPhases = true}, server);
        engine::ExplorationOptions inPython;
        inPython.python = engine::anyPython;
        drawPlan("plan-python", gpt, inPython, test::sampleDevices(),
                 samplePython(QStringLiteral("2.9.1+cu128")));
        drawPlan("plan-python-alone", fileWith("config.json", unknownNetwork), {}, test::sampleDevices());
        drawPlan(
            "plan-python-lacks", gpt, inPython, test::processorAlone(),
            engine::PythonStack{
                .program = QStringLiteral("/usr/bin/python3"),
                .version = QStringLiteral("3.12.4"),
                .torch = QStringLiteral("2.11.0"),
                .problem = QStringLiteral(
                    "/usr/bin/python3 has no transformers. To install it: /usr/bin/python3 -m venv "
                    "~/batchpeak-python && ~/batchpeak-python/bin/python3 -m pip install 'torch>=2.5' "
                    "'transformers>=4.45'; then name it by --with python=~/batchpeak-python/bin/python3")});
    }

    void drawPlan(const char* name, const QString& config, const engine::ExplorationOptions& options,
                  const device::LocalDevices& devices,
                  const engine::PythonStack& python = samplePython()) const
    {
        if (!isRequested(QString::fromUtf8(name)))
            return;
        const auto file = engine::ConfigFile::open(config);
        for (const QSize size : {QSize(1440, 900), QSize(1100, 680)}) {
            test::SampleWindow window(m_theme, size);
            PlanView* plan = window.view()->plan();
            plan->setConfig(file, options);
            plan->setDevices(devices);
            plan->setPython(python);
            plan->setEarlier(
                {{.text = QStringLiteral("14:02 · 192 · 96 % · 18 trials"), .choose = [] {}},
                 {.text = QStringLiteral("11/22/26 09:40 · 160 · 71 % · 9 trials"), .choose = [] {}}});
            window.view()->showPlan(true);
            engine::Snapshot planned;
            planned.run = plan->preview().run;
            window.display(planned);
            saveWindow(window, QString::fromUtf8(name), QStringLiteral("-%1").arg(size.width()));
        }
    }

    static void prepareTraining(test::SampleTrainingWindow& window, const QString& name)
    {
        TrainingForm* form = window.view()->form();
        form->setConfig(engine::ConfigFile::open(QStringLiteral("gpt2-tiny.yaml")));
        form->setRecommended(192);
        if (name == QLatin1String("training-halving"))
            emit window.findChild<RunChart*>()->placePointedAt(70);
        if (name == QLatin1String("training-predicted"))
            emit window.findChild<RunChart*>()->placePointedAt(200);
        if (name == QLatin1String("training-waiting"))
            window.display(
                test::readyTraining(),
                QStringLiteral("An exploration uses the device. Stop it, or wait until it has ended."));
        if (name == QLatin1String("training-options")) {
            form->setWords(QStringLiteral("--epochs many --eval-split 5% --precision fp32 --memory-limit 6")
                               .split(QLatin1Char(' ')));
            window.display(test::readyTraining(), form->problem());
        }
        if (name == QLatin1String("training-more")) {
            for (auto* button : form->findChildren<QPushButton*>()) {
                if (button->text().startsWith(QLatin1String("More")))
                    button->click();
            }
            window.grab();
            auto* bar = form->findChild<QScrollArea*>()->verticalScrollBar();
            bar->setValue(bar->maximum());
        }
        if (name == QLatin1String("training-compared")) {
            for (const auto& earlier : test::earlierTrainings()) {
                window.display(earlier);
                window.view()->runs()->keep(earlier);
            }
            window.display(test::predictedTraining());
            emit window.findChild<RunChart*>()->placePointedAt(90);
        }
    }

    /// Draws a config with an unknown network, and a file that is no config.
    void drawUnmeasurable()
    {
        const auto file = engine::ConfigFile::open(fileWith("sft.yaml", trainingArguments));
        const auto& unsupported = std::get<config::UnsupportedModel>(file.contents().model);
        drawUnmeasurable(
            "unmeasurable",
            {.path = file.path(), .why = QString::fromStdString(unsupported.sentence), .config = file});
        drawUnmeasurable("unreadable",
                         {.path = QStringLiteral("/home/user/finetune/sft.yaml"),
                          .why = QStringLiteral("Line 12: A list is opened here and not closed; close it."),
                          .config = {}});
    }

    void drawUnmeasurable(const char* name, const ui::UnmeasurableFile& file)
    {
        if (!isRequested(QString::fromUtf8(name)))
            return;
        test::SampleWindow window(m_theme, QSize(1100, 680));
        window.display(test::emptySnapshot());
        window.actions()->chooseNetwork->setEnabled(file.config.has_value());
        window.actions()->writeSize->setEnabled(file.config.has_value());
        window.actions()->readAgain->setEnabled(true);
        window.view()->showUnmeasurable(file);
        window.display(test::emptySnapshot());
        saveWindow(window, QString::fromUtf8(name));
    }

    /// Draws an earlier run with a selected size and the trials of that size.
    void drawLookingBack() const
    {
        drawState<test::SampleWindow>(
            QStringLiteral("looking-back"), test::continuationSnapshot(), [](test::SampleWindow& window) {
                window.view()->setLookingBack(
                    QStringLiteral(
                        "Viewing the run of 28 Nov, 14:02 (training). Finished after 18 trials with "
                        "size 192, confidence 84 %, on cuda:0 NVIDIA H100."),
                    QStringLiteral("batchpeak explore /home/user/gpt-medium.yaml --tolerance 1"));
                auto* table = window.findChild<QTreeView*>();
                window.findChild<TrialsView*>()->setSelectedSize(192);
                table->expand(table->currentIndex());
            });
    }

    /// Draws the evaluation of a config whose training was explored previously.
    void drawEvaluation() const
    {
        engine::Snapshot snapshot = test::finishedSnapshot();
        snapshot.run->phase = model::Phase::Eval;
        drawState<test::SampleWindow>(QStringLiteral("evaluation"), snapshot, [](test::SampleWindow& window) {
            engine::Snapshot training = test::finishedSnapshot();
            training.searchState.recommendation->size = 48;
            window.view()->setBefore(engine::endText(training));
        });
    }

    void drawDialogs()
    {
        const std::vector<config::ChosenSize> even{{.phase = model::Phase::Train, .microBatchSize = 16}};
        const std::vector<config::ChosenSize> uneven{{.phase = model::Phase::Train, .microBatchSize = 12}};
        drawExport(
            "export-doubtful", even, [](ExportDialog&) {},
            QStringLiteral("Confidence is 12 %, below the required 50 %."));
        drawWriteSize();
        QWidget actionsOwner;
        const WindowActions actions(&actionsOwner);
        HelpDialog help(actionsOwner.actions(), m_theme, &m_owner);
        draw("help", help);
        AboutDialog about(m_theme, &m_owner);
        draw("about", about);
        drawExport("export", even, [](ExportDialog&) {});
        drawExport("export-both",
                   {{.phase = model::Phase::Train, .microBatchSize = 16},
                    {.phase = model::Phase::Eval, .microBatchSize = 48}},
                   [](ExportDialog&) {});
        drawExport("export-choice", uneven, [](ExportDialog&) {});
        drawExport("export-chosen", uneven,
                   [](ExportDialog& dialog) { dialog.findChildren<QRadioButton*>().back()->click(); });
        drawExport("export-failed", even, [](ExportDialog& dialog) {
            dialog.setPath(QStringLiteral("/no/such/folder/sft.yaml"));
            dialog.accept();
        });
        const QString config = fileWith("sft.yaml", trainingArguments);
        const QString own = fileWith("network.yaml", network);
        drawNetwork("network", config, {}, {});
        drawNetwork("network-found", config, {}, own);
        drawNetwork("network-unknown", config, {}, QStringLiteral("nobody/nothing"));
        drawNetwork("network-override", own, own, own);
        drawConfirmation("confirm-running", test::runningConfirmation());
        drawConfirmation("confirm-done", test::doneConfirmation());
        drawConfirmation("confirm-failed", test::failedConfirmation());
    }

    void drawWriteSize()
    {
        const auto file = engine::ConfigFile::open(fileWith("sft.yaml", trainingArguments));
        ExportDialog dialog(file, model::Phase::Train, m_theme, &m_owner);
        dialog.setPath(QStringLiteral("/home/user/finetune/sft.yaml"));
        dialog.setMicroBatchSize(16);
        draw("write-size", dialog);
    }

    template<typename Prepare>
    void drawExport(const char* name, const std::vector<config::ChosenSize>& sizes, Prepare prepare,
                    const QString& doubt = {})
    {
        const auto file = engine::ConfigFile::open(fileWith("sft.yaml", trainingArguments));
        ExportDialog dialog(file, sizes, m_theme, &m_owner, doubt);
        dialog.setPath(QStringLiteral("/home/user/finetune/sft.yaml"));
        prepare(dialog);
        draw(name, dialog);
    }

    void drawNetwork(const char* name, const QString& config, const QString& present, const QString& text)
    {
        const auto file = engine::ConfigFile::open(config);
        NetworkDialog dialog(file, present, m_theme, &m_owner);
        dialog.setText(text);
        draw(name, dialog);
    }

    void drawConfirmation(const char* name, const training::ConfirmationSnapshot& snapshot)
    {
        ConfirmationDialog dialog(m_theme, &m_owner);
        dialog.display(snapshot);
        draw(name, dialog);
    }

    void draw(const char* name, QDialog& dialog) const
    {
        dialog.show();
        // Posted events of the layout show and hide scroll bars.
        QCoreApplication::processEvents();
        if (isRequested(QString::fromUtf8(name)))
            save(dialog.grab(), QString::fromUtf8(name));
    }

    QString fileWith(const char* name, const QByteArray& text) const
    {
        QFile file(m_configs.filePath(QString::fromUtf8(name)));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        return file.fileName();
    }

    QDir m_folder;
    QString m_only;
    Theme m_theme;
    QTemporaryDir m_configs;
    /// Parent of the dialogs.
    QWidget m_owner;
};

} // namespace

int main(int argc, char** argv)
{
    // Read the arguments before QApplication needs a display.
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    const bool asksForHelp = std::ranges::find(words, "--help") != words.end();
    if (asksForHelp || words.empty() || words.size() > 2 || words.front().starts_with('-')) {
        QTextStream(asksForHelp ? stdout : stderr)
            << "Usage: QT_QPA_PLATFORM=offscreen batchpeak-render-window FOLDER [STATE | DIALOG]\n"
               "Writes a picture of the window in every state, and of each dialog, into the folder.\n";
        return asksForHelp ? 0 : 1;
    }
    QStandardPaths::setTestModeEnabled(true);
    const QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    // With a relative path, pictures show the name of a file, and not its folder on this computer.
    const QDir folder(QFileInfo(arguments.at(1)).absoluteFilePath());
    QDir::setCurrent(QStringLiteral(BATCHPEAK_SOURCE_DIR "/resources/examples"));
    if (!folder.mkpath(QStringLiteral("."))) {
        QTextStream(stderr) << "The folder " << folder.path() << " cannot be made.\n";
        return 1;
    }
    try {
        for (const Theme& theme : {Theme::light(), Theme::dark()})
            Studio(folder, arguments.value(2), theme).drawAll();
    } catch (const std::runtime_error& error) {
        QTextStream(stderr) << error.what() << '\n';
        return 1;
    }
    return 0;
}
