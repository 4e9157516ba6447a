// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_preview.h"

#include "options/option_table.h"
#include "options/tuning_choice.h"
#include "snapshot/writing_rule.h"
#include "step_overrides.h"
#include "text/batch_text.h"
#include "text/errors.h"
#include "text/fidelity_text.h"
#include "text/readable_text.h"
#include "text/translated.h"
#include "text/tuning_text.h"
#include "workers/run_devices.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace batchpeak::engine {

namespace {

using config::ConfigContents;
using config::SourceLocation;
using Location = std::optional<SourceLocation>;

/// Returns the options with everything filled in that the config says.
ExplorationOptions inForce(ExplorationOptions options, const ConfigContents& contents)
{
    if (const auto& plan = contents.plan(options.phase))
        options.setting = settingAsked(*plan, options);
    options.minConfidence = minConfidenceToWrite(options) / 100.0;
    return filledIn(std::move(options), contents);
}

/// Returns these options with the remaining values of the plan.
ExplorationOptions inForce(ExplorationOptions options, const ExplorationPlan& plan)
{
    options.setting = plan.run.plan.setting;
    if (plan.isSearch()) {
        options.minimum = plan.space.minimum;
        options.maximum = plan.space.maximum;
    }
    options.objective = plan.run.objective;
    options.sequenceLength.reset();
    if (model::takesSequences(plan.load.model))
        options.sequenceLength = plan.load.sequenceLength;
    if (options.adapterRank)
        options.adapterRank = plan.load.tuning.rank;
    return options;
}

bool boundIsOfConfig(const std::string& option, const config::BatchPlan& plan)
{
    const auto* explore = std::get_if<config::Explore>(&plan.setting);
    return explore && (option == "--min" ? explore->minimum : explore->maximum).has_value();
}

QString textOf(const ExplorationOption& option, const ExplorationOptions& options)
{
    QStringList texts;
    for (const std::string& text : option.texts(options))
        texts << QString::fromStdString(text);
    return texts.join(QLatin1String(", "));
}

/// Whether the value is the config's, since not every format reports the place of such a value.
bool differsByConfig(const ExplorationOption& option, const ExplorationOptions& options,
                     const ConfigContents& contents)
{
    return textOf(option, filledIn(options, contents)) != textOf(option, filledIn(options, {}));
}

OptionPreview optionPreview(const ExplorationOption& option, const ExplorationOptions& options,
                            const ExplorationOptions& filled, const PlanPreview& preview,
                            const ConfigContents& contents)
{
    OptionPreview result{.name = option.name, .text = textOf(option, filled)};
    if (option.isGiven(options)) {
        result.origin = Origin::Yours;
        return result;
    }
    // For a smaller network, the length differs from the one in the config.
    if (option.name == "--sequence-length" && filled.sequenceLength != contents.sequenceLength)
        return result;
    // A plain number in the config is the current size, and asks for none of the settings.
    const auto& batch = contents.plan(options.phase);
    if (option.name == "--setting" && batch && batch->setting != filled.setting)
        return result;
    const Location place = placeOf(option.name, contents, options.phase);
    const bool isBound = option.name == "--min" || option.name == "--max";
    if (place && (!isBound || (preview.plan && boundIsOfConfig(option.name, preview.plan->run.plan)))) {
        result.origin = Origin::Config;
        result.place = placeText(place, contents);
    } else if (differsByConfig(option, options, contents)) {
        result.origin = Origin::Config;
    }
    return result;
}

QString batchText(const config::BatchPlan& plan)
{
    QString batch = QStringLiteral("%1 %2").arg(QString::fromStdString(plan.globalBatchKey),
                                                numberText(plan.globalBatchSize));
    if (!plan.knowsDevices)
        return batch;
    return plan.devices == 1 ? Translated::tr("%1 on 1 device").arg(batch)
                             : Translated::tr("%1 on %2 devices").arg(batch).arg(plan.devices);
}

/// Returns the size that the config has now, and its accumulation steps.
QString presentText(const config::BatchPlan& plan)
{
    const auto size = plan.writtenSize();
    if (!size || !hasMicroBatches(plan))
        return settingText(plan);
    const std::int64_t steps = plan.accumulationSteps(*size);
    return steps == 1 ? Translated::tr("%1, 1 accumulation step").arg(settingText(plan))
                      : Translated::tr("%1, %2 accumulation steps").arg(settingText(plan)).arg(steps);
}

void addTuning(std::vector<ReadValue>& values, const model::Tuning& tuning)
{
    const auto add = [&values](const QString& name, const QString& value) {
        if (!value.isEmpty())
            values.push_back({name, value, {}});
    };
    add(Translated::tr("Adapter"), adapterText(tuning));
    add(Translated::tr("In full"), trainedPartsText(tuning));
    add(Translated::tr("Frozen"), frozenWeightsText(tuning));
    add(Translated::tr("Quantization-aware"), fakeQuantizationText(tuning));
}

std::vector<ReadValue> valuesOf(const ConfigContents& contents, model::Phase phase)
{
    const config::SourceLocations& places = contents.places;
    std::vector<ReadValue> values;
    values.push_back({Translated::tr("Format"), QString::fromStdString(contents.formatName), {}});
    if (const auto* spec = std::get_if<model::ModelSpec>(&contents.model)) {
        values.push_back({Translated::tr("Network"), networkText(*spec, contents.tuning),
                          placeText(places.network, contents)});
        addTuning(values, contents.tuning);
        if (const QString steps = preferenceText(contents.step.preference, contents.tuning); !steps.isEmpty())
            values.push_back({Translated::tr("Training method"), steps, {}});
        if (contents.sequenceLength > 0 && model::takesSequences(*spec))
            values.push_back({Translated::tr("Samples"),
                              Translated::tr("%1 tokens").arg(numberText(contents.sequenceLength)),
                              placeText(places.sequenceLength, contents)});
    }
    if (const auto& plan = contents.plan(phase)) {
        const auto& batch = phase == model::Phase::Train ? places.train : places.eval;
        values.push_back({Translated::tr("Batch"), batchText(*plan), placeText(batch.globalBatch, contents)});
        values.push_back({Translated::tr("Now"), presentText(*plan), placeText(batch.microBatch, contents)});
    }
    return values;
}

/// \param maxPackedBytes  bytes that may be used in addition to those of the description
std::optional<SizeBand> largestFit(const model::StepMemory& memory, std::int64_t usableBytes,
                                   double maxPackedBytes)
{
    if (usableBytes <= 0 || memory.bytesPerSample <= 0.0)
        return std::nullopt;
    const auto usable = static_cast<double>(usableBytes);
    const bool canStep = memory.optimizerStepBytes <= usable;
    const double room = canStep ? std::max(0.0, usable - memory.constantBytes) : 0.0;
    const auto fit = [&](double bytes, double deviations) {
        return static_cast<std::int64_t>(std::max(0.0, bytes) /
                                         (memory.bytesPerSample * std::exp(deviations * memory.deviation)));
    };
    // 90 % of a normal distribution lie within this many standard deviations.
    constexpr double deviations = 1.645;
    return SizeBand{.low = fit(room - maxPackedBytes, deviations),
                    .likely = fit(room, 0.0),
                    .high = fit(room, -deviations)};
}

/// Returns the devices of this computer, or those behind the launcher.
std::vector<DevicePreview> devicesFor(const PlanPreview& preview, const ExplorationOptions& options,
                                      const device::LocalDevices& devices)
{
    const bool isElsewhere = !options.isHere();
    std::vector<device::LocalDevice> chosen;
    if (isElsewhere || !devices.devices.empty())
        chosen =
            isElsewhere ? devicesBehindLauncher(options.devices) : chooseDevices(options.devices, devices);
    const auto isSame = [](const device::LocalDevice& device) {
        return [&device](const device::LocalDevice& other) { return other.id() == device.id(); };
    };
    std::vector<DevicePreview> result;
    for (const device::LocalDevice& device : isElsewhere ? chosen : devices.devices) {
        DevicePreview one{.device = device, .isChosen = std::ranges::any_of(chosen, isSame(device))};
        const std::int64_t asked = options.memoryLimitBytes.value_or(0);
        one.limitBytes = device.freeBytes > 0 && asked > 0 ? std::min(device.freeBytes, asked)
                                                           : std::max(device.freeBytes, asked);
        one.usableBytes =
            static_cast<std::int64_t>(static_cast<double>(one.limitBytes) * (1.0 - options.headroom));
        if (preview.memory)
            one.largestFit = largestFit(*preview.memory, one.usableBytes,
                                        device.matrixUnits * preview.memory->packedBytesPerThread);
        result.push_back(std::move(one));
    }
    return result;
}

/// Returns a warning if even the smallest size asked for would not fit on any chosen device, with a
/// probability of 90 %.
QString shortageText(const PlanPreview& preview)
{
    if (!preview.plan)
        return {};
    const search::SearchSpace& space = preview.plan->space;
    const std::int64_t min = space.candidates.empty() ? space.minimum : space.candidates.front();
    const DevicePreview* largest = nullptr;
    for (const DevicePreview& device : preview.devices) {
        if (!device.isChosen)
            continue;
        if (!device.largestFit || device.largestFit->high >= min)
            return {};
        if (!largest || device.usableBytes > largest->usableBytes)
            largest = &device;
    }
    if (!largest)
        return {};
    const auto constant = static_cast<std::int64_t>(
        std::max(preview.memory->constantBytes, preview.memory->optimizerStepBytes));
    const QString id = QString::fromStdString(largest->device.id());
    if (constant > largest->usableBytes) {
        const auto [needed, usable] = comparedBytesText(constant, largest->usableBytes);
        return Translated::tr(
                   "Nothing is expected to fit: at any size, the network and its optimizer need about %1, "
                   "but only %2 may be used on %3. Raise the memory limit, or choose another device.")
            .arg(needed, usable, id);
    }
    const QString usable = memoryText(static_cast<double>(largest->usableBytes));
    return Translated::tr("Nothing is expected to fit: %1 may be used on %2, of which the network leaves %3, "
                          "but %4 about %5. Raise the memory limit, or choose another device.")
        .arg(usable, id, memoryText(static_cast<double>(largest->usableBytes - constant)),
             min == 1 ? Translated::tr("a sample takes")
                      : Translated::tr("%1 samples take").arg(numberText(min)),
             memoryText(static_cast<double>(min) * preview.memory->bytesPerSample));
}

/// Rounds to two significant digits: an estimate has no more.
std::int64_t rounded(std::int64_t number)
{
    std::int64_t unit = 1;
    while (number / unit >= 100)
        unit *= 10;
    return (number + unit / 2) / unit * unit;
}

/// Describes a config that allows no run as it is asked for.
RunDescription runAsRead(const ConfigFile& file, const ConfigContents& contents,
                         const ExplorationOptions& options)
{
    return {.filePath = file.path(),
            .chosenModel = file.chosenModel(),
            .formatName = QString::fromStdString(contents.formatName),
            .modelSource = QString::fromStdString(contents.modelSource),
            .tuning = contents.tuning,
            .phase = options.phase,
            .precision = options.precision.value_or(contents.precision),
            .optimizer = options.optimizer.value_or(contents.optimizer),
            .sequenceLength = contents.sequenceLength,
            .plan = contents.plan(options.phase).value_or(config::BatchPlan()),
            .hasBatch = contents.plan(options.phase).has_value()};
}

void fillInTuning(ExplorationOptions& options, const ConfigContents& contents)
{
    model::Tuning tuning = contents.tuning;
    try {
        tuning = chooseTuning(contents, options);
    } catch (const config::ConfigError&) {
        // planExploration() reports contradictions; here, the options of the person stay as they are.
    }
    options.adapter = options.adapter.value_or(tuning.adapter);
    if (model::hasAdapters(tuning))
        options.adapterRank = options.adapterRank.value_or(tuning.rank);
    if (!model::trainsAll(tuning))
        options.frozenWeights = options.frozenWeights.value_or(tuning.frozenWeights);
}

} // namespace

