// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "options/exploration_options.h"
#include "place_launch.h"

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

#include <chrono>
#include <memory>

namespace batchpeak::engine {

/// What a computer at a place says of itself.
struct PlaceDescription
{
    device::LocalDevices devices;
    /// "batchpeak-worker 0.1.0", "Python 3.11.2".
    QString program;
    /// "libtorch 2.11.0", "torch 2.11.0, transformers 5.23.0".
    QString framework;
    /// Why no trial can run there, with the command that mends it; empty if one can.
    QString problem;
};

/// Asks a computer at a place for its devices and for what would run trials there: batchpeak-worker, or its
/// Python if the options name one.
///
/// It runs one short process there. Destroying it ends the process.
class PlaceQuestion : public QObject
{
    Q_OBJECT

public:
    /// \param name  what a user calls the place
    PlaceQuestion(const ExplorationOptions& options, PlacedDevice computer, QString name,
                  const QString& programFolder, QObject* parent = nullptr);
    ~PlaceQuestion() override;

    /// answered() follows, not before this call returns.
    void ask();

signals:
    void answered(const batchpeak::engine::PlaceDescription& description);

private:
    PlaceDescription descriptionAtEnd();
    void answer(const PlaceDescription& description);

    const PlacedDevice m_computer;
    const QString m_name;
    const bool m_isPython;
    const std::chrono::milliseconds m_limit;
    WorkerCommand m_command;
    std::unique_ptr<QProcess> m_process;
    qint64 m_group = 0;
    QTimer m_timer;
    bool m_hasAnswered = false;
};

} // namespace batchpeak::engine
