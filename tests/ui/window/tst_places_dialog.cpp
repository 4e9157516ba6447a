// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/place.h"
#include "plan_page/plan_view.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "widgets/labels.h"
#include "window/places_dialog.h"
#include "window/places_model.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>

#include <csignal>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::buttonOf;
using test::row;
using test::rows;
using test::Text;

/// Tests the places of the window with programs that answer as a computer would, and with one that never
/// does.
class PlacesDialogTest : public test::WindowFixture
{
    Q_OBJECT

    /// Saves a place where this script runs in place of the worker and of Python.
    void savePlace(const char* name, const QByteArray& script)
    {
        const QString path = fileWith(name, "#!/bin/sh\n" + script);
        QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        engine::savePlace(QString::fromUtf8(name), path);
    }

    static QString textOf(const PlacesModel& model, int place, PlacesModel::Column column)
    {
        return model.index(place, column).data().toString();
    }

    /// Returns the line of a script that prints an object.
    static QByteArray prints(const QJsonObject& object)
    {
        return "echo '" + QJsonDocument(object).toJson(QJsonDocument::Compact) + "'\n";
    }

    static QByteArray hello(double freeBytes)
    {
        const QJsonObject device{{QStringLiteral("kind"), QStringLiteral("cuda")},
                                 {QStringLiteral("name"), QStringLiteral("NVIDIA H200")},
                                 {QStringLiteral("total_bytes"), 140.0 * (1 << 30)},
                                 {QStringLiteral("free_bytes"), freeBytes}};
        return prints({{QStringLiteral("type"), QStringLiteral("hello")},
                       {QStringLiteral("program"), QStringLiteral("batchpeak-worker 0.1.0")},
                       {QStringLiteral("framework"), QStringLiteral("libtorch 2.11.0")},
                       {QStringLiteral("device"), device}});
    }

