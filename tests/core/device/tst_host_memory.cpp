// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/control_group.h"
#include "device/host_memory.h"
#include "device/local_device.h"
#include "device/memory_kills.h"
#include "fake_root.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <string>

using namespace batchpeak::device;
using batchpeak::test::FakeRoot;

namespace {

/// Contents of files in /proc and /sys, keyed by their paths without the leading slash.
using Files = std::map<std::string, QByteArray>;

/// Files of a computer without control groups.
const Files computer{
    {"proc/cpuinfo", "processor\t: 0\nmodel name\t: Fake CPU\n"},
    {"proc/meminfo", "MemTotal:       8000000 kB\nMemFree:  10 kB\nMemAvailable:   4000000 kB\n"},
    {"proc/vmstat", "nr_free_pages 12\noom_kill 7\nswap_ra 1\n"}};

struct Limits
{
    Files files;
    /// Bytes; the defaults are those of `computer`.
    std::int64_t total = std::int64_t{8000000} * 1024;
    std::int64_t available = std::int64_t{4000000} * 1024;
    /// 0 for no limit.
    double processors = 0;
};

struct Kills
{
    Files before;
    Files after;
    bool haveHappened = false;
    /// 0 for no limit.
    std::int64_t limitBytes = 0;
};

bool writeFiles(const FakeRoot& root, const Files& files)
{
    return std::ranges::all_of(
        files, [&](const auto& file) { return root.write(QString::fromStdString(file.first), file.second); });
}

Files onComputer(Files files)
{
    files.insert(computer.begin(), computer.end());
    return files;
}

} // namespace

