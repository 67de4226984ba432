# SPDX-License-Identifier: Apache-2.0
"""`spica experiment required-bandwidth`: the formulas computed a second time, from the paper's own tables."""
import csv
import json
import math
import pathlib
import unittest

from spica_runner import folder, spica

# Lee et al., table 1 and figure 6: clock (GHz), multiprocessors, FLOP per cycle of tensor cores, reads of an operand,
# passes from global to shared memory, GB/s of level 1 (one multiprocessor), level 2 and DRAM.
GPUS = {
    "v100": (1.37, 80, 1024, 2, 2, (150, 2000, 850)),
    "rtx-titan": (1.55, 72, 1024, 1, 2, (76, 1977, 624)),
    "a100": (1.41, 108, 2048, 1, 1, (105, 3800, 1555)),
    "tcv1": (1.13, 80, 1024, 2, 2, (150, 2000, 850)),
    "tcnext": (1.13, 80, 4096, 2, 2, (150, 2000, 850)),
}
# KB from LDG to LDS per thread block and tile of k: Volta, Turing, Ampere.
TILES = {"256x128x32": (176, 112, 88), "128x256x32": (176, 112, 88), "128x128x32": (96, 64, 48),
         "128x64x32": (72, 48, 36), "64x128x32": (72, 48, 36), "64x64x32": (48, 32, 24)}
LEVELS = ("l1", "l2", "dram")


def experiment(*options):
    with folder() as out:
        result = spica("experiment", "required-bandwidth", "--out", f"{out}/table", *options)
        file = pathlib.Path(out, "table/results.json")
        if not file.exists():
            return result, [], []
        with open(f"{out}/table/results.csv", encoding="utf-8", newline="") as table:
            return result, json.loads(file.read_text(encoding="utf-8")), list(csv.DictReader(table))


def recomputed(row):
    """Bytes of the level and GB/s that it would have to give."""
    clock, processors, rate, reads, passes, _ = GPUS[row["machine"]]
    m, n, k = map(int, row["size"].split("x"))
    tile_m, tile_n, tile_k = map(int, row["tile"].split("x"))
    element, warps = 2, {256: (4, 2), 128: (2, 4) if tile_n == 256 else (2, 2), 64: (2, 2)}[tile_m]
    if row["unit"] == "lanes":
        element, rate, reads, warps = 4, 128, 1, (4, 2)
    blocks = math.ceil(m / tile_m) * math.ceil(n / tile_n) * row["batch"]
    loaded = element * (tile_m + tile_n) * tile_k
    warp_tile = tile_m / warps[0] + tile_n / warps[1]
    read = reads * warps[0] * warps[1] * element * warp_tile * tile_k
    steps = blocks * math.ceil(k / tile_k)
    result = element * m * n * row["batch"]
    traffic = {"l1": steps * (passes * loaded + read), "l2": steps * loaded + result,
               "dram": element * (m * k + k * n) * row["batch"] + result}[row["level"]]
    seconds = 2 * m * n * k * row["batch"] / (rate * processors * clock * 1e9)
    return traffic, traffic / (processors if row["level"] == "l1" else 1) / seconds / 1e9


