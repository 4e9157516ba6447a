// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker_speech.h"

#include <QCoreApplication>

#include <algorithm>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::WorkerSpeech)
};

// docs/trial-protocol.md: the device is in a state that only a fresh process leaves behind.
constexpr int stickyDeviceErrorCode = 42;

} // namespace

QString problemIn(const trial::WorkerHello& hello)
{
    if (hello.protocol == trial::protocolVersion)
        return {};
    return Translated::tr("The worker speaks version %1 of the trial protocol, and this program version %2; "
                          "install versions that belong together.")
        .arg(hello.protocol)
        .arg(trial::protocolVersion);
}

void takeHello(DeviceSnapshot& device, const trial::WorkerHello& hello, std::optional<std::int64_t> wanted,
               double headroom)
{
    const trial::DeviceDescription& told = hello.device;
    device.kind = QString::fromStdString(told.kind);
    device.name = QString::fromStdString(told.name);
    device.totalBytes = told.totalBytes;
    device.program = QString::fromStdString(hello.program);
    if (device.limitBytes != 0)
        return;
    if (told.freeBytes > 0)
        device.heldByOthersBytes = std::max<std::int64_t>(0, told.totalBytes - told.freeBytes);
    const std::int64_t there = told.freeBytes > 0 ? told.freeBytes : told.totalBytes;
    const std::int64_t asked = wanted.value_or(0);
    device.limitBytes = there > 0 && asked > 0 ? std::min(there, asked) : std::max(there, asked);
    device.usableBytes = static_cast<std::int64_t>(static_cast<double>(device.limitBytes) * (1.0 - headroom));
}

QString problemText(const WorkerEnd& end)
{
    const bool isSticky = end.kind == WorkerEnd::Kind::Exited && end.code == stickyDeviceErrorCode;
    return isSticky ? Translated::tr("The device reported an error that only a fresh process clears.")
                    : end.sentence;
}

QString violationText(const QString& sentence)
{
    return Translated::tr("The worker does not keep to the trial protocol. %1").arg(sentence);
}

std::optional<LogLevel> shownLevel(trial::LogLevel level)
{
    switch (level) {
    case trial::LogLevel::Debug:
        return std::nullopt;
    case trial::LogLevel::Info:
        return LogLevel::Info;
    case trial::LogLevel::Warning:
        return LogLevel::Warning;
    case trial::LogLevel::Error:
        break;
    }
    return LogLevel::Error;
}

} // namespace batchpeak::engine