    /// Returns the script of a computer with two GPUs, batchpeak-worker and Python.
    static QByteArray answers()
    {
        return "if [ \"${*%--describe}\" != \"$*\" ]; then\n" +
               prints({{QStringLiteral("python"), QStringLiteral("3.12.3")},
                       {QStringLiteral("torch"), QStringLiteral("2.11.0")},
                       {QStringLiteral("transformers"), QStringLiteral("5.2.0")},
                       {QStringLiteral("devices"),
                        QJsonArray{QJsonObject{{QStringLiteral("kind"), QStringLiteral("cuda")}}}}}) +
               "exit; fi\n" + hello(139.0 * (1 << 30)) + hello(70.0 * (1 << 30));
    }

private slots:
    void init()
    {
        QLocale::setDefault(QLocale::c());
        // What a prefix starts must exist, even if it is not started.
        qputenv("BATCHPEAK_WORKER", BATCHPEAK_FAKE_WORKER);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, pathOf("settings"));
        for (const QString& name : engine::savedPlaces().keys())
            engine::removePlace(name);
    }

    void testsAPlaceOnRequest()
    {
        savePlace("box", answers());
        PlacesModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.reload();
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(!model.isTested(1) && textOf(model, 1, PlacesModel::Devices).isEmpty());
        model.test(1);
        QVERIFY(model.isBusy(1));
        QVERIFY2(textOf(model, 1, PlacesModel::State).startsWith(QStringLiteral("asking")),
                 qPrintable(textOf(model, 1, PlacesModel::State)));
        TRY_VERIFY(!model.isBusy(1));
        QCOMPARE(textOf(model, 1, PlacesModel::Devices),
                 QStringLiteral("2 × NVIDIA H200\neach at least 70.0 GiB of 140 GiB free"));
        QVERIFY2(textOf(model, 1, PlacesModel::Programs).contains(QStringLiteral("libtorch 2.11.0")) &&
                     textOf(model, 1, PlacesModel::Programs).contains(QStringLiteral("Python 3.12.3")),
                 qPrintable(textOf(model, 1, PlacesModel::Programs)));
        QVERIFY2(textOf(model, 1, PlacesModel::State).startsWith(QStringLiteral("can run trials")),
                 qPrintable(textOf(model, 1, PlacesModel::State)));
        // The answer is kept, also if the list of places changes.
        savePlace("another", "exit 1\n");
        model.reload();
        QCOMPARE(model.rowCount(), 3);
        const int box = model.rowOf(QStringLiteral("box"));
        QVERIFY(model.isTested(box) && !model.isTested(model.rowOf(QStringLiteral("another"))));
        QVERIFY(model.devicesText(QStringLiteral("box")).contains(QStringLiteral("NVIDIA H200")));
        model.remove(box);
        QVERIFY(!engine::savedPlaces().contains(QStringLiteral("box")));
        QCOMPARE(model.rowCount(), 2);
    }

    void saysWhatIsMissing_data()
    {
        rows<QByteArray, Text>(
            {{"no worker", {"echo sh: not found >&2; exit 127\n", "batchpeak-worker"}},
             {"an unknown answer", {"echo Welcome\n", "Welcome"}},
             {"a hidden word", {"printf 'no \\033[2Jroom\\n' >&2; exit 1\n", "\\x1b[2J"}}});
    }
    void saysWhatIsMissing()
    {
        const auto& [script, word] = row<QByteArray, Text>();
        savePlace("box", script);
        PlacesModel model;
        model.reload();
        model.test(1);
        TRY_VERIFY(!model.isBusy(1));
        const QString state = textOf(model, 1, PlacesModel::State);
        QVERIFY2(state.startsWith(QStringLiteral("cannot run trials")) && state.contains(word),
                 qPrintable(state));
        QVERIFY2(!state.contains(QStringLiteral("--")), qPrintable(state));
        QCOMPARE(model.index(1, PlacesModel::State).data(Qt::ForegroundRole).value<QColor>(),
                 Theme::light().bad);
        // A command of the user reaches no computer that a bundle could be sent to.
        QVERIFY(!model.canSend(1));
    }

    void cancelsATest()
    {
        const QString pidFile = pathOf("pid");
        QFile::remove(pidFile);
        savePlace("box", "echo $$ >" + pidFile.toUtf8() + "; exec sleep 600\n");
        PlacesModel model;
        model.reload();
        model.test(1);
        QFile file(pidFile);
        TRY_VERIFY(file.exists() && file.size() > 1);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const int pid = file.readAll().trimmed().toInt();
        model.cancel(1);
        QVERIFY(!model.isBusy(1) && !model.isTested(1));
        TRY_VERIFY(::kill(pid, 0) != 0);
    }

    void choosesPlacesOrThisComputer()
    {
        savePlace("one", "exit 1\n");
        savePlace("two", "exit 1\n");
        PlacesModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setChosen({QStringLiteral("two"), QStringLiteral("ssh:elsewhere")});
        QCOMPARE(model.chosen(), (QStringList{QStringLiteral("two"), QStringLiteral("ssh:elsewhere")}));
        QCOMPARE(model.rowCount(), 4);
        const auto tick = [&model](int place, Qt::CheckState state) {
            return model.setData(model.index(place, PlacesModel::Name), state, Qt::CheckStateRole);
        };
        QVERIFY(!tick(1, Qt::Checked));
        model.setChoosable(true);
        QVERIFY(tick(1, Qt::Checked) && tick(3, Qt::Unchecked));
        QCOMPARE(model.chosen(), (QStringList{QStringLiteral("one"), QStringLiteral("two")}));
        QVERIFY(tick(0, Qt::Checked));
        QCOMPARE(model.chosen(), QStringList());
        QVERIFY(tick(0, Qt::Unchecked));
        QCOMPARE(model.index(0, PlacesModel::Name).data(Qt::CheckStateRole).toInt(),
                 static_cast<int>(Qt::Checked));
        QVERIFY(tick(2, Qt::Checked));
        model.remove(2);
        QCOMPARE(model.chosen(), QStringList());
    }

    void checksANewPlace_data()
    {
        rows<Text, Text, bool>({{"a host", {"box", "ssh:gpu7 -p 2222", true}},
                                {"no host", {"box", "ssh:", false}},
                                {"no command", {"box", "no-such-command", false}},
                                {"a name of two words", {"my box", "ssh:gpu7", false}},
                                {"a kind for a name", {"slurm", "ssh:gpu7", false}},
                                {"no name yet", {"", "ssh:gpu7", false}},
                                {"no place yet", {"box", "", false}}});
    }
    void checksANewPlace()
    {
        const auto& [name, text, isGood] = row<Text, Text, bool>();
        NewPlaceDialog dialog(Theme::light());
        dialog.setPlace(name, text);
        QCOMPARE(buttonOf(dialog, "Save")->isEnabled(), isGood);
        const bool isWhole = !name.isEmpty() && !text.isEmpty();
        QCOMPARE(dialog.finding().isEmpty(), isGood || !isWhole);
        QVERIFY2(!dialog.finding().contains(QStringLiteral("--")) &&
                     !dialog.finding().contains(QLatin1Char('`')),
                 qPrintable(dialog.finding()));
        dialog.accept();
        QCOMPARE(dialog.result() == QDialog::Accepted, isGood);
        QCOMPARE(engine::savedPlaces().value(QStringLiteral("box")), isGood ? QString(text) : QString());
    }

    void leadsFromThePlanToAPlace()
    {
        savePlace("box", answers());
        QVERIFY(window().openConfig(fileWith("config.yaml", smallGpt2("64", "explore"))));
        auto* plan = window().findChild<PlanView*>();
        test::whenOpen<PlacesDialog>(&window(), [](PlacesDialog* dialog) {
            auto* table = dialog->findChild<QTableView*>();
            auto* model = table->model();
            model->setData(model->index(1, PlacesModel::Name), Qt::Checked, Qt::CheckStateRole);
            table->selectRow(1);
            buttonOf(*dialog, "Test")->click();
            TRY_VERIFY(model->index(1, PlacesModel::State).data().toString().startsWith(u"can run"));
            buttonOf(*dialog, "Use box")->click();
        });
        buttonOf(*plan, "Elsewhere")->click();
        QVERIFY2(plan->command().endsWith(QStringLiteral("--on box")), qPrintable(plan->command()));
        QStringList texts;
        for (const auto* label : plan->findChildren<QLabel*>())
            texts << label->text();
        QVERIFY2(texts.join(u'\n').contains(QStringLiteral("NVIDIA H200")), qPrintable(texts.join(u'\n')));
        QVERIFY2(plan->problem().isEmpty(), qPrintable(plan->problem()));
        // And back.
        test::whenOpen<PlacesDialog>(&window(), [](PlacesDialog* dialog) {
            auto* model = dialog->findChild<QTableView*>()->model();
            QCOMPARE(model->index(1, PlacesModel::Name).data(Qt::CheckStateRole).toInt(),
                     static_cast<int>(Qt::Checked));
            model->setData(model->index(0, PlacesModel::Name), Qt::Checked, Qt::CheckStateRole);
            buttonOf(*dialog, "Use this computer")->click();
        });
        test::actionOf(window(), "Where")->trigger();
        QVERIFY2(!plan->command().contains(QStringLiteral("--on")), qPrintable(plan->command()));
    }

    void fitsASmallWindow()
    {
        savePlace("box", "exit 1\n");
        window().resize(900, 600);
        PlacesModel model;
        PlacesDialog dialog(&model, true, Theme::dark(), &window());
        dialog.show();
        QVERIFY(dialog.width() <= 900 && dialog.height() <= 600);
        for (const auto* button : dialog.findChildren<QPushButton*>())
            QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
        const auto* table = dialog.findChild<QTableView*>();
        const int stateWidth = table->columnWidth(PlacesModel::State);
        QVERIFY(stateWidth >= 200 &&
                table->columnViewportPosition(PlacesModel::State) + stateWidth <= table->viewport()->width());
        for (int place = 0; place < model.rowCount(); ++place) {
            for (int column = 0; column < PlacesModel::Columns; ++column)
                QVERIFY(table->rowHeight(place) >=
                        table->sizeHintForIndex(model.index(place, column)).height());
        }
    }
};

BATCHPEAK_TEST(PlacesDialogTest)
#include "tst_places_dialog.moc"
