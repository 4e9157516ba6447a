// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device_state.h"
#include "options/exploration_options.h"
#include "place_launch.h"

#include <QObject>

#include <memory>
#include <vector>

namespace batchpeak::engine {

struct PlaceDescription;

/// The places of a run while it uses them: what devices they have, and the allocation of each Slurm.
///
/// It asks each computer behind ssh or podman for its devices, unless the options name some, and Slurm for
/// one allocation, or uses the one that this program runs in. An allocation is returned when the session is
/// closed, or when this program ends, however it ends. It starts no workers.
class PlaceSession : public QObject
{
    Q_OBJECT

public:
    /// \param options  with at least one place
    PlaceSession(const ExplorationOptions& options, QString programFolder, QObject* parent = nullptr);
    /// Returns the allocations, without waiting for their end.
    ~PlaceSession() override;

    /// Opens all places; opened() or failed() follows, not before this call returns.
    void open();
    const std::vector<PlacedDevice>& devices() const { return m_devices; }
    /// Slurm jobs that the places have.
    QStringList jobs() const;
    /// Why a place could not be opened; empty if none has failed.
    const QString& problem() const { return m_problem; }
    /// Whether an allocation has ended.
    bool isLost() const { return m_isLost; }
    /// Returns the places whose devices are not known yet, and what they wait for.
    std::vector<PlaceSnapshot> pending() const;

signals:
    /// Emitted when the devices of every place are known; there is at least one.
    void opened();
    /// Emitted when a place cannot be opened.
    void failed(const QString& sentence);
    /// Emitted when an allocation has ended while it was open.
    void lost(const QString& sentence);
    void logged(batchpeak::engine::LogLevel level, const QString& text);
    /// Emitted when a place of pending() waits for something else.
    void connectionChanged(const batchpeak::engine::PlaceSnapshot& place);

private:
    struct Opening;

    void openPlace(const QString& text);
    void ask(Opening& opening);
    void allocate(Opening& opening);
    void setConnection(Opening& opening, const Connection& connection);
    void askQueue(Opening& opening);
    void takeReason(Opening& opening, const QString& reason);
    void readAllocation(Opening& opening);
    void endAllocation(Opening& opening);
    void takeAnswer(Opening& opening, const PlaceDescription& description);
    void askNodes(Opening& opening, std::vector<PlacedDevice> devices);
    void settle(Opening& opening, std::vector<PlacedDevice> devices);
    void fail(const QString& sentence);

    const ExplorationOptions m_options;
    const QString m_programFolder;
    std::vector<std::unique_ptr<Opening>> m_openings;
    std::vector<PlacedDevice> m_devices;
    QString m_problem;
    bool m_isLost = false;
};

/// Reads the lines "batchpeak-node NAME PROCESSORS GRES" of an allocation, such as "batchpeak-node n1 0-3,8
/// gpu:a100:2(IDX:0-1)"; other lines are ignored.
std::vector<SlurmNode> slurmNodesIn(const QByteArray& text);

} // namespace batchpeak::engine
