# SPDX-License-Identifier: Apache-2.0
"""Every design on machines that differ in one parameter is verified or refused: a sample of single_parameters.py, all tiles of
matrix units that a kernel can have, and the values that were wrong once."""
import itertools
import os
import random
import unittest
from concurrent.futures import ThreadPoolExecutor

import single_parameters
from machines_test import until_verified
from spica_runner import folder, spica

UNIT = "cluster.matrix_units.0."
WRONG_ONCE = (
    ("ampere-fp16-async", "cluster.core.async_copy=false", "cluster.core.async_copy=true"),
    ("ampere-fp32-async", "cluster.core.async_copy=false", "cluster.core.async_copy=true"),
    ("fp16-virgo-simt", "cluster.core.lanes=12", "cluster.core.lanes=8"),
    ("tc", "cluster.shared_memory.size=1024", "cluster.shared_memory.size=8KiB"),
    ("fp16-volta", "cluster.shared_memory.size=1024", "cluster.shared_memory.size=16KiB"),
    ("tc-dma-swish", "cluster.core.barriers=1", "cluster.core.barriers=2"),
    ("virgo-dma-swish-overlapped", "cluster.core.barriers=1", "cluster.core.barriers=3"),
    ("virgo", UNIT + "tile_n=48", UNIT + "tile_n=32"),
    ("virgo-dma", UNIT + "tile_m=24", UNIT + "tile_n=24"),
    ("mlds-64x64x32", "cluster.shared_memory.size=8KiB", "cluster.shared_memory.size=20KiB"),
    ("cutlass13-tn", "cluster.shared_memory.size=32KiB", "cluster.shared_memory.size=36KiB"),
    ("ampere-fp32", "cluster.shared_memory.size=32KiB", "cluster.shared_memory.size=64KiB"))
# With what the kernel is compiled for, too.
WITH_OPTIONS = (
    ("ampere-fp16", "cluster.shared_memory.size=32KiB", "cluster.shared_memory.size=64KiB", ("--lda", "512")),
    ("virgo-v2", UNIT + "dim=2", "cluster.core.lanes=4", ("--activation", "gelu", "--set", "cluster.tensor_core.present=false")),
    ("virgo-dma", UNIT + "tile_k=32", UNIT + "tile_n=32", ("--activation", "relu")),
    ("virgo-dma", "cluster.core.barriers=2", "cluster.core.barriers=3", ("--bias", "random")))


def setUpModule():
    global caches
    caches = folder()
    os.environ.setdefault("SPICA_CACHE", caches.name)


def tearDownModule():
    caches.cleanup()


class SingleParameters(unittest.TestCase):
    def all_good(self, cases, mode="fast"):
        with ThreadPoolExecutor(2) as pool:
            faults = list(pool.map(lambda case: single_parameters.fault_of(case, mode), cases))
        self.assertEqual([(*case, fault) for case, fault in zip(cases, faults) if fault], [])

    def test_a_design_is_verified_or_refused_whatever_parameter_is_at_an_end(self):  # long
        every = list(single_parameters.cases())
        self.assertGreater(len(every), 10000)
        self.all_good(random.Random(7).sample(every, 60))

    def test_parameters_of_time_change_no_result(self):
        every = [case for case in single_parameters.cases(designs="^(virgo|tc|simt|fp16-virgo|volta-fp16)$", timing=True)]
        self.all_good(random.Random(8).sample(every, 16), "cycle")

    def test_tiles_are_verified_or_refused(self):
        tiles = [4, 8, 16, 24, 32, 40, 48, 64, 96, 128]
        cases = [(design, "64x72x200", f"{UNIT}tile_m={m}", f"{UNIT}tile_n={n}", f"{UNIT}tile_k={k}", f"{UNIT}accumulator_bytes=65536")
                 for design in ("virgo", "virgo-dma", "gemm-unit") for m, n, k in itertools.product(tiles, repeat=3)]
        self.all_good(random.Random(9).sample(cases, 16))

    def test_what_cannot_work_names_the_key_and_a_value_that_does(self):
        for design, setting, works, more in (*((*case, ()) for case in WRONG_ONCE), *WITH_OPTIONS):
            with self.subTest(design=design, setting=setting):
                command = "gemm", "--design", design, "--size", "64x72x200", "--mode", "fast", *more, "--set", setting
                run = spica(*command)
                self.assertEqual((run.code, run.out), (2, ""), run.text)
                self.assertIn("--set " + works, run.err)
                until_verified(design, "64x72x200", dict([setting.split("=")]), "--mode", "fast", *more)

    def test_sums_are_stored_in_the_format_of_the_unit(self):
        for design in ("fp16-virgo", "fp16-virgo-simt", "fp16-quartile"):
            for more in ((), ("--activation", "relu")):
                with self.subTest(design=design, more=more):
                    run = spica("gemm", "--design", design, "--size", "64x72x200", "--mode", "fast", "--set", UNIT + "result=bf16", *more)
                    if run.code == 2 and more:  # of designs without an epilogue
                        self.assertIn("design", run.err)
                        continue
                    self.assertEqual(run.code, 0, run.text)
                    self.assertIn("bit-exact", run.out)


if __name__ == "__main__":
    unittest.main()
