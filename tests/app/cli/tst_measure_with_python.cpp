// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_run.h"
#include "support/files.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

using namespace batchpeak;

namespace {

constexpr const char* complete = R"("problem": "", "lacks": {})";

struct Run
{
    /// Part of the description by the interpreter: what it lacks.
    const char* description = complete;
    const char* options = "";
    int exitCode = 0;
    const char* said = "";
};

} // namespace

/// Tests "batchpeak explore --with python" and "confirm" with an interpreter that gives the answers of a
/// test, and then runs the fake worker.
class MeasureWithPythonTest : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_environment = environmentWithoutDisplay();
        m_environment.insert(QStringLiteral("XDG_DATA_HOME"), m_folder->filePath(QStringLiteral("data")));
        m_environment.insert(QStringLiteral("VIRTUAL_ENV"), m_folder->filePath(QStringLiteral("venv")));
    }

    void runsTrialsIfNothingIsMissing_data()
    {
        rows<Run>(
            {{"all is there", {.said = "micro_batch_size: "}},
             {"no transformers",
              {.description =
                   R"("problem": "P has no transformers. To install it: P -m pip install transformers")",
               .exitCode = 3,
               .said = "To install it: P -m pip install transformers"}},
             {"no PEFT, which the run does not need",
              {.description = R"("problem": "", "lacks": {"peft": "P has no peft. To install it: X"})",
               .said = "micro_batch_size: "}},
             {"no PEFT for adapters",
              {.description = R"("problem": "", "lacks": {"peft": "P has no peft. To install it: X"})",
               .options = "--adapter lora",
               .exitCode = 3,
               .said = "P has no peft. To install it: X"}},
             {"no bitsandbytes for its optimizer",
              {.description =
                   R"("problem": "", "lacks": {"bitsandbytes": "P has no bitsandbytes. To install it: X"})",
               .options = "--optimizer adamw-8bit",
               .exitCode = 3,
               .said = "P has no bitsandbytes. To install it: X"}},
             {"two programs",
              {.options = "--worker something", .exitCode = 3, .said = "leave one of them out"}}});
    }
    void runsTrialsIfNothingIsMissing()
    {
        const auto& [description, options, exitCode, said] = row<Run>();
        makeInterpreter(QStringLiteral("venv"), description);
        const ProgramRun run = explore(words("--with python") + words(options));
        QVERIFY2(run.exitCode == exitCode, run.text());
        QVERIFY2(exitCode == 0 ? run.answers(said) : run.remarks(said), run.text());
        if (exitCode == 0) {
            const QByteArray asked = bytesOf(m_folder->filePath(QStringLiteral("venv.words")));
            QVERIFY2(asked.contains("--device cpu\n"), asked);
        }
    }

    /// Not every shell expands a ~ after "python=".
    void findsTheInterpreterThatIsNamed_data()
    {
        rows<const char*>(
            {{"from the present folder", {"other/bin/python3"}}, {"from home", {"~/other/bin/python3"}}});
    }
    void findsTheInterpreterThatIsNamed()
    {
        const char* const path = row<const char*>();
        makeInterpreter(QStringLiteral("other"), complete);
        m_environment.insert(QStringLiteral("HOME"), m_folder->path());
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const ProgramRun run =
            explore({QStringLiteral("--with"), QStringLiteral("python=") + QLatin1String(path)});
        QVERIFY(QDir::setCurrent(before));
        QVERIFY2(run.succeeded(), run.text());
        QVERIFY(QFile::exists(m_folder->filePath(QStringLiteral("other.words"))));
    }

    void advisesToMeasureWithPython()
    {
        makeInterpreter(QStringLiteral("venv"), complete, QStringLiteral("1.9.1"));
        const ProgramRun run = runProgram({QStringLiteral("explore"), examplePath("gpt2-tiny.yaml"),
                                           QStringLiteral("--max-trials"), QStringLiteral("2"),
                                           QStringLiteral("--device"), QStringLiteral("cpu")},
                                          m_environment);
        QVERIFY2(run.remarks("it has torch 1.9.1, and batchpeak-worker has"), run.text());
        QVERIFY2(run.remarks("To do so, add --with python."), run.text());
    }

    /// The measurements of one program do not predict the speed of another.
    void confirmsWhatTheSameProgramMeasured()
    {
        makeInterpreter(QStringLiteral("venv"), complete);
        makeInterpreter(QStringLiteral("other"), complete);
        const QStringList other{QStringLiteral("--with"),
                                QStringLiteral("python=") +
                                    m_folder->filePath(QStringLiteral("other/bin/python3"))};
        QVERIFY(explore(other).succeeded());
        ProgramRun run = confirm(words("--with python"));
        QVERIFY2(run.answers("confirming what exploration 1 of"), run.text());
        QVERIFY2(run.remarks("that exploration measured with another program"), run.text());

        QVERIFY(explore(words("--with python")).succeeded());
        QVERIFY(explore(other).succeeded());
        run = confirm(words("--with python"));
        QVERIFY2(run.answers("confirming what exploration 2 of"), run.text());
        QVERIFY2(!run.remarks("another program"), run.text());
    }

private:
    /// Writes an interpreter that appends its arguments to the file \p name.words.
    void makeInterpreter(const QString& name, const QByteArray& description,
                         const QString& torch = QStringLiteral("2.11.0")) const
    {
        const QString path = m_folder->filePath(name + QLatin1String("/bin/python3"));
        const QByteArray answer = "{\"python\": \"3.11.2\", \"torch\": \"" + torch.toUtf8() +
                                  "\", \"transformers\": \"5.1\", \"devices\": [], " + description + '}';
        test::writeProgram(path, "for word; do\n"
                                 "  [ \"$word\" = --describe ] && { echo '" +
                                     answer +
                                     "'; exit; }\n"
                                     "done\n"
                                     "echo \"$@\" >> '" +
                                     m_folder->filePath(name).toUtf8() +
                                     ".words'\n"
                                     "exec '" BATCHPEAK_FAKE_WORKER "'");
    }

    ProgramRun explore(const QStringList& options) const
    {
        return runProgram(QStringList{QStringLiteral("explore"), examplePath("gpt2-tiny.yaml")} +
                              words("--device cpu --strategy ramp --max-trials 4") + options,
                          m_environment);
    }

    ProgramRun confirm(const QStringList& options) const
    {
        return runProgram(QStringList{QStringLiteral("confirm"), examplePath("gpt2-tiny.yaml")} +
                              words("--device cpu --steps 2") + options,
                          m_environment);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QProcessEnvironment m_environment;
};

BATCHPEAK_TEST(MeasureWithPythonTest)
#include "tst_measure_with_python.moc"
