# SPDX-License-Identifier: Apache-2.0
"""OpenCL programs as they are, through the system's loader: clinfo, a program in C, and pyopencl."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

from spica_runner import BINARY, folder, spica
from sweep_desk import Desk

HERE = pathlib.Path(__file__).parent
# Python of the system has compiled files beside numpy; with a folder of its own for them it would compile all of it again.
os.environ.pop("PYTHONPYCACHEPREFIX", None)
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
HOST = os.environ.get("SPICA_OPENCL_HOST", "")
DRIVER = os.environ.get("SPICA_OPENCL_DRIVER", "")
WARNINGS = "ignore:Unable to import recommended hash"  # pyopencl of Debian 13 prints it otherwise
MODES = ("fast", "cycle")


def has_pyopencl(python):
    done = subprocess.run([python, "-c", "import pyopencl"], capture_output=True, env={**os.environ, "PYOPENCL_NO_CACHE": "1"})
    return done.returncode == 0


HEAD = """import numpy as np, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
numbers = np.zeros(64, np.int32)
x = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
"""
PYTHON = next(filter(has_pyopencl, (sys.executable, "/usr/bin/python3")), None)
needs_pyopencl = unittest.skipUnless(PYTHON, "needs the Debian package python3-pyopencl")
needs_clinfo = unittest.skipUnless(shutil.which("clinfo"), "needs the Debian package clinfo")


def environment(devices, **more):
    return {**os.environ, "OCL_ICD_VENDORS": DRIVER, "SPICA_OPENCL": devices, "PYTHONWARNINGS": WARNINGS, "SPICA_PROGRAM": BINARY,
            "PYOPENCL_NO_CACHE": "1", **more}


def run(words, devices, **more):
    return subprocess.run(list(map(str, words)), env=environment(devices, **more), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=250)


def compile_host(source, program):
    subprocess.run(["cc", "-DCL_TARGET_OPENCL_VERSION=300", "-DCL_USE_DEPRECATED_OPENCL_1_2_APIS", source, "-lOpenCL", "-lpthread", "-o", program],
                   check=True)
    return program


def children(process):
    """The process and all below it."""
    found = [process]
    for line in subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout.split():
        found += children(int(line))
    return found


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Host(unittest.TestCase):
    def test_a_program_in_c_is_right_on_several_machines_and_in_both_modes(self):
        for device in ("virgo:mode=fast", "virgo:mode=cycle", "volta-sm", "mgpu-4"):
            done = run([HOST], device)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertEqual(done.stdout.splitlines(), ["vadd is right", "reduction is right", "index space is right",
                                                        "build errors are right"])

    def test_eight_threads_with_their_own_queues_and_one_that_they_share_get_right_results(self):
        with folder() as work:
            program = compile_host(HERE / "opencl_host/threads.c", pathlib.Path(work) / "threads")
            for mode in MODES:
                done = run([program], f"volta-sm:mode={mode}")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "threads are right\n", ""))

    def test_spica_opencl_prints_a_table_of_kernels(self):
        done = spica("opencl", "--mode", "fast", "--set", "cluster.cores=2", HOST)
        self.assertEqual((done.code, done.err), (0, ""), done.out)
        rows = {words[0]: words[1:] for words in map(str.split, done.out.splitlines()) if words}
        self.assertEqual(rows["kernel"], ["launches", "cycles", "ns", "lanes"])
        self.assertEqual([rows[kernel][0] for kernel in ("vadd", "sum", "place", "total")], ["3", "1", "1", "5"])
        self.assertGreater(int(rows["vadd"][1].replace(",", "")), 100)

    def test_spica_opencl_writes_results_a_report_a_trace_and_energy(self):
        with folder() as work:
            out, page, trace = (pathlib.Path(work, name) for name in ("out", "page.html", "trace.json"))
            done = spica("opencl", "--energy", "--out", out, "--report", page, "--trace", trace, HOST)
            self.assertEqual((done.code, done.err), (0, ""), done.out)
            self.assertIn("vadd is right", done.out)
            self.assertRegex(done.out, r"kernel +launches +cycles +ns +lanes +l1 +shared +l2 +dram +uJ +limiter\n")
            self.assertRegex(done.out, r"vadd +3 .* cores issue \d+ %, wait for ")
            summary = json.loads((out / "opencl.json").read_text())
            document = json.loads((out / "stats.json").read_text())
            account = document["launch_account"]
            self.assertEqual(summary["totals"]["cycles"], document["simulated_cycles"])
            self.assertEqual(sum(row["cycles"] for row in account["rows"]), document["simulated_cycles"])
            self.assertEqual({name: row["launches"] for name, row in summary["by_kernel"].items() if row["launches"]},
                             {"vadd": 3, "sum": 1, "place": 1})
            self.assertEqual([one["name"] for one in account["launches"]].count("vadd"), 3)
            self.assertAlmostEqual(summary["totals"]["energy_uj"], document["total_energy_uj"], places=6)
            self.assertTrue((out / "energy.json").exists())
            self.assertIn("Launches of kernels", page.read_text())
            events = json.loads(trace.read_text())["traceEvents"]
            self.assertEqual(sorted(one["name"] for one in events if one.get("cat") == "kernel"), ["place", "sum", "vadd", "vadd", "vadd"])

    def test_spica_opencl_refuses_what_it_cannot_do_by_name(self):
        for words, reason in ((("--checkpoint", "every=1M"), "--checkpoint: a checkpoint has the machine, not the host program"),
                              (("--profile", "here"), "--profile: "), (("--mode", "fast", "--energy"), "--energy: needs the cycle mode"),
                              (("--mode", "fast", "--report", "a.html"), "--report: needs the cycle mode"), (("--launch", "2"), "--gdb")):
            done = spica("opencl", *words, HOST)
            self.assertEqual((done.code, done.out), (2, ""))
            self.assertIn(reason, done.err)

    def test_a_launch_waits_for_gdb(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                host = subprocess.Popen([BINARY, "opencl", "--mode", mode, "--gdb", "--launch", "2", HOST], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.addCleanup(host.stderr.close)
                self.addCleanup(host.kill)
                message = host.stderr.readline()
                found = re.match(r"gdb: launch 2, kernel (\w+), waits for gdb on 127.0.0.1:(\d+)", message)
                self.assertTrue(found, message)
                self.assertEqual(found[1], "vadd")
                with socket.create_connection(("127.0.0.1", int(found[2])), timeout=60) as gdb:
                    for packet in (b"$?#3f", b"$D#44"):
                        gdb.sendall(packet)
                        answer = b""
                        while b"#" not in answer:
                            answer += gdb.recv(4096)
                        gdb.sendall(b"+")
                    out, _ = host.communicate(timeout=120)
                self.assertEqual(host.returncode, 0, out)
                self.assertIn("vadd is right", out)

    def test_a_program_without_exit_handlers_still_has_launches_cycles_and_times(self):
        if PYTHON is None:
            self.skipTest("needs the Debian package python3-pyopencl")
        with folder() as work:
            script = pathlib.Path(work) / "leave.py"
            script.write_text((HERE / "opencl_host/early_return.py").read_text() + "\nimport os\nqueue.finish()\nos._exit(3)\n")
            done = spica("opencl", "--mode", "fast", PYTHON, script)
            self.assertEqual(done.code, 3)
            self.assertIn("ended with code 3 without its exit handlers", done.err)
            self.assertIn("launches  cycles", done.out)

    def test_spica_opencl_passes_words_and_exit_codes(self):
        done = spica("opencl", "sh", "-c", "echo $0 $1; exit 7", "--mode", "other")
        self.assertEqual((done.code, done.text), (7, "--mode other\n"))
        missing = spica("opencl", "./no-such-program")
        self.assertEqual(missing.code, 2)
        self.assertIn("cannot start './no-such-program'", missing.err)

    def test_errors_of_the_environment_give_no_device(self):
        done = run([HOST], "virgo:mode=slow,no-such-machine:colour=red")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the modes are fast and cycle", done.stderr)
        self.assertIn("'colour=red'", done.stderr)
        self.assertIn("FAILED: clGetDeviceIDs", done.stdout)

    @needs_clinfo
    def test_clinfo_shows_each_configuration(self):
        done = run(["clinfo", "--raw"], "virgo,volta-sm")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        values = dict(re.findall(r"^\[SPICA/0\]\s+(\w+)\s+(.*)$", done.stdout, re.M))
        self.assertEqual(values["CL_DEVICE_NAME"], "Spica virgo")
        self.assertEqual(values["CL_DEVICE_PROFILE"], "FULL_PROFILE")
        self.assertEqual(values["CL_DEVICE_ADDRESS_BITS"], "32")
        self.assertRegex(done.stdout, r"\[SPICA/1\]\s+CL_DEVICE_NAME\s+Spica volta-sm")
        self.assertNotRegex(done.stdout, "error -")

    def test_nothing_is_left_behind_when_the_host_is_killed(self):
        with folder() as work:
            source = pathlib.Path(work) / "slow.c"
            source.write_text((HERE / "opencl_host/host.c").read_text().replace(
                "c[i] = a[i] + b[i];", "for (int k = 0; k < 1 << 30; ++k) c[i] += a[i];"))
            program = compile_host(source, pathlib.Path(work) / "slow")
            host = subprocess.Popen([program], env=environment("virgo"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(host.kill)
            busy = []
            for _ in range(600):  # until the machine has run for some time
                time.sleep(0.1)
                busy = [p for p in children(host.pid)[1:] if cpu_seconds(p) > 1 and "serve" in command_of(p)]
                if busy:
                    break
            self.assertTrue(busy)
            host.send_signal(signal.SIGKILL)
            host.wait()
            for _ in range(100):
                if not any(map(is_running, busy)):
                    break
                time.sleep(0.1)
            self.assertEqual([p for p in busy if is_running(p)], [])


def cpu_seconds(process):
    try:
        words = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


IDLE = """
import os, pathlib, time
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(8))
cl.enqueue_copy(queue, np.empty(8, int), x)

