# SPDX-License-Identifier: Apache-2.0
"""Machines whose clusters, bus and memory have clocks of different frequency."""
import json
import pathlib
import unittest

from spica_runner import folder, spica, stats

CLOCKS = ("--set", "cluster.clock_mhz=800", "--set", "bus.clock_mhz=500", "--set", "main_memory.clock_mhz=250")
HOST = ("host_seconds", "simulated_cycles_per_second", "host", "provenance", "configuration")


def gemm(out, *more, design="virgo-dma"):
    result = spica("gemm", "--design", design, "--size", "128x128x128", "--out", out, *more)
    if result.code != 0 or ": verified" not in result.out:
        raise AssertionError(result.text)
    return {key: value for key, value in stats(out).items() if key not in HOST}


class Clocks(unittest.TestCase):
    def test_results_are_right_and_the_same_in_each_run_and_however_blocks_talk(self):
        with folder() as out:
            first = gemm(out, *CLOCKS)
            self.assertEqual(gemm(out, *CLOCKS), first)
            self.assertEqual(gemm(out, *CLOCKS, "--set", "run.links=checked"), first)

    def test_all_designs_that_talk_to_memory_in_other_ways_are_right_in_both_modes(self):
        for design in ("simt", "tc", "tc-dma", "virgo", "fp16-hopper"):
            with self.subTest(design=design), folder() as out:
                gemm(out, *CLOCKS, design=design)
                gemm(out, *CLOCKS, "--mode", "fast", design=design)

    def test_frequencies_that_are_equal_are_one_clock(self):
        with folder() as out:
            plain = gemm(out)
            self.assertEqual(gemm(out, *(word for block in ("cluster", "bus", "main_memory")
                                         for word in ("--set", f"{block}.clock_mhz=400"))), plain)

    def test_a_faster_bus_carries_as_much_more_as_it_is_faster(self):
        with folder() as out:
            result = spica("microbench", "l2", "--set", "bus.clock_mhz=600", "--out", out)
            self.assertEqual(result.code, 0, result.text)  # formulas, which are for one clock, judge nothing
            rows = json.loads((pathlib.Path(out) / "microbench.json").read_text())["rows"]
        rate = next(row["measured"] for row in rows if row["measurement"] == "L2 hits, 4 cores" and row["machine"] == "isolated")
        self.assertAlmostEqual(rate, 1.5 * 32, delta=0.3)

    def test_accounts_are_in_cycles_of_the_block_and_the_timed_region_is_as_long_for_all(self):
        with folder() as out:
            document = gemm(out, *CLOCKS)
        cycles = document["cycles"]
        core = document["stats"]["cluster_0"]["core_0"]["issue"]
        cache = document["stats"]["l2"]["activity"]
        self.assertEqual(sum(core["in_region"].values()), cycles)
        self.assertAlmostEqual(sum(cache["in_region"].values()), cycles * 5 / 8, delta=2)

    def test_limits_of_the_machine_are_per_cycle_of_the_cores(self):
        with folder() as out:
            machine = gemm(out, *CLOCKS)["machine"]
            plain = gemm(out)["machine"]
        self.assertEqual(machine["clock_mhz"], 800)
        self.assertAlmostEqual(machine["l2_bytes_per_cycle"], plain["l2_bytes_per_cycle"] * 5 / 8)
        self.assertAlmostEqual(machine["dram_bytes_per_cycle"] * 800, 2 * 32 * 250)  # the ports of two channels
        self.assertLess(plain["dram_bytes_per_cycle"], 2 * 32)                       # the devices

    def test_the_idle_power_of_the_level_2_cache_follows_its_own_clock(self):
        def idle_mw(*more):
            with folder() as out:
                gemm(out, "--energy", *more)
                return json.loads((pathlib.Path(out) / "energy.json").read_text())["window"]["idle_mw"]["nominal"]

        plain, fast = idle_mw(), idle_mw("--set", "bus.clock_mhz=800")
        self.assertGreater(fast, plain)
        self.assertLess(fast, 1.5 * plain)  # clusters are as they were

    def test_the_plan_of_the_machine_names_the_clocks(self):
        out = spica("config", "virgo", "--machine", "--set", "main_memory.clock_mhz=800").out
        self.assertIn("main_memory: main_memory, 800 MHz\n", out)
        self.assertIn("bus: crossbar\n", out)


if __name__ == "__main__":
    unittest.main()
