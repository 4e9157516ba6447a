# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what autograd keeps between forward and backward."""

from collections.abc import Callable
from weakref import WeakSet

from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torchao.dtypes.nf4tensor import NF4Tensor


class _Kept:
    """A tensor that a node of the graph saves. It is freed with its node: tensors that forward drops do not count."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor


def kept_bytes(forward: Callable[[], Tensor], held: list[Tensor]) -> int:
    """Returns the bytes that are saved when forward has ended: each storage once, without those of held."""
    kept: WeakSet[_Kept] = WeakSet()

    def pack(tensor: Tensor) -> _Kept:
        place = _Kept(tensor)
        kept.add(place)
        return place

    with saved_tensors_hooks(pack, lambda place: place.tensor):
        loss = forward()
        # A matrix of torchao has no storage of its own, and the tensors that it consists of are in held.
        tensors = [place.tensor for place in kept if not isinstance(place.tensor, NF4Tensor)]
        storages = [tensor.untyped_storage() for tensor in tensors]
        del loss
    known = {tensor.untyped_storage().data_ptr() for tensor in held}
    return sum({s.data_ptr(): s.nbytes() for s in storages if s.data_ptr() not in known}.values())
