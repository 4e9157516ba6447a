// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "exploration/exploration_view.h"
#include "exploration/recommendation_card.h"
#include "exploration/trials_model.h"
#include "exploration/trials_view.h"
#include "files/written_config.h"
#include "plan_page/option_form.h"
#include "plan_page/plan_view.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "widgets/message_banner.h"
#include "window/export_dialog.h"
#include "window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDeadlineTimer>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <set>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::actionOf;
using test::whenOpen;

/// Tests the window from a config to the written result, with a worker that answers immediately.
class WindowExplorationTest : public test::WindowFixture
{
    Q_OBJECT

    const QByteArray m_config = smallGpt2("64", "explore # to be found");
    QString m_path;

    void click(const char* text)
    {
        for (auto* button : window().findChildren<QAbstractButton*>()) {
            if (button->isVisible() && button->isEnabled() &&
                button->text().remove(QLatin1Char('&')) == QString::fromUtf8(text)) {
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        }
        QFAIL(qPrintable(QStringLiteral("no button %1").arg(QString::fromUtf8(text))));
    }

    void chooseInTheNextDialog(const QString& path)
    {
        whenOpen<QFileDialog>(&window(), [path](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>()->setText(path);
            static_cast<QDialog*>(dialog)->accept();
        });
    }

    void answerWith(const char* button)
    {
        whenOpen<QDialog>(&window(),
                          [button](QDialog* question) { test::buttonOf(*question, button)->click(); });
    }

    void explore(const engine::ExplorationOptions& options)
    {
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_VERIFY(snapshot().finish.has_value());
        // The title changes with the next repaint.
        TRY_VERIFY(window().windowTitle().startsWith(QStringLiteral("●")));
    }

    void activate()
    {
        QEvent activation(QEvent::WindowActivate);
        QApplication::sendEvent(&window(), &activation);
    }

private slots:
    void init() { m_path = fileWith("params.yaml", m_config); }

    void exportsTheRecommendedSize()
    {
        explore(optionsWith(QString()));
        const QByteArray size = QByteArray::number(qlonglong(snapshot().searchState.recommendation->size));
        const QString target = pathOf("found.yaml");
        whenOpen<ExportDialog>(&window(), [&](ExportDialog* dialog) {
            dialog->setPath(target);
            dialog->accept();
        });
        click("Export…");
        QCOMPARE(test::readFile(target), QByteArray(m_config).replace("explore #", size + " #"));
        QCOMPARE(test::readFile(m_path), m_config);
        QVERIFY2(banner().text().contains(target), qPrintable(banner().text()));
    }

    void exploresBothPhasesAndExportsBothSizes()
    {
        const QByteArray evaluation("eval_input:\n  batch_size: 64\n  micro_batch_size: explore # too\n");
        // Options are remembered per config, so this test uses its own.
        m_path = fileWith("both.yaml", m_config + evaluation);
        engine::ExplorationOptions options = optionsWith(QString());
        options.bothPhases = true;
        options.minConfidence = 0.0;
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
        std::vector<std::int64_t> found;
        engine::onEvent<engine::Finished>(window().exploration(), this, [&](const auto&) {
            found.push_back(snapshot().searchState.recommendation->size);
        });
        click("Start");
        TRY_COMPARE(found.size(), 2);
        QCOMPARE(snapshot().run->phase, model::Phase::Eval);
        const auto* card = window().findChild<RecommendationCard*>();
        const QString message = QStringLiteral("Training: %1, ").arg(found.front());
        TRY_VERIFY2(card->summary().contains(message), qPrintable(card->summary()));
        TRY_VERIFY(actionOf(window(), "Export")->isEnabled());
        whenOpen<ExportDialog>(&window(), [](ExportDialog* dialog) { dialog->accept(); });
        click("Export…");
        const QByteArray trained = QByteArray::number(qlonglong(found.front()));
        const QByteArray evaluated = QByteArray::number(qlonglong(found.back()));
        QCOMPARE(test::readFile(m_path), QByteArray(m_config).replace("explore #", trained + " #") +
                                             QByteArray(evaluation).replace("explore #", evaluated + " #"));
        QVERIFY2(banner().text().contains(QString::fromUtf8(evaluated + " for evaluation")),
                 qPrintable(banner().text()));
    }

    void showsThePlanUntilItStarts()
    {
        window().setOptions(optionsWith(QString()));
        QVERIFY(window().openConfig(m_path));
        auto* plan = window().findChild<PlanView*>();
        QVERIFY(plan && plan->isVisible());
        click("Start");
        QVERIFY(!plan->isVisible());
        TRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(!plan->isVisible());
        actionOf(window(), "Plan")->trigger();
        QVERIFY(plan->isVisible());
    }

    void startsNoImpossiblePlan()
    {
        engine::ExplorationOptions options = optionsWith(QString());
        options.minimum = 64;
        window().setOptions(options);
        QVERIFY(window().openConfig(m_path));
        QAction* start = actionOf(window(), "Start");
        QVERIFY(!start->isEnabled());
        QVERIFY2(start->toolTip().contains(QStringLiteral("above the largest")),
                 qPrintable(start->toolTip()));
        auto* field = window().findChild<OptionForm*>()->field("--min");
        emit field->cleared();
        QVERIFY(start->isEnabled());
    }

    void remembersTheOptionsOfAConfig()
    {
        QVERIFY(window().openConfig(m_path));
        engine::ExplorationOptions options;
        options.tolerance = 0.04;
        emit window().findChild<PlanView*>()->optionsChanged(options);
        MainWindow other;
        QVERIFY(other.openConfig(m_path));
        QCOMPARE(other.findChild<PlanView*>()->preview().option("--tolerance").text, QStringLiteral("4"));
        // Options of the command line take precedence.
        engine::ExplorationOptions given;
        given.tolerance = 0.01;
        given.maximum = 16;
        MainWindow third;
        third.setOptions(given);
        QVERIFY(third.openConfig(m_path));
        QCOMPARE(third.findChild<PlanView*>()->preview().option("--tolerance").text, QStringLiteral("1"));
        // Nothing is remembered for another config.
        QVERIFY(other.openConfig(fileWith("other.yaml", m_config)));
        QCOMPARE(other.findChild<PlanView*>()->preview().option("--tolerance").text, QStringLiteral("2"));
    }

    void asksBeforeItWritesADoubtfulSize()
    {
        engine::ExplorationOptions options = optionsWith(QString(), 2);
        options.minConfidence = 0.95;
        explore(options);
        QVERIFY(snapshot().searchState.recommendation->confidence < 95);
        QStringList buttons;
        QString why;
        whenOpen<ExportDialog>(&window(), [&](ExportDialog* dialog) {
            for (const auto* button : dialog->findChildren<QPushButton*>())
                buttons << button->text().remove(QLatin1Char('&'));
            for (const auto* label : dialog->findChildren<QLabel*>())
                why += label->text() + QLatin1Char('\n');
            dialog->reject();
        });
        click("Export…");
        QVERIFY2(buttons.contains(QStringLiteral("Write anyway")),
                 qPrintable(buttons.join(QLatin1Char(' '))));
        QVERIFY2(why.contains(QStringLiteral("below the required 95 %")) && why.contains(snapshot().reason),
                 qPrintable(why));
        QCOMPARE(test::readFile(m_path), m_config);
    }

    void exportsTheRowThatIsSelected()
    {
        window().setHistory(pathOf("history.sqlite"));
        explore(optionsWith(QString()));
        const std::int64_t recommended = snapshot().searchState.recommendation->size;
        auto* table = window().findChild<QTreeView*>();
        QModelIndex other = table->model()->index(0, 0);
        if (other.data(TrialsModel::SizeRole).toLongLong() == recommended)
            other = table->model()->index(1, 0);
        const QByteArray size = QByteArray::number(other.data(TrialsModel::SizeRole).toLongLong());
        QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier,
                          table->visualRect(other).center());
        // The button names the size before it is pressed.
        const QByteArray named = "Export " + size;
        TRY_VERIFY(actionOf(window(), named.constData()));
        whenOpen<ExportDialog>(&window(), [](ExportDialog* dialog) { dialog->accept(); });
        actionOf(window(), named.constData())->trigger();
        QCOMPARE(test::readFile(m_path), QByteArray(m_config).replace("explore #", size + " #"));
        // Another export over it does not count as a change by another program.
        table->clearSelection();
        TRY_VERIFY(actionOf(window(), "Export to"));
        whenOpen<ExportDialog>(&window(), [](ExportDialog* dialog) { dialog->accept(); });
        actionOf(window(), "Export to")->trigger();
        const QByteArray second = QByteArray::number(qlonglong(recommended));
        QCOMPARE(test::readFile(m_path), QByteArray(m_config).replace("explore #", second + " #"));
        // Both exports are undone, the newest first, each after the user has agreed.
        answerWith("Keep");
        click("Undo the last export");
        QCOMPARE(test::readFile(m_path), QByteArray(m_config).replace("explore #", second + " #"));
        for (const QByteArray& restored :
             {QByteArray(m_config).replace("explore #", size + " #"), m_config}) {
            answerWith("Restore");
            actionOf(window(), "Undo the last export")->trigger();
            QCOMPARE(test::readFile(m_path), restored);
        }
        QVERIFY(!actionOf(window(), "Undo the last export")->isEnabled());
        // The context menu of the row exports the size as well.
        table->setCurrentIndex(other);
        TRY_VERIFY(actionOf(*table, named.constData()));
        whenOpen<ExportDialog>(&window(), [](ExportDialog* dialog) { dialog->accept(); });
        actionOf(*table, named.constData())->trigger();
        QCOMPARE(test::readFile(m_path), QByteArray(m_config).replace("explore #", size + " #"));
    }

