# SPDX-License-Identifier: Apache-2.0
"""Runs that go on from a checkpoint: the same bytes as the undisturbed run, in both modes; other runs are refused."""
import functools
import json
import pathlib
import random
import re
import unittest

from spica_runner import elf, folder, spica, stats

# Configuration, program, warp instructions between two checkpoints, a load of random bytes at this address: lanes,
# barriers and spawned warps, the library, matrix unit and DMA, tensor cores of two kinds, asynchronous copies.
PROGRAMS = [
    ("virgo", "collatz", 3000, None),
    ("virgo", "histogram_fixed", 500, None),
    ("virgo", "library_check", 20000, None),
    ("virgo", "particles", 20000, None),
    ("virgo", "matrix_commands_64k", 5000, 0xA0000000),
    ("fp16-hopper", "hgmma", 1000, None),
    ("volta-sm", "wmma32_fragments", 600, None),
    ("ampere-sm", "async_copy", 500, 0xA0000000),
]
CASES_OF_PROGRAM = 3
# The same for the cycle mode, cycles between two checkpoints, with options: what is under way is all that can be. Two levels
# of caches, bursts in shared memory beside stores, matrix units and DMA, all kinds of tensor cores, the path that cores share,
# asynchronous copies, barriers of many warps, several clocks, the memory of one latency, a crossbar with slices, atomics, two load/store units, loads in
# write-back ports.
TIMED = [
    ("virgo", "collatz", 997, ()),
    ("virgo", "histogram_fixed", 997, ()),
    ("virgo", "gemm_virgo", 9973, ()),
    ("virgo", "gemm_virgo_dma", 9973, ()),
    ("virgo", "matrix_commands_64k", 997, ()),
    ("virgo", "wmma_fragments", 297, ()),
    ("virgo", "particles", 2497, ("--set", "bus.clock_mhz=500", "--set", "main_memory.clock_mhz=250")),
    ("virgo", "collatz", 4973, ("--set", "main_memory.back_end=fixed")),
    ("virgo", "particles", 2497, ("--set", "network.kind=crossbar", "--set", "l2.slices=6", "--set", "l2.size_bytes=48KiB", "--set",
                                  "main_memory.channels=3", "--set", "network.slice_requests=3", "--set", "network.input_queue=2")),
    ("virgo", "collatz", 1997, ("--set", "network.kind=crossbar", "--set", "network.hash=ipoly", "--set", "l2.slices=4", "--set",
                                "main_memory.back_end=fixed", "--set", "main_memory.fixed.per_channel=true")),
    ("virgo-dual", "gemm_virgo_dual", 19997, ()),
    ("fp16-hopper", "hgmma", 997, ()),
    ("volta-sm", "wmma32_fragments", 697, ()),
    ("turing-sm", "wmma32_fragments", 697, ()),
    ("ampere-sm", "async_copy", 497, ()),
    ("titanv-sm", "wmma32_fragments", 697, ()),
]
TIMED_CASES = 5
HOST = ("host", "host_seconds", "provenance", "warp_instructions_per_second", "simulated_cycles_per_second")


def number_of(path):
    return int(re.search(r"-(\d+)\.spica$", path.name)[1])


class Desk:
    """A folder with a program's checkpoints and what it leaves when nothing disturbs it."""

    def __init__(self, work, config, program, every, load_at=None, mode="fast", options=()):
        self.work, self.config, self.program, self.mode = pathlib.Path(work), config, program, mode
        options = list(options)
        if load_at is not None:
            operand = self.work / "operand"
            operand.write_bytes(random.Random(program).randbytes(65536))
            options += ["--load", f"{operand}@{load_at:#x}"]
        self.plain = self.run("plain", *options)
        self.checkpoints = self.work / "checkpoints"
        self.writing = self.run("writing", "--checkpoint", f"every={every}", "--checkpoint-dir", self.checkpoints, *options)
        self.files = sorted(self.checkpoints.glob("*.spica"), key=number_of)

    def run(self, name, *options, mode=None):
        mode = mode or self.mode
        out, memory = self.work / name, self.work / f"{name}.memory"
        result = spica("run", self.config, elf(self.program), "--mode", mode, "--out", out, "--save-memory", memory,
                       *options)
        result.memory = memory.read_bytes() if memory.exists() else None
        result.console = (out / "console.txt").read_text() if (out / "console.txt").exists() else None
        result.stats = {key: value for key, value in stats(out).items() if key not in HOST} if out.exists() else None
        return result

    def some_files(self, most=CASES_OF_PROGRAM):
        count = min(most, len(self.files))
        return random.Random(self.program).sample(self.files, count)


