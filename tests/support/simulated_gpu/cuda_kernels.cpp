// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Operators of libtorch on the simulated GPU. Operators that only create a view use the functions of ATen and
// cost no time. Every other operator runs on the CPU, on the same memory, and costs a launch whose time
// depends on its bytes and FLOPs.

#include "settings.h"
#include "simulated_device.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/SDPBackend.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace batchpeak::simulated_gpu {

namespace {

c10::Device currentTorchDevice()
{
    return {c10::kCUDA, static_cast<c10::DeviceIndex>(currentDevice())};
}

c10::Device deviceOr(std::optional<c10::Device> device)
{
    return device && device->has_index() ? *device : currentTorchDevice();
}

constexpr c10::DispatchKeySet cudaKeys(c10::DispatchKey::CUDA);

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<at::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format)
{
    const c10::DeviceGuard guard(deviceOr(device));
    return at::detail::empty_generic(sizes, c10::GetAllocator(c10::kCUDA), cudaKeys,
                                     type.value_or(c10::get_default_dtype_as_scalartype()), format);
}

at::Tensor emptyStrided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                        std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>)
{
    const c10::DeviceGuard guard(deviceOr(device));
    return at::detail::empty_strided_generic(sizes, strides, c10::GetAllocator(c10::kCUDA), cudaKeys,
                                             type.value_or(c10::get_default_dtype_as_scalartype()));
}

/// Returns a CPU tensor that shares the memory of \p tensor.
at::Tensor onCpu(const at::Tensor& tensor)
{
    if (!tensor.defined() || !tensor.is_cuda())
        return tensor;
    const auto options = at::TensorOptions(at::kCPU).dtype(tensor.scalar_type());
    // An operator may resize an empty result, so this result needs its own storage.
    if (tensor.numel() == 0)
        return at::empty_strided(tensor.sizes(), tensor.strides(), options);
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), options);
}

double bytesOf(const at::Tensor& tensor)
{
    return tensor.defined() ? static_cast<double>(tensor.numel()) * static_cast<double>(tensor.element_size())
                            : 0.0;
}

/// Returns the FLOPs of a matrix product or convolution: twice the number of elements of the result times the
/// inner length. Returns 0 for other operators.
double flopsOf(std::string_view name, const std::vector<at::Tensor>& inputs, const at::Tensor& result)
{
    const auto resultElements = [&result] {
        return result.defined() ? static_cast<double>(result.numel()) : 0.0;
    };
    if ((name == "aten::mm" || name == "aten::bmm") && !inputs.empty())
        return 2.0 * resultElements() * static_cast<double>(inputs[0].size(-1));
    if ((name == "aten::addmm" || name == "aten::baddbmm") && inputs.size() > 1)
        return 2.0 * resultElements() * static_cast<double>(inputs[1].size(-1));
    if (name.find("conv") != std::string_view::npos && inputs.size() > 1 && inputs[1].dim() > 1)
        return 2.0 * resultElements() * static_cast<double>(inputs[1].numel() / inputs[1].size(0));
    return 0.0;
}

/// Call of one operator on the CPU: converts the arguments from the device and the results back to it.
class Call
{
public:
    explicit Call(const c10::OperatorHandle& op) : m_op(op) {}

    void run(torch::jit::Stack* stack)
    {
        const std::size_t arguments = m_op.schema().arguments().size();
        for (std::size_t i = stack->size() - arguments; i < stack->size(); ++i)
            (*stack)[i] = cpuValue((*stack)[i]);
        redispatch(stack);
        applyNewSizes();
        const std::size_t results = m_op.schema().returns().size();
        for (std::size_t i = stack->size() - results; i < stack->size(); ++i)
            (*stack)[i] = deviceValue((*stack)[i]);
        device(m_device.index()).launch(m_bytes, flopsOf(m_op.schema().name(), m_originals, m_firstResult));
    }

private:
    void redispatch(torch::jit::Stack* stack)
    {
        // Kernels do not throw: checks of single elements, which throw on the CPU, are device-side asserts in
        // a kernel.
        constexpr int deviceAssert = 710;
        Device& on = device(m_device.index());
        try {
            m_op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
        } catch (const c10::Error& error) {
            if (error.msg().find("index out of range") == std::string::npos)
                throw;
            on.loseContext(deviceAssert);
            on.check();
        }
    }

