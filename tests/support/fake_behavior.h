// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::test {

/// A fault that the fake worker commits instead of a good trial or batch: "name@size#attempt*times", or
/// "name@size+" for that size and all larger ones.
struct Fault
{
    /// Name of the fault. For a trial: exit, abort, kill, exit42, exit137, hang, garbage, long-line,
    /// silent-steps, zero-steps, wrong-id, wrong-size, late, failed, unsupported, timeout, oom, lost-memory,
    /// host-memory, bare, spill, over-headroom, thrash, slow, crawl, fast, disturbed, disturbed-slow,
    /// contended, energy, comparison. For a batch: exit, abort, kill, exit42, hang, endless (steps continue
    /// forever), garbage, wrong-id, wrong-size, late, failed, unsupported, timeout, oom, lost-memory,
    /// host-memory, nan, thrash, slow, trial-result. For a comparison: exit, abort, kill, exit42, hang,
    /// garbage, wrong-id, wrong-size (compares a size that was not requested), wrong-end (ends with such a
    /// size), missing-size, missing-visit (of the last size), missing-visits (one of each), more-steps, late,
    /// failed, unsupported, timeout, oom, lost-memory, spill (of the second size), thrash, disturbed, trial.
    std::string name;
    /// The only size of the fault; nothing stands for every size.
    std::optional<std::int64_t> size;
    /// Whether the fault affects larger sizes too.
    bool isFromSize = false;
    /// The only attempt of the fault, counted from 1 among the attempts of its kind in a process.
    std::optional<std::int64_t> attempt;
    /// Number of times in a process that the fault is committed; then the next fault of the size is
    /// committed.
    int times = 1'000'000;
    /// For a fault of a line only: the type of the message that it spoils, and the JSON pointer of the number
    /// in the message that a fault of numbers spoils.
    std::string message = {};
    std::string field = {};
};

/// Behavior of the fake worker, as specified by the words "key=value" of its command line.
struct FakeBehavior
{
    /// ok, silent, late, refuse, new-version, garbage, greets (prints 100 lines before hello), chatters (one
    /// more), exit, kill, no-device, bound (settings of the user limit it to half of the device, and its own
    /// context takes a quarter of the device)
    std::string start = "ok";
    /// Identifier of a GPU that has half of the memory.
    std::string little;
    /// How the worker responds to version 2 of the protocol: ok, older (it answers with 1); or it refuses:
    /// complain (an error line), exit, newer (it answers with 3). Workers that refuse speak version 1, and
    /// know no comparison.
    std::string protocol = "ok";
    /// ok, error, silent, exit
    std::string load = "ok";
    /// Number of loads of a process that find half of the memory that they ask for.
    int shortLoads = 0;
    /// The kernel that computes attention in trials, as results name it.
    std::string attention;
    /// What the worker reports to run differently from the request, with _ for a space.
    std::vector<std::string> approximations;
    /// Faults of trials, of comparisons, of batches in training, and of batches in evaluation.
    std::vector<Fault> faults;
    std::vector<Fault> comparisonFaults;
    std::vector<Fault> batchFaults;
    std::vector<Fault> evaluationFaults;
    /// Faults of the lines that the worker writes in answer to any request: "fault:message" or
    /// "fault:message:/field", such as "huge:hello:/device/total_bytes". The size is that of the request, and
    /// each type of message is counted separately; "bye" is sent to the worker, and the fault follows.
    /// Instead of the line: exit0, exit1, exit42, signal6, signal9, signal11, hang, half (and the end),
    /// garbage, long-line. With the line: late (for a short time limit), whole-line (as long as a line may
    /// be), wrong-id, duplicate, stale (the previous line of its type is repeated before it), end-after,
    /// flood (repeated forever), endless (the same, with a pause in between), miscounted (for a result: only
    /// a number of steps, which is far too large), cancelled (for a result: with this outcome). For a number:
    /// nan, infinite, negative, huge, largest (of 32 bits), tiny, hundredfold. For a text: renamed.
    std::vector<Fault> lineFaults;
    /// Whether the worker writes a log line, and an error that is not fatal, before it answers a request.
    bool chats = false;
    /// ok, unknown (the program does not know training), all (it holds out no samples), error, silent, exit
    std::string training = "ok";
    /// ok, fail, link (saves a link to a file next to it), silent, exit
    std::string save = "ok";
    /// Number of samples in an epoch of data that is not synthetic.
    std::int64_t samples = 640;
    /// Pause in each batch before its last micro-batch.
    int pauseMilliseconds = 0;
    /// Faults happen only while this file does not exist; the first one creates it. The harnesses of
    /// explorations and training runs write the word without a file, and add a file in their own folder.
    std::string onceFile;
    /// Each process counts itself in this file. If there is one, the processes after the first "after" and up
    /// to the "until"-th behave as start, protocol, load and the faults specify, and the others behave well.
    std::string startsFile;
    int after = 0;
    int until = 1000;
    /// Scatter of the times of trials, as the standard deviation of their logarithm.
    double noise = 0.0;
    /// Time that a trial really takes.
    int trialMilliseconds = 0;
    /// Whether the worker sends no heartbeats, as if its link were cut.
    bool isMute = false;
    bool ignoresCancel = false;
    bool ignoresTerminate = false;
    bool ignoresEnd = false;
    /// Seconds for which nothing ends the worker: it is stuck at its start, and stays stuck when it should
    /// end.
    unsigned stuckSeconds = 0;
    /// seconds(m) = alpha + beta m; bytes(m) = base + slope m
    double alpha = 0.01;
    double beta = 0.001;
    std::int64_t base = 100'000'000;
    std::int64_t slope = 10'000'000;
    static constexpr std::int64_t totalBytes = 2'000'000'000;
    static constexpr double optimizerSeconds = 0.002;
    double secondsOf(std::int64_t size) const { return alpha + beta * static_cast<double>(size); }
    std::int64_t bytesOf(std::int64_t size) const { return base + slope * size; }
    /// Lines written on stderr at the start.
    std::vector<std::string> complaints;

    /// \throws std::invalid_argument on an unknown word
    static FakeBehavior parse(const std::vector<std::string>& words);
    /// Counts the start of a process; each process calls it once.
    void countStart();
    /// Returns the fault to commit this time; empty for none.
    /// \param faults  one of the lists of this behavior
    std::string faultFor(std::vector<Fault>& faults, std::int64_t size, std::int64_t attempt) const;
    /// Returns the fault of the line this time; null for none.
    const Fault* faultOfLine(const std::string& message, std::int64_t size, std::int64_t attempt);

private:
    const Fault* committed(std::vector<Fault>& faults, const std::string& message, std::int64_t size,
                           std::int64_t attempt) const;
};

} // namespace batchpeak::test