class RequiredBandwidth(unittest.TestCase):
    def test_every_row_is_what_an_independent_computation_gives(self):
        result, rows, table = experiment("--machines", ",".join(GPUS))
        self.assertEqual(result.code, 0, result.text)
        layers = {(row["network"], row["layer"]) for row in rows}
        self.assertEqual(len(layers), 21 + 6)
        self.assertEqual(len(rows), len(layers) * len(GPUS) * 2 * 3)
        self.assertEqual(len(table), len(rows))
        for row, text in zip(rows, table):
            traffic, required = recomputed(row)
            limit = GPUS[row["machine"]][5][LEVELS.index(row["level"])]
            with self.subTest(**{key: row[key] for key in ("machine", "layer", "unit", "level", "tile")}):
                self.assertEqual(row["bytes"], traffic)
                self.assertAlmostEqual(row["required_gb_per_s"] / required, 1, places=9)
                self.assertEqual(row["limit_gb_per_s"], limit)
                self.assertAlmostEqual(row["ratio"], required / limit, places=6)
                self.assertAlmostEqual(float(text["required_gb_per_s"]) / required, 1, places=9)
                self.assertLessEqual(row["share_of_peak"], 1)
        # A kernel of 2048 products shares nothing between them.
        self.assertEqual({row["batch"] for row in rows if row["layer"] in ("scores", "context")}, {2048})

    def test_bytes_of_a_block_are_those_of_six_tiles_and_three_generations(self):
        for tile, kilobytes in TILES.items():
            result, rows, _ = experiment("--sizes", tile, "--layers", "query_key_value", "--units", "tensor")
            self.assertEqual(result.code, 0, result.text)
            for machine, expected in zip(("v100", "rtx-titan", "a100"), kilobytes):
                row = next(row for row in rows if row["machine"] == machine and row["level"] == "l1")
                block = sum(row[f"block_{part}_bytes"] for part in ("ldg", "sts", "lds_a", "lds_b"))
                self.assertEqual((row["tile"], block), (tile, expected * 1024))
        # Bytes per cycle of a multiprocessor, of the tile 128x128x32: 96 for Volta, 64 for Turing.
        result, rows, _ = experiment("--sizes", "128x128x32", "--layers", "query_key_value", "--units", "tensor")
        required = {row["machine"]: row["required_gb_per_s"] for row in rows if row["level"] == "l1"}
        self.assertAlmostEqual(required["v100"], 96 * 1.37)
        self.assertAlmostEqual(required["rtx-titan"], 64 * 1.55)

    def test_it_is_proportional_to_the_rate_of_the_tensor_cores(self):
        result, rows, _ = experiment("--sizes", "128x128x32", "--units", "tensor", "--machines", "tcv1,tcnext")
        self.assertEqual(result.code, 0, result.text)
        of = {(row["machine"], row["layer"], row["network"], row["level"]): row["required_gb_per_s"] for row in rows}
        for (machine, *key), required in of.items():
            if machine == "tcv1":
                self.assertAlmostEqual(of[("tcnext", *key)] / required, 4, places=9)

    def test_the_levels_limit_what_the_paper_says_they_limit(self):
        result, rows, _ = experiment()
        self.assertEqual(result.code, 0, result.text)
        ratio = {(row["machine"], row["unit"], row["network"], row["layer"], row["level"]): row["ratio"] for row in rows}
        l1 = [value for key, value in ratio.items() if key[0] == "v100" and key[1] == "tensor" and key[4] == "l1"]
        self.assertGreater(sum(value > 0.8 for value in l1), 0.9 * len(l1))
        self.assertTrue(all(value < 1 for key, value in ratio.items() if key[1] == "lanes" and key[4] == "l1"))
        # BERT asks little of level 2 and DRAM, but for the products of attention.
        bert = {key[3]: value for key, value in ratio.items() if key[:3] == ("v100", "tensor", "bert-large") and key[4] == "dram"}
        self.assertGreater(min(bert["scores"], bert["context"]), 3 * max(
            value for layer, value in bert.items() if layer not in ("scores", "context")))

    def test_the_last_round_of_blocks_leaves_places_free(self):
        _, rows, _ = experiment("--layers", "classes", "--machines", "v100", "--units", "tensor", "--sizes", "64x64x32")
        # 4 x 16 blocks on 80 multiprocessors, each with room for several.
        places = 80 * rows[0]["resident_blocks"]
        self.assertEqual(rows[0]["thread_blocks"], 64)
        self.assertGreater(rows[0]["resident_blocks"], 1)
        self.assertAlmostEqual(rows[0]["tail_utilisation"], 64 / places)

    def test_a_report_draws_the_limits(self):
        with folder() as out:
            result = spica("experiment", "required-bandwidth", "--out", f"{out}/table", "--report", f"{out}/page.html")
            self.assertEqual(result.code, 0, result.text)
            page = pathlib.Path(out, "page.html").read_text(encoding="utf-8")
        data = json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])
        self.assertEqual({row["limit_gb_per_s"] for row in data["rows"] if row["level"] == "l1"}, {150, 76, 105})
        self.assertIn("requiredBars", page)

    def test_what_a_multiprocessor_moves_stands_beside_the_formulas(self):
        result, rows, table = experiment("--measure", "--layers", "conv3_1_a,scores", "--machines", "v100,rtx-titan,a100",
                                         "--sizes", "128x128x32")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("at most 256 rows and 256 columns of C and 8192 of k", result.out)
        self.assertEqual((len(rows), len(table)), (2 * 3 * 3, 2 * 3 * 3))
        steps = {"conv3_1_a": 2 * (256 // 32), "scores": 4 * (64 // 32)}  # thread blocks of 128x128, times tiles of k
        for row in rows:
            with self.subTest(**{key: row[key] for key in ("machine", "layer", "level")}):
                part = 1024 * TILES["128x128x32"][("v100", "rtx-titan", "a100").index(row["machine"])] * steps[row["layer"]]
                share = row["measured_part_bytes"] / row["formula_part_bytes"]
                self.assertAlmostEqual(row["measured_bytes"] / row["bytes"], share)
                self.assertAlmostEqual(row["measured_gb_per_s"] / row["required_gb_per_s"], share)
                self.assertEqual(row["measured_part"], {"conv3_1_a": "256x128x256", "scores": "256x256x64"}[row["layer"]])
                if row["level"] != "l1":
                    self.assertTrue(0.1 < share < 2, share)
                    continue
                self.assertEqual(row["formula_part_bytes"], part)
                # Asynchronous copies alone come by this way; else loads of loop ends and of the stack do, too.
                self.assertTrue(share == 1 if row["machine"] == "a100" else 1 < share < 1.25, share)

    def test_what_cannot_be_measured_is_said(self):
        with folder() as out:
            for name, machine in (("none", '""'), ("wrong", "virgo")):
                pathlib.Path(out, f"{name}.yaml").write_text(f"extends: gpus/v100\nmachine: {machine}\n", encoding="utf-8")
            options = ("--measure", "--layers", "scores", "--units", "tensor", "--machines")
            result, rows, _ = experiment(*options, f"{out}/none.yaml")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("0 of 1 rows", result.out)
            result, rows, _ = experiment(*options, f"{out}/wrong.yaml")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("a machine of these GPUs cannot be measured", result.err)
            pathlib.Path(out, "limited.yaml").write_text("extends: volta-sm\nrun: {max_cycles: 100}\n", encoding="utf-8")
            pathlib.Path(out, "wrong.yaml").write_text(f"extends: gpus/v100\nmachine: {out}/limited.yaml\n", encoding="utf-8")
            result, rows, _ = experiment(*options, f"{out}/wrong.yaml")
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("cycles: ", rows[0]["error"])
            self.assertIsNone(rows[0]["measured_bytes"])
        result = spica("experiment", "warps", "--measure")
        self.assertEqual(result.code, 2)
        self.assertIn("required-bandwidth", result.text)

    def test_mistakes_are_named_with_what_there_is(self):
        for options, message in ((("--layers", "conv9"), "conv9"), (("--machines", "h100"), "a100, rtx-titan"),
                                 (("--sizes", "1x1x1"), "128x128x32"), (("--units", "x"), "tensor, lanes"),
                                 (("--layouts", "nn"), "layout"), (("--set", "clusters=2"), "--set")):
            result, rows, _ = experiment(*options)
            self.assertEqual((result.code, rows), (2, []), options)
            self.assertIn(message, result.text)
        with folder() as out:
            file = pathlib.Path(out, "gpu.yaml")
            file.write_text("extends: gpus/v100\nclock_mhz: -1\ngb_per_s: {l3: 1}\n", encoding="utf-8")
            result, _, _ = experiment("--machines", str(file))
        self.assertEqual(result.code, 2)
        self.assertIn("gpu.yaml:2: clock_mhz", result.text)
        self.assertIn("gpu.yaml:3: gb_per_s.l3", result.text)


if __name__ == "__main__":
    unittest.main()
