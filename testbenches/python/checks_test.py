# SPDX-License-Identifier: Apache-2.0
"""Checks, profiles, traces and energies from Python; hangs with their places; arguments that are arrays."""
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import spica

ELF = os.path.join(os.environ["SPICA_KERNELS"], "python_checks.elf")
LINES = pathlib.Path(__file__).with_name("checks.cpp").read_text().splitlines()
SMALL = {"cluster.cores": 2}
BOTH = ("hazards", "memory")


def line(mark):
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(f"// mark: {mark}"))


def run(**given):
    return spica.run(ELF, settings={**SMALL, **given.pop("settings", {})}, **given)


class Checks(unittest.TestCase):
    def test_a_finding_is_data_in_both_modes(self):
        for mode in ("cycle", "fast"):
            with self.subTest(mode=mode), self.assertRaises(spica.CheckError) as caught:
                run(args={"mode": 1}, checks=BOTH, mode=mode, outputs=["shared_word"])
            error = caught.exception
            found, = error.findings
            self.assertEqual((found.check, found.kind, pathlib.Path(found.file).name, found.line), ("hazards", "race", "checks.cpp", line("race")))
            self.assertEqual({found.core, found.other.core}, {0, 1})
            self.assertEqual((found.warp, found.other.warp, found.other.line, found.other.does), (0, 0, line("race"), "store"))
            self.assertGreater(found.lanes, 0)
            self.assertEqual((found.address >> 28, found.function), (8, "main"))
            self.assertIn("checks.cpp", str(error))
            self.assertEqual((error.result.end, error.result.ok, error.result["shared_word"] < 2), ("finished", False, True))
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((str(copy), copy.findings), (str(error), error.findings))

    def test_an_access_outside_its_object_has_its_line(self):
        for index, count in ((7, 0), (8, 1)):
            result = run(args={"mode": 2, "index": index}, checks="memory", check=False)
            self.assertEqual([(one.check, one.line) for one in result.findings], [("memory", line("outside"))] * count)
        self.assertEqual(run(args={"mode": 1}).findings, [])

    def test_what_is_filled_from_outside_counts_as_written(self):
        self.assertTrue(run(inputs={"few": np.arange(8, dtype=np.uint32)}, checks=BOTH).ok)

    def test_streams_are_checked(self):
        settings = {**SMALL, "dispatcher.present": True, "command_processor.present": True}
        for mode in ("cycle", "fast"):
            with spica.Machine(settings=settings, mode=mode, checks=BOTH) as machine:
                machine.load(ELF)
                machine.stream("a").launch("late", 1)
                machine.stream("b").launch("late", 1)
                with self.assertRaises(spica.CheckError) as caught:
                    machine.run()
                self.assertEqual({one.kind for one in caught.exception.findings}, {"race"})

    def test_a_fault_has_findings_too(self):
        result = run(args={"mode": 3}, checks="hazards", check=False)
        self.assertEqual((result.end, result.ok), ("deadlock", False))

    def test_profile_energy_and_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "run.log")
            result = run(profile=True, energy=True, trace=log)
            self.assertIn("main", log.read_text() and {row["function"] for row in result.profile["functions"]})
            self.assertGreater(len(log.read_text().splitlines()), 100)
            with self.assertRaisesRegex(spica.ConfigError, "needs the cycle mode"):
                run(energy=True, mode="fast")
            with self.assertRaisesRegex(spica.ConfigError, "no/where"):
                run(trace=f"{folder}/no/where.log")
        self.assertEqual(result.profile["cycles"], result.cycles)
        self.assertTrue(result.energy)
        plain = run()
        self.assertEqual((plain.profile, plain.energy, plain.cycles), (None, None, result.cycles))

    def test_the_account_by_launch_of_streams_is_the_run(self):
        settings = {**SMALL, "dispatcher.present": True, "command_processor.present": True}
        for mode in ("cycle", "fast"):
            with spica.Machine(settings=settings, mode=mode, launches=True) as machine:
                machine.load(ELF)
                machine.stream("a").launch("late", 1).launch("late", 1)
                result = machine.run()
            account = result.launches
            self.assertEqual([one["name"] for one in account["launches"]], ["late", "late"])
            self.assertEqual(account["by_name"]["late"]["launches"], 2)
            self.assertEqual(sum(row["cycles"] for row in account["rows"]), account["total"]["cycles"])
            self.assertGreater(account["by_name"]["late"]["warp_instructions"], 0)
            if mode == "cycle":
                self.assertEqual(account["total"]["cycles"], result.cycles)
        self.assertIsNone(run().launches)
        self.assertIsNone(run(launches=True).launches)  # main() launches nothing

    def test_what_is_no_check_is_refused(self):
        with self.assertRaisesRegex(spica.ConfigError, "'races' is not a check; allowed: hazards, memory"):
            run(checks="races")

    def test_pytest_has_an_option(self):
        with tempfile.TemporaryDirectory() as folder:
            test = pathlib.Path(folder, "test_it.py")
            test.write_text(f"import spica\ndef test_it(): assert spica.run({ELF!r}, settings={SMALL!r}, args={{'mode': 1}}).end == 'finished'\n"
                            f"def test_own(): spica.run({ELF!r}, settings={SMALL!r}, args={{'mode': 1}}, checks=())\n")
            command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
            if subprocess.run([*command[:4], "--version"], capture_output=True).returncode != 0:
                self.skipTest("pytest is not installed")
            plain = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            self.assertEqual(plain.returncode, 0, plain.stdout + plain.stderr)
            checked = subprocess.run([*command, "--spica-check", "hazards"], capture_output=True, text=True, cwd=folder)
            self.assertIn("CheckError", checked.stdout, checked.stderr)
            self.assertIn("1 failed, 1 passed", checked.stdout)


