# SPDX-License-Identifier: Apache-2.0
"""The main job on two machines, told with the commands an admin types and their real output.

    [a] 10.0.0.1 ==== veth ==== 10.0.0.2 [b]        site-a: 10.8.0.1 <-> 10.8.0.2
"""

import concurrent.futures
import os
import re
import subprocess
import tempfile
import time

import hosts
import netns
import traffic
from processes import LoggedProgram

SITE = "site-a"
NEW = ("new", SITE, "--mode", "static-key", "--remote", "10.0.0.2", "--far-remote", "10.0.0.1",
       "--ifconfig", "10.8.0.1", "10.8.0.2", "--cpus", "0")
FAR_END = ("render", SITE, "--far-end", "--stdout")
IMPORT = ("import", "-", "--as", SITE)


def show(machine, command, output=""):
    print(f"\n  {machine}# {command}")
    for line in output.rstrip().splitlines():
        print(f"     {line}")


def words(arguments):
    return " ".join(arguments)


def affinity(pid):
    """What the kernel says of every thread of a process."""
    lines = []
    for task in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
        with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
            text = file.read()
        name = re.search(r"^Name:\t(.*)", text, re.M)[1]
        allowed = re.search(r"^Cpus_allowed_list:\t(.*)", text, re.M)[1]
        lines.append(f"thread {task} {name}: CPUs {allowed}")
    return lines


# --- two hosts with a systemd of their own ------------------------------------------------------

def on_two_hosts(stage):
    with hosts.Host(f"tct-{os.getpid()}-a") as a, hosts.Host(f"tct-{os.getpid()}-b") as b:
        hosts.link(a, b)
        version = a.run("systemctl", "--version").splitlines()[0]
        print(f"  two hosts are up, each with its own {version} as PID 1")
        for host in (a, b):
            host.run(str(hosts.TREE / "cmake" / "place"), "install", "/usr/local", str(stage))
        show("a", f"tunctl {words(NEW)}", a.run("tunctl", *NEW))
        inline = a.run("tunctl", *FAR_END)
        show("a", f"tunctl {words(FAR_END)} | ssh root@b tunctl {words(IMPORT)}",
             b.run("tunctl", *IMPORT, input=inline))
        for name, host in (("a", a), ("b", b)):
            show(name, f"tunctl key fingerprint {SITE}", host.run("tunctl", "key", "fingerprint", SITE))
        enable_both({"a": a, "b": b})
        show("a", "ping -c 3 10.8.0.2", a.run("ping", "-c", "3", "-i", "0.2", "10.8.0.2"))
        show("a", f"tunctl status {SITE}", a.run("tunctl", "--color=never", "status", SITE))
        show("a", "grep Cpus_allowed_list /proc/PID/task/*/status",
             "\n".join(a.shell(f"cd /proc/{main_pid(a)}/task && grep Cpus_allowed_list */status")
                       .splitlines()))
        kill_and_wait(a)
        show("a", f"tunctl status {SITE}", a.run("tunctl", "--color=never", "status", SITE))


def enable_both(machines):
    """Each waits until it has heard the other, so both are started at once."""
    command = ["tunctl", "enable", "--now", SITE]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        outputs = pool.map(lambda host: host.run(*command), machines.values())
        for name, output in zip(machines, outputs):
            show(name, words(command), output)


def main_pid(host):
    return int(host.run("systemctl", "show", "--value", "-p", "MainPID", f"tunctl@{SITE}"))


def kill_and_wait(host):
    pid = main_pid(host)
    host.run("kill", "-9", str(pid))
    start = time.monotonic()
    host.wait_for(f'p=$(systemctl show --value -p MainPID tunctl@{SITE}); [ "$p" != 0 ] && [ "$p" != {pid} ]'
                  " && ping -c 1 -W 1 10.8.0.2")
    show("a", f"kill -9 {pid}", f"traffic flows again {time.monotonic() - start:.1f} s later, "
                                f"in process {main_pid(host)}")


# --- two namespaces and `tunctl run`, where no host can be booted -------------------------------

def in_two_namespaces(tunctl):
    with netns.Pair(("10.0.0.1", "10.0.0.2")) as (a, b), \
         tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        roots = {"a": f"{folder}/a", "b": f"{folder}/b"}
        for root in roots.values():
            os.mkdir(root)

        def run(name, *arguments, **options):
            return command_output([tunctl, "--root", roots[name], *arguments], **options)

        show("a", f"tunctl {words(NEW)}", run("a", *NEW))
        show("a", f"tunctl {words(FAR_END)} | ssh root@b tunctl {words(IMPORT)}",
             run("b", *IMPORT, input=run("a", *FAR_END)))
        with running(tunctl, "a", a, roots), running(tunctl, "b", b, roots):
            seconds = traffic.wait_for_ping(a, "10.8.0.2", 20)
            print(f"     first ping answered after {seconds:.2f} s")
            engine = engine_of(roots["a"])
            show("a", "grep Cpus_allowed_list /proc/PID/task/*/status", "\n".join(affinity(engine)))
            os.kill(engine, 9)
            start = time.monotonic()
            while engine_of(roots["a"]) in (None, engine):
                time.sleep(0.02)
            traffic.wait_for_ping(a, "10.8.0.2", 20)
            show("a", f"kill -9 {engine}",
                 f"traffic flows again {time.monotonic() - start:.1f} s later, in process "
                 f"{engine_of(roots['a'])}")


def running(tunctl, name, space, roots):
    show(name, f"tunctl run {SITE} &")
    return LoggedProgram("tunctl run", space.start, [tunctl, "--root", roots[name], "run", SITE],
                         f"{roots[name]}.log")


def engine_of(root):
    """The process id of the engine that serves the site below a root; None while there is none."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    command = file.read().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if command[0].endswith("tunctl-fastpath") and any(root in word for word in command):
                return int(entry)
    return None


def command_output(command, input=None):
    done = subprocess.run(command, input=input, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{words(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr if input is not None else done.stdout

