# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What autograd keeps between forward and backward."""

from collections.abc import Callable
from weakref import WeakSet

from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


class _Kept:
    """One tensor, as long as its place in the graph lives: what forward drops on the way is not counted."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor


def kept_bytes(forward: Callable[[], Tensor], held: list[Tensor]) -> int:
    """Of what lies there when forward has ended, each storage once, without what is held anyway."""
    kept: WeakSet[_Kept] = WeakSet()

    def pack(tensor: Tensor) -> _Kept:
        place = _Kept(tensor)
        kept.add(place)
        return place

    with saved_tensors_hooks(pack, lambda place: place.tensor):
        loss = forward()
        storages = [place.tensor.untyped_storage() for place in kept]
        del loss
    known = {tensor.untyped_storage().data_ptr() for tensor in held}
    return sum({s.data_ptr(): s.nbytes() for s in storages if s.data_ptr() not in known}.values())
