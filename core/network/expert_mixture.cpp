// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "expert_mixture.h"

#include <ATen/ops/bincount.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>
#include <vector>

namespace batchpeak::network {

at::Tensor mixed(const at::Tensor& tokens, const at::Tensor& router, std::int64_t expertsPerToken,
                 const Expert& expert)
{
    const at::Tensor chances = at::softmax(at::linear(tokens, router).to(at::kFloat), -1);
    const auto [best, chosen] = at::topk(chances, expertsPerToken, -1);
    const at::Tensor weights = best.div(best.sum(-1, /*keepdim=*/true)).flatten();

    // Pairs of a token and one of its experts, in the order of the experts.
    const at::Tensor experts = chosen.flatten();
    const at::Tensor order = experts.argsort(/*stable=*/true);
    const at::Tensor tokenOf = order.div(expertsPerToken, "floor");
    const at::Tensor counts = at::bincount(experts, {}, router.size(0)).to(at::kCPU);
    const std::vector<at::Tensor> gathered =
        tokens.index_select(0, tokenOf)
            .split_with_sizes(
                {counts.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(counts.numel())});

    std::vector<at::Tensor> said;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        if (gathered[i].size(0) > 0)
            said.push_back(expert(gathered[i], i));
    }
    const at::Tensor all = at::cat(said, 0);
    const at::Tensor weighted = all.mul(weights.index_select(0, order).unsqueeze(1)).to(tokens.scalar_type());
    return at::zeros_like(tokens).index_add(0, tokenOf, weighted);
}

} // namespace batchpeak::network
