// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_script.h"

#include "text_check.h"
#include "words.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace batchpeak::config {

/// The commands that a script starts, and in how many processes.
namespace {

using Kind = ShellPiece::Kind;

constexpr std::int64_t maxProcesses = 1 << 20;

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b)
{
    const bool isCount = a && b && *a > 0 && *b > 0 && *a <= maxProcesses && *b <= maxProcesses;
    return isCount && *a * *b <= maxProcesses ? std::optional(*a * *b) : std::nullopt;
}

/// Returns the number at the end of a text such as "gpu:a100:8".
std::optional<std::int64_t> numberAfterColons(std::string_view text)
{
    return shellNumber(text.substr(text.rfind(':') + 1));
}

/// Options of sbatch (man page of Slurm 23.11) and what they set.
struct SchedulerOption
{
    std::string_view name;
    std::string_view letter;
    std::string_view variable;
};

constexpr std::array<SchedulerOption, 7> schedulerOptions{{{"--nodes", "-N", "SLURM_NNODES"},
                                                           {"--ntasks", "-n", "SLURM_NTASKS"},
                                                           {"--ntasks-per-node", "", "SLURM_NTASKS_PER_NODE"},
                                                           {"--gpus-per-node", "", "SLURM_GPUS_ON_NODE"},
                                                           {"--gres", "", "SLURM_GPUS_ON_NODE"},
                                                           {"--gpus", "-G", "SLURM_GPUS"},
                                                           {"--cpus-per-task", "-c", "SLURM_CPUS_PER_TASK"}}};

/// Returns the variable and the number that a line "#SBATCH --nodes=2" sets.
std::optional<std::pair<std::string, std::int64_t>> schedulerValue(std::string_view line)
{
    const auto words = splitWords(line);
    if (words.size() < 2 || words.front() != "#SBATCH")
        return std::nullopt;
    std::string_view name = words[1].substr(0, words[1].find('='));
    std::string_view value = words[1].substr(std::min(name.size() + 1, words[1].size()));
    const bool isLetter = name.size() > 2 && name.front() == '-' && name[1] != '-';
    if (isLetter) {
        value = words[1].substr(2);
        name = name.substr(0, 2);
    }
    if (value.empty() && words.size() > 2)
        value = words[2];
    for (const SchedulerOption& option : schedulerOptions) {
        const bool isGpu = option.name != "--gres" || value.starts_with("gpu");
        const auto number = numberAfterColons(value);
        if ((name == option.name || (!option.letter.empty() && name == option.letter)) && isGpu && number)
            return std::pair(std::string(option.variable), *number);
    }
    return std::nullopt;
}

/// Names that scripts give to a number of processes, nodes or devices, in capitals.
constexpr std::string_view countNames =
    "WORLD_SIZE NNODES NNODE NUM_NODES NUM_NODE N_NODES N_NODE NODES NPROC_PER_NODE PROC_PER_NODE NPROC "
    "NUM_GPUS NUM_GPU "
    "NGPUS NGPU N_GPUS N_GPU GPUS GPU_NUM GPU_COUNT GPUS_PER_NODE NUM_GPUS_PER_NODE NUM_DEVICES "
    "NUM_PROCESSES "
    "SLURM_NNODES SLURM_JOB_NUM_NODES SLURM_NTASKS SLURM_NPROCS SLURM_NTASKS_PER_NODE SLURM_GPUS_ON_NODE "
    "SLURM_GPUS_PER_NODE SLURM_GPUS";

