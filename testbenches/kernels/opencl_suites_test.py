# SPDX-License-Identifier: Apache-2.0
"""Kernels in the manner of known benchmark suites, and random ones, through the OpenCL driver by pyopencl."""
import pathlib
import re
import unittest

from opencl_host_test import HERE, PYTHON, needs_pyopencl, run
from spica_runner import folder

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
        for device in ("virgo", "volta-sm:mode=cycle", "mgpu-4"):
            for gone in groups:
                with self.subTest(device, gone=gone), folder() as work:
                    changed = pathlib.Path(work) / "kernels.cl"
                    changed.write_text(BARRIER.sub(lambda match: "" if match[1] in gone else match[0], source))
                    names = [hosts.get(kernel, kernel) for kernel in gone]
                    _, found = findings(device, work, [SUITES / "hosts.py", *names], SUITES_SOURCE=str(changed))
                    for kernel in gone:
                        self.assertTrue(re.search(rf"in {kernel}, program\.cl:\d+", found), (kernel, found[-300:]))


@needs_pyopencl
class RandomKernels(unittest.TestCase):
    """Of random_kernels.py; random_kernels_host.py has made expected.txt on another device."""

    def test_they_leave_in_memory_what_other_devices_leave(self):
        expected = (FUZZ / "expected.txt").read_text().splitlines()
        self.assertEqual(len(expected), 200)
        done = run([PYTHON, "-B", FUZZ / "random_kernels_host.py", "0:200"], "virgo")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), expected)

    def test_an_absolute_value_is_not_a_branch(self):
        done = run([PYTHON, "-B", FUZZ / "random_kernels_host.py", "704:705"], "virgo")
        self.assertEqual((done.returncode, done.stdout), (0, "704 c99cb540\n"), done.stderr)

    def test_a_remainder_that_is_compared_is_not_a_branch(self):
        done = run([PYTHON, "-B", FUZZ / "random_kernels_host.py", "1873:1874"], "virgo")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1873 bbbca8dd\n", ""))

    def test_a_loop_with_a_barrier_behind_a_wait_is_a_loop_of_its_own(self):
        """Lanes that take turns in an earlier loop (1580: an exchange decides how often) must not mix both loops."""
        done = run([PYTHON, "-B", FUZZ / "random_kernels_host.py", "1580:1581"], "virgo")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1580 ea17a961\n", ""))

    def test_both_modes_and_other_machines_agree_and_find_no_race(self):
        expected = (FUZZ / "expected.txt").read_text().splitlines()[:8]
        for device in ("virgo:mode=cycle", "volta-sm:mode=cycle", "mgpu-4"):
            with self.subTest(device), folder() as work:
                done, found = findings(device, work, ["-B", FUZZ / "random_kernels_host.py", "0:8"])
                self.assertEqual((done.returncode, done.stderr, found), (0, "", ""))
                self.assertEqual(done.stdout.splitlines(), expected)


if __name__ == "__main__":
    unittest.main()
