// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device_families.h"
#include "replay_device.h"
#include "strategy_rows.h"
#include "support/test_main.h"

#include <algorithm>
#include <string>

using namespace batchpeak::search;
using batchpeak::trial::Outcome;
using Sizes = std::vector<std::int64_t>;
using Status = SearchState::Status;

namespace {

constexpr std::uint64_t seed = 7;
/// Minimum probability of fit of a size that runs next to another one that may not fit.
constexpr double fitNextToUnknown = 0.985;

const Sizes divisors{1, 2, 3, 4, 6, 8, 12, 24, 48, 96, 192, 384, 768, 1536};

/// Trials on several devices that end in a random order.
class ManyDevices
{
public:
    ManyDevices(ReplayDevice& device, int devices, std::uint64_t order)
        : m_device(device), m_devices(static_cast<std::size_t>(devices)), m_random(order)
    {}

    bool hasRoom() const { return m_running.size() < m_devices; }
    bool isIdle() const { return m_running.empty(); }
    const Sizes& inFlight() const { return m_sizes; }

    void start(const Proposal& proposal)
    {
        m_running.push_back(proposal);
        m_sizes.push_back(proposal.size);
    }

    Measurement endOne()
    {
        const auto which =
            static_cast<std::ptrdiff_t>(m_random.uniform() * static_cast<double>(m_running.size()));
        const Proposal ended = m_running[static_cast<std::size_t>(which)];
        m_running.erase(m_running.begin() + which);
        m_sizes.erase(m_sizes.begin() + which);
        return m_device.run(ended);
    }

private:
    ReplayDevice& m_device;
    std::size_t m_devices;
    RandomSource m_random;
    std::vector<Proposal> m_running;
    Sizes m_sizes;
};

struct Shared
{
    std::string strategy;
    std::string family;
    int devices;
    Sizes candidates;
};

} // namespace

/// Tests properties of every strategy whose trials run at the same time and end in any order.
class SeveralDevicesTest : public QObject
{
    Q_OBJECT

private slots:
    void searchTogether_data()
    {
        const auto add = rows<Shared>();
        for (const std::string_view name : strategyNames()) {
            const auto addFor = [&](const std::string& family, int devices, const Sizes& candidates) {
                add(std::string(name) + ", " + std::to_string(devices) + " devices, " + family +
                        (candidates.empty() ? "" : ", divisors"),
                    {std::string(name), family, devices, candidates});
            };
            addFor("smooth", 4, {});
            if (!looksForTheFastest(name))
                continue;
            for (const char* family : {"rising", "thrash", "jittered tiles"})
                addFor(family, 8, {});
            addFor("middle saw", 8, divisors);
        }
    }
    void searchTogether()
    {
        const auto& [name, family, devices, candidates] = row<Shared>();
        ReplayDevice device(simulatedDevice(family, seed), seed);
        SearchSpace space = device.space();
        space.maxTrials = 25;
        space.devices = devices;
        space.candidates = candidates;
        const auto strategy = makeStrategy(name, space);
        ManyDevices many(device, devices, seed);
        std::int64_t verified = 0;
        int trials = 0;
        std::size_t maxAtATime = 0;
        while (true) {
            while (many.hasRoom()) {
                const Sizes& inFlight = many.inFlight();
                const auto proposal = strategy->next(inFlight);
                if (!proposal)
                    break;
                QVERIFY(std::ranges::find(inFlight, proposal->size) == inFlight.end());
                const bool isNextToUnknown =
                    std::ranges::any_of(inFlight, [&](std::int64_t size) { return size > verified; });
                if (isNextToUnknown && proposal->size > verified)
                    QVERIFY(proposal->predictedFit >= fitNextToUnknown);
                many.start(*proposal);
                maxAtATime = std::max(maxAtATime, many.inFlight().size());
            }
            if (many.isIdle())
                break;
            const Measurement trial = many.endOne();
            strategy->record(trial);
            if (trial.outcome == Outcome::Ok)
                verified = std::max(verified, trial.size);
            QVERIFY(++trials <= space.maxTrials);
        }
        QVERIFY(strategy->searchState().status != Status::Searching);
        if (candidates.empty() && looksForTheFastest(name))
            QVERIFY(maxAtATime >= 2);
        const std::int64_t best = strategy->searchState().recommendation->size;
        QVERIFY(device.fits(best));
        if (family == "smooth" && looksForTheFastest(name))
            QVERIFY(device.speed(best) > 0.95 * device.bestSpeed({}));
    }
};

BATCHPEAK_TEST(SeveralDevicesTest)
#include "tst_several_devices.moc"