bool isCountName(std::string_view name)
{
    std::string capitals(name);
    std::ranges::transform(capitals, capitals.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return isAmong(capitals, countNames);
}

/// Options of launchers that count.
constexpr std::string_view countOptions =
    "--nproc-per-node --nnodes --num-processes --num-machines --num-gpus "
    "--num-nodes";

/// Returns the number of devices in "localhost:0,1" or "a:0,1@b:0,1" (the option --include of DeepSpeed 0.16,
/// launcher/runner.py), or in "0,1".
std::optional<std::int64_t> listedDevices(std::string_view text)
{
    const bool isList = !text.empty() && text.find_first_not_of("0123456789,") == std::string_view::npos &&
                        text.back() != ',';
    if (isList)
        return std::ranges::count(text, ',') + 1;
    if (text.find(':') == std::string_view::npos)
        return std::nullopt;
    return std::ranges::count(text, ',') + std::ranges::count(text, ':');
}

/// Returns the name of the list in "$NAME", "${NAME}", "${NAME[@]}", "${NAME[*]}" or
/// ${NAME[@]+"${NAME[@]}"}, which is nothing for an empty list.
std::string listName(const ShellPiece& piece)
{
    if (piece.kind == Kind::Variable)
        return piece.text;
    const std::string_view text = piece.text;
    if (!text.starts_with("${"))
        return {};
    const std::size_t size = shellNameSize(text.substr(2));
    const std::string_view rest = text.substr(std::min(2 + size, text.size()));
    const bool isList =
        rest == "[@]}" || rest == "[*]}" || rest.starts_with("[@]+") || rest.starts_with("[@]:+");
    return isList ? std::string(text.substr(2, size)) : std::string();
}

bool isConfigName(std::string_view word)
{
    return !word.starts_with('-') &&
           (word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json"));
}

/// Gathers what is passed to each command.
class RunReader
{
public:
    RunReader(const ShellScript& script, const std::vector<ShellArgument>& arguments)
        : m_script(script),
          m_words(script.words().commands),
          m_isList(script.words().commands),
          m_isUsed(script.words().commands)
    {
        for (const ShellWord& word : script.words().words)
            m_words.at(word.command).push_back(&word);
        for (const ShellArgument& argument : arguments)
            m_arguments.emplace(argument.begin, &argument);
        for (const ShellAssignment& assignment : script.words().assignments) {
            if (assignment.firstCommand == assignment.endCommand)
                continue;
            m_lists[assignment.name].push_back(&assignment);
            for (std::size_t i = assignment.firstCommand; i < assignment.endCommand; ++i)
                m_isList.at(i) = true;
        }
    }

    std::vector<ShellRun> runs()
    {
        std::vector<ShellRun> found;
        const auto addRun = [&](std::size_t command) {
            ShellRun run{.isList = m_isList[command]};
            m_visits = 0;
            add(command, run);
            for (const ShellArgument* argument : run.arguments) {
                if (!run.config && argument->name == "--config" && argument->isJoined)
                    run.config = &argument->values.front();
            }
            if (!run.arguments.empty())
                found.push_back(std::move(run));
        };
        for (std::size_t command = 0; command < m_words.size(); ++command) {
            if (!m_isList[command])
                addRun(command);
        }
        // A list that no command uses is for another script, or goes by a name that only a run tells.
        for (std::size_t command = 0; command < m_words.size(); ++command) {
            if (m_isList[command] && !m_isUsed[command])
                addRun(command);
        }
        return found;
    }

private:
    void add(std::size_t command, ShellRun& run)
    {
        // Lists may use the same ones repeatedly.
        constexpr int maxVisits = 256;
        if (++m_visits > maxVisits)
            return;
        m_isUsed[command] = true;
        std::string lastWord;
        for (const ShellWord* word : m_words[command]) {
            if (word->isProse)
                continue;
            const bool isAfterOption = lastWord.starts_with('-') && lastWord != "--config";
            lastWord = m_script.valueOf(*word).value_or("?");
            if (!run.config && !isAfterOption && isConfigName(lastWord))
                run.config = word;
            const auto argument = m_arguments.find(word->begin);
            if (argument != m_arguments.end())
                run.arguments.push_back(argument->second);
            run.words += run.words.empty() ? "" : " ";
            run.words += lastWord;
            for (const ShellPiece& piece : word->pieces) {
                const auto list = m_lists.find(listName(piece));
                // NAME="$NAME --lr 1e-4" adds to what other assignments hold, which is there already.
                if (list == m_lists.end() || !m_open.insert(list->first).second)
                    continue;
                for (const ShellAssignment* each : list->second) {
                    for (std::size_t i = each->firstCommand; i < each->endCommand; ++i)
                        add(i, run);
                }
                m_open.erase(list->first);
            }
        }
    }

    const ShellScript& m_script;
    std::vector<std::vector<const ShellWord*>> m_words;
    std::vector<bool> m_isList;
    std::vector<bool> m_isUsed;
    std::unordered_map<std::size_t, const ShellArgument*> m_arguments;
    std::unordered_map<std::string, std::vector<const ShellAssignment*>> m_lists;
    /// Lists whose assignments are being added.
    std::unordered_set<std::string> m_open;
    int m_visits = 0;
};

} // namespace

std::vector<ShellRun> ShellScript::runs() const
{
    return RunReader(*this, m_arguments).runs();
}

void ShellScript::readScheduler()
{
    std::unordered_map<std::string, std::int64_t> found;
    for (const auto& [begin, end] : m_words.comments) {
        if (const auto value = schedulerValue(std::string_view(m_text).substr(begin, end - begin)))
            found.insert(*value);
    }
    const auto valueOf = [&found](const std::string& name) {
        const auto value = found.find(name);
        return value == found.end() ? std::optional<std::int64_t>() : std::optional(value->second);
    };
    if (!valueOf("SLURM_NTASKS")) {
        if (const auto tasks = product(valueOf("SLURM_NNODES").value_or(1), valueOf("SLURM_NTASKS_PER_NODE")))
            found.emplace("SLURM_NTASKS", *tasks);
    }
    constexpr WordMap<std::string_view, 3> sameNames{{{"SLURM_JOB_NUM_NODES", "SLURM_NNODES"},
                                                      {"SLURM_NPROCS", "SLURM_NTASKS"},
                                                      {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}}};
    for (const auto& [name, same] : sameNames) {
        if (const auto value = valueOf(std::string(same)))
            found.emplace(name, *value);
    }
    for (const auto& [name, value] : found)
        m_variables.setEnvironment(name, std::to_string(value));
}

void ShellScript::countProcesses()
{
    const auto numberOf = [this](std::string_view option) {
        const auto text = value(option);
        return text ? shellNumber(*text) : std::nullopt;
    };
    const auto placed = [this](std::string_view option, std::optional<std::int64_t> count) {
        m_processes = count;
        if (const auto position = count ? valuePositionOf(option) : std::nullopt)
            m_placeOfProcesses = SourceLocation{.key = std::string(option), .position = *position};
    };
    const auto oneOr = [&](std::string_view option) {
        return has(option) ? numberOf(option) : std::optional(std::int64_t{1});
    };
    // A launcher of a launcher multiplies by its own nodes.
    if (has("--num-processes") && !has("--num-nodes"))
        return placed("--num-processes", product(numberOf("--num-processes"), 1));
    if (has("--nproc-per-node"))
        return placed("--nproc-per-node", product(numberOf("--nproc-per-node"), oneOr("--nnodes")));
    if (has("--num-gpus"))
        return placed("--num-gpus", product(numberOf("--num-gpus"), oneOr("--num-nodes")));
    if (has("--include"))
        return placed("--include", product(listedDevices(value("--include").value_or("")), 1));
    const auto numberIn = [this](const std::string& name) {
        const auto text = variable(name);
        return text ? shellNumber(*text) : std::nullopt;
    };
    if (m_variables.isAssigned("NPROC_PER_NODE"))
        m_processes =
            product(numberIn("NPROC_PER_NODE"),
                    m_variables.isAssigned("NNODES") ? numberIn("NNODES") : std::optional<std::int64_t>(1));
    else if (std::ranges::any_of(m_words.words,
                                 [this](const ShellWord& word) { return valueOf(word) == "srun"; }))
        return placed("--ntasks",
                      product(has("--ntasks") ? numberOf("--ntasks") : numberIn("SLURM_NTASKS"), 1));
    else if (listedDevices(variable("CUDA_VISIBLE_DEVICES").value_or("")) == 1)
        m_processes = 1;
}

void ShellScript::assumeCounts()
{
    const auto assume = [this](const std::string& name) {
        if (variable(name))
            return;
        m_variables.setEnvironment(name, "1");
    };
    const auto assumeIn = [&assume](std::string_view text) {
        while (!text.empty()) {
            const std::size_t size = shellNameSize(text);
            if (size > 0 && isCountName(text.substr(0, size)))
                assume(std::string(text.substr(0, size)));
            text.remove_prefix(std::max<std::size_t>(size, 1));
        }
    };
    const auto assumeOf = [&assumeIn](const ShellWord& word) {
        for (const ShellPiece& piece : word.pieces) {
            if (piece.kind == Kind::Variable || piece.kind == Kind::Arithmetic)
                assumeIn(piece.text);
        }
    };
    for (const ShellWord& word : m_words.words)
        assumeOf(word);
    for (const ShellAssignment& assignment : m_words.assignments)
        assumeOf(assignment.value);
    for (std::string_view option : splitWords(countOptions)) {
        const ShellArgument* counted = argument(option);
        for (const ShellWord& word : counted ? counted->values : std::vector<ShellWord>()) {
            if (word.pieces.size() == 1 && word.pieces.front().kind == Kind::Variable)
                assume(word.pieces.front().text);
        }
    }
}

} // namespace batchpeak::config
