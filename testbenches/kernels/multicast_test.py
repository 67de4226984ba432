# SPDX-License-Identifier: Apache-2.0
"""Inter-warp multicasting: marked loads that two warps have in common are one read of shared memory (cluster.multicast)."""
import json
import pathlib
import random
import struct
import unittest

from spica_runner import folder, spica, stats

SOURCE = pathlib.Path(__file__).resolve().parent / "multicast" / "loads.cpp"
ON = ("--set", "cluster.multicast.present=true")
# KB of a thread block and tile of k of 32, Volta: global loads and stores to shared memory each; A and B of shared memory
# without and with the unit (lee table 3, section 2.4).
TILES = {"256x128": (24, 64, 64), "128x256": (24, 64, 64), "128x128": (16, 32, 32), "128x64": (12, 32, 16),
         "64x128": (12, 16, 32), "64x64": (8, 16, 16)}


def sets(**values):
    return [word for key, value in values.items() for word in ("--set", f"cluster.multicast.{key}={value}")]


def values_of(out, block):
    return {name: entry["value"] for name, entry in stats(out).get("stats", {}).get("cluster_0", {}).get(block, {}).items()
            if isinstance(entry, dict) and "value" in entry}
# The same as of Volta, but each element of A and B is on one lane (lee section 2.4); with asynchronous copies there is one pass
# from global to shared memory.
ASYNC = """\
title: "tile {0} with asynchronous copies"
extends: designs/mlds-{0}x32
kernel: gemm_cutlass_async_{0}
defines: [GEMM_WORK_GROUPS, GEMM_MULTICAST, GEMM_K_CONTIGUOUS, GEMM_STAGES=2]
operands:
  a: {{element: fp16, layout: row_major}}
  b: {{element: fp16, layout: column_major}}
  c: {{element: fp32}}
"""
# KB of a thread block and tile of k, from global memory to fragments, without and with the unit.
TOTALS = {"turing-sm": {"256x128": (112, 80), "128x256": (112, 80), "128x128": (64, 48), "128x64": (48, 36), "64x128": (48, 36),
                        "64x64": (32, 24)},
          "ampere-sm": {"256x128": (88, 56), "128x256": (88, 56), "128x128": (48, 32), "128x64": (36, 24), "64x128": (36, 24),
                        "64x64": (24, 16)}}


class Loads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.program = pathlib.Path(cls.work.name, "loads.elf")
        result = spica("cc", SOURCE, "-o", cls.program)
        assert result.code == 0, result.text

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def run_kernel(self, kernel, threads, *options, rounds=6, marked=1):
        """Cycles, the counters of the unit, and what was read."""
        with folder() as out:
            saved = pathlib.Path(out, "result.bin")
            result = spica("run", "tcv1-sm", self.program, "--kernel", kernel, "--grid", "1", "--block", threads,
                           "--args", f"rounds={rounds},marked={marked}", "--save", f"{saved}@result", "--out", out, *options)
            self.assertEqual(result.code, 0, result.text)
            unit = values_of(out, "multicast")
            if unit:
                self.assertEqual(unit["loads"], 2 * unit["multicasts"] + unit["fallbacks"])
                self.assertEqual(unit["fallbacks"], sum(unit[f"fallbacks_{why}"] for why in ("full", "drain", "store", "timeout")))
            return stats(out)["simulated_cycles"], unit, struct.unpack("<512I", saved.read_bytes())

    def test_results_are_those_of_other_loads_on_any_number_of_warps(self):
        for kernel in ("same", "apart", "skip", "stores"):
            for threads in (32, 96, 512):
                plain = self.run_kernel(kernel, threads, marked=0)[2]
                self.assertEqual(plain, self.run_kernel(kernel, threads)[2])
                self.assertEqual(plain, self.run_kernel(kernel, threads, *ON)[2])
                self.assertEqual(plain, self.run_kernel(kernel, threads, *ON, "--mode", "fast")[2])

    def test_results_do_not_depend_on_sizes_and_times(self):
        rng = random.Random(20)
        for kernel in ("same", "skip", "stores"):
            plain = self.run_kernel(kernel, 416, marked=0)[2]
            for entries in (1, 2, 8, 64, 192):
                options = sets(entries=entries, queue=rng.randint(1, 8), timeout=rng.choice((1, 5, 64, 512)),
                               compare_latency=rng.randint(1, 9), enable_latency=rng.randint(0, 9),
                               same_subcore=rng.choice(("allow", "refuse")))
                other = ("--set", f"cluster.shared_memory.read_latency={rng.randint(1, 40)}", "--set",
                         f"cluster.mio.queue_depth={rng.randint(1, 8)}", "--set",
                         f"cluster.core.scheduler={rng.choice(('gto', 'oldest', 'round_robin'))}")
                self.assertEqual(plain, self.run_kernel(kernel, 416, *ON, *options, *other)[2], (options, other))

    def test_warps_that_read_the_same_share_half_of_their_reads(self):
        _, unit, _ = self.run_kernel("same", 128, *ON)
        self.assertEqual(unit["loads"], 6 * 8 * 4)
        self.assertGreater(unit["multicasts"], 0.9 * unit["loads"] / 2)
        self.assertEqual(unit["false_matches"], 0)
        # An odd one has no partner.
        _, unit, _ = self.run_kernel("same", 96, *ON)
        self.assertGreaterEqual(unit["fallbacks"], 6 * 8)

    def test_a_program_whose_warps_share_nothing_ends(self):
        for options in ((), sets(timeout=1)):
            cycles, unit, _ = self.run_kernel("apart", 128, *ON, *options)
            self.assertEqual(unit["multicasts"], 0)
            self.assertEqual(unit["fallbacks"], unit["loads"])

    def test_a_machine_whose_cores_share_no_path_cannot_have_it(self):
        result = spica("config", "virgo", *ON)
        self.assertEqual(result.code, 2)
        self.assertIn("cluster.mio.present=true", result.text)