    c10::IValue cpuValue(const c10::IValue& value)
    {
        if (value.isTensor())
            return argumentOnCpu(value.toTensor());
        if (value.isTensorList()) {
            c10::List<at::Tensor> list;
            for (const at::Tensor& tensor : value.toTensorVector())
                list.push_back(argumentOnCpu(tensor));
            return list;
        }
        if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> list;
            for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
                list.push_back(tensor ? std::optional(argumentOnCpu(*tensor)) : std::nullopt);
            return list;
        }
        if (value.isDevice()) {
            m_device = deviceOr(value.toDevice());
            return c10::Device(c10::kCPU);
        }
        return value;
    }

    at::Tensor argumentOnCpu(const at::Tensor& tensor)
    {
        if (!tensor.defined() || !tensor.is_cuda())
            return tensor;
        m_device = tensor.device();
        m_bytes += bytesOf(tensor);
        m_originals.push_back(tensor);
        m_aliases.push_back(onCpu(tensor));
        return m_aliases.back();
    }

    void applyNewSizes()
    {
        for (std::size_t i = 0; i < m_originals.size(); ++i) {
            if (m_aliases[i].sizes() == m_originals[i].sizes())
                continue;
            const at::Tensor sized = onDevice(m_aliases[i]);
            m_originals[i].unsafeGetTensorImpl()->set_storage_and_dtype(sized.storage(), sized.dtype());
            m_originals[i].unsafeGetTensorImpl()->set_sizes_and_strides(sized.sizes(), sized.strides());
            m_aliases[i] = onCpu(m_originals[i]);
        }
    }

    c10::IValue deviceValue(const c10::IValue& value)
    {
        if (value.isTensor())
            return resultOnDevice(value.toTensor());
        if (value.isTensorList()) {
            c10::List<at::Tensor> list;
            for (const at::Tensor& tensor : value.toTensorVector())
                list.push_back(resultOnDevice(tensor));
            return list;
        }
        return value;
    }

    at::Tensor resultOnDevice(const at::Tensor& tensor)
    {
        if (!tensor.defined() || tensor.is_cuda())
            return tensor;
        m_bytes += bytesOf(tensor);
        for (std::size_t i = 0; i < m_aliases.size(); ++i) {
            if (m_aliases[i].is_same(tensor))
                return m_originals[i];
        }
        const at::Tensor result = onDevice(tensor);
        if (!m_firstResult.defined())
            m_firstResult = result;
        return result;
    }

    at::Tensor onDevice(const at::Tensor& tensor) const
    {
        at::Tensor result =
            emptyStrided(tensor.sizes(), tensor.strides(), tensor.scalar_type(), {}, m_device, {});
        if (tensor.numel() > 0)
            onCpu(result).copy_(tensor);
        return result;
    }

    const c10::OperatorHandle& m_op;
    c10::Device m_device = currentTorchDevice();
    /// Arguments on the device, and the CPU tensors that share their memory.
    std::vector<at::Tensor> m_originals;
    std::vector<at::Tensor> m_aliases;
    at::Tensor m_firstResult;
    double m_bytes = 0.0;
};

void runOnCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack)
{
    Call(op).run(stack);
}

at::Tensor& copy(at::Tensor& to, const at::Tensor& from, bool nonBlocking)
{
    Device& on = device(to.is_cuda() ? to.get_device() : from.get_device());
    onCpu(to).copy_(onCpu(from));
    on.launch(bytesOf(to) + bytesOf(from), 0.0);
    if (!nonBlocking && to.is_cuda() != from.is_cuda())
        on.timeline().synchronize();
    return to;
}

at::Scalar localScalar(const at::Tensor& tensor)
{
    Device& on = device(tensor.get_device());
    on.launch(0.0, 0.0);
    on.timeline().synchronize();
    on.check();
    return onCpu(tensor).item();
}

bool canAttend(at::SDPBackend backend, const at::Tensor& query, bool hasMask)
{
    const at::Context& context = at::globalContext();
    const bool isNarrow = query.scalar_type() != at::kFloat;
    switch (backend) {
    case at::SDPBackend::flash_attention:
        return context.userEnabledFlashSDP() && isNarrow && !hasMask;
    case at::SDPBackend::efficient_attention:
        return context.userEnabledMemEfficientSDP();
    case at::SDPBackend::cudnn_attention:
        return context.userEnabledCuDNNSDP() && isNarrow && settings().prefersCudnn;
    default:
        return backend == at::SDPBackend::math;
    }
}

// Works like priority_order() and select_sdp_backend() of ATen's transformers/cuda/sdp_utils.cpp: the first
// call sets the priority of the backends and overwrites a priority that was set previously.
std::int64_t attentionChoice(const at::Tensor& query, const at::Tensor&, const at::Tensor&,
                             const std::optional<at::Tensor>& mask, double, bool, std::optional<double>, bool)
{
    at::Context& context = at::globalContext();
    static std::once_flag isOrdered;
    std::call_once(isOrdered, [&context] {
        if (settings().prefersCudnn)
            context.setSDPPriorityOrder({3, 1, 2, 0});
    });
    const auto order = context.sDPPriorityOrder();
    const auto chosen = std::ranges::find_if(
        order, [&](at::SDPBackend backend) { return canAttend(backend, query, mask.has_value()); });
    return chosen != order.end() ? static_cast<std::int64_t>(*chosen) : 0;
}

} // namespace

} // namespace batchpeak::simulated_gpu

TORCH_LIBRARY_IMPL(aten, CUDA, library)
{
    using namespace batchpeak::simulated_gpu;
    library.impl("empty.memory_format", empty);
    library.impl("empty_strided", emptyStrided);
    library.impl("as_strided", at::native::as_strided_tensorimpl);
    library.impl("view", at::native::view);
    library.impl("_reshape_alias", at::native::_reshape_alias);
    library.impl("unfold", at::native::unfold);
    library.impl("copy_", copy);
    library.impl("_local_scalar_dense", localScalar);
    library.impl("_fused_sdp_choice", attentionChoice);
}

TORCH_LIBRARY_IMPL(_, CUDA, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&batchpeak::simulated_gpu::runOnCpu>());
}