def used():
    mine = os.times()
    sum = mine.user + mine.system
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        words = stat.read_text().rsplit(")", 1)[1].split()
        if int(words[1]) == os.getpid():
            sum += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return sum

before = used()
time.sleep(1)
print(used() - before)
"""

RACE = """import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void reverse(global const float* x, global float* y) {
  local float part[64];
  int i = get_local_id(0);
  part[i] = x[i];
  BARRIER
  y[i] = part[63 - i];
}''').build()
x = np.arange(64, dtype=np.float32)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
y = cl.Buffer(context, flags, hostbuf=x)
program.reverse(queue, x.shape, (64,), cl.Buffer(context, flags, hostbuf=x), y)
queue.finish()
"""
ADD = """import os, sys
import numpy as np
import pyopencl as cl
n, word, how = int(sys.argv[1]), sys.argv[2], (sys.argv + ["right"])[3]
if how == "usage":
    sys.exit(2)
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
body = {"fault": "*(global int*)4 = 1;", "race": "x[0] = i;"}.get(how, "")
program = cl.Program(context, "kernel void add(global int* x) { int i = get_global_id(0); x[i] += 2 * i;" + body + "}").build()
x = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(n, np.int32))
for _ in range(2):
    program.add(queue, (n,), (8,), x)
queue.finish()
assert how != "wrong", "not what was expected"
if how == "dies":
    os.abort()
"""
PRINTS = """
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
source = '__kernel void p() { int i = get_global_id(0); printf("item %d: %.2f\\\\n", i, i + 0.5f); }'
cl.Program(context, source).build().p(queue, (2,), None)
queue.finish()
"""


@needs_pyopencl
class PyOpenCl(unittest.TestCase):
    def test_a_script_computes_right_results_in_both_modes(self):
        for mode in MODES:
            done = run([PYTHON, HERE / "opencl_host/script.py"], f"virgo:mode={mode}")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn("all right", done.stdout)

    def test_functions_of_integers_are_exact(self):
        """Those of scalars, and shuffles of vectors: each pair of sizes, of 16 with one type; the long test has all types."""
        done = run([PYTHON, HERE / "opencl_host/integers.py", ""], "virgo")
        self.assertEqual((done.returncode, done.stdout), (0, "364 functions are right\n"), done.stderr)

    def test_functions_of_vectors_of_integers_are_exact(self):  # long
        done = run([PYTHON, HERE / "opencl_host/integers.py", "2", "8", "every-shuffle"], "virgo")
        self.assertEqual((done.returncode, done.stdout), (0, "684 functions are right\n"), done.stderr)

    def test_functions_of_floating_point_are_within_the_limits_of_the_standard(self):
        for kind in ("float", "double"):
            with self.subTest(kind):
                done = run([PYTHON, HERE / "opencl_host/math_errors.py", kind, 40], "virgo")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertEqual(len(done.stdout.splitlines()), 57)

    def test_work_items_may_return_before_a_barrier(self):
        done = run([PYTHON, HERE / "opencl_host/early_return.py"], "virgo")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        self.assertEqual(done.stderr.count("program.cl:4"), 1, done.stderr)

    def test_what_kernels_print_goes_to_standard_output(self):
        done = run([PYTHON, "-c", PRINTS], "virgo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.splitlines()), ["item 0: 0.50", "item 1: 1.50"])

    def test_an_idle_context_uses_no_cpu(self):
        done = run([PYTHON, "-c", IDLE], "virgo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(float(done.stdout.split()[-1]), 0.05)

    def test_a_fault_is_an_error_with_a_report(self):
        done = run([PYTHON, HERE / "opencl_host/fault.py"], "virgo")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("OUT_OF_RESOURCES", done.stdout)
        self.assertRegex(done.stderr, r"program\.cl:\d+")

    def test_a_report_of_the_end_does_not_repeat_warnings(self):
        text = HEAD + """
def run(text):
    cl.Program(context, "kernel void k(global int* x) { " + text + " }").build().k(queue, (64,), (64,), x)
    queue.finish()
run("if (get_local_id(0) < 5) barrier(CLK_LOCAL_MEM_FENCE); x[0] = 1;")
try:
    run("x = 0; *x = 1;")
except cl.Error as error:
    print(error)
"""
        done = run([PYTHON, "-c", text], "virgo")
        self.assertIn("OUT_OF_RESOURCES", done.stdout)
        self.assertEqual(done.stderr.count("a barrier that warps of the work group do not reach"), 1, done.stderr)
        self.assertIn("an access to an unmapped address", done.stderr)

    def check(self, barrier, end="", mode="fast"):
        """Of a sum whose work items read what others store, on `spica opencl --check hazards`."""
        return spica("opencl", "--mode", mode, "--check", "hazards", PYTHON, "-c", RACE.replace("BARRIER", barrier) + end)

    def test_a_missing_barrier_is_a_race_with_its_lines(self):
        for mode in MODES:
            with self.subTest(mode):
                missing, there = self.check("", mode=mode), self.check("barrier(CLK_LOCAL_MEM_FENCE);", mode=mode)
                self.assertEqual(missing.code, 1, missing.text)
                sides = re.search(r"two unordered accesses\n(.*\n){4}", missing.out)
                self.assertIsNotNone(sides, missing.text)
                self.assertEqual(set(re.findall(r"in reverse, (program\.cl:\d+)", sides[0])), {"program.cl:5", "program.cl:7"})
                self.assertIn("barrier(CLK_LOCAL_MEM_FENCE) that all work items of the group reach", missing.out)
                self.assertNotIn("simt_", missing.out)
                self.assertRegex(missing.out, r"kernel .* findings")
                self.assertEqual(there.code, 0, there.text)
                self.assertIn("The checks have found nothing.", there.out)

    def test_a_sweep_has_machines_and_arguments_as_axes(self):
        with folder() as at:
            desk = Desk(at, f"name: small\njob: opencl\nprogram: {PYTHON}\nargs: add.py {{n}} 'a b'\n"
                            "axes: {n: {argument: [64, 256]}, cores: {key: cluster.cores, values: [2, 4]}}\n"
                            "fixed: {energy: true}\nkeep: [cycles, total_energy_uj, kernels.add.cycles, launches, stats.l2.read_misses]\n")
            desk.write(ADD, "add.py")
            result = desk.run("run", "s.yaml", "--jobs", "3")
            self.assertEqual(result.code, 0, result.text)
            rows = desk.rows()
            self.assertEqual([(row["n"], row["cores"], row["state"], row["launches"]) for row in rows],
                             [(n, cores, "ok", "2") for n in ("64", "256") for cores in ("2", "4")])
            for row in rows:
                self.assertLessEqual(int(row["kernels.add.cycles"]), int(row["cycles"]))
                self.assertGreater(float(row["total_energy_uj"]), 0)
                self.assertGreater(int(row["stats.l2.read_misses"]), 0)
            self.assertLess(int(rows[0]["cycles"]), int(rows[2]["cycles"]))
            self.assertEqual(desk.run("run", "s.yaml", "--dir", "again", "--jobs", "1").code, 0)
            self.assertEqual(desk.csv("again"), desk.csv())
            self.assertIn("4 of 4 runs had a record", desk.run("run", "s.yaml").out)
            desk.write(ADD.replace("2 * i", "3 * i"), "add.py")
            self.assertIn("0 of 4 runs had a record, 4 ran: 4 ok", desk.run("run", "s.yaml").out)
            shown = desk.run("show", "s.yaml", "0").out
            self.assertRegex(shown, rf"spica opencl .*--set cluster.cores=2 .*{PYTHON} \S*add.py 64 'a b'")

    def test_programs_that_fail_are_failed_points_with_their_message(self):
        with folder() as at:
            desk = Desk(at, f"name: small\njob: opencl\nprogram: {PYTHON}\nargs: add.py 64 b\n"
                            "axes: {how: {argument: [right, wrong, fault, race, dies, usage]}}\nfixed: {mode: fast, check: hazards}\n")
            desk.write(ADD, "add.py")
            self.assertEqual(desk.run("run", "s.yaml").code, 1)
            rows = {row["how"]: row for row in desk.rows()}
            self.assertEqual({how: row["state"] for how, row in rows.items()},
                             {"right": "ok", "wrong": "wrong", "fault": "fault", "race": "wrong", "dies": "crash", "usage": "wrong"})
            self.assertIn("AssertionError: not what was expected", rows["wrong"]["reason"])
            self.assertIn("hazard 1", rows["race"]["reason"])
            self.assertRegex(rows["fault"]["reason"], "^fault: ")
            self.assertIn("exit code 134", rows["dies"]["reason"])

    def test_an_interrupted_sweep_ends_its_host_programs(self):
        with folder() as at:
            desk = Desk(at, f"name: small\njob: opencl\nprogram: {PYTHON}\nargs: -c 'import time; time.sleep(100)' {{n}}\n"
                            "axes: {n: {argument: [1, 2]}}\n")
            for end in (signal.SIGINT, signal.SIGKILL):
                sweep = subprocess.Popen([BINARY, "sweep", "run", "s.yaml"], cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.addCleanup(sweep.kill)
                hosts = []
                for _ in range(300):
                    hosts = [p for p in children(sweep.pid) if "time.sleep(100)" in command_of(p)]
                    if hosts:
                        break
                    time.sleep(0.1)
                self.assertTrue(hosts)
                sweep.send_signal(end)
                sweep.wait(timeout=60)
                for _ in range(100):
                    if not any(map(is_running, hosts)):
                        break
                    time.sleep(0.1)
                self.assertFalse(any(map(is_running, hosts)))

    def test_a_sweep_names_what_is_wrong_with_a_host_program(self):
        with folder() as at:
            desk = Desk(at, "name: small\njob: opencl\nargs: add.py {m}\naxes: {n: {argument: [1]}}\nfixed: {area: true}\n")
            result = desk.run("plan", "s.yaml")
            self.assertEqual(result.code, 2, result.text)
            for text in ("the host program is missing", "no axis sets {m}", '"area" is neither an option of spica opencl nor a parameter'):
                self.assertIn(text, result.err)
            desk.write("name: small\njob: opencl\nprogram: no-such-program\n")
            self.assertIn("cannot start 'no-such-program'", desk.run("run", "s.yaml").err)

    def test_findings_do_not_depend_on_releases_and_are_not_lost_silently(self):
        kept = self.check("", "import ctypes; ctypes.CDLL(None).exit(0)")  # exits without any release
        self.assertEqual(kept.code, 1, kept.text)
        self.assertRegex(kept.out, r"hazards: \d found")
        killed = self.check("", "import os; os.kill(os.getpid(), 9)")
        self.assertEqual(killed.code, 2, killed.text)
        self.assertIn("the checks have not been finished: the program was ended by signal 9 (KILL)", killed.err)
        left = self.check("", "import os; os._exit(5)")
        self.assertEqual(left.code, 2, left.text)
        self.assertIn("the program ended with code 5 without its exit handlers", left.err)

    def test_programs_that_come_one_after_the_other_run_with_checks_and_keep_their_lines(self):
        text = HEAD + r"""
for n in range(1, 5):
    program = cl.Program(context, f"kernel void add{n}(global int* x) {{\n x[get_global_id(0)] += {n};\n x[0] = 0; }}").build()
    getattr(program, f"add{n}")(queue, (64,), (32,), x)
    del program
cl.enqueue_copy(queue, numbers, x)
assert numbers[1] == 10
"""
        with folder() as work:
            script = pathlib.Path(work) / "some.py"
            script.write_text(text)
            done = spica("opencl", "--config", "virgo", "--check", "hazards", PYTHON, script)
            self.assertEqual(done.code, 1, done.text)
            self.assertNotIn("overlaps", done.err)
            for n in range(1, 5):
                self.assertRegex(done.text, rf"in +add{n}, program.cl:[23]")

    def test_kernels_behind_each_other_run_to_their_end_where_energy_is_measured(self):
        text = HEAD + """
program = cl.Program(context, "kernel void a(global int* x) { x[get_global_id(0)] += 1; } kernel void b(global int* x) { x[get_global_id(0)] += 2; }").build()
a, b = program.a, program.b
for _ in range(4):
    a(queue, (32,), None, x)
    b(queue, (32,), None, x)
cl.enqueue_copy(queue, numbers, x)
assert numbers[31] == 12
"""
        with folder() as work:
            script = pathlib.Path(work) / "some.py"
            script.write_text(text)
            for machine in "volta-sm", "virgo":
                done = spica("opencl", "--config", machine, "--mode", "cycle", "--energy", PYTHON, script)
                self.assertEqual(done.code, 0, done.text)

    def test_without_spica_opencl_findings_go_to_standard_error(self):
        done = run([PYTHON, "-c", RACE.replace("BARRIER", "")], "virgo:check=hazards")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"hazards: \d found")


if __name__ == "__main__":
    unittest.main()
