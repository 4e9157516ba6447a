// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trial/protocol.h"

#include <QProcess>

#include <deque>
#include <optional>

/// A test's side of a conversation with a worker process.
class WorkerTalk
{
public:
    WorkerTalk(const QString& program, const QStringList& arguments);
    ~WorkerTalk();

    void say(const batchpeak::trial::ParentMessage& message);
    void sayLine(const QByteArray& line);
    /// The next line as a message; nothing where the worker falls silent, ends, or breaks the protocol.
    std::optional<batchpeak::trial::WorkerMessage> hear();
    /// The next message of that type; others before it are skipped.
    template<typename Message>
    std::optional<Message> hear()
    {
        while (const auto message = hear()) {
            if (const auto* wanted = std::get_if<Message>(&*message))
                return *wanted;
        }
        return std::nullopt;
    }

    QProcess process;
};
