# SPDX-License-Identifier: Apache-2.0
"""One load/store unit or two between the cores of a streaming multiprocessor and its memories (cluster.mio.units), and the
experiment that compares them with the offload unit."""
import json
import pathlib
import struct
import unittest

from spica_runner import folder, spica, stats

SOURCES = pathlib.Path(__file__).resolve().parent / "mma_offload"
UNITS = ("full", "full+shared_only", "full+full")
WITHOUT_PORT = ("--set", "cluster.mio.writeback.present=false")
# Memory that keeps up with everything.
IDEAL = ("--set", "main_memory.fixed.gb_per_s=10000", "--set", "main_memory.fixed.latency_ns=0", "--set", "bus.beat_bytes=64")


class LoadStoreUnits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.programs = {}
        for program, kernels in (("paths", ("of_shared", "of_global", "of_both")), ("lines", ("of_lines",))):
            file = pathlib.Path(cls.work.name, f"{program}.elf")
            result = spica("cc", SOURCES / f"{program}.cpp", "-o", file)
            assert result.code == 0, result.text
            cls.programs.update(dict.fromkeys(kernels, file))

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def run_kernel(self, kernel, units, *options):
        """Cycles, the counters of the path, and what was read."""
        with folder() as out:
            saved = pathlib.Path(out, "result.bin")
            result = spica("run", "titanv-sm", self.programs[kernel], "--kernel", kernel, "--grid", "1", "--args", "rounds=40",
                           "--save", f"{saved}@result", "--out", out, "--set", f"cluster.mio.units={units}", *options)
            self.assertEqual(result.code, 0, result.text)
            run = stats(out)
            path = run.get("stats", {}).get("cluster_0", {}).get("mio", {})
            return run["simulated_cycles"], path, struct.unpack("<256I", saved.read_bytes())

    def test_a_second_unit_helps_what_has_to_wait_for_the_first(self):
        cycles = {}
        for kernel in ("of_shared", "of_global", "of_both"):
            values, moved = set(), set()
            for units in UNITS:
                cycles[kernel, units], path, result = self.run_kernel(kernel, units, *WITHOUT_PORT)
                values.add(result)
                moved.add(tuple(path[f"{side}_{what}"]["value"] for side in ("shared", "global")
                                for what in ("accesses", "bytes_read", "bytes_written")))
                self.assertEqual(self.run_kernel(kernel, units, "--mode", "fast")[2], result)
            self.assertEqual(len(values), 1)
            self.assertEqual(len(moved), 1)  # bytes do not depend on the units
            # Loads of two units meet in the banks of shared memory (deviation D288).
            most = 1.05 if kernel == "of_shared" else 1.01
            for units in UNITS[1:]:
                self.assertLessEqual(cycles[kernel, units], most * cycles[kernel, "full"])
        # All lanes are in different banks, all of which each load needs: a second data path has none to itself.
        for units in UNITS[1:]:
            self.assertAlmostEqual(cycles["of_shared", units] / cycles["of_shared", "full"], 1, delta=0.05)
        # A unit that has no way to the level 1 cache does nothing for it.
        self.assertAlmostEqual(cycles["of_global", "full+shared_only"] / cycles["of_global", "full"], 1, delta=0.01)
        self.assertLess(cycles["of_both", "full+shared_only"], 0.95 * cycles["of_both", "full"])
        self.assertLess(cycles["of_both", "full+full"], 0.95 * cycles["of_both", "full"])

    def test_missed_loads_take_their_time_of_the_write_back_port(self):
        lines = 40 * 8 * 8  # rounds, warps, loads of a warp
        without, path, result = self.run_kernel("of_lines", "full", *IDEAL, *WITHOUT_PORT)
        self.assertFalse([key for key in path if "writeback" in key])
        values = {result}
        for registers, banks, units, each in ((4, 2, "full", 8), (4, 4, "full", 4), (1, 2, "full", 4), (4, 2, "full+full", 4)):
            cycles, path, result = self.run_kernel(
                "of_lines", units, *IDEAL, "--set", f"cluster.mio.writeback.registers_per_answer={registers}", "--set",
                f"cluster.mio.writeback.banks={banks}")
            values.add(result)
            ports = ("writeback", "writeback_1") if units == "full+full" else ("writeback",)
            with self.subTest(registers=registers, banks=banks, units=units):
                written = sum(path[port]["reasons"]["global"] for port in ports)
                # The other loads of the program are those of its arguments.
                self.assertLessEqual(lines * each * len(ports), written)
                self.assertLess(written, lines * each * len(ports) + 64 * each)
                # Without the port the caches set the pace.
                self.assertLessEqual(lines * each, cycles)
                self.assertLessEqual(0.99 * without, cycles)
                self.assertLess(cycles, 1.15 * max(without, lines * each))
        self.assertLess(without, lines * 8)
        self.assertEqual(len(values), 1)
        # Loads that hit do not use it.
        path = self.run_kernel("of_global", "full")[1]
        self.assertLess(path["writeback"]["reasons"]["global"], 0.05 * 8 * path["global_accesses"]["value"])

    def test_a_write_back_port_is_refused_where_it_cannot_be(self):
        for machine, settings, words in (
                ("virgo", ["cluster.mio.writeback.present=true"], "shared_data_path true"),
                ("titanv-sm", ["cluster.mio.writeback.banks_shared=false"], "full+shared_only"),
                ("titanv-sm", ["cluster.core.load_store.lanes=independent"], "lockstep"),
                ("titanv-sm", ["cluster.mio.writeback.banks=0"], "1..32")):
            with self.subTest(machine=machine, settings=settings):
                result = spica("config", machine, *[word for one in settings for word in ("--set", one)])
                self.assertEqual(result.code, 2)
                self.assertIn(words, result.text)

    def test_units_need_a_level_1_cache_that_the_cores_share(self):
        result = spica("config", "virgo", "--set", "cluster.mio.units=full+full")
        self.assertEqual(result.code, 2)
        self.assertIn("shared_data_path: true", result.text)

    def test_the_experiment_compares_five_variants_with_the_base(self):
        with folder() as out:
            result = spica("experiment", "mma-offload", "--sizes", "128,256", "--machines", "titanv-sm", "--layouts", "nn,tt",
                           "--out", f"{out}/table")
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads(pathlib.Path(out, "table/results.json").read_text(encoding="utf-8"))
        self.assertEqual(len(rows), 5 * 2 * 2)
        of = {(row["design"], row["layout"], row["size"]): row for row in rows}
        for (design, layout, size), row in of.items():
            base = of["base", layout, size]
            with self.subTest(design=design, layout=layout, size=size):
                self.assertTrue(row["verified"])
                self.assertEqual(row["machine"], "titanv-sm")
                self.assertAlmostEqual(row["speedup"], base["cycles"] / row["cycles"])
                side = int(size.split("x")[0])
                self.assertEqual(row["mma_on_tensor"] + row["mma_on_lanes"], side ** 3 // 16 ** 3)
                self.assertEqual(row["mma_on_lanes"] > 0, "offload" in design)
                if "offload" in design:
                    self.assertLessEqual(0 < row["fpu_use_kernel"] <= row["fpu_use_online"] <= 1, True)
                if design == "offload":
                    self.assertLessEqual(row["speedup"], 9 / 8)
        # The printed table has the means, and says how to get what it has not.
        self.assertIn("mean speedup", result.text)
        result = spica("experiment", "mma-offload", "--sizes", "128", "--machines", "titanv-sm", "--designs", "base,offload",
                       "--out", f"{self.work.name}/table")
        self.assertIn("Not among the usual points, to be chosen: layout nt, tn, tt", result.text)


if __name__ == "__main__":
    unittest.main()
