// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "options/option_table.h"
#include "options/saved_arguments.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace batchpeak::engine;
namespace store = batchpeak::store;

namespace {

struct Command
{
    QString typed;
    /// Expected words, in which FOLDER stands for the folder that the command was typed in.
    QStringList words;
    QStringList places = {};
};

const QString lengthsOption = QStringLiteral("--sample-lengths");

} // namespace

/// Tests explorations that are resumed in a different folder.
class SavedArgumentsTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_before = QDir::currentPath();
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("my bin")));
        for (const char* name : {"lengths.txt", "trial.py", "fast", "my bin/worker"})
            batchpeak::test::writeFile(m_folder->filePath(QString::fromUtf8(name)), "7\n12\n");
        QVERIFY(QDir::setCurrent(m_folder->path()));
    }
    void cleanup() { QDir::setCurrent(m_before); }

    void namesTheFileOfLengths()
    {
        const QStringList words = savedArguments(optionsFrom({lengthsOption, QStringLiteral("lengths.txt")}));
        QCOMPARE(words, (QStringList{lengthsOption, m_folder->filePath(QStringLiteral("lengths.txt"))}));
    }

    void namesProgramsAndScripts_data()
    {
        const auto text = [](const char* words) { return QString::fromUtf8(words); };
        const auto list = [](const char* words) { return QString::fromUtf8(words).split(QLatin1Char('|')); };
        rows<Command>(
            {{"one of PATH with a script",
              {.typed = text("python3 trial.py --fast 1"),
               .words = list("python3|FOLDER/trial.py|--fast|1")}},
             {"a program, in a folder with a blank",
              {.typed = text("\"my bin/worker\" --say \"a \"\"\"b\"\"\" c\""),
               .words = list("FOLDER/my bin/worker|--say|a \"b\" c")}},
             {"through a folder above",
              {.typed = text("./my\" \"bin/../trial.py"), .words = list("FOLDER/trial.py")}},
             {"a word that is a file's name too", {.typed = text("fast fast"), .words = list("fast|fast")}},
             {"what is not there", {.typed = text("./none none.py"), .words = list("./none|none.py")}},
             {"elsewhere",
              {.typed = text("python3 trial.py"),
               .words = list("python3|trial.py"),
               .places = {text("ssh host")}}}});
    }
    void namesProgramsAndScripts()
    {
        auto [typed, expected, places] = row<Command>();
        const ExplorationOptions kept =
            optionsFrom(savedArguments({.workerCommand = typed, .places = places}));
        QCOMPARE(QProcess::splitCommand(kept.workerCommand),
                 expected.replaceInStrings(QStringLiteral("FOLDER"), m_folder->path()));
    }

    // The lengths of the load request apply, even if the file has changed or is gone.
    void keepsTheLengthsOfTheLoadRequest_data()
    {
        rows<QByteArray>({{"a file that is gone", {}}, {"another one", {"3\n"}}});
    }
    void keepsTheLengthsOfTheLoadRequest()
    {
        const QString path = m_folder->filePath(QStringLiteral("lengths.txt"));
        store::ExplorationInfo info{
            .command = {QStringLiteral("--seed"), QStringLiteral("3"), lengthsOption, path}};
        info.loadRequest = QStringLiteral(
            R"({"type":"load","model":{"family":"gpt2"},"sequence_length":64,"sample_lengths":[7,12]})");
        QVERIFY(QFile::remove(path));
        if (const QByteArray text = row<QByteArray>(); !text.isEmpty())
            batchpeak::test::writeFile(path, text);
        const ExplorationOptions options = optionsOf(info);
        QCOMPARE(options.sampleLengths, (std::vector<std::int64_t>{7, 12}));
        QCOMPARE(options.seed, 3U);
        QCOMPARE(savedArguments(options), info.command);
    }

    // The load request is missing if the program reported none, or if it cannot be parsed.
    void readsTheFileWithoutALoadRequest()
    {
        const store::ExplorationInfo info{.command = {lengthsOption, QStringLiteral("lengths.txt")}};
        QCOMPARE(optionsOf(info).sampleLengths, (std::vector<std::int64_t>{7, 12}));
    }

private:
    QString m_before;
    std::unique_ptr<QTemporaryDir> m_folder;
};

BATCHPEAK_TEST(SavedArgumentsTest)
#include "tst_saved_arguments.moc"
