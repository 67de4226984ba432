# SPDX-License-Identifier: Apache-2.0
"""Kernels in the style of CUDA: .cu files as they are, run as grids on machines with other warps and with warps of 32 lanes."""
import array
import functools
import math
import os
import pathlib
import re
import struct
import subprocess
import unittest

from spica_runner import BINARY, folder, spica

ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
SOURCES = ROOT / "testbenches/kernels/cuda"
EXAMPLES = ROOT / "sw/examples/cuda"
MACHINE = ("--set", "dispatcher.present=true", "--check", "hazards", "--check", "memory")


def compile_cuda(source, elf, *options):
    done = subprocess.run([BINARY, "cc", source, *options, "-o", elf], capture_output=True, text=True)
    return done.returncode, done.stderr


@functools.cache
def once(source, *options):
    """A source of this tree, compiled for all tests."""
    place = folder()
    unittest.addModuleCleanup(place.cleanup)
    elf = f"{place.name}/{pathlib.Path(source).stem}.elf"
    done = compile_cuda(source, elf, *options)
    assert done == (0, ""), done
    return elf


class Cuda(unittest.TestCase):
    """A program, and what its kernels leave in its variables."""

    def build(self, work, source, *options):
        self.work, self.elf = work, f"{work}/{pathlib.Path(source).stem}.elf"
        if pathlib.Path(source).parent == SOURCES:
            self.elf = once(source, *options)
        else:
            self.assertEqual(compile_cuda(source, self.elf, *options), (0, ""))

    def run_kernel(self, machine, kernel, grid, *options, block=None, args="", loads=(), saves=(), mode="cycle"):
        command = ["run", machine, self.elf, *MACHINE, "--mode", mode, "--kernel", kernel, "--grid", grid, *options]
        for name, kind, values in loads:
            pathlib.Path(f"{self.work}/{name}.in").write_bytes(array.array(kind, values).tobytes())
            command += ["--load", f"{self.work}/{name}.in@{name}"]
        command += ["--block", block] if block else []
        command += ["--args", args] if args else []
        for name, _ in saves:
            command += ["--save", f"{self.work}/{name}.out@{name}"]
        result = spica(*command)
        self.assertEqual(result.code, 0, result.text)
        for check in ("hazards", "memory errors"):
            self.assertRegex(result.text, f"{check}: none found", result.text)
        found = [array.array(kind, pathlib.Path(f"{self.work}/{name}.out").read_bytes()) for name, kind in saves]
        return found[0] if len(found) == 1 else found

    def refused(self, *arguments):
        result = spica("run", *arguments, "--set", "dispatcher.present=true")
        self.assertEqual(result.code, 2, result.text)
        return result.err