class Products(unittest.TestCase):
    def product(self, tile, size, *options, config="tcnext-sm"):
        with folder() as out:
            result = spica("gemm", "--design", f"mlds-{tile}x32", "--config", config, "--size", size, "--out", out,
                           "--save-memory", f"{out}/memory", *options)
            self.assertEqual(result.code, 0, result.text)
            run = stats(out)
            self.assertTrue(run["verified"])
            return run["cycles"], values_of(out, "mio"), values_of(out, "multicast"), pathlib.Path(out, "memory").read_bytes()

    def tile_bytes(self, tile, *options):
        """Of one thread block and tile of k, in KB: global loads, stores to shared memory, A, B. And the unit."""
        m, n = tile.split("x")
        _, short, _, _ = self.product(tile, f"{m}x{n}x64", *options)
        cycles, long, unit, memory = self.product(tile, f"{m}x{n}x192", *options)
        of = lambda name: (long[name] - short[name]) / 4 / 1024
        return (of("global_bytes_read"), of("shared_bytes_written"), of("shared_bytes_read_a"),
                of("shared_bytes_read_b")), cycles, unit, memory

    def test_bytes_of_six_tiles_are_those_of_the_formulas(self):
        for tile, (moved, a, b) in TILES.items():
            with self.subTest(tile):
                base, slow, none, memory = self.tile_bytes(tile)
                self.assertEqual(base, (moved, moved, a, b))
                self.assertEqual(none, {})
                # With eight warps two of a core share, of which one may be far behind: nothing gives up.
                shared, fast, unit, same = self.tile_bytes(tile, *ON, *sets(timeout=1000000, drain_timeout=1000000))
                self.assertEqual(shared, (moved, moved, a / 2, b / 2))
                self.assertEqual(unit["fallbacks"], 0)
                self.assertEqual(unit["loads"], 2 * unit["multicasts"])
                self.assertLessEqual(unit["max_fill"], 64)
                self.assertEqual(memory, same)
                if "256" not in tile:
                    self.assertLessEqual(fast, 1.005 * slow)

    def generation(self, config, tile, *options):
        """Of one thread block and tile of k, in KB: global loads, stores to shared memory, A, B. And the unit, and memory."""
        m, n = map(int, tile.split("x"))
        with folder() as out:
            design = f"mlds-{tile}x32"
            if config == "ampere-sm":
                design = pathlib.Path(out, "tile.yaml")
                design.write_text(ASYNC.format(tile), encoding="utf-8")
            result = spica("gemm", "--design", design, "--config", config, "--size", f"{m}x{n}x64", "--out", out, "--save-memory",
                           f"{out}/memory", "--set", "dispatcher.present=true", "--set", "cluster.shared_memory.size=96KiB", *options)
            self.assertEqual(result.code, 0, result.text)
            mio, unit, memory = values_of(out, "mio"), values_of(out, "multicast"), pathlib.Path(out, "memory").read_bytes()
        of = lambda name, besides=0: (mio[name] - besides) / 2 / 1024  # two tiles of k
        return (of("shared_bytes_written", 4 * m * n), of("shared_bytes_read_a"), of("shared_bytes_read_b")), mio, unit, memory

    def test_bytes_of_six_tiles_on_later_generations_are_those_of_the_formulas(self):
        for config, totals in TOTALS.items():
            for tile, (total, shared_total) in totals.items():
                with self.subTest(config=config, tile=tile):
                    moved, a, b = TILES[tile]
                    passes = 1 if config == "ampere-sm" else 2  # from global to shared memory
                    found, mio, none, memory = self.generation(config, tile)
                    self.assertEqual(found, (moved, a / 2, b / 2))
                    self.assertEqual(passes * moved + sum(found[1:]), total)
                    self.assertGreaterEqual(mio["global_bytes_read"], 2 * 1024 * moved)
                    self.assertEqual(none, {})
                    found, _, unit, same = self.generation(config, tile, *ON, *sets(timeout=1000000, drain_timeout=1000000))
                    self.assertEqual(found, (moved, a / 4, b / 4))
                    self.assertEqual(passes * moved + sum(found[1:]), shared_total)
                    self.assertEqual((unit["fallbacks"], unit["loads"]), (0, 2 * unit["multicasts"]))
                    self.assertEqual(memory, same)

    def test_it_helps_where_the_path_limits_and_nowhere_else(self):
        gain = {}
        for config, size in ("tcv1-sm", "128x128x512"), ("tcnext-sm", "256x256x512"):  # of one block the path has time to spare
            base = self.product("128x128", size, config=config)[0]
            gain[config] = base / self.product("128x128", size, *ON, config=config)[0]
        self.assertTrue(0.99 <= gain["tcv1-sm"] <= 1.01, gain)
        self.assertTrue(1.05 <= gain["tcnext-sm"] <= 1.5, gain)

    def test_reads_and_what_they_saved_are_all_that_registers_got(self):
        _, base, _, _ = self.product("64x64", "128x128x128")
        _, on, unit, _ = self.product("64x64", "128x128x128", *ON)
        fragments = base["shared_bytes_read_a"] + base["shared_bytes_read_b"]
        self.assertEqual(on["shared_bytes_read_a"] + on["shared_bytes_read_b"], fragments - unit["bytes_saved"])
        self.assertEqual(unit["bytes_read"] + unit["bytes_saved"], fragments)

    def test_a_refusal_to_share_in_one_core_costs_bytes_of_tiles_with_eight_warps(self):
        moved, a, b = TILES["256x128"]
        refused, _, _, _ = self.tile_bytes("256x128", *ON, *sets(same_subcore="refuse", drain_timeout=1000000))
        self.assertEqual(refused[1:], (moved, a, b / 2))  # warps w and w + 4, which have A in common, are on one core

    def test_marked_fragments_are_loads_like_others_on_other_machines(self):
        for config in ("volta-sm", "titanv-sm"):
            self.product("64x64", "64x64x64", "--set", "dispatcher.present=true", config=config)

    def test_the_experiment_has_a_row_for_each_layer_tile_and_design(self):
        with folder() as out:
            result = spica("experiment", "inter-warp-multicast", "--layers", "scores,conv3_1_a", "--machines", "tcnext-sm",
                           "--tiles", "64x64x32", "--out", f"{out}/table")
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads(pathlib.Path(out, "table/results.json").read_text(encoding="utf-8"))
        self.assertEqual(len(rows), 2 * 4)
        of = {(row["layer"], row["design"]): row for row in rows}
        for layer, (m, n, k) in {"scores": (512, 256, 64), "conv3_1_a": (1024, 128, 256)}.items():
            base, on = of[layer, "base"], of[layer, "iwma"]
            steps = (m // 64) * (n // 64) * (k // 32)
            self.assertEqual((base["l1_bytes_a"], base["l1_bytes_b"]), (16384 * steps, 16384 * steps))
            for operand in "ab":  # several thread blocks at a time: fences of one make loads of others go alone
                self.assertTrue(8192 * steps <= on[f"l1_bytes_{operand}"] < 16384 * steps)
            self.assertLess(on["l1_bytes"], base["l1_bytes"])
            self.assertEqual((on["tile"], on["machine"]), ("64x64x32", "tcnext-sm"))
            self.assertAlmostEqual(on["speedup"], base["cycles"] / on["cycles"])
            self.assertIsNone(base["lrt_max_fill"])
            # Four warps have nothing in common on a core: the other thread blocks have other places in shared memory.
            self.assertEqual((of[layer, "darsie"]["cycles"], of[layer, "darsie"]["reused"]), (base["cycles"], 0))
            self.assertEqual(of[layer, "both"]["cycles"], on["cycles"])


if __name__ == "__main__":
    unittest.main()
