# SPDX-License-Identifier: Apache-2.0
"""Tensor cores of fragments in registers in a whole machine: shapes, formats, layouts, both modes, mistakes."""
import pathlib
import random
import struct
import unittest

from formats_test import result_of
from spica_runner import elf, folder, line_of, spica, stats

WARPS = 16
SHAPES = [(16, 16, 16), (32, 8, 16), (8, 32, 16), (16, 8, 16), (16, 8, 8), (8, 8, 32), (16, 16, 32)]
E4M3 = {0: 0, 1: 0x38, 2: 0x40, 3: 0x44}  # codes
FP32, FP16, INT8, INT4, UINT4 = range(5)


def encode(values, code):
    if code == "4":  # two in a byte, the first one in its lower half
        return bytes((low & 15) | (high & 15) << 4 for low, high in zip(values[::2], values[1::2]))
    if code == "8":
        return bytes(E4M3[abs(value)] | (128 if value < 0 else 0) for value in values)
    return struct.pack(f"<{len(values)}{code}", *values)


def laid_out(matrix, column_major):
    """The elements of a list of rows, as they lie in memory."""
    rows = [list(column) for column in zip(*matrix)] if column_major else matrix
    return [value for row in rows for value in row]


class Wmma32(unittest.TestCase):
    def run_fragments(self, config, shape=0, number_format=FP32, layouts=0, shared=0, mistake=0, options=(), operands=b""):
        with folder() as out:
            load, save = pathlib.Path(out, "operands"), pathlib.Path(out, "results")
            load.write_bytes(operands or bytes(4))
            result = spica("run", config, elf("wmma32_fragments"), "--args",
                           ",".join(f"u32:{word}" for word in (shape, number_format, layouts, shared, mistake, 0)),
                           "--load", f"{load}@0xA0000000", "--save", f"{save}@0xA0000000+{4 * 2048 * WARPS}",
                           "--out", out, *options)
            self.assertTrue(pathlib.Path(out, "stats.json").is_file(), result.text)
            return result, save.read_bytes() if save.is_file() else b"", stats(out)

    def multiply(self, config, shape, number_format, layouts, shared=0, options=()):
        m, n, depth = SHAPES[shape]
        rng = random.Random(f"{shape} {number_format} {layouts}")
        operand, sums = {INT8: ("b", "i"), INT4: ("4", "i"), UINT4: ("4", "i"), FP32: ("e", "f"),
                         FP16: ("e", "e")}[number_format]
        operand = "8" if shape == 6 else operand
        number = int if number_format >= INT8 else float
        least, most = {INT4: (-8, 7), UINT4: (0, 15)}.get(number_format, (-3, 3))
        memory, expected = bytearray(4 * 2048 * WARPS), []
        for warp in range(WARPS):
            a = [[number(rng.randint(least, most)) for _ in range(depth)] for _ in range(m)]
            b = [[number(rng.randint(least, most)) for _ in range(n)] for _ in range(depth)]
            c = [[number(rng.randint(-100, 100)) for _ in range(n)] for _ in range(m)]
            for i, (matrix, code, column) in enumerate(((a, operand, layouts & 1), (b, operand, layouts & 2),
                                                        (c, sums, layouts & 4))):
                data = encode(laid_out(matrix, column), code)
                at = (4 * warp + i) * 2048
                memory[at:at + len(data)] = data
            d = [[c[i][j] + 2 * sum(a[i][k] * b[k][j] for k in range(depth)) for j in range(n)] for i in range(m)]
            expected.append(laid_out(d, layouts & 4))
        result, saved, numbers = self.run_fragments(config, shape, number_format, layouts, shared, options=options,
                                                    operands=bytes(memory))
        self.assertEqual(result.code, 0, result.text)
        for warp in range(WARPS):
            got = struct.unpack_from(f"<{m * n}{sums}", saved, (4 * warp + 3) * 2048)
            self.assertEqual(list(got), expected[warp], f"{config} shape {shape} format {number_format} layouts "
                                                        f"{layouts} warp {warp}")
        return numbers

    def test_volta_multiplies_all_layouts_in_both_formats(self):
        for layouts in range(8):
            for number_format in (FP32, FP16):
                self.multiply("volta-sm", 0, number_format, layouts, shared=layouts & 1)

    def test_turing_multiplies_all_shapes_and_formats(self):
        for shape in range(3):
            for number_format in (FP32, FP16, INT8):
                self.multiply("turing-sm", shape, number_format, (2, 0, 7)[shape], shared=int(shape == 1))

    def test_turing_multiplies_integers_of_four_bits_in_both_modes(self):
        for number_format in (INT4, UINT4):
            for shared in (0, 1):
                for mode in ("cycle", "fast"):
                    self.multiply("turing-sm", 5, number_format, 2, shared, options=("--mode", mode))

    def test_ampere_multiplies_all_shapes_in_both_formats(self):
        for shape, layouts in ((0, 0), (0, 3), (3, 0), (3, 6), (4, 2), (4, 5)):
            for number_format in (FP32, FP16):
                self.multiply("ampere-sm", shape, number_format, layouts, shared=int(shape == 3))

    def test_ampere_multiplies_fp8_with_the_numerics_of_a_silicon_that_has_it(self):
        for layouts, number_format, numerics in ((0, FP32, "ada"), (2, FP32, "hopper"), (3, FP16, "hopper_mma"), (6, FP16, "ada"), (7, FP32, "blackwell")):
            for mode in ("cycle", "fast"):
                numbers = self.multiply("ampere-sm", 6, number_format, layouts, shared=layouts & 1, options=(
                    "--mode", mode, "--set", f"cluster.tensor_core.warp.numerics={numerics}"))
            self.assertEqual(numbers["end"], "finished")
        numbers = self.multiply("ampere-sm", 6, FP32, 2, options=("--check", "memory", "--check", "hazards", "--set", "cluster.tensor_core.warp.numerics=ada"))
        cores = [block for name, block in numbers["stats"]["cluster_0"].items() if name.startswith("warp_tensor_core")]
        self.assertEqual(sum(core["macs_fp8"]["value"] for core in cores), 2 * WARPS * 16 * 16 * 32)
        for config in ("ampere-sm", "volta-sm"):
            result, _, _ = self.run_fragments(config, shape=6, layouts=2)
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("does not have this form: m16n16k32 of", result.err)

    def test_the_fast_mode_does_the_same(self):
        for layouts in (0, 5, 6):
            self.multiply("volta-sm", 0, FP32, layouts, shared=1, options=("--mode", "fast"))
        self.multiply("turing-sm", 2, INT8, 2, options=("--mode", "fast"))
        self.multiply("ampere-sm", 4, FP32, 2, options=("--mode", "fast"))

    def test_counters_are_those_of_the_published_tensor_core(self):
        numbers = self.multiply("volta-sm", 0, FP32, 0)
        cores = [block for name, block in numbers["stats"]["cluster_0"].items() if name.startswith("warp_tensor_core")]
        total = {key: sum(core[key]["value"] for core in cores) for key in
                 ("instructions", "steps", "macs_fp16", "rows_read", "rows_written")}
        operations = 2 * WARPS
        self.assertEqual(total, {"instructions": operations, "steps": 16 * operations, "macs_fp16": 4096 * operations,
                                 "rows_read": 48 * operations, "rows_written": 32 * operations})

    def test_mistakes_are_reported_with_their_place(self):
        for mistake, what in ((1, "all lanes of the warp must be active"),
                              (2, "the address must be a multiple of 16"),
                              (3, "rows 17 elements apart: the distance must be a multiple of 16 bytes, 8 elements"),
                              (4, "lane 1 has a different address or row distance than lane 0"),
                              (5, "the matrix does not lie in one memory")):
            for mode in ("cycle", "fast"):
                result, _, numbers = self.run_fragments("volta-sm", mistake=mistake, options=("--mode", mode))
                self.assertEqual(result.code, 1, result.text)
                self.assertIn(what, result.err)
                self.assertIn("fragments.cpp:", result.err)
                self.assertEqual(numbers["end"], "fault")

    def test_a_form_that_the_tensor_core_does_not_have_is_named(self):
        result, _, _ = self.run_fragments("volta-sm", shape=1)
        self.assertEqual(result.code, 1, result.text)
        self.assertIn("does not have this form: m32n8k16 of f16", result.err)
        for mode in ("cycle", "fast"):  # numerics of a silicon without integers
            result, _, _ = self.run_fragments("turing-sm", shape=2, number_format=INT8, layouts=2, options=(
                "--mode", mode, "--set", "cluster.tensor_core.warp.numerics=cdna3"))
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("does not have this form: m8n32k16 of s8 (tensor_core.style, tensor_core.warp.numerics)", result.err)

    def test_other_machines_refuse_the_instructions(self):
        result = spica("run", "virgo", elf("wmma_probe"))
        self.assertEqual(result.code, 2, result.text)
        self.assertRegex(result.err, "Configurations it fits: ampere-sm, .*turing-sm, volta-sm")

    def test_configurations_that_cannot_be_are_refused_with_what_works(self):
        for override, what in (("cluster.core.lanes=16", "works on warps of 32 lanes"),
                               ("cluster.core.tensor_registers=0", "needs registers for fragments: cluster.core.tensor_registers=256"),
                               ("cluster.core.tensor_registers=64", "or 0 for none"),
                               ("cluster.tensor_core.style=synchronous", "warps of 8 lanes")):
            result = spica("config", "volta-sm", "--set", override)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(what, result.err)

    def test_numerics_can_be_those_of_the_other_generation(self):
        with folder() as out:
            for numerics in ("style", "volta", "turing", "tree_fp32"):
                result = spica("gemm", "--design", "volta-wmma", "--size", "128x128x32", "--mode", "fast", "--out", out,
                               "--set", f"cluster.tensor_core.warp.numerics={numerics}")
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("bit-exact", result.out)

    def test_sums_have_the_width_that_is_asked_for_and_lose_with_it(self):
        for design, name in (("volta-wmma", "fp16"), ("ampere-fp32", "bf16"), ("ampere-fp32", "tf32"), ("turing-fp16", "fp16")):
            errors = []
            for bits in (25, 24, 13, 8):
                found = []
                for mode in ("cycle", "fast"):
                    with folder() as out:
                        result = spica("gemm", "--design", design, "--format", name, "--size", "128x128x64", "--mode", mode, "--out", out,
                                       "--save-memory", f"{out}/memory", "--set", f"cluster.tensor_core.warp.sum_fraction_bits={bits}")
                        self.assertEqual(result.code, 0, result.text)
                        self.assertIn("bit-exact", result.out)
                        found.append(result_of(pathlib.Path(out, "memory")))
                        data = stats(out)
                self.assertTrue(found[0] == found[1])
                errors.append(data["largest_error"])
            self.assertGreater(errors[3], 8 * errors[0], (design, name))
            self.assertGreaterEqual(errors[3], errors[2])
            self.assertGreaterEqual(errors[2], errors[1])

    def test_a_tree_has_no_width_of_its_own(self):
        result = spica("config", "volta-sm", "--set", "cluster.tensor_core.warp.numerics=tree_fp32", "--set",
                       "cluster.tensor_core.warp.sum_fraction_bits=13")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("a tree of FP32 additions has no selectable width", result.err)

    def test_bytes_through_the_path_are_the_number_of_products_times_those_of_one(self):
        for config, design, bytes_of_one in (("volta-sm", "volta-wmma", 2048), ("turing-sm", "volta-wmma", 1024)):
            with folder() as out:
                result = spica("gemm", "--design", design, "--config", config, "--size", "128x128x64", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                cluster = stats(out)["stats"]["cluster_0"]
            products = sum(cluster[f"warp_tensor_core_{i}"]["instructions"]["value"] for i in range(4))
            self.assertEqual(products, 8 * 8 * 4)
            self.assertEqual(cluster["mio"]["shared_bytes_read"]["value"], products * bytes_of_one)

    def test_lanes_that_save_registers_share_lines_where_the_caches_interleave_stacks(self):
        counted = {}
        for stride in (8208, 0):
            with folder() as out:
                saved = pathlib.Path(out, "result")
                result = spica("run", "volta-sm", elf("library_check"), "--set", f"cluster.coalescer.local_stride={stride}",
                               "--out", out, "--save", f"{saved}@0xC0000000+4096")
                self.assertEqual(result.code, 0, result.text)
                cluster = stats(out)["stats"]["cluster_0"]
                counted[stride] = (cluster["coalescer"]["single_requests"]["value"],
                                   cluster["dcache"]["fills"]["value"], saved.read_bytes())
        self.assertLess(counted[8208][0], counted[0][0])
        self.assertLess(counted[8208][1], counted[0][1])
        self.assertEqual(counted[8208][2], counted[0][2])

    def test_the_product_of_the_textbook_kernel_is_exact_in_both_modes(self):
        for mode in ("cycle", "fast"):
            with folder() as out:
                result = spica("gemm", "--design", "volta-wmma", "--size", "128x128x32", "--mode", mode, "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("bit-exact", result.out)

    def test_the_product_by_lanes_alone_is_exact_on_all_generations_and_slower_than_tensor_cores(self):
        cycles = {}
        for config in ("volta-sm", "turing-sm", "ampere-sm"):
            for mode in ("cycle", "fast"):
                with self.subTest(f"{config} {mode}"), folder() as out:
                    result = spica("gemm", "--design", "simt32", "--config", config, "--size", "256x256x128", "--mode", mode, "--out", out)
                    self.assertEqual(result.code, 0, result.text)
                    self.assertIn("bit-exact", result.out)
                    if mode == "cycle":
                        cycles[config] = stats(out)["cycles"]
                        # Four cores of 16 floating-point lanes.
                        self.assertAlmostEqual(stats(out)["utilisation"], 256 * 256 * 128 / 64 / cycles[config], places=9)
        with folder() as out:
            self.assertEqual(spica("gemm", "--design", "volta-fp32", "--size", "256x256x128", "--out", out).code, 0)
            tensor = stats(out)["cycles"]
        self.assertGreater(cycles["volta-sm"], 2.5 * tensor)
        self.assertLess(cycles["volta-sm"], 4.5 * tensor)
        self.assertGreater(cycles["volta-sm"], 256 * 256 * 128 / 64 / 0.5)
        self.assertLess(cycles["volta-sm"], 256 * 256 * 128 / 64 / 0.3)
        self.assertGreater(cycles["turing-sm"], 1.2 * cycles["volta-sm"])

    def test_what_does_not_fit_the_product_by_lanes_is_refused(self):
        result = spica("gemm", "--design", "simt32", "--size", "128x256x32", "--set", "cluster.core.warps=8")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("--set cluster.core.warps=16", result.err)

    def test_the_kernel_in_the_structure_of_cutlass_is_exact_on_all_generations_with_sums_in_both_formats(self):
        for design in ("volta-fp32", "volta-fp16", "turing-fp32", "turing-fp16", "ampere-fp32", "ampere-fp16",
                       "ampere-fp32-async", "ampere-fp16-async"):
            for mode in ("cycle", "fast"):
                with self.subTest(f"{design} {mode}"), folder() as out:
                    result = spica("gemm", "--design", design, "--size", "256x256x96", "--mode", mode, "--out", out)
                    self.assertEqual(result.code, 0, result.text)
                    self.assertIn("bit-exact", result.out)


SOURCE = pathlib.Path(__file__).parent / "wmma32" / "fragment_errors.cpp"


class Tools(unittest.TestCase):
    """What tools see of loads and stores of fragments, in both modes."""

    def check(self, number, what, mode, more=()):
        return spica("run", "volta-sm", elf("wmma32_fragment_errors"), "-q", "--mode", mode, "--check", what, "--args",
                     f"u32:{number},u32:0", *more)

    def assert_found(self, number, what, kind, *parts, more=()):
        for mode in ("cycle", "fast"):
            result = self.check(number, what, mode, more)
            self.assertEqual(result.code, 1, result.text)
            for part in (kind, *parts):
                self.assertIn(part, result.text, mode)

    def test_fragments_behind_a_barrier_are_in_order(self):
        for mode in ("cycle", "fast"):
            for what in ("hazards", "memory"):
                result = self.check(0, what, mode)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("none found", result.text)

    def test_a_race_between_a_store_and_a_load_of_a_fragment_has_its_lines_lanes_and_address(self):
        self.assert_found(1, "hazards", "two unordered accesses", line_of(SOURCE, "store of case 1"),
                          line_of(SOURCE, "load of case 1"), "load_matrix_sync", "core 1, warp 0", "lanes 0-31",
                          "0xff000000, shared memory + 0x0")

    def test_a_race_between_two_stores_of_fragments_is_named(self):
        self.assert_found(2, "hazards", "two unordered accesses", line_of(SOURCE, "store of case 2"), "store by core 1",
                          "store by core 0", "0xff000000")

    def test_a_load_of_what_other_lanes_have_stored_without_a_fence_is_named(self):
        independent = ("--set", "cluster.core.load_store.lanes=independent")
        self.assert_found(6, "hazards", "another lane of the warp has stored", line_of(SOURCE, "store of case 6"),
                          line_of(SOURCE, "load of case 6"), "load_matrix_sync", more=independent)
        for number, more in ((7, independent), (6, ("--set", "cluster.core.load_store.lanes=lockstep"))):
            for mode in ("cycle", "fast"):
                result = self.check(number, "hazards", mode, more)
                self.assertEqual(result.code, 0, result.text)

    def test_a_store_of_a_fragment_to_constants_is_a_memory_error(self):
        self.assert_found(3, "memory", "a store to code or constants", line_of(SOURCE, "store of case 3"), "constants + 0x0")

    def test_a_store_of_a_fragment_past_its_array_names_the_lanes_that_do(self):
        self.assert_found(4, "memory", "an access outside its object", line_of(SOURCE, "store of case 4"), "past the end of `sums`",
                          "lanes 20-23,28-31")

    def test_a_load_of_a_fragment_that_nobody_wrote_is_a_memory_error(self):
        self.assert_found(5, "memory", "a read of memory that was never written", line_of(SOURCE, "load of case 5"),
                          "none of the 4 bytes", "0xc0000000")

    def test_the_instruction_log_has_what_a_fragment_reads_and_writes_in_both_modes(self):
        logs = []
        for mode in ("cycle", "fast"):
            with folder() as out:
                log = pathlib.Path(out, "t.log")
                result = spica("run", "volta-sm", elf("wmma32_fragments"), "-q", "--mode", mode, "--args",
                               "u32:0,u32:0,u32:1,u32:0,u32:0,u32:0", "--trace", log, "--trace-no-cycles",
                               "--trace-filter", "core=0,warp=1")
                self.assertEqual(result.code, 0, result.text)
                logs.append([line for line in log.read_text().splitlines() if " wmma32." in line])
        self.assertEqual(logs[0], logs[1])
        self.assertEqual(len(logs[0]), 6)
        self.assertRegex(logs[0][1], r" ffffffff wmma32\.load\.a\S+col\S* w3,\(\w+\),\w+ \| load @0x\w+ 16 x 32 bytes, 32 apart$")
        self.assertRegex(logs[0][5], r" wmma32\.store\S+ w8,\S+ \| store @0x\w+ 16 x 64 bytes, 64 apart$")


if __name__ == "__main__":
    unittest.main()
