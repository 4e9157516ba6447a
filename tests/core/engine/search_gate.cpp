// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "search_gate.h"

#include <utility>

namespace batchpeak::test {

class SearchGate::Strategy final : public search::Strategy
{
public:
    Strategy(std::unique_ptr<search::Strategy> strategy, std::shared_ptr<Shared> gate)
        : m_strategy(std::move(strategy)), m_gate(std::move(gate))
    {}

    void record(const search::Measurement& measurement) override
    {
        m_gate->pass(Call::Record);
        m_strategy->record(measurement);
    }

    std::optional<search::Proposal> next(std::span<const std::int64_t> inFlight) override
    {
        m_gate->pass(Call::Next);
        return m_strategy->next(inFlight);
    }

    void continueSearch(int maxTrials) override
    {
        m_gate->pass(Call::Continue);
        m_strategy->continueSearch(maxTrials);
    }

    bool canContinue() override { return m_strategy->canContinue(); }
    const search::SearchState& searchState() const override { return m_strategy->searchState(); }

private:
    std::unique_ptr<search::Strategy> m_strategy;
    std::shared_ptr<Shared> m_gate;
};

void SearchGate::Shared::pass(Call call)
{
    std::unique_lock lock(mutex);
    if (held != call)
        return;
    isHolding = true;
    opened.wait(lock, [&] { return held != call; });
    isHolding = false;
}

SearchGate::MakeStrategy SearchGate::around(MakeStrategy make) const
{
    return [make = std::move(make), shared = m_shared](std::string_view name, const auto& space) {
        return std::make_unique<Strategy>(make(name, space), shared);
    };
}

void SearchGate::hold(Call call)
{
    const std::scoped_lock lock(m_shared->mutex);
    m_shared->held = call;
}

void SearchGate::open()
{
    {
        const std::scoped_lock lock(m_shared->mutex);
        m_shared->held.reset();
    }
    m_shared->opened.notify_all();
}

bool SearchGate::isHolding() const
{
    const std::scoped_lock lock(m_shared->mutex);
    return m_shared->isHolding;
}

} // namespace batchpeak::test
