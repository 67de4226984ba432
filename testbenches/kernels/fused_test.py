# SPDX-License-Identifier: Apache-2.0
"""Products fused with an activation, two products on two matrix units, and their experiments."""
import csv
import json
import pathlib
import unittest

from spica_runner import folder, spica, stats

PUBLISHED = ("tc-dma-swish", "virgo-dma-swish")
OVERLAPPED = tuple(f"{design}-overlapped" for design in PUBLISHED)
FUSED = PUBLISHED + OVERLAPPED
DUAL = ("dual-serial", "dual-parallel")


def run(case, design, size, *more):
    with folder() as out:
        result = spica("gemm", "--design", design, "--size", size, "--out", out, *more)
        case.assertEqual(result.code, 0, result.text)
        data = stats(out)
    case.assertTrue(data["verified"])
    return data


def unit(data, number, counter):
    return data["stats"]["cluster_0"][f"matrix_unit_{number}"][counter]["value"]


def core_instructions(data):
    blocks = data["stats"]["cluster_0"]
    return [blocks[f"core_{i}"]["fpu"]["in_region"] for i in range(4)]


class Fused(unittest.TestCase):
    def sizes(self, design):
        # One tile; one, two and three tiles of k; several output tiles that are no square.
        for size in ("64x64x64", "192x128x64", "128x64x128", "64x128x192"):
            data = run(self, design, size)
            self.assertLess(data["largest_error"], data["allowed_error"])

    def test_matrix_unit_beside_the_activation_verifies(self):
        self.sizes("virgo-dma-swish")
        self.sizes("virgo-dma-swish-overlapped")

    def test_warp_specialised_tensor_cores_verify(self):
        self.sizes("tc-dma-swish")
        self.sizes("tc-dma-swish-overlapped")

    def test_both_designs_give_other_operands_another_result_in_the_same_time(self):
        # The activation has no branch, so its time does not depend on what it computes.
        for design in FUSED:
            first, second = (run(self, design, "128x64x128", "--seed", seed) for seed in (1, 2))
            self.assertEqual(first["cycles"], second["cycles"])
            self.assertNotEqual(first["largest_error"], second["largest_error"])

    def test_activation_is_shared_by_all_cores(self):
        for design in FUSED:
            shares = core_instructions(run(self, design, "128x128x64"))
            self.assertGreater(min(shares), 0.9 * max(shares))
            # 11 multiply-adds and more for each element, eight of which make an instruction.
            self.assertGreater(sum(shares), 11 * 128 * 128 / 8)

    def test_activation_is_hidden_behind_the_matrix_unit_but_not_behind_tensor_cores(self):
        # Of one tile the activation cannot be hidden, so more tiles cost less than as many times one.
        size, tiles = "256x128x512", 8
        tail = run(self, "virgo-dma-swish-overlapped", "64x64x512")["cycles"] - run(self, "virgo-dma", "64x64x512")["cycles"]
        self.assertGreater(tail, 5000)
        fused, plain = (run(self, design, size)["cycles"] for design in ("virgo-dma-swish-overlapped", "virgo-dma"))
        self.assertLess(fused - plain, 2 * tail)
        self.assertLess(fused - plain, 0.25 * tiles * tail)
        fused, plain = (run(self, design, size)["cycles"] for design in ("tc-dma-swish-overlapped", "tc-dma"))
        self.assertGreater(fused, 1.15 * plain)

    def test_published_structure_takes_longer_than_the_overlapped_one(self):
        for published, overlapped in zip(PUBLISHED, OVERLAPPED):
            slow, fast = (run(self, design, "128x128x512") for design in (published, overlapped))
            self.assertGreater(slow["cycles"], fast["cycles"])

    def test_published_tensor_kernel_moves_whole_squares_of_b(self):
        # Words that the DMA writes for each of its 64 x 32 x 64 blocks: all of A, and B for 64 columns or for 32.
        for design, words in (("tc-dma-swish", 64 * 64 + 64 * 64), ("tc-dma-swish-overlapped", 64 * 64 + 64 * 32)):
            data = run(self, design, "64x128x128")
            written = data["stats"]["cluster_0"]["shared_memory"]["dma_words_written"]["value"]
            self.assertEqual(written, words * (128 // 32) * (128 // 64))

    def test_sizes_and_machines_that_do_not_fit_are_refused(self):
        for design in FUSED:
            result = spica("gemm", "--design", design, "--set", "cluster.cores=2")
            self.assertEqual(result.code, 2)
            self.assertIn("--set cluster.cores=4", result.err)
            result = spica("gemm", "--design", design, "--size", "64+64")
            self.assertEqual(result.code, 2)
            self.assertIn("1 product", result.err)
        result = spica("gemm", "--design", "virgo-dma-swish-overlapped", "--set", "cluster.cores=8", "--set",
                       "cluster.core.warps=4")
        self.assertEqual(result.code, 2)
        self.assertIn("--set cluster.core.warps=8", result.err)


class Dual(unittest.TestCase):
    def test_products_of_different_shapes_verify_on_both_units(self):
        for design in DUAL:
            run(self, design, "64x64x64+64x64x64")
            run(self, design, "128x64x192+64x192x128")

    def test_each_product_is_computed_by_its_unit(self):
        sizes, macs = "128x128x128+64x64x128", (128**3, 64 * 64 * 128)
        serial, parallel = (run(self, design, sizes) for design in DUAL)
        self.assertEqual([unit(serial, i, "macs") for i in (0, 1)], [sum(macs), 0])
        self.assertEqual([unit(parallel, i, "macs") for i in (0, 1)], list(macs))
        # Of the unit, or of both: 64 and 16 multiply-adds per cycle.
        self.assertAlmostEqual(serial["utilisation"], sum(macs) / 64 / serial["cycles"], places=9)
        self.assertAlmostEqual(parallel["utilisation"], sum(macs) / 80 / parallel["cycles"], places=9)

    def test_two_units_are_faster_than_one(self):
        serial, parallel = (run(self, design, "256x256x256+128x128x256")["cycles"] for design in DUAL)
        # 80 instead of 64 multiply-adds per cycle would make it 0.8.
        self.assertLess(parallel, 0.85 * serial)
        self.assertGreater(parallel, 0.75 * serial)

    def test_wrong_numbers_of_products_and_machines_with_one_unit_are_refused(self):
        result = spica("gemm", "--design", "dual-parallel", "--size", "256")
        self.assertEqual(result.code, 2)
        self.assertIn("256x256x256+128x128x256", result.err)
        result = spica("gemm", "--design", "dual-parallel", "--config", "virgo")
        self.assertEqual(result.code, 2)
        self.assertIn("cluster.matrix_units.1.dim = 4; this machine has no such entry", result.err)
        result = spica("gemm", "--design", "dual-parallel", "--set", "cluster.cores=1")
        self.assertEqual(result.code, 2)
        self.assertIn("--set cluster.cores=2", result.err)
        result = spica("gemm", "--design", "dual-parallel", "--config", "virgo-dual", "--set",
                       "cluster.matrix_units.1.dim=8")
        self.assertEqual(result.code, 2)
        self.assertIn("--set cluster.matrix_units.1.dim=4", result.err)


class Experiments(unittest.TestCase):
    def experiment(self, name, *more, code=0):
        with folder() as out:
            result = spica("experiment", name, "--out", out, "--jobs", "2", *more)
            self.assertEqual(result.code, code, result.text)
            read = lambda file: (pathlib.Path(out) / file).read_text()
            rows, ratios = json.loads(read("results.json")), json.loads(read("ratios.json"))
            table = list(csv.DictReader(read("results.csv").splitlines()))
        for row, line in zip(rows, table, strict=True):
            for key in ("design", "size"):
                self.assertEqual(row[key], line[key])
            for key in ("cycles", "warp_instructions", "register_file_accesses"):
                self.assertEqual(row[key], int(line[key]))
            self.assertAlmostEqual(row["utilisation"], float(line["utilisation"]), places=6)
        return {row["design"]: row for row in rows}, ratios, result

    def test_dual_unit_has_two_rows_and_their_ratio(self):
        rows, ratios, result = self.experiment("dual-unit")
        self.assertEqual(set(rows), set(DUAL))
        for row in rows.values():
            self.assertTrue(row["verified"])
            self.assertGreater(row["warp_instructions"], 0)
            self.assertGreater(row["register_file_accesses"], 0)
            self.assertGreater(row["active_power_mw"], 0)
            self.assertGreater(row["active_energy_uj"], 0)
        self.assertEqual({(ratio["design"], ratio["reference"]) for ratio in ratios},
                         {("dual-parallel", "dual-serial")})
        cycles, = [ratio["ratio"] for ratio in ratios if ratio["quantity"] == "cycles"]
        self.assertAlmostEqual(cycles, rows["dual-parallel"]["cycles"] / rows["dual-serial"]["cycles"])
        self.assertIn("dual-parallel / dual-serial", result.out)

    def test_fused_has_rows_of_all_designs_at_512_cubed(self):  # long
        rows, ratios, _ = self.experiment("fused")
        self.assertEqual(set(rows), {"tc-dma", "virgo-dma", *FUSED})
        for row in rows.values():
            self.assertTrue(row["verified"])
            self.assertEqual(row["size"], "512x512x512")
            self.assertAlmostEqual(row["utilisation"], 512**3 / 64 / row["cycles"], places=6)
        self.assertEqual(len({(ratio["design"], ratio["reference"]) for ratio in ratios}), 7)
        self.assertEqual(len([ratio for ratio in ratios if ratio["quantity"] == "active_energy"]), 7)
        # The warps activate beside the unit; where they also multiply, both are slower. The tensor cores'
        # operands pass through registers.
        self.assertLess(rows["virgo-dma-swish-overlapped"]["cycles"], 1.05 * rows["virgo-dma"]["cycles"])
        self.assertLess(rows["virgo-dma-swish"]["cycles"], 1.1 * rows["virgo-dma"]["cycles"])
        self.assertGreater(rows["tc-dma-swish"]["cycles"], 1.15 * rows["tc-dma"]["cycles"])
        self.assertLess(rows["virgo-dma-swish"]["register_file_accesses"],
                        rows["tc-dma-swish"]["register_file_accesses"] / 5)

    def test_cells_that_fail_have_no_ratio(self):
        rows, ratios, result = self.experiment("fused", "--set", "run.max_cycles=20000", code=1)
        self.assertEqual(len(rows), 6)
        self.assertEqual(ratios, [])
        self.assertNotIn("virgo-dma / tc-dma", result.out)
        self.assertFalse(any(row["verified"] for row in rows.values()))


if __name__ == "__main__":
    unittest.main()
