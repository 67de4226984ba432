# SPDX-License-Identifier: Apache-2.0
"""Loads of fragments that another warp of the core has done are not done again (cluster.core.load_reuse), alone and with multicasting."""
import pathlib
import random
import struct
import unittest

from spica_runner import folder, spica, stats

SOURCE = pathlib.Path(__file__).resolve().parent / "load_reuse" / "fragments.cpp"
REUSE = ("--set", "cluster.core.load_reuse=darsie")
MULTICAST = ("--set", "cluster.multicast.present=true")
PATIENT = ("--set", "cluster.multicast.timeout=1000000", "--set", "cluster.multicast.drain_timeout=1000000")
# KB of A and B from shared memory of a thread block and tile of k of 32, Volta (lee table 3, sections 2.4 and 5.2.2): of all
# loads, with reuse, and with both.
TILES = {"256x128x32": ((64, 64), (32, 64), None), "256x128x32-b": ((64, 64), (32, 64), (32, 32)),
         "128x256x32": ((64, 64), (32, 64), (16, 32)), "128x128x32": ((32, 32), (32, 32), (16, 16)),
         "64x128x32": ((16, 32), (16, 32), (8, 16))}


def blocks(out, name):
    found = [entry for block, entry in stats(out).get("stats", {}).get("cluster_0", {}).items() if block.startswith(name)]
    return {key: sum(entry[key]["value"] for entry in found) for key in (found[0] if found else ())
            if isinstance(found[0][key], dict) and "value" in found[0][key]}


class Loads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.program = pathlib.Path(cls.work.name, "fragments.elf")
        result = spica("cc", SOURCE, "-o", cls.program)
        assert result.code == 0, result.text

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def run_kernel(self, kernel, threads, *options, marked=0):
        """The counters of the units, and what the threads have read."""
        with folder() as out:
            saved = pathlib.Path(out, "result.bin")
            result = spica("run", "tcv1-sm", self.program, "--kernel", kernel, "--grid", "1", "--block", threads,
                           "--args", f"rounds=3,marked={marked}", "--save", f"{saved}@result", "--out", out, *options)
            self.assertEqual(result.code, 0, result.text)
            self.cycles = stats(out).get("simulated_cycles")
            return blocks(out, "load_reuse"), struct.unpack("<512I", saved.read_bytes())

    def test_results_are_those_without_on_any_number_of_warps(self):
        for kernel in ("same", "skip", "stores", "pass_on"):
            for threads in (160, 512):
                plain = self.run_kernel(kernel, threads)[1]
                self.assertEqual(plain, self.run_kernel(kernel, threads, *REUSE)[1], (kernel, threads))
            self.assertEqual(plain, self.run_kernel(kernel, 512, *REUSE, *MULTICAST, marked=1)[1], kernel)
            self.assertEqual(plain, self.run_kernel(kernel, 512, *REUSE, "--mode", "fast")[1], kernel)

    def test_results_do_not_depend_on_sizes_and_times(self):
        rng = random.Random(21)
        for kernel in ("same", "skip", "stores", "pass_on"):
            plain = self.run_kernel(kernel, 416)[1]
            for entries in (1, 3, 64):
                options = ("--set", f"cluster.core.load_reuse_entries={entries}", "--set",
                           f"cluster.core.load_reuse_latency={rng.randint(1, 9)}", "--set",
                           f"cluster.core.load_store.source_ids={rng.choice((1, 3, 256))}", "--set",
                           f"cluster.shared_memory.read_latency={rng.randint(1, 40)}", "--set",
                           f"cluster.mio.queue_depth={rng.randint(1, 8)}", "--set",
                           f"cluster.core.scheduler={rng.choice(('gto', 'oldest', 'round_robin'))}")
                both = rng.choice(((), (*MULTICAST, "--set", f"cluster.multicast.timeout={rng.choice((1, 40, 512))}")))
                self.assertEqual(plain, self.run_kernel(kernel, 416, *REUSE, *options, *both, marked=rng.randint(0, 1))[1],
                                 (kernel, options, both))

    def test_warps_of_a_core_do_a_load_once(self):
        unit, _ = self.run_kernel("same", 512, *REUSE)
        self.assertEqual(unit["loads"], 3 * 8 * 16)
        self.assertGreater(unit["reused"], 0.5 * unit["loads"])  # at most three of four
        unit, _ = self.run_kernel("same", 128, *REUSE)  # each on a core of its own
        self.assertEqual(unit["reused"], 0)
        for kernel in ("stores", "pass_on"):  # nobody loads what another one may have loaded
            unit, _ = self.run_kernel(kernel, 512, *REUSE)
            self.assertEqual(unit["reused"], 0, kernel)

    def test_a_load_that_others_follow_does_not_wait_for_a_partner_while_they_are_at_a_barrier(self):
        plain = self.run_kernel("late", 256)[1]
        patient = ("--set", "cluster.multicast.timeout=50000", "--set", "cluster.multicast.drain_timeout=10")
        unit, found = self.run_kernel("late", 256, *REUSE, *MULTICAST, *patient, marked=1)
        self.assertEqual(found, plain)
        self.assertEqual((unit["loads"], unit["reused"]), (8, 4))
        self.assertLess(self.cycles, 40000)

    def test_a_saved_run_goes_on_to_the_same_end(self):
        run = ("run", "tcnext-sm", self.program, "--kernel", "same", "--grid", "1", "--block", "512", *REUSE, *MULTICAST)
        with folder() as out:
            whole = spica(*run, "--args", "rounds=3,marked=1", "--checkpoint", "every=1k", "--checkpoint-dir", f"{out}/points", "--out", f"{out}/whole")
            self.assertEqual(whole.code, 0, whole.text)
            points = sorted(pathlib.Path(out, "points").iterdir())
            self.assertGreater(len(points), 2)
            for point in points[:3]:
                rest = spica(*run, "--from", point, "--out", f"{out}/rest")
                self.assertEqual(rest.code, 0, rest.text)
                self.assertEqual(stats(f"{out}/rest")["stats"], stats(f"{out}/whole")["stats"])

    def test_a_machine_without_fragments_cannot_have_it(self):
        result = spica("config", "virgo", *REUSE)
        self.assertEqual(result.code, 2)
        self.assertIn("cluster.tensor_core.style=volta, turing or ampere", result.text)


