# SPDX-License-Identifier: Apache-2.0
"""What comes from outside during a run - a signal, a full disk, a terminal - never costs its results."""
import json
import os
import pathlib
import pty
import resource
import select
import signal
import subprocess
import time
import unittest

from spica_runner import BINARY, elf, folder, spica, stats

FOREVER = ["--set", "run.hang_cycles=1000000000000", "--set", "run.spin_cycles=0"]
MODES = ("cycle", "fast")


def signals_as_usual():
    """In the child: who starts the tests in the background ignores SIGINT, and children inherit that."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)


def start(*arguments, **streams):
    return subprocess.Popen([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, preexec_fn=signals_as_usual,
                            **streams)


def limited(bytes_of_a_file):
    def limit():
        signals_as_usual()
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_a_file, bytes_of_a_file))
    return limit


class Signals(unittest.TestCase):
    def interrupted(self, number, arguments, until):
        """Starts spica, sends the signal when it has printed `until`, and returns (exit code, all output)."""
        process = start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = b""
        while until not in text:
            piece = os.read(process.stdout.fileno(), 4096)
            self.assertTrue(piece, text)
            text += piece
        process.send_signal(number)
        text += process.communicate(timeout=280)[0]
        return process.returncode, text.decode()

    def check_run(self, command, number, mode, *options):
        with folder() as out:
            code, text = self.interrupted(number, [command, "virgo", elf("endless"), "--mode", mode, "--out", out, *FOREVER,
                                                   *options], b"counting\n")
            self.assertEqual(code, 128 + number, text)
            name = {signal.SIGINT: r"Ctrl-C \(SIGINT\)", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP, the end of the terminal"}[number]
            self.assertRegex(text, rf"Interrupted by {name} in cycle \d+; the program has not ended")
            self.assertRegex(text, r"What waits for what\n.*\n *core 0, warp 0 .*main.*endless\.cpp")
            document = stats(out)
            self.assertEqual((document["end"], document["signal"]), ("interrupted", int(number)))
            self.assertGreater(document["instructions"], 0)
            self.assertEqual((pathlib.Path(out) / "console.txt").read_text(), "counting\n")
            return text

    def test_ctrl_c_ends_a_run_in_order(self):
        for mode in MODES:
            self.assertIn("NOT FINISHED (interrupted)", self.check_run("run", signal.SIGINT, mode))

    def test_sigterm_ends_a_run_in_order(self):
        for mode in MODES:
            self.check_run("run", signal.SIGTERM, mode)

    def test_the_end_of_the_terminal_ends_a_run_in_order(self):
        for mode in MODES:
            self.check_run("run", signal.SIGHUP, mode)

    def test_a_turn_of_a_warp_as_long_as_it_may_be_ends_too(self):
        self.check_run("run", signal.SIGTERM, "fast", "--set", "run.quantum=1000000000")

    def test_profile_and_annotate_show_what_there_is(self):
        self.assertIn("endless.cpp", self.check_run("profile", signal.SIGINT, "cycle"))
        self.assertIn("endless.cpp", self.check_run("annotate", signal.SIGTERM, "cycle"))

    def test_without_a_run_a_signal_ends_the_program_at_once(self):
        # It waits for somebody to take its output.
        process = start("config", "--list", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.read(process.stdout.fileno(), 1)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, 143))  # 0: the pipe had room for all of it

    def test_an_experiment_takes_its_children_with_it(self):  # long
        for number, group in ((signal.SIGTERM, False), (signal.SIGINT, True)):
            with folder() as out:
                process = subprocess.Popen([BINARY, "experiment", "virgo-cycles", "--jobs", "2", "--out", out],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                           preexec_fn=signals_as_usual, start_new_session=True)
                self.wait_for(lambda: len(children_of(process.pid)) >= 3)  # two runs, and the server that starts them
                children = children_of(process.pid)
                time.sleep(0.5)
                os.killpg(process.pid, number) if group else process.send_signal(number)
                text = process.communicate(timeout=120)[0].decode()
                self.assertEqual(process.returncode, 128 + number, text)
                self.assertIn("not run", text)
                self.wait_for(lambda: not any(pathlib.Path(f"/proc/{child}").exists() for child in children))
                results = json.loads((pathlib.Path(out) / "results.json").read_text())
                self.assertEqual(len(results), 15)

    def test_ctrl_c_ends_a_product_and_attention_in_order(self):
        for command, mode in ((["gemm", "--size", "1024"], "cycle"), (["gemm", "--size", "2048"], "fast"),
                              (["attention"], "cycle")):
            with self.subTest(command=command, mode=mode), folder() as out:
                begun = pathlib.Path(out) / "begun.log"
                process = start(*command, "--mode", mode, "--out", out, "--trace", begun, "--trace-limit", "64KiB",
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.wait_for(lambda: begun.exists() and begun.stat().st_size != 0)
                process.send_signal(signal.SIGINT)
                text = process.communicate(timeout=120)[0].decode()
                self.assertEqual(process.returncode, 130, text)
                self.assertRegex(text, r"Interrupted by Ctrl-C \(SIGINT\) in cycle \d+; the program has not ended")
                self.assertIn("NOT FINISHED (interrupted)", text)
                self.assertEqual(stats(out)["end"], "interrupted")

    def test_a_second_signal_ends_a_run_at_once(self):
        for mode in MODES:
            with self.subTest(mode=mode), folder() as out:
                process = start("run", "virgo", elf("endless"), "--mode", mode, "--out", out, *FOREVER,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertIn(b"counting", os.read(process.stdout.fileno(), 4096))
                # Both are there before it goes on; which one it takes first is the kernel's affair.
                for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
                    process.send_signal(number)
                text = process.communicate(timeout=60)[0].decode()
                self.assertIn(process.returncode, (130, 143), text)
                self.assertNotIn("Interrupted by", text)
                self.assertFalse((pathlib.Path(out) / "stats.json").exists())

    def test_bench_and_experiment_leave_no_child_behind_one_signal_or_two(self):
        for command, number_of_children in (["bench", "tc_256"], 1), (["experiment", "virgo-cycles", "--jobs", "2"], 3):
            for more in ((), (signal.SIGTERM,)):
                for group in False, True:
                    with self.subTest(command=command, more=more, group=group), folder() as out:
                        process = subprocess.Popen([BINARY, *command], stdin=subprocess.DEVNULL, cwd=out,
                                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                                   preexec_fn=signals_as_usual, start_new_session=True)
                        self.wait_for(lambda: len(children_of(process.pid)) >= number_of_children)
                        children = children_of(process.pid)
                        for number in (signal.SIGINT, *more):
                            os.killpg(process.pid, number) if group else process.send_signal(number)
                        text = process.communicate(timeout=120)[0].decode()
                        self.assertIn(process.returncode, (130, 143) if more else (130,), text)
                        self.assertNotIn("internal error", text)
                        self.wait_for(lambda: not any(running(child) for child in children))

    def test_children_end_with_a_parent_that_is_killed(self):
        with folder() as out:
            process = start("experiment", "virgo-cycles", "--jobs", "2", "--out", out, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
            self.wait_for(lambda: len(children_of(process.pid)) >= 3)
            children = children_of(process.pid)
            process.kill()
            process.wait()
            self.wait_for(lambda: not any(running(child) for child in children))

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_a_crash_says_where_and_is_an_internal_error(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE):
            code, text = self.interrupted(number, ["run", "virgo", elf("endless"), *FOREVER], b"counting\n")
            self.assertEqual(code, 3, text)
            self.assertRegex(text, rf"internal error: {number.name}")
            self.assertRegex(text, r"cycle \d+\.")


def children_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []


def running(pid):
    try:
        return " Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


class FullDisks(unittest.TestCase):
    def test_standard_output(self):
        for command in (["run", "virgo", elf("hello")], ["run", "virgo", elf("hello"), "-q"], ["config", "--list"],
                        ["run", "virgo", elf("hello"), "--mode", "fast"], ["--help"], ["--version"]):
            with open("/dev/full", "w") as full:
                process = start(*command, stdout=full, stderr=subprocess.PIPE)
                text = process.communicate(timeout=120)[1].decode()
            self.assertEqual(process.returncode, 2, (command, text))
            self.assertIn("cannot write standard output: No space left on device", text)

    def test_standard_output_that_is_full_leaves_the_files(self):
        with folder() as out, open("/dev/full", "w") as full:
            process = start("run", "virgo", elf("hello"), "--out", out, stdout=full, stderr=subprocess.PIPE)
            process.communicate(timeout=120)
            self.assertEqual(process.returncode, 2)
            self.assertEqual(stats(out)["end"], "finished")

    def test_a_reader_that_leaves_is_no_mistake_and_leaves_the_files(self):
        with folder() as out:
            process = start("run", "virgo", elf("hello"), "--out", out, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(process.wait(timeout=120), 128 + signal.SIGPIPE)
            self.assertEqual(stats(out)["end"], "finished")

    def run_limited(self, size, *arguments):
        process = subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 preexec_fn=limited(size), timeout=120)
        return process.returncode, process.stdout, process.stderr

    def test_a_trace_that_does_not_fit_costs_only_the_trace(self):
        for mode in MODES:
            with folder() as out:
                code, text, err = self.run_limited(600000, "run", "virgo", elf("reduce"), "--mode", mode, "--out", out,
                                                   "--args", "u32:60000,u32:1,u64:0xA0000000,u64:0xC0000000",
                                                   "--trace", f"{out}/t.log")
                self.assertEqual(code, 2, err)
                self.assertRegex(err, r"trace .*t\.log ends before cycle \d+: File too large")
                self.assertIn("finished", text)
                self.assertEqual(stats(out)["end"], "finished")

    def test_results_that_do_not_fit_cost_only_themselves(self):
        with folder() as out:
            (pathlib.Path(out) / "stats.json").write_text("{}")
            code, text, err = self.run_limited(30000, "run", "virgo", elf("hello"), "--out", out, "--report", f"{out}/r.html",
                                               "--save", f"{out}/m@0x80000000+64KiB")
            self.assertEqual(code, 2, err)
            for name in ("stats.json", "r.html", "m"):
                self.assertIn(f"cannot write '{out}/{name}': File too large", err)
            self.assertIn("finished", text)  # the summary
            self.assertEqual((pathlib.Path(out) / "stats.json").read_text(), "{}")
            self.assertEqual(sorted(p.name for p in pathlib.Path(out).iterdir()), ["config.yaml", "console.txt", "stats.json"])


class Progress(unittest.TestCase):
    def on_terminal(self, environment, *arguments, seconds):
        """Runs with a terminal as error output until a progress line shows, or for that long; Ctrl-C; returns what it showed."""
        terminal, side = pty.openpty()
        process = start(*arguments, stdout=subprocess.DEVNULL, stderr=side, env=dict(os.environ, **environment))
        os.close(side)
        shown, sent = b"", False
        while True:
            ready, _, _ = select.select([terminal], [], [], seconds if not sent else 60)
            if not ready and not sent:
                process.send_signal(signal.SIGINT)
                sent = True
                continue
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            shown += piece
            if b"simulating" in shown and not sent:
                process.send_signal(signal.SIGINT)
                sent = True
            if not piece:
                break
        self.assertEqual(process.wait(timeout=60), 130)
        os.close(terminal)
        return shown.decode()

    def test_a_long_run_shows_cycles_instructions_and_rate_and_erases_them(self):
        begun = time.monotonic()
        shown = self.on_terminal({"CI": ""}, "run", "virgo", elf("endless"), *FOREVER, seconds=60)
        self.assertGreater(time.monotonic() - begun, 2)
        self.assertRegex(shown, r"\r\x1b\[Ksimulating: cycle [0-9,]+, [0-9,]+ warp instructions, [0-9.]+ [kM]?cycles/s")
        self.assertRegex(shown, r"cycles/s\r\x1b\[KInterrupted")

    def test_no_progress_where_a_machine_builds(self):
        self.assertNotIn("simulating", self.on_terminal({"CI": "true"}, "run", "virgo", elf("endless"), *FOREVER, seconds=3))


class Machines(unittest.TestCase):
    def refused(self, expect, *settings):
        overrides = [word for one in settings for word in ("--set", one)]
        result = spica("config", "virgo", *overrides)
        self.assertEqual(result.code, 2, result.text)
        for text in expect:
            self.assertIn(text, result.err)

    def test_more_cores_than_a_machine_can_have(self):
        self.refused(["cluster.cores", "allowed: 1..31"], "cluster.cores=32")
        self.refused(["a machine has at most 1024 cores", "cluster.cores may be at most 15"], "cluster.cores=16", "clusters=65")
        self.refused(["cluster.cores", "registers_offset at least 15872"], "cluster.cores=31")
        self.assertEqual(spica("config", "virgo", "--set", "cluster.cores=31", "--set",
                               "cluster.memory_map.registers_offset=15872").code, 0)
        self.assertEqual(spica("config", "virgo", "--set", "cluster.cores=15", "--set", "clusters=17").code, 0)

    def test_a_read_only_cache_where_stores_come(self):
        self.refused(["cluster.dcache.write_policy", "write_through or write_back"], "cluster.dcache.write_policy=read_only")
        self.refused(["l2.write_policy", "write_back or write_through"], "l2.write_policy=read_only")

    def test_lines_that_do_not_fit_into_each_other(self):
        self.refused(["coalescer.line_bytes", "at most 32"], "cluster.coalescer.line_bytes=64")
        self.refused(["cluster.dcache.line_bytes", "at most 64"], "cluster.dcache.line_bytes=128")

    def test_sizes_that_are_no_whole_number_of_sets_or_banks(self):
        self.refused(["l2.size_bytes", "81408 or 81920"], "l2.size_bytes=81500")
        self.refused(["l2.size_bytes", "l2.ways", "522240 or 525312"], "l2.ways=6", "l2.line_bytes=64", "l2.banks=8")
        self.refused(["cluster.shared_memory.size", "65536 or 131072", "one bank"], "cluster.shared_memory.size=96KiB")
        self.refused(["cluster.shared_memory.size", "98304 or 98560"], "cluster.shared_memory.size=98400",
                     "cluster.shared_memory.banks=1")

    def test_interleaved_stacks_that_are_no_memory(self):
        self.refused(["cluster.coalescer.local_stride", "at most 1032192"], "cluster.coalescer.local_stride=1048576",
                     "cluster.core.warps=32", "main_memory.size=1GiB", "main_memory.base=0xC0000000")
        self.refused(["cluster.coalescer.local_stride", "for example 8208"], "cluster.coalescer.local_stride=8210")
        self.refused(["cluster.coalescer.local_top", "local_top at most"], "cluster.coalescer.local_stride=8208",
                     "main_memory.size=1GiB")

    def test_one_path_to_shared_memory_needs_a_crossbar_behind_it(self):
        self.refused(["cluster.mio.present", "cluster.shared_memory.unaligned=crossbar"], "cluster.mio.present=true")
        self.refused(["cluster.mio.shared_data_path", "needs present: true"], "cluster.mio.shared_data_path=true")
        self.refused(["cluster.shared_memory.broadcast", "set unaligned to crossbar"], "cluster.shared_memory.broadcast=true")

    def test_memory_behind_the_last_address(self):
        self.refused(["main_memory.size", "at most 2147483648"], "main_memory.size=3GiB")


if __name__ == "__main__":
    unittest.main()
