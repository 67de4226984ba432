# SPDX-License-Identifier: Apache-2.0
"""Runs, machines and errors of the Python package."""
import concurrent.futures
import gc
import json
import os
import pathlib
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import spica

from python_kernel import ELF, SMALL, run

SOURCE = pathlib.Path(__file__).with_name("kernel.cpp").read_text().splitlines()
ONES = np.ones(64, np.float32)


def children(process="self"):
    """Processes that one has started and not waited for."""
    lists = pathlib.Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in lists for child in file.read_text().split()]


class Runs(unittest.TestCase):
    def test_a_run_says_how_it_ended_and_what_was_counted(self):
        result = run(args={"n": 10, "mode": 3})
        self.assertEqual((result.end, result.exit_code, result.ok, result.console, result.report), ("finished", 9, False, "10 elements\n", ""))
        self.assertGreater(result.stats["cluster_0.core_1.warp_instructions"], 0)
        self.assertEqual(result.stats["simulated_cycles"], result.cycles)
        self.assertAlmostEqual(result.seconds, result.cycles / 400e6, delta=1e-12)
        self.assertIn("cores: 2", result.config)
        self.assertIn("cycles, outputs []", repr(result))
        with self.assertRaisesRegex(KeyError, "'y' is not one of the requested outputs: none"):
            result["y"]

    def test_a_kernel_runs_as_a_grid_of_work_groups(self):
        settings = {"dispatcher.present": True}
        for mode in ("cycle", "fast"):
            result = run(kernel="groups", grid=(2, 2), block=(4, 2), outputs=["table"], settings=settings, mode=mode)
            expected = np.ones((4, 8), np.int32)
            expected[:, 4:] += 100
            expected[2:] += 1000
            self.assertTrue(np.array_equal(result["table"], expected), result["table"])
        with spica.Machine(settings={**SMALL, **settings}) as machine:
            machine.load(ELF)
            machine.grid(2)  # the only kernel, with its own number of threads
            machine.run()
            self.assertEqual(list(machine.read("table")[0]), [1] * 4 + [101] * 4)
        for given, message in (({"grid": (2, 2)}, "has no dispatcher"), ({"kernel": "group", "grid": 1}, "no kernel 'group'; there are: groups"),
                               ({"grid": 1, "block": 1000, "settings": settings}, "at most 128 threads")):
            with self.assertRaisesRegex(spica.ConfigError, message):
                run(**given)

    def test_kernels_run_in_streams_with_events(self):
        settings = {**SMALL, "dispatcher.present": True, "command_processor.present": True}
        for mode, firmware in ((mode, name) for mode in ("cycle", "fast") for name in (None, "command_processor")):
            decides = {"command_processor.firmware": firmware} if firmware else {}
            with spica.Machine(settings={**settings, **decides}, mode=mode) as machine:
                machine.load(ELF)
                machine.stream("second").wait("done").launch("groups", 2, args={"n": 4})
                machine.stream("first").launch("groups", 2, block=4).record("done")
                self.assertTrue(machine.run().ok)
                self.assertEqual(list(machine.read("table")[0]), [2] * 4 + [202] * 4)
        with spica.Machine(settings=settings) as machine:
            machine.load(ELF)
            with self.assertRaisesRegex(spica.ConfigError, "no kernel 'group'; there are: groups"):
                machine.stream("a").launch("group", 1)
            with self.assertRaisesRegex(spica.ConfigError, "there is no such argument"):
                machine.stream("a").launch("groups", 1, args={"m": 1})
            machine.stream("a").wait("never").launch("groups", 1)
            with self.assertRaisesRegex(spica.ConfigError, "a stream waits for event 'never', but no stream records it"):
                machine.run()

    def test_runs_in_one_process_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([os.environ["SPICA_BINARY"], "run", "virgo", ELF, "--set", "cluster.cores=2", "--args", "n=10", "--out", folder],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            stats = json.loads((pathlib.Path(folder) / "stats.json").read_text())
        results = [run(args={"n": 10}) for _ in range(3)]
        self.assertEqual({result.cycles for result in results}, {stats["cycles"]})
        self.assertEqual([result.stats for result in results], [results[0].stats] * 3)

    def test_a_hundred_runs_leave_nothing_behind(self):
        before = len(os.listdir("/proc/self/fd"))
        for factor in range(100):
            self.assertEqual(run(args={"factor": factor}, inputs={"x": ONES}, outputs=["y"], mode="fast")["y"][5], factor)
        gc.collect()
        self.assertEqual((children(), len(os.listdir("/proc/self/fd"))), ([], before))

    def test_machines_live_side_by_side_and_in_threads(self):
        machines = [spica.Machine(settings=SMALL) for _ in range(3)]
        for i, machine in enumerate(machines):
            machine.load(ELF, args={"factor": i}, inputs={"x": ONES})
        for machine in machines:
            machine.step(100)
        self.assertEqual([machine.run().cycles and machine["y"][0] for machine in machines], [0, 1, 2])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda factor: run(args={"factor": factor}, inputs={"x": ONES}, outputs=["y"]), range(8)))
        self.assertEqual([result["y"][63] for result in results], list(range(8)))
        self.assertEqual(len({result.cycles for result in results}), 1)

    def test_a_machine_goes_step_by_step_and_shows_memory_and_registers(self):
        whole = run(inputs={"x": ONES})
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF, inputs={"x": ONES})
            self.assertEqual(machine.cycles, 0)
            self.assertTrue(machine.step())
            self.assertEqual(machine.cycles, 1)
            self.assertTrue(machine.step(99))
            warp = machine.warp(1, 0)
            self.assertTrue(warp.running)
            self.assertEqual((warp.pc >> 28, warp.x.shape, warp.f.shape, warp.x[0].tolist()), (8, (32, 8), (32, 8), [0] * 8))
            self.assertEqual(machine.stats["cluster_0.core_0.issue"], 100)
            machine["x"] = 3 * ONES
            np.testing.assert_array_equal(machine["x"], 3 * ONES)
            while machine.step(1000):
                pass
            self.assertFalse(machine.step())
            result = machine.run()
            self.assertEqual(result.cycles, whole.cycles)
            with self.assertRaisesRegex(spica.ConfigError, "no warp 0 of core 2: the machine has 2 cores of 8 warps"):
                machine.warp(2)
        with self.assertRaisesRegex(spica.ConfigError, "the machine is closed"):
            machine.cycles

    def test_output_comes_line_by_line_whatever_it_is(self):
        lines = []
        result = run(args={"mode": 4}, on_output=lines.append)
        self.assertEqual(lines, ["64 elements", "caf\ufffd"])
        self.assertEqual(result.console, "64 elements\ncaf\ufffd\n")