    void undoesEarlierExportsToo()
    {
        QFile::remove(pathOf("history.sqlite"));
        window().setHistory(pathOf("history.sqlite"));
        explore(optionsWith(QString()));
        const QString copy = pathOf("copy.yaml");
        QFile::remove(copy);
        for (const QString& path : {m_path, copy}) {
            whenOpen<ExportDialog>(&window(), [&](ExportDialog* dialog) {
                dialog->setPath(path);
                dialog->accept();
            });
            click("Export…");
        }
        QVERIFY(QFile::exists(copy) && test::readFile(m_path) != m_config);
        answerWith("Remove");
        actionOf(window(), "Undo the last export")->trigger();
        QVERIFY(!QFile::exists(copy) && test::readFile(m_path) != m_config);
        answerWith("Restore");
        actionOf(window(), "Undo the last export")->trigger();
        QCOMPARE(test::readFile(m_path), m_config);
    }

    void requestsTheSizeOfARow()
    {
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        auto* table = window().findChild<QTreeView*>();
        TRY_VERIFY(table->model()->rowCount() > 0);
        QVERIFY(!actionOf(*table, "Exclude")->isEnabled());
        table->setCurrentIndex(table->model()->index(0, 0));
        const auto size = table->model()->index(0, 0).data(TrialsModel::SizeRole).toLongLong();
        TRY_VERIFY(actionOf(*table, "Exclude")->isEnabled());
        QCOMPARE(actionOf(*table, "Exclude")->text(), QStringLiteral("E&xclude %1").arg(size));
        actionOf(*table, "Try")->trigger();
        TRY_VERIFY(snapshot().askedSizes == std::vector<std::int64_t>{size});
        actionOf(*table, "Exclude")->trigger();
        TRY_VERIFY(snapshot().searchState.excluded == std::vector<std::int64_t>{size});
        window().stopAndClose();
        TRY_VERIFY(!window().isVisible());
    }

