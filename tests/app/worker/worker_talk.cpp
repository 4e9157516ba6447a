// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_talk.h"

using namespace batchpeak::trial;

namespace {

// Generous: nothing is asserted about time, and other tests may hold the processor.
constexpr int patienceMilliseconds = 60'000;

} // namespace

WorkerTalk::WorkerTalk(const QString& program, const QStringList& arguments)
{
    process.start(program, arguments);
}

WorkerTalk::~WorkerTalk()
{
    process.kill();
    process.waitForFinished();
}

void WorkerTalk::say(const ParentMessage& message)
{
    sayLine(QByteArray::fromStdString(toLine(message)));
}

void WorkerTalk::sayLine(const QByteArray& line)
{
    process.waitForStarted();
    process.write(line);
    process.waitForBytesWritten();
}

std::optional<WorkerMessage> WorkerTalk::hear()
{
    while (!process.canReadLine()) {
        if (!process.waitForReadyRead(patienceMilliseconds))
            return std::nullopt;
    }
    const auto parsed = parseWorkerMessage(process.readLine().toStdString());
    if (const auto* error = std::get_if<ProtocolError>(&parsed)) {
        qWarning("%s", error->text.c_str());
        return std::nullopt;
    }
    return std::get<WorkerMessage>(parsed);
}
