// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_sweep.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

namespace {

constexpr std::string_view columns =
    "repetition,micro_batch_size,outcome,steps,seconds_per_step,relative_error,"
    "optimizer_seconds,peak_allocated_bytes,peak_reserved_bytes,wall_seconds";
constexpr std::size_t columnCount = 10;

std::vector<std::string_view> fieldsOf(std::string_view line)
{
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = line.find(',');
        fields.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos)
            return fields;
        line.remove_prefix(comma + 1);
    }
}

class SweepReader
{
public:
    explicit SweepReader(const std::filesystem::path& path) : m_path(path), m_file(path)
    {
        if (!m_file)
            throw SweepError(path.string() + " cannot be read: check that it exists and may be read.");
    }

    RecordedSweep read()
    {
        std::string line;
        while (std::getline(m_file, line)) {
            ++m_line;
            if (line.starts_with("# "))
                readHeader(std::string_view(line).substr(2));
            else if (!m_hasColumns)
                readColumns(line);
            else
                m_sweep.trials.push_back(trialOf(line));
        }
        ++m_line;
        require(m_hasColumns, "the row of column names is missing");
        require(m_sweep.limitBytes > 0.0, "no header '# limit_bytes: N' says how much memory there was");
        bool ran = false;
        for (const RecordedSweep::Trial& trial : m_sweep.trials)
            ran = ran || trial.fits;
        require(ran, "no size ran, and at least one must have");
        return std::move(m_sweep);
    }

private:
    void require(bool isMet, const std::string& problem) const
    {
        if (!isMet) {
            throw SweepError(m_path.string() + ", line " + std::to_string(m_line) + ": " + problem +
                             ". Record the sweep again with batchpeak-record-sweep.");
        }
    }

    void readHeader(std::string_view header)
    {
        const std::size_t colon = header.find(": ");
        require(colon != std::string_view::npos, "a header is '# name: value'");
        const std::string_view name = header.substr(0, colon);
        const std::string_view value = header.substr(colon + 2);
        if (name == "device")
            m_sweep.device = value;
        else if (name == "network")
            m_sweep.network = value;
        else if (name == "date")
            m_sweep.date = value;
        else if (name == "limit_bytes")
            m_sweep.limitBytes = number(value, "limit_bytes");
        else if (name == "baseline_bytes")
            m_sweep.baselineBytes = number(value, "baseline_bytes");
    }

    void readColumns(std::string_view line)
    {
        require(line == columns, "the columns must be " + std::string(columns));
        m_hasColumns = true;
    }

    double number(std::string_view text, const std::string& name) const
    {
        double value = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        require(error == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
                    value >= 0.0,
                name + " is '" + std::string(text) + "', and must be a number of 0 or more");
        return value;
    }

    double positive(std::string_view text, const std::string& name) const
    {
        const double value = number(text, name);
        require(value > 0.0, name + " is 0, and must be more");
        return value;
    }

    RecordedSweep::Trial trialOf(std::string_view line) const
    {
        const std::vector<std::string_view> fields = fieldsOf(line);
        require(fields.size() == columnCount, "there are " + std::to_string(fields.size()) +
                                                  " fields, and must be " + std::to_string(columnCount));
        RecordedSweep::Trial trial{.repetition = static_cast<int>(positive(fields[0], "repetition")),
                                   .size = static_cast<std::int64_t>(positive(fields[1], "micro_batch_size")),
                                   .fits = fields[2] == "ok"};
        require(trial.fits || fields[2] == "oom",
                "outcome is '" + std::string(fields[2]) + "', and must be ok or oom");
        if (!trial.fits)
            return trial;
        trial.steps = static_cast<int>(positive(fields[3], "steps"));
        trial.secondsPerStep = positive(fields[4], "seconds_per_step");
        trial.relativeError = number(fields[5], "relative_error");
        trial.optimizerSeconds = number(fields[6], "optimizer_seconds");
        trial.peakReservedBytes = positive(fields[8], "peak_reserved_bytes");
        trial.wallSeconds = positive(fields[9], "wall_seconds");
        return trial;
    }

    std::filesystem::path m_path;
    std::ifstream m_file;
    int m_line = 0;
    bool m_hasColumns = false;
    RecordedSweep m_sweep;
};

} // namespace

RecordedSweep readSweep(const std::filesystem::path& path)
{
    return SweepReader(path).read();
}
