// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Measures the network of a config at the sizes of a grid, with many visits to each in random order, and
// writes every visit with its clock and its steps as CSV (format 2 of sweeps):
//     batchpeak-record-sweep CONFIG --memory-limit BYTES --largest N --output FILE.csv
// Nothing else should run on the computer meanwhile, except for what --beside names.

#include "sweep_command.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QSaveFile>
#include <QSysInfo>
#include <QThread>

#include <cstdio>
#include <cstdlib>

using namespace batchpeak;

namespace {

/// Returns the facts about the computer that a reader of the figures needs.
QByteArray machineFacts()
{
    double load = 0.0;
    getloadavg(&load, 1);
    return QByteArray::number(QThread::idealThreadCount()) + " processors, " +
           QSysInfo::kernelType().toUtf8() + " " + QSysInfo::kernelVersion().toUtf8() + ", load " +
           QByteArray::number(load, 'f', 2) + " before";
}

QByteArray headerOf(const Sweep& sweep, const QByteArray& machine, const QString& beside)
{
    const engine::DeviceSnapshot& device = sweep.device;
    const engine::RunDescription& run = sweep.plan.run;
    QByteArray text = "# format: 2\n# device: " + device.name.toUtf8() + "\n";
    text += "# network: " + run.family.toUtf8() + ", " + QByteArray::number(qint64{run.parameters}) +
            " parameters, sequence length " + QByteArray::number(qint64{run.sequenceLength}) + ", " +
            model::toText(run.phase).data() + ", " + model::toText(run.precision).data() + "\n";
    text += "# date: " + QDate::currentDate().toString(Qt::ISODate).toUtf8() + "\n";
    text += "# machine: " + machine + "\n";
    text += "# beside: " + beside.toUtf8() + "\n";
    text += "# limit_bytes: " + QByteArray::number(qint64{device.limitBytes}) + "\n";
    text += "# baseline_bytes: " + QByteArray::number(qint64{device.baselineBytes}) + "\n";
    return text + "visit,micro_batch_size,outcome,clock_seconds,optimizer_seconds,peak_allocated_bytes,"
                  "peak_reserved_bytes,alloc_retries,wall_seconds,flags,step_seconds\n";
}

QByteArray lineOf(const Sweep::Row& row)
{
    const trial::TrialResult& result = row.result;
    QByteArrayList flags;
    for (const std::string& flag : result.flags)
        flags << QByteArray::fromStdString(flag).replace(',', ' ').replace(';', ' ');
    QByteArrayList steps;
    for (const double seconds : result.stepSeconds)
        steps << QByteArray::number(seconds, 'g', 5);
    const QByteArrayList fields{QByteArray::number(row.visit),
                                QByteArray::number(qint64{result.microBatchSize}),
                                toText(result.outcome).data(),
                                QByteArray::number(row.clockSeconds, 'f', 3),
                                QByteArray::number(result.optimizerSeconds.value_or(0.0), 'g', 5),
                                QByteArray::number(qint64{result.peakAllocatedBytes}),
                                QByteArray::number(qint64{result.peakReservedBytes}),
                                QByteArray::number(qint64{result.allocationRetries}),
                                QByteArray::number(result.wallSeconds, 'f', 3),
                                flags.join(';'),
                                steps.join(';')};
    return fields.join(',') + "\n";
}

bool write(const QString& path, const QByteArray& header, const Sweep& sweep)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    file.write(header);
    for (const Sweep::Row& row : sweep.rows)
        file.write(lineOf(row));
    return file.commit();
}

} // namespace

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    SweepCommand command;
    QCommandLineParser& parser = command.parser();
    parser.addOption({QStringLiteral("largest"), QStringLiteral("largest size of the grid"),
                      QStringLiteral("N"), QStringLiteral("256")});
    parser.addOption({QStringLiteral("ratio"), QStringLiteral("from one size of the grid to the next"),
                      QStringLiteral("X"), QStringLiteral("1.1")});
    parser.addOption({QStringLiteral("visits"), QStringLiteral("of each size"), QStringLiteral("N"),
                      QStringLiteral("10")});
    parser.addOption({QStringLiteral("beside"), QStringLiteral("what else ran on the computer meanwhile"),
                      QStringLiteral("TEXT"), QStringLiteral("nothing")});
    parser.addOption({QStringLiteral("output"), QStringLiteral("CSV file to write"), QStringLiteral("FILE")});
    parser.process(app);
    if (parser.positionalArguments().size() != 1 || !parser.isSet(QStringLiteral("output")))
        parser.showHelp(1);

    const QString path = parser.value(QStringLiteral("output"));
    const QByteArray machine = machineFacts();
    bool isWritten = false;
    const auto sweep = command.run(sweepGrid(parser.value(QStringLiteral("largest")).toLongLong(),
                                             parser.value(QStringLiteral("ratio")).toDouble()),
                                   parser.value(QStringLiteral("visits")).toInt(), [&](const Sweep& soFar) {
                                       const QByteArray header =
                                           headerOf(soFar, machine, parser.value(QStringLiteral("beside")));
                                       isWritten = write(path, header, soFar);
                                   });
    if (sweep && !isWritten)
        std::fprintf(stderr, "%s cannot be written: choose another file with --output.\n",
                     qUtf8Printable(path));
    return sweep && isWritten ? 0 : 1;
}
