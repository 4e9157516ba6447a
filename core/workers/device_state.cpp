// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_state.h"

#include "model/enum_names.h"
#include "text/translated.h"

namespace batchpeak::engine {

namespace {

constexpr model::EnumNames<Connection::State, 9> connectionWords{{{Connection::State::Here, "here"},
                                                                  {Connection::State::Asking, "asking"},
                                                                  {Connection::State::Queued, "queued"},
                                                                  {Connection::State::Starting, "starting"},
                                                                  {Connection::State::Connected, "connected"},
                                                                  {Connection::State::Silent, "silent"},
                                                                  {Connection::State::Lost, "lost"},
                                                                  {Connection::State::GivenUp, "given_up"},
                                                                  {Connection::State::Off, "off"}}};

} // namespace

QString toText(Connection::State state)
{
    return QString::fromUtf8(model::wordFor(connectionWords, state));
}

bool Connection::isConcern() const
{
    return state == State::Silent || state == State::Lost || state == State::GivenUp;
}

QString connectionText(const Connection& connection)
{
    const QString until = connection.until.toLocalTime().toString(QStringLiteral("HH:mm:ss"));
    switch (connection.state) {
    case Connection::State::Asking:
        return Translated::tr("asking what devices it has");
    case Connection::State::Queued:
        return connection.reason.isEmpty()
                   ? Translated::tr("waiting in Slurm's queue")
                   : Translated::tr("waiting in Slurm's queue (%1)").arg(connection.reason);
    case Connection::State::Starting:
        return Translated::tr("starting the worker");
    case Connection::State::Connected:
        return Translated::tr("connected");
    case Connection::State::Silent:
        return Translated::tr("nothing is heard; counts as lost at %1").arg(until);
    case Connection::State::Lost:
        return Translated::tr("connection lost, trying again until %1").arg(until);
    case Connection::State::GivenUp:
        return Translated::tr("given up: %1").arg(connection.reason);
    case Connection::State::Off:
        return Translated::tr("no worker runs");
    case Connection::State::Here:
        break;
    }
    return {};
}

QString kindOfDevice(const QString& id)
{
    return id.section(QLatin1Char('/'), -1).section(QLatin1Char(':'), 0, 0).section(QLatin1Char('#'), 0, 0);
}

bool Contention::isBusy() const
{
    constexpr int fewestTrials = 4;
    constexpr double majority = 0.5;
    return trials >= fewestTrials && disturbedShare > majority;
}

void addApproximations(config::Fidelity& fidelity, const DeviceSnapshot& device)
{
    for (const QString& approximation : device.approximations)
        fidelity.addReason(approximation.toStdString());
}

} // namespace batchpeak::engine
