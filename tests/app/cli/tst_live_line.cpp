// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/progress_line.h"
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

#include <QRegularExpression>
#include <QTest>

#include <array>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace batchpeak::cli;

namespace {

struct Width
{
    int columns;
    const char* text;
};

struct Terminal
{
    const char* kind = "xterm";
    const char* noColor = "";
    const char* options = "";
    /// Whether the program redraws a progress line, and whether it uses colors.
    bool isDrawn = true;
    bool isColored = true;
};

ProgressLine exampleLine()
{
    return {
        .share = 0.425,
        .parts = {{.text = QStringLiteral("trial 7"), .importance = Importance::More},
                  {.text = QStringLiteral("size 96")},
                  {.text = QStringLiteral("2,115 samples/s"), .importance = Importance::Least},
                  {.text = QStringLiteral("best 64"), .importance = Importance::Some, .style = Style::Good}}};
}

/// The program with its stderr on a terminal; its second trial never ends.
class ProgramOnATerminal
{
public:
    ProgramOnATerminal(const QProcessEnvironment& environment, const QStringList& options)
    {
        m_master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (m_master < 0 || grantpt(m_master) != 0 || unlockpt(m_master) != 0)
            return;
        setColumns(100);
        const int terminal = open(ptsname(m_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        m_process.setProcessEnvironment(environment);
        m_process.setChildProcessModifier([terminal] { dup2(terminal, STDERR_FILENO); });
        m_process.start(QStringLiteral(BATCHPEAK_PROGRAM), exploreArguments("trial=hang@2", options));
        m_process.waitForStarted();
        close(terminal);
        fcntl(m_master, F_SETFL, O_NONBLOCK);
    }
    ~ProgramOnATerminal()
    {
        m_process.kill();
        m_process.waitForFinished();
        if (m_master >= 0)
            close(m_master);
    }

    bool isRunning() const { return m_process.state() == QProcess::Running; }

    void setColumns(unsigned short columns) const
    {
        const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        ioctl(m_master, TIOCSWINSZ, &size);
    }

    /// Returns everything that was written to the terminal.
    const QByteArray& written()
    {
        std::array<char, 4096> buffer{};
        for (ssize_t count = 0; (count = read(m_master, buffer.data(), buffer.size())) > 0;)
            m_written.append(buffer.data(), count);
        return m_written;
    }

    /// Returns the progress lines that were drawn over each other, without their color sequences.
    QStringList drawn()
    {
        static const QRegularExpression rendition(QStringLiteral("\\x1b\\[[0-9;]*m"));
        QStringList lines = QString::fromUtf8(written()).remove(rendition).split(QStringLiteral("\r\033[K"));
        // Other parts contain lines that stay, for which the progress line was erased.
        return lines.filter(QRegularExpression(QStringLiteral("^[^\\n]+$")));
    }

private:
    int m_master = -1;
    QProcess m_process;
    QByteArray m_written;
};

} // namespace

/// Tests the progress line: which parts of it fit, and where it is not shown.
class LiveLineTest : public QObject
{
    Q_OBJECT

private slots:
    void showsThePartsThatFit_data()
    {
        rows<Width>(
            {{"wide", {120, "██████████░░░░░░░░░░░░░░  42 %  trial 7  size 96  2,115 samples/s  best 64"}},
             {"usual", {80, "███░░░░░  42 %  trial 7  size 96  2,115 samples/s  best 64"}},
             {"just enough", {58, "███░░░░░  42 %  trial 7  size 96  2,115 samples/s  best 64"}},
             {"less", {57, "███░░░░░  42 %  trial 7  size 96  best 64"}},
             {"no bar", {49, " 42 %  trial 7  size 96  2,115 samples/s  best 64"}},
             {"narrow", {32, " 42 %  trial 7  size 96  best 64"}},
             {"narrower", {31, " 42 %  trial 7  size 96"}},
             {"the rest", {16, " 42 %  size 96"}},
             {"cut", {10, " 42 %  siz"}},
             {"none", {0, ""}}});
    }
    void showsThePartsThatFit()
    {
        const auto& [columns, text] = row<Width>();
        const StyledText line = fitted(exampleLine(), columns);
        QCOMPARE(line.plain(), QString::fromUtf8(text));
        QVERIFY(line.columns() <= columns);
    }

