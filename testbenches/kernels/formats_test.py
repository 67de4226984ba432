# SPDX-License-Identifier: Apache-2.0
"""Matrix products in other number formats: both modes, what they cost, what is refused."""
import ast
import csv
import json
import pathlib
import struct
import unittest

from report_test import CHROMIUM, browser
from spica_runner import folder, spica, stats

DESIGNS = pathlib.Path(__file__).resolve().parents[2] / "configs/designs"
NUMERICS = "cluster.tensor_core.warp.numerics"
PER_CELL = {"fp32": 1, "tf32": 1, "fp16": 2, "bf16": 2, "fp8_e4m3": 4, "fp8_e5m2": 4, "fp6_e3m2": 4, "fp6_e2m3": 4, "fp4_e2m1": 8}


def gemm(out, *arguments):
    return spica("gemm", *arguments, "--out", out, "--save-memory", f"{out}/c.bin")


def result_of(path):
    """Global memory of a file of --save-memory from C on: pages of 4096 bytes behind their addresses."""
    data, pages = path.read_bytes(), {}
    for at in range(0, len(data), 4096 + 8):
        address = int.from_bytes(data[at:at + 8], "little")
        if 0xC0000000 <= address < 0xC1000000:
            pages[address] = data[at + 8:at + 8 + 4096]
    return pages


def write_npy(path, descr, shape, data):
    """As numpy.save, or with a name of ml_dtypes."""
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def read_npy(path, code):
    data = pathlib.Path(path).read_bytes()
    begin = 10 + struct.unpack_from("<H", data, 8)[0]
    shape = ast.literal_eval(data[10:begin].decode())["shape"]
    return shape, struct.unpack_from(f"<{shape[0] * shape[1]}{code}", data, begin)


