// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "baselines.h"

#include "baseline_strategy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

using batchpeak::search::SearchSpace;
using batchpeak::search::Strategy;

namespace {

/// Tries powers of a ratio until one does not fit or, with \p stopsWhenSlower, is not the fastest so far, and
/// recommends the fastest. With ratio 2, this is what most people do by hand.
class ClimbBaseline final : public BaselineStrategy
{
public:
    ClimbBaseline(const SearchSpace& space, double ratio, bool stopsWhenSlower);

private:
    std::optional<std::int64_t> nextSize() override;

    double m_ratio;
    bool m_stopsWhenSlower;
};

ClimbBaseline::ClimbBaseline(const SearchSpace& space, double ratio, bool stopsWhenSlower)
    : BaselineStrategy(space), m_ratio(ratio), m_stopsWhenSlower(stopsWhenSlower)
{}

std::optional<std::int64_t> ClimbBaseline::nextSize()
{
    if (m_stopsWhenSlower && hasRun() && fastest() != largestRun())
        return std::nullopt;
    return nextClimb(m_ratio);
}

/// Finds the largest size that fits, by doubling, then bisection, and treats it as the fastest. The finders
/// of Lightning, Composer and many others are of this kind.
class LargestFitBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override { return nextTowardLimit(); }
    std::int64_t answer() const override { return largestRun(); }
};

/// Width of the section in ln(size) at which the search for the peak ends.
constexpr double closeEnough = 0.02;

/// Finds the largest size that fits by doubling and bisection, then the fastest up to it by golden section in
/// ln(size), as if the curve had a single peak and no noise. Kiefer, Proceedings of the AMS 4 (1953).
class GoldenSectionBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override;

    /// ln of the bounds of the peak; the upper one is 0 until the limit is known.
    double m_low = 0.0;
    double m_high = 0.0;
};

std::optional<std::int64_t> GoldenSectionBaseline::nextSize()
{
    if (m_high == 0.0) {
        if (const auto size = nextTowardLimit())
            return size;
        if (!hasRun())
            return std::nullopt;
        m_high = std::log(static_cast<double>(largestRun()));
    }
    while (m_high - m_low > closeEnough) {
        const double part = (m_high - m_low) / std::numbers::phi;
        const auto sizeAt = [this](double logSize) {
            const auto wanted = static_cast<std::int64_t>(std::llround(std::exp(logSize)));
            return candidates().atMost(std::max(wanted, candidates().smallest())).value();
        };
        const std::int64_t lower = sizeAt(m_high - part);
        const std::int64_t upper = sizeAt(m_low + part);
        for (const std::int64_t size : {lower, upper}) {
            if (!wasTried(size))
                return size;
        }
        if (speed(lower) > speed(upper))
            m_high = m_low + part;
        else
            m_low = m_high - part;
    }
    return std::nullopt;
}

constexpr std::array guesses{1.05, 1.0, 0.95};
/// Relative width of the bracket at which bisection ends.
constexpr double bracket = 0.05;
constexpr std::array strides{0.5, 0.75};
constexpr double stepDown = 0.95;
constexpr double worthwhileGain = 1.05;

/// Imitates DeepSpeed's autotuner. Predicts the largest size from the memory of one sample, tries it with 5 %
/// more, unchanged and with 5 % less, and bisects if all fail. Then tries 0.5 and 0.75 of the largest size
/// that ran, and steps down from the fastest by 5 % as long as the last step gained 5 %.
class StrideBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override;
    std::optional<std::int64_t> nextForMaximum();
    std::optional<std::int64_t> nextStride();

    /// Largest size that fits; 0 until it is found.
    std::int64_t m_maximum = 0;
    std::size_t m_guess = 0;
    /// Samples/s of the fastest size before the last step down; 0 before the first.
    double m_speedBeforeStep = 0.0;
};

std::optional<std::int64_t> StrideBaseline::nextSize()
{
    if (!hasRun())
        return smallestFailure() ? std::nullopt : std::optional(candidates().smallest());
    if (m_maximum == 0) {
        if (const auto size = nextForMaximum())
            return size;
        m_maximum = largestRun();
    }
    return nextStride();
}