ExplorationOptions filledIn(ExplorationOptions options, const ConfigContents& contents)
{
    if (!options.sequenceLength && contents.sequenceLength > 0)
        options.sequenceLength = contents.sequenceLength;
    options.precision = options.precision.value_or(contents.precision);
    options.optimizer = options.optimizer.value_or(contents.optimizer);
    fillInTuning(options, contents);
    visitStepOverrides([&](const auto& row) {
        options.*row.asked = (options.*row.asked).value_or(contents.step.*row.step);
    });
    return options;
}

QString placeText(const Location& place, const ConfigContents& contents)
{
    if (!place)
        return {};
    QString key = QString::fromStdString(place->key);
    if (place->position.line < 1)
        return key;
    if (!place->isInModelSource)
        return Translated::tr("%1, line %2").arg(key).arg(place->position.line);
    const QString file = QFileInfo(QString::fromStdString(contents.modelSource)).fileName();
    return Translated::tr("%1, line %2 of %3").arg(key).arg(place->position.line).arg(file);
}

Location placeOf(const std::string& option, const ConfigContents& contents, model::Phase phase)
{
    const config::SourceLocations& places = contents.places;
    const auto& batch = phase == model::Phase::Train ? places.train : places.eval;
    if (option == "--setting" || option == "--min" || option == "--max")
        return batch.microBatch;
    if (option == "--sequence-length")
        return places.sequenceLength;
    if (option == "--precision")
        return places.precision;
    if (option == "--optimizer")
        return places.optimizer;
    Location place;
    visitStepOverrides([&](const auto& row) {
        if (row.isOf(option) && row.place)
            place = places.*row.place;
    });
    return place;
}

