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

/// Holds a search up in the midst of a call, for as long as a test wants it to think.
class SearchGate
{
public:
    enum class Call { Record, Next, Continue };
    using MakeStrategy =
        std::function<std::unique_ptr<search::Strategy>(std::string_view, const search::SearchSpace&)>;

    /// A search that is still held when a test fails goes on, so that it can be ended.
    ~SearchGate() { open(); }

    /// The strategies that \p make makes, held up at this gate.
    MakeStrategy around(MakeStrategy make) const;

    /// From now on each such call waits.
    void hold(Call call);
    void open();
    /// A call waits.
    bool isHolding() const;

private:
    class Strategy;
    /// Outlives the test's own part, as the strategies may.
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
