// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/words/styled_text.h"
#include "cli/words/terminal_text.h"
#include "program_run.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "text/escaped_text.h"

#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace batchpeak::cli;

namespace {

/// Whether a terminal only shows the text: it contains no control characters except tabs and line feeds, and
/// none that changes the direction of a line.
bool isVisible(const QString& text)
{
    return std::ranges::all_of(text, [](QChar character) {
        const char16_t code = character.unicode();
        const bool changesDirection = code == 0x200e || code == 0x200f ||
                                      (code >= 0x2028 && code <= 0x202e) ||
                                      (code >= 0x2066 && code <= 0x2069);
        return !changesDirection &&
               (code == u'\n' || code == u'\t' || (code >= 0x20 && code < 0x7f) || code > 0x9f);
    });
}

/// A terminal that stores its output unchanged.
class Terminal
{
public:
    Terminal() : m_master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC))
    {
        if (m_master < 0 || grantpt(m_master) != 0 || unlockpt(m_master) != 0)
            return;
        m_slave = open(ptsname(m_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        fcntl(m_master, F_SETFL, O_NONBLOCK);
    }
    ~Terminal()
    {
        close(m_slave);
        close(m_master);
    }
    Q_DISABLE_COPY_MOVE(Terminal)

    bool isOpen() const { return m_slave >= 0; }

    /// Returns what the program writes to the terminal on stdout.
    QString written(const QStringList& arguments) const
    {
        QProcess process;
        process.setProcessEnvironment(environmentWithoutDisplay());
        process.setChildProcessModifier([this] { dup2(m_slave, STDOUT_FILENO); });
        process.start(QStringLiteral(BATCHPEAK_PROGRAM), arguments);
        process.waitForFinished();
        QByteArray written;
        std::array<char, 4096> buffer{};
        for (ssize_t count = 0; (count = read(m_master, buffer.data(), buffer.size())) > 0;)
            written.append(buffer.data(), count);
        return QString::fromUtf8(written);
    }

private:
    int m_master = -1;
    int m_slave = -1;
};

} // namespace

/// Tests that text from configs, workers and files cannot control the terminal.
class VisibleTextTest : public QObject
{
    Q_OBJECT

private slots:
    void init() { QVERIFY(m_folder.isValid()); }

    void spellsOutControlCharacters_data()
    {
        rows<std::string, std::string>(
            {{"nothing", {"", ""}},
             {"plain", {"größer – 96 %", "größer – 96 %"}},
             {"lines and tabs", {"a\tb\nc\r\nd", "a\tb\nc\r\nd"}},
             {"an escape sequence", {"\x1b[2Jgone", "\\x1b[2Jgone"}},
             {"a bell and a backspace", {"a\a\bc", "a\\x07\\x08c"}},
             {"a zero", {std::string("a\0b", 3), "a\\x00b"}},
             {"a return that hides", {"bad\rgood", "bad\\x0dgood"}},
             {"a return at the end", {"bad\r", "bad\\x0d"}},
             {"delete", {"a\x7f", "a\\x7f"}},
             {"a sequence of one character",
              {"\xc2\x9b"
               "2J",
               "\\x9b2J"}},
             {"the first and the last of C1", {"\xc2\x80\xc2\x9f", "\\x80\\x9f"}},
             {"beyond them", {"\xc2\xa0", "\xc2\xa0"}},
             {"an override", {"a\u202elmay.b", "a\\u202elmay.b"}},
             {"isolates", {"\u2066a\u2067b\u2068c\u2069", "\\u2066a\\u2067b\\u2068c\\u2069"}},
             {"embeddings", {"\u202aa\u202bb\u202cc\u202dd", "\\u202aa\\u202bb\\u202cc\\u202dd"}},
             {"marks", {"\u200ea\u200fb\u061c", "\\u200ea\\u200fb\\u061c"}},
             {"separators", {"a\u2028b\u2029c", "a\\u2028b\\u2029c"}},
             {"characters without width", {"a\u200bb\u2060c\ufeff\u00ad", "a\\u200bb\\u2060c\\ufeff\\xad"}},
             {"tags", {"a\U000e0041b", "a\\U000e0041b"}},
             {"fillers", {"a\u115f\u1160\u3164\uffa0", "a\\u115f\\u1160\\u3164\\uffa0"}},
             {"an empty cell of braille", {"\u2801\u2800", "\u2801\\u2800"}},
             {"joiners and separators", {"a\u034fb\u180ec\u2064", "a\\u034fb\\u180ec\\u2064"}},
             {"the ends of the tags", {"\U000e0000\U000e007f", "\\U000e0000\\U000e007f"}},
             {"joiners of Latin", {"a\u200cb\u200d", "a\\u200cb\\u200d"}},
             {"joiners of joined scripts",
              {"\u0645\u06cc\u200c\u062e \u0915\u094d\u200d", "\u0645\u06cc\u200c\u062e \u0915\u094d\u200d"}},
             {"one joiner too many", {"\u0645\u200c\u200d", "\u0645\u200c\\u200d"}},
             {"emoji in parts",
              {"\U0001f468\u200d\U0001f469 \u2764\ufe0f", "\U0001f468\u200d\U0001f469 \u2764\ufe0f"}},
             {"emoji of parts with selectors",
              {"\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308"}},
             {"a row of selectors", {"\u2764\ufe0f\ufe01\ufe02", "\u2764\ufe0f\\ufe01\\ufe02"}},
             {"a selector of nothing", {"a\ufe0f\U000e0101", "a\\ufe0f\\U000e0101"}},
             {"pairs", {"\U0001f600", "\U0001f600"}},
             {"their neighbors", {"\u2010\u2027\u202f\u2070", "\u2010\u2027\u202f\u2070"}}});
    }
    void spellsOutControlCharacters()
    {
        const auto& [text, visible] = row<std::string, std::string>();
        const QString seen = batchpeak::engine::escapeControls(QString::fromStdString(text));
        QCOMPARE(seen.toStdString(), visible);
        QCOMPARE(batchpeak::engine::escapeControls(seen), seen);
    }

