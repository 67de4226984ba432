# SPDX-License-Identifier: Apache-2.0
"""`spica numerics`, and machines with the numerics of a silicon."""
import json
import pathlib
import random
import struct
import unittest

from formats_test import result_of, write_npy
from spica_runner import folder, spica, stats

NUMERICS = "cluster.tensor_core.warp.numerics"


def write_matrix(file, rows, columns, seed):
    """FP32 numbers of many magnitudes, so that rules of sums differ."""
    draw = random.Random(seed)
    numbers = [draw.choice((-1, 1)) * draw.uniform(1, 2) * 2.0**draw.randint(-9, 2) for _ in range(rows * columns)]
    write_npy(file, "<f4", (rows, columns), struct.pack(f"<{len(numbers)}f", *numbers))


class Command(unittest.TestCase):
    def test_each_machine_with_fragments_adds_like_its_silicon(self):
        for config, names in (("volta-sm", "V100"), ("titanv-sm", "V100"), ("turing-sm", "T4, RTX 20"),
                              ("ampere-sm", "A100, A2, Ada, L40S")):
            result = spica("numerics", config, "--format", "fp16")
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(result.out.count("adds like: " + names), 2, result.text)

    def test_other_units_are_like_no_silicon(self):
        for config in ("virgo", "fp16-hopper", "fp16-volta", "fp16-virgo"):
            result = spica("numerics", config)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("adds like: no", result.out)

    def test_the_table_has_the_words_of_here_and_of_silicon_and_marks_differences(self):
        result = spica("numerics", "volta-sm", "--format", "fp16")
        line = next(line for line in result.out.splitlines() if line.startswith("F1 "))
        self.assertRegex(line, r"^F1 +00000000 +00000000 +33800000\* ")

    def test_like_compares(self):
        for options, code, text in ((("ampere-sm", "--like", "A100"), 0, "adds like ampere"),
                                    (("ampere-sm", "--like", "hopper", "--format", "fp16"), 1, "differs from hopper in F2, F6, F7"),
                                    (("ampere-sm", "--like", "hopper", "--format", "fp16", "--set", f"{NUMERICS}=hopper"), 0,
                                     "adds like hopper"),
                                    (("volta-sm", "--like", "hopper", "--set", f"{NUMERICS}=tree_fp32"), 1, "differs from hopper"),
                                    # Rules that no fingerprint of the format tells apart.
                                    (("virgo", "--like", "cdna3"), 1, "has another rule than cdna3"),
                                    (("ampere-sm", "--like", "blackwell", "--format", "fp4_e2m1", "--set", f"{NUMERICS}=custom",
                                      "--set", "cluster.tensor_core.warp.sum_fraction_bits=3"), 1, "has another rule than blackwell"),
                                    (("turing-sm", "--like", "ampere", "--format", "int8"), 0, "adds like ampere")):
            result = spica("numerics", *options)
            self.assertEqual(result.code, code, result.text)
            self.assertIn(text, result.out)

    def test_uncertain_rules_are_marked_everywhere(self):
        for options in (("turing-sm",), ("--list",), ("turing-sm", "--like", "turing"), ("--explain", "X1")):
            result = spica("numerics", *options)
            self.assertIn("UNCERTAIN", result.out, options)
        rules = json.loads(spica("numerics", "--list", "--json").out)
        self.assertTrue(all(rule["uncertain"] for rule in rules if rule["numerics"] == "turing" and rule["result"] != "int32"))
        self.assertFalse(any(rule["uncertain"] for rule in rules if rule["numerics"] == "volta" and rule["result"] == "fp32"))

    def test_json_has_what_the_text_has(self):
        units = json.loads(spica("numerics", "ampere-sm", "--json").out)
        of = {(unit["operands"], unit["result"]): unit for unit in units}
        self.assertEqual(of["fp16", "fp32"]["fingerprints"]["F6"], "30800000")
        self.assertIn("F6", of["fp16", "fp32"]["silicon"]["hopper"]["differs_in"])
        self.assertEqual(of["int8", "int32"]["rule"], "exact; 32 bits that wrap")

    def test_explain_shows_the_steps(self):
        result = spica("numerics", "--explain", "F6", "--like", "hopper")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("k=8 0x1p-30 cut to 0x0p+0, 0x1p-30 lost", result.out)

    def test_every_instruction_with_rules_is_listed(self):
        rules = json.loads(spica("numerics", "--list", "--json").out)
        self.assertEqual({rule["instruction"] for rule in rules}, {"mma", "wgmma", "tcgen05", "mfma", "mfma_1k"})

    def test_settings_of_a_unit_that_the_machine_lacks_are_named(self):
        result = spica("numerics", "virgo", "--set", "cluster.tensor_core.present=false", "--set", "cluster.tensor_core.numerics=cdna3")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("warning: --set cluster.tensor_core.numerics=cdna3 has no effect", result.err)

    def test_wrong_requests_are_named_with_what_exists(self):
        for options, text in ((("ampere-sm", "--like", "pascal"), "unknown silicon; known: volta, turing"),
                              (("ampere-sm", "--format", "fp4"), "multiply fp16, bf16"),
                              (("--explain", "F0"), "unknown fingerprint; known: F1, F2"),
                              (("--explain", "F29", "--like", "volta"), "volta has no rule for mxfp8_e4m3 -> fp32"),
                              (("volta-sm", "--format", "fp16", "--set", f"{NUMERICS}=maxwell"), "maxwell"),
                              (("virgo", "--like", "volta"), "volta has no rule for any of these formats"),
                              (("--list", "--format", "fp16"), "--format")):
            result = spica("numerics", *options)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.err)


