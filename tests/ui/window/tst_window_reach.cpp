// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/exploration.h"
#include "plan_page/option_form.h"
#include "plan_page/plan_view.h"
#include "plan_page/program_card.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "widgets/message_banner.h"
#include "window/export_dialog.h"
#include "window_fixture.h"

#include <QApplication>
#include <QCheckBox>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <QToolButton>

#include <set>

using namespace batchpeak;
using namespace batchpeak::ui;
using test::whenOpen;

/// Tests what a user has to do in the window, and which features of the terminal the window offers too.
class WindowReachTest : public test::WindowFixture
{
    Q_OBJECT

    const QByteArray m_config = smallGpt2("64", "explore # to be found");
    QString m_path;
    int m_clicks = 0;

    /// Clicks on the visible and enabled button whose text begins with \p words.
    void click(const QWidget& window, const QString& words)
    {
        for (auto* button : window.findChildren<QAbstractButton*>()) {
            if (!button->isVisible() || !button->isEnabled() ||
                !button->text().remove(QLatin1Char('&')).startsWith(words))
                continue;
            ++m_clicks;
            QTest::mouseClick(button, Qt::LeftButton);
            return;
        }
        QFAIL(qPrintable(QStringLiteral("no button %1").arg(words)));
    }

    void prepare()
    {
        engine::ExplorationOptions options = optionsWith(QString());
        options.minConfidence = 0.0;
        window().setOptions(options);
        QVERIFY(QTest::qWaitForWindowActive(&window()));
    }

    void waitForTheEnd()
    {
        TRY_VERIFY(snapshot().finish.has_value());
        TRY_VERIFY(test::actionOf(window(), "Export")->isEnabled());
    }

    /// Checks that the config has the recommended size and is otherwise unchanged.
    void checkWritten()
    {
        const auto size = QByteArray::number(qlonglong(snapshot().searchState.recommendation->size));
        QCOMPARE(test::readFile(m_path), QByteArray(m_config).replace("explore #", size + " #"));
    }

private slots:
    void init()
    {
        m_path = fileWith("params.yaml", m_config);
        m_clicks = 0;
    }

    void writesASizeWithFourClicks()
    {
        // This adds the config to the recent files.
        QVERIFY(MainWindow().openConfig(m_path));
        prepare();
        click(window(), QStringLiteral("params.yaml"));
        click(window(), QStringLiteral("Start"));
        waitForTheEnd();
        whenOpen<ExportDialog>(&window(), [this](ExportDialog* dialog) {
            click(*dialog, QStringLiteral("Write"));
            // If that has failed, the dialog must not wait for an answer.
            dialog->reject();
        });
        click(window(), QStringLiteral("Export"));
        QCOMPARE(m_clicks, 4);
        checkWritten();
    }

    void writesASizeWithOnlyTheKeyboard()
    {
        QVERIFY(MainWindow().openConfig(m_path));
        prepare();
        const auto isOnTheConfig = [] {
            const auto* button = qobject_cast<QPushButton*>(QApplication::focusWidget());
            return button && button->text().startsWith(QStringLiteral("params.yaml"));
        };
        for (int steps = 0; steps < 20 && !isOnTheConfig(); ++steps)
            QTest::keyClick(&window(), Qt::Key_Tab);
        QVERIFY(isOnTheConfig());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        QTest::keyClick(&window(), Qt::Key_F5);
        waitForTheEnd();
        whenOpen<ExportDialog>(&window(),
                               [](ExportDialog* dialog) { QTest::keyClick(dialog, Qt::Key_Return); });
        QTest::keyClick(&window(), Qt::Key_E, Qt::ControlModifier);
        checkWritten();
    }

    /// The window offers each option of the terminal, except those that do not apply to a window.
    void offersTheOptionsOfTheTerminal()
    {
        const std::set<QString> otherwise{
            // The window has dialogs for these.
            QStringLiteral("--model"),
            QStringLiteral("--output"),
            QStringLiteral("--in-place"),
            QStringLiteral("--force"),
            QStringLiteral("--global-batch"),
            QStringLiteral("--diff"),
            // The plan replaces it.
            QStringLiteral("--dry-run"),
            // The window offers to continue if there is something to continue.
            QStringLiteral("--resume"),
            // These apply only to printed text.
            QStringLiteral("--help"),
            QStringLiteral("--quiet"),
            QStringLiteral("--color"),
            QStringLiteral("--events"),
            // The window asks before code runs.
            QStringLiteral("--trust"),
            // The window asks before it downloads.
            QStringLiteral("--download"),
        };
        QProcess program;
        program.start(QStringLiteral(BATCHPEAK_PROGRAM),
                      {QStringLiteral("explore"), QStringLiteral("--help")});
        QVERIFY(program.waitForFinished());
        static const QRegularExpression option(QStringLiteral("^  (?:-\\w,)?(--[a-z-]+)"),
                                               QRegularExpression::MultilineOption);
        std::set<QString> typed;
        const QString help = QString::fromUtf8(program.readAllStandardOutput());
        for (const auto& match : option.globalMatch(help)) {
            if (!otherwise.contains(match.captured(1)))
                typed.insert(match.captured(1));
        }
        QVERIFY(window().openConfig(m_path));
        const auto* plan = window().findChild<PlanView*>();
        TRY_VERIFY(!plan->findChildren<QCheckBox*>().isEmpty());
        QVERIFY(plan->findChild<ProgramCard*>());
        // The check boxes of devices, and the choice of a program.
        std::set<QString> offered{QStringLiteral("--device"), QStringLiteral("--with")};
        for (const auto* field : plan->findChildren<OptionField*>())
            offered.insert(QString::fromStdString(field->name()));
        const auto list = [](const std::set<QString>& names) {
            return QStringList(names.begin(), names.end());
        };
        QCOMPARE(list(offered), list(typed));
    }
};

BATCHPEAK_TEST(WindowReachTest)
#include "tst_window_reach.moc"