class Formats(unittest.TestCase):
    def test_element_is_the_deprecated_name_of_format_in_attention(self):
        result = spica("attention", "--design", "fp16-tc", "--element", "fp16", "--sequence", 128, "--mode", "fast")
        self.assertEqual(result.code, 0, result.text)
        self.assertEqual(result.err.count("element is now called format"), 1, result.text)
        now = spica("attention", "--design", "fp16-tc", "--format=fp16", "--sequence", 128, "--mode", "fast")
        self.assertEqual(now.err, "")
        self.assertEqual(now.out.partition("  simulated in")[0], result.out.partition("  simulated in")[0])
        result = spica("attention", "--design", "fp16-tc", "--element", "fp16", "--format", "fp16")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("--format", result.err)

    def test_a_document_and_a_sweep_take_the_deprecated_name_and_say_so_once(self):
        with folder() as place:
            run = pathlib.Path(place, "run.json")
            run.write_text(json.dumps({"job": "attention", "design": "fp16-tc", "element": "bf16", "sequence": 128, "mode": "fast"}))
            result = spica("job", run)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("error of bf16", result.out)
            self.assertEqual(result.err.count("element is now called format"), 1, result.err)
            run.write_text(json.dumps({"job": "attention", "design": "fp16-tc", "element": "bf16", "format": "bf16"}))
            result = spica("job", run)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("it is the earlier name of format, which is given, too", result.err)
            sweep = pathlib.Path(place, "formats.yaml")
            sweep.write_text("job: attention\nfixed: {design: fp16-tc, sequence: 128, mode: fast}\naxes: {element: [fp16, bf16]}\nonly: element == \"bf16\"\n")
            result = spica("sweep", "run", sweep, "--dir", pathlib.Path(place, "out"))
            self.assertEqual(result.code, 0, result.text)
            self.assertEqual(result.err.count("element is now called format"), 1, result.err)

    def run_both(self, design, name, size, accumulate="fp32", options=()):
        saved = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = gemm(out, "--design", design, "--format", name, "--size", size, "--mode", mode, *options)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("bit-exact", result.out)
                saved.append(result_of(pathlib.Path(out, "c.bin")))
                data = stats(out)
                self.assertEqual((data["format"], data["accumulate"]), (name, accumulate))
        self.assertTrue(saved[0])
        self.assertTrue(saved[0] == saved[1], name)
        return data

    def test_every_format_is_bit_exact_in_both_modes_with_words_of_32_bits(self):
        errors = {name: self.run_both("virgo-dma", name, "64x64x192")["rms_error"] for name in PER_CELL}
        # What a format loses grows with what its fraction lacks.
        order = ["fp32", "tf32", "bf16", "fp8_e4m3", "fp8_e5m2"]
        self.assertEqual(sorted(order, key=errors.get), order)
        self.assertLess(errors["fp32"], 1e-5)
        self.assertEqual(f"{errors['tf32']:.9f}"[:6], f"{errors['fp16']:.9f}"[:6])  # the same fraction

    def test_every_format_is_bit_exact_in_both_modes_with_words_of_16_bits(self):
        for name in ("fp16", "bf16", "fp8_e4m3", "fp6_e2m3", "fp4_e2m1"):
            data = self.run_both("fp16-virgo", name, "128x64x256")
            self.assertEqual(data["result"], "fp16" if name == "fp16" else "bf16")

    def test_cores_copy_words_of_any_format(self):
        self.run_both("virgo", "fp8_e5m2", "64x64x256")

    def test_tensor_cores_multiply_every_format_that_fills_their_words(self):
        for design, size, names in (("tc", "64x64x128", ("tf32", "fp16", "bf16", "fp8_e4m3", "fp6_e3m2")),
                                    ("tc-dma", "64x64x256", ("fp8_e5m2", "fp4_e2m1")),
                                    ("fp16-volta", "64x64x128", ("tf32", "bf16", "fp8_e4m3", "fp6_e2m3")),
                                    ("fp16-ampere", "128x64x256", ("bf16", "fp4_e2m1")),
                                    ("fp16-hopper", "128x64x256", ("bf16", "fp8_e4m3", "tf32"))):
            for name in names:
                with self.subTest(design=design, format=name):
                    self.run_both(design, name, size)

    def test_integers_have_sums_of_32_bits(self):
        for design, size, names in (("virgo-dma", "64x64x512", ("int8", "int4")), ("tc", "64x64x256", ("int8",)),
                                    ("fp16-hopper", "128x64x512", ("int4",))):
            for name in names:
                with self.subTest(design=design, format=name):
                    data = self.run_both(design, name, size, "int32")
                    self.assertEqual(data["result"], "int32")
                    # Half a step of each operand, of magnitudes below 1.
                    self.assertLess(data["rms_error"], {"int8": 0.1, "int4": 2}[name])

    def test_streaming_multiprocessors_multiply_what_their_table_allows(self):
        for design, name, accumulate in (("ampere-fp32", "bf16", "fp32"), ("ampere-fp16", "tf32", "fp32"),
                                         ("ampere-fp32-async", "int8", "int32"), ("ampere-fp32", "int4", "int32"),
                                         ("turing-fp32", "int8", "int32")):
            with self.subTest(design=design, format=name):
                self.run_both(design, name, "256x128x128", accumulate)

    def multiply_by_a_rule(self, *cases):
        for design, name, accumulate, numerics in cases:
            with self.subTest(design=design, format=name, numerics=numerics):
                self.run_both(design, name, "128x128x128", accumulate, ("--set", f"{NUMERICS}={numerics}"))

    def test_streaming_multiprocessors_multiply_narrow_floats_by_the_rule_of_a_silicon_that_has_them(self):
        # Few kernels, which are compiled for a format, and all rules.
        self.multiply_by_a_rule(
            ("ampere-fp32", "fp8_e4m3", "fp32", "ada"), ("ampere-fp16", "fp8_e5m2", "fp16", "ada"), ("ampere-fp32", "fp8_e4m3", "fp32", "hopper"),
            ("ampere-fp16", "fp8_e5m2", "fp16", "hopper_mma"), ("ampere-fp32", "fp8_e4m3", "fp32", "blackwell_mma"),
            ("ampere-fp32", "fp6_e3m2", "fp32", "blackwell"), ("ampere-fp32", "fp4_e2m1", "fp32", "blackwell"))

    def test_streaming_multiprocessors_multiply_more_narrow_formats_with_other_kernels(self):  # long
        self.run_both("ampere-fp32", "uint4", "256x128x128", "int32")
        self.multiply_by_a_rule(("ampere-fp32-async", "fp8_e5m2", "fp32", "hopper"), ("ampere-fp16-async", "fp8_e4m3", "fp16", "hopper_mma"),
                                ("ampere-fp16", "fp6_e2m3", "fp16", "blackwell"))

    def test_formats_without_a_rule_are_refused_with_the_numerics_that_have_one(self):
        for format, options, rest in (
                ("fp8_e4m3", (), "numerics style (of ampere) has no rule for fp8_e4m3 -> fp32; it has fp16 -> fp32, fp16 -> fp16, bf16 -> fp32, "
                                 "tf32 -> fp32, fp64 -> fp64, int8 -> int32, uint8 -> int32, int4 -> int32, uint4 -> int32; "
                                 "numerics with that rule: ada, hopper, hopper_mma, blackwell, blackwell_mma"),
                ("fp8_e4m3", ("--set", f"{NUMERICS}=cdna3"), "numerics with that rule: ada, hopper"),
                ("int4", ("--set", f"{NUMERICS}=hopper"), "numerics hopper has no rule for int4 -> int32; it has")):
            with folder() as out:
                result = gemm(out, "--design", "ampere-fp32", "--format", format, "--size", "256x128x128", *options)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn("design ampere-fp32 multiplies ", result.err)
                self.assertIn(rest, result.err)

    def test_tensor_cores_do_more_of_narrow_formats_in_the_same_time(self):
        def cycles(design, name, size, *settings):
            with folder() as out:
                options = [word for one in settings for word in ("--set", one)]
                self.assertEqual(gemm(out, "--design", design, "--format", name, "--size", size, *options).code, 0)
                result = stats(out)
                # The roof of the roofline is that of the format.
                unit = next(one for one in result["machine"]["units"] if one["name"] == "tensor cores")
                self.assertAlmostEqual(unit["macs"] / unit["macs_per_cycle"] / result["cycles"], result["utilisation"], 4)
                return result["cycles"]
        self.assertEqual(cycles("tc", "fp8_e4m3", "64x64x256"), cycles("tc", "tf32", "64x64x64"))
        self.assertEqual(cycles("ampere-fp32", "int8", "256x128x128"), cycles("ampere-fp32", "bf16", "256x128x64"))
        self.assertEqual(cycles("ampere-fp32", "fp8_e4m3", "256x128x128", f"{NUMERICS}=ada"), cycles("ampere-fp32", "int8", "256x128x128"))

    def test_a_matrix_unit_keeps_sums_in_a_narrower_format(self):
        for design, name, size in (("virgo-dma", "fp32", "64x64x192"), ("virgo-v2", "fp8_e4m3", "72x40x300"), ("fp16-virgo", "fp16", "128x64x256"),
                                   ("virgo-dma", "mxfp8_e4m3", "64x64x448"), ("virgo-dma-swish", "bf16", "64x64x128")):
            found = {}
            for kept in ("standard", "fp16", "bf16"):
                saved = []
                for mode in ("cycle", "fast"):
                    with folder() as out:
                        result = gemm(out, "--design", design, "--format", name, "--size", size, "--mode", mode,
                                      *(("--energy",) if mode == "cycle" else ()), "--set", f"cluster.matrix_units.0.accumulate={kept}")
                        self.assertEqual(result.code, 0, result.text)
                        self.assertEqual("bit-exact" in result.out, "swish" not in design, result.out)
                        saved.append(result_of(pathlib.Path(out, "c.bin")))
                        data = stats(out)
                        self.assertEqual(data["accumulate"], kept if kept != "standard" else "fp32")
                        if mode == "cycle":
                            found[kept] = data["largest_error"], data["cycles"], data["active_energy_uj"]
                self.assertTrue(saved[0] == saved[1])
            self.assertGreater(found["fp16"][0], found["standard"][0])
            self.assertGreater(found["bf16"][0], found["fp16"][0])
            self.assertEqual(len({cycles for _, cycles, _ in found.values()}), 1)
            self.assertLess(found["fp16"][2], found["standard"][2])

    def test_sums_of_integers_and_of_attention_stay_what_they_are(self):
        for arguments, text in ((("gemm", "--design", "virgo-dma", "--format", "int8"), "--format int8: design virgo-dma multiplies fp32"),
                                (("config", "virgo", "--set", "cluster.matrix_units.0.operand=int8", "--set", "cluster.matrix_units.0.macs_per_cell=4"),
                                 "integer sums have 32 bits: use standard"),
                                (("attention", "--sequence", "128"), "--set cluster.matrix_units.0.accumulate=standard")):
            result = spica(*arguments, "--set", "cluster.matrix_units.0.accumulate=fp16")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(text, result.err)

    def test_blocks_with_scales_are_bit_exact_in_both_modes(self):
        for design, size, names in (("virgo-dma", "64x64x224", ("mxfp8_e4m3", "mxfp6_e2m3", "mxint8")),
                                    ("virgo-dma", "64x64x448", ("mxfp4_e2m1",)), ("fp16-virgo", "128x64x224", ("mxfp8_e5m2",))):
            for name in names:
                with self.subTest(design=design, format=name):
                    self.run_both(design, name, size)

    def every_design(self, *formats):
        """Verifies a design in each of them, or refuses with those that work; returns how often it did which."""
        counts = {0: 0, 2: 0}
        for file in sorted(DESIGNS.glob("*.yaml")):
            if "dual" in file.stem:
                continue  # two products
            for name in formats:
                with self.subTest(design=file.stem, format=name):
                    result = spica("gemm", "--design", file.stem, "--format", name, "--size", "72x40x100", "--mode", "fast")
                    self.assertIn(result.code, counts, result.text)
                    if result.code == 2:
                        self.assertRegex(result.err, f"--format {name}: design {file.stem} multiplies [a-z0-9_, ]+")
                        self.assertNotIn(name, result.err.split("multiplies", 1)[1].rstrip(".\n").split(", "))
                    counts[result.code] += 1
        return counts

    def test_every_design_verifies_or_refuses_floats_of_32_and_16_bits(self):  # long
        self.assertGreater(self.every_design("fp32", "tf32", "bf16", "fp16")[0], 80)

    def test_every_design_verifies_or_refuses_floats_of_8_bits_and_less(self):  # long
        self.assertGreater(self.every_design("fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1")[0], 90)

    def test_every_design_verifies_or_refuses_integers(self):
        self.assertGreater(self.every_design("int8", "uint4")[0], 20)

    def test_every_design_verifies_or_refuses_integers_with_the_other_sign(self):  # long
        self.assertGreater(self.every_design("uint8", "int4")[0], 20)

    def test_every_design_verifies_or_refuses_blocks_with_scales(self):  # long
        self.assertGreater(self.every_design("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1", "mxint8")[0], 40)

    def test_a_scale_for_each_block_keeps_what_one_for_all_loses(self):
        # Blocks of very different size: without scales most of A is zero in FP8.
        a = [[1e-6 * (1 + j % 5) if i % 2 else 1000.0 * (1 + j % 3) for j in range(64)] for i in range(8)]
        b = [[(1 + (i * j) % 7) / 8 for j in range(8)] for i in range(64)]
        relative = {}
        with folder() as out:
            write_npy(f"{out}/a.npy", "<f4", (8, 64), struct.pack("<512f", *sum(a, [])))
            write_npy(f"{out}/b.npy", "<f4", (64, 8), struct.pack("<512f", *sum(b, [])))
            for name in ("fp8_e4m3", "mxfp8_e4m3"):
                result = gemm(out, "--design", "virgo-dma", "--format", name, "--mode", "fast",
                              "--a", f"{out}/a.npy", "--b", f"{out}/b.npy", "--c", f"{out}/c.npy")
                self.assertEqual(result.code, 0, result.text)
                shape, c = read_npy(f"{out}/c.npy", "f")
                self.assertEqual(shape, (8, 8))
                wanted = [sum(x * y for x, y in zip(row, column)) for row in a for column in zip(*b)]
                relative[name] = max(abs(x / w - 1) for x, w in zip(c, wanted))
        self.assertGreater(relative["fp8_e4m3"], 0.5)
        self.assertLess(relative["mxfp8_e4m3"], 0.1)

    def test_block_scales_that_are_rounded_up_lose_no_large_numbers(self):
        # 480 in every block: beyond 448, the largest of E4M3, which it becomes with the scale of MX.
        with folder() as out:
            write_npy(f"{out}/a.npy", "<f4", (8, 32), struct.pack("<256f", *([480.0] * 256)))
            write_npy(f"{out}/b.npy", "<f4", (32, 8), struct.pack("<256f", *([1.0] * 256)))
            for rule, value in (((), 448), (("--block-scale", "floor"), 448), (("--block-scale", "rceil"), 480)):
                result = gemm(out, "--design", "virgo-dma", "--format", "mxfp8_e4m3", "--mode", "fast", *rule,
                              "--a", f"{out}/a.npy", "--b", f"{out}/b.npy", "--c", f"{out}/c.npy")
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(stats(out).get("block_scale"), rule[-1] if rule else None)
                self.assertEqual(set(read_npy(f"{out}/c.npy", "f")[1]), {32 * value})
        errors = {rule: self.run_both("virgo-dma", "mxfp4_e2m1", "64x64x448", options=("--block-scale", rule)) for rule in ("floor", "rceil")}
        self.assertLess(errors["rceil"]["rms_error"], 0.8 * errors["floor"]["rms_error"])
        result = spica("gemm", "--format", "fp8_e4m3", "--block-scale", "rceil")
        self.assertEqual(result.code, 2)
        self.assertIn("--block-scale: fp8_e4m3 has no scales for blocks", result.err)

    def test_a_scale_for_each_matrix_brings_small_numbers_into_the_range_of_a_format(self):
        a, b = [2.0 ** -(i % 8) * 1e-4 for i in range(64)], [1e-3 * (1 + i % 3) for i in range(64)]
        wanted = [sum(a[8 * i + k] * b[8 * k + j] for k in range(8)) for i in range(8) for j in range(8)]
        with folder() as out:
            for name, numbers in (("a", a), ("b", b)):
                write_npy(f"{out}/{name}.npy", "<f4", (8, 8), struct.pack("<64f", *numbers))
            for options, good in (((), False), (("--scaled",), True)):
                result = gemm(out, "--design", "tc", "--format", "fp8_e4m3", "--mode", "fast", "--a", f"{out}/a.npy",
                              "--b", f"{out}/b.npy", "--c", f"{out}/c.npy", *options)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual("scale" in stats(out), good)
                worst = max(abs(x / w - 1) for x, w in zip(read_npy(f"{out}/c.npy", "f")[1], wanted))
                self.assertEqual(worst < 0.1, good, worst)
        result = spica("gemm", "--format", "bf16", "--scaled")
        self.assertEqual(result.code, 2)
        self.assertIn("bf16 needs no scale", result.err)

    def test_a_narrow_format_takes_the_cycles_of_fewer_words(self):
        def cycles(name, k):
            with folder() as out:
                result = gemm(out, "--design", "virgo-dma", "--format", name, "--size", f"64x64x{k}")
                self.assertEqual(result.code, 0, result.text)
                data = stats(out)
                unit = data["stats"]["cluster_0"]["matrix_unit_0"]
                self.assertEqual(unit["macs"]["value"], 64 * 64 * k)
                return data["cycles"]
        wide = cycles("fp32", 128)
        for name in ("bf16", "fp8_e4m3", "fp4_e2m1"):
            self.assertEqual(cycles(name, 128 * PER_CELL[name]), wide)

    def test_without_a_format_nothing_is_rounded_anew(self):
        with folder() as out:
            self.assertEqual(gemm(out, "--size", "64x64x64").code, 0)
            self.assertNotIn("format", stats(out))

    def test_what_a_unit_cannot_multiply_is_refused_with_what_it_can(self):
        for design, name, fit in (("fp16-virgo", "fp32", "bf16, fp16, fp8_e4m3"), ("fp16-virgo", "int8", "bf16, fp16"),
                                  ("simt", "bf16", "fp32"), ("tc", "uint8", "fp32, tf32"), ("virgo", "fp8", "fp8_e4m3, fp8_e5m2"),
                                  ("tc", "mxfp8_e4m3", "fp32, tf32"), ("volta-fp32", "bf16", "fp16."),
                                  ("turing-fp32", "bf16", "fp16, int8, uint8."), ("ampere-fp32", "fp8_e4m3", "tf32, bf16, fp16, int8, uint8, int4, uint4; cluster.tensor_core.warp.numerics style (of ampere) has no rule")):
            result = spica("gemm", "--design", design, "--format", name)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(f"--format {name}: design {design} multiplies", result.err)
            self.assertIn(fit, result.err)
        result = spica("gemm", "--design", "virgo-dma", "--format", "fp8_e4m3", "--lda", "512", "--size", "64x64x256")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("packs 4 elements", result.err)

    def test_a_unit_that_was_set_to_another_format_is_refused(self):
        result = spica("gemm", "--design", "fp16-virgo", "--format", "bf16", "--size", "128x64x128",
                       "--set", "cluster.matrix_units.0.operand=fp16")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("cluster.matrix_units.0.operand=bf16", result.err)

    def test_words_of_other_widths_are_refused_with_those_that_work(self):
        result = spica("config", "virgo", "--set", "cluster.matrix_units.0.operand=fp8_e4m3")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("macs_per_cell 2 or 4 with fp8_e4m3", result.err)
        result = spica("config", "fp16-virgo", "--set", "cluster.matrix_units.0.result=fp32")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("(16 bits): use fp16 or bf16", result.err)

    def test_matrices_come_from_files_of_numpy_and_go_to_them(self):
        a, b = [[i + j / 4 for j in range(5)] for i in range(3)], [[(i * 3 - j) / 8 for j in range(4)] for i in range(5)]
        wanted = [sum(x * y for x, y in zip(row, column)) for row in a for column in zip(*b)]
        bf16 = b"".join(struct.pack("<f", x)[2:] for x in sum(b, []))  # exact: few bits
        with folder() as out:
            write_npy(f"{out}/a.npy", "<f4", (3, 5), struct.pack("<15f", *sum(a, [])))
            write_npy(f"{out}/named.npy", "bfloat16", (5, 4), bf16)
            write_npy(f"{out}/void.npy", "<V2", (5, 4), bf16)
            for name, design, b_file, code in (("fp32", "virgo-dma", "named", "f"), ("fp16", "fp16-virgo", "named", "e"),
                                               ("bf16", "virgo-dma", "void", "f"), ("bf16", "tc", "void", "f")):
                result = gemm(out, "--design", design, "--format", name, "--mode", "fast", "--a", f"{out}/a.npy",
                              "--b", f"{out}/{b_file}.npy", "--c", f"{out}/c.npy")
                self.assertEqual(result.code, 0, result.text)
                shape, c = read_npy(f"{out}/c.npy", code)
                self.assertEqual((shape, list(c)), ((3, 4), wanted), name)
            result = gemm(out, "--a", f"{out}/a.npy", "--b", f"{out}/a.npy")
            self.assertEqual(result.code, 2)
            self.assertIn("A must have as many columns as B has rows", result.err)
            result = gemm(out, "--a", f"{out}/a.npy", "--b", f"{out}/void.npy")
            self.assertEqual(result.code, 2)
            self.assertIn("has unnamed elements of 2 bytes", result.err)
            result = gemm(out, "--a", f"{out}/a.npy")
            self.assertIn("give files for both operands, or for none", result.err)
            pathlib.Path(out, "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
            result = gemm(out, "--a", f"{out}/bad.npy", "--b", f"{out}/a.npy")
            self.assertEqual(result.code, 2, result.text)

    def test_the_experiment_has_cost_and_error_of_each_format(self):
        with folder() as out:
            result = spica("experiment", "formats", "--sizes", "128x128x512", "--designs", "virgo-dma", "--out", out, "--jobs", "2",
                           "--report", f"{out}/formats.html")
            self.assertEqual(result.code, 0, result.text)
            if CHROMIUM:
                dom = browser(f"{out}/formats.html", out, "--dump-dom").stdout
                self.assertRegex(dom, r'<section[^>]*id="pareto"|id="pareto"')
                self.assertRegex(dom, r"<figcaption><p>A point is a run; orange ones are the front")
            rows = json.loads(pathlib.Path(out, "results.json").read_text())
            with open(pathlib.Path(out, "results.csv")) as table:
                head = next(csv.reader(table))
        self.assertEqual([row["format"] for row in rows], [*PER_CELL, "int8", "int4"])
        for key in ("design", "format", "accumulate", "size", "cycles", "utilisation", "pj_per_mac", "max_error", "rms_error"):
            self.assertIn(key, head)
            self.assertTrue(all(row[key] is not None for row in rows), key)
        by_name = {row["format"]: row for row in rows}
        self.assertLess(by_name["bf16"]["pj_per_mac"], by_name["fp32"]["pj_per_mac"])
        self.assertLess(by_name["bf16"]["cycles"], by_name["fp32"]["cycles"])
        self.assertLess(by_name["fp32"]["rms_error"], by_name["bf16"]["rms_error"])
        for row in rows:
            self.assertLessEqual(row["rms_error"], row["max_error"])
        self.assertEqual({row["accumulate"] for row in rows}, {"fp32", "int32"})
        self.assertLess(by_name["int8"]["pj_per_mac"], by_name["fp8_e4m3"]["pj_per_mac"])
        self.assertRegex(result.out, r"virgo-dma +fp8_e4m3 +fp32 +128x128x512")


if __name__ == "__main__":
    unittest.main()