const OptionPreview& PlanPreview::option(const std::string& name) const
{
    const auto place = std::ranges::find(options, name, &OptionPreview::name);
    if (place == options.end())
        throw std::out_of_range("There is no option " + name + ".");
    return *place;
}

bool PlanPreview::hasChosenDevice() const
{
    return std::ranges::any_of(devices, &DevicePreview::isChosen);
}

PlanPreview previewOn(const ConfigFile& file, const ExplorationOptions& options,
                      const device::LocalDevices& devices)
{
    // Networks that batchpeak-worker cannot run are not read completely for it, but the config describes them
    // all the same.
    const ConfigContents& contents =
        file.isForPythonAlone() ? file.contentsForPython() : file.contentsFor(options);
    PlanPreview preview{.values = valuesOf(contents, options.phase),
                        .run = runAsRead(file, contents, options),
                        .hasBothPhases = options.bothPhases};
    ExplorationOptions filled = inForce(options, contents);
    try {
        const ConfigContents& asked = file.contentsFor(options);
        preview.plan =
            planExploration(file.path(), asked, withProcesses(options, asked, [&] { return devices; }));
        fitToDevices(*preview.plan, options, devices);
        preview.run = preview.plan->run;
        filled = inForce(filled, *preview.plan);
        preview.values.push_back({Translated::tr("Measured"), fidelityText(preview.plan->run.fidelity), {}});
        preview.offers = planOffers(contents, options, *preview.plan);
    } catch (const config::ConfigError& error) {
        preview.problem = QString::fromUtf8(error.what());
    }
    for (const ExplorationOption& option : explorationOptions())
        preview.options.push_back(optionPreview(option, options, filled, preview, contents));
    try {
        if (preview.plan)
            preview.memory = stepMemoryOf(preview.plan->load, options);
        preview.devices = devicesFor(preview, options, devices);
        preview.warning = shortageText(preview);
    } catch (const ExplorationError& error) {
        if (preview.problem.isEmpty())
            preview.problem = error.sentence();
        ExplorationOptions anywhere = options;
        anywhere.devices = {QStringLiteral("cpu")};
        preview.devices = devicesFor(preview, anywhere, devices);
        for (DevicePreview& device : preview.devices)
            device.isChosen = false;
    }
    return preview;
}

