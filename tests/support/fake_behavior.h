// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace batchpeak::test {

/// Something that the fake worker does instead of a good trial or batch: "name@size#attempt*times", or
/// "name@size+" of that size and all larger ones.
struct Fault
{
    /// Of a trial: exit, abort, kill, exit42, exit137, hang, garbage, long-line, silent-steps, zero-steps,
    /// wrong-id, wrong-size, late, failed, unsupported, timeout, oom, lost-memory, host-memory, bare, spill,
    /// over-headroom, thrash, slow, crawl, fast, disturbed, disturbed-slow, contended, energy, comparison. Of
    /// a batch: exit, abort, kill, exit42, hang, endless (steps go on for ever), garbage, wrong-id,
    /// wrong-size, late, failed, unsupported, timeout, oom, lost-memory, host-memory, nan, thrash, slow,
    /// trial-result. Of a comparison: exit, abort, kill, exit42, hang, garbage, wrong-id, wrong-size
    /// (compares one that was not asked for), wrong-end (ends with such a one), missing-size, missing-visit
    /// (of the last size), missing-visits (one of each), more-steps, late, failed, unsupported, timeout, oom,
    /// lost-memory, spill (of the second size), thrash, disturbed, trial
    std::string name;
    /// At this size only; nothing stands for every size.
    std::optional<std::int64_t> size;
    /// At larger ones too.
    bool isFromSize = false;
    /// At the n-th attempt only, from 1, of those of its kind in a process.
    std::optional<std::int64_t> attempt;
    /// So many times only in a process; then the next fault of the size is committed.
    int times = 1'000'000;
    /// Of a line alone: the type of the message that it spoils, and the JSON pointer of the number in it that
    /// a fault of numbers spoils.
    std::string message = {};
    std::string field = {};
};

/// How the fake worker behaves, as the words "key=value" of its command line say.
struct FakeBehavior
{
    /// ok, silent, late, refuse, new-version, garbage, greets (prints 100 lines before hello), chatters (one
    /// more), exit, kill, no-device, bound (by a setting of its user, to half of the device, of which its own
    /// context takes a quarter)
    std::string start = "ok";
    /// The GPU of this identifier has half of the memory.
    std::string little;
    /// How it takes version 2 of the protocol: ok, older (it answers with 1); or it refuses: complain (an
    /// error line), exit, newer (it answers with 3). Those speak version 1, and know no comparison.
    std::string protocol = "ok";
    /// ok, error, silent, exit
    std::string load = "ok";
    /// So many loads of a process find half of the memory that they ask for.
    int shortLoads = 0;
    /// The kernel that computes attention in trials, as results name it.
    std::string attention;
    /// What it says that it runs otherwise than asked, with _ for a blank.
    std::vector<std::string> approximations;
    /// Of trials, of comparisons, of batches in training, of batches in evaluation.
    std::vector<Fault> faults;
    std::vector<Fault> comparisonFaults;
    std::vector<Fault> batchFaults;
    std::vector<Fault> evaluationFaults;
    /// Of the lines that it says, whatever they answer: "fault:message" or "fault:message:/field", as
    /// "huge:hello:/device/total_bytes". The size is that of the request, and each type of message is counted
    /// for itself; "bye" is said to the worker, and the fault follows. In place of the line: exit0, exit1,
    /// exit42, signal6, signal9, signal11, hang, half (and the end), garbage, long-line. With the line: late
    /// (for a short time limit), whole-line (as long as a line may be), wrong-id, duplicate, stale (the one
    /// before of its type comes once more before it), end-after, flood (again and again, for ever), endless
    /// (the same, with a moment in between), miscounted (of a result: only a number of steps, far too many).
    /// Of a number: nan, infinite, negative, huge, largest (of 32 bits), tiny.
    std::vector<Fault> lineFaults;
    /// It says a log line, and an error that is not fatal, before it answers a request.
    bool chats = false;
    /// ok, unknown (the program knows no training), all (it holds no samples out), error, silent, exit
    std::string training = "ok";
    /// ok, fail, link (to a file beside it), silent, exit
    std::string save = "ok";
    /// In an epoch of data that is not synthetic.
    std::int64_t samples = 640;
    /// Of each batch, before its last micro-batch.
    int pauseMilliseconds = 0;
    /// Faults happen only while this file does not exist; the first one makes it. The harnesses of
    /// explorations and trainings write the word without a file, and give it one in a folder of theirs.
    std::string onceFile;
    /// Each process counts itself in this file. Where there is one, those after the first "after" and up to
    /// the "until"-th behave as start, protocol, load and the faults say, and the others well.
    std::string startsFile;
    int after = 0;
    int until = 1000;
    bool ignoresCancel = false;
    bool ignoresTerminate = false;
    bool ignoresEnd = false;
    /// Nothing ends it for so many seconds: it gets stuck at its start, and there it stays when it should
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

    /// \throws std::invalid_argument on a word that is none of these
    static FakeBehavior parse(const std::vector<std::string>& words);
    /// To be called once by each process.
    void countStart();
    /// What to do wrong this time; empty for nothing.
    /// \param faults  one of the lists of this behavior
    std::string faultFor(std::vector<Fault>& faults, std::int64_t size, std::int64_t attempt) const;
    /// What to do to a line this time; null for nothing.
    const Fault* faultOfLine(const std::string& message, std::int64_t size, std::int64_t attempt);

private:
    const Fault* committed(std::vector<Fault>& faults, const std::string& message, std::int64_t size,
                           std::int64_t attempt) const;
};

} // namespace batchpeak::test