class Machines(unittest.TestCase):
    def product(self, design, mode, *options):
        with folder() as out:
            for name, rows, columns in (("a", 128, 64), ("b", 64, 128)):
                write_matrix(f"{out}/{name}.npy", rows, columns, name)
            result = spica("gemm", "--design", design, "--a", f"{out}/a.npy", "--b", f"{out}/b.npy", "--mode", mode, "--out", out,
                           "--save-memory", f"{out}/memory", *options)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("bit-exact", result.out)
            return result_of(pathlib.Path(out, "memory")), stats(out)["numerics"], result.out

    def test_sums_are_those_of_the_numerics_in_both_modes(self):
        words = {}
        for numerics in ("style", "hopper", "cdna1", "custom"):
            keys = {"custom": ("--set", "cluster.tensor_core.warp.step_products=16", "--set", "cluster.tensor_core.warp.c_enters=last")}
            options = ("--set", f"{NUMERICS}={numerics}", *keys.get(numerics, ()))
            found = [self.product("ampere-fp32", mode, *options) for mode in ("cycle", "fast")]
            self.assertTrue(found[0][0] == found[1][0], numerics)
            self.assertIn(f"  sums           {found[0][1]}\n", found[0][2])
            words[numerics] = found[0][0]
        self.assertEqual(len({tuple(sorted(pages.items())) for pages in words.values()}), 4)

    def test_blocks_with_scales_are_multiplied_by_fragments(self):
        # mxfp8_e5m2 and mxfp4_e2m1: a byte and two bytes of scales in an operation; nvfp4: four
        for design, format, mode, text in (("ampere-fp32", "mxfp8_e5m2", "fast", "32 products and C, aligned, cut 25 bits below the largest"),
                                           ("ampere-fp32-async", "mxfp4_e2m1", "fast", "4 exact sums of 16 products with their scales and C"),
                                           ("ampere-fp16", "nvfp4", "cycle", "4 exact sums of 16 products with their scales and C"),
                                           ("ampere-fp16", "nvfp4", "fast", "4 exact sums of 16 products with their scales and C")):
            with self.subTest(design=design, format=format, mode=mode):
                memory, sums, _ = self.product(design, mode, "--format", format, "--set", f"{NUMERICS}=blackwell")
                self.assertTrue(sums.startswith(text), sums)
                self.assertIn("; like B200 (tcgen05), B200 (mma)", sums)
                words = self.__dict__.setdefault(format, memory)
                self.assertTrue(memory == words)
        for options, text in ((("--format", "nvfp4"), "numerics style (of ampere) has no rule for nvfp4 -> fp32"),
                              (("--format", "mxint8", "--set", f"{NUMERICS}=blackwell"), "design ampere-fp32 multiplies"),
                              (("--format", "nvfp4", "--batch", 2, "--set", f"{NUMERICS}=blackwell"), "--batch: design ampere-fp32 computes one product")):
            result = spica("gemm", "--design", "ampere-fp32", "--size", "128x128x64", "--mode", "fast", *options)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.err)

    def test_formats_without_a_rule_are_refused(self):
        for options, text in ((("--format", "bf16", "--set", f"{NUMERICS}=volta"),
                               "numerics volta has no rule for bf16 -> fp32; it has fp16 -> fp32, fp16 -> fp16"),
                              (("--set", f"{NUMERICS}=custom", "--set", "cluster.tensor_core.warp.step_products=3"),
                               "adds 3 products at once; this unit adds 16, which is not a multiple of that (step_products)")):
            result = spica("gemm", "--design", "ampere-fp32", "--size", "128x128x64", "--mode", "fast", *options)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.err)

    def test_keys_without_effect_are_refused(self):
        for settings, text in ((("numerics=hopper", "sum_fraction_bits=24"), "a named silicon has its own width of sums"),
                               (("sum_align=down",), "has an effect with numerics: custom only"),
                               (("step_products=4",), "has an effect with numerics: custom only"),
                               (("sum_floor=-20",), "has an effect with numerics: custom only"),
                               (("sum_result=e8m13",), "has an effect with numerics: custom only"),
                               (("sum_round=nearest",), "has an effect with numerics: custom only"),
                               (("c_enters=last",), "has an effect with numerics: custom only"),
                               (("numerics=custom", "sum_floor=0.5"), "must be a whole number")):
            result = spica("config", "ampere-sm", *(word for one in settings for word in ("--set", f"cluster.tensor_core.warp.{one}")))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.err)
        for config, units in (("fp16-hopper", ("tensor_core", "tensor_core.warp")), ("fp16-volta", ("tensor_core.warp",)),
                              ("virgo", ("matrix_units.0",)), ("ampere-sm", ("tensor_core",))):
            for unit in units:
                for setting in ("sum_fraction_bits=25", "c_enters=last"):
                    result = spica("config", config, "--set", f"cluster.{unit}.{setting}")
                    self.assertEqual(result.code, 2, result.text)

    def test_units_without_fragments_have_numerics_too(self):
        unit, core = "cluster.matrix_units.0.numerics", "cluster.tensor_core.numerics"
        for design, setting, text in (("fp16-virgo", f"{unit}=hopper", "16 products and C, aligned, cut 25 bits"),
                                      ("fp16-virgo", f"{unit}=cdna1", "4 products and C, exact"),
                                      ("virgo-dma", f"{unit}=custom", "8 products and C, aligned, cut 24 bits"),
                                      ("fp16-hopper", f"{core}=custom", "8 products and C, aligned, cut 24 bits"),
                                      ("fp16-virgo-simt", f"{unit}=volta", "4 products and C, aligned, cut 23 bits"),
                                      ("fp16-hopper", f"{core}=hopper", "8 products and C, aligned, cut 25 bits"),
                                      ("fp16-volta", f"{core}=ampere", "4 products and C, aligned, cut 24 bits"),
                                      ("tc-dma", f"{core}=cdna3", "fused multiply-adds")):
            with self.subTest(design=design, setting=setting), folder() as out:
                memory = []
                for mode in ("cycle", "fast"):
                    result = spica("gemm", "--design", design, "--size", "128x64x256", "--mode", mode, "--out", out, "--set", setting,
                                   "--save-memory", f"{out}/{mode}")
                    self.assertEqual(result.code, 0, result.text)
                    self.assertIn("bit-exact", result.out)
                    self.assertIn(text, result.out)
                    memory.append(result_of(pathlib.Path(out, mode)))
                self.assertTrue(memory[0] == memory[1])
        with folder() as out:  # numerics that suit the format, and not that of the design
            for numerics, code, text in (("ada", 0, "16 products and C, aligned, cut 13 bits"), ("hopper_mma", 0, "16 products at a time of 32"),
                                         ("volta", 2, "numerics volta has no rule for fp8_e4m3 -> fp32")):
                result = spica("gemm", "--design", "virgo-dma", "--format", "fp8_e4m3", "--size", "64x64x512", "--mode", "fast", "--out", out,
                               "--set", f"{unit}={numerics}")
                self.assertEqual(result.code, code, result.text)
                self.assertIn(text, result.text)
        result = spica("numerics", "fp16-virgo", "--set", f"{unit}=hopper", "--like", "hopper")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("adds like hopper", result.out)

    def test_numerics_that_a_unit_cannot_have_are_refused(self):
        for config, setting, text in (("virgo", "cluster.matrix_units.0.numerics=hopper", "numerics hopper has no rule for fp32 -> fp32"),
                                      ("ampere-sm", "cluster.tensor_core.numerics=hopper", "here use tree"),
                                      ("fp16-hopper", "cluster.tensor_core.warp.numerics=hopper", "are tensor_core.numerics")):
            result = spica("config", config, "--set", setting)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.err)

    def test_diff_names_numerics_that_differ(self):
        with folder() as first, folder() as second:
            for out, numerics in ((first, "style"), (second, "hopper")):
                spica("gemm", "--design", "ampere-fp32", "--size", "128x128x64", "--out", out, "--set", f"{NUMERICS}={numerics}")
            self.assertRegex(spica("diff", first, second).out, r"Sums of .*: 8 products and C, .*\nSums of .*: 16 products and C, ")


if __name__ == "__main__":
    unittest.main()