class Products(unittest.TestCase):
    def product(self, tile, size, *options):
        with folder() as out:
            result = spica("gemm", "--design", f"mlds-{tile}", "--config", "tcnext-sm", "--size", size, "--out", out,
                           "--save-memory", f"{out}/memory", *options)
            self.assertEqual(result.code, 0, result.text)
            run = stats(out)
            self.assertTrue(run["verified"])
            return run["cycles"], blocks(out, "mio"), blocks(out, "multicast"), pathlib.Path(out, "memory").read_bytes()

    def kb(self, tile, *options):
        """A and B of one thread block and tile of k; the product, of three of these."""
        m, n, _ = tile.split("-")[0].split("x")
        product = self.product(tile, f"{m}x{n}x96", *options)
        return tuple(product[1][f"shared_bytes_read_{o}"] / 3 / 1024 for o in "ab"), product

    def test_bytes_are_those_of_the_formulas(self):
        for tile, (base, reused, both) in TILES.items():
            with self.subTest(tile):
                found, plain = self.kb(tile)
                self.assertEqual(found, base)
                found, product = self.kb(tile, *REUSE)
                self.assertEqual(found, reused)
                self.assertEqual(product[3], plain[3])
                if tile.startswith("128x128"):  # a warp of a thread block on each core
                    self.assertEqual(product[0], plain[0])
                if both is None:
                    continue
                found, product = self.kb(tile, *REUSE, *MULTICAST, *PATIENT)
                self.assertEqual(found, both)
                self.assertEqual(product[2]["fallbacks"], 0)
                self.assertEqual(product[3], plain[3])

    def test_a_load_whose_parts_issue_far_apart_is_reused_as_a_whole(self):
        # Slots of the load/store unit that global loads hold: parts of a fragment come before the next ones have issued.
        for crowd in (("core.load_store.source_ids=17", "dcache.hit_latency=14", "dcache.response_queue=1", "dcache.mshrs=1"),
                      ("core.load_store.queue_depth=37", "coalescer.line_ids=1", "coalescer.lane_ids=1")):
            with folder() as out:
                options = [word for one in crowd for word in ("--set", f"cluster.{one}")]
                result = spica("gemm", "--design", "ampere-fp32", "--size", "256x128x64", *REUSE, *options, "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn(": verified", result.out)
                self.assertGreater(blocks(out, "load_reuse")["reused"], 20)

    def test_both_together_are_best_where_each_finds_something(self):
        cycles = {name: self.product("128x256x32", "128x256x256", *options)[0]
                  for name, options in (("base", ()), ("darsie", REUSE), ("both", (*REUSE, *MULTICAST)))}
        self.assertLess(cycles["darsie"], cycles["base"])
        self.assertLess(cycles["both"], cycles["darsie"])


if __name__ == "__main__":
    unittest.main()
