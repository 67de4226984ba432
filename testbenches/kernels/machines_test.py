# SPDX-License-Identifier: Apache-2.0
"""Kernels follow the machine: every design, on machines of other lanes, warps, cores, arrays and banks, is verified or
refused with a value that works. Machines are drawn with a fixed seed; SPICA_ALL_MACHINES=1 takes all of them (an hour)."""
import filecmp
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from spica_runner import BINARY, elf, folder, spica, stats

DESIGNS = sorted((pathlib.Path(os.environ["SPICA_ROOT"]) / "configs/designs").glob("*.yaml"))
LANES, WARPS, CORES, DIM, BANKS = AXES = (
    "cluster.core.lanes", "cluster.core.warps", "cluster.cores", "cluster.matrix_units.0.dim", "cluster.shared_memory.banks")
VALUES = ((4, 8, 16, 32), (4, 8, 16), (1, 2, 4, 8), (2, 4, 8, 16), (2, 4, 8, 16))
# What a message names as working: KEY=VALUE, or the end of a range.
NAMED = re.compile(r"\b((?:[a-z_0-9]+\.)+[a-z_0-9]+)=([\w.]+)")
RANGE = re.compile(r"^--set #\d+: (\S+): \S+ is out of range; allowed: \d+\.\.(\d+)")
MOST_REFUSALS = 12


def setUpModule():
    global caches
    caches = folder()
    os.environ.setdefault("SPICA_CACHE", caches.name)


def tearDownModule():
    caches.cleanup()


def gemm(design, size, values, *more):
    return spica("gemm", "--design", design, "--size", size, *(f"--set={key}={value}" for key, value in values.items()), *more)


def named_values(errors):
    """One working value for each line that refuses."""
    named = {}
    for line in errors.splitlines():
        out_of_range = RANGE.match(line)
        pairs = [out_of_range.groups()] if out_of_range else NAMED.findall(line.rpartition(": --set ")[2])
        if pairs:
            named.setdefault(pairs[0][0], pairs[0][1].rstrip("."))
    return named


def until_verified(design, size, values, *more):
    """Runs, and does what refusals say, until a run is verified. The number of refusals, and the machine."""
    values = dict(values)
    for refusals in range(MOST_REFUSALS):
        run = gemm(design, size, values, *more)
        if run.code == 0 and "verified" in run.out:
            return refusals, values
        named = named_values(run.err)
        if run.code != 2 or not named:
            raise AssertionError(f"{design} {size} {values}: exit {run.code}\n{run.text[:3000]}")
        values.update(named)
    raise AssertionError(f"{design} {size}: refused {MOST_REFUSALS} times, at last on {values}\n{run.err}")


def machines(count, seed):
    every = [dict(zip(AXES, values)) for values in itertools.product(*VALUES)]
    return every if os.environ.get("SPICA_ALL_MACHINES") else random.Random(seed).sample(every, count)


def needs_tensor_cores(design):
    text = design.read_text()
    base = re.search(r"^extends: (\S+)\.yaml", text, re.M)
    return "tensor_core\n" in text or (base is not None and needs_tensor_cores(design.with_name(base[1] + ".yaml")))


