// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_main.h"
#include "support/verify.h"
#include "workers/place_session.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak;
using namespace batchpeak::engine;

/// Tests a place with programs that stand for Slurm's.
class PlaceSessionTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        qputenv("PATH", m_folder.path().toUtf8() + ':' + qgetenv("PATH"));
        qunsetenv("SLURM_JOB_ID");
        addProgram("salloc", "echo 'salloc: Pending job allocation 17' >&2\n"
                             "while [ ! -e granted ]; do sleep 0.05; done\n"
                             "while [ \"$1\" != sh ]; do shift; done\nSLURM_JOB_ID=17 exec \"$@\"\n");
        addProgram("scontrol", "case $* in *hostnames*) echo n1;; *job*) echo '     Nodes=n1 CPU_IDs=0-3 "
                               "Mem=0 GRES=gpu:1(IDX:0)';; esac\n");
        addProgram("squeue", "echo \"$*\" >>asked; echo Priority\n");
    }

    /// Whoever waits is told for what, and in Slurm's own words.
    void saysWhatSlurmWaitsFor()
    {
        PlaceSession session({.places = {QStringLiteral("slurm")}}, QStringLiteral("/nowhere"));
        QStringList told;
        connect(&session, &PlaceSession::connectionChanged, this, [&](const PlaceSnapshot& place) {
            told << QStringLiteral("%1 %2 %3")
                        .arg(place.name, toText(place.connection.state), place.connection.reason);
        });
        QStringList logged;
        connect(&session, &PlaceSession::logged, this,
                [&](LogLevel /*level*/, const QString& text) { logged << text; });
        bool isOpen = false;
        connect(&session, &PlaceSession::opened, this, [&] { isOpen = true; });
        session.open();
        TRY_VERIFY(told.size() == 2);
        QCOMPARE(told,
                 (QStringList{QStringLiteral("slurm queued "), QStringLiteral("slurm queued Priority")}));
        QVERIFY(session.pending().front().connection.reason == QLatin1String("Priority"));
        QVERIFY2(logged.join(QLatin1Char('|')).contains(QStringLiteral("Priority")),
                 qPrintable(logged.join(QLatin1Char('|'))));
        QFile asked(m_folder.filePath(QStringLiteral("asked")));
        QVERIFY(asked.open(QIODevice::ReadOnly));
        QVERIFY(asked.readAll().contains("--jobs=17"));
        QVERIFY(QFile(m_folder.filePath(QStringLiteral("granted"))).open(QIODevice::WriteOnly));
        TRY_VERIFY(isOpen);
        QVERIFY(session.pending().empty());
        QCOMPARE(session.devices().size(), std::size_t{1});
        QCOMPARE(session.devices().front().id, QStringLiteral("n1/cuda:0"));
    }

private:
    void addProgram(const char* name, const QByteArray& script)
    {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\ncd '" + m_folder.path().toUtf8() + "'\n" + script);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(PlaceSessionTest)
#include "tst_place_session.moc"