class Ends(unittest.TestCase):
    def test_a_hang_has_the_fields_of_a_fault(self):
        for mode in ("cycle", "fast"):
            with self.subTest(mode=mode), self.assertRaises(spica.Hang) as caught:
                run(args={"mode": 3}, mode=mode)
            hang = caught.exception
            self.assertEqual((pathlib.Path(hang.file).name, hang.line, hang.core, hang.warp, hang.function, hang.address),
                             ("checks.cpp", line("hang"), 0, 0, "main", None))
            self.assertEqual((hang.pc >> 28, hang.cycle, hang.result.end), (8, hang.result.cycles, "deadlock"))
            self.assertGreater(hang.lanes, 0)
            self.assertAlmostEqual(hang.time, hang.cycle / 400e6, delta=1e-12)
            self.assertTrue(hang.what)

    def test_a_machine_runs_once(self):
        with spica.Machine(settings=SMALL) as machine:
            machine.load(ELF)
            while machine.step(1000):
                pass
            self.assertTrue(machine.run().ok)
            with self.assertRaisesRegex(spica.ConfigError, "has run to its end"):
                machine.run()
            self.assertGreater(machine["sum"], 0)

    def test_wrong_grids_are_errors_of_the_configuration(self):
        settings = {"dispatcher.present": True}
        for wrong in (0, -1, 1.5, "4", True, (), (1, 2, 3, 4), (2, 0), (2, "x"), 2**32, {}, object()):
            with self.assertRaisesRegex(spica.ConfigError, "grid"):
                run(kernel="late", grid=wrong, settings=settings)
            with self.assertRaisesRegex(spica.ConfigError, "block"):
                run(kernel="late", grid=1, block=wrong, settings=settings)
        with self.assertRaisesRegex(spica.ConfigError, "grid") as caught:
            run(kernel="late", grid=0, block=-1, args={"mod": 1}, settings=settings)
        self.assertEqual(len(caught.exception.problems), 3, caught.exception)


class Arrays(unittest.TestCase):
    def sum(self, **args):
        return float(run(args=args, outputs=["sum"])["sum"])

    def test_arrays_in_the_argument_block(self):
        expected = 6 + 10 * 4 + 100 * 6 + 1000 * 12 + 10000 * 14
        self.assertEqual(self.sum(mode=0), expected)
        self.assertEqual(self.sum(sizes=[10, 20, 30]), expected + 54)
        self.assertEqual(self.sum(sizes=[10]), expected + 9)
        self.assertEqual(self.sum(matrix=np.array([[0.5, 2], [3, 4]], np.float32)), expected - 5)
        self.assertEqual(self.sum(**{"sizes[2]": 5, "parts[1].pair[0]": -7}), expected + 2 - 14000)

    def test_wrong_ones_are_refused_all_at_once(self):
        with self.assertRaises(spica.ConfigError) as caught:
            run(args={"sizes": [1, 2, 3, 4], "matrix": 2, "index": [1], "mode": ["a"]})
        self.assertEqual(len(caught.exception.problems), 4)
        self.assertIn("there are mode, index, sizes[0] to sizes[2], matrix[0][0] to matrix[1][1]", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
