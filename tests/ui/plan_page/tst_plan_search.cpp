// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_page/plan_search.h"
#include "support/files.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace batchpeak;

/// Tests what the plan finds out about interpreters while it is shown.
class PlanSearchTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("VIRTUAL_ENV", m_folder->filePath(QStringLiteral("venv")).toUtf8());
        makeInterpreter("venv", "2.1");
        m_search = std::make_unique<ui::PlanSearch>([] { return true; });
        m_changes = std::make_unique<QSignalSpy>(m_search.get(), &ui::PlanSearch::pythonChanged);
    }

    void asksTheActiveInterpreter()
    {
        m_search->lookFor({});
        QVERIFY(!m_search->python());
        TRY_COMPARE(torch(), QStringLiteral("2.1"));
    }

    void asksEachInterpreterOnce()
    {
        const QString other = makeInterpreter("other", "2.2");
        m_search->lookFor({});
        TRY_COMPARE(torch(), QStringLiteral("2.1"));
        m_search->askPython(other);
        // The previous answer is about another interpreter.
        QVERIFY(!m_search->python());
        TRY_COMPARE(torch(), QStringLiteral("2.2"));
        makeInterpreter("other", "2.3");
        const auto changes = m_changes->count();
        m_search->askPython(other);
        QTest::qWait(0);
        QCOMPARE(m_changes->count(), changes);
        QCOMPARE(torch(), QStringLiteral("2.2"));
    }

    /// The card still shows the interpreter that the user has chosen.
    void keepsTheChosenInterpreterWhileTheWorkerMeasures()
    {
        const QString other = makeInterpreter("other", "2.2");
        m_search->lookFor(other);
        TRY_COMPARE(torch(), QStringLiteral("2.2"));
        m_search->askPython({});
        QCOMPARE(torch(), QStringLiteral("2.2"));
        // For another config the user has not chosen one.
        m_search->lookFor({});
        TRY_COMPARE(torch(), QStringLiteral("2.1"));
    }

    /// The user may meanwhile follow the advice of the card.
    void noticesInstalledPackages()
    {
        m_search->lookFor({});
        TRY_COMPARE(torch(), QStringLiteral("2.1"));
        makeInterpreter("venv", "2.4");
        m_search->askAgain();
        QCOMPARE(torch(), QStringLiteral("2.1"));
        TRY_COMPARE(torch(), QStringLiteral("2.4"));
        makeInterpreter("venv", "2.5");
        m_search->lookFor({});
        TRY_COMPARE(torch(), QStringLiteral("2.5"));
    }

    void answersForTheRequestedInterpreter()
    {
        const QString other = makeInterpreter("other", "2.2");
        const auto source = m_search->stackSource();
        m_search->lookFor(other);
        TRY_COMPARE(torch(), QStringLiteral("2.2"));
        QVERIFY(QFile::remove(other));
        QCOMPARE(source(other, {}).torch, QStringLiteral("2.2"));
        QCOMPARE(source(m_folder->filePath(QStringLiteral("venv/bin/python3")), {}).torch,
                 QStringLiteral("2.1"));
    }

private:
    QString torch() const { return m_search->python() ? m_search->python()->torch : QString(); }

    /// \return its path
    QString makeInterpreter(const char* name, const char* torchVersion) const
    {
        const QString path = m_folder->filePath(QLatin1String(name) + QLatin1String("/bin/python3"));
        // A shell may still be reading the old file, so it is not overwritten.
        QFile::remove(path);
        test::writeProgram(path, QByteArray("echo '{\"python\": \"3.11\", \"torch\": \"") + torchVersion +
                                     "\", \"transformers\": \"5\"}'");
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::PlanSearch> m_search;
    std::unique_ptr<QSignalSpy> m_changes;
};

BATCHPEAK_TEST(PlanSearchTest)
#include "tst_plan_search.moc"
