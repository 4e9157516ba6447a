// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_choice.h"

#include "exploration_error.h"

#include <QCoreApplication>

#include <algorithm>
#include <optional>

namespace batchpeak::engine {

namespace {

struct Translated
{
    Q_DECLARE_TR_FUNCTIONS(batchpeak::engine::DeviceChoice)
};

struct DeviceWord
{
    QString kind;
    /// Nothing stands for every device of the kind.
    std::optional<int> index;
};

DeviceWord parse(const QString& word)
{
    const QString kind = word.section(QLatin1Char(':'), 0, 0);
    if (word == QLatin1String("cpu") || word == QLatin1String("cuda"))
        return {.kind = word};
    bool isNumber = false;
    const int index = word.section(QLatin1Char(':'), 1).toInt(&isNumber);
    if (kind == QLatin1String("cuda") && isNumber && index >= 0)
        return {.kind = kind, .index = index};
    throw ExplorationError(
        Translated::tr("\"%1\" is no device; name cpu, cuda (every GPU) or cuda:N (one GPU, counted from 0).")
            .arg(word));
}

QString listed(const std::vector<device::LocalDevice>& devices)
{
    QStringList ids;
    for (const device::LocalDevice& device : devices)
        ids.append(QString::fromStdString(device.id()));
    return ids.join(QLatin1String(", "));
}

} // namespace

std::vector<device::LocalDevice> chooseDevices(const QStringList& words,
                                               const std::vector<device::LocalDevice>& available)
{
    const auto isGpu = [](const device::LocalDevice& device) { return device.kind == "cuda"; };
    const QString everyGpu = QStringLiteral("cuda");
    const QStringList asked = !words.isEmpty()                        ? words
                              : std::ranges::any_of(available, isGpu) ? QStringList(everyGpu)
                                                                      : QStringList(QStringLiteral("cpu"));
    std::vector<device::LocalDevice> chosen;
    for (const QString& word : asked) {
        const DeviceWord wanted = parse(word);
        bool found = false;
        for (const device::LocalDevice& device : available) {
            if (device.kind != wanted.kind.toStdString() || (wanted.index && device.index != *wanted.index))
                continue;
            found = true;
            const auto isSame = [&](const device::LocalDevice& other) { return other.id() == device.id(); };
            if (std::ranges::none_of(chosen, isSame))
                chosen.push_back(device);
        }
        if (!found)
            throw ExplorationError(
                Translated::tr("There is no device %1 on this computer; what there is: %2. See "
                               "batchpeak devices.")
                    .arg(word, listed(available)));
    }
    return chosen;
}

std::vector<device::LocalDevice> devicesBehindLauncher(const QStringList& words)
{
    std::vector<device::LocalDevice> chosen;
    for (const QString& word : words) {
        const DeviceWord wanted = parse(word);
        chosen.push_back({.kind = wanted.kind.toStdString(), .index = wanted.index.value_or(0)});
    }
    if (chosen.empty())
        chosen.push_back({.kind = "cpu"});
    return chosen;
}

} // namespace batchpeak::engine
