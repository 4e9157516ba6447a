// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_values.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"
#include "watch/place_shell.h"
#include "watch/watched_exploration.h"

#include <QDateTime>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>
#include <memory>

using namespace batchpeak;
using engine::WatchedExploration;

namespace {

using namespace std::chrono_literals;

// The first event of a file that this test appends to: long enough to tell one file from another.
QByteArray startedAt(const char* second)
{
    return QByteArray(
               R"({"batch_size":32,"devices":1,"event":"started","family":"gpt2","file":"/a/config.yaml",)"
               R"("format":"Cerebras params","schema":1,"setting":"explore","time":"2026-01-01T00:00:)") +
           second + ".000Z\"}\n";
}

QByteArray trialEvent(int number)
{
    return QStringLiteral(R"({"event":"trial_started","trial":%1,"device":"cpu","micro_batch_size":%1})")
               .arg(number)
               .toUtf8() +
           '\n';
}

const QByteArray finishedEvent = R"({"event":"finished","status":"confident","micro_batch_size":2,)"
                                 R"("confidence":96,"samples_per_second":9,"relative_error":0.1})"
                                 "\n";
const QByteArray stoppedEvent =
    "{\"event\":\"finished\",\"status\":\"cancelled\",\"micro_batch_size\":null}\n";

/// What is named, and what is to be watched; the host is "refused" if nothing is.
struct Target
{
    Text on;
    Text host;
    Text path;
    Text job;
};

/// What Slurm answers, and what it means.
struct Job
{
    QByteArray answer;
    Text state;
    Text events;
    bool hasEnded;
};

engine::WatchTimes shortTimes()
{
    return {.look = 20ms,
            .lookElsewhere = 20ms,
            .job = 20ms,
            .reconnect = 20ms,
            .untilOver = 200ms,
            .untilJobIsOver = 400ms,
            .silence = 300ms,
            .longSilence = 300ms};
}

} // namespace

class WatchedExplorationTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_path = qgetenv("PATH");
        qputenv("PATH", m_folder->path().toUtf8() + ':' + m_path);
    }
    void cleanup() { qputenv("PATH", m_path); }

    void readsWhatItIsToWatch_data()
    {
        const auto add = rows<Target>();
        add("run.jsonl", {.on = "", .host = "", .path = "run.jsonl", .job = ""});
        add("17", {.on = "", .host = "", .path = "", .job = "17"});
        add("./17", {.on = "", .host = "", .path = "./17", .job = ""});
        add("ssh:gpu7:/a b/run.jsonl", {.on = "", .host = "gpu7", .path = "/a b/run.jsonl", .job = ""});
        add("ssh:me@login:17", {.on = "", .host = "me@login", .path = "", .job = "17"});
        add("ssh:a:b", {.on = "ssh:gpu7 -p 22", .host = "gpu7", .path = "ssh:a:b", .job = ""});
        add("", {.on = "", .host = "refused", .path = "", .job = ""});
        add("ssh:gpu7", {.on = "", .host = "refused", .path = "", .job = ""});
        add("run.jsonl ", {.on = "slurm:gpu", .host = "refused", .path = "", .job = ""});
        add("ssh:-oProxyCommand=x:17", {.on = "", .host = "refused", .path = "", .job = ""});
    }
    void readsWhatItIsToWatch()
    {
        const auto& expected = row<Target>();
        try {
            const auto target =
                engine::watchTargetFrom(QString::fromUtf8(QTest::currentDataTag()), expected.on);
            QCOMPARE(target.place ? target.place->target : QString(), QString(expected.host));
            QCOMPARE(target.path, QString(expected.path));
            QCOMPARE(target.job, QString(expected.job));
        } catch (const engine::UsageError&) {
            QCOMPARE(QString(expected.host), QStringLiteral("refused"));
        }
    }

    void followsAFileThatComesLate()
    {
        watch({.path = file()});
        TRY_VERIFY(m_watched->remark().contains(file()));
        append(startedAt("01"));
        append(trialEvent(1).left(30));
        TRY_VERIFY(m_watched->events().hasBegun());
        QVERIFY(m_watched->events().snapshot().trials.empty());
        append(trialEvent(1).mid(30));
        TRY_COMPARE(m_watched->events().snapshot().trials.size(), 1u);
        append(finishedEvent);
        TRY_VERIFY(m_watched->isOver());
        QCOMPARE(m_problem, QString());
        QVERIFY(m_watched->events().snapshot().recommendsSize());
    }

    void beginsAgainWithAnotherFile_data() { rows<bool>({{"emptied", false}, {"replaced", true}}); }
    void beginsAgainWithAnotherFile()
    {
        append(startedAt("01") + trialEvent(1) + trialEvent(2));
        watch({.path = file()});
        TRY_COMPARE(m_watched->events().snapshot().trials.size(), 2u);
        // It is longer than what was read, so that its size tells nothing.
        const QByteArray other =
            startedAt("02") + trialEvent(1) + trialEvent(2) + trialEvent(3) + trialEvent(4);
        QFile next(row<bool>() ? file() + QStringLiteral(".new") : file());
        QVERIFY(next.open(QIODevice::WriteOnly | QIODevice::Truncate));
        next.write(other);
        next.close();
        if (row<bool>())
            QCOMPARE(::rename(QFile::encodeName(next.fileName()), QFile::encodeName(file())), 0);
        TRY_COMPARE(m_watched->events().snapshot().trials.size(), 4u);
        QCOMPARE(m_watched->events().unreadableLines(), 0);
    }

    void goesOnAfterAnEnd()
    {
        // An end of long ago is the last one.
        const QByteArray now = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs).toUtf8();
        append(startedAt("01").replace("2026-01-01T00:00:01.000Z", now) + finishedEvent);
        watch({.path = file()});
        TRY_VERIFY(m_watched->events().hasEnded());
        append(startedAt("02"));
        TRY_VERIFY(!m_watched->events().hasEnded());
        QTest::qWait(400);
        QVERIFY(!m_watched->isOver());
    }

    void tellsOfSilence()
    {
        append(startedAt("01"));
        watch({.path = file()});
        // The event is old already.
        TRY_VERIFY(m_watched->silence());
        QVERIFY(*m_watched->silence() > 24h);
        append(trialEvent(1));
        TRY_VERIFY(!m_watched->silence());
        TRY_VERIFY(m_watched->silence());
        QVERIFY(*m_watched->silence() < 24h);
        QVERIFY(!m_watched->isOver());
    }

    void refusesWhatIsNoExploration_data()
    {
        rows<QByteArray>(
            {{"a folder", ""}, {"a training", "{\"event\":\"training_started\",\"schema\":1}\n"}});
    }
    void refusesWhatIsNoExploration()
    {
        const auto& content = row<QByteArray>();
        if (!content.isEmpty())
            append(content);
        watch({.path = content.isEmpty() ? m_folder->path() : file()});
        TRY_VERIFY(m_watched->isOver());
        QVERIFY(!m_problem.isEmpty());
    }

    void readsAJob_data()
    {
        const auto add = rows<Job>();
        const QByteArray shown =
            "JobId=17 JobName=batchpeak\n   JobState=RUNNING Reason=None Dependency=(null)\n"
            "   Command=/a b/batchpeak-x.sbatch\n   WorkDir=/a b\n"
            "   StdOut=/a b/batchpeak-x-17.log\n";
        add("by its log",
            {shown + "batchpeak-script\n\nbatchpeak-files\n", "RUNNING", "/a b/batchpeak-x-17.jsonl", false});
        add("by its script",
            {shown + "batchpeak-script\n#!/bin/sh\nevents='/c d'\\''s/y'-$SLURM_JOB_ID.jsonl\n\n"
                     "batchpeak-files\n",
             "RUNNING", "/c d's/y-17.jsonl", false});
        add("forgotten",
            {"slurm_load_jobs error: Invalid job id specified\nbatchpeak-script\n\nbatchpeak-files\n"
             "/w/batchpeak-x-17.jsonl\n",
             "", "/w/batchpeak-x-17.jsonl", true});
        add("forgotten, and two files", {"slurm_load_jobs error: Invalid job id "
                                         "specified\nbatchpeak-script\n\nbatchpeak-files\n/w/a-17.jsonl\n"
                                         "/w/b-17.jsonl\n",
                                         "", "", true});
        add("canceled", {"   JobState=CANCELLED Reason=None\n   StdOut=/w/x.out\nbatchpeak-script\n\n"
                         "batchpeak-files\n",
                         "CANCELLED", "", true});
        add("nothing", {"", "", "", true});
    }
    void readsAJob()
    {
        const auto& [answer, state, events, hasEnded] = row<Job>();
        const auto look = engine::jobLookFrom(QString::fromUtf8(answer), QStringLiteral("17"));
        QCOMPARE(look.state, QString(state));
        QCOMPARE(look.events, QString(events));
        QCOMPARE(look.hasEnded(), hasEnded);
    }

    void followsAJobFromTheQueue()
    {
        setJob("PENDING", "Resources");
        watch({.job = QStringLiteral("17")});
        TRY_VERIFY(m_watched->remark().contains(QLatin1String("Resources")));
        setJob("RUNNING", "None");
        append(startedAt("01"));
        TRY_VERIFY(m_watched->events().hasBegun());
        TRY_VERIFY(!m_watched->remark().contains(QLatin1String("Resources")));
        // Near its time limit, a job ends its exploration and goes back into the queue.
        append(stoppedEvent);
        setJob("PENDING", "BeginTime");
        TRY_VERIFY(m_watched->remark().contains(QLatin1String("BeginTime")));
        QTest::qWait(400);
        QVERIFY(!m_watched->isOver());
        setJob("RUNNING", "None");
        append(startedAt("02") + finishedEvent);
        TRY_VERIFY(m_watched->isOver());
        QCOMPARE(m_problem, QString());
    }

    void saysHowAJobEnded_data() { rows<bool>({{"in the queue", false}, {"after its start", true}}); }
    void saysHowAJobEnded()
    {
        setJob("RUNNING", "None");
        if (row<bool>())
            append(startedAt("01") + "{\"event\":\"recorded\",\"exploration\":42}\n");
        watch({.job = QStringLiteral("17")});
        QTest::qWait(100);
        QVERIFY(!m_watched->isOver());
        setJob("CANCELLED", "None");
        TRY_VERIFY(m_watched->isOver());
        QVERIFY(m_problem.contains(QLatin1String("canceled")));
        QCOMPARE(m_problem.contains(QLatin1String("--resume 42")), row<bool>());
    }

    void readsOverSsh()
    {
        // In place of ssh: runs the words after the host, and notes itself.
        writeProgram("ssh", "while [ \"$1\" != -- ]; do shift; done\necho A login may say anything.\n"
                            "echo $$ >" +
                                m_folder->path().toUtf8() + "/ssh.pid\nexec sh -c \"$3\"\n");
        append(startedAt("01") + trialEvent(1));
        watch({.place = engine::placeFromText(QStringLiteral("ssh:gpu7")), .path = file()});
        TRY_COMPARE(m_watched->events().snapshot().trials.size(), 1u);
        QFile pid(m_folder->filePath(QStringLiteral("ssh.pid")));
        QVERIFY(pid.open(QIODevice::ReadOnly));
        const qint64 first = pid.readAll().trimmed().toLongLong();
        QCOMPARE(::kill(static_cast<pid_t>(first), SIGKILL), 0);
        TRY_VERIFY(!m_remarks.isEmpty());
        append(trialEvent(2) + finishedEvent);
        TRY_VERIFY(m_watched->isOver());
        QCOMPARE(m_watched->events().snapshot().trials.size(), 2u);
        QCOMPARE(m_watched->events().unreadableLines(), 0);
    }

    void endsIfSshIsRefused()
    {
        writeProgram("ssh", "echo 'me@gpu7: Permission denied (publickey).' >&2\nexit 255\n");
        watch({.place = engine::placeFromText(QStringLiteral("ssh:gpu7")), .path = file()});
        TRY_VERIFY(m_watched->isOver());
        QVERIFY(m_problem.contains(QLatin1String("ssh-copy-id gpu7")));
    }

