// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config_file.h"
#include "engine/exploration.h"
#include "engine/exploration_recorder.h"
#include "store/exploration_store.h"
#include "support/files.h"
#include "support/held_history.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "ui/message_banner.h"
#include "window_fixture.h"

#include <QPushButton>
#include <QTest>

#include <chrono>
#include <memory>
#include <thread>

using namespace batchpeak;
using test::buttonOf;

/// A window that is opened on a config whose exploration ended with its program.
class WindowResumeTest : public test::WindowFixture
{
    Q_OBJECT

private slots:
    void init()
    {
        m_path = fileWith("config.yaml", smallGpt2("64", "explore"));
        QFile::remove(history());
        QFile::remove(pathOf("once"));
    }

    void continuesWhatWasCutOff()
    {
        const std::size_t before = cutOff();
        window().setHistory(history());
        const engine::ExplorationRecorder recorder(window().exploration(), history());
        QVERIFY(window().openConfig(m_path));
        TRY_VERIFY(banner().text().contains(QStringLiteral("was cut off after")));
        QPushButton* const button = buttonOf(window(), "Continue");
        QVERIFY(button && button->isVisible());
        button->click();
        QVERIFY(!button->isVisible());
        TRY_VERIFY(snapshot().finish);
        QVERIFY2(snapshot().failure.isEmpty(), qPrintable(snapshot().failure));
        QVERIFY(snapshot().trials.size() > before);
        QCOMPARE(store::ExplorationStore(history()).list().size(), std::size_t{1});
        QVERIFY(store::ExplorationStore(history()).list().front().end);
        // Then there is nothing to go on with.
        QVERIFY(window().openConfig(m_path));
        QTest::qWait(50);
        QVERIFY(!button->isVisible());
    }

    void offersItWhenTheHistoryIsFree()
    {
        cutOff();
        window().setHistory(history());
        {
            test::OtherProgram other(history());
            QVERIFY(other.hold());
            QVERIFY(window().openConfig(m_path));
            QTest::qWait(50);
            QVERIFY(!banner().text().contains(QStringLiteral("was cut off after")));
        }
        TRY_VERIFY(banner().text().contains(QStringLiteral("was cut off after")));
    }

    void recallsWhatWasHeldForAMoment()
    {
        window().setOptions(optionsWith({}));
        window().setHistory(history());
        const engine::ExplorationRecorder recorder(window().exploration(), history());
        QVERIFY(window().openConfig(m_path));
        window().startExploring();
        TRY_VERIFY(snapshot().finish);
        QVERIFY(snapshot().searchState.recommendation);
        {
            test::OtherProgram other(history());
            QVERIFY(other.hold());
            window().startExploring();
            TRY_COMPARE(snapshot().state, engine::State::Exploring);
            QTest::qWait(50);
            QVERIFY(snapshot().trials.empty());
        }
        TRY_VERIFY(snapshot().finish);
        QCOMPARE(snapshot().searchState.recalledTrials > 0, true);
    }

    // A window draws nothing while it reads; elsewhere a busy disk is waited for.
    void waitsOnlyAMomentForAHistory()
    {
        QCOMPARE(store::usualPatience(), std::chrono::milliseconds(50));
        std::chrono::milliseconds elsewhere{0};
        std::thread([&] { elsewhere = store::usualPatience(); }).join();
        QCOMPARE(elsewhere, std::chrono::seconds(5));
    }

    void offersNothingOfAnotherText()
    {
        cutOff();
        m_path = fileWith("config.yaml", smallGpt2("32", "explore"));
        window().setHistory(history());
        QVERIFY(window().openConfig(m_path));
        QTest::qWait(50);
        QVERIFY(!banner().text().contains(QStringLiteral("was cut off after")));
    }

private:
    QString history() const { return pathOf("history.sqlite"); }

    /// \return how many trials are kept
    std::size_t cutOff()
    {
        engine::Exploration exploration;
        auto recorder = std::make_unique<engine::ExplorationRecorder>(exploration, history());
        exploration.load(engine::ConfigFile::open(m_path),
                         optionsWith(QStringLiteral("trial=hang#2 once=") + pathOf("once")));
        exploration.start();
        [&] { TRY_VERIFY(QFile::exists(pathOf("once"))); }();
        // What was told within this turn of the event loop is written at its end.
        QCoreApplication::processEvents();
        recorder.reset();
        return exploration.snapshot().trials.size();
    }

    QString m_path;
};

BATCHPEAK_TEST(WindowResumeTest)
#include "tst_window_resume.moc"
