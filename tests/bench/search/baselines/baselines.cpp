// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "baselines.h"

#include "climb_baseline.h"
#include "golden_section_baseline.h"
#include "largest_fit_baseline.h"
#include "stride_baseline.h"
#include "sweep_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>

using batchpeak::search::SearchSpace;
using batchpeak::search::Strategy;

namespace {

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