class Blocks(Cuda):
    def check_blocks(self, machine, mode):
        run = lambda *arguments, **options: self.run_kernel(machine, *arguments, mode=mode, **options)
        place = run("where", "2x3x2", block="3x4x2", saves=[("place", "i")])
        self.assertEqual(list(place), [thread * 10 + block + 1000 for block in range(12) for thread in range(24)])

        given = run("take", "1", block="32", saves=[("given", "d")],
                    args="c=-3,flag=1,s=-300,wide=-5000000000,two.x=1.5,two.y=2,real=0.1,pair.a=7,pair.b=-2,box.low[0]=1,box.low[1]=2,box.low[2]=4,box.high.x=1,box.high.y=8.5,box.tag=-4,"
                         "three.x=1,three.y=2,three.z=3.25,h=0x3E00,colour=5,pointer=given")
        self.assertEqual(list(given[:12]), [-3, 1, -300, -5e9, 21.5, 0.1, -193, 8.5 + 400, -4, 3.25, 1.5, 5])
        self.assertGreater(given[12], 0x80000000)

        values = [float(i * i) for i in range(32)]
        floats = run("shapes::sum<float, 32>", "1", block="32,128", args="from=0xA0000000,to=floats", saves=[("floats", "f")],
                     loads=[("0xA0000000", "f", values)])
        self.assertEqual(floats[0], 3 * sum(values))
        numbers = run("shapes::sum<int, 64>", "1", block="64,256", args="from=0xA0000000,to=numbers", saves=[("numbers", "i")],
                      loads=[("0xA0000000", "i", range(64))])
        self.assertEqual(numbers[0], 3 * sum(range(64)))

        reached = run("rounds", "1", block="96", args="count=4", saves=[("reached", "i")])
        values, inside = [i * i % 17 for i in range(96)], range(0)
        for number in range(4):
            inside = range(number + 1, 95 - number)
            values = [min(values[i - 1], values[i + 1]) + number if i in inside else values[i] for i in range(96)]
        self.assertEqual(list(reached), [values[i] if i in inside else 0 for i in range(96)])

        counters, total = run("count", "4", block="48", args="n=100", saves=[("counters", "I"), ("total", "Q")])
        down = 0
        for _ in range(192):
            down = 9 if down == 0 or down > 9 else down - 1
        self.assertEqual(list(counters[:6]), [384, 192 % 10, down, 191, 576, 4])
        self.assertEqual(total[0], sum(range(192)) << 28)

        x, k, u = 2.5, 0x00F0, 0xDEADBEEF
        numbers, floats, sizes = run("compute", "1", block="32", args=f"x={x},k={k},u={u}", saves=[("numbers", "i"), ("floats", "f"), ("sizes", "i")],
                                     loads=[("table", "f", [0, 4, 0, 0])])
        signed = lambda word: word - (1 << 32) if word >> 31 else word
        word = struct.unpack("<i", struct.pack("<f", x))[0]
        self.assertEqual(list(numbers[:13]), [24, 24, 5, signed(int(f"{u:032b}"[::-1], 2)), 60, 2, -2, signed(0x06BE07EF), 7 + k, 3200, word,
                                              signed((1 << 32 | u) << 8 >> 32 & 0xFFFFFFFF), bin(0x100000001 * u & (1 << 64) - 1).count("1")])
        for one, must in zip(floats, (1 / math.sqrt(x), math.exp(x) + x * x, 1, 24, 8.5, 3.75, x)):
            self.assertAlmostEqual(one, must, delta=1e-5 * must)
        self.assertEqual(list(sizes[:2]), [1200 + 16 + 8, -56])

    def test_blocks_of_any_shape_take_arguments_of_any_kind(self):
        with folder() as work:
            self.build(work, SOURCES / "blocks.cu")
            for machine in ("virgo", "volta-sm"):
                for mode in ("cycle", "fast"):
                    with self.subTest(f"{machine}, {mode} mode"):
                        self.check_blocks(machine, mode)

    def test_every_level_of_optimisation_gives_the_same(self):
        for level in ("-Og", "-O1", "-O3", "-Os"):
            with folder() as work, self.subTest(level):
                self.build(work, SOURCES / "blocks.cu", level)
                self.check_blocks("virgo", "fast")

    def test_a_launch_says_what_the_kernel_does_not(self):
        with folder() as work:
            self.build(work, SOURCES / "blocks.cu")
            self.assertIn("--block X, XxY or XxYxZ", self.refused("virgo", self.elf, "--kernel", "where", "--grid", "1"))
            self.assertIn("--block THREADS,BYTES", self.refused("virgo", self.elf, "--kernel", "shapes::sum<int,64u>", "--grid", "1", "--block", "64"))
            self.assertIn("has no shared memory whose size", self.refused("virgo", self.elf, "--kernel", "where", "--grid", "1", "--block", "8,4"))
            text = self.refused("virgo", self.elf, "--kernel", "compute", "--grid", "1", "--block", "8", "--args", "x=1,z=2")
            for words in ("no such argument; there are x, k, u", "'k' has no value", "'u' has no value"):
                self.assertIn(words, text)
            text = self.refused("virgo", self.elf, "--kernel", "compute", "--grid", "1", "--block", "8", "--args", "i32:1,i32:2")
            for words in ("item 'i32:1' at byte 0: the program has 'x' there, f32 at byte 0", "'u' (u32) has no value"):
                self.assertIn(words, text)
            for args in ("i32:1", "i=1"):
                self.refused("virgo", self.elf, "--kernel", "where", "--grid", "1", "--block", "8", "--args", args)


