// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Included before Qt, whose keyword "slots" is a name in libtorch.
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "gpu_suite.h"
#include "network/failure.h"
#include "support/rows.h"

#include <QCoreApplication>
#include <QProcess>

#include <cstdio>
#include <cstring>

#include <unistd.h>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

// Word that the child prints after the outcome if only a new process helps.
constexpr const char* stickyWord = "sticky";
constexpr const char* breakOption = "--break";

at::TensorOptions onGpu()
{
    return {at::kCUDA};
}

void lookUpATokenOutOfRange()
{
    at::embedding(at::ones({5, 2}, onGpu()), at::ones({3}, onGpu().dtype(at::kLong)).mul(7));
}

// Attention in fp32 uses one block per sample in a grid dimension of at most 65535.
void attendIn70000Samples()
{
    const at::Tensor heads = at::ones({70000, 1, 4, 8}, onGpu());
    at::scaled_dot_product_attention(heads, heads, heads);
}

void allocateTooMuch()
{
    at::empty({std::int64_t{1} << 45}, onGpu());
}

void multiplyIncompatibleShapes()
{
    at::mm(at::ones({2, 3}, onGpu()), at::ones({4, 5}, onGpu()));
}

struct Breakdown
{
    const char* name;
    void (*happen)();
    /// Correct outcomes, as the child prints them.
    QStringList expected;
};

QList<Breakdown> breakdowns()
{
    const auto words = [](const char* text) { return QString::fromUtf8(text).split(QLatin1Char('|')); };
    return {{"index", lookUpATokenOutOfRange, words("failed sticky")},
            {"blocks", attendIn70000Samples, words("unsupported|ok")},
            {"memory", allocateTooMuch, words("oom")},
            {"shapes", multiplyIncompatibleShapes, words("unsupported")}};
}

// Runs in a separate process, because some failures end it.
int breakDown(test::Gpu& gpu, const char* name)
{
    const std::int64_t before = gpu.memory().outOfMemoryCount();
    try {
        for (const Breakdown& breakdown : breakdowns()) {
            if (std::strcmp(breakdown.name, name) == 0)
                breakdown.happen();
        }
        gpu.memory().synchronize();
        std::puts("ok");
    } catch (const std::exception& error) {
        const Failure failure = classifyFailure(error, gpu.memory(), before);
        std::printf("%s%s%s\n", trial::toText(failure.outcome).data(), failure.sticky ? " " : "",
                    failure.sticky ? stickyWord : "");
        std::fprintf(stderr, "%s\n", failure.text.c_str());
    }
    std::fflush(nullptr);
    // After the loss of the context, destructors of libraries may hang.
    _exit(0);
}

} // namespace

/// Tests that failures of a GPU are distinguished as their table specifies.
class GpuFailuresTest : public test::GpuSuite
{
    Q_OBJECT

public:
    using GpuSuite::GpuSuite;

private slots:
    void distinguishesFailures_data()
    {
        const auto add = rows<Breakdown>();
        for (const Breakdown& breakdown : breakdowns())
            add(breakdown.name, breakdown);
    }
    void distinguishesFailures()
    {
        const auto& [name, happen, expected] = row<Breakdown>();
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    {QString::fromUtf8(breakOption), QString::fromUtf8(name)});
        QVERIFY(child.waitForFinished(120'000));
        const QString said = QString::fromUtf8(child.readAllStandardOutput()).trimmed();
        QVERIFY2(expected.contains(said),
                 qPrintable(said + QLatin1String(": ") + QString::fromUtf8(child.readAllStandardError())));
    }
};

int main(int argc, char** argv)
{
    test::Gpu gpu;
    if (argc == 3 && std::strcmp(argv[1], breakOption) == 0)
        return gpu.reasonToSkip().empty() ? breakDown(gpu, argv[2]) : 1;
    const QCoreApplication application(argc, argv);
    GpuFailuresTest suite(gpu);
    return QTest::qExec(&suite, argc, argv);
}
#include "tst_gpu_failures.moc"
