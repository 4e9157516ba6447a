// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "activation_checkpoint.h"

#include "execution_state.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <exception>
#include <optional>
#include <utility>

namespace batchpeak::network {

namespace {

using Part = std::function<at::Tensor(const std::vector<at::Tensor>&)>;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// State that a run of the part depends on beside its inputs.
class Context
{
public:
    static Context now(at::Device device)
    {
        Context made(device);
        made.m_random = randomState(device);
        made.m_autocasts = at::autocast::is_autocast_enabled(device.type());
        made.m_autocastType = at::autocast::get_autocast_dtype(device.type());
        return made;
    }

    void restore() const
    {
        at::autocast::set_autocast_enabled(m_device.type(), m_autocasts);
        at::autocast::set_autocast_dtype(m_device.type(), m_autocastType);
        setRandomState(m_device, m_random);
    }

private:
    explicit Context(at::Device device) : m_device(device) {}

    at::Device m_device;
    at::Tensor m_random;
    bool m_autocasts = false;
    at::ScalarType m_autocastType = at::kFloat;
};

/// Restores the context of the first run while it lives.
class ReplayGuard
{
public:
    ReplayGuard(const Context& first, at::Device device) : m_now(Context::now(device))
    {
        first.restore();
        at::autocast::increment_nesting();
    }
    ~ReplayGuard()
    {
        if (at::autocast::decrement_nesting() == 0)
            at::autocast::clear_cache();
        // Setting a generator's state accesses the device, and throws if that is lost. The original error is
        // already propagating.
        try {
            m_now.restore();
        } catch (const std::exception&) {
        }
    }
    ReplayGuard(const ReplayGuard&) = delete;
    ReplayGuard& operator=(const ReplayGuard&) = delete;

private:
    Context m_now;
};

/// What the backward pass needs beside the inputs.
struct FirstRun : torch::CustomClassHolder
{
    FirstRun(Part ran, Context in) : part(std::move(ran)), context(std::move(in)) {}

    Part part;
    Context context;
};

struct CheckpointFunction : torch::autograd::Function<CheckpointFunction>
{
    static constexpr const char* firstRunKey = "first run";

    static at::Tensor forward(AutogradContext* context, const Part& part, at::TensorList inputs)
    {
        const at::Device device = inputs.front().device();
        auto first = c10::make_intrusive<FirstRun>(part, Context::now(device));
        context->saved_data[firstRunKey] = c10::IValue::make_capsule(std::move(first));
        context->save_for_backward(inputs.vec());
        return part(inputs.vec());
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto first =
            c10::static_intrusive_pointer_cast<FirstRun>(context->saved_data.at(firstRunKey).toCapsule());
        std::vector<at::Tensor> inputs;
        for (const at::Tensor& saved : context->get_saved_variables())
            inputs.push_back(saved.detach().requires_grad_(saved.requires_grad()));

        torch::autograd::backward({runAgain(*first, inputs)}, gradients);
        // One gradient for each argument of forward(), of which the part is the first.
        variable_list result(1);
        for (const at::Tensor& input : inputs)
            result.push_back(input.grad());
        return result;
    }

private:
    static at::Tensor runAgain(const FirstRun& first, const std::vector<at::Tensor>& inputs)
    {
        const at::AutoGradMode gradients(true);
        const ReplayGuard replay(first.context, inputs.front().device());
        return first.part(inputs);
    }
};

} // namespace

at::Tensor checkpointed(const Part& part, const std::vector<at::Tensor>& inputs)
{
    return CheckpointFunction::apply(part, at::TensorList(inputs));
}

} // namespace batchpeak::network