QString sizesText(const ExplorationPlan& plan)
{
    const search::SearchSpace& space = plan.space;
    if (!plan.isSearch())
        return Translated::tr("Only size %1 is measured.").arg(numberText(space.minimum));
    if (space.candidates.empty())
        return Translated::tr("Sizes %1 to %2 are considered.")
            .arg(numberText(space.minimum), numberText(space.maximum));
    constexpr std::size_t maxNamed = 8;
    QStringList sizes;
    for (const std::int64_t size : space.candidates) {
        if (sizes.size() + 1 < static_cast<qsizetype>(maxNamed) || space.candidates.size() <= maxNamed)
            sizes << numberText(size);
    }
    if (space.candidates.size() > maxNamed)
        sizes << QStringLiteral("…") << numberText(space.candidates.back());
    return Translated::tr("Divisors of %1 are considered: %2.")
        .arg(numberText(space.perDeviceBatch), sizes.join(QLatin1String(", ")));
}

QString samplesRoomText(const DevicePreview& device)
{
    if (!device.largestFit)
        return {};
    const std::int64_t likely = rounded(device.largestFit->likely);
    if (likely < 1)
        return Translated::tr("less than 1 sample");
    return likely == 1 ? Translated::tr("about 1 sample")
                       : Translated::tr("about %1 samples").arg(numberText(likely));
}

