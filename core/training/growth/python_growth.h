// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "growth_function.h"

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QQueue>
#include <QTimer>

namespace batchpeak::training {

/// Runs batch_increase_function of a Python file in its own python3 process.
///
/// The file is imported once in each process, and its function is called many times. What the file prints or
/// reads is separate from the answers. Each question has a time limit; for the first question of a process,
/// it includes the import. After a failure the process is killed, with everything that it started, and the
/// next question gets a fresh process.
class PythonGrowth final : public GrowthFunction
{
    Q_OBJECT

public:
    /// \param code  content of the file that the user allowed to run; no process is started with any other
    ///        content. Empty for no check.
    /// \throws config::ConfigError  if the file does not exist
    PythonGrowth(const QString& path, std::chrono::milliseconds timeout, engine::CodeContent code = {},
                 QObject* parent = nullptr);
    /// Kills processes that are still running.
    ~PythonGrowth() override;

    void ask(std::int64_t epoch, std::int64_t currentBatchSize) override;

private:
    struct Question
    {
        std::int64_t epoch = 0;
        std::int64_t currentBatchSize = 0;
    };

    void putQuestion();
    void startProcess();
    void dropProcess();
    void readAnswer();
    void readErrors();
    void judge(const QJsonObject& answer);
    void takeExit(int code, QProcess::ExitStatus status);
    void succeed(qint64 increment);
    void fail(const QString& what, int line = 0);
    void failSaying(const QString& sentence);
    void endQuestion();
    /// Returns the call as text: "batch_increase_function(epoch=1, current_batch_size=8)".
    QString call() const;

    QString m_path;
    engine::CodeContent m_code;
    std::chrono::milliseconds m_timeout;
    /// Pending questions; the first one is being answered, the others wait.
    QQueue<Question> m_questions;
    bool m_isAsking = false;
    /// Current process; null before the first question and after a failure.
    QProcess* m_process = nullptr;
    qint64 m_group = 0;
    QTimer m_limit;
    QByteArray m_unread;
    QByteArray m_lastErrors;
};

} // namespace batchpeak::training
