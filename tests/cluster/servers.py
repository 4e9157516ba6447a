# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real servers on the computers of namespaces.py: sshd on every node, and Slurm over all of them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from .namespaces import DESK, Computers, replace_file, run

PROGRAMS = ("sshd", "ssh", "ssh-keygen", "munged", "slurmctld", "slurmd", "srun", "salloc", "sbatch", "scontrol")
PARTITIONS = ("main", "low")

SLURM_CONF = """\
ClusterName=batchpeak
SlurmctldHost={desk}({address})
SlurmUser=root
SlurmdUser=root
SlurmdParameters=config_overrides
AuthType=auth/munge
AuthInfo=cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
MpiDefault=none
GresTypes=gpu
ReturnToService=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
KillWait=2
SlurmdTimeout=10
SlurmctldTimeout=10
InactiveLimit=0
MessageTimeout=5
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=10
PartitionName=low Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=1
"""

SSHD_CONFIG = """\
ListenAddress {address}
HostKey {folder}/host-{name}
AuthorizedKeysFile {folder}/authorized
PidFile {folder}/sshd-{name}.pid
StrictModes no
UsePAM no
PasswordAuthentication {passwords}
KbdInteractiveAuthentication no
PrintMotd no
SetEnv SLURM_CONF={folder}/slurm.conf
"""


def missing_programs() -> list[str]:
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    return [program for program in PROGRAMS if not shutil.which(program)]


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("%s did not happen within %g s" % (what, seconds))
        time.sleep(0.05)


class Servers:
    """sshd, munged, slurmctld and slurmd, started in the foreground as children of this process."""

    def __init__(self, computers: Computers, folder: Path, gpus: int = 0):
        self.computers = computers
        self.folder = folder
        self._gpus = gpus
        self._running: dict[str, subprocess.Popen] = {}

    def start(self) -> None:
        self._make_keys()
        self._make_home()
        for name in self.computers.names:
            self.start_sshd(name)
        self._start_munge()
        self._write_slurm_conf()
        self.start_controller()
        for name in self.computers.names:
            self.start_node(name)
        wait_until(lambda: self._idle_nodes() == len(self.computers.names), "Slurm's start")

    def stop(self) -> None:
        for process in self._running.values():
            process.send_signal(signal.SIGTERM)
        for name in list(self._running):
            self.stop_server(name)

    def stop_server(self, name: str) -> None:
        process = self._running.pop(name)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def start_controller(self) -> None:
        self._start("slurmctld", DESK, "slurmctld", "-D", "-i")

    def start_node(self, name: str) -> None:
        Path(self.folder, "spool-" + name).mkdir(exist_ok=True)
        self._start("slurmd-" + name, name, "slurmd", "-D", "-N", name)

    def kill_node(self, name: str) -> None:
        """Ends a node with everything on it, as a loss of power does."""
        for pid in self.computers.processes_on(name):
            os.kill(pid, signal.SIGKILL)
        self._running.pop("slurmd-" + name).wait()
        self._running.pop("sshd-" + name).wait()

    def revive_node(self, name: str) -> None:
        self.start_sshd(name)
        self.start_node(name)
        # A node that Slurm has not missed yet comes back by itself.
        with contextlib.suppress(RuntimeError):
            run("scontrol", "update", "nodename=" + name, "state=resume")
        wait_until(lambda: self._idle_nodes() == len(self.computers.names), "the return of " + name)

    def start_sshd(self, name: str, passwords: bool = False) -> None:
        Path("/run/sshd").mkdir(exist_ok=True)
        config = self.folder / ("sshd-" + name)
        config.write_text(
            SSHD_CONFIG.format(
                folder=self.folder,
                name=name,
                address=self.computers.address(name),
                passwords="yes" if passwords else "no",
            )
        )
        self._start("sshd-" + name, name, shutil.which("sshd"), "-D", "-e", "-f", str(config))

    def _start(self, server: str, computer: str, *words: str) -> None:
        with (self.folder / (server + ".out")).open("a") as output:
            self._running[server] = subprocess.Popen(
                self.computers.on(computer, *words), stdout=output, stderr=output, stdin=subprocess.DEVNULL
            )

    def make_host_key(self, name: str) -> None:
        key = self.folder / ("host-" + name)
        key.unlink(missing_ok=True)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))

    def know_hosts(self) -> None:
        """Writes the keys of all nodes into the desk's known_hosts."""
        lines = [
            "%s %s" % (name, Path(self.folder, "host-%s.pub" % name).read_text())
            for name in self.computers.names
        ]
        self.known_hosts.write_text("".join(lines))

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def known_hosts(self) -> Path:
        return self.home / ".ssh" / "known_hosts"

    def _make_keys(self) -> None:
        ssh = self.home / ".ssh"
        ssh.mkdir(parents=True, mode=0o700)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(ssh / "id_ed25519"))
        shutil.copy(ssh / "id_ed25519.pub", self.folder / "authorized")
        for name in self.computers.names:
            self.make_host_key(name)
        self.know_hosts()

    def _make_home(self) -> None:
        """OpenSSH reads the home folder from /etc/passwd, not from HOME."""
        lines = Path("/etc/passwd").read_text().splitlines()
        fields = [line.split(":") for line in lines]
        for entry in fields:
            if entry[0] == "root":
                entry[5] = str(self.home)
                entry[6] = "/bin/sh"
        replace_file("/etc/passwd", "".join(":".join(entry) + "\n" for entry in fields), self.folder)
        os.environ["HOME"] = str(self.home)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        # Its socket has a fixed place.
        run("mount", "-t", "tmpfs", "tmpfs", "/run/munge") if Path("/run/munge").exists() else Path("/run/munge").mkdir()
        Path("/run/munge").chmod(0o755)
        self._start(
            "munged", DESK, "munged", "--foreground", "--force", "--num-threads=1",
            "--key-file", str(key), "--log-file", str(self.folder / "munged.log"),
            "--pid-file", str(self.folder / "munged.pid"), "--seed-file", str(self.folder / "munged.seed"),
        )
        wait_until(lambda: Path("/run/munge/munge.socket.2").exists(), "munge's start")

    def _write_slurm_conf(self) -> None:
        (self.folder / "state").mkdir()
        gpus = self.folder / "gpu"
        for index in range(self._gpus):
            # Slurm looks only at the kind of file; this one is a null device.
            os.mknod(str(gpus) + str(index), 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        gres = "Name=gpu File=%s[0-%d]\n" % (gpus, self._gpus - 1) if self._gpus else ""
        (self.folder / "gres.conf").write_text(gres)
        nodes = "\n".join(
            "NodeName=%s NodeAddr=%s CPUs=4 RealMemory=1000 State=UNKNOWN" % (name, self.computers.address(name))
            + (" Gres=gpu:%d" % self._gpus if self._gpus else "")
            for name in self.computers.names
        )
        conf = self.folder / "slurm.conf"
        conf.write_text(
            SLURM_CONF.format(desk=DESK, address=self.computers.address(DESK), folder=self.folder, nodes=nodes)
        )
        os.environ["SLURM_CONF"] = str(conf)

    @staticmethod
    def _idle_nodes() -> int:
        try:
            states = run("sinfo", "--noheader", "--Node", "--partition", PARTITIONS[0], "--format", "%T")
        except RuntimeError:
            return 0
        return states.split().count("idle")
