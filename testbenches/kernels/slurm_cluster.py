# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of one host for tests: real daemons from Debian's slurm-wlm, as the user who runs the test, without munge, with
all files in a folder of their own."""
import getpass
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

AVAILABLE = all(shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") for program in ("slurmctld", "slurmd", "sbatch"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    def __init__(self, folder, cpus=4, nodes=("n1", "n2")):
        self.folder = pathlib.Path(folder)
        self.nodes = nodes
        for name in "state", "spool":
            (self.folder / name).mkdir(parents=True)
        host = socket.gethostname().split(".")[0]
        address = socket.gethostbyname(host)  # the daemons listen there
        user = getpass.getuser()
        lines = ["ClusterName=t", f"SlurmctldHost={host}({address})", f"SlurmctldPort={free_port()}", f"SlurmUser={user}",
                 f"SlurmdUser={user}", "AuthType=auth/none", "CredType=cred/none",
                 "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",  # else the daemons listen to everybody
                 "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "JobAcctGatherType=jobacct_gather/none",
                 "MpiDefault=none", "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU",
                 "SlurmdParameters=config_overrides", f"StateSaveLocation={folder}/state", f"SlurmdSpoolDir={folder}/spool/%n",
                 f"SlurmctldPidFile={folder}/ctld.pid", f"SlurmdPidFile={folder}/%n.pid", f"SlurmctldLogFile={folder}/ctld.log",
                 f"SlurmdLogFile={folder}/%n.log", "PluginDir=/usr/lib/x86_64-linux-gnu/slurm-wlm", "PlugStackConfig=/dev/null",
                 "AccountingStorageType=accounting_storage/none", "JobCompType=jobcomp/none", "SchedulerType=sched/backfill",
                 "SchedulerParameters=bf_interval=1,batch_sched_delay=0,sched_interval=1,sched_min_interval=1000,"
                 "default_queue_depth=1000", "ReturnToService=2", "KillWait=3", "SlurmdTimeout=10", "SlurmctldTimeout=10",
                 "MaxArraySize=1001"]
        lines += [f"NodeName={node} NodeHostname={host} NodeAddr={address} Port={free_port()} CPUs={cpus} State=UNKNOWN" for node in nodes]
        lines += [f"PartitionName=p Nodes={','.join(nodes)} Default=YES MaxTime=60 State=UP"]
        config = self.folder / "slurm.conf"
        config.write_text("\n".join(lines) + "\n")
        self.environment = {**os.environ, "SLURM_CONF": str(config), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        if int(re.search(r"\d+", self.command("slurmd", "-V").stdout)[0]) > 22:  # these want cgroups to be mounted, else
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        self.daemons = {}

    def __enter__(self):
        self.start("slurmctld", "slurmctld", "-D")
        for node in self.nodes:
            self.start(node, "slurmd", "-D", "-N", node)
        end = time.time() + 60
        while time.time() < end:
            if self.command("sinfo", "-h", "-o", "%T").stdout.split() == ["idle"]:
                return self
            time.sleep(0.1)
        raise RuntimeError("the cluster did not come up: " + (self.folder / "ctld.log").read_text()[-2000:])

    def start(self, name, *words):
        self.daemons[name] = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL)

    def command(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=30)

    def jobs(self):
        return self.command("squeue", "-h", "-r", "-o", "%i %T").stdout.splitlines()

    def wait(self, seconds=60):
        """Until no job is left. sbatch --wait would notice it late."""
        end = time.time() + seconds
        while self.jobs():
            if time.time() > end:
                raise RuntimeError("jobs are left: " + ", ".join(self.jobs()))
            time.sleep(0.2)

    def __exit__(self, *unused):
        self.command("scancel", "--full", "--signal=KILL", "-p", "p")
        for process in self.daemons.values():
            process.terminate()
        for process in self.daemons.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # Steps of a daemon that was killed go on.
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if b"slurmstepd" in (process / "cmdline").read_bytes() and str(self.folder).encode() in (process / "environ").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                pass
