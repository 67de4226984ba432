# SPDX-License-Identifier: Apache-2.0
"""Designs and experiments are files: those that come with Spica, and a user's own with a kernel beside it."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from spica_runner import KERNELS, elf, folder, spica, stats

OWN = """\
title: the product of the lanes, under another name
kernel: mine.elf
config: machine.yaml
unit: lanes
tile: {m: 4, n: 32}
size: 64x64x32
operands:
  a: {element: fp32, layout: row_major, address: 0xA4000000}
  b: {address: 0xA5000000}
  c: {address: 0xA6000000}
arguments: [u32:m, u32:n, u32:k, pad:4, u64:a, u64:b, u64:c]
"""


class Desk:
    """A folder outside the tree with a kernel, a machine, and what `files` says."""

    def __init__(self, **files):
        self.temporary = folder()
        self.root = pathlib.Path(self.temporary.name)
        shutil.copy(elf("gemm_simt"), self.root / "mine.elf")
        (self.root / "machine.yaml").write_text("extends: virgo\ncluster:\n  cores: 2\n")
        (self.root / "mine.yaml").write_text(OWN)
        for name, text in files.items():
            (self.root / f"{name}.yaml").write_text(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def __getattr__(self, name):
        return self.root / f"{name}.yaml"


class OwnDesign(unittest.TestCase):
    def test_own_design_verifies_in_both_modes(self):
        with Desk() as desk:
            for mode in ("cycle", "fast"):
                out = desk.root / mode
                result = spica("gemm", "--design", desk.mine, "--mode", mode, "--out", out)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn(f"gemm 64x64x32 on mine ({desk.machine}): verified", result.out)
                self.assertIn("bit-exact", result.out)
                data = stats(out)
                self.assertTrue(data["verified"])
                self.assertEqual(data["design"], "mine")
                self.assertEqual(data["size"], "64x64x32")
                self.assertNotIn("core_2", data["configuration"] if mode == "fast" else data["stats"]["cluster_0"])

    def test_own_design_says_what_is_checked(self):
        with Desk(loose=OWN + "check: {order: any}\n", tight=OWN + "check: {order: any, tolerance: 1e-12}\n",
                  wrong=OWN + "check: {reference: swish}\n") as desk:
            loose = spica("gemm", "--design", desk.loose)
            self.assertEqual(loose.code, 0, loose.text)
            self.assertNotIn("bit-exact", loose.out)
            for design in (desk.tight, desk.wrong):
                result = spica("gemm", "--design", design)
                self.assertEqual(result.code, 1, result.text)
                self.assertIn("wrong ", result.out)

    def test_own_design_on_another_machine_is_refused_when_it_says_so(self):
        with Desk(mine=OWN + "needs: [cluster.cores=1|2]\n") as desk:
            self.assertEqual(spica("gemm", "--design", desk.mine).code, 0)
            result = spica("gemm", "--design", desk.mine, "--config", "virgo")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("design mine needs cluster.cores = 1 or 2; this machine has 4: --set cluster.cores=2", result.err)

    def test_broken_design_shows_all_its_problems(self):
        text = OWN.replace("kernel: mine.elf", "kernel: their.elf\nkernal: x").replace("unit: lanes", "unit: lane")
        text = text.replace("u32:k", "u32:l").replace("m: 4", "m: none")
        with Desk(mine=text) as desk:
            result = spica("gemm", "--design", desk.mine)
            self.assertEqual(result.code, 2, result.text)
            self.assertEqual(result.out, "")
            lines = [line.removeprefix(f"{desk.mine}:") for line in result.err.splitlines()]
            expected = [
                rf"2: kernel: there is no file {desk.root}/their.elf; allowed: .*ELF file relative to this file.*",
                r'3: kernal: unknown key, did you mean "kernel"\?; allowed: title, order, kernel, .*',
                r'5: unit: "lane" is not one of the choices, did you mean "lanes"\?; allowed: tensor_core, .*',
                r'6: tile.m: "none" is not a whole number; allowed: 1..9999999',
                r"12: arguments\[2\]: .*'l' is neither a number nor one of m, n, k, unit, a, b, c, batch, stride_a, stride_b, stride_c, lda, ldb, ldc, run, runs.*"]
            self.assertEqual(len(lines), len(expected), result.err)
            for line, pattern in zip(lines, expected):
                self.assertRegex(line, f"^{pattern}$")
            checked = spica("config", "--kind", "design", desk.mine)
            self.assertEqual((checked.code, checked.err), (2, result.err))

    def test_files_are_checked_and_printed_without_a_run(self):
        with Desk(table="axes: {design: [mine.yaml], size: [64x64x64]}\n") as desk:
            for kind, file in (("design", desk.mine), ("sweep", desk.table), ("configuration", desk.machine)):
                result = spica("config", "--kind", kind, file)
                self.assertEqual(result.code, 0, result.text)
                self.assertIn("all values are legal", result.out)
                dump = spica("config", "--kind", kind, file, "--dump")
                self.assertIn(f"# {file}:" if kind != "sweep" else desk.table.read_text(), dump.out)
                schema = json.loads(spica("config", "--kind", kind, "--schema").out)
                self.assertIn("object", schema["type"])

    def test_own_attention_design_verifies(self):
        with Desk() as desk:
            shutil.copy(elf("attention_tc_overlapped"), desk.root / "softmax.elf")
            desk.attention.write_text("kernel: softmax.elf\nconfig: attention\nunit: tensor_core\n"
                                      "roundings: {product: 34, carried: 33}\n")
            result = spica("attention", "--design", desk.attention, "--sequence", "128", "--mode", "fast")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("attention 128x64 on attention, exact", result.out)
            result = spica("attention", "--design", desk.attention, "--sequence", "128", "--exponential", "polynomial")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("has no polynomial_kernel", result.err)


class OwnExperiment(unittest.TestCase):
    TABLE = "title: mine and theirs\naxes: {design: [mine.yaml, simt], size: [64x64x64]}\n"
    PUBLISHED = OWN + "published: [{size: 64x64x64, cycles: 50000, source: a colleague}]\n"

    def test_own_design_stands_beside_another_with_what_is_published(self):
        with Desk(table=self.TABLE, mine=self.PUBLISHED) as desk:
            out = desk.root / "out"
            result = spica("experiment", desk.table, "--out", out)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("mine and theirs", result.out)
            rows = json.loads((out / "results.json").read_text())
            self.assertEqual([row["design"] for row in rows], ["mine", "simt"])
            self.assertEqual(rows[0]["published_cycles"], 50000)
            self.assertNotIn("published_utilisation", rows[0])
            self.assertNotIn("published_cycles", rows[1])
            self.assertEqual(sorted(path.name for path in out.iterdir() if path.is_dir()),
                             ["mine-64x64x64", "simt-64x64x64", "sweep"])

    def test_another_machine_than_the_published_one_has_no_published_values(self):
        with Desk(table=self.TABLE, mine=self.PUBLISHED) as desk:
            result = spica("experiment", desk.table, "--out", desk.root / "out", "--set", "cluster.cores=4")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("No published values shown", result.out)
            self.assertNotIn("published_cycles", (desk.root / "out" / "results.json").read_text())

    def test_broken_experiment_shows_all_its_problems_and_runs_nothing(self):
        with Desk(table="axes:\n  design: [mine.yaml, simd]\n  size: [64x64x64, 30x]\ntitel: t\n") as desk:
            result = spica("experiment", desk.table, "--out", desk.root / "out")
            self.assertEqual(result.code, 2, result.text)
            self.assertFalse((desk.root / "out").exists())
            for text in (":2: axes.design: simd: no such design, did you mean \"simt\"?; allowed: ",
                         ":3: axes.size: size '30x' is not MxNxK", ":4: titel: unknown key, did you mean \"title\"?"):
                self.assertIn(f"{desk.table}{text}", result.err)


class ShippedDesigns(unittest.TestCase):
    WITH_DMA = ("fp16-virgo", "fp16-hopper", "fp16-ampere", "virgo-dma")

    def names(self, kind):
        return spica("config", "--kind", kind, "--names").out.split()

    def test_help_lists_designs_and_experiments_in_their_order(self):
        designs = self.names("design")
        self.assertEqual(designs[:4], ["tc", "tc-dma", "virgo", "virgo-dma"])
        self.assertIn("name (spica config --kind design --names) or file of a design", spica("gemm", "--help").out)
        self.assertEqual(self.names("sweep"), ["virgo-cycles", "fp16-cycles", "virgo-energy", "energy-sensitivity", "formats", "formats-blocks", "formats-sm", "formats-weights", "fused", "dual-unit",
                                               "tensor-warps", "tensor-generations", "tensor-latency", "mma-offload", "inter-warp-multicast",
                                               "concurrent-gemm", "concurrent-gemm-pairs", "concurrent-gemm-batched", "concurrent-gemm-elementwise", "concurrent-gemm-machines",
                                               "reconvergence", "gpu-stream", "gpu-gemm", "gpu-memory", "network", "memory-bandwidth",
                                               "shared-memory-banks", "warps", "array-size", "attention-styles", "attention-formats"])
        self.assertIn("virgo-cycles:Cycles", re.sub(r"\s+", "", spica("experiment", "--help").out))

    def test_every_design_is_timed_from_its_first_load_to_its_last_store_which_is_done(self):
        for design in ("virgo-dma", "virgo-v2", "fp16-virgo", "fp16-hopper", "fp16-hopper-quartile", "fp16-ampere", "fp16-ampere-quartile",
                       "fp16-volta", "gemm-unit"):
            with self.subTest(design), folder() as out:
                result, data, _ = self.traced(design)
                self.assertEqual(data["window"], "results")
                self.assertEqual(data["timed"], "from the first load to the moment the last result is in memory")
                self.assertNotIn("\n  timed ", result.out)
                dma = data["stats"]["cluster_0"]["dma_0"]
                for counter in ("shared_writes", "bytes_stored_global"):
                    self.assertEqual(dma[counter]["in_region"], dma[counter]["value"], counter)
                if dma["bytes_stored_global"]["value"] == 0:  # the cores store C
                    self.assertGreaterEqual(self.of_cores(data, "lane_stores"), 128 * 64)
                if dma["shared_writes"]["value"] == 0:  # and load A and B, two elements in a word
                    self.assertGreaterEqual(self.of_cores(data, "lane_loads"), (128 + 64) * 128 / 2)
                if design in ("fp16-ampere", "fp16-volta"):  # whose published region is without the stores of C
                    spica("gemm", "--design", design, "--size", "128x64x128", "--region", "published", "--out", f"{out}/published")
                    published = self.of_cores(stats(f"{out}/published"), "lane_stores")
                    self.assertGreaterEqual(self.of_cores(data, "lane_stores") - published, 128 * 64)

    @staticmethod
    def of_cores(data, counter):
        return sum(block[counter]["in_region"] for name, block in data["stats"]["cluster_0"].items() if name.startswith("core_"))

    @classmethod
    @functools.cache
    def traced(cls, design):
        """Result and statistics of a run, and for some designs the events of its trace; once for all tests."""
        with folder() as out:
            options = ["--trace", f"{out}/trace.json"] if design in cls.WITH_DMA else []
            options += ["--set", "clusters=1"] if design == "gemm-unit" else []
            result = spica("gemm", "--design", design, "--size", "128x64x128", "--out", out, *options)
            assert result.code == 0, result.text
            events = json.loads((pathlib.Path(out) / "trace.json").read_text()) if design in cls.WITH_DMA else []
            return result, stats(out), events if isinstance(events, list) else events["traceEvents"]

    def test_regions_begin_at_the_first_load_of_the_dma(self):
        for design in self.WITH_DMA:
            with self.subTest(design):
                _, data, events = self.traced(design)
                first = min(event["ts"] for event in events if event.get("cat") == "command" and "load" in event["name"].lower())
                # Its addresses and strides are given between the two.
                self.assertLess(first * data["machine"]["clock_mhz"] - data["region"]["begin_marker"], 1200)
                self.assertGreater(first * data["machine"]["clock_mhz"], data["region"]["begin_marker"])

    def test_the_cycles_before_the_first_load_are_those_to_the_first_load_of_a_trace_and_are_said(self):
        for design, kind in (("tc-dma", "json"), ("virgo-dma", "json"), ("simt", "log"), ("gemm-tile", "log")):
            with self.subTest(design), folder() as out:
                trace = f"{out}/t.{kind}"
                result = spica("gemm", "--design", design, "--size", "64x64x64", "--out", out, "--trace", trace)
                data = stats(out)
                begin = data["region"]["begin_marker"] if data["region"] else 0
                if kind == "json":
                    with open(trace) as file:
                        events = json.load(file)["traceEvents"]
                    first = min(event["ts"] for event in events if event["ph"] == "X" and event["name"].startswith("load A")) * data["machine"]["clock_mhz"]
                else:  # of a word of A or B by a core
                    with open(trace) as file:
                        first = min(int(line.split()[0]) for line in file if re.search(r"load @(\[)?0x[ab]", line))
                # On its way the request passes caches and buses.
                self.assertGreater(data["lead_cycles"], first - begin)
                self.assertLess(data["lead_cycles"], first - begin + 400)
                share = 100 * data["lead_cycles"] / data["cycles"]
                self.assertGreater(share, 2)
                self.assertIn(f"set-up         {data['lead_cycles']:,} cycles ({share:.1f} %) before the first load", result.out)
        with folder() as out:
            result = spica("gemm", "--size", "128x128x256", "--out", out)
            self.assertLess(stats(out)["lead_cycles"], 0.02 * stats(out)["cycles"])
            self.assertNotIn("set-up", result.out)

    def test_a_kernel_that_has_one_region_only_is_timed_over_it_and_refuses_the_other(self):
        with folder() as out:
            mine = pathlib.Path(out) / "mine.yaml"
            kernel = f"{os.environ['SPICA_KERNELS']}/gemm_virgo_dma.elf"  # its note is of two regions
            mine.write_text(f"extends: designs/virgo-dma\nkernel: {os.environ['SPICA_KERNELS']}/gemm_simt.elf\nsource: ''\nunit: lanes\n"
                            "window: stores\nneeds: []\nfollows: []\ncheck: {order: any}\n")
            result = spica("gemm", "--design", mine, "--size", "64x64x64")
            self.assertIn("timed          stores: from the configuration to the last store, which is still under way", result.out, result.text)
            refused = spica("gemm", "--design", mine, "--size", "64x64x64", "--region", "results")
            self.assertEqual(refused.code, 2)
            self.assertIn("--region results: the kernel of design mine is timed from the configuration to the last store", refused.err)
            mine.write_text(f"extends: designs/virgo-dma\nkernel: {kernel}\nsource: ''\nwindow: stores\nfollows: []\n")
            refused = spica("gemm", "--design", mine, "--size", "64x64x64", "--region", "published")
            self.assertEqual(refused.code, 2)
            self.assertIn("--region published: design mine has no source that could be compiled for it", refused.err)
        result = spica("gemm", "--design", "gemm-tile", "--size", "64x64x32")
        self.assertIn("timed          run: the whole run: the program has no markers", result.out)

    def test_the_published_region_is_there_by_name_and_is_what_the_published_kernel_brackets(self):
        def dma(design, counter):
            with folder() as out:
                result = spica("gemm", "--design", design, "--size", "128x64x128", "--region", "published", "--out", out)
                self.assertEqual(result.code, 0, result.text)
                data = stats(out)
            self.assertEqual(f"timed          {data['window']}: {data['timed']}" in result.out, data["window"] != "results")
            counted = data["stats"]["cluster_0"]["dma_0"][counter]
            return data["window"], counted["in_region"], counted["value"]

        window, inside, all_of_it = dma("virgo-dma", "bytes_stored_global")
        self.assertEqual((window, inside), ("results", all_of_it))
        window, inside, all_of_it = dma("fp16-virgo", "bytes_stored_global")
        self.assertEqual(window, "commands")
        self.assertLess(inside, 0.6 * all_of_it)  # the store has just been commanded
        window, inside, all_of_it = dma("fp16-ampere", "shared_writes")
        self.assertEqual((window, inside), ("k_blocks", all_of_it // 2))  # without the first of two loads
        window, inside, all_of_it = dma("fp16-hopper", "shared_writes")
        self.assertEqual((window, inside), ("stores", all_of_it))
        result, rows = self.begin("fp16-cycles")
        self.assertRegex(result.out, "Timed region of fp16-volta, fp16-ampere, .*: k_blocks, from the head of the first k block")
        self.assertRegex(result.out, "Timed region of fp16-virgo: commands, from the configuration of loads and stores")
        self.assertEqual({row["window"] for row in rows if row["design"] == "fp16-hopper"}, {"stores"})

    @staticmethod
    @functools.cache
    def begin(experiment):
        """The first cycles of its runs, once for all tests."""
        with folder() as out:
            result = spica("experiment", experiment, "--out", out, "--jobs", "2", "--set", "run.max_cycles=20000")
            return result, json.loads((pathlib.Path(out) / "results.json").read_text())

    def test_results_name_the_compiler_of_the_kernel(self):
        for design, compiler in (("virgo-dma", "clang version 19"), ("simt", "clang version 19")):
            with folder() as out:
                spica("gemm", "--design", design, "--size", "64x64x64", "--out", out)
                self.assertIn(compiler, stats(out)["provenance"]["program_compilers"][0])
        result, _ = self.begin("dual-unit")
        self.assertRegex(result.out, "Compiled by .*clang version 19.*: dual-serial, dual-parallel")
        result, rows = self.begin("fp16-cycles")
        self.assertRegex(result.out, "Compiled by .*clang version 19.*: fp16-volta, fp16-ampere, fp16-hopper")
        self.assertTrue(all("clang version 19" in row["compiler"] for row in rows))

    def test_a_design_that_only_changes_the_compiler_is_compiled_by_it(self):
        with folder() as at:
            design = pathlib.Path(at, "by-gcc.yaml")
            design.write_text("extends: designs/simt\ncompiler: gcc\n")
            result = spica("gemm", "--design", design, "--size", "64x64x64", "--out", f"{at}/out")
            self.assertEqual(result.code, 0, result.text)
            self.assertRegex(stats(f"{at}/out")["provenance"]["program_compilers"][0], "GCC")

    def test_kernels_that_stand_for_published_ones_need_their_compiler_by_name(self):
        root = pathlib.Path(os.environ["SPICA_ROOT"])
        with folder() as out:
            project = pathlib.Path(out)
            (project / "CMakeLists.txt").write_text(f"""\
                cmake_minimum_required(VERSION 3.25)
                project(some NONE)
                include({root}/sw/spica_kernel.cmake)
                spica_kernel_tools({root} ${{CMAKE_BINARY_DIR}} ${{CMAKE_BINARY_DIR}})
                spica_kernel(mine PUBLISHED SOURCES mine.cpp)
                """)
            done = subprocess.run(["cmake", "-S", out, "-B", project / "build", "-DSPICA_PUBLISHED_CLANG=/nowhere/clang-19"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("apt install clang-19 lld-19", " ".join(done.stderr.split()))
            self.assertIn("apt install clang-19 lld-19", (project / "build" / "mine.missing").read_text())

    def test_a_spilled_register_in_an_inner_loop_is_refused(self):
        root = pathlib.Path(os.environ["SPICA_ROOT"])
        loop = "1: lw a0, 8(sp)\n addi a1, a1, -1\n bnez a1, 1b\n"
        good = "lw a0, 8(sp)\n 1: addi a1, a1, -1\n bnez a1, 1b\n sw a0, 8(sp)\n"
        nested = "1: sw a0, 8(sp)\n 2: addi a1, a1, -1\n bnez a1, 2b\n addi a2, a2, -1\n bnez a2, 1b\n"
        moved = "1: addi a1, a1, -1\n j 3f\n 2: ret\n 3: lw a0, 8(sp)\n bnez a1, 1b\n j 2b\n"
        for text, bad in ((loop, True), (good, False), (nested, False), (moved, True)):
            with folder() as out:
                source, elf_file, object_file = (f"{out}/k.{end}" for end in ("S", "elf", "o"))
                pathlib.Path(source).write_text(f".globl _start\n.type _start, @function\n_start:\n{text}ret\n.size _start, . - _start\n")
                subprocess.run(["clang-19", "--target=riscv32-unknown-elf", "-march=rv32im", "-mabi=ilp32", source, "-c", "-o", object_file], check=True)
                subprocess.run(["ld.lld-19", object_file, "-o", elf_file], check=True)
                done = subprocess.run([sys.executable, "-B", root / "sw/check_kernel_stacks.py", elf_file, object_file],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode != 0, bad, text + done.stderr)
                self.assertEqual("_start: the load at 0x" in done.stderr, bad, done.stderr)

    def test_the_spread_over_compilers_is_what_the_page_says(self):
        root = pathlib.Path(os.environ["SPICA_ROOT"])
        sys.path.insert(0, str(root / "platform/tools"))
        import generate_validation
        page = (root / "docs/validation.md").read_text()
        gcc = shutil.which("riscv64-unknown-elf-gcc")
        has_gcc_12 = gcc is not None and subprocess.check_output([gcc, "-dumpversion"], text=True).startswith("12.")
        counts = {}
        for name in ("fp16-ampere", "fp16-ampere-published"):
            row = re.search(rf"^\| `{name}` \| (.*) \|$", page, re.M)[1].split(" | ")
            for compiler, cycles in zip(generate_validation.COMPILERS, row):
                if compiler == "gcc" and not has_gcc_12:
                    continue
                with self.subTest(compiler, design=name), folder() as out:
                    design = pathlib.Path(out) / "mine.yaml"
                    design.write_text(generate_validation.spread_design(name, False, compiler))
                    result = spica("gemm", "--design", design, "--size", "256x256x256", "--region", "published", "--out", out)
                    self.assertEqual(result.code, 0, result.text)
                    self.assertEqual(f"{stats(out)['cycles']:,}", cycles)
                    if compiler == "published":
                        counts[name] = self.per_step(design)
        said = re.search(r"there are ([0-9.]+) other instructions in it, and ([0-9.]+) in.*?loads ([0-9]+) registers from its stack", page, re.S)
        for name, others, reloads in (("fp16-ampere", said[1], 0), ("fp16-ampere-published", said[2], said[3])):
            self.assertAlmostEqual(counts[name][0], float(others), delta=0.05)
            self.assertAlmostEqual(counts[name][1], float(reloads), delta=0.05)

    def per_step(self, design):
        """Instructions of a step along k that neither load operands nor multiply; registers that each warp loads from the stack for a block."""
        runs = []
        for k in (256, 512):
            with folder() as out:
                result = spica("gemm", "--design", design, "--size", f"128x64x{k}", "--profile", out)
                self.assertEqual(result.code, 0, result.text)
                rows = [row for row in json.loads((pathlib.Path(out) / "profile.json").read_text())["instructions"] if "pc" in row]
            step = [row for row in rows if row["function"].startswith(("multiply<", "load_a<", "load_b<", "word<", "tensor_core_load"))
                    and not row["text"].startswith(("flw", "wmma")) and row["instructions"] == 2 * (k // 128 * 64)]  # two passes a block
            stack = [row for row in rows if re.match(r"lw \w+,-?\d+\(sp\)", row["text"]) and row["instructions"] % (k // 128 * 64) == 0]
            runs.append([sum(row["instructions"] for row in some) for some in (step, stack)])
        blocks = 2 * 64  # more of them, warps
        others, reloads = ((long - short) / blocks for short, long in zip(*runs))
        return others / 8, reloads  # a block has eight steps

    def test_unknown_design_names_the_nearest(self):
        result = spica("gemm", "--design", "virgo-dam")
        self.assertEqual(result.code, 2)
        self.assertIn("virgo-dam: no such design, did you mean \"virgo-dma\"?; allowed: ampere-fp16, ", result.err)

    @unittest.skipUnless((KERNELS.parent / "build.ninja").exists(), "asks Ninja how the kernels are compiled")
    def test_kernels_are_compiled_with_what_their_designs_say(self):
        """Those without a source: the others are compared with what the platform compiles (machines_test.py)."""
        for kind in ("design", "attention-design"):
            for name in self.names(kind):
                dump = spica("config", "--kind", kind, name, "--dump").out
                if re.search(r'^source: "\w', dump, re.M):
                    continue
                defines = re.search(r"^defines:(?: \[\]|((?:\n  - .*)*))$", dump, re.M)[1] or ""
                for kernel in re.findall(r'^kernel: "(\w+)"', dump, re.M):
                    commands = subprocess.run(
                        ["ninja", "-C", KERNELS.parent, "-t", "commands", "-s", f"sw/objects/{kernel}/main.cpp.o"],
                        check=True, capture_output=True, text=True).stdout
                    with self.subTest(name):
                        self.assertEqual(sorted(re.findall(r'- "([^"]+)"', defines)),
                                         sorted(re.findall(r" -D(\S+)", commands)))


if __name__ == "__main__":
    unittest.main()
