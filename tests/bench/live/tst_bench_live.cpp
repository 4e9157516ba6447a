// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs the whole bench with the fake worker, as a user does.
#include "support/files.h"
#include "support/processes.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <vector>

namespace {

constexpr int timeoutMilliseconds = 120000;

QStringList arguments(const QString& behavior, const QStringList& options)
{
    const QStringList usual{
        QStringLiteral("--program"),      QStringLiteral(BATCHPEAK_PROGRAM),
        QStringLiteral("--worker"),       QStringLiteral("\"" BATCHPEAK_FAKE_WORKER "\" ") + behavior,
        QStringLiteral("--explorations"), QStringLiteral("1"),
        QStringLiteral("--largest"),      QStringLiteral("32")};
    return usual + options;
}

/// Running program, which is killed at the end.
class Bench
{
public:
    Bench(const QString& behavior, const QStringList& options)
    {
        m_process.start(QStringLiteral(BATCHPEAK_BENCH_LIVE), arguments(behavior, options));
    }
    ~Bench()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    bool waitForStandardError(const QByteArray& text)
    {
        m_process.setReadChannel(QProcess::StandardError);
        m_err += m_process.readAll();
        while (!m_err.contains(text)) {
            if (!m_process.waitForReadyRead(timeoutMilliseconds))
                return false;
            m_err += m_process.readAll();
        }
        return true;
    }
    bool waitForEnd()
    {
        const bool ended =
            m_process.state() == QProcess::NotRunning || m_process.waitForFinished(timeoutMilliseconds);
        m_out += m_process.readAllStandardOutput();
        m_err += m_process.readAllStandardError();
        return ended;
    }
    void interrupt() const { batchpeak::test::sendSignal(m_process.processId(), SIGINT); }
    int exitCode() const { return m_process.exitCode(); }
    QString out() const { return QString::fromUtf8(m_out); }
    QByteArray text() const { return m_out + "\n" + m_err; }

    /// Returns the process IDs of all descendants while the program runs.
    QStringList descendants() const { return descendantsOf(QString::number(m_process.processId())); }

private:
    static QStringList descendantsOf(const QString& processId)
    {
        const QByteArray children =
            batchpeak::test::readFile(QStringLiteral("/proc/%1/task/%1/children").arg(processId));
        QStringList all;
        for (const QString& child : QString::fromUtf8(children).split(QLatin1Char(' '), Qt::SkipEmptyParts))
            all += QStringList{child} + descendantsOf(child);
        return all;
    }

    QProcess m_process;
    QByteArray m_out;
    QByteArray m_err;
};

struct Interruption
{
    QStringList options;
    QByteArray at;
    /// Number of processes that must end: a worker; a program and its worker; both and the disturber.
    int processes = 1;
};

} // namespace

class BenchLiveTest : public QObject
{
    Q_OBJECT

private slots:
    void measuresTheDefaultNetworks()
    {
        // 23 samples fit, and 21 with the headroom.
        Bench bench(QStringLiteral("base=100000000 slope=80000000"),
                    {QStringLiteral("--rounds"), QStringLiteral("2")});
        QVERIFY2(bench.waitForEnd(), bench.text());
        QVERIFY2(bench.exitCode() == 0, bench.text());
        for (const char* name : {"gpt2-tiny", "bert-tiny", "resnet18-tiny", "all"}) {
            const QRegularExpression line(QStringLiteral("^%1 +(\\d) .* (\\d)$").arg(QString::fromUtf8(name)),
                                          QRegularExpression::MultilineOption);
            const auto match = line.match(bench.out());
            QVERIFY2(match.hasMatch(), bench.text());
            QCOMPARE(match.captured(1), QString::fromUtf8(name == std::string("all") ? "3" : "1"));
            QCOMPARE(match.captured(2), QStringLiteral("0"));
        }
        QVERIFY2(bench.out().contains(QStringLiteral("The stated confidence ")), bench.text());
    }

    void countsExplorationsWithoutASize()
    {
        // The exploration comes before the only round. All trials of the worker fail, so that the round
        // measures nothing either.
        Bench bench(QStringLiteral("trial=oom"), {QStringLiteral("--rounds"), QStringLiteral("1")});
        QVERIFY2(bench.waitForEnd(), bench.text());
        QVERIFY2(bench.out().contains(QStringLiteral("No exploration can be judged")), bench.text());
        const QRegularExpression line(QStringLiteral("^all +0 .* [1-9]\\d* +3$"),
                                      QRegularExpression::MultilineOption);
        QVERIFY2(bench.out().contains(line), bench.text());
    }

    void refusesAMissingConfig()
    {
        Bench bench({}, {QStringLiteral("--config"), QStringLiteral("/no/such/file.yaml")});
        QVERIFY2(bench.waitForEnd(), bench.text());
        QVERIFY2(bench.exitCode() == 1, bench.text());
        QVERIFY2(bench.text().contains("/no/such/file.yaml"), bench.text());
    }

    void leavesNothingRunningWhenInterrupted_data()
    {
        rows<Interruption>({
            {"in a round",
             {.options = {QStringLiteral("--rounds"), QStringLiteral("2")},
              .at = "rounds through",
              .processes = 1}},
            {"in an exploration",
             {.options = {QStringLiteral("--rounds"), QStringLiteral("1")},
              .at = "exploration 1",
              .processes = 2}},
            {"disturbed",
             {.options = {QStringLiteral("--rounds"), QStringLiteral("1"), QStringLiteral("--disturb")},
              .at = "exploration 1",
              .processes = 3}},
        });
    }
    void leavesNothingRunningWhenInterrupted()
    {
        const Interruption& interruption = row<Interruption>();
        Bench bench(QStringLiteral("trial=hang ignore-cancel"), interruption.options);
        QVERIFY2(bench.waitForStandardError(interruption.at), bench.text());
        QTRY_VERIFY2_WITH_TIMEOUT(bench.descendants().size() == interruption.processes, bench.text(),
                                  timeoutMilliseconds);
        const QStringList processes = bench.descendants();
        bench.interrupt();
        QVERIFY2(bench.waitForEnd(), bench.text());
        QCOMPARE(bench.exitCode(), 130);
        QVERIFY2(bench.out().contains(QStringLiteral("No exploration can be judged")), bench.text());
        for (const QString& process : processes)
            TRY_VERIFY(!batchpeak::test::isAlive(process.toLongLong()));
    }

    void keepsACoreBusyInBursts()
    {
        QProcess disturber;
        disturber.start(QStringLiteral(BATCHPEAK_DISTURB), {QStringLiteral("0.05"), QStringLiteral("0.01")});
        QVERIFY(disturber.waitForStarted());
        const auto ticks = [&] {
            const QByteArray status =
                batchpeak::test::readFile(QStringLiteral("/proc/%1/stat").arg(disturber.processId()));
            return status.split(' ').value(13).toInt();
        };
        QTRY_VERIFY_WITH_TIMEOUT(ticks() > 10, timeoutMilliseconds);
        disturber.kill();
        QVERIFY(disturber.waitForFinished());
        QProcess refused;
        refused.start(QStringLiteral(BATCHPEAK_DISTURB), {QStringLiteral("0")});
        QVERIFY(refused.waitForFinished());
        QCOMPARE(refused.exitCode(), 1);
    }
};

BATCHPEAK_TEST(BenchLiveTest)
#include "tst_bench_live.moc"