def counters(values, prefix=""):
    """(name, value, unit) of all counters in stats.json."""
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(value.get("value"), int):
            yield f"{prefix}{key}", value["value"], value.get("unit")
        elif isinstance(value, dict):
            yield from counters(value, f"{prefix}{key}.")


def in_region(values, prefix=""):
    """(name, value, unit) of all counters between the markers."""
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(value.get("in_region"), int):
            yield f"{prefix}{key}", value["in_region"], value.get("unit")
        elif isinstance(value, dict):
            yield from in_region(value, f"{prefix}{key}.")


STREAMS = """program: gemm_tile
config: mgpu-2
kernels: [{name: product, kernel: gemm_32x32x16, grid: 2x2}]
streams:
  - {name: left, steps: [{launch: product, args: "m=64,n=64,k=64,a=0xA0000000,c=0xC0000000", repeat: 2}]}
  - {name: right, steps: [{launch: product, args: "m=64,n=64,k=64,a=0xA0010000,c=0xC0010000", repeat: 3}]}
"""


class Windows(unittest.TestCase):
    """What is measured behind a checkpoint of the fast mode is of the part behind it."""
    WARPS = 64  # of a cluster: what a counter of cycles can get in one, at most

    def assert_possible(self, found):
        """No counter has more than the machine can do in the cycles of the window."""
        values = {name: value for name, value, _ in counters(found["stats"])}
        for name, value, unit in counters(found["stats"]):
            if unit == "cycles":
                self.assertLessEqual(value, found["cycles"] * self.WARPS, name)
        for name, value in values.items():
            if name.endswith("accumulator_rows_accumulated"):
                unit = name.rpartition(".")[0]
                self.assertLessEqual(value, values[f"{unit}.accumulator_rows_added"] + values[f"{unit}.accumulator_rows_loaded"])
        return values

    def test_a_matrix_unit_counts_the_rows_of_its_part(self):
        with folder() as work:
            desk = Desk(work, "virgo", "gemm_virgo_dma", 400)
            whole = self.assert_possible(desk.run("whole", mode="cycle").stats)
            added = "cluster_0.matrix_unit_0.accumulator_rows_added"
            seen = set()
            for file in desk.files[len(desk.files) // 4::max(1, len(desk.files) // 16)]:
                with self.subTest(file.name):
                    found = desk.run("part", "--from", file, "--energy", "--set", "power.window=2000", mode="cycle")
                    self.assertEqual(found.code, 0, found.text)
                    seen.add(self.assert_possible(found.stats)[added])
                    self.assert_partition(work)
            self.assertTrue(any(0 < rows < whole[added] for rows in seen), seen)

    def assert_partition(self, work):
        """The steps add up to the run, and none of them has most of its energy."""
        energy = json.loads((pathlib.Path(work) / "part" / "energy.json").read_text())
        steps, total = energy["over_time"], energy["whole_run"]["active_uj"]["nominal"]
        self.assertAlmostEqual(sum(step["active_uj"]["nominal"] for step in steps), total, delta=1e-6 * total)
        for before, after in zip(steps, steps[1:]):
            self.assertEqual(before["end"], after["begin"])
        # 0.4 uJ in 2,000 cycles of this unit is 80 mW, four times what it takes when it computes all the time.
        self.assertLess(max(step["units_uj"]["matrix_unit"] / (step["end"] - step["begin"]) for step in steps), 1e-3)

    def test_dispatcher_and_command_processor_count_the_cycles_of_their_part(self):
        firmware = ("--set", "command_processor.firmware=command_processor")
        for more in ((), firmware):
            with self.subTest(more), folder() as work:
                work = pathlib.Path(work)
                (work / "streams.yaml").write_text(STREAMS)
                fast = spica("stream", work / "streams.yaml", "--mode", "fast", "--checkpoint", "every=12k", "--checkpoint-dir",
                             work / "checkpoints", *more)
                self.assertEqual(fast.code, 0, fast.text)
                files = sorted((work / "checkpoints").glob("*.spica"), key=number_of)
                self.assertGreaterEqual(len(files), 4)
                for file in files[1::max(1, len(files) // 5)]:
                    found = spica("stream", work / "streams.yaml", "--from", file, "--out", work / "part", *more)
                    self.assertEqual(found.code, 0, found.text)
                    self.assertRegex(found.out, r"checkpoint +at cycle [\d,]+ of the machine's clock")
                    part = stats(work / "part")
                    values = self.assert_possible(part)
                    self.assertLessEqual(values["dispatcher.group_cycles"], part["cycles"] * 8)  # work groups there are
                    self.assertLessEqual(values["command_processor.kernel_cycles"], part["cycles"] * 2)  # streams
                    self.assertLessEqual(values["command_processor.firmware_cycles"], part["cycles"])

    def test_a_limit_before_the_checkpoint_is_refused_with_its_cycle(self):
        with folder() as work:
            desk = Desk(work, *PROGRAMS[0])
            for mode in ("cycle", "fast"):
                found = desk.run("early", "--from", desk.files[1], "--set", "run.max_cycles=5", mode=mode)
                self.assertEqual(found.code, 2, found.text)
                self.assertRegex(found.err, r"run.max_cycles = 5: .* is already at cycle \d+ of the machine's clock")


class Warm(unittest.TestCase):
    """Windows of the cycle mode that begin with the caches of the fast mode."""
    TRAFFIC = ("l2.read_misses", "l2.write_backs", "main_memory.reads", "main_memory.writes")

    @classmethod
    def setUpClass(cls):
        work = folder()
        cls.addClassCleanup(work.cleanup)
        cls.at = pathlib.Path(work.name)
        cls.program = cls.at / "passes.elf"
        made = spica("cc", pathlib.Path(__file__).resolve().parent / "checkpoints/passes.cpp", "-o", cls.program)
        assert made.code == 0, made.text

    def run_program(self, *options, mode="cycle"):
        result = spica("run", "virgo", self.program, "--mode", mode, "--out", self.at / "out", *options)
        self.assertEqual(result.code, 0, result.text)
        found = stats(self.at / "out")
        return found["cycles"], {name: value for name, value, _ in in_region(found.get("stats", {}))}

    def checkpoint(self, plan):
        """One before the begin marker, when most of the first pass is done."""
        files = self.at / plan.replace("=", "-")
        if not files.exists():  # once for all tests
            self.run_program("--checkpoint", plan, "--checkpoint-dir", files, mode="fast")
        every = sorted(files.glob("*.spica"), key=number_of)
        return every[len(every) * 9 // 20 - 1]

    def test_a_window_has_the_traffic_and_the_time_of_the_full_run(self):
        cycles, full = self.run_program()
        warm_cycles, warm = self.run_program("--from", self.checkpoint("every=10k,warm"))
        cold_cycles, cold = self.run_program("--from", self.checkpoint("every=10k"))
        for name in self.TRAFFIC:
            self.assertGreater(full[name], 1000, name)
            self.assertLess(abs(warm[name] / full[name] - 1), 0.02, (name, full[name], warm[name], cold[name]))
            self.assertGreater(abs(cold[name] / full[name] - 1), 0.1, (name, full[name], warm[name], cold[name]))
        self.assertLess(abs(warm_cycles / cycles - 1), 0.02, (cycles, warm_cycles, cold_cycles))

    def test_a_resumed_run_records_the_same_accesses(self):
        file = self.checkpoint("every=10k,warm")
        first = {one.name: one.read_bytes() for one in file.parent.iterdir()}
        self.run_program("--from", file, "--checkpoint", "every=10k,warm", "--checkpoint-dir", self.at / "again", mode="fast")
        again = {one.name: one.read_bytes() for one in (self.at / "again").iterdir()}
        self.assertGreater(len(again), 5)
        for name, content in again.items():
            self.assertEqual(content, first[name], name)

    def test_the_cycle_mode_refuses_to_record(self):
        result = spica("run", "virgo", self.program, "--checkpoint", "every=1k,warm", "--checkpoint-dir", self.at / "new")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("warm is for the fast mode", result.err)


class Checkpoints(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        @functools.cache
        def desk_of(*program):  # which all tests read
            work = folder()
            cls.addClassCleanup(work.cleanup)
            return Desk(work.name, *program)
        cls.desk_of = staticmethod(desk_of)

    def each_program(self):
        for program in PROGRAMS:
            with self.subTest(program=program[1]):
                desk = self.desk_of(*program)
                self.assertEqual(desk.plain.code, 0, desk.plain.text)
                self.assertGreaterEqual(len(desk.files), 2, "the program has become too short for this test")
                yield desk

    def test_writing_checkpoints_changes_nothing(self):
        for desk in self.each_program():
            self.assertEqual(desk.writing.code, 0, desk.writing.text)
            self.assertEqual(desk.writing.memory, desk.plain.memory)
            self.assertEqual(desk.writing.stats, desk.plain.stats)
            for one, next_one in zip(desk.files, desk.files[1:]):
                self.assertGreater(number_of(next_one), number_of(one))

    def test_the_fast_mode_goes_on_to_the_same_bytes(self):
        for desk in self.each_program():
            for file in desk.some_files():
                again = desk.run("again", "--from", file)
                self.assertEqual(again.code, 0, again.text)
                self.assertEqual(again.memory, desk.plain.memory, file)
                self.assertEqual(again.stats, desk.plain.stats, file)
                self.assertEqual(again.console, desk.plain.console, file)

    def test_the_cycle_mode_goes_on_to_the_same_memory(self):
        for desk in self.each_program():
            whole = desk.run("whole", mode="cycle") if desk.program not in ("matrix_commands_64k", "async_copy") else None
            for file in desk.some_files():
                again = desk.run("again", "--from", file, mode="cycle")
                self.assertEqual(again.code, 0, again.text)
                self.assertEqual(again.memory, desk.plain.memory, file)
                left = desk.plain.stats["instructions"] - number_of(file)
                self.assertGreater(again.stats["cycles"], 0)
                # Warps that wait look more or less often than in the fast mode.
                self.assertLess(abs(again.stats["instructions"] - left), 0.5 * desk.plain.stats["instructions"], file)
                if whole is not None:
                    self.assertLess(again.stats["cycles"], 1.1 * whole.stats["cycles"])

    def test_checkpoints_of_a_run_that_began_at_one_are_those_of_the_first(self):
        desk = self.desk_of(*PROGRAMS[0])
        others = desk.work / "others"
        again = desk.run("again", "--from", desk.files[1], "--checkpoint", "every=3000", "--checkpoint-dir", others)
        self.assertEqual(again.code, 0, again.text)
        self.assertEqual([file.name for file in sorted(others.iterdir(), key=number_of)],
                         [file.name for file in desk.files[2:]])
        for file in desk.files[2:]:
            self.assertEqual((others / file.name).read_bytes(), file.read_bytes())

    def test_what_no_program_sees_may_differ_in_the_cycle_mode(self):
        desk = self.desk_of(*PROGRAMS[0])
        slow = desk.run("slow", "--from", desk.files[0], "--set", "cluster.core.alu_latency=9", mode="cycle")
        usual = desk.run("usual", "--from", desk.files[0], mode="cycle")
        self.assertEqual((slow.code, usual.code), (0, 0), slow.text + usual.text)
        self.assertGreater(slow.stats["cycles"], 1.05 * usual.stats["cycles"])
        self.assertEqual(slow.memory, desk.plain.memory)


class Timed(unittest.TestCase):
    """Checkpoints of the cycle mode."""
    maxDiff = None

    def test_a_run_goes_on_to_the_same_bytes_from_anywhere(self):  # long
        for config, program, every, options in TIMED:
            with self.subTest(config=config, program=program), folder() as work:
                desk = Desk(work, config, program, every, mode="cycle", options=options)
                self.assertEqual((desk.plain.code, desk.writing.code), (0, 0), desk.plain.text + desk.writing.text)
                self.assertGreaterEqual(len(desk.files), TIMED_CASES, "the program has become too short for this test")
                self.assertEqual(desk.writing.stats, desk.plain.stats, "writing changes something")
                self.assertEqual(desk.writing.memory, desk.plain.memory)
                for file in desk.some_files(TIMED_CASES):
                    again = desk.run("again", "--from", file, *options)
                    self.assertEqual(again.code, 0, again.text)
                    self.assertEqual(again.stats, desk.plain.stats, file)
                    self.assertEqual(again.memory, desk.plain.memory, file)
                    self.assertEqual(again.console, desk.plain.console, file)
                    self.assertLess(file.stat().st_size, 10_000_000)

    def test_each_state_behind_a_checkpoint_is_that_of_the_first_run(self):  # long
        for config, program, every, _ in TIMED[:2] + TIMED[4:6] + TIMED[9:]:
            with self.subTest(config=config, program=program), folder() as work:
                desk = Desk(work, config, program, every, mode="cycle")
                others = desk.work / "others"
                middle = desk.files[len(desk.files) // 3]
                again = desk.run("again", "--from", middle, "--checkpoint", f"every={every}", "--checkpoint-dir", others)
                self.assertEqual(again.code, 0, again.text)
                behind = [file for file in desk.files if number_of(file) > number_of(middle)]
                self.assertEqual(sorted(file.name for file in others.iterdir()), sorted(file.name for file in behind))
                for file in behind:
                    self.assertEqual((others / file.name).read_bytes(), file.read_bytes(), file.name)

    def test_energy_is_that_of_the_whole_run_and_a_profile_needs_it(self):
        with folder() as work:
            desk = Desk(work, "virgo", "collatz", 9997, mode="cycle")
            energy = desk.run("energy", "--energy")
            again = desk.run("again", "--energy", "--from", desk.files[2])
            self.assertEqual((energy.code, again.code), (0, 0), energy.text + again.text)
            self.assertEqual(again.stats, energy.stats)
            self.assertNotEqual(energy.stats, desk.plain.stats)
            profile = desk.run("profile", "--profile", desk.work / "lines", "--from", desk.files[2])
            self.assertEqual(profile.code, 2, profile.text)
            self.assertIn("--profile, --report and counts by line need the run from its beginning", profile.err)

    def test_it_goes_on_on_the_same_machine_in_the_cycle_mode_alone(self):
        with folder() as work:
            desk = Desk(work, "virgo", "squares", 1000, mode="cycle")
            other = desk.run("other", "--from", desk.files[0], "--set", "cluster.core.alu_latency=9")
            self.assertEqual(other.code, 2, other.text)
            self.assertRegex(other.err, r"cluster.core.alu_latency is \d+ in the checkpoint and 9 here")
            fast = desk.run("fast", "--from", desk.files[0], mode="fast")
            self.assertEqual(fast.code, 2, fast.text)
            self.assertIn("a checkpoint of the cycle mode, which resumes in the cycle mode", fast.err)

    def test_links_that_are_checked_cannot_be_saved(self):
        with folder() as work:
            result = spica("run", "virgo", elf("squares"), "--set", "run.links=checked", "--checkpoint", "every=1k",
                           "--checkpoint-dir", pathlib.Path(work, "new"))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("run.links=checked", result.err)


class Workloads(unittest.TestCase):
    """Runs with operands of the host: a checkpoint has them, and a resumed run is checked against the same ones."""
    RUNS = {"every=1500": ("gemm", "--design", "virgo-dma", "--size", "128x64x64"), "every=60k": ("attention", "--sequence", "128")}

    def test_they_resume_verified_in_both_modes(self):
        for plan, run in self.RUNS.items():
            with folder() as work:
                first = spica(*run, "--mode", "fast", "--checkpoint", plan, "--checkpoint-dir", work)
                self.assertEqual(first.code, 0, first.text)
                files = sorted(pathlib.Path(work).iterdir(), key=number_of)
                self.assertGreater(len(files), 1)
                for mode in ("fast", "cycle"):
                    resumed = spica(*run, "--mode", mode, "--from", files[0])
                    self.assertEqual(resumed.code, 0, resumed.text)
                    self.assertIn("verified", resumed.out)
                    self.assertIn("checkpoint     at cycle", resumed.out)
                    self.assertNotIn("utilisation", resumed.out)  # only a part was timed
                other = spica(*run, "--mode", "fast", "--seed", "2", "--from", files[0])
                self.assertEqual(other.code, 2, other.text)
                self.assertIn("its operands, arguments or launches are not those of this command", other.err)

    def test_a_product_of_the_cycle_mode_goes_on_to_the_same_figures(self):
        run = self.RUNS["every=1500"]
        with folder() as work:
            out = pathlib.Path(work, "out")
            first = spica(*run, "--checkpoint", "every=7k", "--checkpoint-dir", work, "--out", out)
            self.assertEqual(first.code, 0, first.text)
            whole = stats(out)
            file = min(pathlib.Path(work).glob("*.spica"), key=number_of)
            self.assertEqual(spica(*run, "--from", file, "--out", out).code, 0)
            again = stats(out)
            for key in ("cycles", "utilisation", "verified", "stats"):
                self.assertEqual(again[key], whole[key], key)


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.desk = Desk(cls.work.name, *PROGRAMS[0])
        cls.file = cls.desk.files[0]

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def assert_refused(self, *parts, options=(), config="virgo", program="collatz", mode="fast", file=None):
        result = spica("run", config, elf(program), "--mode", mode, "--from", file or self.file, *options)
        self.assertEqual(result.code, 2, result.text)
        for part in parts:
            self.assertIn(part, result.err)

    def changed(self, change):
        path = pathlib.Path(self.work.name, "changed.spica")
        path.write_bytes(change(bytearray(self.file.read_bytes())))
        return path

    def test_another_program_and_another_machine_are_named_together(self):
        self.assert_refused("the checkpoint is of another run", "of another program",
                            "cluster.cores is 4 in the checkpoint and 2 here: --set cluster.cores=4",
                            "cluster.core.warps is 8 in the checkpoint and 4 here: --set cluster.core.warps=8", program="squares",
                            options=("--set", "cluster.cores=2", "--set", "cluster.core.warps=4"))

    def test_a_machine_without_a_unit_says_what_is_missing(self):
        self.assert_refused("cluster.matrix_units.0.dim is 8 in the checkpoint and missing here",
                            options=("--set", "cluster.matrix_units=[]"))

    def test_a_file_that_is_damaged_anywhere_is_refused(self):
        size, refused = len(self.file.read_bytes()), 0
        figures = lambda result: [line for line in result.out.splitlines() if "simulated in" not in line]
        intact = figures(spica("run", "virgo", elf("collatz"), "--mode", "fast", "--from", self.file))
        for place in random.Random(1).sample(range(17, size), 40):
            def flip(data, place=place):
                data[place] ^= 0x10
                return data
            result = spica("run", "virgo", elf("collatz"), "--mode", "fast", "--from", self.changed(flip))
            if result.code == 0:  # a bit that means nothing: the checksum of the contents is right
                self.assertEqual(figures(result), intact, result.text)
                continue
            refused += 1
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("the file is damaged", result.err)
        self.assertGreaterEqual(refused, 37)
        self.assert_refused("the file is damaged", file=self.changed(lambda data: data + b"more"))
        for length in (18, size // 2, size - 1):
            self.assert_refused("the file is damaged", file=self.changed(lambda data, length=length: data[:length]))

    def flip_each(self, bits):
        """Flips these bits of what the file says of itself, its length among it; some of them mean nothing."""
        for place in range(17, 31):
            for bit in bits(place):
                def flip(data):
                    data[place] ^= 1 << bit
                    return data
                again = self.desk.run("again", "--from", self.changed(flip))
                self.assertIn(again.code, (0, 2), again.text)
                if again.code == 0:
                    self.assertEqual(again.stats, self.desk.plain.stats)

    def test_two_bits_of_each_byte_of_the_header_are_refused_or_mean_nothing(self):
        self.flip_each(lambda place: (place % 8, (place + 4) % 8))

    def test_every_bit_of_the_header_is_refused_or_means_nothing(self):  # long
        self.flip_each(lambda place: range(8))

    def test_files_that_are_no_checkpoints_are_refused(self):
        self.assert_refused("this is not a checkpoint", file=elf("collatz"))
        self.assert_refused("this is not a checkpoint", file=self.changed(lambda data: b""))
        self.assert_refused("No such file", file=pathlib.Path(self.work.name, "none"))
        self.assert_refused("a checkpoint in format 99; this program reads format 7",
                            file=self.changed(lambda data: data[:16] + b"\x63" + data[17:]))

    def test_options_for_the_beginning_of_a_run_are_refused(self):
        self.assert_refused("--load and --args need a run from its beginning", options=("--args", "u32:1"))
        self.assert_refused("--check needs the run from its beginning", options=("--check", "memory"))

    def test_intervals_that_are_none_are_refused(self):
        for text in ("1M", "every=", "every=0", "every=1X", "every=1MM", "every=-1", "every=99999999999999999999"):
            result = spica("run", "virgo", elf("collatz"), "--mode", "fast", "--checkpoint", text, "--checkpoint-dir",
                           pathlib.Path(self.work.name, "new"))
            self.assertEqual(result.code, 2, text)
            self.assertIn("expected every=N", result.err)
        for options in (("--checkpoint", "every=1k"), ("--checkpoint-dir", "x")):
            result = spica("run", "virgo", elf("collatz"), "--mode", "fast", *options)
            self.assertEqual(result.code, 2)
            self.assertIn("does nothing without --checkpoint", result.err)


if __name__ == "__main__":
    unittest.main()