class Machines(unittest.TestCase):
    def test_every_design_is_verified_on_drawn_machines_or_names_a_value_that_works(self):  # long
        self.assertGreater(len(DESIGNS), 25)

        def run(job):
            design, machine = job
            of_sm = re.search(r"^config: .*-sm$|^extends: volta", design.read_text(), re.M)
            if machine[LANES] != 8 and not needs_tensor_cores(design) and not of_sm:
                machine = {**machine, "cluster.tensor_core.present": "false"}
            if of_sm or re.search(r"^config: mgpu-", design.read_text(), re.M):  # it has no matrix unit
                machine = {key: value for key, value in machine.items() if key != DIM}
            size = "64x64x64+70x64x64" if design.stem.startswith("dual") else "100x72x90"
            return design.stem, until_verified(design.stem, size, machine, "--mode", "fast")[0]

        jobs = [(design, machine) for number, design in enumerate(DESIGNS) for machine in machines(4, number)]
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(run, jobs))
        followed = {design for design, refusals in results if refusals == 0}
        self.assertLessEqual({"simt"}, followed, results)

    def test_cycle_mode_follows_the_axes_that_architects_ask_for(self):
        for design, values in (
            ("simt", {LANES: 16, "cluster.tensor_core.present": "false"}), ("tc", {WARPS: 16}), ("tc", {CORES: 1, WARPS: 4}),
            ("tc-dma", {WARPS: 4}), ("tc-dma", {CORES: 8}), ("virgo", {WARPS: 16}), ("virgo", {CORES: 1, WARPS: 6}),
            ("virgo", {DIM: 16, "cluster.shared_memory.words": 16}), ("virgo-dma", {DIM: 4}),
            ("virgo-dma", {DIM: 16, "cluster.shared_memory.words": 16}), ("fp16-volta", {WARPS: 4}),
            ("virgo-dma", {"cluster.shared_memory.size": "32KiB", **{f"cluster.matrix_units.0.tile_{x}": 32 for x in "mnk"}}), ("virgo-16k", {DIM: 16, "cluster.shared_memory.words": 16}),
            ("fp16-virgo-simt", {LANES: 4, "cluster.tensor_core.present": "false"}),
        ):
            with self.subTest(design=design, values=values):
                run = gemm(design, "128x64x128", values)
                self.assertEqual(run.code, 0, run.text)
                self.assertIn("bit-exact", run.out)

    def test_a_larger_array_is_faster(self):
        cycles = []
        with folder() as out:
            for dim in (2, 4, 8, 16, 32):
                wide = {"cluster.shared_memory.words": 32, BANKS: 2, "cluster.matrix_units.0.transfer_bytes": 128}
                run = gemm("virgo-dma", "128x128x128", {DIM: dim, **wide}, "--out", out)
                self.assertEqual(run.code, 0, run.text)
                cycles.append(stats(out)["cycles"])
        self.assertGreater(cycles[0], 3.5 * cycles[1])
        self.assertGreater(cycles[1], 2.5 * cycles[2])
        self.assertGreater(cycles[2], 1.3 * cycles[3])
        self.assertGreater(cycles[3], 1.02 * cycles[4])


class Edges(unittest.TestCase):
    def test_sizes_that_are_no_multiple_of_the_tile_say_what_they_cost(self):
        with folder() as out:
            run = gemm("tc", "100x70x90", {}, "--out", out)
            self.assertEqual(run.code, 0, run.text)
            self.assertIn("padded         with zeros to 128x128x128: 70 % of the multiply-adds that were computed", run.out)
            data = stats(out)
            self.assertEqual(data["size"], "100x70x90")
            self.assertEqual(data["padded_size"], "128x128x128")
            self.assertAlmostEqual(data["utilisation"], 100 * 70 * 90 / data["cycles"] / 64, 9)
            self.assertEqual(gemm("tc", "128x128x128", {}, "--out", out).code, 0)
            self.assertNotIn("padded_size", stats(out))
            self.assertEqual(data["cycles"], stats(out)["cycles"])

    def test_every_design_computes_a_size_of_primes(self):  # long
        for design in DESIGNS:
            with self.subTest(design=design.stem):
                one = "67x71x73"
                size = f"{one}+{one}" if design.stem.startswith("dual") else one
                run = gemm(design.stem, size, {}, "--mode", "fast")
                self.assertEqual(run.code, 0, run.text)
                self.assertIn("verified", run.out)


NO_VIEWS = "its kernel supports contiguous rows only|computes 2 products in a run, and no matrices with gaps"


