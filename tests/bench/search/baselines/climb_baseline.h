// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "baseline_strategy.h"

/// Powers of a ratio until one does not fit or, if so wished, is not faster than the one before; then the
/// fastest of them. With 2 it is what most people do by hand.
class ClimbBaseline final : public BaselineStrategy
{
public:
    ClimbBaseline(const batchpeak::search::SearchSpace& space, double ratio, bool stopsWhenSlower);

private:
    std::optional<std::int64_t> nextSize() override;

    double m_ratio;
    bool m_stopsWhenSlower;
};
