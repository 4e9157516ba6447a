# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates several processes that take each step together; rank 0 talks to Batchpeak.

They communicate over their own sockets, not by the framework's collectives: if a process fails, the others would
wait for it in a collective, and could neither be told nor asked."""

from __future__ import annotations

import dataclasses
import hmac
import json
import os
import queue
import secrets
import socket
import sys
import threading
from typing import Any, Callable

from .channel import end_soon
from .failures import Failure, FailureElsewhere, classify
from .processor_gate import family_seconds

_SECONDS_TO_CONNECT = 60.0
# When a process fails, connections of others break and they fail too. The cause may be reported this much later
# than its consequences.
_SECONDS_FOR_THE_CAUSE = 1.0
# A step that does not return so soon after the cause is known waits for the process that has failed.
_SECONDS_TO_RETURN = 0.2


@dataclasses.dataclass(frozen=True)
class Ranks:
    """Describes the processes of a script to serve() if torch.distributed does not know them.

    broadcast(value) returns on every rank the value that rank 0 has passed; serve() calls it once. Ranks does not
    decide how processes share a step: the step does."""

    rank: int
    count: int
    broadcast: Callable[[Any], Any]


def ranks_of_script() -> Ranks | None:
    """Returns the ranks of torch.distributed if the script has initialized it; None if there is one process.

    Raises RuntimeError if several processes were launched and torch.distributed is not initialized."""
    distributed = sys.modules.get("torch.distributed")
    if distributed and distributed.is_available() and distributed.is_initialized():
        count = distributed.get_world_size()
        return Ranks(distributed.get_rank(), count, _broadcast_by_torch) if count > 1 else None
    if _count_by_launcher() > 1:
        raise RuntimeError(
            "This process is one of %s that were launched together (WORLD_SIZE), but they do not know how "
            "to take a step together. Call torch.distributed.init_process_group() before serve(), or give "
            "serve() its ranks." % os.environ["WORLD_SIZE"]
        )
    return None


def _broadcast_by_torch(value):
    values = [value]
    sys.modules["torch.distributed"].broadcast_object_list(values, src=0)
    return values[0]


def _count_by_launcher() -> int:
    try:
        return int(os.environ.get("WORLD_SIZE", "1"))
    except ValueError:
        return 1


class Alone:
    """A process that takes its steps by itself."""

    suffix = ""
    # Fields of hello.
    fields: dict = {}
    is_alone = True
    is_broken = False

    def together(self, _order: dict, own) -> list:
        return [own()]

    def processor_seconds(self) -> float:
        return 0.0

    def end(self) -> None:
        """Does nothing: no other process waits."""


class Leader:
    """Rank 0: makes all processes do the same at the same time, and gathers their answers.

    If a step fails in one process, others may wait in it forever. From then on the leader is broken: it asks no
    process any more, and all of them must end."""

    is_alone = False

    def __init__(self, ranks: Ranks):
        self.suffix = ", %d processes" % ranks.count
        self.fields = {"processes": ranks.count}
        self.is_broken = False
        # Called with the failure if this process itself waits within the step; must not return.
        self.on_stuck: Callable[[FailureElsewhere], None] = lambda _: os._exit(1)
        self._changed = threading.Condition()
        self._is_inside = self._is_taken_over = False
        self._answers: dict[int, Any] = {}
        self._failures: list[FailureElsewhere] = []
        self._seconds: dict[int, float] = {}
        self._links = _accepted(ranks)
        for rank, link in self._links.items():
            threading.Thread(target=self._hear, args=(rank, link), daemon=True).start()

    def together(self, order: dict, own) -> list:
        """Returns what own() returns, and the answers of the others to the order.

        Raises the exception of own() or FailureElsewhere, whichever is the cause."""
        if self.is_broken:
            return [own()]
        with self._changed:
            if self._failures:
                self.is_broken = True
                raise self._cause(None)
            self._answers.clear()
            self._is_inside = True
        for link in self._links.values():
            link.send(order)
        error, value = None, None
        try:
            value = own()
        except Exception as problem:  # raised below, if it is the cause
            error = problem
        with self._changed:
            self._is_inside = False
            while self._is_taken_over:
                self._changed.wait()
            self._await_others(error)
            if error is None and not self._failures:
                return [value, *(self._answers[rank] for rank in sorted(self._answers))]
            self.is_broken = True
            failure = self._cause(error)
        raise failure

    def processor_seconds(self) -> float:
        """Returns the CPU seconds of the other processes on this computer, as of their last answers."""
        return sum(self._seconds.values())

    def end(self) -> None:
        for link in self._links.values():
            link.send({"do": "end"})

    def _await_others(self, error) -> None:
        if error is None:
            self._changed.wait_for(lambda: self._failures or len(self._answers) == len(self._links))
        if (self._failures or error) and not _tells_cause(error):
            self._changed.wait_for(
                lambda: any(map(_tells_cause, self._failures)) or self._all_told(), _SECONDS_FOR_THE_CAUSE
            )

    def _all_told(self) -> bool:
        return len(self._answers) + len(self._failures) >= len(self._links)

    def _cause(self, error) -> Exception:
        errors = ([error] if error else []) + self._failures
        return min(errors, key=_distance_from_cause)

    def _hear(self, rank: int, link: _Link) -> None:
        for answer in link:
            with self._changed:
                if answer["is_near"]:
                    self._seconds[rank] = answer["processor_seconds"]
                if "failure" in answer:
                    self._fail(rank, Failure(**answer["failure"]), tuple(answer["peaks"]))
                else:
                    self._answers[rank] = answer["value"]
                self._changed.notify_all()
        with self._changed:
            if not any(failure.rank == rank for failure in self._failures):
                self._fail(rank, Failure("It has ended.", sticky=True), (0, 0))
            self._changed.notify_all()

    def _fail(self, rank: int, failure: Failure, peaks: tuple[int, int]) -> None:
        self._failures.append(FailureElsewhere(rank, failure, peaks))
        if self._is_inside and len(self._failures) == 1:
            is_known = _tells_cause(self._failures[0])
            timer = threading.Timer(
                _SECONDS_TO_RETURN if is_known else _SECONDS_FOR_THE_CAUSE, self._take_over
            )
            timer.daemon = True
            timer.start()

    def _take_over(self) -> None:
        with self._changed:
            if not self._is_inside:
                return
            self._is_taken_over = self.is_broken = True
            failure = self._cause(None)
        self.on_stuck(failure)


def follow(ranks: Ranks, does: Callable[[dict], Any], explain: Callable[[Exception], tuple]) -> int:
    """Follows the orders of rank 0 until it ends; returns the exit code. explain(error) returns the failure and the
    memory peaks so far."""
    host, port, key, name = ranks.broadcast(None)
    link = _Link(socket.create_connection((host, port), timeout=_SECONDS_TO_CONNECT))
    link.send({"key": key, "rank": ranks.rank})
    is_near = name == socket.gethostname()
    orders: queue.Queue = queue.Queue()
    threading.Thread(target=_pass_on, args=(link, orders), daemon=True).start()
    while True:
        order = orders.get()
        if order["do"] == "end":
            return 0
        answer: dict = {"is_near": is_near}
        try:
            answer["value"] = does(order)
        except Exception as error:  # rank 0 reports it to the parent
            failure, peaks = explain(error)
            answer.update(failure=dataclasses.asdict(failure), peaks=peaks)
        link.send({**answer, "processor_seconds": family_seconds()})


def _pass_on(link: _Link, orders: queue.Queue) -> None:
    for order in link:
        orders.put(order)
    orders.put({"do": "end"})
    end_soon()


class _Link:
    """Lines of JSON to and from another process."""

    def __init__(self, connection: socket.socket):
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._lines = connection, connection.makefile("rb")

    def send(self, message: dict) -> None:
        try:
            self._connection.sendall((json.dumps(message) + "\n").encode("ascii"))
        except OSError:
            return  # the reading thread notices that the process has ended

    def __iter__(self):
        try:
            for line in self._lines:
                yield json.loads(line)
        except (OSError, ValueError):
            return


def _accepted(ranks: Ranks) -> dict[int, _Link]:
    # Launchers set this to the address of rank 0.
    host = os.environ.get("MASTER_ADDR", "127.0.0.1")
    try:
        server = socket.create_server((host, 0))
    except OSError:
        server = socket.create_server(("", 0))
    key = secrets.token_hex(16)
    ranks.broadcast([host, server.getsockname()[1], key, socket.gethostname()])
    links: dict[int, _Link] = {}
    with server:
        server.settimeout(_SECONDS_TO_CONNECT)
        while len(links) < ranks.count - 1:
            connection, _ = server.accept()
            link = _Link(connection)
            hello = next(iter(link), {})
            if hmac.compare_digest(str(hello.get("key", "")), key):
                links[hello["rank"]] = link
    return links


def _distance_from_cause(error: Exception) -> int:
    failure = classify(error, has_gpu=False)
    return ("oom", "unsupported").index(failure.outcome) if _tells_cause(error) else 3 - failure.sticky


def _tells_cause(error) -> bool:
    return error is not None and classify(error, has_gpu=False).outcome in ("oom", "unsupported")
