// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/command.h"

#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

#include <initializer_list>
#include <vector>

/// What one run of the batchpeak program said and how it ended.
struct ProgramRun
{
    /// 128 + signal where a signal ended it, -1 where it did not start or did not end.
    int exitCode = -1;
    QString out;
    QString err;

    /// Whether \p part stands on stdout, or on stderr.
    bool answers(const char* part) const { return out.contains(QString::fromUtf8(part)); }
    bool remarks(const char* part) const { return err.contains(QString::fromUtf8(part)); }

    /// Whether it ended with 0, and all these parts stand on stdout.
    bool succeeded(std::initializer_list<const char*> answers = {}) const;
    /// Whether it ended with 1 and a sentence of its own on stderr, where all these parts stand, and said
    /// nothing on stdout.
    bool refused(std::initializer_list<const char*> remarks) const;

    QStringList outLines() const;
    /// Both streams, for the message of a failed check.
    QByteArray text() const;
};

/// Runs the built program as a person without a display would, and waits for its end.
ProgramRun runProgram(const QStringList& arguments, const QProcessEnvironment& environment);
ProgramRun runProgram(const QStringList& arguments);

/// The same where no file may grow beyond 8 KiB, as by ulimit -f.
ProgramRun runWithSmallFiles(const QStringList& arguments, const QProcessEnvironment& environment);

/// The same with a reader that goes away behind so many lines, as in `| head -1`. \c out is what that has
/// read.
ProgramRun runIntoHead(const QStringList& arguments, int lines);

/// The environment without a display.
QProcessEnvironment environmentWithoutDisplay();

/// Those of a line: "--max-trials 3".
QStringList words(const char* line);

/// A config of the examples that come with the program.
QString examplePath(const char* name);

/// The text of the GPT-2 among them, with a size in the place of its "explore".
QByteArray exampleWithSize(const QByteArray& size);

/// "explore", a config, the fake worker behaving as \p behavior says, and \p options.
QStringList exploreArguments(const char* behavior, const QStringList& options = {},
                             const QString& config = examplePath("gpt2-tiny.yaml"));

/// "train" in the place of "explore".
QStringList trainArguments(const char* behavior, const QStringList& options = {});

/// The program while it runs, on a pipe for each stream. It is killed at the end.
class RunningProgram
{
public:
    explicit RunningProgram(const QStringList& arguments);
    ~RunningProgram();

    QProcess& process() { return m_process; }
    const QByteArray& out() const { return m_out; }

    /// Waits until \p text stands on stdout, or on stderr.
    bool waitForAnswer(const QByteArray& text);
    bool waitForRemark(const QByteArray& text);
    bool waitForEnd();
    void send(int signal) const;

private:
    bool waitFor(QProcess::ProcessChannel channel, QByteArray& said, const QByteArray& text);

    QProcess m_process;
    QByteArray m_out;
    QByteArray m_err;
};

/// What is said where \p attempt is refused; empty where it is not.
template<typename Attempt>
QString complaintAbout(Attempt attempt)
{
    try {
        attempt();
    } catch (const batchpeak::cli::UsageError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

/// Events in JSON Lines; nothing where one line is no JSON object.
std::vector<QJsonObject> eventsIn(const QByteArray& text);

/// What kind of event it is: "started".
QString nameOf(const QJsonObject& event);

/// The bytes of a file; empty where it cannot be read.
QByteArray bytesOf(const QString& path);

/// \return whether all of them were written
bool writeBytes(const QString& path, const QByteArray& bytes);
