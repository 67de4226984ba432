# SPDX-License-Identifier: Apache-2.0
"""Every block alone takes as long as its closed formula says, and follows its parameters."""
import csv
import functools
import json
import pathlib
import unittest

from spica_runner import folder, spica

GROUPS = {"shared_memory", "coalescer", "l1", "l2", "dram", "instruction_cache", "core", "warps", "barrier",
          "dma", "matrix_unit"}


class TensorCores(unittest.TestCase):
    """Steps of one warp's multiply-add, beside the published tables."""

    def measure(self, *arguments, code=0):
        with folder() as out:
            result = spica("microbench", "--out", out, *arguments, timeout=120)
            self.assertEqual(result.code, code, result.text)
            self.assertEqual("OFF" in result.out, code == 1)
            return json.loads((pathlib.Path(out) / "microbench.json").read_text())["rows"]

    def test_steps_of_volta_and_turing_end_in_the_published_cycles(self):
        rows = self.measure("tensor_core_volta", "tensor_core_turing")
        self.assertEqual(len(rows), 16 + 8 + 9 * 4)
        self.assertTrue(all(row["measured"] == row["formula_value"] and row["tolerance"] == 0 for row in rows))
        self.assertEqual([row["measured"] for row in rows[16:24]], [12, 21, 25, 34, 38, 47, 51, 64])

    def test_one_cycle_more_is_off(self):
        rows = self.measure("tensor_core_volta", "--config", "volta-sm", "--set", "cluster.tensor_core.warp.startup=9",
                            code=1)
        self.assertTrue(all(row["flagged"] for row in rows))
        self.assertEqual({row["measured"] - row["formula_value"] for row in rows}, {1})


class StreamingMultiprocessor(unittest.TestCase):
    """Its memory: latencies and loads of fragments, beside published numbers."""

    def measure(self, *arguments, code=0):
        with folder() as out:
            result = spica("microbench", "--out", out, *arguments, timeout=240)
            self.assertEqual(result.code, code, result.text)
            return json.loads((pathlib.Path(out) / "microbench.json").read_text())["rows"]

    def test_latencies_and_fragment_loads_are_the_published_ones(self):
        rows = self.measure("sm_memory_volta", "sm_memory_turing", "sm_memory_ampere")
        self.assertEqual([row for row in rows if row["flagged"]], [])
        latencies = [row["measured"] for row in rows if row["measurement"].startswith("load to use")]
        self.assertEqual(latencies, [28, 28, 198, 397, 32, 32, 230, 489, 33, 33, 205, 568])
        loads = [row["measured"] for row in rows if row["measurement"].startswith("A of 16x16")]
        self.assertEqual(loads, [16, 8, 64, 32, 64, 32, 16, 16, 16, 16, 8])
        self.assertEqual([row["measured"] for row in rows if row["unit"] == "bytes"], [2048, 1024])

    def test_instructions_take_the_published_cycles_to_their_use(self):
        rows = [row for row in self.measure("sm_instructions") if row["machine"] == "isolated"]
        self.assertEqual([round(row["measured"], 2) for row in rows], [4, 5, 4, 8])
        self.assertEqual([row["formula"].split(" ")[0] for row in rows[:3]], ["jia"] * 3)
        rows = self.measure("sm_instructions", "--config", "volta-sm", "--set", "cluster.core.fma_latency=3", code=1)
        self.assertEqual({row["measurement"] for row in rows if row["flagged"]}, {"fused multiply-add, FP32"})

    def test_a_cycle_or_a_bank_more_is_off(self):
        rows = self.measure("sm_memory_volta", "--config", "volta-sm", "--set",
                            "cluster.shared_memory.read_latency=16", code=1)
        self.assertEqual([row["measurement"] for row in rows if row["flagged"]], ["load to use, shared memory"])
        rows = self.measure("sm_memory_volta", "--config", "volta-sm", "--set", "cluster.shared_memory.broadcast=false",
                            code=1)
        self.assertIn("A of 16x16 f16, column by column, 16 elements apart",
                      [row["measurement"] for row in rows if row["flagged"]])


