// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/control_group.h"
#include "device/host_memory.h"
#include "device/local_device.h"
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

/// What lies in /proc and /sys, by its path without the leading slash.
using Files = std::map<std::string, QByteArray>;

/// A computer without groups, with memory and kills of its own.
const Files computer{
    {"proc/cpuinfo", "processor\t: 0\nmodel name\t: Fake CPU\n"},
    {"proc/meminfo", "MemTotal:       8000000 kB\nMemFree:  10 kB\nMemAvailable:   4000000 kB\n"},
    {"proc/vmstat", "nr_free_pages 12\noom_kill 7\nswap_ra 1\n"}};

struct Limits
{
    Files files;
    /// Those of the computer.
    std::int64_t total = std::int64_t{8000000} * 1024;
    std::int64_t available = std::int64_t{4000000} * 1024;
    /// 0 for no limit.
    double processors = 0;
};

bool layOut(const FakeRoot& root, const Files& files)
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
    void takesTheTightestLimit_data()
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
                                  {v2 + "box/memory.stat", "anon 1\ninactive_file 100000\n"}},
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
                      {"version 2, limit of the group above, whose use is not told",
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
                                  {v1 + "memory.limit_in_bytes", "9223372036854771712\n"},
                                  {v1 + "memory.usage_in_bytes", "1\n"},
                                  {"sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "200000\n"},
                                  {"sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"},
                                  {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                                  {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
                        .total = 5000000,
                        .available = 4000000,
                        .processors = 2.0}},
                      {"version 1 beside version 2, container that sees itself as the root",
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
    void takesTheTightestLimit()
    {
        const auto& [files, total, available, processors] = row<Limits>();
        const FakeRoot root;
        QVERIFY(layOut(root, onComputer(files)));
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
             {"nobody counts processors", {"amx_bf16 amx_tile", false, 0}}});
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

    void countsTheKillsOfTheNearestGroup_data()
    {
        rows<Files, std::int64_t>(
            {{"nothing counts", {Files(), 0}},
             {"the whole computer", {computer, 7}},
             {"version 2",
              {onComputer({{"proc/self/cgroup", "0::/box\n"},
                           {"sys/fs/cgroup/box/memory.events", "low 0\nmax 9\noom 3\noom_kill 2\n"}}),
               2}},
             {"version 2, container that sees itself as the root",
              {onComputer(
                   {{"proc/self/cgroup", "0::/docker/x\n"}, {"sys/fs/cgroup/memory.events", "oom_kill 4\n"}}),
               4}},
             {"version 1",
              {onComputer({{"proc/self/cgroup", "3:memory:/m\n"},
                           {"sys/fs/cgroup/memory/m/memory.oom_control",
                            "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"},
                           {"sys/fs/cgroup/memory/memory.oom_control", "oom_kill 0\n"}}),
               5}},
             {"a group that does not count", {onComputer({{"proc/self/cgroup", "0::/\n"}}), 7}}});
    }
    void countsTheKillsOfTheNearestGroup()
    {
        const auto& [files, kills] = row<Files, std::int64_t>();
        const FakeRoot root;
        QVERIFY(layOut(root, files));
        QCOMPARE(memoryKills(root.path()), kills);
    }
};

BATCHPEAK_TEST(HostMemoryTest)
#include "tst_host_memory.moc"