namespace {

QString idsText(const QStringList& ids)
{
    if (ids.size() == 2)
        return Translated::tr("%1 and %2").arg(ids.front(), ids.back());
    return ids.size() == 1 ? ids.front()
                           : Translated::tr("%1 and %2 others").arg(ids.front()).arg(ids.size() - 1);
}

/// \param ids  ids of the devices that have the same room
QString roomText(const DevicePreview& device, const QStringList& ids)
{
    const SizeBand& fit = *device.largestFit;
    const bool isOne = ids.size() == 1;
    if (fit.likely < 1) {
        return (isOne ? Translated::tr("%1 is likely too small for 1 sample.")
                      : Translated::tr("%1 are likely too small for 1 sample each."))
            .arg(idsText(ids));
    }
    return (isOne ? Translated::tr("%1 has room for %2 (%3 to %4).")
                  : Translated::tr("%1 have room for %2 each (%3 to %4)."))
        .arg(idsText(ids), samplesRoomText(device), numberText(rounded(fit.low)),
             numberText(rounded(fit.high)));
}

} // namespace

QStringList roomTexts(const std::vector<DevicePreview>& devices)
{
    struct Room
    {
        const DevicePreview* device = nullptr;
        QStringList ids;
    };
    std::vector<Room> rooms;
    for (const DevicePreview& device : devices) {
        if (!device.isChosen || !device.largestFit)
            continue;
        const auto isSame = [&](const Room& room) { return room.device->largestFit == device.largestFit; };
        auto place = std::ranges::find_if(rooms, isSame);
        if (place == rooms.end())
            place = rooms.insert(rooms.end(), {.device = &device, .ids = {}});
        place->ids << QString::fromStdString(device.device.id());
    }
    QStringList texts;
    for (const Room& room : rooms)
        texts << roomText(*room.device, room.ids);
    return texts;
}

} // namespace batchpeak::engine
