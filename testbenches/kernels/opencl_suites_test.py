# SPDX-License-Identifier: Apache-2.0
"""Kernels in the manner of known benchmark suites, and random ones, through the OpenCL driver by pyopencl."""
import pathlib
import re
import unittest

from opencl_host_test import HERE, PYTHON, needs_pyopencl, run
from spica_runner import folder, spica

SUITES = HERE / "opencl_suites"
FUZZ = HERE / "opencl_fuzz"
BARRIER = re.compile(r"LOCAL;  // (\w+)$", re.M)


def findings(device, work, words, **more):
    """The process of a host, and what --check hazards has found meanwhile."""
    found = pathlib.Path(work) / "findings"
    done = run([PYTHON, *words], f"{device}:check=hazards", SPICA_OPENCL_FINDINGS=str(found), **more)
    return done, found.read_text() if found.exists() else ""


@needs_pyopencl
class Suites(unittest.TestCase):
    def test_kernels_are_right_and_without_races(self):
        for device in ("virgo:mode=cycle", "volta-sm:mode=cycle", "mgpu-4:mode=cycle", "virgo", "volta-sm", "mgpu-4"):
            with self.subTest(device), folder() as work:
                done, found = findings(device, work, [SUITES / "hosts.py"])
                self.assertEqual((done.returncode, done.stderr, found), (0, "", ""))
                self.assertEqual(len(re.findall("is right$", done.stdout, re.M)), 14, done.stdout)

    def test_each_removed_barrier_is_found_with_its_kernel_and_line(self):
        source = (SUITES / "kernels.cl").read_text()
        groups = (("hotspot", "nw"), ("lud_internal", "kmeans", "pathfinder"), ("srad_sums", "mm", "radix_count"), ("scan",),
                  ("spmv", "fft", "layer"))  # small ones: a report has 20 findings, and sorting uses the results of scan
        self.assertEqual(set(BARRIER.findall(source)), set(sum(groups, ())))
        hosts = {"lud_internal": "lud", "srad_sums": "srad", "mm": "polybench", "radix_count": "sort", "layer": "backprop"}
        for device in ("virgo:mode=cycle", "volta-sm", "mgpu-4"):
            for gone in groups:
                with self.subTest(device, gone=gone), folder() as work:
                    changed = pathlib.Path(work) / "kernels.cl"
                    changed.write_text(BARRIER.sub(lambda match: "" if match[1] in gone else match[0], source))
                    names = [hosts.get(kernel, kernel) for kernel in gone]
                    _, found = findings(device, work, [SUITES / "hosts.py", *names], SUITES_SOURCE=str(changed))
                    for kernel in gone:
                        self.assertTrue(re.search(rf"in {kernel}, program\.cl:\d+", found), (kernel, found[-300:]))


@needs_pyopencl
class Times(unittest.TestCase):
    def test_they_do_not_depend_on_when_the_host_releases_buffers(self):
        table = lambda seconds: spica("opencl", "--mode", "cycle", PYTHON, HERE / "opencl_host/releases.py", seconds)
        fast, slow = table(0), table(0.005)
        self.assertEqual(fast.code, 0, fast.text)
        self.assertRegex(fast.out, r"(?m)^step +60 ")
        self.assertEqual(fast.out, slow.out)

    def test_the_time_of_a_run_does_not_depend_on_whether_energy_is_measured(self):
        for machine in "virgo", "volta-sm":
            cycles = []
            for options in (), ("--energy",):
                done = spica("opencl", "--config", machine, "--mode", "cycle", *options, PYTHON, HERE / "opencl_host/releases.py", 0)
                self.assertEqual(done.code, 0, done.text)
                cycles.append(re.findall(r"(?m)^total +\d+ +([\d,]+)", done.out))
            self.assertEqual(len(cycles[0]), 1)
            self.assertEqual(*cycles)


@needs_pyopencl
class RandomKernels(unittest.TestCase):
    """Of random_kernels.py; random_kernels_host.py has made expected.txt on another device."""

    def test_they_leave_in_memory_what_other_devices_leave(self):
        self.some_leave_what_others_leave(0, 40)

    def test_more_of_them_leave_in_memory_what_other_devices_leave(self):  # long
        self.some_leave_what_others_leave(40, 200)

    def some_leave_what_others_leave(self, first, end):
        expected = (FUZZ / "expected.txt").read_text().splitlines()
        self.assertEqual(len(expected), 200)
        done = run([PYTHON, "-B", FUZZ / "random_kernels_host.py", f"{first}:{end}"], "virgo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), expected[first:end])

    def test_each_compiles_into_code_whose_lanes_part_and_meet(self):
        """704: an absolute value as a branch; 1580, 1741, 2971: a loop with a barrier behind lanes that take turns; 1873: a
        remainder that is compared; 183: a switch over all cases; 4878: a number in memory that is compared and extended."""
        hashes = {183: "a8035a25", 704: "c99cb540", 1580: "ea17a961", 1741: "c2229e19", 1873: "bbbca8dd", 2971: "6623c5dc", 4878: "4ea70e91"}
        seeds = ",".join(f"{seed}:{seed + 1}" for seed in hashes)  # each in a program of its own
        done = run([PYTHON, "-B", FUZZ / "random_kernels_host.py", seeds], "virgo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), [f"{seed} {hash}" for seed, hash in hashes.items()])

    def test_both_modes_and_other_machines_agree_and_find_no_race(self):
        expected = (FUZZ / "expected.txt").read_text().splitlines()[:8]
        for device in ("virgo:mode=cycle", "volta-sm:mode=cycle", "mgpu-4"):
            with self.subTest(device), folder() as work:
                done, found = findings(device, work, ["-B", FUZZ / "random_kernels_host.py", "0:8"])
                self.assertEqual((done.returncode, done.stderr, found), (0, "", ""))
                self.assertEqual(done.stdout.splitlines(), expected)


if __name__ == "__main__":
    unittest.main()