class Views(unittest.TestCase):
    """A as a view of an image, and rows that do not follow each other."""

    def refused(self, message, *options):
        """The designs that refuse; all others are verified."""
        refused = set()
        for design in DESIGNS:
            with self.subTest(design=design.stem):
                run = spica("gemm", "--design", design.stem, "--mode", "fast", *options)
                if run.code == 2:
                    self.assertRegex(run.err, message)
                    refused.add(design.stem)
                else:
                    self.assertEqual(run.code, 0, run.text)
                    self.assertIn("verified", run.out)
        return refused

    BY_BLOCKS = {"dual-parallel", "dual-serial", "fp16-ampere", "fp16-ampere-published", "fp16-ampere-quartile", "fp16-volta-published",
                 "fp16-hopper", "fp16-hopper-quartile", "tc-dma",
                 "tc-dma-swish", "tc-dma-swish-overlapped", "virgo-dma-swish", "virgo-dma-swish-overlapped"}

    MLDS = {f"mlds-{tile}x32" for tile in ("256x128", "128x256", "128x128", "128x64", "64x128", "64x64")} | {"mlds-256x128x32-b"}

    def test_every_design_computes_a_convolution_or_says_why_not(self):  # long
        refused = self.refused(NO_VIEWS + "|an image needs a design whose operands.a.layout is row_major, for example virgo-dma",
                               "--convolution", "9x11x3,20x5x3,stride=2,padding=2,images=2")
        self.assertEqual(refused, self.BY_BLOCKS | {"volta-fp16", "volta-fp32", "cutlass13-nn", "cutlass13-nt", "gemm-tile"} | self.MLDS)

    def test_every_design_takes_leading_dimensions_or_says_why_not(self):  # long
        refused = self.refused(NO_VIEWS + "|--ldb 520: this design does not store the matrix by rows or columns",
                               "--size", "70x40x50", "--lda", "536", "--ldb", "520", "--ldc", "544")
        self.assertEqual(refused, self.BY_BLOCKS | {"fp16-volta", "gemm-tile"})

    def test_a_convolution_has_no_hazards_and_its_padding_is_no_work(self):
        with folder() as out:
            for design, text, padded in (("virgo-dma", "14x14x64,64x3x3,padding=1", "256x64x576"),
                                         ("tc", "8x8x16,8x3x3", "64x64x192"), ("simt", "12x12x8,32x1x1,stride=2", "36x32x8"),
                                         ("turing-fp32", "8x8x64,128x3x3,padding=1", "256x128x576")):
                with self.subTest(design=design):
                    run = spica("gemm", "--design", design, "--convolution", text, "--check", "hazards", "--out", out)
                    self.assertEqual(run.code, 0, run.text)
                    self.assertIn(f"convolution {text} on {design} (", run.out)
                    self.assertIn("hazards: none found", run.out + run.err)
                    results = stats(out)
                    self.assertEqual(results["convolution"], text)
                    if padded != "36x32x8":
                        self.assertEqual(results["padded_size"], padded)
                        self.assertIn(f"with zeros and windows over an edge to {padded}", run.out)
            # Of 256 x 64 x 576: 196 x 64 x 576.
            run = spica("gemm", "--convolution", "14x14x64,64x3x3,padding=1", "--out", out)
            self.assertEqual(run.code, 0, run.text)
            self.assertAlmostEqual(stats(out)["utilisation"] * stats(out)["cycles"] * 64, 196 * 64 * 576, delta=1)

    def test_leading_dimensions_change_no_result_and_join_a_batch(self):
        with folder() as out:
            errors = set()
            for options in (), ("--lda", "200", "--ldb", "136", "--ldc", "130"):
                run = gemm("virgo-dma", "128x128x128", {}, "--out", out, *options)
                self.assertEqual(run.code, 0, run.text)
                errors.add(stats(out)["largest_error"])
            self.assertEqual(len(errors), 1)
            self.assertEqual([stats(out)[key] for key in ("lda", "ldb", "ldc")], [200, 136, 130])
            run = gemm("simt", "32", {}, "--batch", "3", "--lda", "40", "--mode", "fast")
            self.assertEqual(run.code, 0, run.text)

    def test_what_cannot_be_is_refused_at_once_with_numbers_that_work(self):
        run = gemm("turing-fp32", "128", {}, "--lda", "7", "--ldb", "129")
        self.assertEqual(run.code, 2)
        self.assertIn("--lda 7: its rows have 128 elements, so the stride must be at least 128\n--ldb 129: must be a multiple of 2, for example 130", run.err)
        run = gemm("ampere-fp16-async", "128", {}, "--lda", "260")
        self.assertIn("--lda 260: must be a multiple of 8, for example 264", run.err)
        run = gemm("virgo-dma", "64", {}, "--convolution", "9x9x9,9x3x3", "--batch", "2")
        self.assertEqual(run.code, 2)
        self.assertIn("--convolution sets the sizes and the layout; omit --size, --batch (images=N).", run.err)


