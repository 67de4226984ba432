# SPDX-License-Identifier: Apache-2.0
"""Matrix products at once: spica concurrent, tune, train and the experiments of them."""
import contextlib
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import unittest

from spica_runner import folder, level_2, spica, stats

SCHEDULES = ("sequential", "default", "go", "goldyloc", "oracle", "cu-partition",
             "resource-partition")


def run(out, gemm, available, schedule, *more):
    result = spica("concurrent", "--gemm", gemm, "--available", available, "--schedule", schedule, "--out", out, *more)
    assert result.code == 0, result.text
    return stats(out)


class Concurrent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        work = pathlib.Path(cls.work.name)
        cls.list = work / "list.yaml"
        cls.list.write_text("gemms: [32_32_32_00, 64_32_32_10]\nkernels: [gemm_32x32x16, gemm_32x16x16, gemm_64x64x16]\n"
                            "machines: [mgpu-4, mgpu-2]\nrounds: 1\n")
        cls.library, cls.weights = work / "library.json", work / "weights.json"
        result = spica("tune", cls.list, "--out", cls.library, "--dir", work / "tune")
        assert result.code == 0, result.text
        result = spica("train", cls.library, "--out", cls.weights)
        assert result.code == 0, result.text
        cls.options = ("--library", cls.library, "--config", "mgpu-4")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def test_every_schedule_gives_the_right_results_in_both_modes(self):
        for schedule in SCHEDULES:
            for gemm, more in (("64_32_32_10", ()), ("32_32_32_00", ("--set", "run.mode=fast"))):
                with self.subTest(schedule=schedule, gemm=gemm), folder() as out:
                    model = ("--weights", self.weights) if schedule == "goldyloc" else ()
                    said = run(out, gemm, 4, schedule, *self.options, *model, *more)
                    self.assertTrue(said["verified"])
                    self.assertEqual((said["gemm"], said["available"]), (gemm, 4))
                    self.assertAlmostEqual(said["waves"], said["groups"] / (4 * said["occupancy"]))

    def test_a_library_has_the_fastest_of_the_kernels(self):
        library = json.loads(self.library.read_text())
        self.assertEqual(library["machine"], "mgpu-4")
        first = library["products"][0]
        self.assertEqual([one["degree"] for one in first["degrees"]], [1, 2, 4, 8, 16])
        for degree in first["degrees"][:2]:
            times = {}
            for kernel in ("gemm_32x32x16", "gemm_32x16x16"):
                with folder() as out:
                    times[kernel] = run(out, first["gemm"], degree["degree"], "default", "--kernel", kernel,
                                        "--config", "mgpu-4")["cycles"]
            self.assertEqual(degree["cycles"], times[degree["kernel"]])
            if degree["degree"] == 1:
                self.assertEqual(degree["cycles"], min(times.values()))
            else:  # the other is no candidate, or slower
                self.assertLessEqual(degree["cycles"], times[first["degrees"][0]["kernel"]])
        again = spica("tune", self.list, "--out", self.library, "--dir", pathlib.Path(self.work.name, "tune"))
        self.assertEqual(again.code, 0)
        self.assertEqual(json.loads(self.library.read_text()), library)  # from the records

    def test_one_stream_is_a_single_run_and_several_in_turn_are_several(self):
        with folder() as out:
            alone = run(out, "32_32_32_00", 1, "default", *self.options)["cycles"]
            self.assertEqual(run(out, "32_32_32_00", 1, "sequential", *self.options)["cycles"], alone)
            four = run(out, "32_32_32_00", 4, "sequential", *self.options)["cycles"]
            self.assertTrue(3 * alone < four < 4.1 * alone, (alone, four))  # code is in the caches from the second one on

    def test_a_decision_takes_its_time_before_the_first_kernel(self):
        def cycles(own):
            return math.ceil(own * 400 / 1500)
        begin = 1  # the cycle in which it sees the doorbells
        heads = 2 * 31  # four queues, two heads per access
        for us in (8, 0):
            with folder() as out:
                said = run(out, "32_32_32_00", 4, "goldyloc", *self.options, "--weights", self.weights, "--set", f"command_processor.decision_us={us}")
                rest = max(us * 1500, 2 * heads) - heads
                self.assertEqual(said["launched"], begin + cycles(heads) + cycles(rest))
                self.assertGreaterEqual(said["stats"]["command_processor"]["decisions"]["value"], 1)
        with folder() as out:
            self.assertEqual(run(out, "32_32_32_00", 4, "default", *self.options)["launched"], begin + cycles(heads))

    def test_the_model_is_the_oracle_where_both_say_the_same_in_no_time(self):
        cycles = {}
        for schedule in ("goldyloc", "oracle"):
            with folder() as out:
                said = run(out, "32_32_256_00", 2, schedule, "--set", "command_processor.decision_us=0")
                self.assertEqual(said["degree"], 2)
                cycles[schedule] = said["cycles"]
        self.assertEqual(cycles["goldyloc"], cycles["oracle"])

    def test_additions_run_beside_products(self):
        with folder() as out:
            alone = run(out, "32_32_32_00", 2, "default", *self.options)
            beside = run(out, "32_32_32_00", 2, "default", "--additions", 2, *self.options)
        kernels = [said["stats"]["command_processor"]["kernels"]["value"] for said in (alone, beside)]
        self.assertEqual(kernels, [2, 4])

    def test_two_kinds_share_the_machine(self):
        with folder() as out:
            result = spica("concurrent", "--gemm", "32_32_32_00,64_32_32_10", "--available", 4, *self.options)
            self.assertEqual(result.code, 2)
            self.assertIn("the same transposes", result.err)
            for schedule, model in (("default", ()), ("goldyloc", ("--weights", self.weights))):
                said = run(out, "32_32_32_00,64_32_32_00", 4, schedule, "--kernel", "gemm_32x16x16", *model, *self.options[2:])
                self.assertEqual(said["gemm"], "32_32_32_00,64_32_32_00")

    def test_products_with_resources_of_their_own(self):
        def parts(gemm, available, *more):
            with folder() as out:
                said = run(out, gemm, available, "resource-partition", *self.options[2 if "--kernel" in more else 0:], *more)
                self.assertTrue(said["verified"])
                l2 = level_2(said)
                self.assertNotIn(f"part_{available}_hits", l2)
                return said, [{name: l2[f"part_{i}_{name}"] for name in ("hits", "misses", "lines", "evictions")}
                              for i in range(available)]
        for available in (2, 4):
            with self.subTest(available):
                said, all_parts = parts("32_32_32_00", available)
                for what, kinds in (("hits", ("read_hits", "write_hits")),
                                    ("misses", ("read_misses", "read_merged", "write_misses", "write_merged"))):
                    self.assertEqual(sum(part[what] for part in all_parts),
                                     sum(level_2(said)[kind] for kind in kinds))
                for part in all_parts:  # C of each is there at the end, and what was fetched for it
                    self.assertGreaterEqual(part["lines"], 32 * 32 * 4 // 64)
        # A small product beside a large one, in a cache that one of them fills: what the large one does not reach, it keeps.
        little = ("--set", "l2.size_bytes=16384", "--kernel", "gemm_32x16x16")
        _, (first, second) = parts("32_32_32_00,64_64_256_00", 2, *little)
        self.assertGreater(second["evictions"], 4 * first["evictions"])
        with folder() as out:
            run(out, "32_32_32_00,64_64_256_00", 2, "resource-partition", *self.options[2:], *little, "--set", "run.mode=fast")

    def test_mistakes_are_told(self):
        cases = ((("--gemm", "32_32"), "M_N_K_T1T2"),
                 (("--gemm", "96_32_32_00"), "the library has no product 96_32_32_00; it has 32_32_32_00"),
                 (("--gemm", "32_32_32", "--kernel", "gemm_64x64x16"), "not a multiple"),
                 (("--gemm", "32_32_32", "--kernel", "gemm_64x64x16", "--library", "x"), "--library has no effect with --kernel"),
                 (("--gemm", "32_32_32_00", "--weights", "x"), "--weights does nothing without --schedule=goldyloc"),
                 (("--gemm", "32_32_32_00", "--schedule", "resource-partition", "--available", "3"), "possible numbers: 1, 2, 4"))
        for words, message in cases:
            with self.subTest(message):
                result = spica("concurrent", *words, *self.options[2 if "--kernel" in words else 0:])
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(message, result.err)
        for sets, messages in ((("l2.partitions=3",), ("ways must be a multiple of partitions", "with 8 clusters and 8 ways, l2.partitions can be 1, 2, 4, 8")),
                               (("l2.partitions=4", "l2.ways=6", "l2.size_bytes=393216"), ("for example 4 or 8",))):
            result = spica("config", "mgpu-8", *(word for one in sets for word in ("--set", one)))
            self.assertEqual(result.code, 2, result.text)
            for message in messages:
                self.assertIn(message, result.err)
        with folder() as out:
            wrong = pathlib.Path(out, "wrong.yaml")
            wrong.write_text("gemms: [32_32]\nkernels: [tile]\n")
            result = spica("tune", wrong)
            self.assertEqual(result.code, 2)
            for message in ("gemms[0]", "kernels[0]"):
                self.assertIn(message, result.err)

    def test_the_experiment_has_a_row_for_each_design(self):
        with folder() as out:
            result = spica("experiment", "concurrent-gemm", "--gemms", "32_32_64_00", "--available", "2", "--out", f"{out}/table",
                           "--report", f"{out}/page.html")
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads(pathlib.Path(out, "table/results.json").read_text())
            self.assertIn("goldyloc", pathlib.Path(out, "page.html").read_text())
        of = {row["design"]: row for row in rows}
        self.assertEqual(list(of), list(SCHEDULES))
        for row in rows:
            self.assertEqual((row["gemm"], row["available"]), ("32_32_64_00", 2))
            self.assertAlmostEqual(row["speedup"], of["sequential"]["cycles"] / row["cycles"])
            for column in ("degree", "waves", "llc_misses", "dram_bytes"):
                self.assertGreater(row[column], 0, column)
            self.assertGreaterEqual(row["dram_bytes"], 2 * 4 * (32 * 64 + 64 * 32))  # A and B at least
        self.assertEqual((of["sequential"]["degree"], of["default"]["degree"]), (1, 2))


class ShippedLibrary(unittest.TestCase):
    """configs/concurrent, and what docs/results.md concludes from it."""
    ROOT = pathlib.Path(__file__).resolve().parents[2]

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(cls.ROOT / "platform/tools"))
        import concurrent_orderings
        cls.orderings = concurrent_orderings.Orderings()
        cls.module = concurrent_orderings

    def test_the_drawn_products_are_those_of_the_list(self):
        done = subprocess.run([sys.executable, "-B", self.ROOT / "platform/tools/draw_products.py", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        listed = re.findall(r"\d+_\d+_\d+_\d\d", (self.ROOT / "configs/concurrent/gemm_tile.yaml").read_text())
        library = json.loads((self.ROOT / "configs/concurrent/gemm_tile.json").read_text())
        self.assertEqual([one["gemm"] for one in library["products"]], listed)
        self.assertEqual(len(self.orderings.of), 30)

    def test_its_kernels_are_the_fastest_ones_that_were_tried(self):
        for gemm, degrees in self.orderings.of.items():
            for number, degree in degrees.items():
                tried = {kernel: cycles for (of, kernel, available), cycles in self.orderings.times.items() if (of, available) == (gemm, number)}
                self.assertEqual((degree["cycles"], tried[degree["kernel"]]), (min(tried.values()),) * 2, (gemm, number))

    def test_runs_have_the_cycles_of_the_library(self):
        least = sorted(self.orderings.of, key=lambda gemm: math.prod(int(word) for word in gemm.split("_")[:3]))
        for gemm, number in ((least[0], 1), (least[1], 2), (least[2], 4)):
            with folder() as out:
                said = run(out, gemm, number, "default" if number == 1 else "go")
            self.assertEqual(said["cycles"], self.orderings.of[gemm][number]["cycles"], (gemm, number))

    def test_the_page_has_the_orderings(self):
        page = (self.ROOT / "docs/results.md").read_text()
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            self.module.main()
        for line in text.getvalue().splitlines():
            self.assertIn(line, page)


if __name__ == "__main__":
    unittest.main()
