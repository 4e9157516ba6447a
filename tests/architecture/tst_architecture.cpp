// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "source_tree.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <vector>

namespace {

/// Pattern of includes or lines, and the folders and files in which it may occur.
struct Allowed
{
    QRegularExpression pattern;
    QStringList rooms;

    bool isIn(const SourceFile& file) const
    {
        return std::ranges::any_of(
            rooms, [&](const QString& room) { return file.liesIn(room) || file.path == room; });
    }
};

Allowed allowed(const char* pattern, const std::vector<const char*>& rooms)
{
    Allowed made{.pattern = QRegularExpression(QString::fromLatin1(pattern))};
    for (const char* room : rooms)
        made.rooms.append(QString::fromLatin1(room));
    return made;
}

} // namespace

/// Tests the rules of the tree that neither the compiler nor the linker checks: which files may include
/// which, how files are named, and what the programs are linked with.
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
        rows<Allowed>({
            {"Qt Charts",
             allowed("^QtCharts/"
                     "|^Q(AbstractAxis|AbstractSeries|AreaSeries|Chart|ChartView|LineSeries|LogValueAxis|"
                     "ScatterSeries|ValueAxis|XYSeries|LegendMarker)$",
                     {"ui/charts", "tests/ui"})},
            {"libtorch",
             allowed("^(torch|ATen|c10|caffe2)/",
                     {"core/network", "app/worker", "tests/core/network", "tests/app/worker", "tests/gpu",
                      "tests/parity", "tests/bench", "tests/support/simulated_gpu"})},
            {"CUDA, in no folder", allowed("^cuda|/cuda_runtime|^nccl", {})},
            {"libyaml", allowed("^yaml\\.h$", {"core/syntax"})},
            {"yaml-cpp", allowed("^yaml-cpp/", {"core/config/networks", "core/syntax", "tests/core/config",
                                                "tests/core/syntax"})},
            {"toml++", allowed("^toml\\+\\+/", {"core/syntax"})},
            {"muParser", allowed("^muParser", {"core/training"})},
            {"xxHash", allowed("^xxhash\\.h$", {"core/training"})},
            {"CLI11", allowed("^CLI/", {"app", "tests"})},
            {"Qt Network", allowed("^QtNetwork/|^QNetwork|^QSsl", {"core/files", "tests/core/files"})},
            {"Qt Sql",
             allowed("^QtSql/|^QSql", {"core/store", "tests/core/store", "tests/fuzz", "tests/support"})},
        });
    }
    void keepsLibrariesInTheirRooms()
    {
        const Allowed& library = row<Allowed>();
        for (const SourceFile& file : m_files) {
            for (const QString& include : file.includes()) {
                QVERIFY2(library.isIn(file) || !library.pattern.match(include).hasMatch(),
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
                                    QStringLiteral("core/search"),       QStringLiteral("core/syntax"),
                                    QStringLiteral("core/trial")};
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
        rows<Allowed>({
            {"Qt Charts", allowed("Qt6::Charts", {"ui/charts", "tests/ui"})},
            {"libtorch",
             allowed("batchpeak_(torch|network)\\b|batchpeak_room\\(network\\b",
                     {"core/network", "app/worker", "tests/core/network", "tests/app/worker", "tests/gpu",
                      "tests/parity", "tests/bench", "tests/support/simulated_gpu"})},
            {"muParser", allowed("muparser::", {"core/training"})},
            {"xxHash", allowed("XxHash::", {"core/training"})},
            {"Qt Network", allowed("Qt6::Network", {"core/files", "tests/core/files"})},
            {"Qt", allowed("Qt6::", {"core/files", "core/text", "core/training", "core/store", "ui",
                                     "app/cli", "app/batchpeak", "tests"})},
        });
    }
    void linksLibrariesInTheirRooms()
    {
        const Allowed& target = row<Allowed>();
        int seen = 0;
        for (const SourceFile& file : buildFiles(m_root)) {
            for (const QString& line : file.lines) {
                const bool links =
                    !line.startsWith(QLatin1Char('#')) && target.pattern.match(line).hasMatch();
                seen += links ? 1 : 0;
                QVERIFY2(target.isIn(file) || !links,
                         qPrintable(QStringLiteral("%1: %2").arg(file.path, line)));
            }
        }
        QVERIFY2(seen > 0, "nothing links it, so the pattern is stale");
    }

    void linksOnlyTheWorkerWithLibtorch_data()
    {
        rows<std::string, bool>({
            {"batchpeak", {BATCHPEAK_PROGRAM, false}},
            {"batchpeak-worker", {BATCHPEAK_WORKER_PROGRAM, true}},
        });
    }
    void linksOnlyTheWorkerWithLibtorch()
    {
        const auto& [path, expected] = row<std::string, bool>();
        const QString program = QString::fromStdString(path);
        QProcess readelf;
        readelf.start(QStringLiteral("readelf"), {QStringLiteral("--dynamic"), program});
        if (!readelf.waitForStarted())
            QSKIP("readelf of binutils is not here");
        QVERIFY(readelf.waitForFinished());
        const QByteArray sections = readelf.readAllStandardOutput();
        QVERIFY2(sections.contains("NEEDED"), qPrintable(program));
        QCOMPARE(sections.contains("libtorch") || sections.contains("libc10"), expected);
    }

    /// An empty or relative entry of a run path means the working folder, so that a command would load the
    /// libraries that happen to be there.
    void noProgramLooksForLibrariesInTheWorkingFolder_data()
    {
        const QDir build(QFileInfo(QStringLiteral(BATCHPEAK_PROGRAM)).dir().filePath(QStringLiteral("..")));
        const auto add = rows<QString>();
        for (const char* folder : {"bin", "tests"}) {
            const QDir programs(build.filePath(QLatin1String(folder)));
            for (const QFileInfo& file : programs.entryInfoList(QDir::Files | QDir::Executable))
                add(file.fileName().toStdString(), file.filePath());
        }
    }
    void noProgramLooksForLibrariesInTheWorkingFolder()
    {
        QProcess readelf;
        readelf.start(QStringLiteral("readelf"), {QStringLiteral("--dynamic"), row<QString>()});
        if (!readelf.waitForStarted())
            QSKIP("readelf of binutils is not here");
        QVERIFY(readelf.waitForFinished());
        const QString dynamic = QString::fromLocal8Bit(readelf.readAllStandardOutput());
        for (const QString& path :
             allMatches(dynamic, QStringLiteral("\\((?:RPATH|RUNPATH)\\)[^\\[]*\\[([^\\]]*)\\]"))) {
            for (const QString& entry : path.split(QLatin1Char(':')))
                QVERIFY2(entry.startsWith(QLatin1Char('/')) || entry.startsWith(QStringLiteral("$ORIGIN/")),
                         qPrintable(path));
        }
    }

    void everyFileStatesItsLicense()
    {
        for (const SourceFile& file : m_files) {
            QVERIFY2(file.lines.value(0) == QLatin1String("// SPDX-FileCopyrightText: Batchpeak authors") &&
                         file.lines.value(1) == QLatin1String("// SPDX-License-Identifier: GPL-3.0-or-later"),
                     qPrintable(file.path));
        }
    }

    void everyFileHasAValidNameAndSize()
    {
        const QRegularExpression snakeCase(QStringLiteral("^[a-z][a-z0-9_]*\\.(cpp|h)$"));
        // How much belongs to one subject is a matter of judgment; a file that is longer than this covers
        // several.
        constexpr qsizetype maxLines = 700;
        for (const SourceFile& file : m_files) {
            QVERIFY2(snakeCase.match(QFileInfo(file.path).fileName()).hasMatch(), qPrintable(file.path));
            QVERIFY2(file.lines.size() <= maxLines,
                     qPrintable(QStringLiteral("%1 has %2 lines").arg(file.path).arg(file.lines.size())));
            QVERIFY2(!file.path.endsWith(QLatin1String(".h")) ||
                         file.lines.contains(QStringLiteral("#pragma once")),
                     qPrintable(file.path));
        }
    }

    /// Names of devices, workers and tokens may come from anyone. PlainText escapes them in labels and tool
    /// tips of widgets. Code that bypasses PlainText may show only Batchpeak's own texts, or must call
    /// plainToolTip().
    void showsForeignTextsLiterally_data()
    {
        rows<Allowed>(
            {{"rich text", allowed("Qt::RichText|Qt::AutoText|setHtml\\(|insertHtml\\(|QTextBrowser",
                                   {"ui/widgets/plain_text.cpp"})},
             {"tool tips of menus", allowed("setToolTipsVisible\\(", {"ui/exploration/throughput_card.cpp"})},
             {"tool tips by hand", allowed("QToolTip::showText\\((?!.*plainToolTip\\()", {})},
             {"tool tips of tables",
              allowed("Qt::ToolTipRole(?!.*(plainToolTip\\(|return tr\\(|TableModel::data\\())", {})}});
    }
    void showsForeignTextsLiterally()
    {
        const Allowed& markup = row<Allowed>();
        for (const SourceFile& file : m_files) {
            if (markup.isIn(file) ||
                !(file.liesIn(QStringLiteral("ui")) || file.liesIn(QStringLiteral("app"))))
                continue;
            for (qsizetype line = 0; line < file.lines.size(); ++line) {
                // A statement may continue on the next line.
                const QString statement = file.lines.mid(line, 2).join(QLatin1Char(' '));
                const auto match = markup.pattern.match(statement);
                QVERIFY2(!match.hasMatch() || match.capturedStart() >= file.lines[line].size(),
                         qPrintable(QStringLiteral("%1:%2").arg(file.path).arg(line + 1)));
            }
        }
    }

    void waitsLongEnoughForABusyMachine()
    {
        // These functions of Qt Test wait for only five seconds by default; tests/support/verify.h waits
        // longer.
        const QRegularExpression impatient(QStringLiteral("\\bQTRY_(VERIFY2?|COMPARE)\\(|\\.wait\\(\\)"));
        for (const SourceFile& file : m_files) {
            const QStringList lines = file.lines.filter(impatient);
            QVERIFY2(lines.isEmpty(),
                     qPrintable(file.path + QLatin1Char('\n') + lines.join(QLatin1Char('\n'))));
        }
    }

    void documentsNameCommandsThatExist_data() { addDocuments(); }
    void documentsNameCommandsThatExist()
    {
        const QString makefile = textOf(m_root + QStringLiteral("/Makefile"));
        for (const QString& target : allMatches(row<QString>(), m_command)) {
            const QRegularExpression rule(QStringLiteral("^%1:").arg(target),
                                          QRegularExpression::MultilineOption);
            QVERIFY2(rule.match(makefile).hasMatch(), qPrintable(QStringLiteral("make ") + target));
        }
    }

    void documentsNameFilesThatExist_data() { addDocuments(); }
    void documentsNameFilesThatExist()
    {
        const QString pattern =
            QStringLiteral("`((?:app|cmake|core|docs|resources|scripts|tests|ui)/[A-Za-z0-9_./-]*)`");
        for (const QString& path : allMatches(row<QString>(), pattern))
            QVERIFY2(QFileInfo::exists(m_root + QLatin1Char('/') + path), qPrintable(path));
    }

    void theReadmeIsShortAndNamesCommands()
    {
        const QString readme = textOf(m_root + QStringLiteral("/README.md"));
        QVERIFY(readme.count(QLatin1Char('\n')) <= 120);
        QVERIFY(!allMatches(readme, m_command).isEmpty());
    }

    void theDrawingOfTheRoomsIsUpToDate()
    {
        QProcess script;
        script.start(QStringLiteral("python3"),
                     {m_root + QStringLiteral("/scripts/draw-rooms.py"), QStringLiteral("--check")});
        if (!script.waitForStarted())
            QSKIP("python3 is not here");
        QVERIFY(script.waitForFinished());
        QVERIFY2(script.exitCode() == 0, script.readAllStandardError().constData());
    }

private:
    /// Adds a row for each document, with its text.
    void addDocuments() const
    {
        QStringList paths{QStringLiteral("README.md"), QStringLiteral("CONTRIBUTING.md")};
        for (const QString& name : QDir(m_root + QStringLiteral("/docs")).entryList({QStringLiteral("*.md")}))
            paths.append(QStringLiteral("docs/") + name);
        const auto add = rows<QString>();
        for (const QString& path : paths)
            add(path.toStdString(), textOf(m_root + QLatin1Char('/') + path));
    }

    static QStringList allMatches(const QString& text, const QString& pattern)
    {
        QStringList found;
        const QRegularExpression expression(pattern, QRegularExpression::MultilineOption);
        auto matches = expression.globalMatch(text);
        while (matches.hasNext())
            found.append(matches.next().captured(1));
        return found;
    }

    /// Pattern of a make command at the beginning of a line of a code block, or after a backtick.
    const QString m_command = QStringLiteral("(?:^|`)make ([a-z][a-z0-9-]*)\\b");
    QString m_root;
    std::vector<SourceFile> m_files;
};

BATCHPEAK_TEST(ArchitectureTest)
#include "tst_architecture.moc"