class Batches(unittest.TestCase):
    def test_every_design_computes_a_batch_or_says_why_not(self):  # long
        refused = set()
        for design in DESIGNS:
            with self.subTest(design=design.stem):
                run = gemm(design.stem, "64x64x64+64x64x64" if design.stem.startswith("dual") else "64x64x64", {}, "--batch", "3",
                           "--mode", "fast")
                if run.code == 2:
                    self.assertRegex(run.err, "computes 2 products in a run, and no batch of them|it has no GEMM_MAIN")
                    refused.add(design.stem)
                else:
                    self.assertEqual(run.code, 0, run.text)
                    self.assertIn("gemm 3 x 64x64x64 on", run.out)
        self.assertEqual(refused, {"dual-serial", "dual-parallel", "virgo-dma-swish-overlapped", "gemm-tile"})

    def test_a_batch_takes_as_long_as_its_products_and_has_operands_of_its_own_for_each(self):
        errors = set()
        with folder() as out:
            for design, size in (("gemv", "64x1x128"), ("simt", "32x32x32"), ("tc-dma", "64x64x64"), ("virgo-dma", "64x64x128"),
                                 ("fp16-hopper", "128x64x128"), ("volta-fp32", "128x128x32")):
                with self.subTest(design=design):
                    cycles = []
                    for options in ("--check", "hazards"), ("--batch", "4", "--check", "hazards"), ("--batch", "4", "--seed", "9", "--mode", "fast"):
                        run = gemm(design, size, {}, "--out", out, *options)
                        self.assertEqual(run.code, 0, run.text)
                        if "--check" in options:
                            self.assertIn("hazards: none found", run.out + run.err)
                            cycles.append(stats(out)["cycles"])
                        errors.add((design, stats(out)["largest_error"]))
                    self.assertEqual(stats(out)["batch"], 4)
                    self.assertGreater(cycles[1], 2.5 * cycles[0])  # what is set up once counts once
                    self.assertLess(cycles[1], 8 * cycles[0])  # all warps start anew for each
        self.assertGreater(len(errors), 12)

    def test_a_kernel_for_vectors_is_quicker_than_a_product_of_one_column(self):
        """`simt` makes 32 columns of it, most of them zeros."""
        with folder() as out:
            cycles = {}
            for design in "gemv", "simt":
                run = gemm(design, "256x1x256", {}, "--out", out)
                self.assertEqual(run.code, 0, run.text)
                cycles[design] = stats(out)["cycles"]
        self.assertLess(3 * cycles["gemv"], cycles["simt"])