    void keepsItsOwnColors()
    {
        StyledText text;
        text.append(QStringLiteral("\033[5mbad"), Style::Bad);
        QCOMPARE(text.colored(), QStringLiteral("\033[31m\\x1b[5mbad\033[0m"));
        QCOMPARE(text.columns(), qsizetype{10});
    }

    void alignsVisibleText()
    {
        QCOMPARE(alignedLines({{QStringLiteral("\033"), QStringLiteral("a")},
                               {QStringLiteral("bb"), QStringLiteral("c")}}),
                 (QStringList{QStringLiteral("\\x1b  a"), QStringLiteral("bb    c")}));
    }

    void escapesTextOfOthersOnTheTerminal_data()
    {
        const QString badName = path("bad\x1b[2Jname.yaml");
        QVERIFY(writeBytes(badName, bytesOf(examplePath("gpt2-tiny.yaml"))));
        const QString badValue = path("value.yaml");
        QVERIFY(writeBytes(badValue, exampleWithSize("\"\\x9b2Jmany\"")));
        const QString turningValue = path("turning.yaml");
        QVERIFY(writeBytes(turningValue, exampleWithSize("\"\\u202e46\\u2066many\"")));
        rows<QStringList, std::string>(
            {{"a file's name", {{QStringLiteral("inspect"), badName}, "bad\\x1b[2Jname.yaml"}},
             {"a file that is not there",
              {{QStringLiteral("inspect"), path("no\xc2\x9b\x7f")}, "no\\x9b\\x7f"}},
             {"a config's value", {{QStringLiteral("inspect"), badValue}, "\\x9b2Jmany"}},
             {"a worker's last words",
              {exploreArguments("start=exit \"complain=\x1b[2J\xc2\x9b"
                                "5mgone\""),
               "\\x1b[2J\\x9b5mgone"}},
             {"a config's value that turns the line",
              {{QStringLiteral("inspect"), turningValue}, "\\u202e46\\u2066many"}},
             {"a device's kernel",
              {exploreArguments("\"attention=\x1b[2Jfast\"", words("--max-trials 2 --min-confidence 0")),
               "\\x1b[2Jfast"}},
             {"an option", {{QStringLiteral("explore"), QStringLiteral("--\033[2J")}, "\\x1b[2J"}}});
    }
    void escapesTextOfOthersOnTheTerminal()
    {
        const auto& [arguments, said] = row<QStringList, std::string>();
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.answers(said.c_str()) || run.remarks(said.c_str()), run.text());
        QVERIFY2(isVisible(run.out) && isVisible(run.err), run.text());
    }

    void indentsOutputOfTheWorker()
    {
        const ProgramRun run = runProgram(exploreArguments("start=exit complain=batchpeak:"));
        QVERIFY2(run.remarks("\n  Last output of the worker:\n  batchpeak:"), run.text());
    }

    void escapesConfigsOnlyOnATerminal()
    {
        // No other config format accepts these characters.
        const QByteArray script =
            bytesOf(QStringLiteral(BATCHPEAK_SOURCE_DIR "/tests/fuzz/corpus/megatron_format/train_gpt.sh"));
        const QString file = path("train.sh");
        QVERIFY(writeBytes(file, script + "# \xc2\x9b\r\n"));
        const QStringList arguments{QStringLiteral("export"), file, QStringLiteral("--size"),
                                    QStringLiteral("4")};
        const ProgramRun run = runProgram(arguments);
        QVERIFY2(run.succeeded({"# \xc2\x9b\r\n"}), run.text());
        const Terminal terminal;
        QVERIFY(terminal.isOpen());
        const QString seen = terminal.written(arguments);
        QVERIFY2(seen.contains(QStringLiteral("# \\x9b\r")) && !seen.contains(QChar(0x9b)), qPrintable(seen));
    }

    void escapesControlCharactersInJson()
    {
        const QString file = path("a\x7f\xc2\x9b"
                                  "2J\u202e\U000e0041\xc2\xa0.yaml");
        QVERIFY(writeBytes(file, bytesOf(examplePath("gpt2-tiny.yaml"))));
        const ProgramRun run = runProgram({QStringLiteral("inspect"), file, QStringLiteral("--json")});
        QVERIFY2(run.succeeded({"a\\u007f\\u009b2J\\u202e\\udb40\\udc41"}) && isVisible(run.out), run.text());
        QCOMPARE(QJsonDocument::fromJson(run.out.toUtf8()).object().value(QLatin1String("file")).toString(),
                 file);
    }

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)); }

    QTemporaryDir m_folder;
};

BATCHPEAK_TEST(VisibleTextTest)
#include "tst_escaped_text.moc"
