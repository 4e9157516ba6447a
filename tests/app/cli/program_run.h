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

/// Output and exit code of one run of the batchpeak program.
struct ProgramRun
{
    /// 128 + signal if a signal ended the program, -1 if it did not start or did not end.
    int exitCode = -1;
    QString out;
    QString err;

    /// Whether stdout, or for remarks() stderr, contains \p part.
    bool answers(const char* part) const { return out.contains(QString::fromUtf8(part)); }
    bool remarks(const char* part) const { return err.contains(QString::fromUtf8(part)); }

    /// Whether the program ended with 0, and stdout contains all these parts.
    bool succeeded(std::initializer_list<const char*> answers = {}) const;
    /// Whether the program ended with 1 and a sentence of its own on stderr that contains all these parts,
    /// and wrote nothing to stdout.
    bool refused(std::initializer_list<const char*> remarks) const;

    QStringList outLines() const;
    /// Returns both streams, for the message of a failed check.
    QByteArray text() const;
};

/// Runs the built program as a user without a display would, and waits for its end.
ProgramRun runProgram(const QStringList& arguments, const QProcessEnvironment& environment);
ProgramRun runProgram(const QStringList& arguments);

/// Does the same with a limit of 8 KiB for file sizes, as by ulimit -f.
ProgramRun runWithSmallFiles(const QStringList& arguments, const QProcessEnvironment& environment);

/// Does the same with a reader that exits after that many lines, as in `| head -1`. \c out is what the reader
/// has read.
ProgramRun runIntoHead(const QStringList& arguments, int lines);

/// Returns the environment without a display.
QProcessEnvironment environmentWithoutDisplay();

/// Returns the words of a line: "--max-trials 3".
QStringList words(const char* line);

/// Returns the path of a config among the examples that come with the program.
QString examplePath(const char* name);

/// Returns the text of the GPT-2 example with a size instead of its "explore".
QByteArray exampleWithSize(const QByteArray& size);

/// Returns "explore", a config, options for a fake worker that behaves as \p behavior specifies, and \p
/// options.
QStringList exploreArguments(const char* behavior, const QStringList& options = {},
                             const QString& config = examplePath("gpt2-tiny.yaml"));

/// Returns the same with "train" instead of "explore".
QStringList trainArguments(const char* behavior, const QStringList& options = {});

/// The running program, with a pipe for each stream. The destructor kills it.
class RunningProgram
{
public:
    explicit RunningProgram(const QStringList& arguments);
    ~RunningProgram();

    QProcess& process() { return m_process; }
    const QByteArray& out() const { return m_out; }

    /// Waits until stdout, or for waitForRemark() stderr, contains \p text.
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

/// Returns the message with which \p attempt is refused; empty if it is not.
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

/// Returns the events of JSON Lines, or nothing if a line is not a JSON object.
std::vector<QJsonObject> eventsIn(const QByteArray& text);

/// Returns the kind of an event: "started".
QString nameOf(const QJsonObject& event);

/// Returns the bytes of a file; empty if it cannot be read.
QByteArray bytesOf(const QString& path);

/// \return whether all bytes were written
bool writeBytes(const QString& path, const QByteArray& bytes);