class HostMemoryTest : public QObject
{
    Q_OBJECT

private slots:
    void reportsTheTightestLimit_data()
    {
        const std::string v1 = "sys/fs/cgroup/memory/";
        const std::string v2 = "sys/fs/cgroup/";
        rows<Limits>({{"no groups", {}},
                      {"version 2, no limit",
                       {.files = {{"proc/self/cgroup", "0::/a\n"},
                                  {v2 + "a/memory.max", "max\n"},
                                  {v2 + "a/memory.current", "5\n"},
                                  {v2 + "a/cpu.max", "max 100000\n"}}}},
                      {"version 2, no limit of the root",
                       {.files = {{"proc/self/cgroup", "0::/\n"}, {v2 + "memory.max", "max\n"}}}},
                      {"version 2, file cache counts as free",
                       {.files = {{"proc/self/cgroup", "0::/box\n"},
                                  {v2 + "box/memory.max", "500000\n"},
                                  {v2 + "box/memory.current", "300000\n"},
                                  {v2 + "box/memory.stat",
                                   "anon 1\nfile 130000\ninactive_file 70000\nactive_file 30000\n"}},
                        .total = 500000,
                        .available = 300000}},
                      {"version 2, limit of the group above",
                       {.files = {{"proc/self/cgroup", "0::/a/b\n"},
                                  {v2 + "a/memory.max", "1000000\n"},
                                  {v2 + "a/memory.current", "700000\n"},
                                  {v2 + "a/memory.stat", "anon 1\ninactive_file 50000\n"},
                                  {v2 + "a/b/memory.max", "2000000\n"},
                                  {v2 + "a/b/memory.current", "600000\n"},
                                  {v2 + "a/b/cpu.max", "150000 100000\n"},
                                  {v2 + "a/cpu.max", "400000 100000\n"}},
                        .total = 1000000,
                        .available = 350000,
                        .processors = 1.5}},
                      {"version 2, limit of the group above, without its usage",
                       {.files = {{"proc/self/cgroup", "0::/out/in\n"},
                                  {v2 + "out/memory.max", "400000\n"},
                                  {v2 + "out/in/memory.max", "max\n"}},
                        .total = 400000,
                        .available = 400000}},
                      {"version 2, container that sees itself as the root",
                       {.files = {{"proc/self/cgroup", "0::/docker/x\n"},
                                  {v2 + "memory.max", "3000000\n"},
                                  {v2 + "memory.current", "1000000\n"}},
                        .total = 3000000,
                        .available = 2000000}},
                      {"version 2, more in use than allowed",
                       {.files = {{"proc/self/cgroup", "0::/\n"},
                                  {v2 + "memory.max", "1000\n"},
                                  {v2 + "memory.current", "2000\n"}},
                        .total = 1000,
                        .available = 0}},
                      {"version 1",
                       {.files = {{"proc/self/cgroup", "4:cpu,cpuacct:/c\n3:memory:/m\n"},
                                  {v1 + "m/memory.limit_in_bytes", "5000000\n"},
                                  {v1 + "m/memory.usage_in_bytes", "1000000\n"},
                                  {v1 + "m/memory.stat",
                                   "inactive_file 1\ntotal_inactive_file 200000\ntotal_active_file 300000\n"},
                                  {v1 + "memory.limit_in_bytes", "9223372036854771712\n"},
                                  {v1 + "memory.usage_in_bytes", "1\n"},
                                  {"sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "200000\n"},
                                  {"sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"},
                                  {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                                  {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
                        .total = 5000000,
                        .available = 4500000,
                        .processors = 2.0}},
                      {"version 1 and version 2, container that sees itself as the root",
                       {.files = {{"proc/self/cgroup", "4:memory:/docker/x\n0::/\n"},
                                  {v1 + "memory.limit_in_bytes", "600000\n"},
                                  {v1 + "memory.usage_in_bytes", "200000\n"}},
                        .total = 600000,
                        .available = 400000}},
                      {"version 1, no limit",
                       {.files = {{"proc/self/cgroup", "4:memory:/\n"},
                                  {v1 + "memory.limit_in_bytes", "9223372036854771712\n"},
                                  {v1 + "memory.usage_in_bytes", "200000\n"}}}}});
    }
    void reportsTheTightestLimit()
    {
        const auto& [files, total, available, processors] = row<Limits>();
        const FakeRoot root;
        QVERIFY(writeFiles(root, onComputer(files)));
        const HostMemory memory = hostMemory(root.path());
        QCOMPARE(memory.total, total);
        QCOMPARE(memory.available, available);
        QCOMPARE(ControlGroup(root.path()).processors().value_or(0), processors);

        const LocalDevice device = processor(root.path());
        QCOMPARE(device.id(), "cpu");
        QCOMPARE(device.name, "Fake CPU");
        QCOMPARE(device.totalBytes, total);
        QCOMPARE(device.freeBytes, available);
    }

    void countsMatrixUnits_data()
    {
        rows<QByteArray, bool, int>(
            {{"none", {"fpu avx2 avx512_bf16", true, 0}},
             {"of int8 alone", {"fpu amx_tile amx_int8", true, 0}},
             {"on both processors", {"fpu amx_bf16 avx512_fp16 amx_tile amx_int8", true, 2}},
             {"without a count of processors", {"amx_bf16 amx_tile", false, 0}}});
    }
    void countsMatrixUnits()
    {
        const auto& [flags, isCounted, units] = row<QByteArray, bool, int>();
        const FakeRoot root;
        QVERIFY(root.write(QStringLiteral("proc/cpuinfo"), "model name\t: Fake\nflags\t\t: " + flags + "\n"));
        QVERIFY(root.write(QStringLiteral("proc/self/status"), "Cpus_allowed_list:\t0-1\n"));
        if (isCounted)
            QVERIFY(root.write(QStringLiteral("proc/stat"), "cpu0 1 0 0 9 0 0 0 0\ncpu1 1 0 0 9 0 0 0 0\n"));
        QCOMPARE(processor(root.path()).matrixUnits, units);
    }

    void readsThisComputer()
    {
        const HostMemory memory = hostMemory();
        QVERIFY(memory.available > 0);
        QVERIFY(memory.available <= memory.total);
        const LocalDevice device = processor();
        QVERIFY(device.totalBytes > 0);
        QVERIFY(device.freeBytes > 0 && device.freeBytes <= device.totalBytes);
        QCOMPARE(localDevices().devices.back().id(), "cpu");
    }

    void noticesKills_data()
    {
        const std::string v1 = "sys/fs/cgroup/memory/";
        const std::string v2 = "sys/fs/cgroup/";
        const Files onlyComputer = {{"proc/vmstat", "oom_kill 8\n"}};
        const auto add = rows<Kills>();
        add("the whole computer", {computer, onlyComputer, true, 0});
        add("no kill", {computer, computer, false, 0});
        add("a group without a counter", {{{"proc/self/cgroup", "0::/\n"}}, onlyComputer, true, 0});
        const Files box{{"proc/self/cgroup", "0::/box\n"},
                        {v2 + "box/memory.max", "5000\n"},
                        {v2 + "box/memory.events", "low 0\nmax 9\noom 3\noom_kill 2\n"}};
        add("version 2", {box, {{v2 + "box/memory.events", "max 9\noom_kill 3\n"}}, true, 5000});
        add("version 2, and only others on the computer", {box, onlyComputer, false, 0});
        add("version 2, container that sees itself as the root", {{{"proc/self/cgroup", "0::/docker/x\n"},
                                                                   {v2 + "memory.max", "7000\n"},
                                                                   {v2 + "memory.events", "oom_kill 4\n"}},
                                                                  {{v2 + "memory.events", "oom_kill 5\n"}},
                                                                  true,
                                                                  7000});
        const Files old{{"proc/self/cgroup", "3:memory:/m\n"},
                        {v1 + "m/memory.limit_in_bytes", "6000\n"},
                        {v1 + "m/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"},
                        {v1 + "memory.oom_control", "oom_kill 0\n"}};
        add("version 1", {old, {{v1 + "m/memory.oom_control", "oom_kill 6\n"}}, true, 6000});
        add("version 1, and another group", {old, {{v1 + "memory.oom_control", "oom_kill 1\n"}}, false, 0});
        // A launcher has put the worker (process 7) into another group.
        const Files workerElsewhere{
            {"proc/self/cgroup", "0::/own\n"},           {v2 + "own/memory.max", "9000\n"},
            {v2 + "own/memory.events", "oom_kill 0\n"},  {"proc/7/cgroup", "0::/jobs/step\n"},
            {v2 + "jobs/memory.events", "oom_kill 3\n"}, {v2 + "jobs/memory.max", "max\n"},
            {v2 + "jobs/step/memory.max", "4000\n"},     {v2 + "jobs/step/memory.events", "oom_kill 1\n"}};
        add("a worker elsewhere",
            {workerElsewhere, {{v2 + "jobs/step/memory.events", "oom_kill 2\n"}}, true, 4000});
        add("a worker elsewhere, and a neighbor of it",
            {workerElsewhere, {{v2 + "jobs/memory.events", "oom_kill 4\n"}}, false, 0});
        Files child = workerElsewhere;
        child.erase("proc/7/cgroup");
        child.insert({{"proc/7/cgroup", "0::/own\n"},
                      {"proc/7/task/7/children", ""},
                      {"proc/7/task/8/children", "9 11\n"},
                      {"proc/9/cgroup", "0::/own\n"},
                      {"proc/9/task/9/children", "10\n"},
                      {"proc/10/cgroup", "0::/jobs/step\n"}});
        add("a child of the worker elsewhere",
            {child, {{v2 + "jobs/step/memory.events", "oom_kill 2\n"}}, true, 4000});
    }
    void noticesKills()
    {
        const auto& [before, after, haveHappened, limitBytes] = row<Kills>();
        const FakeRoot root;
        QVERIFY(writeFiles(root, onComputer(before)));
        MemoryKills kills(root.path());
        kills.include(7);
        // The counters of the first call apply: watching a group again does not reset them.
        kills.include(7);
        QVERIFY(!kills.haveHappened());
        QVERIFY(writeFiles(root, after));
        kills.include(7);
        QCOMPARE(kills.haveHappened(), haveHappened);
        QCOMPARE(kills.limitBytes().value_or(0), limitBytes);
    }

    // systemd removes the group of a scope once its last process has ended.
    void noticesKillsInAGroupThatIsRemoved()
    {
        const FakeRoot root;
        QVERIFY(writeFiles(root, onComputer({{"proc/self/cgroup", "0::/own\n"},
                                             {"sys/fs/cgroup/own/memory.events", "oom_kill 0\n"},
                                             {"proc/7/cgroup", "0::/jobs/step\n"},
                                             {"sys/fs/cgroup/jobs/memory.events", "oom_kill 3\n"},
                                             {"sys/fs/cgroup/jobs/step/memory.max", "4000\n"},
                                             {"sys/fs/cgroup/jobs/step/memory.events", "oom_kill 0\n"}})));
        MemoryKills kills(root.path());
        kills.include(7);
        std::filesystem::remove_all(root.path() / "sys/fs/cgroup/jobs/step");
        QVERIFY(!kills.haveHappened());
        QVERIFY(writeFiles(root, {{"sys/fs/cgroup/jobs/memory.events", "oom_kill 4\n"}}));
        QVERIFY(kills.haveHappened());
        QCOMPARE(kills.limitBytes(), 4000);
    }
};

BATCHPEAK_TEST(HostMemoryTest)
#include "tst_host_memory.moc"
