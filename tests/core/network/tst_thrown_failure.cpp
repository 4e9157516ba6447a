// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/cpu_device_memory.h"
#include "network/failure.h"
#include "support/test_main.h"

#include <ATen/ops/add.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <QTest>

#include <exception>
#include <functional>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>

using namespace batchpeak::network;
using batchpeak::trial::Outcome;

namespace {

using Throw = std::function<void()>;

void throwAccelerator(int code)
{
    throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, code, "CUDA error: out of memory");
}

template<typename Error>
void throwTyped()
{
    throw Error({__func__, __FILE__, __LINE__}, "no words for it");
}

at::Tensor ofInts(std::initializer_list<std::int64_t> sizes, std::int64_t value)
{
    return at::zeros(at::IntArrayRef(sizes), at::kLong).add_(value);
}

} // namespace

/// Failures as they are thrown, most of them by libtorch itself.
class ThrownFailureTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

private slots:
    // The allocator's count and the type tell more than the text, which libraries change.
    void trustsEvidenceInOrder_data()
    {
        QTest::addColumn<Throw>("fail");
        QTest::addColumn<Outcome>("outcome");
        QTest::addColumn<bool>("sticky");
        QTest::newRow("type alone") << Throw([] {
            TORCH_CHECK_WITH(OutOfMemoryError, false, "no words for it");
        }) << Outcome::OutOfMemory << false;
        QTest::newRow("distributed backend")
            << Throw(throwTyped<c10::DistBackendError>) << Outcome::Failed << true;
        QTest::newRow("index") << Throw(throwTyped<c10::IndexError>) << Outcome::Unsupported << false;
        QTest::newRow("value") << Throw(throwTyped<c10::ValueError>) << Outcome::Unsupported << false;
        QTest::newRow("type") << Throw(throwTyped<c10::TypeError>) << Outcome::Unsupported << false;
        QTest::newRow("not implemented")
            << Throw(throwTyped<c10::NotImplementedError>) << Outcome::Unsupported << false;
        QTest::newRow("plain") << Throw(throwTyped<c10::Error>) << Outcome::Failed << false;
        QTest::newRow("type lost in a script")
            << Throw([] { throw std::runtime_error("CPU out of memory."); }) << Outcome::OutOfMemory << false;
        QTest::newRow("code against text") << Throw([] { throwAccelerator(700); }) << Outcome::Failed << true;
        QTest::newRow("code of memory")
            << Throw([] { throwAccelerator(2); }) << Outcome::OutOfMemory << false;
        QTest::newRow("count alone") << Throw([] {
            try {
                at::empty({std::int64_t{1} << 50});
            } catch (const c10::Error&) {
                throw std::runtime_error("something else");
            }
        }) << Outcome::OutOfMemory << false;
        QTest::newRow("nothing of memory")
            << Throw([] { throw std::runtime_error("bad shape"); }) << Outcome::Failed << false;
    }
    void trustsEvidenceInOrder()
    {
        QFETCH(Throw, fail);
        QFETCH(Outcome, outcome);
        QFETCH(bool, sticky);
        const std::int64_t before = m_memory.outOfMemoryCount();
        try {
            fail();
            QFAIL("nothing was thrown");
        } catch (const std::exception& error) {
            const Failure failure = classifyFailure(error, m_memory, before);
            QCOMPARE(failure.outcome, outcome);
            QCOMPARE(failure.sticky, sticky);
            QVERIFY(!failure.text.empty());
        }
    }

    // What libtorch itself throws on the CPU, so that a new release that words it otherwise is noticed.
    void callsWrongShapesUnsupported_data()
    {
        QTest::addColumn<Throw>("fail");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* said, Throw fail) {
            QTest::newRow(name) << std::move(fail) << QString::fromUtf8(said);
        };
        const auto ones = [](std::initializer_list<std::int64_t> sizes) {
            return at::ones(at::IntArrayRef(sizes));
        };
        row("product", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", [=] {
            at::mm(ones({2, 3}), ones({4, 5}));
        });
        row("product with a vector", "size mismatch", [=] { at::mv(ones({2, 3}), ones({4})); });
        row("stacked product", "Expected size for first two dimensions", [=] {
            at::bmm(ones({2, 3, 4}), ones({3, 4, 5}));
        });
        row("sum", "The size of tensor a (3) must match the size of tensor b (4)",
            [=] { at::add(ones({3}), ones({4})); });
        row("expansion", "must match the existing size", [=] { ones({3}).expand({4}); });
        row("view", "is invalid for input of size 6", [=] { ones({6}).view({4, -1}); });
        row("concatenation", "Sizes of tensors must match except in dimension", [=] {
            at::cat({ones({2, 3}), ones({2, 4})}, 0);
        });
        row("stack", "stack expects each tensor to be equal size", [=] {
            at::stack({ones({2}), ones({3})});
        });
        row("normalisation", "expected input with shape", [=] { at::layer_norm(ones({2, 3}), {4}); });
        row("channels", "channels, but got", [=] { at::conv2d(ones({1, 2, 8, 8}), ones({4, 3, 3, 3})); });
        row("small picture", "greater than actual input size", [=] {
            at::conv2d(ones({1, 3, 2, 2}), ones({4, 3, 3, 3}));
        });
        row("small pool", "Output size is too small", [=] {
            at::max_pool2d(ones({1, 3, 2, 2}), {3, 3}, {3, 3});
        });
        row("targets", "Expected input batch_size (2) to match target batch_size (3)", [=] {
            at::cross_entropy_loss(ones({2, 5}), ofInts({3}, 0));
        });
        row("target of no class", "out of bounds", [=] {
            at::cross_entropy_loss(ones({2, 5}), ofInts({2}, 5));
        });
        row("word of no vocabulary", "index out of range in self", [=] {
            at::embedding(ones({5, 2}), ofInts({3}, 5));
        });
        row("dimension", "Dimension out of range", [=] { ones({2}).sum(1); });
        row("types of a product", "have the same dtype", [=] {
            at::mm(ones({2, 2}), ones({2, 2}).to(at::kDouble));
        });
        row("type of words", "one of the following scalar types", [=] {
            at::embedding(ones({5, 2}), ones({3}));
        });
        row("elements beyond 64 bits", "overflow", [] {
            const std::int64_t many = std::int64_t{1} << 40;
            at::empty({many, many});
        });
    }
    void callsWrongShapesUnsupported()
    {
        QFETCH(Throw, fail);
        QFETCH(QString, said);
        const std::int64_t before = m_memory.outOfMemoryCount();
        try {
            fail();
            QFAIL("nothing was thrown");
        } catch (const std::exception& error) {
            const Failure failure = classifyFailure(error, m_memory, before);
            QVERIFY2(QString::fromStdString(failure.text).contains(said), failure.text.c_str());
            QVERIFY2(failure.outcome == Outcome::Unsupported, failure.text.c_str());
            QVERIFY(!failure.sticky);
            // A script's interpreter keeps the text alone.
            const Failure ofText = classifyFailureText("The following operation failed in the TorchScript "
                                                       "interpreter.\nRuntimeError: " +
                                                       failure.text);
            QVERIFY2(ofText.outcome == Outcome::Unsupported, failure.text.c_str());
        }
    }

    void tellsMainMemoryFromTheDevices_data()
    {
        QTest::addColumn<Throw>("fail");
        QTest::addColumn<bool>("ofHost");
        QTest::addColumn<qint64>("requested");
        constexpr qint64 tooMuch = qint64{1} << 50;
        QTest::newRow("C++") << Throw([] { std::string(std::size_t{1} << 50, ' '); }) << true << qint64{0};
        QTest::newRow("torch's own") << Throw([] { c10::alloc_cpu(std::size_t{1} << 50); }) << true
                                     << tooMuch;
        QTest::newRow("a script's") << Throw([] { throw std::runtime_error("std::bad_alloc"); }) << true
                                    << qint64{0};
        QTest::newRow("the device's")
            << Throw([] { at::empty({std::int64_t{1} << 48}); }) << false << qint64{0};
        QTest::newRow("a GPU's") << Throw([] { throwAccelerator(2); }) << false << qint64{0};
    }
    void tellsMainMemoryFromTheDevices()
    {
        QFETCH(Throw, fail);
        QFETCH(bool, ofHost);
        QFETCH(qint64, requested);
        const std::int64_t before = m_memory.outOfMemoryCount();
        try {
            fail();
            QFAIL("nothing was thrown");
        } catch (const std::exception& error) {
            const Failure failure = classifyFailure(error, m_memory, before);
            QCOMPARE(failure.outcome, Outcome::OutOfMemory);
            QCOMPARE(failure.refusedHostBytes.has_value(), ofHost);
            if (ofHost) {
                QCOMPARE(*failure.refusedHostBytes, requested);
                QCOMPARE(failure.neededBytes, 0);
            }
        }
    }
};

BATCHPEAK_TEST(ThrownFailureTest)
#include "tst_thrown_failure.moc"
