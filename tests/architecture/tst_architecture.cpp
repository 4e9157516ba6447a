// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "source_tree.h"
#include "support/test_main.h"

#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <vector>

/// The rules of the tree that neither the compiler nor the linker sees: who may include what, how files
/// are named, and what the programs are linked with.
class ArchitectureTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_root = QStringLiteral(BATCHPEAK_SOURCE_DIR);
        m_files = sourceFiles(m_root);
        QVERIFY2(m_files.size() > 20, "the sources were not found");
    }

    void keepsLibrariesInTheirRooms_data()
    {
        QTest::addColumn<QString>("library");
        QTest::addColumn<QStringList>("rooms");
        QTest::newRow("Qt Charts") << QStringLiteral(
                                          "^QtCharts/|^Q(AbstractAxis|AbstractSeries|AreaSeries|Chart|"
                                          "ChartView|LineSeries|LogValueAxis|ScatterSeries|ValueAxis|"
                                          "XYSeries|LegendMarker)$")
                                   << QStringList{QStringLiteral("ui/charts"), QStringLiteral("tests/ui")};
        QTest::newRow("libtorch") << QStringLiteral("^(torch|ATen|c10|caffe2)/")
                                  << QStringList{QStringLiteral("core/network"),
                                                 QStringLiteral("app/worker"),
                                                 QStringLiteral("tests/core/network"),
                                                 QStringLiteral("tests/app/worker"),
                                                 QStringLiteral("tests/gpu"),
                                                 QStringLiteral("tests/parity"),
                                                 QStringLiteral("tests/bench")};
        QTest::newRow("CUDA, even there") << QStringLiteral("^cuda|/cuda_runtime|^nccl") << QStringList{};
        QTest::newRow("libyaml") << QStringLiteral("^yaml\\.h$")
                                 << QStringList{QStringLiteral("core/config/syntax")};
        QTest::newRow("yaml-cpp") << QStringLiteral("^yaml-cpp/")
                                  << QStringList{QStringLiteral("core/config/networks"),
                                                 QStringLiteral("core/config/syntax"),
                                                 QStringLiteral("tests/core/config")};
        QTest::newRow("muParser") << QStringLiteral("^muParser")
                                  << QStringList{QStringLiteral("core/training")};
        QTest::newRow("CLI11") << QStringLiteral("^CLI/")
                               << QStringList{QStringLiteral("app"), QStringLiteral("tests")};
        QTest::newRow("Qt Sql") << QStringLiteral("^QtSql/|^QSql")
                                << QStringList{QStringLiteral("core/store"),
                                               QStringLiteral("tests/core/store")};
    }
    void keepsLibrariesInTheirRooms()
    {
        QFETCH(QString, library);
        QFETCH(QStringList, rooms);
        const QRegularExpression pattern(library);
        for (const SourceFile& file : m_files) {
            const bool allowed =
                std::ranges::any_of(rooms, [&](const QString& room) { return file.liesIn(room); });
            for (const QString& include : file.includes()) {
                QVERIFY2(allowed || !pattern.match(include).hasMatch(),
                         qPrintable(QStringLiteral("%1 includes %2").arg(file.path, include)));
            }
        }
    }

    void keepsQtOutOfTheArithmetic()
    {
        // Qt's own headers begin with Q and a capital or lie in a folder Qt...; ours are in snake_case.
        const QRegularExpression qt(QStringLiteral("^(Q[A-Z]|Qt|q[a-z]+\\.h$)"));
        for (const SourceFile& file : m_files) {
            const QStringList rooms{QStringLiteral("core/accumulation"), QStringLiteral("core/config"),
                                    QStringLiteral("core/data"),         QStringLiteral("core/device"),
                                    QStringLiteral("core/model"),        QStringLiteral("core/network"),
                                    QStringLiteral("core/search"),       QStringLiteral("core/trial")};
            if (std::ranges::none_of(rooms, [&](const QString& room) { return file.liesIn(room); }))
                continue;
            for (const QString& include : file.includes()) {
                QVERIFY2(!qt.match(include).hasMatch(),
                         qPrintable(QStringLiteral("%1 includes %2").arg(file.path, include)));
            }
        }
    }

    void linksLibrariesInTheirRooms_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QStringList>("rooms");
        QTest::newRow("Qt Charts") << QStringLiteral("Qt6::Charts")
                                   << QStringList{QStringLiteral("ui/charts"), QStringLiteral("tests/ui")};
        QTest::newRow("libtorch")
            << QStringLiteral("batchpeak_(torch|network)\\b|batchpeak_room\\(network\\b")
            << QStringList{QStringLiteral("core/network"),       QStringLiteral("app/worker"),
                           QStringLiteral("tests/core/network"), QStringLiteral("tests/app/worker"),
                           QStringLiteral("tests/gpu"),          QStringLiteral("tests/parity"),
                           QStringLiteral("tests/bench")};
        QTest::newRow("muParser") << QStringLiteral("muparser::")
                                  << QStringList{QStringLiteral("core/training")};
        QTest::newRow("Qt") << QStringLiteral("Qt6::")
                            << QStringList{QStringLiteral("core/engine"), QStringLiteral("core/training"),
                                           QStringLiteral("core/store"),  QStringLiteral("ui"),
                                           QStringLiteral("app/cli"),     QStringLiteral("app/batchpeak"),
                                           QStringLiteral("tests")};
    }
    void linksLibrariesInTheirRooms()
    {
        QFETCH(QString, target);
        QFETCH(QStringList, rooms);
        const QRegularExpression pattern(target);
        int seen = 0;
        for (const SourceFile& file : buildFiles(m_root)) {
            const bool allowed =
                std::ranges::any_of(rooms, [&](const QString& room) { return file.liesIn(room); });
            for (const QString& line : file.lines) {
                const bool links = !line.startsWith(QLatin1Char('#')) && pattern.match(line).hasMatch();
                seen += links ? 1 : 0;
                QVERIFY2(allowed || !links, qPrintable(QStringLiteral("%1: %2").arg(file.path, line)));
            }
        }
        QVERIFY2(seen > 0, "nothing links it, so the pattern is stale");
    }

    void linksLibtorchIntoTheWorkerAlone_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<bool>("expected");
        QTest::newRow("batchpeak") << QStringLiteral(BATCHPEAK_PROGRAM) << false;
        QTest::newRow("batchpeak-worker") << QStringLiteral(BATCHPEAK_WORKER_PROGRAM) << true;
    }
    void linksLibtorchIntoTheWorkerAlone()
    {
        QFETCH(QString, program);
        QFETCH(bool, expected);
        QProcess readelf;
        readelf.start(QStringLiteral("readelf"), {QStringLiteral("--dynamic"), program});
        if (!readelf.waitForStarted())
            QSKIP("readelf of binutils is not here");
        QVERIFY(readelf.waitForFinished());
        const QByteArray sections = readelf.readAllStandardOutput();
        QVERIFY2(sections.contains("NEEDED"), qPrintable(program));
        QCOMPARE(sections.contains("libtorch") || sections.contains("libc10"), expected);
    }

    void everyFileSaysItsLicence()
    {
        for (const SourceFile& file : m_files) {
            QVERIFY2(file.lines.value(0) == QLatin1String("// SPDX-FileCopyrightText: Batchpeak authors") &&
                         file.lines.value(1) == QLatin1String("// SPDX-License-Identifier: GPL-3.0-or-later"),
                     qPrintable(file.path));
        }
    }

    void everyFileIsNamedAndSizedAlike()
    {
        const QRegularExpression snakeCase(QStringLiteral("^[a-z][a-z0-9_]*\\.(cpp|h)$"));
        // How much belongs to one subject is for judgement; beyond this it is more than one.
        constexpr qsizetype mostLines = 700;
        for (const SourceFile& file : m_files) {
            QVERIFY2(snakeCase.match(QFileInfo(file.path).fileName()).hasMatch(), qPrintable(file.path));
            QVERIFY2(file.lines.size() <= mostLines,
                     qPrintable(QStringLiteral("%1 has %2 lines").arg(file.path).arg(file.lines.size())));
            QVERIFY2(!file.path.endsWith(QLatin1String(".h")) ||
                         file.lines.contains(QStringLiteral("#pragma once")),
                     qPrintable(file.path));
        }
    }

    void theReadmesCommandsExist()
    {
        const QString readme = textOf(m_root + QStringLiteral("/README.md"));
        if (readme.isEmpty())
            QSKIP("there is no README.md");
        const QString makefile = textOf(m_root + QStringLiteral("/Makefile"));
        const QRegularExpression command(QStringLiteral("\\bmake ([a-z][a-z0-9-]*)\\b"));
        auto matches = command.globalMatch(readme);
        QVERIFY(matches.hasNext());
        while (matches.hasNext()) {
            const QString target = matches.next().captured(1);
            const QRegularExpression rule(QStringLiteral("^%1:").arg(target),
                                          QRegularExpression::MultilineOption);
            QVERIFY2(rule.match(makefile).hasMatch(), qPrintable(QStringLiteral("make ") + target));
        }
    }

private:
    QString m_root;
    std::vector<SourceFile> m_files;
};

BATCHPEAK_TEST(ArchitectureTest)
#include "tst_architecture.moc"
