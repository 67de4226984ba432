# SPDX-License-Identifier: Apache-2.0
"""Flash attention in all designs and with both exponentials, checked against a double-precision reference."""
import json
import pathlib
import struct
import unittest

from attention_runs import AttentionRuns
from formats_test import result_of
from spica_runner import elf, folder, spica, stats

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"

DESIGNS = ("virgo", "tc", "virgo-overlapped", "tc-overlapped")
PUBLISHED = ("virgo", "tc")
HALF = ("fp16-tc", "fp16-tc-overlapped", "fp16-hopper", "fp16-virgo-overlapped")
# All of them, with the tiles of 64 queries that they treat together.
EVERY = {"virgo": 2, "tc": 2, "virgo-overlapped": 2, "tc-overlapped": 1, "fp16-tc": 2, "fp16-tc-overlapped": 2, "fp16-hopper": 2,
         "fp16-virgo-overlapped": 2}
TILE = 64**3  # multiply-adds of a product of two tiles


class Attention(AttentionRuns):
    def test_a_softmax_in_another_order_than_the_design_says_differs_in_bits_only(self):
        shipped = CONFIGS / "designs/attention/virgo-overlapped.yaml"
        for order, code in ("lanes", 0), ("rows", 1), ("any", 0):
            with folder() as at:
                design = pathlib.Path(at) / "mine.yaml"
                design.write_text(shipped.read_text().replace("softmax: lanes", f"softmax: {order}"))
                result = spica("attention", "--design", design, "--sequence", 128, "--mode", "fast")
            self.assertEqual(result.code, code, result.text)
            self.assertEqual("; bit-exact" in result.out, order == "lanes", result.text)
            if code:
                self.assertRegex(result.out, r"WRONG RESULT[^$]*not bit-exact +[0-9,]+ elements, each within its tolerance")

    def both_lengths(self, *options):
        for sequence in (128, 256):
            data, _ = self.run_attention(*options, "--sequence", sequence)
            # Both products on a unit, or on four tensor cores, of 64 multiply-adds per cycle.
            self.assertAlmostEqual(data["utilisation"], 2 * sequence**2 * 64 / 64 / data["cycles"], places=9)

    def test_every_fp32_design_verifies_with_the_exact_exponential_and_the_polynomial(self):
        for design in DESIGNS:
            with self.subTest(design=design):
                self.both_lengths("--design", design)
                self.values("--design", design, "--sequence", 128, "--exponential", "polynomial")

    def test_very_unequal_weights_verify(self):
        for design in DESIGNS:
            self.values("--design", design, "--sequence", 256, "--spread", 50)

    def test_published_matrix_unit_kernel_makes_two_passes_more_than_tiles_with_seventeen_barriers_each(self):
        for sequence in (128, 256):
            data, cluster = self.counted("--design", "virgo", "--sequence", sequence, "--queries", 128, "--region", "published")
            tiles = 2 * sequence // 64
            # Scores in each pass, P V from the third on.
            self.assertEqual(cluster["matrix_unit_0"]["macs"]["in_region"], (tiles + 2 + tiles) * TILE)
            # Softmax, the barriers around it and the rescaling are left out in the first pass; one more for the loads. Of
            # the last barrier the release may be counted a cycle behind the marker.
            barriers = 17 * (tiles + 1) + 3 + 1
            self.assertIn(barriers - cluster["barrier"]["releases"]["in_region"], (0, 1))
            self.assertEqual(data["window"], "passes")

    def test_published_tensor_core_kernel_works_in_two_groups_with_their_own_barriers(self):
        found = {}
        for sequence in (128, 256):
            _, cluster = self.counted("--design", "tc", "--sequence", sequence, "--queries", 128, "--region", "published")
            self.assertEqual(sum(cluster[f"tensor_core_{core}"]["macs"]["in_region"] for core in range(4)),
                             2 * 128 * sequence * 64)
            found[sequence] = cluster["barrier"]["releases"]["in_region"]
        # A pass of a group: 2 + 1 around the scores, 24 of the softmax and one behind, one behind the loads, one behind the
        # rescaling, 2 + 1 around P V; and of both groups together two.
        self.assertEqual(found[256] - found[128], 2 * (2 * (3 + 24 + 1 + 1 + 1 + 3) + 2))

    def test_the_usual_region_ends_when_the_result_is_written_the_published_one_before(self):
        for design in (*PUBLISHED, "fp16-tc"):
            with self.subTest(design):
                usual, _ = self.run_attention("--design", design, "--sequence", 128)
                published, result = self.run_attention("--design", design, "--sequence", 128, "--region", "published")
                self.assertIn("timed          passes: from the configuration of the unit", result.out)
                self.assertEqual((usual["window"], published["window"]), ("results", "passes"))
                self.assertGreater(usual["cycles"], published["cycles"] + 128 * 64 / 32)  # which write the result
                self.assertLess(abs(usual["region"]["begin_marker"] - published["region"]["begin_marker"]), 20)

    def test_overlapped_designs_are_better_programs_than_the_published(self):
        for design in PUBLISHED:
            published, _ = self.run_attention("--design", design, "--sequence", 256)
            self.assertEqual(published["window"], "results")
            overlapped, _ = self.run_attention("--design", f"{design}-overlapped", "--sequence", 256)
            self.assertLess(overlapped["cycles"], 0.75 * published["cycles"])
            self.assertEqual(overlapped["window"], "results")

    def test_fp16_verifies_on_eight_cores_with_tensor_cores(self):
        for sequence, *options in (128,), (256,), (128, "--exponential", "polynomial"):
            data, result = self.run_attention("--design", "tc-overlapped", "--format", "fp16", "--sequence", sequence, *options)
            self.assertIn("on fp16-tc-overlapped", result.out)
            self.assertEqual((data["element"], data["design"]), ("fp16", "fp16-tc-overlapped"))
            self.assertAlmostEqual(data["utilisation"], 2 * sequence**2 * 64 / 256 / data["cycles"], places=9)
            macs = sum(data["stats"]["cluster_0"][f"tensor_core_{core}"]["macs"]["in_region"] for core in range(8))
            self.assertEqual(macs, 2 * sequence**2 * 64)
            self.check_errors_of_fp16(data)
        data, _ = self.values("--design", "tc-overlapped", "--format", "fp16", "--sequence", 256, "--exponential", "polynomial")
        self.check_errors_of_fp16(data)

    def check_errors_of_fp16(self, data):
        """Errors of FP16 numbers, not of FP32 ones."""
        self.assertGreater(data["largest_error"], 1e-5)
        self.assertLess(data["largest_error"], 0.01 * data["largest_output"])

    def test_fp16_in_the_published_structure_takes_half_of_the_rounds_with_twice_the_warps(self):
        found = {}
        for exponential in ("exact", "polynomial"):
            for sequence in (128, 256):
                data, result = self.run_attention("--design", "tc", "--format", "fp16", "--sequence", sequence,
                                                  "--queries", 128, "--exponential", exponential, "--region", "published")
                self.assertIn("on fp16-tc,", result.out)
                self.assertEqual((data["element"], data["window"]), ("fp16", "passes"))
                self.assertGreater(data["largest_error"], 1e-5)
                cluster = data["stats"]["cluster_0"]
                self.assertEqual(sum(cluster[f"tensor_core_{core}"]["macs"]["in_region"] for core in range(8)),
                                 2 * 128 * sequence * 64)
                found[sequence] = cluster["barrier"]["releases"]["in_region"]
            # As in FP32, but each product in one go and the softmax in two rounds.
            self.assertEqual(found[256] - found[128], 2 * (2 * (2 + 12 + 1 + 1 + 1 + 2) + 2))
        self.values("--design", "fp16-tc", "--sequence", 256, "--spread", 50)
        overlapped, _ = self.run_attention("--design", "fp16-tc-overlapped", "--sequence", 256, "--queries", 128)
        self.assertLess(overlapped["cycles"], 0.75 * data["cycles"])

    def test_fp16_with_scores_in_the_hundreds_is_compared_to_a_few_thousandths(self):
        for design in ("fp16-tc", "fp16-hopper", "fp16-virgo-overlapped"):
            data, _ = self.values("--design", design, "--sequence", 128, "--spread", 100)
            self.assertLess(data["allowed_error"], 0.005)
            self.values("--design", design, "--sequence", 128, "--spread", 300)

    def test_weights_that_the_errors_of_scores_leave_open_are_said_to_be_unchecked(self):
        shipped = CONFIGS / "designs/attention/fp16-tc.yaml"
        with folder() as out:
            design = pathlib.Path(out) / "mine.yaml"
            design.write_text(shipped.read_text().replace("softmax: rows", "softmax: any"))
            options = "--sequence", "128", "--spread", "100", "--exponential", "polynomial", "--mode", "fast", "--out", out
            by_bits = spica("attention", "--design", "fp16-tc", *options)  # whatever the bounds leave open
            self.assertEqual(by_bits.code, 0, by_bits.text)
            self.assertIn("verified", by_bits.out)
            result = spica("attention", "--design", design, *options)
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("NOT CHECKED", result.out)
            self.assertIn("choose a smaller --spread", result.out)
            self.assertFalse(stats(out)["verified"])

    def both_exponentials(self, *design):
        """Results of a design of FP16: timed ones, and others of which the values count."""
        some = "--sequence", 384, "--queries", 256
        polynomial = "--exponential", "polynomial"
        for options in ("--sequence", 128), some, ("--sequence", 128, *polynomial):
            data, result = self.run_attention(*design, *options)
            macs = 2 * data["queries"] * data["sequence"] * 64
            self.assertAlmostEqual(data["utilisation"], macs / 256 / data["cycles"], places=9)
            self.assertGreater(data["largest_error"], 1e-5)
            yield data, result, macs
        # No polynomial with very unequal weights: it is far from any exponential there, and beyond FP16.
        for options in (*some, *polynomial), ("--sequence", 256, "--spread", 50):
            data, _ = self.values(*design, *options)
            self.assertGreater(data["largest_error"], 1e-5)

    def test_fp16_verifies_on_the_matrix_unit(self):
        for data, result, macs in self.both_exponentials("--design", "virgo-overlapped", "--format", "fp16"):
            self.assertIn("on fp16-virgo-overlapped,", result.out)
            self.assertEqual(data["stats"]["cluster_0"]["matrix_unit_0"]["macs"]["in_region"], macs)

    def test_fp16_verifies_on_decoupled_tensor_cores(self):
        for data, _, macs in self.both_exponentials("--design", "fp16-hopper"):
            self.assertEqual(data["element"], "fp16")
            cores = [data["stats"]["cluster_0"][f"decoupled_tensor_core_{core}"] for core in range(4)]
            self.assertEqual(sum(core["macs"]["in_region"] for core in cores), macs)

    def test_fp16_probabilities_of_a_query_per_lane_meet_no_other_in_a_word_bank(self):
        # What is left of the unaligned path: 16 stores of scores by each of 64 warps, and the factors of O. One access of P
        # more by a lane would be 2,048 for each 128 queries and 64 keys.
        _, cluster = self.counted("--design", "fp16-tc-overlapped", "--sequence", 256, "--queries", 128)
        self.assertLess(cluster["shared_memory"]["unaligned_requests"]["in_region"] / 4, 6000)

    def test_fp16_verifies_with_very_unequal_weights_and_for_some_of_the_queries(self):
        self.values("--design", "tc-overlapped", "--format", "fp16", "--sequence", 256, "--spread", 50)
        data, _ = self.run_attention("--design", "fp16-tc-overlapped", "--sequence", 256, "--queries", 128)
        self.assertEqual(data["queries"], 128)

    def test_element_of_the_design_itself_may_be_said_and_another_is_refused_where_there_is_none(self):
        data, _ = self.run_attention("--design", "tc-overlapped", "--format", "fp32", "--sequence", 128)
        self.assertEqual(data["design"], "tc-overlapped")
        for design, element, only in (("virgo", "fp16", "FP32"), ("fp16-virgo-overlapped", "fp32", "FP16, BF16 and FP8"),
                                      ("fp16-tc", "fp32", "FP16, BF16 and FP8"), ("virgo", "bf16", "FP32")):
            result = spica("attention", "--design", design, "--format", element)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(f"attention design {design} is for {only} only", result.err)

    def both_modes(self, *options):
        outputs = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = spica("attention", *options, "--mode", mode, "--out", out, "--save-memory", f"{out}/o.bin")
                self.assertEqual(result.code, 0, result.text)
                data = stats(out)
                outputs.append(result_of(pathlib.Path(out, "o.bin")))
        self.assertTrue(data["verified"])
        self.assertTrue(outputs[0] and outputs[0] == outputs[1])
        return data

    def test_bf16_verifies_on_every_design_of_fp16_in_both_modes(self):  # long
        for design in HALF:
            for options in ((), ("--causal", "--heads", 2)):
                with self.subTest(design=design, options=options):
                    data = self.both_modes("--design", design, "--format", "bf16", "--sequence", 128, *options)
                    self.assertEqual(data["element"], "bf16")
                    # Errors of eight bits of a number, not of FP16 ones.
                    self.assertGreater(data["largest_error"], 2e-4)
                    self.assertLess(data["largest_error"], 0.02 * data["largest_output"])
        data, result = self.run_attention("--design", "virgo-overlapped", "--format", "bf16", "--sequence", 256, "--exponential", "polynomial")
        self.assertIn("on fp16-virgo-overlapped in bf16", result.out)

    def test_fp8_verifies_on_every_design_of_fp16_in_both_modes(self):  # long
        for design in HALF:
            errors = {}
            for element in ("fp8_e4m3", "fp8_e5m2"):
                for options in (("--sequence", 256), ("--sequence", 128, "--causal", "--heads", 2), ("--sequence", 128, "--spread", 20)):
                    with self.subTest(design=design, element=element, options=options):
                        data = self.both_modes("--design", design, "--format", element, *options)
                        self.assertEqual((data["design"], data["element"]), (design, element))
                        self.assertLess(data["allowed_error"], data["largest_output"])
                        errors.setdefault(element, data["largest_error"])
            self.assertLess(errors["fp8_e4m3"], errors["fp8_e5m2"])
            self.run_attention("--design", design, "--format", "fp8_e4m3", "--sequence", 128, "--exponential", "polynomial")
        for design in "tc", "virgo":
            _, result = self.run_attention("--design", f"{design}-overlapped", "--format", "fp8_e5m2", "--sequence", 128)
            self.assertIn(f"on fp16-{design}-overlapped in fp8_e5m2", result.out)

    def test_fp8_takes_half_of_the_steps_of_fp16(self):
        def computing(unit):
            regions = (part["in_region"] for part in unit.values())
            return sum(cycles["computing"] for cycles in regions if isinstance(cycles, dict) and "computing" in cycles)
        for design in HALF:
            found = {}
            for element, *options in ("fp16",), ("fp8_e4m3", "--format", "fp8_e4m3"):  # FP16 is what a design of FP16 has
                data, cluster = self.counted("--design", design, *options, "--sequence", 128)
                units = [unit for unit in cluster.values() if "macs" in unit and unit["macs"]["in_region"]]
                self.assertEqual(sum(unit["macs"]["in_region"] for unit in units), 2 * 128**2 * 64)
                found[element] = sum(map(computing, units)), data["utilisation"] * data["cycles"]
            self.assertAlmostEqual(found["fp16"][1], 2 * found["fp8_e4m3"][1], places=6)
            self.assertGreater(found["fp8_e4m3"][0], 0)
            self.assertEqual(found["fp16"][0], 2 * found["fp8_e4m3"][0])

    def test_fp8_on_a_matrix_unit_follows_the_warps_and_wants_results_in_bf16(self):
        for cores in 1, 2:
            self.run_attention("--design", "fp16-virgo-overlapped", "--format", "fp8_e4m3", "--sequence", 128, "--causal",
                               "--set", f"cluster.cores={cores}")
        for element, other in ("fp8_e4m3", "fp16"), ("fp16", "bf16"):
            result = spica("attention", "--design", "fp16-virgo-overlapped", "--format", element, "--sequence", 128,
                           "--set", f"cluster.matrix_units.0.result={other}")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("--set cluster.matrix_units.0.result=standard", result.err)

    def test_fp8_is_refused_where_no_kernel_has_it(self):
        result = spica("attention", "--design", "virgo", "--format", "fp8_e4m3", "--sequence", 128)
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("is for FP32 only", result.err)
        with folder() as at:
            design = pathlib.Path(at) / "mine.yaml"
            design.write_text("kernel: attention_fp16_hopper\nsource: mine.cpp\nconfig: fp16-hopper\nunit: decoupled_tensor_core\n"
                              "element: fp16\nlayout: decoupled\nroundings: {product: 34, carried: 33}\n")
            (design.parent / "mine.cpp").write_text("int main() { return 0; }\n")
            result = spica("attention", "--design", design, "--format", "fp8_e4m3", "--sequence", 128)
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("its source does not support FP8_E4M3 (the FP16 sources of Spica support BF16 and FP8)", result.err)

    def test_the_experiment_has_cost_and_error_of_each_element(self):  # long
        with folder() as out:
            result = spica("experiment", "attention-formats", "--designs", "fp16-hopper,fp16-virgo-overlapped", "--out", out, "--jobs", "2")
            self.assertEqual(result.code, 0, result.text)
            rows = json.loads(pathlib.Path(out, "results.json").read_text())
        self.assertEqual(len(rows), 8)
        self.assertRegex(result.out, r"fp16-hopper +fp8_e4m3 +fp32 +fp8_e4m3-1024 ")
        for design in "fp16-hopper", "fp16-virgo-overlapped":
            of_design = {row["element"]: row for row in rows if row["design"] == design}
            self.assertEqual(list(of_design), ["fp16", "bf16", "fp8_e4m3", "fp8_e5m2"])
            errors = [row["rms_error"] for row in of_design.values()]
            self.assertEqual(errors, sorted(errors))
            for row in of_design.values():
                self.assertLess(row["rms_error"], row["max_error"])
                self.assertGreater(row["pj_per_mac"], 0)

    def test_an_element_that_is_asked_for_has_the_numbers_of_all_others(self):
        asked, _ = self.run_attention("--design", "fp16-virgo-overlapped", "--format", "fp16", "--sequence", 128)
        own, _ = self.run_attention("--design", "fp16-virgo-overlapped", "--sequence", 128)
        self.assertEqual(asked["cycles"], own["cycles"])
        self.assertNotIn("rms_error", own)
        finer, _ = self.run_attention("--design", "virgo", "--format", "fp32", "--sequence", 128)
        coarser, _ = self.run_attention("--design", "virgo-overlapped", "--format", "bf16", "--sequence", 128)
        self.assertLess(finer["rms_error"], 1e-6)
        self.assertLess(finer["rms_error"], asked["rms_error"])
        self.assertLess(asked["rms_error"], coarser["rms_error"])

    def test_fp16_kernels_name_the_machine_they_need(self):
        result = spica("attention", "--design", "fp16-tc-overlapped", "--config", "attention")
        self.assertEqual(result.code, 2)
        virgo = spica("attention", "--design", "fp16-virgo-overlapped", "--config", "fp16-ampere")
        self.assertEqual(virgo.code, 2)
        self.assertIn("8 or 16 or 32 warps of 8 lanes", virgo.err)
        hopper = spica("attention", "--design", "fp16-hopper", "--config", "fp16-ampere")
        self.assertEqual(hopper.code, 2)
        for needed in ("256 hardware threads", "--set cluster.tensor_core.style=decoupled"):
            self.assertIn(needed, hopper.err)
        for needed in ("--set cluster.matrix_units.0.dim=16", "128 KiB", "512 hardware threads", "--set cluster.tensor_core.operand=fp16"):
            self.assertIn(needed, result.err)

    def test_some_of_the_queries_give_the_first_rows_of_the_output(self):
        for design in DESIGNS:
            some, result = self.run_attention("--design", design, "--sequence", 256, "--queries", 128)
            every, _ = self.run_attention("--design", design, "--sequence", 256)
            self.assertIn("256x64, 128 queries on", result.out)
            self.assertEqual((some["queries"], every["queries"]), (128, 256))
            self.assertAlmostEqual(2 * some["cycles"] / every["cycles"], 1, delta=0.1)
            self.assertAlmostEqual(some["utilisation"], 2 * 128 * 256 * 64 / 64 / some["cycles"], places=9)

    def test_numbers_of_queries_that_do_not_fit_are_refused(self):
        for queries in (64, 100, 512):
            result = spica("attention", "--sequence", 256, "--queries", queries)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("multiple of 128, at most the sequence length 256", result.err)

    def test_published_kernels_say_how_long_a_sequence_their_commands_can_load(self):
        for design in PUBLISHED:
            result = spica("attention", "--design", design, "--sequence", 4096)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(f"at most 3968 for design {design}", result.err)
        result = spica("attention", "--design", "virgo-overlapped", "--sequence", 4096, "--queries", 128, "--mode", "fast")
        self.assertEqual(result.code, 0, result.text)

    def test_polynomial_names_its_distance_to_the_softmax(self):
        data, result = self.run_attention("--sequence", 128, "--exponential", "polynomial")
        self.assertGreater(data["distance_to_softmax"], 100 * data["allowed_error"])
        self.assertIn("from the true softmax", result.out)

    def test_published_length_keeps_the_matrix_unit_busy_with_256_queries(self):
        data, _ = self.run_attention("--design", "virgo-overlapped", "--queries", 256)
        self.assertEqual((data["sequence"], data["head_dim"]), (1024, 64))
        self.assertGreater(data["utilisation"], 0.9)

    def test_published_size_keeps_the_matrix_unit_busy(self):  # long
        data, _ = self.run_attention("--design", "virgo-overlapped")
        self.assertEqual((data["sequence"], data["head_dim"]), (1024, 64))
        self.assertGreater(data["utilisation"], 0.9)

    def test_seed_changes_the_operands_not_the_cycles(self):
        first, _ = self.run_attention("--sequence", 128, "--seed", 1)
        second, _ = self.run_attention("--sequence", 128, "--seed", 2)
        self.assertEqual(first["cycles"], second["cycles"])
        self.assertNotEqual(first["largest_output"], second["largest_output"])

    def test_sequence_that_does_not_fit_is_refused(self):
        for sequence in (0, 64, 100, 1000):
            result = spica("attention", "--sequence", sequence)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("multiple of 128", result.err)
        self.assertEqual(spica("attention", "--sequence", "many").code, 2)

    def test_other_head_dimension_is_refused(self):
        result = spica("attention", "--head-dim", 128)
        self.assertEqual(result.code, 2)
        self.assertIn("64", result.err)

    def test_machine_that_the_kernel_does_not_fit_is_named(self):
        result = spica("attention", "--config", "virgo")
        self.assertEqual(result.code, 2)
        self.assertIn("hexadecile", result.err)
        self.assertIn("256 KiB", result.err)
        result = spica("attention", "--design", "tc-overlapped", "--set", "cluster.cores=2")
        self.assertEqual(result.code, 2)
        self.assertIn("256 hardware threads (cluster.core.warps=16 would do)", result.err)
        result = spica("attention", "--set", "cluster.core.lanes=16")
        self.assertEqual(result.code, 2)
        self.assertIn("cluster.core.lanes=8", result.err)
        result = spica("attention", "--set", "cluster.core.load_store.merge_duplicates=false")
        self.assertEqual(result.code, 2)
        self.assertIn("--set cluster.core.load_store.merge_duplicates=true", result.err)
        result = spica("attention", "--design", "tc", "--set", "cluster.tensor_core.present=false")
        self.assertEqual(result.code, 2)
        self.assertIn("--set cluster.tensor_core.present=true", result.err)

    def test_causal_attention_and_several_heads_verify_in_all_designs(self):  # long
        for design, group in EVERY.items():
            for options, heads, causal in ((("--causal",), 1, True), (("--heads", 2), 2, False),
                                           (("--causal", "--heads", 3, "--sequence", 384, "--queries", 256), 3, True)):
                sequence = 384 if "--sequence" in options else 256
                data, result = self.run_attention("--design", design, *(() if sequence == 384 else ("--sequence", 256)), *options)
                queries = data["queries"]
                pairs = queries * (queries + 1) // 2 if causal else queries * sequence
                peak = 64 if data["element"] == "fp32" else 256
                self.assertAlmostEqual(data["utilisation"], heads * 2 * pairs * 64 / peak / data["cycles"], places=9)
                self.assertEqual((data.get("heads", 1), data.get("causal", False)), (heads, causal))
                self.assertIn(f"{heads} heads of" if heads > 1 else "causal on", result.out)
                if design in PUBLISHED or design == "fp16-tc":
                    continue  # with products that nobody uses, and regions of 128 queries
                # Tiles of keys that the queries of a group see; none of those behind.
                blocks = [first // 64 + group if causal else sequence // 64 for first in range(0, queries, 64 * group)]
                cluster = data["stats"]["cluster_0"]
                units = [unit for name, unit in cluster.items() if "macs" in unit and unit["macs"]["in_region"]]
                self.assertEqual(sum(unit["macs"]["in_region"] for unit in units), heads * sum(blocks) * group * 2 * TILE)

    def check_tiles_saved(self, shorter, longer, of):
        """Each tile of keys that is left out saves its time; one across the diagonal has a mask, a sixth of a tile at most."""
        for design, group in ("tc-overlapped", 1), ("virgo-overlapped", 2):
            cycles = {sequence: self.run_attention("--design", design, "--sequence", sequence)[0]["cycles"] for sequence in (shorter, longer)}
            # Twice as many rows of twice as many tiles less twice the shorter one's: half of all tiles, and no row more.
            tile = (cycles[longer] - 2 * cycles[shorter]) / ((longer // 64) ** 2 / 2)
            for sequence in of:
                with self.subTest(design=design, sequence=sequence):
                    causal = self.run_attention("--design", design, "--sequence", sequence, "--causal")[0]["cycles"]
                    every, rows = cycles[sequence], sequence // 64
                    seen = sum(first + group for first in range(0, rows, group)) * group
                    self.assertGreater(causal / every, seen / rows ** 2)  # what is not done by tiles stays
                    masks = causal - (every - (rows ** 2 - seen) * tile)
                    self.assertLess(masks, tile / 6 * rows)
                    self.assertGreater(masks, -tile / 6 * rows)

    def test_causal_attention_saves_the_tiles_that_no_query_sees(self):
        self.check_tiles_saved(128, 256, of=(256,))

    def test_causal_attention_of_twice_the_length_saves_the_tiles_that_no_query_sees(self):  # long
        self.check_tiles_saved(256, 512, of=(256, 512))

    def test_each_head_has_operands_of_its_own_and_the_first_those_of_a_run_of_one(self):
        def output(*options):
            with folder() as at:
                file = pathlib.Path(at) / "memory"
                result = spica("attention", "--design", "virgo-overlapped", "--sequence", 128, "--mode", "fast", "--save-memory", file, *options)
                self.assertEqual(result.code, 0, result.text)
                bytes_ = file.read_bytes()
            pages = {int.from_bytes(bytes_[at:at + 8], "little"): bytes_[at + 8:at + 4104] for at in range(0, len(bytes_), 4104)}
            return [[pages[0xC0000000 + head * 0x8000 + page * 4096] for page in range(8)]
                    for head in range(3) if 0xC0000000 + head * 0x8000 in pages]
        for causal in (), ("--causal",):
            one, three = output(*causal), output("--heads", 3, *causal)
            self.assertEqual((len(one), len(three)), (1, 3))
            self.assertEqual(three[0], one[0])
            self.assertNotEqual(three[1], three[0])
            self.assertNotEqual(three[2], three[1])
        # The first query sees the first key alone: O has the first row of V.
        first = struct.unpack("<64f", one[0][0][:256])
        self.assertNotEqual(first, struct.unpack("<64f", output()[0][0][:256]))

    def test_what_cannot_be_causal_or_have_so_many_heads_is_refused_with_what_can(self):
        result = spica("attention", "--causal", "--exponential", "polynomial")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("needs --exponential exact", result.err)
        for sequence, most in (128, 512), (65536, 1):
            for heads in (0, most + 1):
                result = spica("attention", "--design", "virgo-overlapped", "--sequence", sequence, "--heads", heads)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(f"at most {most} heads fit with {sequence} keys", result.err)
        with folder() as at:
            design = pathlib.Path(at) / "mine.yaml"
            design.write_text(f"kernel: {elf('attention_tc_overlapped')}\nconfig: attention\nunit: tensor_core\nroundings: {{product: 34, carried: 33}}\n")
            for option, what in ((("--causal",), "causal attention"), (("--heads", 2), "several heads")):
                result = spica("attention", "--design", design, "--sequence", 128, *option)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(f"has no source that could be compiled for {what}", result.err)

    def test_designs_follow_the_warps_of_the_machine_or_say_how_many_would_do(self):  # long
        for design, machines in (("virgo-overlapped", ((1, 8), (2, 8), (8, 4))), ("fp16-virgo-overlapped", ((1, 8), (2, 8), (4, 8))),
                                 ("virgo", ((2, 8), (4, 8), (8, 8))), ("tc", ((2, 8), (8, 8), (2, 16))), ("fp16-tc", ((4, 8), (4, 16)))):
            cycles = {}
            for cores, warps in machines:
                data, _ = self.run_attention("--design", design, "--sequence", 128, "--set", f"cluster.cores={cores}", "--set", f"cluster.core.warps={warps}")
                cycles[cores * warps] = data["cycles"]
            self.assertEqual(sorted(cycles, key=cycles.get), sorted(cycles, reverse=True))  # more warps, fewer cycles
        for options in ("--causal", "--heads", 2), ("--exponential", "polynomial"):
            self.run_attention("--design", "virgo-overlapped", "--sequence", 256, "--set", "cluster.cores=2", *options)
            self.run_attention("--design", "fp16-virgo-overlapped", "--sequence", 256, "--set", "cluster.cores=1", *options)
            self.run_attention("--design", "tc", "--sequence", 256, "--set", "cluster.cores=2", *options)
        for design in "virgo-overlapped", "tc-overlapped", "fp16-virgo-overlapped", "fp16-hopper":
            self.run_attention("--design", design, "--sequence", 128, "--set", "cluster.cores=2", "--set", "cluster.core.warps=16")
            result = spica("attention", "--design", design, "--sequence", 128, "--set", "cluster.cores=8", "--set", "cluster.core.warps=8")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("cluster.core.warps=4 would do", result.err)
            self.run_attention("--design", design, "--sequence", 128, "--set", "cluster.cores=8", "--set", "cluster.core.warps=4")


if __name__ == "__main__":
    unittest.main()
