# SPDX-License-Identifier: Apache-2.0
"""OpenCL C: .cl files as they are, run as grids of work groups in both modes."""
import array
import fractions
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import unittest

from spica_runner import BINARY, folder, spica

ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
SOURCES = ROOT / "testbenches/kernels/opencl"
IN, IN_2, OUT = 0xA0000000, 0xA0100000, 0xA1000000
MACHINES = [(machine, mode) for machine in ("virgo", "volta-sm") for mode in ("cycle", "fast")]


def compile_cl(*words):
    done = subprocess.run([BINARY, "cc", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stderr


def rounded(value):
    return struct.unpack("f", struct.pack("f", value))[0]


class Program(unittest.TestCase):
    """A program, and what its kernels leave in memory."""
    source, options = "kernels.cl", ()

    @classmethod
    def setUpClass(cls):
        cls.holder = folder()
        cls.work = pathlib.Path(cls.holder.name)
        cls.elf = cls.work / "program.elf"
        code, text = compile_cl(*cls.options, SOURCES / cls.source, "-o", cls.elf)
        assert (code, text) == (0, ""), text

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def start(self, machine, mode, kernel, grid, block, args, loads=(), save=None, elf=None, options=()):
        command = ["run", machine, elf or self.elf, "--set", "dispatcher.present=true", "--mode", mode, "--kernel", kernel,
                   "--grid", grid, "--block", block, *options]
        if args:
            command += ["--args", args]
        for number, (at, kind, values) in enumerate(loads):
            (self.work / f"in{number}").write_bytes(array.array(kind, values).tobytes())
            command += ["--load", f"{self.work}/in{number}@{at:#x}"]
        if save:
            kind, count, at = save if len(save) == 3 else (*save, OUT)
            command += ["--save", f"{self.work}/out@{at:#x}+{array.array(kind).itemsize * count}"]
        result = spica(*command)
        self.assertEqual(result.code, 0, result.text)
        return list(array.array(save[0], (self.work / "out").read_bytes())) if save else result

    def on_all(self, kernel, grid, block, args, expected, loads=(), kind="i", at=OUT, options=("--check", "hazards")):
        for machine, mode in MACHINES:
            with self.subTest(machine=machine, mode=mode):
                checks = options if mode == "cycle" else ()
                found = self.start(machine, mode, kernel, grid, block, args, loads, (kind, len(expected), at), options=checks)
                self.assertEqual(found, list(expected))


class Kernels(Program):
    def test_vectors_are_added_up_to_the_last_element(self):
        a, b = [0.5 * i for i in range(100)], [i * i for i in range(100)]
        self.on_all("vadd", "4", "32", f"a={IN},b={IN_2},c={OUT},n=100", [x + y for x, y in zip(a, b)] + [0] * 28,
                    [(IN, "f", a), (IN_2, "f", b)], "f")

    def test_a_matrix_is_transposed_through_a_local_array(self):
        width, height = 24, 13
        self.on_all("transpose", "3x2", "8x8", f"in={IN},out={OUT},width={width},height={height}",
                    [y * width + x for x in range(width) for y in range(height)], [(IN, "i", range(width * height))])

    def test_barriers_in_a_loop_and_a_local_argument_reduce_each_group(self):
        values = [i % 37 - 5 for i in range(1000)]
        sums = [sum(values[i] for i in range(1000) if i // 64 % 3 == group) for group in range(3)]
        self.on_all("reduce", "3", "64,256", f"in={IN},out={OUT},n=1000,scratch=0", sums, [(IN, "i", values)])

    def test_a_local_argument_lies_behind_the_static_array(self):
        expected = [10 * (31 - l) + (l + 1) % 32 for l in range(32)]
        self.on_all("two_arrays", "2", "32,128", f"behind=0,out={OUT}", expected * 2)

    def test_atomics_count_in_local_and_in_global_memory(self):
        data = [(i * 7 + i // 5) & 255 for i in range(600)]
        self.on_all("histogram", "2", "64", f"data={IN},bins={OUT},n=600",
                    [sum(value & 15 == bin for value in data) for bin in range(16)], [(IN, "B", data)])

    def test_atomics_of_64_bits(self):
        for machine, mode in MACHINES:
            with self.subTest(machine=machine, mode=mode):
                tickets = self.start(machine, mode, "wide_atomics", "2", "16", f"signed_ones={IN},others={IN_2},tickets={OUT}",
                                     save=("q", 32), options=("--save", f"{self.work}/signed@{IN:#x}+24", "--save", f"{self.work}/others@{IN_2:#x}+16"))
                self.assertEqual(sorted(tickets), list(range(32)))
                self.assertEqual(list(array.array("q", (self.work / "signed").read_bytes())), [10**10 * sum(range(32)), 93, 32])
                self.assertEqual(list(array.array("Q", (self.work / "others").read_bytes())), [77, sum(1 << 2 * i for i in range(32))])

    def test_a_loop_of_compare_and_swap_adds_floats(self):
        values = [float(i % 11) for i in range(128)]
        self.on_all("float_sum", "2", "64", f"in={IN},sum={OUT}", [sum(values)], [(IN, "f", values)], "f",
                    options=())  # what it compares with is read without an atomic operation

    def test_vectors_of_floats_and_bytes(self):
        a, factor, expected = [0.25 * i - 3 for i in range(64)], (2, -1, 0.5, 4), []
        for i in range(0, 64, 4):
            v = [x * f for x, f in zip(a[i:i + 4], factor)]
            expected += [v[3] + 7, v[2] + 200, v[1] + 9, v[0] + sum(x * x for x in v)] + [max(x, 1.0) for x in v]
        self.on_all("vectors", "1", "16", f"a={IN},out={OUT},factor[0]=2,factor[1]=-1,factor[2]=0.5,factor[3]=4,"
                    "bytes[0]=7,bytes[1]=200,bytes[2]=9,bytes[3]=0", expected, [(IN, "f", a)], "f")

    def test_integers_of_64_bits(self):
        random.seed(3)
        a, b, c = [random.getrandbits(62) - 2**61 for _ in range(32)], [random.getrandbits(64) for _ in range(32)], -987654321987
        signed = lambda x: (x + 2**63) % 2**64 - 2**63
        expected = []
        for x, y in zip(a, b):
            quotient = abs(x) // 7 * (1 if x > 0 else -1)
            rest = abs(x) % 5 * (1 if x > 0 else -1)
            expected += [signed(x * c + (y >> 7)), quotient - rest, (x * c >> 64) + bin(y).count("1")]
        self.on_all("wide", "1", "32", f"a={IN},b={IN_2},out={OUT},c={c}", expected, [(IN, "q", a), (IN_2, "Q", b)], "q")

    def test_a_structure_by_value(self):
        self.on_all("by_value", "2", "16", f"setup.count=5,setup.scale=0.5,setup.low[0]=1,setup.low[1]=-2,setup.low[2]=300,"
                    f"setup.bytes[0]=0,setup.bytes[1]=0,setup.bytes[2]=-7,setup.bytes[3]=0,out={OUT}",
                    [(5 + i) * 0.5 + (1, -2, 300)[i % 3] - 7 for i in range(32)], kind="f")

    def test_work_items_may_return_early(self):
        def steps(n):
            count = 0
            while n > 1 and count <= 50:
                n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
            return count if count <= 50 else 0
        values = [i - 20 for i in range(96)]
        self.on_all("early", "3", "32", f"in={IN},out={OUT}", [steps(x) if x >= 0 else 0 for x in values], [(IN, "i", values)])

    def test_printf_prints_numbers_texts_and_vectors(self):
        for machine, mode in MACHINES:
            with self.subTest(machine=machine, mode=mode):
                result = self.start(machine, mode, "say", "2", "4", f"numbers={IN}", [(IN, "i", [i - 3 for i in range(8)])])
                lines = sorted(line for line in result.out.splitlines() if line.startswith("item"))
                self.assertEqual(lines, [f"item {i} of 8: {i - 3} {0.5 * i:.2f} text {i},2,3,-4|0.500000,{i:.6f} 100% -10000000000" for i in range(0, 8, 2)])

    def test_doubles_are_rounded_as_on_the_host(self):
        values = [0.1 * i + 1e-9 for i in range(32)]
        self.on_all("doubles", "1", "32", f"a={IN},out={OUT}",
                    [(x * 3.0 - 1.0 / (x + 1.0)) + i for i, x in enumerate(values)], [(IN, "d", values)], "d")

    def test_functions_of_double(self):
        values = [0.37 * i - 5 for i in range(32)] + [0.5, -0.5, 1.5, 2.5, 0.0, 7.0, 1e-3, -2.0]
        for machine, mode in MACHINES:
            found = self.start(machine, mode, "double_functions", "1", "40", f"a={IN},out={OUT}", [(IN, "d", values)], ("d", 240))
            for i, x in enumerate(values):
                exact = (math.sqrt(abs(x)), float(fractions.Fraction(x)**2 + fractions.Fraction(-1.0 / 3.0)),
                         math.floor(x) + 100.0 * math.ceil(x) + 10000.0 * math.trunc(x) + 1000000.0 * round(x),
                         max(x, 0.5) - min(x, -0.5))
                self.assertEqual(tuple(found[6 * i:6 * i + 4]), exact, (machine, mode, x))
                for one, other in ((found[6 * i + 4], math.exp(x)), (found[6 * i + 5], (abs(x) + 0.5)**2.5)):
                    self.assertLessEqual(abs(one - other), 16 * math.ulp(other), (machine, mode, x))

    def test_a_function_that_is_inline_without_static(self):
        self.on_all("inlined", "1", "32", f"out={OUT}", [2 * i + 1 for i in range(32)])

    def test_functions_of_mathematics_are_as_precise_as_the_standard_asks(self):
        values = [rounded(0.37 * i - 5) for i in range(32)]
        ulps = (4, 3, 16, 3, 3, 0, 6, 3)
        for machine, mode in MACHINES:
            found = self.start(machine, mode, "maths", "1", "32", f"in={IN},out={OUT}", [(IN, "f", values)], ("f", 256))
            for i, x in enumerate(values):
                exact = (math.sin(x), math.exp(x), abs(x) ** rounded(1.7), math.sqrt(abs(x)), math.log(abs(x) + 1.0),
                         math.fmod(x, 0.75) + math.floor(x) + round(x),
                         x + (2.0 - x) * 0.25 + max(-1.0, min(1.0, x)) + math.atan2(x, 2.0), math.sqrt(x * x + 5.0))
                for j, (one, bound) in enumerate(zip(exact, ulps)):
                    ulp = 2.0 ** (max(math.frexp(one)[1], math.frexp(x)[1] if j in (5, 6) else -99) - 24)
                    self.assertLessEqual(abs(found[8 * i + j] - one), (bound + 1) * ulp, (machine, mode, x, j))

    def test_a_grid_of_three_dimensions(self):
        expected = []
        for z in range(4):
            for y in range(4):
                for x in range(8):
                    expected.append(x % 4 + 10 * (y % 2) + 100 * (z % 2) + 1000 * (x // 4) + 10000 * (y // 2) +
                                    100000 * (z // 2) + 3000000)
        self.on_all("where", "2x2x2", "4x2x2", f"out={OUT}", expected, kind="I")

    def test_asynchronous_copies(self):
        values = [float(i) for i in range(96)]
        self.on_all("copies", "3", "32", f"in={IN},out={OUT}", values[64:] + values[32:64] + values[:32], [(IN, "f", values)], "f")

    def test_a_barrier_of_which_the_compiler_does_not_know_that_all_reach_it(self):
        at = 0
        for i in range(5):
            at = i % 64 + at
        self.on_all("agree", "1", "64", f"rounds={IN},out={OUT}", [at] * 64, [(IN, "i", [5] * 64)], options=())

    def test_halves_are_loaded_and_stored(self):
        pack = lambda values: [struct.unpack("H", struct.pack("e", value))[0] for value in values]
        values = [0.125 * i - 2 for i in range(32)]
        self.on_all("halves", "1", "32", f"in={IN},out={OUT}", pack([1.5 * x for x in values]), [(IN, "H", pack(values))], "H")

    def test_a_kernel_calls_another_kernel(self):
        self.on_all("increment_twice", "1", "32", f"data={OUT}", [i + 2 for i in range(32)], [(OUT, "i", range(32))])
        self.on_all("increment", "1", "32", f"data={OUT}", [i + 1 for i in range(32)], [(OUT, "i", range(32))])

    def test_the_offset_in_the_head_of_the_argument_block_moves_ids(self):
        # Hosts write the head; --args begins behind it, so that this one is put together by hand.
        head = struct.pack("<8I", 7, 0, 0, 1, 0, 0, 0, 0) + struct.pack("<4I", IN, IN_2, OUT, 16)
        (self.work / "block").write_bytes(head)
        (self.work / "in0").write_bytes(array.array("f", range(32)).tobytes())
        result = spica("run", "virgo", self.elf, "--set", "dispatcher.present=true", "--kernel", "vadd", "--grid", "1", "--block", "16",
                       "--load", f"{self.work}/block@0x9FFF0000", "--load", f"{self.work}/in0@{IN:#x}",
                       "--save", f"{self.work}/out@{OUT:#x}+128")
        self.assertEqual(result.code, 0, result.text)
        found = array.array("f", (self.work / "out").read_bytes())
        self.assertEqual(list(found), [0.0] * 7 + [float(i) for i in range(7, 16)] + [0.0] * 16)


class Together(Program):
    """Functions that work items call together, and atomic functions, of OpenCL C 3.0."""
    source, options = "collective.cl", ("-cl-std=CL3.0",)

    def scans(self, values, size, combine, start):
        """For each group: what all together have, what those up to each have, and those before it."""
        whole, upto, before = [], [], []
        for begin in range(0, len(values), size):
            so_far = start
            for value in values[begin:begin + size]:
                before.append(so_far)
                so_far = combine(so_far, value)
                upto.append(so_far)
            whole += [so_far] * size
        return whole, upto, before

    def test_functions_of_a_work_group(self):
        values = [(37 * i) % 101 - 50 for i in range(80)]
        add, most = lambda a, b: a + b, max
        sums, upto, _ = self.scans(values, 40, add, 0)
        _, _, before = self.scans(values, 40, most, -2**31)
        broadcast = [values[38]] * 40 + [values[78]] * 40
        found = [11 if values[5] in values[begin:begin + 40] else 1 for begin in (0, 40) for _ in range(40)]
        self.on_all("groups", "2", "40", f"in={IN},out={OUT}", sums + upto + before + broadcast + found, [(IN, "i", values)])

    def test_functions_of_a_work_group_on_64_bits(self):
        values = [(-1)**i * i * 3**20 for i in range(64)]
        least, _, _ = self.scans(values, 32, min, 2**63 - 1)
        _, _, before = self.scans(values, 32, lambda a, b: a + b, 0)
        self.on_all("wide_groups", "2", "32", f"in={IN},out={OUT}", least + before, [(IN, "q", values)], "q")

    def test_functions_of_a_sub_group_which_is_a_warp(self):
        values = [float((29 * i) % 64) for i in range(64)]
        for machine, mode in MACHINES:
            with self.subTest(machine=machine, mode=mode):
                found = self.start(machine, mode, "sub_groups", "1", "64", f"in={IN},out={OUT}", [(IN, "f", values)], ("f", 320))
                lanes = 64 // int(found[256] // 10000)
                self.assertEqual(lanes, {"virgo": 8, "volta-sm": 32}[machine])
                most, upto, _ = (self.scans(values, lanes, max, -1)[0], *self.scans(values, lanes, lambda a, b: a + b, 0)[1:])
                self.assertEqual(found[:64], most)
                self.assertEqual(found[64:128], upto)
                self.assertEqual(found[128:192], [values[i // lanes * lanes + 1] for i in range(64)])
                self.assertEqual(found[192:256], [values[i ^ 1] for i in range(64)])
                self.assertEqual(found[256:], [lanes + 100 * (i % lanes) + 10000 * (64 // lanes) for i in range(64)])

    def test_atomic_functions(self):
        self.on_all("atomics", "2", "48", f"counters={OUT + 0x1000},taken={OUT}", [1] * 96, options=())
        bits = 0
        for item in range(96):
            bits ^= 1 << (item % 48) % 31
        self.on_all("atomics", "2", "48", f"counters={OUT + 0x1000},taken={OUT}", [95, 288, bits, 9], at=OUT + 0x1000, options=())


class Library(unittest.TestCase):
    """The built-in library, against the declarations of clang's own header."""

    def declared(self, version):
        words = ["clang-19", "-x", "cl", "--target=nvptx-unknown-unknown", f"-cl-std=CL{version}", "-cl-no-stdinc", "-Xclang",
                 "-cl-ext=-all,+cl_khr_fp64,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_subgroups,+__opencl_c_fp64,+__opencl_c_int64,+__opencl_c_subgroups,"
                 "+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables",
                 "-D__opencl_c_atomic_order_acq_rel=1", "-D__opencl_c_atomic_order_seq_cst=1", "-D__opencl_c_atomic_scope_device=1",
                 "-D__opencl_c_work_group_collective_functions=1", "-Dcl_khr_subgroup_shuffle=1", "-include", "opencl-c.h",
                 "-Xclang", "-ast-dump=json", "-fsyntax-only", "-"]
        done = subprocess.run([*words, "-ferror-limit=0"], input="\n", capture_output=True, text=True)  # errors: types of images
        return set(re.findall(r'"mangledName": "([^"]*)"', done.stdout))

    def test_every_function_of_the_standard_is_there_but_those_on_images(self):
        library = pathlib.Path(os.environ["SPICA_KERNELS"]) / "objects/opencl/opencl.bc"
        listed = subprocess.run(["/usr/lib/llvm-19/bin/llvm-nm", "--defined-only", library], capture_output=True, text=True, check=True)
        defined = {line.split()[-1] for line in listed.stdout.splitlines() if line}
        for version in ("1.2", "3.0"):
            with self.subTest(version):
                declared = self.declared(version)
                self.assertGreater(len(declared), 9000)
                others = {name for name in declared - defined if "image" not in name}
                # printf is that of sw/lib; of a pointer in the generic space the library does not say where it points.
                self.assertEqual(others - {"printf", "_Z9get_fencePKv", "_Z9get_fencePv"}, set())


class Reported(unittest.TestCase):
    def test_a_barrier_of_which_the_compiler_does_not_know_that_all_reach_it_is_a_remark(self):
        with folder() as work:
            code, text = compile_cl(SOURCES / "kernels.cl", "-Rpass=spica", "-o", f"{work}/k.elf")
            self.assertEqual(code, 0, text)
            self.assertRegex(text, r"remark: \S*kernels.cl:\d+:5: a barrier needs all lanes of a warp, and here they may have diverged at "
                             r"the branch at kernels.cl:\d+, because of the result of get_local_id\(\)")

    def test_a_launch_keeps_to_the_required_extents(self):
        with folder() as work:
            elf = f"{work}/k.elf"
            self.assertEqual(compile_cl(SOURCES / "kernels.cl", "-o", elf), (0, ""))
            start = ("run", "virgo", elf, "--set", "dispatcher.present=true", "--kernel", "where", "--grid", "2x2x2", "--args", f"out={OUT}")
            self.assertEqual(spica(*start).code, 0)
            refused = spica(*start, "--block", "16")
            self.assertEqual(refused.code, 2)
            self.assertIn("kernel 'where' is for work groups of 4x2x2 threads: --block 4x2x2", refused.err)


class Refused(unittest.TestCase):
    """What a program does wrong is said with its place, and ends with exit code 2."""

    def refused(self, text, *options):
        with folder() as work:
            (pathlib.Path(work) / "bad.cl").write_text(text)
            done = subprocess.run([BINARY, "cc", *options, "bad.cl", "-o", "bad.elf"], capture_output=True, text=True, cwd=work)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertFalse((pathlib.Path(work) / "bad.elf").exists())
            self.assertNotIn("/tmp", done.stderr)
            return done.stderr

    def test_images(self):
        self.assertEqual(self.refused("\nkernel void show(read_only image2d_t picture, global int* out) { out[0] = 1; }\n"),
                         "bad.cl:2: error: kernel 'show' uses images, which are unsupported: use buffers instead\n")

    def test_a_function_that_nobody_has(self):
        text = self.refused("int nowhere(int x);\nkernel void k(global int* out) {\n  out[0] = nowhere(1);\n}\n")
        self.assertEqual(text, "bad.cl:3: error: undefined function 'nowhere': neither the program nor the built-in library "
                         "of OpenCL C has it\n")

    def test_an_error_of_the_language_has_the_name_and_line_of_the_user(self):
        self.assertRegex(self.refused("kernel void k(global int* out) {\n  out[0] = y;\n}\n"),
                         r"^bad.cl:2:12: error: use of undeclared identifier 'y'")

    def test_an_unknown_option(self):
        self.assertIn("-fplugin=x: OpenCL C has no such option", self.refused("kernel void k() {}", "-fplugin=x"))


if __name__ == "__main__":
    unittest.main()
