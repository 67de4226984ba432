# SPDX-License-Identifier: Apache-2.0
"""Kernels that run as grids of work groups (spica/group.h, models/dispatcher)."""
import csv
import pathlib
import random
import struct
import unittest

from spica_runner import elf, folder, needs_gcc, spica, stats

SOURCE = pathlib.Path(__file__).resolve().parent / "work_groups" / "groups.cpp"
DISPATCHER = ("--set", "dispatcher.present=true")


def compiled(work, *options):
    program = pathlib.Path(work, "groups.elf")
    result = spica("cc", SOURCE, *options, "-o", program)
    assert result.code == 0, result.text
    return program


def words(file):
    data = pathlib.Path(file).read_bytes()
    return struct.unpack(f"<{len(data) // 4}I", data)


def sets(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]


class WorkGroups(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.program = compiled(cls.work.name)

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def run_sums(self, out, grid, block, *options, program=None):
        """Runs the kernel; checks each work group's sum, that each came once, and the indices of its threads."""
        saves = [word for name in ("count", "total", "thread", "place")
                 for word in ("--save", f"{pathlib.Path(out, name)}.bin@{name}")]
        result = spica("run", "virgo", program or self.program, "--kernel", "sums", "--grid", "x".join(map(str, grid)),
                       "--block", "x".join(map(str, block)), *DISPATCHER, *saves, "--out", out, *options)
        self.assertEqual(result.code, 0, result.text)
        groups, threads = grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]
        count, total = words(pathlib.Path(out, "count.bin")), words(pathlib.Path(out, "total.bin"))
        index = words(pathlib.Path(out, "thread.bin"))
        for group in range(groups):
            self.assertEqual(count[group], threads)
            self.assertEqual(total[group], sum(3 * (group * 1000 + t) + 3 for t in range(threads)) % 2**32)
            for thread in range(threads):
                x, y = thread % block[0], thread // block[0]
                self.assertEqual(index[group * threads + thread], (y // block[1]) << 16 | (y % block[1]) << 8 | x)
        self.assertFalse(any(count[groups:]))
        return result

    def test_each_work_group_runs_once_with_barriers_and_shared_memory_of_its_own(self):
        for mode in ("cycle", "fast"):
            with folder() as out:
                self.run_sums(out, (5, 3, 2), (6, 2, 2), "--mode", mode)
                places = words(pathlib.Path(out, "place.bin"))[:30]
                self.assertGreater(len(set(places)), 1)  # several at a time
                self.assertTrue(all(0 <= at - 0xFF000000 <= 0x10000 - 1024 for at in places))

    def test_any_number_of_clusters_and_lanes_gives_the_same_results(self):
        for clusters, cores, lanes in ((1, 1, 8), (3, 2, 4), (1, 4, 16), (2, 4, 32), (32, 8, 8)):
            units = () if lanes == 8 else sets(cluster__tensor_core__present="false")
            with self.subTest(clusters=clusters, cores=cores, lanes=lanes), folder() as out:
                self.run_sums(out, (7, 2, 1), (12, 2, 1),
                              *sets(clusters=clusters, cluster__cores=cores, cluster__core__lanes=lanes), *units)

    def test_no_timing_of_the_dispatcher_changes_a_result(self):
        draw = random.Random(11)
        for _ in range(6):
            with folder() as out:
                self.run_sums(out, (4, 3, 1), (draw.choice((8, 20, 40, 100)), 1, 1), *sets(
                    dispatcher__groups_per_cycle=draw.choice((1, 4)), dispatcher__launch_latency=draw.choice((1, 50, 400)),
                    dispatcher__warp_interval=draw.choice((0, 1, 90)), dispatcher__kernel_latency=draw.choice((0, 300)),
                    cluster__barrier__response_latency=draw.choice((2, 30))))

    def test_work_groups_wait_for_registers_shared_memory_and_barriers(self):
        def full(*options):
            with folder() as out:
                self.run_sums(out, (8, 2, 1), (32, 1, 1), *options)
                return {name: entry["value"] for name, entry in stats(out)["stats"]["dispatcher"].items()}
        free = full(*sets(cluster__core__barriers=32, cluster__barrier__ids=32))
        self.assertEqual((free["grids"], free["groups"], free["warps"], free["full_cycles"]), (1, 16, 64, free["full_cycles"]))
        few_rows = full(*sets(cluster__core__barriers=32, cluster__barrier__ids=32, cluster__core__register_rows=80))
        few_barriers = full()  # 8, two for each work group
        self.assertGreater(few_rows["full_cycles"], free["full_cycles"])
        self.assertGreater(few_barriers["full_cycles"], free["full_cycles"])
        self.assertLess(few_rows["groups"] / few_rows["group_cycles"], 1)

    def test_a_work_group_that_owns_the_matrix_unit_has_it_for_itself(self):
        tile = sets(cluster__matrix_units__0__tile_m=32, cluster__matrix_units__0__tile_n=32, cluster__matrix_units__0__tile_k=32)
        for clusters in 1, 2:
            with self.subTest(clusters=clusters), folder() as out:  # a cluster has room for four
                result = spica("gemm", "--design", "gemm-unit", "--size", "128x128x64", *tile, *sets(clusters=clusters), "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("verified", result.out)
                run = stats(out)
                dispatcher = run["stats"]["dispatcher"]
                self.assertEqual(dispatcher["groups"]["value"], 16)
                self.assertLess(dispatcher["group_cycles"]["value"], clusters * run["simulated_cycles"])
                self.assertGreater(dispatcher["group_cycles"]["value"], 0.8 * clusters * run["cycles"])

    def test_products_on_the_matrix_units_of_all_clusters_are_the_same_in_both_modes(self):
        with folder() as out:
            memory = []
            for mode in "cycle", "fast":
                saved = pathlib.Path(out, mode)
                result = spica("gemm", "--design", "gemm-unit", "--size", "128x64x192", "--batch", "3", "--mode", mode,
                               "--save-memory", saved)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("gemm 3 x 128x64x192 on gemm-unit (virgo-4): verified", result.out)
                # Which cluster gets the last work groups is a matter of time: what they leave in stacks and shared memory, too.
                pages = struct.iter_unpack("<Q4096s", saved.read_bytes())
                memory.append([(address, page) for address, page in pages if address < 0xFE000000])
            self.assertGreater(len(memory[0]), 3 * (128 * 192 + 192 * 64 + 128 * 64) * 4 // 4096)
            self.assertEqual(*memory)

    @needs_gcc
    def test_gcc_compiles_kernels_too(self):
        with folder() as work, folder() as out:
            # no lane goes another way: `mine == 0` would, so that only the block of one thread is for gcc
            self.run_sums(out, (6, 1, 1), (1, 1, 1), program=compiled(work, "--compiler", "gcc"))

    def test_hazards_know_that_shared_memory_passes_from_one_work_group_to_the_next(self):
        with folder() as out:
            for mode in ("cycle", "fast"):
                self.run_sums(out, (40, 1, 1), (24, 1, 1), "--check", "hazards", "--mode", mode)
        result = spica("run", "virgo", self.program, "--kernel", "race", "--grid", "2", *DISPATCHER, "--check", "hazards")
        self.assertEqual(result.code, 1)
        self.assertIn("race", result.text)

    def test_a_warp_of_a_work_group_cannot_spawn_others(self):
        for mode in ("cycle", "fast"):
            result = spica("run", "virgo", self.program, "--kernel", "spawns", "--grid", "2", *DISPATCHER, "--mode", mode)
            self.assertEqual(result.code, 1)
            self.assertIn("wspawn in a work group", result.text)
            self.assertIn("groups.cpp", result.text)

    def test_a_hang_report_shows_the_work_groups(self):
        result = spica("run", "virgo", self.program, "--kernel", "hangs", "--grid", "3", *DISPATCHER)
        self.assertEqual(result.code, 1)
        self.assertIn("barrier", result.text)
        self.assertIn("work group (0, 0, 0) on cluster 0", result.text)

    def test_what_cannot_be_launched_is_said_with_what_would_do(self):
        for options, message in (
                (("--kernel", "sums", "--grid", "2"), "--set dispatcher.present=true"),
                (("--kernel", "sums", *DISPATCHER), "--grid X, XxY or XxYxZ"),
                (("--grid", "2", *DISPATCHER), "has several kernels; choose with --kernel: hangs, race, spawns, sums"),
                ((*DISPATCHER,), "has several kernels"),
                (("--kernel", "sum", "--grid", "2", *DISPATCHER), "has no kernel 'sum'; there are: hangs, race, spawns, sums"),
                (("--kernel", "sums", "--grid", "2x", *DISPATCHER), "--grid 2x: expected X, XxY or XxYxZ"),
                (("--kernel", "sums", "--grid", "0", *DISPATCHER), "--grid 0: "),
                (("--kernel", "sums", "--grid", "1", "--block", "257", *DISPATCHER), "at most 256 threads"),
                (("--kernel", "sums", "--grid", "1", *DISPATCHER, *sets(cluster__core__barriers=1, cluster__barrier__ids=1)),
                 "a work group needs 2 barriers, a cluster has 1")):
            result = spica("run", "virgo", self.program, *options)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(message, result.text)
        result = spica("run", "virgo", elf("hello"), "--grid", "2", *DISPATCHER)
        self.assertEqual(result.code, 2)
        self.assertIn("has no kernels to run as a grid", result.text)

    def test_a_sweep_has_the_grid_and_the_block_as_axes(self):
        with folder() as out:
            file = pathlib.Path(out, "grids.yaml")
            file.write_text(f"job: run\nconfig: virgo\nelf: {self.program}\naxes:\n  grid: [2, 4x4]\n  block: [8, 64]\n"
                            "  dispatcher.launch_latency: [2, 500]\nfixed: {kernel: sums, dispatcher.present: true}\n"
                            "keep: [cycles, stats.dispatcher.warps]\n")
            result = spica("sweep", "run", file, "--dir", pathlib.Path(out, "results"))
            self.assertEqual(result.code, 0, result.text)
            rows = list(csv.DictReader(pathlib.Path(out, "results", "results.csv").read_text().splitlines()))
            warps = {(row["grid"], row["block"]): int(row["stats.dispatcher.warps"]) for row in rows}
            self.assertEqual(warps, {("2", "8"): 2, ("2", "64"): 16, ("4x4", "8"): 16, ("4x4", "64"): 128})
            self.assertEqual(len(rows), 8)

    def test_a_program_with_neither_main_nor_kernels_is_not_linked(self):
        with folder() as work:
            source = pathlib.Path(work, "nothing.cpp")
            source.write_text("int x;\n")
            result = spica("cc", source, "-o", pathlib.Path(work, "nothing.elf"))
            self.assertNotEqual(result.code, 0)
            self.assertIn("main_or_a_SPICA_KERNEL", result.text)

    def test_a_checkpoint_of_the_fast_mode_has_the_work_groups(self):
        with folder() as out:
            whole = pathlib.Path(out, "whole")
            self.run_sums(whole, (20, 2, 1), (24, 1, 1), "--mode", "fast")
            saves = pathlib.Path(out, "saves")
            self.run_sums(pathlib.Path(out, "first"), (20, 2, 1), (24, 1, 1), "--mode", "fast", "--checkpoint", "every=4k",
                          "--checkpoint-dir", saves)
            files = sorted(saves.iterdir())
            self.assertGreater(len(files), 1)
            for mode in ("fast", "cycle"):
                self.run_sums(pathlib.Path(out, mode), (20, 2, 1), (24, 1, 1), "--mode", mode, "--from", files[len(files) // 2])


if __name__ == "__main__":
    unittest.main()
