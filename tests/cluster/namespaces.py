# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Computers of a cluster as namespaces of one machine: each has its own name, network and link, which can be cut.

Everything is in namespaces of this process, see enter(): when it ends, the kernel ends every process, and no port,
mount or interface is left.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NETWORK = "10.77.0.%d"
DESK = "desk"


def run(*words: str, **options) -> str:
    """Runs a program; returns what it printed. The error of a failed one includes that."""
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode:
        raise RuntimeError("%s failed: %s" % (" ".join(words), result.stdout.strip()))
    return result.stdout


def obstacle() -> str:
    """Returns why this machine cannot have such computers; empty if it can."""
    if os.geteuid() != 0:
        return "it needs root"
    for program in ("unshare", "nsenter", "ip", "mount"):
        if not shutil.which(program):
            return "%s is missing" % program
    made = subprocess.run([*_UNSHARE, "sh", "-c", _TRIAL], stderr=subprocess.PIPE, text=True)
    return "this container may make no namespaces: %s" % made.stderr.strip() if made.returncode else ""


_UNSHARE = ("unshare", "--net", "--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc")
_INSIDE = "BATCHPEAK_TEST_CLUSTER"
# What a machine must be able to do; a kernel may lack the types of links.
_TRIAL = (
    "mount --make-rprivate / && hostname trial && ip link add trial type bridge"
    " && ip link add trial0 type veth peer name trial1 && mount --bind /etc/hosts /etc/hosts"
)


def enter() -> None:
    """Runs this program again within namespaces of its own, unless it is there. The process that returns is not the
    first one of its namespace: that one waits for orphans, as init does."""
    if not os.environ.get(_INSIDE):
        os.execvpe(_UNSHARE[0], [*_UNSHARE, sys.executable, *sys.orig_argv[1:]], {**os.environ, _INSIDE: "1"})
    main = os.fork()
    if not main:
        return
    while True:
        pid, status = os.wait()
        if pid == main:
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


class Computers:
    """The desk, which is this process, and nodes beside it, all on one switch."""

    def __init__(self, names: list[str], folder: Path):
        self.names = names
        self._folder = folder
        self._holders: dict[str, subprocess.Popen] = {}

    def start(self) -> None:
        run("mount", "--make-rprivate", "/")
        run("hostname", DESK)
        replace_file("/etc/hosts", "".join(
            "%s %s\n" % (address, name)
            for address, name in [("127.0.0.1", "localhost"), *((self.address(n), n) for n in [DESK, *self.names])]
        ), self._folder)
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "switch", "type", "bridge")
        run("ip", "address", "add", self.address(DESK) + "/24", "dev", "switch")
        run("ip", "link", "set", "switch", "up")
        for name in self.names:
            holder = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "infinity"])
            self._holders[name] = holder
            self._wait_for_namespace(holder.pid)
            run("ip", "link", "add", "to-" + name, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
            run("ip", "link", "set", "to-" + name, "master", "switch", "up")
            for words in (
                ("hostname", name),
                ("ip", "link", "set", "lo", "up"),
                ("ip", "address", "add", self.address(name) + "/24", "dev", "eth0"),
                ("ip", "link", "set", "eth0", "up"),
            ):
                run(*self.on(name, *words))

    def stop(self) -> None:
        for holder in self._holders.values():
            holder.kill()
            holder.wait()

    def address(self, name: str) -> str:
        return NETWORK % (1 if name == DESK else 2 + self.names.index(name))

    def on(self, name: str, *words: str) -> list[str]:
        """Returns the command that runs another on a node."""
        if name == DESK:
            return list(words)
        return ["nsenter", "--net", "--uts", "--target", str(self._holders[name].pid), *words]

    def processes_on(self, name: str) -> list[int]:
        """Returns the processes of a node, without the one that holds its namespaces."""
        holder = self._holders[name].pid
        network = os.readlink("/proc/%d/ns/net" % holder)
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "ns" / "net") == network and int(folder.name) != holder:
                    found.append(int(folder.name))
            except OSError:
                continue  # it has ended
        return found

    def cut(self, name: str) -> None:
        """Drops every packet to and from a node; neither side is told."""
        run("ip", "link", "set", "to-" + name, "nomaster")

    def mend(self, name: str) -> None:
        run("ip", "link", "set", "to-" + name, "master", "switch")

    def _wait_for_namespace(self, pid: int) -> None:
        own = os.readlink("/proc/self/ns/net")
        while os.readlink("/proc/%d/ns/net" % pid) == own:
            pass


def replace_file(path: str, text: str, folder: Path) -> None:
    """Lays a file over another one, for this process and those that it starts."""
    cover = folder / path.strip("/").replace("/", "-")
    cover.write_text(text)
    run("mount", "--bind", str(cover), path)
