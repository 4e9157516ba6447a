// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "option_table.h"

#include "option_kinds.h"
#include "place.h"
#include "text/shell_quoting.h"

#include <QProcess>

#include <algorithm>
#include <iterator>
#include <utility>

namespace batchpeak::engine {

namespace {

using Asked = Option<ExplorationOptions>;
using Options = ExplorationOptions;
using Subject = ExplorationOption::Subject;

constexpr std::int64_t maxTrials = 100000;
// No computer has more devices, and no allocation that explores a size more nodes.
constexpr std::int64_t mostProcesses = 256;
constexpr std::int64_t mostNodes = 1024;
// A rank above the widest matrices of a network is not low.
constexpr std::int64_t largestRank = std::int64_t{1} << 16;

std::string strategiesBetween(const std::string& separator)
{
    std::string names;
    for (const auto& name : search::strategyNames())
        names += (names.empty() ? "" : separator) + std::string(name);
    return names;
}

QString strategyFromText(const std::string& text)
{
    const auto names = search::strategyNames();
    if (std::ranges::find(names, text) == names.end()) {
        throw UsageError("'" + text +
                         "' is not a search strategy; choose one of: " + strategiesBetween(", ") + ".");
    }
    return QString::fromStdString(text);
}

constexpr std::string_view bothPhases = "both";

Asked phaseOption()
{
    Asked phase{{"--phase", wordsBetweenBars<model::Phase>() + "|" + std::string(bothPhases),
                 "Phase to explore; both is training and then evaluation"}};
    phase.take = [](Options& o, const std::string& text) {
        o.bothPhases = text == bothPhases;
        o.phase = o.bothPhases ? model::Phase::Train
                               : known(model::fromText<model::Phase>(text), text,
                                       "train, eval, " + std::string(bothPhases));
    };
    phase.texts = [](const Options& o) {
        return OptionTexts{o.bothPhases ? std::string(bothPhases) : wordOf(o.phase)};
    };
    phase.clear = [](Options& o) {
        o.phase = Options().phase;
        o.bothPhases = false;
    };
    return phase;
}

Asked deviceOption()
{
    Asked device{
        {"--device", "cpu|cuda|cuda:N", "Device to run on; repeat for several (every GPU, else the CPU)"}};
    device.isRepeated = true;
    device.take = [](Options& o, const std::string& text) { o.devices << devicesFromText(text); };
    device.texts = [](const Options& o) {
        OptionTexts words;
        std::ranges::transform(o.devices, std::back_inserter(words), anyText);
        return words;
    };
    device.clear = [](Options& o) { o.devices.clear(); };
    return device;
}

Asked placeOption()
{
    Asked place{{"--on", "PLACE",
                 "Where trials run: ssh:HOST, slurm[:PARTITION], podman:CONTAINER, \"prefix COMMAND\" or a "
                 "saved place; repeat for several, or write A + B (this computer)"}};
    place.alias = "--launcher";
    place.isRepeated = true;
    place.take = [](Options& o, const std::string& text) {
        for (const QString& one : QString::fromStdString(text).split(QLatin1String(" + ")))
            o.places << checkedPlace(one.toStdString());
    };
    place.texts = [](const Options& o) { return textsOf(o.places.join(QLatin1String(" + ")), anyText); };
    place.clear = [](Options& o) { o.places.clear(); };
    return place;
}

Asked sampleLengthsOption()
{
    Asked lengths{{"--sample-lengths", "FILE",
                   "Sample lengths, one per line, instead of the longest length for every sample"}};
    lengths.take = [](Options& o, const std::string& text) {
        o.sampleLengths = sampleLengthsFromFile(QString::fromStdString(text));
        o.sampleLengthsPath = QString::fromStdString(text);
    };
    lengths.texts = [](const Options& o) { return textsOf(o.sampleLengthsPath, anyText); };
    lengths.clear = [](Options& o) {
        o.sampleLengths.clear();
        o.sampleLengthsPath.clear();
    };
    return lengths;
}

std::vector<Asked> questionOptions()
{
    const auto settingText = [](const config::Setting& setting) { return config::toText(setting); };
    return {
        phaseOption(),
        option({"--setting", "explore|auto|N|null", "What to find, instead of the config's micro_batch_size"},
               &Options::setting, settingFromText, settingText),
        countOption({"--min", "N", "Smallest size to consider"}, &Options::minimum, 1, largestBatch),
        countOption({"--max", "N", "Largest size to consider"}, &Options::maximum, 1, largestBatch),
        wordOption("--objective",
                   "Maximize the samples/s of a micro-batch, or of whole steps at the config's batch_size",
                   &Options::objective),
        shareOption({"--tolerance", "PERCENT", "Accept a size whose samples/s are this close to the best"},
                    &Options::tolerance, 0.1, 50),
        shareOption({"--confidence", "PERCENT", "Stop at this confidence"}, &Options::targetConfidence, 1,
                    99),
        option(
            {"--min-confidence", "PERCENT", "Write no size into a config below this confidence (50)"},
            &Options::minConfidence,
            [](const std::string& text) { return shareFromPercentText(text, 0, 99); }, shareToPercentText)};
}

/// A name without a folder is looked up in PATH. Not every shell expands what follows "python=".
QString interpreterAt(const QString& path)
{
    if (path.startsWith(QLatin1String("~/")))
        return QDir::home().filePath(path.mid(2));
    return path.contains(QLatin1Char('/')) ? wholePath(path) : path;
}

QString pythonFromText(const std::string& text)
{
    const QString asked = QString::fromStdString(text);
    const QString path = asked.section(QLatin1Char('='), 1);
    if (asked == QLatin1String("worker"))
        return {};
    if (asked == QLatin1String("python"))
        return anyPython;
    if (!asked.startsWith(QLatin1String("python=")) || path.isEmpty())
        throw UsageError("'" + text + "' is not worker, python or python=PATH.");
    return interpreterAt(path);
}

std::string pythonText(const QString& python)
{
    return (python == anyPython ? python : QLatin1String("python=") + python).toStdString();
}

QString commandFromText(const std::string& text)
{
    const QString command = QString::fromStdString(text);
    wordsOfCommand(command);
    return command;
}

std::vector<Asked> runOptions()
{
    const auto seedText = [](std::uint64_t seed) { return std::to_string(seed); };
    return {
        deviceOption(),
        option({"--memory-limit", "SIZE", "Maximum device memory to use: 2GiB, 2G or 800M"},
               &Options::memoryLimitBytes, bytesFromText, bytesToText),
        shareOption({"--headroom", "PERCENT", "Share of the memory to keep free"}, &Options::headroom, 0, 90),
        countOption({"--sequence-length", "N", "Tokens per sample, instead of the config's"},
                    &Options::sequenceLength, 1, model::maxTokens),
        countOption(
            {"--packed-text-length", "N", "Tokens of each text packed into a sample; 0: one text per sample"},
            &Options::packedTextLength, 0, model::maxTokens),
        switchOption("--shrink", "Shrink network and samples so that trials are quick, to try out Batchpeak",
                     &Options::shrinks),
        wordOption("--precision", "Precision, instead of the config's", &Options::precision),
        wordOption("--optimizer", "Optimizer, instead of the config's", &Options::optimizer),
        wordOption("--adapter", "Adapters to train on frozen weights, instead of the config's",
                   &Options::adapter),
        countOption({"--adapter-rank", "N", "Rank of the adapters, instead of the config's"},
                    &Options::adapterRank, 1, largestRank),
        wordOption("--frozen-weights", "Dtype of frozen weights, instead of the config's",
                   &Options::frozenWeights),
        switchOption("--activation-checkpointing", "Recompute activations in the backward pass",
                     &Options::activationCheckpointing),
        countOption(
            {"--loss-chunk", "ROWS", "Tokens per chunk of the output projection and loss; 0: all at once"},
            &Options::lossChunkRows, 0, model::maxLossRows),
        option({"--max-gradient-norm", "NORM", "Clip gradients to this norm; 0: never"},
               &Options::maxGradientNorm, numberFromText, numberToText),
        wordOption("--attention", "Kernel that computes attention, if the device supports it",
                   &Options::attention),
        switchOption("--channels-last", "Keep images in the channels_last memory format",
                     &Options::channelsLast),
        switchOption("--cudnn-benchmark", "Let cuDNN benchmark its algorithms for each new shape",
                     &Options::timesConvolutions),
        option({"--with", "worker|python|python=PATH",
                "What runs the network: batchpeak-worker, or transformers in your own Python"},
               &Options::python, pythonFromText, pythonText),
        option({"--worker", "COMMAND", "Program that runs the network instead of batchpeak-worker"},
               &Options::workerCommand, commandFromText, anyText),
        countOption({"--processes", "N",
                     "Processes that take each step together on a node, started by torchrun (--with python)"},
                    &Options::processesPerNode, 1, mostProcesses),
        countOption({"--nodes", "N", "Nodes of a Slurm allocation that take each step together"},
                    &Options::nodes, 1, mostNodes),
        placeOption(),
        option({"--start-timeout", "TIME", "Maximum time for a worker to start; unlimited at a place"},
               &Options::startTimeout, durationFromText, durationToText),
        option({"--reconnect", "TIME", "How long to try to reach a place again after a lost connection"},
               &Options::reconnectFor, durationFromText, durationToText),
        option({"--seed", "N", "Random seed"}, &Options::seed, seedFromText, seedText)};
}

std::vector<Asked> searchOptions()
{
    const auto trialsFromText = [](const std::string& text) {
        return static_cast<int>(countFromText(text, 1, maxTrials));
    };
    const auto verifies = [](const std::string& text) { return !isOnFromText(text); };
    const auto verifiesNotText = [](bool verifiesFinalSize) { return switchText(!verifiesFinalSize); };
    return {option({"--strategy", strategiesBetween("|"), "Search strategy"}, &Options::strategy,
                   strategyFromText, anyText),
            option({"--max-trials", "N", "Stop after this many trials"}, &Options::maxTrials, trialsFromText,
                   countText),
            option({"--time-budget", "TIME", "Stop after this time, as 10m or 1h30m"}, &Options::timeBudget,
                   durationFromText, durationToText),
            switchOption("--fresh",
                         "Ignore trials of earlier explorations of the same run on the same devices",
                         &Options::isFresh),
            option({"--no-verify", {}, "Do not verify the final size in a fresh process"}, &Options::verify,
                   verifies, verifiesNotText)};
}

} // namespace

const std::vector<ExplorationOption>& explorationOptions()
{
    static const std::vector<ExplorationOption> table = [] {
        std::vector<ExplorationOption> options;
        const auto add = [&options](Subject subject, std::vector<Asked> of) {
            for (Asked& option : of)
                options.push_back({std::move(option), subject});
        };
        add(Subject::Question, questionOptions());
        add(Subject::Run, runOptions());
        add(Subject::Samples, {sampleLengthsOption()});
        add(Subject::Search, searchOptions());
        return options;
    }();
    return table;
}

const ExplorationOption& explorationOption(std::string_view name)
{
    return optionNamed(explorationOptions(), name);
}

QStringList wordsFor(const ExplorationOptions& options)
{
    return commandWords(explorationOptions(), options);
}

QString exploreCommand(const QString& path, const QString& model, const QStringList& words)
{
    QStringList parts{QStringLiteral("batchpeak"), QStringLiteral("explore"), quotedForShell(path)};
    if (!model.isEmpty())
        parts << QStringLiteral("--model") << quotedForShell(model);
    for (const QString& word : words)
        parts << quotedForShell(word);
    return parts.join(QLatin1Char(' '));
}

QStringList givenNames(const ExplorationOptions& options)
{
    QStringList names;
    for (const ExplorationOption& option : explorationOptions()) {
        if (option.isGiven(options))
            names << QString::fromStdString(option.name);
    }
    return names;
}

QStringList sameNames(const QStringList& names, const ExplorationOptions& one,
                      const ExplorationOptions& other)
{
    QStringList same;
    for (const ExplorationOption& option : explorationOptions()) {
        const QString name = QString::fromStdString(option.name);
        if (names.contains(name) && option.texts(one) == option.texts(other))
            same << name;
    }
    return same;
}

ExplorationOptions overlaid(ExplorationOptions options, const ExplorationOptions& given,
                            const QStringList& names)
{
    return overlaidBy(explorationOptions(), std::move(options), given, names);
}

ExplorationOptions optionsFrom(const QStringList& words)
{
    return askedBy<ExplorationOptions>(explorationOptions(), words);
}

} // namespace batchpeak::engine
