// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Measures the network of a config at every size of a fine grid, three times, and writes what it saw as CSV:
//     batchpeak-record-sweep CONFIG --memory-limit BYTES --largest N --output FILE.csv
// Nothing else should run on the computer meanwhile.

#include "sweep_command.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QSaveFile>

#include <cmath>
#include <cstdio>

using namespace batchpeak;

namespace {

constexpr double gridRatio = 1.03;
constexpr std::int64_t usualAlignment = 8;

/// Every small size, then one every 3 %, and the multiples of 8 beside them.
std::vector<std::int64_t> gridUpTo(std::int64_t largest)
{
    std::vector<std::int64_t> sizes;
    std::int64_t next = 1;
    for (std::int64_t size = 1; size <= largest; ++size) {
        if (size < next && size % usualAlignment != 0)
            continue;
        sizes.push_back(size);
        if (size >= next)
            next = std::max(size + 1, static_cast<std::int64_t>(gridRatio * static_cast<double>(size)));
    }
    return sizes;
}

QByteArray number(double value)
{
    return QByteArray::number(value, 'g', 9);
}

QByteArray headerOf(const Sweep& sweep)
{
    const engine::DeviceSnapshot& device = sweep.device;
    const engine::RunDescription& run = sweep.plan.run;
    QByteArray text = "# device: " + device.name.toUtf8() + "\n";
    text += "# network: " + run.family.toUtf8() + ", " + QByteArray::number(qint64{run.parameters}) +
            " parameters, sequence length " + QByteArray::number(qint64{run.sequenceLength}) + ", " +
            model::toText(run.phase).data() + ", " + model::toText(run.precision).data() + "\n";
    text += "# date: " + QDate::currentDate().toString(Qt::ISODate).toUtf8() + "\n";
    text += "# limit_bytes: " + QByteArray::number(qint64{device.limitBytes}) + "\n";
    text += "# baseline_bytes: " + QByteArray::number(qint64{device.baselineBytes}) + "\n";
    return text + "repetition,micro_batch_size,outcome,steps,seconds_per_step,relative_error,"
                  "optimizer_seconds,peak_allocated_bytes,peak_reserved_bytes,wall_seconds\n";
}

QByteArray lineOf(const Sweep::Row& row)
{
    const trial::TrialResult& result = row.result;
    const QByteArrayList fields{QByteArray::number(row.repetition),
                                QByteArray::number(qint64{result.microBatchSize}),
                                toText(result.outcome).data(),
                                QByteArray::number(result.steps),
                                number(result.secondsPerStep),
                                number(result.relativeError.value_or(0.0)),
                                number(result.optimizerSeconds.value_or(0.0)),
                                QByteArray::number(qint64{result.peakAllocatedBytes}),
                                QByteArray::number(qint64{result.peakReservedBytes}),
                                number(result.wallSeconds)};
    return fields.join(',') + "\n";
}

bool write(const QString& path, const Sweep& sweep)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    file.write(headerOf(sweep));
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
    parser.addOption({QStringLiteral("repetitions"), QStringLiteral("passes through the grid"),
                      QStringLiteral("N"), QStringLiteral("3")});
    parser.addOption({QStringLiteral("output"), QStringLiteral("CSV file to write"), QStringLiteral("FILE")});
    parser.process(app);
    if (parser.positionalArguments().size() != 1 || !parser.isSet(QStringLiteral("output")))
        parser.showHelp(1);

    const auto sweep = command.run(gridUpTo(parser.value(QStringLiteral("largest")).toLongLong()),
                                   parser.value(QStringLiteral("repetitions")).toInt());
    return sweep && write(parser.value(QStringLiteral("output")), *sweep) ? 0 : 1;
}