class CompiledNow(unittest.TestCase):
    def test_a_kernel_compiled_for_its_own_machine_is_the_one_that_is_there(self):  # long
        """So the build and the platform compile alike. A define that changes nothing keeps the ready one from being taken."""
        for design in DESIGNS:
            text = design.read_text()
            source = re.search(r"^source: (\w+)", text, re.M)
            if source is None:
                continue
            with self.subTest(design=design.stem), folder() as place:
                mine = pathlib.Path(place) / "mine.yaml"
                mine.write_text(f"extends: designs/{design.stem}\nkernel: ''\n")
                cache = pathlib.Path(place) / "cache"
                os.environ["SPICA_CACHE"], before = str(cache), os.environ["SPICA_CACHE"]
                try:
                    run = gemm(mine, "64x64x64", {}, "--mode", "fast")
                finally:
                    os.environ["SPICA_CACHE"] = before
                self.assertEqual(run.code, 0, run.text)
                made = list(cache.rglob("*.elf"))
                self.assertEqual(len(made), 1)
                ready = elf(re.search(r"^kernel: (\w+)", text, re.M)[1])
                self.assertTrue(filecmp.cmp(made[0], ready, shallow=False), f"{made[0]} is not {ready}")

    def test_a_kernel_is_compiled_once(self):
        with folder() as place:
            os.environ["SPICA_CACHE"], before = place, os.environ["SPICA_CACHE"]
            try:
                with ThreadPoolExecutor(4) as pool:
                    runs = list(pool.map(lambda _: gemm("tc", "64x64x64", {WARPS: 16}, "--mode", "fast"), range(4)))
                self.assertEqual([run.code for run in runs], [0] * 4, runs[0].text)
                made = list(pathlib.Path(place).rglob("*"))
                self.assertEqual(sorted(path.suffix for path in made if path.is_file()), [".elf", ".sha256"])
                written = [path for path in made if path.suffix == ".elf"][0].stat().st_mtime_ns
                gemm("tc", "64x64x64", {WARPS: 16}, "--mode", "fast")
                self.assertEqual([path for path in made if path.suffix == ".elf"][0].stat().st_mtime_ns, written)
            finally:
                os.environ["SPICA_CACHE"] = before

    def test_own_source_follows_the_machine_and_errors_are_the_compilers(self):
        with folder() as place:
            root = pathlib.Path(place)
            (root / "mine.cpp").write_text((pathlib.Path(os.environ["SPICA_ROOT"]) / "sw/kernels/gemm_simt/main.cpp").read_text())
            (root / "mine.yaml").write_text("source: mine.cpp\nfollows: [MACHINE_LANES=cluster.core.lanes]\n"
                                            "config: virgo\nunit: lanes\n")
            run = gemm(root / "mine.yaml", "64x64x64", {LANES: 4, "cluster.tensor_core.present": "false"})
            self.assertEqual(run.code, 0, run.text)
            source = (root / "mine.cpp").read_text()
            (root / "mine.cpp").write_text('#include "mine.h"\n' + source)
            (root / "mine.h").write_text("\n")
            self.assertEqual(gemm(root / "mine.yaml", "64x64x64", {}, "--mode", "fast").code, 0)
            (root / "mine.h").write_text("#error another header\n")  # is noticed
            self.assertIn("another header", gemm(root / "mine.yaml", "64x64x64", {}, "--mode", "fast").err)
            (root / "mine.cpp").write_text("int main() { return wrong; }\n")
            run = gemm(root / "mine.yaml", "64x64x64", {})
            self.assertEqual(run.code, 2)
            self.assertRegex(run.err, r"mine\.cpp cannot be compiled for this machine, with -DMACHINE_LANES=8")
            self.assertRegex(run.err, r"mine\.cpp:1:\d+: error: use of undeclared identifier .wrong.")

    def test_a_header_that_several_kernels_share_is_noticed(self):
        true_root = pathlib.Path(os.environ["SPICA_ROOT"])
        with folder() as place:
            root = pathlib.Path(place)
            shutil.copytree(true_root / "sw", root / "sw")
            for name in "configs", "models":
                (root / name).symlink_to(true_root / name)
            changed = {"SPICA_ROOT": place, "SPICA_CACHE": str(root / "cache")}
            before = {name: os.environ[name] for name in changed}
            os.environ.update(changed)
            try:
                for header, command in (("attention_common/causal.h", ("attention", "--design", "tc", "--sequence", 128, "--causal")),
                                        ("gemm_common/tensor_gemm.h", ("gemm", "--design", "tc", "--size", 64, "--set", f"{WARPS}=16"))):
                    with self.subTest(header):
                        run = spica(*command, "--mode", "fast")
                        self.assertEqual(run.code, 0, run.text)
                        with open(root / "sw/kernels" / header, "a") as text:
                            text.write("#error another header\n")
                        self.assertIn("another header", spica(*command, "--mode", "fast").err)
            finally:
                os.environ.update(before)

    def with_cache(self, place, *arguments, **more):
        """In an environment with this cache, and what `more` says: None is not there."""
        environment = {**os.environ, "SPICA_CACHE": str(place), **more}
        process = subprocess.run([BINARY, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                 env={name: value for name, value in environment.items() if value is not None}, timeout=280)
        return process.returncode, process.stdout + process.stderr

    def write_design(self, root):
        (root / "mine.cpp").write_text((pathlib.Path(os.environ["SPICA_ROOT"]) / "sw/kernels/gemm_simt/main.cpp").read_text())
        (root / "mine.yaml").write_text("source: mine.cpp\nconfig: virgo\nunit: lanes\n")
        return "gemm", "--design", root / "mine.yaml", "--size", "64x64x64", "--mode", "fast"

    def test_headers_in_other_folders_are_noticed_however_they_are_included(self):
        with folder() as place:
            root = pathlib.Path(place) / "work"
            (root / "sub/deep").mkdir(parents=True)
            (root.parent / "beside").mkdir()
            run = self.write_design(root)
            source = (root / "mine.cpp").read_text()
            ways = (('#include "sub/a.h"', "sub/a.h", "\n"), ('#include "sub/b.h"', "sub/deep/c.h", "\n"),
                    ('#include "../beside/d.h"', "../beside/d.h", "\n"),
                    ('#define HEADER "sub/e.h"\n#include HEADER', "sub/e.h", "\n"))
            (root / "sub/b.h").write_text('#pragma once\n  #  include "deep/c.h"\n')
            for line, header, empty in ways:
                with self.subTest(header):
                    (root / "mine.cpp").write_text(line + "\n" + source)
                    (root / header).write_text(empty)
                    code, text = self.with_cache(root / "cache", *run)
                    self.assertEqual(code, 0, text)
                    (root / header).write_text("#error another header\n")
                    self.assertIn("another header", self.with_cache(root / "cache", *run)[1])

    def test_a_header_that_no_text_names_is_refused_not_kept(self):
        with folder() as place:
            root = pathlib.Path(place)
            run = self.write_design(root)
            source = (root / "mine.cpp").read_text()
            (root / "other").mkdir()
            (root / "other/gain.dat").write_text("\n")
            (root / "sub").mkdir()
            (root / "mine.cpp").write_text("#define TEXT(x) #x\n#define AS_TEXT(x) TEXT(x)\n#include AS_TEXT(other/gain.dat)\n" + source)
            code, text = self.with_cache(root / "cache", *run)
            self.assertEqual(code, 2, text)
            self.assertRegex(text, r"mine\.cpp reads .*other/gain\.dat, which no #include names literally")
            (root / "mine.cpp").write_text('#include "gain.dat"\n' + source)
            code, text = self.with_cache(root / "cache", *run, CPATH=str(root / "other"), CPLUS_INCLUDE_PATH=str(root / "other"))
            self.assertEqual(code, 2, text)  # nothing from the environment
            self.assertIn("'gain.dat' file not found", text)

    def test_a_damaged_cache_heals_and_leftovers_go(self):
        with folder() as place:
            root = pathlib.Path(place)
            run = self.write_design(root)
            self.assertEqual(self.with_cache(root / "cache", *run)[0], 0)
            kernels = root / "cache/kernels"
            made, = kernels.glob("*.elf")
            whole = made.read_bytes()

            def again():
                code, text = self.with_cache(root / "cache", *run)
                self.assertEqual(code, 0, text)
                self.assertEqual(made.read_bytes(), whole)
            for damage in (b"", whole[:len(whole) // 2], bytes(len(whole)), whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:]):
                made.write_bytes(damage)
                again()
            made.unlink()
            made.mkdir()
            again()
            name = made.stem
            left = [kernels / f"{name}.4711", kernels / f"{name}.abcDEF", kernels / f"{name}.lock", kernels / f"{name}.elf.12.new"]
            kept = [kernels / "notes.txt", kernels / "my.folder"]
            for path in left[:2] + kept[1:]:
                path.mkdir()
            for path in left[2:] + kept[:1]:
                path.write_text("x")
            for path in left + kept:
                os.utime(path, (1, 1))
            made.unlink()
            again()
            self.assertEqual([path for path in left if path.exists()], [])
            self.assertEqual([path for path in kept if not path.exists()], [])
            made.unlink()
            (kernels / f"{name}.lock").mkdir()  # no lock can be had: it works without
            again()

    def test_a_cache_is_this_users_alone(self):
        with folder() as place:
            root = pathlib.Path(place)
            run = self.write_design(root)
            (root / "open").mkdir()
            (root / "open/kernels").mkdir()
            (root / "open/kernels").chmod(0o777)
            code, text = self.with_cache(root / "open", *run)
            self.assertEqual(code, 2, text)
            self.assertIn("every user may write to it", text)
            self.assertIn("SPICA_CACHE", text)
            if os.geteuid() == 0:
                (root / "other/kernels").mkdir(parents=True)
                os.chown(root / "other/kernels", 12345, 12345)
                code, text = self.with_cache(root / "other", *run)
                self.assertEqual(code, 2, text)
                self.assertIn("it belongs to another user", text)
            (root / "tmp").mkdir()
            code, text = self.with_cache(root, *run, SPICA_CACHE=None, XDG_CACHE_HOME=None, HOME=None, TMPDIR=str(root / "tmp"))
            self.assertEqual(code, 0, text)
            made, = (root / "tmp").iterdir()
            self.assertEqual(made.name, f"spica-{os.geteuid()}")
            self.assertEqual(made.stat().st_mode & 0o777, 0o700)

    def test_a_compiler_that_is_missing_is_named(self):
        os.environ["SPICA_CLANG"] = "clang-of-nobody"
        try:
            with folder() as place:
                os.environ["SPICA_CACHE"], before = place, os.environ["SPICA_CACHE"]
                try:
                    run = gemm("tc", "64x64x64", {WARPS: 16})
                finally:
                    os.environ["SPICA_CACHE"] = before
        finally:
            del os.environ["SPICA_CLANG"]
        self.assertEqual(run.code, 2)
        self.assertIn("clang-of-nobody is missing: apt install clang-19, or name another one in the environment variable "
                      "SPICA_CLANG", run.err)


if __name__ == "__main__":
    unittest.main()
