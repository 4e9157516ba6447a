// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "search/strategy.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

namespace batchpeak::test {

/// Blocks a search in the middle of a call, for as long as a test wants it to think.
class SearchGate
{
public:
    enum class Call { Record, Next, Continue };
    using MakeStrategy =
        std::function<std::unique_ptr<search::Strategy>(std::string_view, const search::SearchSpace&)>;

    /// Releases a search that is still blocked when a test fails, so that it can be ended.
    ~SearchGate() { open(); }

    /// Returns a function that makes the strategies of \p make, blocked at this gate.
    MakeStrategy around(MakeStrategy make) const;

    /// Blocks each such call from now on.
    void hold(Call call);
    void open();
    /// Whether a call is blocked.
    bool isHolding() const;

private:
    class Strategy;
    /// State that outlives the test's own part of the gate, as the strategies may.
    struct Shared
    {
        std::mutex mutex;
        std::condition_variable opened;
        std::optional<Call> held;
        bool isHolding = false;

        void pass(Call call);
    };
    std::shared_ptr<Shared> m_shared = std::make_shared<Shared>();
};

} // namespace batchpeak::test