    void fillsTheBar_data()
    {
        rows<double, const char*>({{"at first", {0.0, "░░░░░░░░   0 %"}},
                                   {"nearly", {0.999, "███████░  99 %"}},
                                   {"at the end", {1.0, "████████ 100 %"}}});
    }
    void fillsTheBar()
    {
        const auto& [share, text] = row<double, const char*>();
        QCOMPARE(fitted({.share = share, .parts = {}}, 80).plain(), QString::fromUtf8(text));
    }

    void colorsStyledText()
    {
        StyledText text(QStringLiteral("best "));
        text.append(QStringLiteral("64"), Style::Good);
        text.append(QStringLiteral(" of 9"));
        QCOMPARE(text.colored(), QStringLiteral("best \033[32m64\033[0m of 9"));
        QCOMPARE(text.left(6).colored(), QStringLiteral("best \033[32m6\033[0m"));
        QCOMPARE(text.plain(), QStringLiteral("best 64 of 9"));
    }

    void adaptsToTheTerminal_data()
    {
        rows<Terminal>({{"of today", {}},
                        {"no color", {.noColor = "1", .isColored = false}},
                        {"never", {.options = "--color never", .isColored = false}},
                        {"asked for", {.noColor = "1", .options = "--color always"}},
                        {"dumb", {.kind = "dumb", .isDrawn = false, .isColored = false}},
                        {"unknown", {.kind = "", .isDrawn = false, .isColored = false}}});
    }
    void adaptsToTheTerminal()
    {
        const Terminal& terminal = row<Terminal>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("TERM"), QString::fromUtf8(terminal.kind));
        environment.insert(QStringLiteral("NO_COLOR"), QString::fromUtf8(terminal.noColor));
        ProgramOnATerminal program(environment, words(terminal.options));
        if (!program.isRunning())
            QSKIP("This system has no pseudo-terminals to draw the line on.");
        // The end of the first trial is reported on every terminal.
        TRY_VERIFY(program.written().contains(terminal.isDrawn ? "trial 2" : "trial 1 on cpu"));
        QCOMPARE(program.written().contains("\r\033[K"), terminal.isDrawn);
        QCOMPARE(program.written().contains("\033[1m"), terminal.isColored);
        QCOMPARE(program.written().contains('\033'), terminal.isDrawn);
    }

    void staysWithinTheWidthOfTheTerminal()
    {
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        ProgramOnATerminal program(environment, {});
        if (!program.isRunning())
            QSKIP("This system has no pseudo-terminals to draw the line on.");
        TRY_VERIFY(program.written().contains("trial 2"));
        for (const QString& line : program.drawn())
            QVERIFY2(line.size() < 100, qPrintable(line));
        program.setColumns(40);
        const auto last = [&program] { return program.drawn().value(program.drawn().size() - 1); };
        TRY_VERIFY(last().size() < 40 && last().contains(QStringLiteral("size 2")));
    }

    void writesNoProgressLineToFiles_data()
    {
        rows<const char*, bool>({{"usually", {"", false}}, {"asked for", {"--color always", true}}});
    }
    void writesNoProgressLineToFiles()
    {
        const auto& [options, isColored] = row<const char*, bool>();
        QProcessEnvironment environment = environmentWithoutDisplay();
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        const ProgramRun run = runProgram(
            exploreArguments("trial=exit@2", words("--max-trials 3") + words(options)), environment);
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY2(run.remarks("warning: "), run.text());
        QCOMPARE((run.out + run.err).contains(QLatin1Char('\033')), isColored);
        QVERIFY2(!run.err.contains(QLatin1Char('\r')), run.text());
    }
};

BATCHPEAK_TEST(LiveLineTest)
#include "tst_live_line.moc"