class Errors(unittest.TestCase):
    def test_a_fault_has_time_and_place(self):
        with self.assertRaises(spica.GuestFault) as caught:
            run(args={"mode": 1, "factor": 2}, inputs={"x": ONES}, outputs=["y"])
        fault = caught.exception
        self.assertEqual((fault.what, fault.core, fault.warp, fault.address), ("an access to an unmapped address", 0, 0, 0x10))
        self.assertEqual((pathlib.Path(fault.file).name, SOURCE[fault.line - 1][-16:]), ("kernel.cpp", "1;  // mark: fault"[-16:]))
        self.assertEqual(fault.pc >> 28, 8)
        self.assertEqual(fault.function, "end_otherwise")
        self.assertAlmostEqual(fault.time, fault.cycle / 400e6, delta=1e-12)
        self.assertIn("core 0, warp 0", str(fault))
        self.assertNotIsInstance(fault, spica.Hang)
        np.testing.assert_array_equal(fault.result["y"], 2 * ONES)  # what it had done before
        self.assertEqual(fault.result.end, "fault")
        copy = pickle.loads(pickle.dumps(fault))
        self.assertEqual((str(copy), copy.fault), (str(fault), fault.fault))
        self.assertEqual(run(args={"mode": 1}, check=False).end, "fault")

    def test_a_program_that_does_not_end_is_a_hang(self):
        with self.assertRaises(spica.Hang) as caught:
            run(args={"mode": 2}, settings={"run.max_cycles": 50000})
        self.assertEqual((caught.exception.result.end, caught.exception.result.cycles, caught.exception.cycle), ("cycle_limit", 50000, 50000))
        self.assertEqual((caught.exception.core, caught.exception.function), (0, "end_otherwise"))
        self.assertIn("Stopped at run.max_cycles = 50000", str(caught.exception))

    def test_the_three_kinds_never_mix(self):
        for error, base in ((spica.ConfigError, ValueError), (spica.GuestFault, RuntimeError), (spica.InternalError, RuntimeError)):
            self.assertTrue(issubclass(error, base))
            self.assertFalse(any(issubclass(error, other) for other in (spica.ConfigError, spica.GuestFault, spica.InternalError) if other is not error))
        for action, text in ((lambda: spica.run(ELF, "vigro"), "virgo"), (lambda: spica.run("no.elf"), "no.elf"),
                             (lambda: spica.run(ELF, mode="quick"), "fast"), (lambda: spica.run(ELF, profile="file"), "profile: True or False"), (lambda: spica.run(ELF, config=__file__), "python"),
                             (lambda: spica.Machine().run(), "call load"), (lambda: spica.Machine().load(__file__), "ELF")):
            with self.assertRaisesRegex(spica.ConfigError, text):
                action()
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF)
            with self.assertRaisesRegex(spica.ConfigError, "did you mean .limit.\\?"):
                machine["limits"]
            with self.assertRaisesRegex(spica.ConfigError, "has loaded a program before"):
                machine.load(ELF)
            with self.assertRaisesRegex(spica.ConfigError, "lies outside memory"):
                machine.read(0x10, np.uint8)
            with self.assertRaisesRegex(spica.ConfigError, "lies outside memory"):
                machine.read(0x80001000, np.uint8, 1 << 31)
            self.assertTrue(machine.run().ok)  # a refusal changes nothing

    def test_a_library_of_blocks_is_loaded_only_when_it_is_allowed(self):
        with tempfile.TemporaryDirectory() as at:
            config = pathlib.Path(at) / "machine.yaml"
            config.write_text(f"extends: virgo\nplugins: [{os.environ['SPICA_PLUGINS']}/libslots_marks.so]\nslots:\n"
                              "  - {name: mine, kind: marks, registers: {base: 0xFF040000, bytes: 256}}\n")
            with self.assertRaisesRegex(spica.ConfigError, "machine.yaml:2: plugins.0.: .* its content was not allowed"):
                spica.run(ELF, config)
            self.assertTrue(spica.run(ELF, config, settings=SMALL, allow_plugins=True).ok)

    def test_the_end_of_a_machines_process_is_an_internal_error(self):
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF, args={"mode": 2})
            killer = threading.Timer(0.5, lambda: [os.kill(child, signal.SIGKILL) for child in children()])
            killer.start()
            with self.assertRaisesRegex(spica.InternalError, r"was ended by signal 9 \(Killed\)"):
                machine.run()
            killer.join()
            with self.assertRaisesRegex(spica.InternalError, "signal 9"):
                machine.cycles
        self.assertTrue(run().ok)

    def test_a_listener_that_asks_or_fails_is_told_so(self):
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF)
            machine.on_output(lambda line: machine.cycles)
            with self.assertRaisesRegex(spica.ConfigError, "the machine is running: call this after"):
                machine.run()
        with self.assertRaises(ZeroDivisionError):
            run(on_output=lambda line: 1 / 0)

    def test_a_machine_that_is_closed_while_it_runs_says_so(self):
        for _ in range(10):  # its process is waited for by both threads
            machine = spica.Machine(settings={**SMALL, "run.hang_cycles": 10**12})
            machine.load(ELF, args={"mode": 2})
            closer = threading.Timer(0.1, machine.close)
            closer.start()
            with self.assertRaisesRegex(spica.ConfigError, "the machine is closed"):
                machine.run()
            closer.join()
            machine.close()  # once is enough
        self.assertEqual(children(), [])

    def test_timeouts_and_waits_of_other_parts_of_the_program_do_no_harm(self):
        others = set(children())
        socket.setdefaulttimeout(0.01)
        try:
            with spica.Machine(settings=SMALL) as machine:
                machine.load(ELF)
                self.assertTrue(machine.run().ok)
                child, = set(children()) - others
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                with self.assertRaisesRegex(spica.InternalError, "another part of this program has waited for it"):
                    machine.cycles
        finally:
            socket.setdefaulttimeout(None)

    def test_a_machine_that_nobody_has_any_more_ends(self):
        spica.Machine(settings=SMALL).load(ELF)
        gc.collect()
        self.assertEqual(children(), [])

    def test_what_is_no_address_and_no_text_is_refused(self):
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF)
            for wrong in (-1, 2**64):
                with self.assertRaisesRegex(spica.ConfigError, "address: a number from 0"):
                    machine.read(wrong, np.uint8)
                with self.assertRaisesRegex(spica.ConfigError, "address: a number from 0"):
                    machine.write(wrong, b"1")
            with self.assertRaisesRegex(spica.ConfigError, "cluster: a number from 0"):
                machine.read("x", cluster=-1)
            with self.assertRaisesRegex(TypeError, "a text, not 5"):
                machine.variable(5)
            self.assertTrue(machine.run().ok)

    def test_a_name_that_is_not_unicode_is_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.fsencode(folder) + b"/\xff.elf"
            pathlib.Path(os.fsdecode(copy)).write_bytes(pathlib.Path(ELF).read_bytes())
            for name in (copy, os.fsdecode(copy)):
                self.assertTrue(spica.run(name, settings=SMALL).ok)

    def test_ctrl_c_ends_a_run_and_its_process(self):
        script = f"import spica\nprint('goes', flush=True)\ntry:\n  spica.run({ELF!r}, args={{'mode': 2}}, settings={{'run.hang_cycles': 10**12}})\nexcept KeyboardInterrupt:\n  print('stopped', flush=True)\nprint(spica.run({ELF!r}).end)\n"
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # ignored by jobs in the background
        self.assertEqual(child.stdout.readline(), "goes\n")
        time.sleep(1)
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate()[0], "stopped\nfinished\n")
        self.assertLess(time.monotonic() - started, 10)

    def test_a_machines_process_ends_with_the_program_that_has_it(self):
        script = f"import spica\nm = spica.Machine()\nm.load({ELF!r}, args={{'mode': 2}})\nprint('goes', flush=True)\nm.run()\n"
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "goes\n")
        machines = children(child.pid)
        self.assertEqual(len(machines), 1)
        child.kill()
        child.communicate()
        deadline = time.monotonic() + 10
        while os.path.exists(f"/proc/{machines[0]}") and time.monotonic() < deadline:
            state = pathlib.Path(f"/proc/{machines[0]}/stat").read_text().rsplit(")", 1)[1].split()[0]
            if state == "Z":  # whoever inherits it has only to look
                break
            time.sleep(0.1)
        else:
            self.assertFalse(os.path.exists(f"/proc/{machines[0]}"))

    def test_a_forked_process_does_not_take_its_parents_machine(self):
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF)
            child = os.fork()
            if child == 0:
                try:
                    machine.cycles
                except spica.ConfigError as error:
                    os._exit(5 if "belongs to the process that created it" in str(error) else 6)
                os._exit(4)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 5)
            self.assertTrue(machine.run().ok)

    def test_the_program_of_the_package_is_found_or_named(self):
        code = "import spica; print(spica.run('vecadd', mode='fast').end)"
        done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, SPICA_PROGRAM="/no/spica"), capture_output=True, text=True)
        self.assertIn("ConfigError: cannot start '/no/spica': No such file or directory", done.stderr)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SPICA_")}
        self.assertEqual(subprocess.run([sys.executable, "-c", code], env=kept, capture_output=True, text=True).stdout, "finished\n")


if __name__ == "__main__":
    unittest.main()
