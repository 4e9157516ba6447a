// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/event_log.h"
#include "engine/exploration.h"
#include "engine/state_log.h"
#include "exploration/recommendation_card.h"
#include "exploration/status_bar.h"
#include "exploration/trials_view.h"
#include "files/config_file.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "text/readable_text.h"
#include "widgets/labels.h"
#include "widgets/message_banner.h"
#include "window/watch_dialog.h"
#include "window_fixture.h"

#include <QAction>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTest>
#include <QUrl>

#include <memory>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::actionOf;
using test::buttonOf;

namespace {

/// An exploration of another program, which writes its events.
struct RunElsewhere
{
    RunElsewhere(const QString& config, const QString& events, const engine::ExplorationOptions& options)
        : file(events)
    {
        exploration.load(engine::ConfigFile::open(config), options);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("the events cannot be written");
        states = std::make_unique<engine::StateLog>(exploration, file);
        log = std::make_unique<engine::EventLog>(exploration, file);
        exploration.start();
    }

    QFile file;
    engine::Exploration exploration;
    std::unique_ptr<engine::StateLog> states;
    std::unique_ptr<engine::EventLog> log;
};

} // namespace

/// Tests a window that follows an exploration which runs elsewhere.
class WindowFollowingTest : public test::WindowFixture
{
    Q_OBJECT

    QString events() const { return pathOf("run.jsonl"); }
    QString config() { return fileWith("params.yaml", smallGpt2("64", "explore")); }

    QString message()
    {
        QStringList texts;
        for (const auto* banner : window().findChildren<MessageBanner*>()) {
            if (banner->isVisible())
                texts << banner->text();
        }
        return texts.join(QLatin1Char('\n'));
    }

    QString status()
    {
        QStringList texts;
        for (const auto* label : window().findChild<StatusBar*>()->findChildren<ElidedLabel*>())
            texts << label->fullText();
        return texts.join(QLatin1Char('\n'));
    }

    void drop(const QString& path)
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(50, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent dropped(QPointF(50, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window(), &dropped);
    }

private slots:
    void cleanup()
    {
        QFile::remove(events());
        WindowFixture::cleanup();
    }

    void showsAnExplorationToItsEnd()
    {
        window().follow(events());
        TRY_VERIFY2(message().contains(QStringLiteral("There is no file")), qPrintable(message()));
        const auto elsewhere =
            std::make_unique<RunElsewhere>(config(), events(), optionsWith(QStringLiteral("trial=hang#3")));
        const engine::Snapshot& there = elsewhere->exploration.snapshot();
        TRY_VERIFY(there.trials.size() == 3);
        TRY_VERIFY2(status().contains(QStringLiteral("Trial 3")), qPrintable(status()));
        QVERIFY(message().contains(QStringLiteral("runs elsewhere")));
        for (const char* action : {"Start", "Pause", "Stop", "Confirm", "Go on"})
            QVERIFY2(!actionOf(window(), action)->isEnabled(), action);
        QCOMPARE(window().findChild<TrialsView*>()->findChild<QAbstractItemView*>()->model()->rowCount(), 3);

        elsewhere->exploration.skipTrial();
        TRY_VERIFY(there.finish.has_value());
        TRY_VERIFY2(status().contains(QStringLiteral("Finished after ")), qPrintable(status()));
        const QString size = engine::numberText(there.searchState.recommendation->size);
        TRY_VERIFY(window().findChild<RecommendationCard*>()->summary().contains(size));
        QVERIFY(!message().contains(QStringLiteral("runs elsewhere")));
        QVERIFY(actionOf(window(), "Export")->isEnabled());
        actionOf(window(), "Back, and stop watching")->trigger();
        QVERIFY(!window().findChild<RecommendationCard*>()->isVisible());
        QVERIFY(message().isEmpty());
    }

    void opensDroppedEvents()
    {
        RunElsewhere elsewhere(config(), events(), optionsWith(QString()));
        TRY_VERIFY(elsewhere.exploration.snapshot().finish.has_value());
        QVERIFY(window().openConfig(config()));
        drop(events());
        TRY_VERIFY2(status().contains(QStringLiteral("Finished after ")), qPrintable(status()));
        // The plan is kept.
        actionOf(window(), "Back, and stop watching")->trigger();
        QVERIFY(actionOf(window(), "Start")->isEnabled());
    }

    void opensAConfigInstead()
    {
        RunElsewhere elsewhere(config(), events(), optionsWith(QStringLiteral("trial=hang#2")));
        window().follow(events());
        TRY_VERIFY2(status().contains(QStringLiteral("Trial 2")), qPrintable(status()));
        QVERIFY(window().openConfig(config()));
        QVERIFY(!message().contains(QStringLiteral("Watching")));
        elsewhere.exploration.stop();
        TRY_VERIFY(elsewhere.exploration.snapshot().finish.has_value());
        QVERIFY(!snapshot().run);
    }

    void asksWhatToWatch()
    {
        test::whenOpen<WatchDialog>(&window(), [](WatchDialog* dialog) {
            auto* field = dialog->findChild<QLineEdit*>();
            auto* watch = buttonOf(*dialog, "Watch");
            QVERIFY(!watch->isEnabled());
            field->setText(QStringLiteral("ssh:gpu7"));
            QVERIFY(!watch->isEnabled());
            field->setText(QStringLiteral("/"));
            QVERIFY(watch->isEnabled());
            watch->click();
        });
        actionOf(window(), "Watch…")->trigger();
        TRY_VERIFY2(message().contains(QStringLiteral("is no file")), qPrintable(message()));
    }
};

BATCHPEAK_TEST(WindowFollowingTest)
#include "tst_window_following.moc"
