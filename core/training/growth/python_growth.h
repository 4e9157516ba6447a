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

/// batch_increase_function of a Python file, in a python3 process of its own.
///
/// The file is imported once in each process, and asked many times; what it prints and reads is no part of
/// the answers. Each question has a limit of time, the first one together with the import. After a failure
/// the process is killed, with all that it started, and the next question gets a fresh one.
class PythonGrowth final : public GrowthFunction
{
    Q_OBJECT

public:
    /// \param code  what was let run of it; no process is started with anything else
    /// \throws config::ConfigError  where there is no such file
    PythonGrowth(const QString& path, std::chrono::milliseconds timeout, engine::CodeContent code = {},
                 QObject* parent = nullptr);
    /// Kills what still runs.
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
    /// "batch_increase_function(epoch=1, current_batch_size=8)"
    QString call() const;

    QString m_path;
    engine::CodeContent m_code;
    std::chrono::milliseconds m_timeout;
    /// The one that was put first; others wait until it is answered.
    QQueue<Question> m_questions;
    bool m_isAsking = false;
    /// The one that is asked; nothing before the first question and after a failure.
    QProcess* m_process = nullptr;
    qint64 m_group = 0;
    QTimer m_limit;
    QByteArray m_unread;
    QByteArray m_lastErrors;
};

} // namespace batchpeak::training
