// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/cpu_device_memory.h"
#include "network/failure.h"
#include "support/rows.h"
#include "support/test_main.h"
#include "support/verify.h"

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

/// Tests failures as they are thrown, most of them by libtorch itself.
class ThrownFailureTest : public QObject
{
    Q_OBJECT

private:
    CpuDeviceMemory m_memory;

private slots:
    // The allocator's count and the exception's type are better evidence than the text, which libraries
    // change.
    void trustsEvidenceInOrder_data()
    {
        const auto add = rows<Throw, Outcome, bool>();
        add("type alone", {[] { TORCH_CHECK_WITH(OutOfMemoryError, false, "no words for it"); },
                           Outcome::OutOfMemory, false});
        add("distributed backend", {throwTyped<c10::DistBackendError>, Outcome::Failed, true});
        add("index", {throwTyped<c10::IndexError>, Outcome::Unsupported, false});
        add("value", {throwTyped<c10::ValueError>, Outcome::Unsupported, false});
        add("type", {throwTyped<c10::TypeError>, Outcome::Unsupported, false});
        add("not implemented", {throwTyped<c10::NotImplementedError>, Outcome::Unsupported, false});
        add("plain", {throwTyped<c10::Error>, Outcome::Failed, false});
        add("type lost in a script",
            {[] { throw std::runtime_error("CPU out of memory."); }, Outcome::OutOfMemory, false});
        add("code against text", {[] { throwAccelerator(700); }, Outcome::Failed, true});
        add("code of memory", {[] { throwAccelerator(2); }, Outcome::OutOfMemory, false});
        add("count alone", {[] {
                                try {
                                    at::empty({std::int64_t{1} << 50});
                                } catch (const c10::Error&) {
                                    throw std::runtime_error("something else");
                                }
                            },
                            Outcome::OutOfMemory, false});
        add("nothing of memory", {[] { throw std::runtime_error("bad shape"); }, Outcome::Failed, false});
    }
    void trustsEvidenceInOrder()
    {
        const auto& [fail, outcome, sticky] = row<Throw, Outcome, bool>();
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

    // libtorch throws these exceptions itself on the CPU, so the test detects a release with other messages.
    void classifiesWrongShapesAsUnsupported_data()
    {
        const auto add = rows<Text, Throw>();
        const auto ones = [](std::initializer_list<std::int64_t> sizes) {
            return at::ones(at::IntArrayRef(sizes));
        };
        add("product", {"mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", [=] {
                            at::mm(ones({2, 3}), ones({4, 5}));
                        }});
        add("product with a vector", {"size mismatch", [=] { at::mv(ones({2, 3}), ones({4})); }});
        add("stacked product", {"Expected size for first two dimensions", [=] {
                                    at::bmm(ones({2, 3, 4}), ones({3, 4, 5}));
                                }});
        add("sum", {"The size of tensor a (3) must match the size of tensor b (4)",
                    [=] { at::add(ones({3}), ones({4})); }});
        add("expansion", {"must match the existing size", [=] { ones({3}).expand({4}); }});
        add("view", {"is invalid for input of size 6", [=] { ones({6}).view({4, -1}); }});
        add("concatenation", {"Sizes of tensors must match except in dimension", [=] {
                                  at::cat({ones({2, 3}), ones({2, 4})}, 0);
                              }});
        add("stack", {"stack expects each tensor to be equal size", [=] {
                          at::stack({ones({2}), ones({3})});
                      }});
        add("normalization", {"expected input with shape", [=] { at::layer_norm(ones({2, 3}), {4}); }});
        add("channels", {"channels, but got", [=] { at::conv2d(ones({1, 2, 8, 8}), ones({4, 3, 3, 3})); }});
        add("small picture", {"greater than actual input size", [=] {
                                  at::conv2d(ones({1, 3, 2, 2}), ones({4, 3, 3, 3}));
                              }});
        add("small pool", {"Output size is too small", [=] {
                               at::max_pool2d(ones({1, 3, 2, 2}), {3, 3}, {3, 3});
                           }});
        add("targets", {"Expected input batch_size (2) to match target batch_size (3)", [=] {
                            at::cross_entropy_loss(ones({2, 5}), ofInts({3}, 0));
                        }});
        add("target of no class", {"out of bounds", [=] {
                                       at::cross_entropy_loss(ones({2, 5}), ofInts({2}, 5));
                                   }});
        add("word of no vocabulary", {"index out of range in self", [=] {
                                          at::embedding(ones({5, 2}), ofInts({3}, 5));
                                      }});
        add("dimension", {"Dimension out of range", [=] { ones({2}).sum(1); }});
        add("types of a product", {"have the same dtype", [=] {
                                       at::mm(ones({2, 2}), ones({2, 2}).to(at::kDouble));
                                   }});
        add("type of words", {"one of the following scalar types", [=] {
                                  at::embedding(ones({5, 2}), ones({3}));
                              }});
        add("elements beyond 64 bits", {"overflow", [] {
                                            const std::int64_t many = std::int64_t{1} << 40;
                                            at::empty({many, many});
                                        }});
    }
    void classifiesWrongShapesAsUnsupported()
    {
        const auto& [said, fail] = row<Text, Throw>();
        const std::int64_t before = m_memory.outOfMemoryCount();
        try {
            fail();
            QFAIL("nothing was thrown");
        } catch (const std::exception& error) {
            const Failure failure = classifyFailure(error, m_memory, before);
            VERIFY_CONTAINS(failure.text, said);
            QVERIFY2(failure.outcome == Outcome::Unsupported, failure.text.c_str());
            QVERIFY(!failure.sticky);
            // TorchScript's interpreter keeps only the text.
            const Failure ofText = classifyFailureText("The following operation failed in the TorchScript "
                                                       "interpreter.\nRuntimeError: " +
                                                       failure.text);
            QVERIFY2(ofText.outcome == Outcome::Unsupported, failure.text.c_str());
        }
    }

    void distinguishesMainMemoryFromDeviceMemory_data()
    {
        constexpr qint64 tooMuch = qint64{1} << 50;
        rows<Throw, bool, qint64>(
            {{"C++", {[] { throw std::bad_alloc(); }, true, 0}},
             {"torch's own", {[] { c10::alloc_cpu(std::size_t{1} << 50); }, true, tooMuch}},
             {"a script's", {[] { throw std::runtime_error("std::bad_alloc"); }, true, 0}},
             {"the device's", {[] { at::empty({std::int64_t{1} << 48}); }, false, 0}},
             {"a GPU's", {[] { throwAccelerator(2); }, false, 0}}});
    }
    void distinguishesMainMemoryFromDeviceMemory()
    {
        const auto& [fail, ofHost, requested] = row<Throw, bool, qint64>();
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