std::optional<std::int64_t> StrideBaseline::nextForMaximum()
{
    const std::int64_t first = candidates().smallest();
    const auto baseline = static_cast<double>(space().baselineBytes);
    const double perSample = (peakBytes(first) - baseline) / static_cast<double>(first);
    const double predicted = (static_cast<double>(space().memoryLimitBytes) - baseline) / perSample;
    while (m_guess < guesses.size() && largestRun() == first) {
        if (const auto size = untried(guesses.at(m_guess++) * predicted))
            return size;
    }
    if (largestRun() > first || !smallestFailure())
        return std::nullopt;
    const auto low = static_cast<double>(largestRun());
    const auto high = static_cast<double>(*smallestFailure());
    return (high - low) / high > bracket ? untried((low + high) / 2.0) : std::nullopt;
}

std::optional<std::int64_t> StrideBaseline::nextStride()
{
    for (const double stride : strides) {
        if (const auto size = untried(stride * static_cast<double>(m_maximum)))
            return size;
    }
    if (speed(fastest()) <= worthwhileGain * m_speedBeforeStep)
        return std::nullopt;
    m_speedBeforeStep = speed(fastest());
    return untried(stepDown * static_cast<double>(fastest()));
}

constexpr int sweepPoints = 64;

/// Tries powers of two until one fails, then 64 evenly spaced sizes up to where the line through the two
/// largest peaks meets the limit, and recommends the fastest of all, as a patient person does.
class SweepBaseline final : public BaselineStrategy
{
public:
    using BaselineStrategy::BaselineStrategy;

private:
    std::optional<std::int64_t> nextSize() override;
    double predictedLimit() const;

    bool m_hasPlan = false;
    /// Planned sizes in ascending order.
    std::vector<double> m_plan;
    std::size_t m_next = 0;
};

std::optional<std::int64_t> SweepBaseline::nextSize()
{
    if (!m_hasPlan) {
        if (const auto size = nextClimb(2.0))
            return size;
        if (!hasRun())
            return std::nullopt;
        m_hasPlan = true;
        for (int point = 1; point <= sweepPoints; ++point)
            m_plan.push_back(predictedLimit() * point / sweepPoints);
    }
    while (m_next < m_plan.size()) {
        if (const auto size = untried(m_plan[m_next++]))
            return size;
    }
    return std::nullopt;
}

double SweepBaseline::predictedLimit() const
{
    const auto largest = static_cast<double>(largestRun());
    if (sizesRun() < 2 || !smallestFailure())
        return largest;
    const double perSample = (peakBytes(largestRun()) - peakBytes(secondLargestRun())) /
                             (largest - static_cast<double>(secondLargestRun()));
    const double room = static_cast<double>(space().memoryLimitBytes) - peakBytes(largestRun());
    const double below = static_cast<double>(*smallestFailure()) - 1.0;
    return perSample > 0.0 ? std::min(largest + room / perSample, below) : below;
}

struct NamedBaseline
{
    std::string_view name;
    std::unique_ptr<Strategy> (*make)(const SearchSpace&);
};

template<typename Made>
std::unique_ptr<Strategy> make(const SearchSpace& space)
{
    return std::make_unique<Made>(space);
}

std::unique_ptr<Strategy> powersOfTwo(const SearchSpace& space)
{
    return std::make_unique<ClimbBaseline>(space, 2.0, false);
}

std::unique_ptr<Strategy> doubleUntilSlower(const SearchSpace& space)
{
    return std::make_unique<ClimbBaseline>(space, 2.0, true);
}

std::unique_ptr<Strategy> fourAnOctave(const SearchSpace& space)
{
    return std::make_unique<ClimbBaseline>(space, std::exp2(0.25), false);
}

constexpr std::array<NamedBaseline, 7> baselines{{{"powers of two", powersOfTwo},
                                                  {"double until slower", doubleUntilSlower},
                                                  {"largest that fits", make<LargestFitBaseline>},
                                                  {"like DeepSpeed", make<StrideBaseline>},
                                                  {"golden section", make<GoldenSectionBaseline>},
                                                  {"four an octave", fourAnOctave},
                                                  {"64-point sweep", make<SweepBaseline>}}};

} // namespace

std::vector<std::string_view> baselineNames()
{
    std::vector<std::string_view> names(baselines.size());
    std::ranges::transform(baselines, names.begin(), &NamedBaseline::name);
    return names;
}

std::unique_ptr<Strategy> makeBaseline(std::string_view name, const SearchSpace& space)
{
    const auto place = std::ranges::find(baselines, name, &NamedBaseline::name);
    return place == baselines.end() ? nullptr : place->make(space);
}