private:
    QString file() const { return m_folder->filePath(QStringLiteral("run-17.jsonl")); }

    void append(const QByteArray& bytes) const
    {
        QFile events(file());
        QVERIFY(events.open(QIODevice::Append));
        events.write(bytes);
    }

    void writeProgram(const char* name, const QByteArray& script) const
    {
        QFile program(m_folder->filePath(QString::fromUtf8(name)) + QStringLiteral(".new"));
        QVERIFY(program.open(QIODevice::WriteOnly | QIODevice::Truncate));
        program.write("#!/bin/sh\n" + script);
        program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        program.close();
        QCOMPARE(::rename(QFile::encodeName(program.fileName()),
                          QFile::encodeName(m_folder->filePath(QString::fromUtf8(name)))),
                 0);
    }

    /// Lets scontrol say that of the job.
    void setJob(const char* state, const char* reason) const
    {
        writeProgram("scontrol", QByteArray("echo '   JobState=") + state + " Reason=" + reason +
                                     " Dependency=(null)'\necho '   StdOut=" + m_folder->path().toUtf8() +
                                     "/run-17.log'\n");
    }

    void watch(const engine::WatchTarget& target)
    {
        m_problem = QStringLiteral("not over");
        m_remarks.clear();
        m_watched = std::make_unique<WatchedExploration>(target, nullptr, shortTimes());
        connect(m_watched.get(), &WatchedExploration::over, this,
                [this](const QString& problem) { m_problem = problem; });
        connect(m_watched.get(), &WatchedExploration::remarkChanged, this,
                [this](const QString& remark) { m_remarks += remark; });
        m_watched->start();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<WatchedExploration> m_watched;
    QByteArray m_path;
    QString m_problem;
    QString m_remarks;
};

BATCHPEAK_TEST(WatchedExplorationTest)
#include "tst_watched_exploration.moc"
