// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "preview_text.h"

#include "plan/plan_forecast.h"
#include "terminal_text.h"

#include <vector>

namespace batchpeak::cli {

namespace {

using engine::DevicePreview;
using engine::PlanPreview;

const QString noValue = QStringLiteral("-");

/// "192 MiB before the first sample, 3.40 MiB for each (within 15 %)"
QString perSampleMemoryText(const model::StepMemory& memory)
{
    return QStringLiteral("about %1 before the first sample, %2 for each (give or take %3)")
        .arg(bytesText(static_cast<std::int64_t>(memory.constantBytes)),
             bytesText(static_cast<std::int64_t>(memory.bytesPerSample)), percentText(memory.deviation));
}

QString originText(const engine::OptionPreview& option)
{
    switch (option.origin) {
    case engine::Origin::Config:
        return option.place.isEmpty() ? QStringLiteral("config")
                                      : QStringLiteral("config, %1").arg(option.place);
    case engine::Origin::Yours:
        return QStringLiteral("yours");
    case engine::Origin::Explored:
        return QStringLiteral("explored");
    case engine::Origin::Default:
        break;
    }
    return QStringLiteral("default");
}

std::vector<QStringList> deviceRows(const PlanPreview& preview)
{
    std::vector<QStringList> rows{{QStringLiteral("DEVICE"), QStringLiteral("NAME"), QStringLiteral("MEMORY"),
                                   QStringLiteral("FREE"), QStringLiteral("MAY USE"),
                                   QStringLiteral("ROOM FOR")}};
    for (const DevicePreview& device : preview.devices) {
        if (!device.isChosen)
            continue;
        const auto bytes = [](std::int64_t count) { return count > 0 ? bytesText(count) : noValue; };
        const QString room = engine::samplesRoomText(device);
        rows.push_back({QString::fromStdString(device.device.id()),
                        QString::fromStdString(device.device.name), bytes(device.device.totalBytes),
                        bytes(device.device.freeBytes), bytes(device.usableBytes),
                        room.isEmpty() ? noValue : room});
    }
    return rows;
}

std::vector<QStringList> optionRows(const PlanPreview& preview)
{
    std::vector<QStringList> rows{
        {QStringLiteral("OPTION"), QStringLiteral("VALUE"), QStringLiteral("FROM")}};
    for (const engine::OptionPreview& option : preview.options) {
        rows.push_back({QString::fromStdString(option.name), option.text.isEmpty() ? noValue : option.text,
                        originText(option)});
    }
    return rows;
}

} // namespace

QStringList previewLines(const QString& path, const PlanPreview& preview, const QString& historyPath)
{
    std::vector<QStringList> rows{{QStringLiteral("config"), path}};
    for (const engine::ReadValue& value : preview.values)
        rows.push_back({value.name.toLower(), value.place.isEmpty()
                                                  ? value.value
                                                  : QStringLiteral("%1 (%2)").arg(value.value, value.place)});
    if (preview.memory)
        rows.push_back({QStringLiteral("memory"), perSampleMemoryText(*preview.memory)});
    if (preview.plan) {
        rows.push_back({QStringLiteral("sizes"), engine::sizesText(*preview.plan)});
        for (const engine::PlanOffer& offer : preview.offers)
            rows.push_back({QStringLiteral("choice"),
                            QStringLiteral("%1 %2: %3").arg(offer.reason, offer.label, offer.words)});
        rows.push_back(
            {QStringLiteral("trials"), engine::planForecastText(engine::planForecast(preview, historyPath))});
    }
    return alignedLines(rows) + QStringList{QString()} + alignedLines(deviceRows(preview)) +
           QStringList{QString()} + alignedLines(optionRows(preview));
}

} // namespace batchpeak::cli
