// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/local_device.h"
#include "device_state.h"
#include "options/exploration_options.h"
#include "place_launch.h"

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <chrono>
#include <memory>
#include <vector>

namespace batchpeak::engine {

class PlaceSession;

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
    /// Whether the problem is that there is no answer, whatever is asked.
    bool isUnreachable = false;
    /// Whether a bundle would bring what is missing (place_bundle.h).
    bool lacksBundle = false;
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
    PlaceDescription descriptionAtEnd() const;
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

/// What a test of a place has found.
struct PlaceReport
{
    struct Device
    {
        /// Name of the device in a run, as PlacedDevice::id.
        QString id;
        device::LocalDevice device;
    };
    std::vector<Device> devices;
    /// What can run trials there: "batchpeak-worker 0.1.0, libtorch 2.11.0".
    QStringList programs;
    /// What is missing, with what mends it, as full sentences.
    QStringList problems;
    /// Whether a bundle would bring something of that.
    bool lacksBundle = false;

    bool runsTrials() const { return !programs.isEmpty(); }
};

/// Tests a place: asks each of its computers for its devices, and what would run trials there,
/// batchpeak-worker and Python. A Slurm is asked for an allocation, which lasts as long as the test.
///
/// Destroying it ends the test.
class PlaceTest : public QObject
{
    Q_OBJECT

public:
    /// \param text  as placeFromText() reads it; empty for this computer
    PlaceTest(QString text, QString programFolder, QObject* parent = nullptr);
    ~PlaceTest() override;

    /// answered() follows, not before this call returns.
    void start();

signals:
    /// The place waits for something else, such as Slurm.
    void connectionChanged(const batchpeak::engine::Connection& connection);
    void answered(const batchpeak::engine::PlaceReport& report);

private:
    void open();
    void askNext();
    void take(PlaceDescription description);
    void end(const QString& problem = {});

    const QString m_text;
    const QString m_programFolder;
    ExplorationOptions m_options;
    Place m_place;
    /// Holds the allocation of a Slurm.
    std::unique_ptr<PlaceSession> m_session;
    /// Computers that are asked; the first one is asked for its Python too.
    std::vector<PlacedDevice> m_computers;
    std::size_t m_next = 0;
    std::unique_ptr<PlaceQuestion> m_question;
    PlaceReport m_report;
};

} // namespace batchpeak::engine