    // A message moves nothing, since the user may be about to click.
    void showsMessagesOverThePage()
    {
        explore(optionsWith(QString()));
        const auto* card = window().findChild<RecommendationCard*>();
        const QRect before(card->mapTo(&window(), QPoint(0, 0)), card->size());
        chooseInTheNextDialog(pathOf("no/such/folder/trials.csv"));
        actionOf(window(), "Save trials")->trigger();
        QVERIFY(banner().isVisible());
        QCoreApplication::processEvents();
        QCOMPARE(QRect(card->mapTo(&window(), QPoint(0, 0)), card->size()), before);
        const QRect message(banner().mapTo(&window(), QPoint(0, 0)), banner().size());
        QVERIFY(window().rect().contains(message) && message.height() > 20);
        window().resize(window().size() - QSize(200, 100));
        QCoreApplication::processEvents();
        QVERIFY(window().rect().contains(QRect(banner().mapTo(&window(), QPoint(0, 0)), banner().size())));
    }

    void copiesTheRowsThatAreSelected()
    {
        explore(optionsWith(QString()));
        auto* table = window().findChild<QTreeView*>();
        window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window()));
        table->setFocus();
        const QModelIndex second = table->model()->index(1, 0);
        table->setCurrentIndex(second);
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines =
            QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines.back().startsWith(second.data().toString() + QLatin1Char('\t')),
                 qPrintable(lines.back()));
    }

    void sortsByTheHeaderThatIsClicked()
    {
        explore(optionsWith(QString()));
        auto* table = window().findChild<QTreeView*>();
        const auto sizes = [&] {
            QList<int> found;
            for (int row = 0; row < table->model()->rowCount(); ++row)
                found << table->model()->index(row, 0).data(TrialsModel::SizeRole).toInt();
            return found;
        };
        const auto clickOn = [&](int column) {
            const QHeaderView* header = table->header();
            QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier,
                              {header->sectionViewportPosition(column) + 8, header->height() / 2});
        };
        clickOn(TrialsModel::Size);
        const QList<int> ascending = sizes();
        QVERIFY(ascending.size() > 1 && std::is_sorted(ascending.begin(), ascending.end()));
        // The selection moves with its row.
        table->setCurrentIndex(table->model()->index(0, 0));
        clickOn(TrialsModel::Size);
        QCOMPARE(sizes(), QList<int>(ascending.rbegin(), ascending.rend()));
        QCOMPARE(table->currentIndex().row(), static_cast<int>(ascending.size()) - 1);
        QVERIFY(table->selectionModel()->isRowSelected(table->currentIndex().row(), {}));
        // The fastest first.
        clickOn(TrialsModel::Rate);
        QVERIFY(table->model()->index(0, TrialsModel::Rate).data(TrialsModel::SortRole).toDouble() >=
                table->model()->index(1, TrialsModel::Rate).data(TrialsModel::SortRole).toDouble());
    }

    void writesTheTrials()
    {
        explore(optionsWith(QString()));
        const QString target = pathOf("trials.csv");
        chooseInTheNextDialog(target);
        actionOf(window(), "Save trials")->trigger();
        QCOMPARE(test::readFile(target).count('\n'), static_cast<int>(snapshot().trials.size()) + 1);
    }

    void overwritesNoFileThatItReads_data()
    {
        rows<const char*, bool>({{"trials over the config", {"Save trials", false}},
                                 {"charts over the config", {"Save charts", false}},
                                 {"trials over the sample lengths", {"Save trials", true}},
                                 {"charts over the sample lengths", {"Save charts", true}}});
    }
    void overwritesNoFileThatItReads()
    {
        const auto& [action, areLengths] = row<const char*, bool>();
        engine::ExplorationOptions options = optionsWith(QString());
        options.sampleLengthsPath = pathOf("lengths.txt");
        options.sampleLengths = {16, 24};
        test::writeFile(options.sampleLengthsPath, "16\n24\n");
        explore(options);
        const QString needed = areLengths ? options.sampleLengthsPath : m_path;
        const QByteArray before = test::readFile(needed);
        const QString link = pathOf("table.csv");
        QFile::remove(link);
        QVERIFY(QFile::link(needed, link));
        // The user agrees to replace the file.
        whenOpen<QMessageBox>(&window(), [](QMessageBox* box) { box->button(QMessageBox::Yes)->click(); });
        chooseInTheNextDialog(link);
        actionOf(window(), action)->trigger();
        QVERIFY2(banner().text().contains(QStringLiteral("is a file that this run needs")),
                 qPrintable(banner().text()));
        QCOMPARE(test::readFile(needed), before);
        QFile::remove(link);
    }

    void writesTheChartsWithTwiceThePixels()
    {
        explore(optionsWith(QString()));
        const QString target = pathOf("charts.png");
        chooseInTheNextDialog(target);
        actionOf(window(), "Save charts")->trigger();
        const QImage picture(target);
        const auto* charts = window().findChild<QWidget*>(QStringLiteral("charts"));
        QVERIFY(!picture.isNull());
        QVERIFY(picture.width() > 2 * charts->width());
        QVERIFY(picture.height() > 2 * charts->height());
    }

    void writesTheChartsInTheFormatOfTheirName_data()
    {
        test::rows<const char*, const char*>({{"SVG", {"curves.svg", nullptr}},
                                              {"PDF", {"curves.pdf", "%PDF-"}},
                                              {"PNG", {"curves.PNG", "\x89PNG"}},
                                              {"no ending", {"curves", "\x89PNG"}},
                                              {"another", {"curves.gif", nullptr}}});
    }
    void writesTheChartsInTheFormatOfTheirName()
    {
        const auto& [name, beginning] = test::row<const char*, const char*>();
        explore(optionsWith(QString()));
        const QString target = pathOf(name);
        chooseInTheNextDialog(target);
        actionOf(window(), "Save charts")->trigger();
        if (!beginning) {
            QVERIFY(!QFile::exists(target));
            QVERIFY2(banner().text().contains(QStringLiteral(".pdf")), qPrintable(banner().text()));
            return;
        }
        const QByteArray written =
            test::readFile(QFile::exists(target) ? target : target + QStringLiteral(".png"));
        QVERIFY2(written.startsWith(beginning), written.left(20).constData());
    }

    void reportsWhereNothingCanBeWritten()
    {
        explore(optionsWith(QString()));
        chooseInTheNextDialog(pathOf("no/such/folder/trials.csv"));
        actionOf(window(), "Save trials")->trigger();
        QVERIFY2(banner().text().contains(QStringLiteral("could not be written")),
                 qPrintable(banner().text()));
    }

    void continuesFromItsTrials()
    {
        // Two trials are too few to be confident.
        explore(optionsWith(QString(), 2));
        QVERIFY(snapshot().finish == engine::FinishStatus::Budget);
        const auto trials = snapshot().trials;
        click("Go on");
        QVERIFY(!snapshot().finish);
        TRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(snapshot().trials.size() > trials.size());
        QVERIFY(std::equal(trials.begin(), trials.end(), snapshot().trials.begin()));
    }

    void restartsWithAWorkingWorker()
    {
        window().setOptions(optionsWith(QStringLiteral("start=exit complain=no-such-library")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_COMPARE(snapshot().state, engine::State::Failed);
        TRY_VERIFY(banner().isVisible());
        QVERIFY2(banner().text().contains(QStringLiteral("no-such-library")), qPrintable(banner().text()));

        window().setOptions(optionsWith(QString()));
        click("Restart");
        QVERIFY(!banner().isVisible());
        TRY_COMPARE(snapshot().state, engine::State::Finished);
        QVERIFY(snapshot().searchState.recommendation);
    }

    void keepsThePreviousRunReachable()
    {
        explore(optionsWith(QString()));
        const engine::Snapshot first = snapshot();
        QAction* previous = actionOf(window(), "Previous run");
        QAction* present = actionOf(window(), "Back to the present run");
        QVERIFY(!previous->isEnabled());
        click("Start again");
        TRY_VERIFY(snapshot().finish.has_value());
        TRY_VERIFY(previous->isEnabled());

        fileWith("params.yaml", QByteArray(m_config).replace("batch_size: 64", "batch_size: 48"));
        click("Start again");
        previous->trigger();
        const auto& card = *window().findChild<RecommendationCard*>();
        const QString size = engine::numberText(first.searchState.recommendation->size);
        QVERIFY2(card.summary().contains(size), qPrintable(card.summary()));
        QVERIFY(present->isEnabled());
        QVERIFY(test::buttonOf(window(), "Back to the present run")->isVisible());
        // Meanwhile the current run continues, unaffected by the run that is viewed.
        TRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(present->isEnabled());
        QVERIFY(!actionOf(window(), "Go on")->isEnabled());
        click("Back to the present run");
        QVERIFY(!present->isEnabled());
        QVERIFY(!test::buttonOf(window(), "Back to the present run")->isVisible());
    }

    void repaintsWhileManySizesAreSelected()
    {
        explore(optionsWith(QString()));
        auto* view = window().findChild<ExplorationView*>();
        const QAction* exportSize = actionOf(window(), "Export");
        TRY_VERIFY(exportSize->isEnabled());
        const QString before = exportSize->text();
        auto* table = view->trials().findChild<QTreeView*>();
        const std::int64_t recommended = snapshot().searchState.recommendation->size;
        for (int row = 0; view->trials().selectedSize().value_or(recommended) == recommended; ++row)
            table->setCurrentIndex(table->model()->index(row, 0));
        const QDeadlineTimer patience(test::longestWaitMilliseconds);
        while (exportSize->text() == before && !patience.hasExpired()) {
            emit view->sizeSelected();
            QCoreApplication::processEvents();
        }
        QVERIFY(exportSize->text() != before);
    }

    void asksBeforeItClosesDuringATrial()
    {
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_VERIFY(snapshot().runsTrials());
        whenOpen<QMessageBox>(&window(),
                              [](QMessageBox* box) { test::buttonOf(*box, "Keep exploring")->click(); });
        QVERIFY(!window().close());
        QVERIFY(window().isVisible());
        QVERIFY(snapshot().isUnderWay());

        whenOpen<QMessageBox>(&window(),
                              [](QMessageBox* box) { test::buttonOf(*box, "Stop exploring")->click(); });
        window().close();
        TRY_VERIFY(snapshot().finish == engine::FinishStatus::Cancelled);
        TRY_VERIFY(!window().isVisible());
    }

    // The export is made by another window or in a terminal.
    void noticesExportsOfOtherPrograms()
    {
        const QString history = pathOf("elsewhere.sqlite");
        window().setHistory(history);
        QVERIFY(window().openConfig(m_path));
        const QAction* takeBack = actionOf(window(), "Undo the last export");
        activate();
        QVERIFY(!takeBack->isEnabled());
        const auto file = engine::ConfigFile::open(m_path);
        const std::vector<config::ChosenSize> sizes{{.phase = model::Phase::Train, .microBatchSize = 16}};
        engine::saveKept(file, file.withMicroBatchSizes(sizes), m_path, history);
        activate();
        QVERIFY(takeBack->isEnabled());
        engine::takeBack(*engine::lastWriting(m_path, history), history);
        activate();
        QVERIFY(!takeBack->isEnabled());
    }

    // Another window or an editor has changed the config.
    void readsAChangedConfigAgain_data()
    {
        rows<bool>({{"when the window is looked at again", {true}}, {"when it is to be explored", {false}}});
    }
    void readsAChangedConfigAgain()
    {
        const bool isLookedAt = row<bool>();
        window().setOptions(optionsWith(QString()));
        QVERIFY(window().openConfig(m_path));
        fileWith("params.yaml", QByteArray(m_config).replace("batch_size: 64", "batch_size: 48"));
        if (isLookedAt)
            activate();
        else
            click("Start");
        QVERIFY(!snapshot().isUnderWay());
        VERIFY_CONTAINS(banner().text(), "read again");
        click("Start");
        QCOMPARE(snapshot().run->plan.globalBatchSize, 48);
        TRY_VERIFY(snapshot().finish.has_value());
    }

    void keepsThePlanOfAConfigThatIsGone()
    {
        QVERIFY(window().openConfig(m_path));
        QVERIFY(QFile::remove(m_path));
        activate();
        QVERIFY(!banner().isVisible());
    }

    void reportsWhatTheHistoryKeepsBeforeItCloses_data()
    {
        // Path of a history, and whether a history can be created there.
        rows<const char*, bool>({{"in the history", {"kept.sqlite", true}},
                                 {"beside it", {"a folder", false}},
                                 {"nowhere", {"params.yaml/kept.sqlite", false}}});
    }
    void reportsWhatTheHistoryKeepsBeforeItCloses()
    {
        const auto& [name, isKept] = row<const char*, bool>();
        QVERIFY(QDir().mkpath(pathOf("a folder")));
        engine::ExplorationRecorder recorder(window().exploration(), pathOf(name));
        QString message;
        QObject::connect(&recorder, &engine::ExplorationRecorder::message, &window(),
                         [this, &message](const QString& sentence) {
                             message = sentence;
                             window().tellOfHistory(sentence);
                         });
        window().setHistory(pathOf(name));
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_VERIFY(snapshot().runsTrials());
        QCOMPARE(message.isEmpty(), isKept);
        QString told;
        whenOpen<QMessageBox>(&window(), [&told](QMessageBox* box) {
            told = box->informativeText();
            test::buttonOf(*box, "Keep exploring")->click();
        });
        QVERIFY(!window().close());
        QVERIFY2(isKept ? !told.startsWith(QStringLiteral("Not ")) && !told.contains(QStringLiteral("lost"))
                        : told.endsWith(message),
                 qPrintable(told));
    }

    void reportsThatNothingIsKeptWithoutAHistory()
    {
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_VERIFY(snapshot().runsTrials());
        whenOpen<QMessageBox>(&window(), [](QMessageBox* box) {
            const QString told = box->informativeText();
            test::buttonOf(*box, "Keep exploring")->click();
            VERIFY_CONTAINS(told, "lost");
        });
        QVERIFY(!window().close());
    }

    void closesOnRequestWithoutAQuestion()
    {
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_VERIFY(snapshot().runsTrials());
        window().stopAndClose();
        TRY_VERIFY(!window().isVisible());
        QVERIFY(snapshot().finish == engine::FinishStatus::Cancelled);
    }

    // A signal or the end of a session closes the window like this.
    void closesOnRequestDuringAQuestion()
    {
        window().setOptions(optionsWith(QStringLiteral("trial=hang")));
        QVERIFY(window().openConfig(m_path));
        click("Start");
        TRY_VERIFY(snapshot().runsTrials());
        whenOpen<QMessageBox>(&window(), [this](QMessageBox*) { window().stopAndClose(); });
        window().close();
        QVERIFY(!QApplication::activeModalWidget());
        TRY_VERIFY(!window().isVisible());
        QVERIFY(snapshot().finish == engine::FinishStatus::Cancelled);
    }

    void startsAgainWithTheChangedConfig()
    {
        explore(optionsWith(QString()));
        const std::size_t trials = snapshot().trials.size();
        fileWith("params.yaml", QByteArray(m_config).replace("batch_size: 64", "batch_size: 48"));
        click("Start again");
        QCOMPARE(snapshot().run->plan.globalBatchSize, 48);
        TRY_VERIFY(snapshot().finish.has_value());
        QVERIFY(snapshot().trials.size() <= trials + 1);
        std::set<std::int64_t> sizes;
        for (const auto& trial : snapshot().trials)
            sizes.insert(trial.microBatchSize);
        TRY_COMPARE(window().findChild<TrialsView*>()->model().rowCount(), static_cast<int>(sizes.size()));
    }
};

BATCHPEAK_TEST(WindowExplorationTest)
#include "tst_window_exploration.moc"