class Microbench(unittest.TestCase):
    def measure(self, *arguments, code=0):
        with folder() as out:
            result = spica("microbench", "--out", out, *arguments, timeout=120)
            self.assertEqual(result.code, code, result.text)
            rows = json.loads((pathlib.Path(out) / "microbench.json").read_text())["rows"]
            with (pathlib.Path(out) / "microbench.csv").open(newline="") as stream:
                self.assertEqual(len(list(csv.DictReader(stream))), len(rows))
            return rows, result

    @classmethod
    def setUpClass(cls):
        cls.every_group = staticmethod(functools.cache(lambda: cls().measure("--jobs", "1")))  # which several tests read

    def row(self, rows, group, measurement, machine="as configured"):
        found = [row for row in rows if (row["group"], row["measurement"], row["machine"]) ==
                 (group, measurement, machine)]
        self.assertEqual(len(found), 1, f"{group}: {measurement}")
        return found[0]

    def moves(self, group, measurement, override, by, *common):
        """The parameter moves measurement and formula together, by what each machine is given. `common`: options of both."""
        before, _ = self.measure(group, *common) if common else self.every_group()
        after, _ = self.measure(group, "--set", override, *common)
        for machine in ("as configured", "isolated"):
            first = self.row(before, group, measurement, machine)
            second = self.row(after, group, measurement, machine)
            for key in ("measured", "formula_value"):
                self.assertAlmostEqual(second[key] - first[key], by[machine] if isinstance(by, dict) else by,
                                       delta=0.05, msg=f"{machine}, {key}")

    def test_all_groups_are_measured_and_no_row_is_off_its_formula(self):
        rows, result = self.every_group()
        self.assertEqual({row["group"] for row in rows}, GROUPS)
        self.assertEqual([row["measurement"] for row in rows if row["flagged"]], [])
        self.assertGreater(len(rows), 150)
        for row in rows:
            self.assertGreater(row["measured"], 0, row["measurement"])
            self.assertIn(row["machine"], ("as configured", "isolated"))
            self.assertTrue(row["formula"], row["measurement"])
        for group in GROUPS:
            self.assertIn(f"({group})", result.out)

    def test_what_no_formula_knows_is_shown_and_not_judged(self):
        rows, result = self.measure("dma", "l2", "--set", "l2.banks=2", "--set", "cluster.dcache.replacement=lru")
        self.assertEqual({row["group"] for row in rows if not row["judged"]}, {"dma"})
        self.assertEqual([row["measurement"] for row in rows if row["flagged"]], [])
        self.assertTrue(all(row["measured"] > 0 for row in rows))
        self.assertIn("not judged", result.out)

    def test_isolation_makes_what_is_not_measured_faster(self):
        rows, _ = self.every_group()
        for group, measurement in (("shared_memory", "load to use, aligned"), ("l1", "load to use, hit"),
                                   ("l2", "load to use, L1 miss and L2 hit"),
                                   ("dram", "load to use, a new row each time")):
            self.assertLess(self.row(rows, group, measurement, "isolated")["measured"],
                            self.row(rows, group, measurement)["measured"])

    def test_shared_memory_read_latency_moves_measurement_and_formula(self):
        self.moves("shared_memory", "load to use, aligned", "cluster.shared_memory.read_latency=5", 3)

    def test_crossbar_takes_unaligned_lanes_in_one_cycle(self):
        self.moves("shared_memory", "loads, unaligned", "cluster.shared_memory.unaligned=crossbar", -7)

    def test_coalescer_response_latency_moves_measurement_and_formula(self):
        # Isolation had set it to 1; what the user says goes over that.
        self.moves("l1", "load to use, hit", "cluster.coalescer.response_latency=6",
                   {"as configured": 4, "isolated": 5})

    def test_level_2_hit_latency_moves_measurement_and_formula(self):
        self.moves("l2", "load to use, L1 miss and L2 hit", "l2.hit_latency=20", 7)

    def test_dram_row_activation_moves_measurement_and_formula(self):
        # 30 more DRAM clocks of 1.5 ns are 18 cycles of 2.5 ns. Without refreshes, which come when they come: one more or
        # less among the 48 loads moves their mean by 1.34 cycles.
        self.moves("dram", "load to use, a new row each time", "main_memory.dram.rcd=40", 18,
                   "--set", "main_memory.dram.refresh_ns=0")

    def test_barrier_table_latency_moves_measurement_and_formula(self):
        # Eight cycles later it is the same warp's turn at the special-function unit.
        self.moves("barrier", "barrier to barrier, 1 warp of each core", "cluster.barrier.table_latency=9", 8)

    def test_results_are_the_same_whatever_the_number_of_jobs(self):
        groups = "l1", "l2", "dram", "barrier"
        rows, _ = self.measure(*groups, "--jobs", "3")
        self.assertEqual({row["group"] for row in rows}, set(groups))
        self.assertEqual(rows, [row for row in self.every_group()[0] if row["group"] in groups])

    def test_a_row_off_its_formula_makes_the_exit_code_1(self):  # long
        # A core that asks shared memory for more than one access at a time waits with one source id;
        # the formula knows of banks and fetches only.
        rows, result = self.measure("shared_memory", "--set", "cluster.shared_memory.source_ids=1", code=1)
        self.assertTrue(self.row(rows, "shared_memory", "loads, aligned")["flagged"])
        self.assertIn("OFF", result.out)

    def test_unknown_group_is_refused_with_those_there_are(self):
        result = spica("microbench", "l3")
        self.assertEqual(result.code, 2, result.text)
        for group in GROUPS:
            self.assertIn(group, result.err)

    def test_bad_override_is_refused_before_anything_runs(self):
        with folder() as out:
            result = spica("microbench", "--out", out, "--set", "cluster.shared_memory.raed_latency=5")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("read_latency", result.err)
            self.assertEqual(list(pathlib.Path(out).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