class Warps(Cuda):
    def check_warps(self, mode):
        out, wide, four = self.run_kernel("volta-sm", "warps", "1", block="96", args="seed=13", mode=mode, saves=[("out", "i"), ("wide", "d"), ("four", "I")])
        n, x = 96, [i * 13 % 97 for i in range(96)]
        signed = lambda word: word - (1 << 32) if word >> 31 else word
        warp = lambda i: range(i // 32 * 32, i // 32 * 32 + 32)
        tile = lambda i: range(i // 8 * 8, i // 8 * 8 + 8)
        mask = lambda i, condition: signed(sum(1 << lane % 32 for lane in warp(i) if condition(x[lane])))
        even = lambda i: [lane for lane in warp(i) if x[lane] % 2 == 0]

        def moved(i, width, to):
            first = i // width * width
            return x[to] if first <= to < first + width else x[i]

        wanted = [
            lambda i: x[i // 32 * 32 + 5], lambda i: x[i // 8 * 8 + i * 7 % 8], lambda i: moved(i, 32, i - 3), lambda i: moved(i, 16, i - 3),
            lambda i: moved(i, 32, i + 3), lambda i: moved(i, 4, i + 3), lambda i: x[i ^ 9], lambda i: x[i ^ 9] if i % 32 ^ 9 < i % 32 // 8 * 8 + 8 else x[i],
            lambda i: mask(i, lambda v: v % 3 == 0), lambda i: any(x[lane] == 40 for lane in warp(i)), lambda i: all(x[lane] != 40 for lane in warp(i)),
            lambda i: mask(i, lambda v: v % 4 == x[i] % 4), lambda i: sum(x[lane] for lane in warp(i)), lambda i: max(x[lane] for lane in warp(i)),
            lambda i: sum(v % 2 for v in x), lambda i: (96 in x) * 2 + all(v < 96 for v in x), lambda i: i // 32 * 1000 + i % 32,
            lambda i: i // 8 * 1000 + i % 8, lambda i: sum(x[lane] for lane in tile(i)), lambda i: max(x[lane] for lane in warp(i)),
            lambda i: sum(1 << lane % 8 for lane in tile(i) if x[lane] % 2), lambda i: x[i // 32 * 32 + 31],
            lambda i: 0 if x[i] % 2 else len(even(i)) * 100 + even(i).index(i), lambda i: 0 if x[i] % 2 else x[even(i)[1]],
            lambda i: 0 if x[i] % 2 else mask(i, lambda v: v % 2 == 0), lambda i: 32]
        for number, must in enumerate(wanted):
            for i in range(n):
                self.assertEqual(out[number * n + i], int(must(i)), f"out[{number}][{i}]")
        self.assertEqual(list(wide), [moved(i, 32, i + 1) * 0.25 for i in range(n)])
        self.assertEqual(list(four), [x[i ^ 1] + k for i in range(n) for k in range(4)])

    def test_lanes_of_a_warp_tell_each_other_what_cuda_says(self):
        for level in ("-Og", "-O1", "-O2", "-Os"):
            with folder() as work, self.subTest(level):
                self.build(work, SOURCES / "warps.cu", level)
                self.check_warps("fast")
        with folder() as work:
            self.build(work, SOURCES / "warps.cu")
            self.check_warps("cycle")

    def test_lanes_that_rely_on_each_other_without_a_word_are_right_on_32_lanes(self):
        for level in ("-Og", "-O1", "-O2", "-Os"):
            for mode in ("cycle", "fast"):
                with folder() as work, self.subTest(f"{level}, {mode} mode"):
                    self.build(work, SOURCES / "warps.cu", level)
                    sums = self.run_kernel("volta-sm", "synchronous", "4", block="64", args="n=3", mode=mode, saves=[("sums", "f")])
                    self.assertEqual(list(sums), [sum(3 + i for i in range(64))] * 4)

    def test_programs_for_warps_of_32_lanes_are_refused_elsewhere(self):
        with folder() as work:
            for text in ("__global__ void k(int* p) { *p = __shfl_down_sync(~0u, *p, 1); }",
                         "__global__ void k(int* p) { volatile int* v = p; v[threadIdx.x] += v[threadIdx.x + 1]; }",
                         "__global__ void k(int* p) { *p = warpSize; }", "__global__ void k(int* p) { p[1] = *p; __syncwarp(); }"):
                pathlib.Path(f"{work}/k.cu").write_text(text)
                self.build(work, f"{work}/k.cu")
                refusal = self.refused("virgo", self.elf, "--grid", "1", "--block", "32", "--args", "p=0xA0000000")
                self.assertIn("relies on warps of 32 lanes; warps of this machine have 8", refusal)
                self.assertRegex(refusal, "Configurations it fits: .*volta-sm")
            pathlib.Path(f"{work}/k.cu").write_text("__global__ void k(int* p) { p[threadIdx.x] = __shfl_xor_sync(0xff, (int)threadIdx.x, 1) + warpSize; }")
            self.build(work, f"{work}/k.cu", "-DSPICA_WARP_SIZE=8")
            self.elf = f"{work}/k.elf"
            words = self.run_kernel("virgo", "k", "1", "--save", f"{work}/p@0xA0000000+64", block="16", args="p=0xA0000000", saves=[])
            self.assertEqual(list(array.array("i", pathlib.Path(f"{work}/p").read_bytes())), [(i ^ 1) + 8 for i in range(16)])


class Refusals(Cuda):
    def errors(self, text, *options):
        with folder() as work:
            pathlib.Path(f"{work}/k.cu").write_text(text)
            code, errors = compile_cuda(f"{work}/k.cu", f"{work}/k.elf", *options)
            self.assertEqual(code, 2, errors)
            return errors

    def test_what_a_host_program_does_is_refused_with_what_to_use_instead(self):
        text = self.errors("__global__ void k(int*) {}\nint main() {\n  int* p; cudaMalloc(&p, 4);  // k<<<1, 1>>>\n  k<<<1, 32>>>(p);\n}\n")
        self.assertIn("k.cu:3:11: error: 'cudaMalloc", text)
        self.assertIn("spica run --load FILE@ADDRESS", text)
        self.assertRegex(text, r"k.cu:4: kernel launches \(<<<...>>>\) .*--kernel k --grid X --block X")
        self.assertNotIn("k.cu:3: kernel", text)
        self.assertIn("'cudaMemPrefetchAsync", self.errors("void f(int* p) { cudaMemPrefetchAsync(p, 4, 0); }"))

    def test_textures_dynamic_parallelism_and_kernels_called_like_functions_are_refused(self):
        self.assertIn("the machine has no texture units", self.errors("__global__ void k(float* p, cudaTextureObject_t t) { *p = tex1Dfetch<float>(t, 1); }"))
        self.assertIn("dynamic parallelism", self.errors("__global__ void a() {}\n__global__ void k() { a<<<1, 1>>>(); }"))
        for option in ("-g0", "-g1"):
            self.assertIn("has no description of its arguments: compile with -g", self.errors("__global__ void k(int n) {}", option))
        self.assertIn("a kernel is called like a function", self.errors("__global__ void a() {}\n__global__ void k() { a(); }"))
        self.assertIn("work groups of a grid do not all run at the same time",
                      self.errors("#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::this_grid().sync(); }"))
        self.assertIn("no functions of double", self.errors("__global__ void k(double* p) { *p = exp(*p); }"))
        self.assertRegex(self.errors("__global__ void k() { if (threadIdx.x < 3) __syncthreads(); }"), "a barrier needs all lanes.*because of the result of spica::cuda::ThreadIndex::get_x")



class Findings(Cuda):
    """Kernels with a mistake are blamed on its line, and the same without it are not blamed at all."""

    KERNELS = {"missing_sync": ("2", "64"), "missing_second_sync": ("2", "64"), "open_overflow": ("2", "64,256"), "unwritten_shared": ("2", "64"),
               "blocks_race": ("4", "64"), "global_overflow": ("4", "64"), "warp_sum": ("1", "64"), "warp_tile": ("2", "64"), "tiles_of_8": ("2", "64,256")}

    def text_of(self, machine, mode, kernel, grid, block):
        pathlib.Path(f"{self.work}/data").write_bytes(array.array("i", range(256)).tobytes())
        args = ("--args", "n=64") if kernel == "open_overflow" else ()
        return spica("run", machine, self.elf, *MACHINE, "--mode", mode, "--kernel", kernel, "--grid", grid, "--block", block, "--load", f"{self.work}/data@data", *args)

    def each(self, lanes, *options):
        machine = "virgo" if lanes == 8 else "volta-sm"
        with folder() as work:
            self.build(work, SOURCES / "bugs.cu", f"-DSPICA_WARP_SIZE={lanes}", *options)
            for mode in ("cycle", "fast"):
                for kernel, (grid, block) in self.KERNELS.items():
                    with self.subTest(f"{kernel}, {machine}, {mode} mode"):
                        yield kernel, self.text_of(machine, mode, kernel, grid, block)

    def test_right_kernels_have_no_findings(self):
        for lanes in (8, 32):
            for _, result in self.each(lanes, "-DRIGHT"):
                self.assertEqual(result.code, 0, result.text)
                self.assertRegex(result.text, "memory errors: none found\n+hazards: none found")

    def test_mistakes_are_found_on_their_line(self):
        text = (SOURCES / "bugs.cu").read_text().splitlines()
        lines = {one[1]: number for number, line in enumerate(text, 1) if (one := re.search(r"// BUG (\w+)", line))}
        self.assertEqual(set(lines), set(self.KERNELS) - {"tiles_of_8"})
        for lanes in (8, 32):
            for kernel, result in self.each(lanes):
                is_wrong = kernel in lines and (kernel != "warp_tile" or lanes == 8)  # lanes of volta-sm go in step
                self.assertEqual(result.code, int(is_wrong), result.text)
                if is_wrong:
                    self.assertRegex(result.text, rf"bugs\.cu:{lines[kernel]}\b")

    def test_what_lies_behind_the_shared_memory_of_a_block_is_not_its_own(self):
        with folder() as work:
            self.build(work, SOURCES / "overflow.cu")
            for machine in ("virgo", "volta-sm"):
                for mode in ("cycle", "fast"):
                    result = self.text_of(machine, mode, "shared_overflow", "2", "64")
                    self.assertEqual(result.code, 1, result.text)
                    self.assertRegex(result.text, r"an access outside the work group's part of shared memory\n.*\n.*overflow\.cu:8\b")

    def test_a_hang_report_names_the_barrier_in_the_kernel(self):
        with folder() as work:
            pathlib.Path(f"{work}/k.cu").write_text(
                "__device__ volatile int flag;\n__global__ void k() {\n  if (threadIdx.x == 0 && blockIdx.x == 1) while (flag == 0) {}\n  __syncthreads();\n}\n")
            self.build(work, f"{work}/k.cu")
            result = spica("run", "volta-sm", self.elf, "--set", "dispatcher.present=true", "--set", "run.max_cycles=20000", "--grid", "2", "--block", "64")
            self.assertEqual(result.code, 1, result.text)
            self.assertRegex(result.text, r"warp \d +waits at barrier 1 +k, \S*k\.cu:4\b")


if __name__ == "__main__":
    unittest.main()
