# SPDX-License-Identifier: Apache-2.0
"""The offload unit: every n-th matrix multiply-add runs on the floating-point lanes (cluster.core.offload)."""
import pathlib
import struct
import unittest

from spica_runner import folder, spica, stats

SOURCE = pathlib.Path(__file__).resolve().parent / "mma_offload" / "stream.cpp"
OFFLOAD = ("--set", "cluster.core.offload.enabled=true")
MMAS = 24  # of a warp in a round


def sets(**values):
    return [word for key, value in values.items() for word in ("--set", f"cluster.core.offload.{key}={value}")]


class MmaOffload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder()
        cls.program = pathlib.Path(cls.work.name, "stream.elf")
        result = spica("cc", SOURCE, "-o", cls.program)
        assert result.code == 0, result.text

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def run_kernel(self, kernel, warps, rounds, *options, config="titanv-sm"):
        """Cycles, sums over the cores of the unit's counters, and the numbers that the warps leave."""
        with folder() as out:
            saved = pathlib.Path(out, "result.bin")
            result = spica("run", config, self.program, "--kernel", kernel, "--grid", "1", "--block", 128 * warps,
                           "--args", f"rounds={rounds}", "--save", f"{saved}@result", "--out", out, *options,
                           "--set", "dispatcher.present=true")
            self.assertEqual(result.code, 0, result.text)
            run = stats(out)
            counts = {}
            for core in range(4):
                block = run.get("stats", {}).get("cluster_0", {}).get(f"mma_offload_{core}", {})
                for name, entry in block.items():
                    counts[name] = counts.get(name, 0) + entry["value"]
            values = struct.unpack("<16384f", saved.read_bytes())
            return run["simulated_cycles"], counts, values[:4 * warps * 256]

    def test_a_stream_of_products_becomes_shorter_by_the_ninth_that_the_lanes_take(self):
        for warps in (1, 2, 4):
            rounds = 60 // warps
            off, none, plain = self.run_kernel("stream", warps, rounds)
            on, counts, offloaded = self.run_kernel("stream", warps, rounds, *OFFLOAD)
            self.assertEqual(none, {})
            self.assertEqual(plain, offloaded)
            self.assertEqual(set(plain), {7.0 + 32 * rounds})
            self.assertAlmostEqual(on / off, 8 / 9, delta=0.01 * 8 / 9)
            total = 4 * warps * rounds * MMAS
            self.assertEqual(counts["mma_on_tensor"] + counts["mma_on_lanes"], total)
            self.assertEqual(counts["macs"], 128 * counts["mma_on_lanes"])
            self.assertEqual(counts["mac_lanes"], 4096 * counts["mma_on_lanes"])
            self.assertAlmostEqual(counts["mma_on_lanes"] / total, 1 / 9, delta=0.01)
            own = counts["fpu_occupied"] - 512 * counts["mma_on_lanes"]  # of the kernel itself, which fills accumulators
            self.assertTrue(0 <= own <= 200 * 4 * warps, own)
            self.assertLessEqual(counts["fpu_occupied"], counts["fpu_online"])
            self.assertLessEqual(counts["fpu_online"], 4 * on)

    def test_the_rate_follows_the_latencies(self):
        off = self.run_kernel("stream", 2, 60)[0]
        on, counts, _ = self.run_kernel("stream", 2, 60, *OFFLOAD, *sets(mac_interval=2))
        self.assertAlmostEqual(on / off, 4 / 5, delta=0.01)
        never, counts, _ = self.run_kernel("stream", 2, 60, *OFFLOAD, *sets(mma_latency=1, mac_interval=64))
        self.assertEqual((never, counts["mma_on_lanes"], counts["macs"]), (off, 0, 0))

    def test_a_unit_that_never_takes_anything_changes_no_cycle(self):
        for kernel in ("stream", "mixed"):
            off = self.run_kernel(kernel, 2, 10)[0]
            on, counts, _ = self.run_kernel(kernel, 2, 10, *OFFLOAD, *sets(counter="never"))
            self.assertEqual((on, counts["mma_on_lanes"], counts["lanes_busy"]), (off, 0, 0))
            self.assertGreater(counts["fpu_occupied"], 0)

    def test_a_chain_becomes_longer_because_the_rule_does_not_look_at_dependencies(self):
        off, _, plain = self.run_kernel("chain", 1, 10)
        on, counts, offloaded = self.run_kernel("chain", 1, 10, *OFFLOAD)
        self.assertEqual(plain, offloaded)
        self.assertGreater(on, 1.5 * off)
        self.assertEqual(counts["mma_on_lanes"], 4 * (10 * MMAS // 9))

    def test_read_literally_a_missed_turn_never_comes_again(self):
        _, capped, _ = self.run_kernel("mixed", 4, 10, *OFFLOAD)
        _, literal, _ = self.run_kernel("mixed", 4, 10, *OFFLOAD, *sets(counter="literal"))
        self.assertGreater(capped["lanes_busy"], 0)
        self.assertLess(literal["mma_on_lanes"], capped["mma_on_lanes"])

    def test_instructions_of_the_core_go_between_those_of_the_unit(self):
        plain = self.run_kernel("mixed", 2, 10)[2]
        cycles, counts, offloaded = self.run_kernel("mixed", 2, 10, *OFFLOAD)
        self.assertEqual(plain, offloaded)
        self.assertGreater(counts["fpu_occupied"], 512 * counts["mma_on_lanes"])
        self.assertLessEqual(counts["fpu_occupied"], counts["fpu_online"])
        self.assertLessEqual(counts["fpu_online"], 4 * cycles)

    def test_results_are_the_same_on_other_tensor_cores_and_in_the_fast_mode(self):
        for config in ("volta-sm", "turing-sm", "ampere-sm", "titanv-sm", "rtx2060-sm"):
            plain = self.run_kernel("stream", 2, 6, config=config)[2]
            self.assertEqual(plain, self.run_kernel("stream", 2, 6, *OFFLOAD, config=config)[2])
            self.assertEqual(plain, self.run_kernel("stream", 2, 6, *OFFLOAD, "--mode", "fast", config=config)[2])

    def test_products_of_matrices_are_the_same_to_the_bit_with_all_layouts(self):
        for layout in ("nn", "nt", "tn", "tt"):
            outs = []
            for options in ((), OFFLOAD):
                with folder() as out:
                    result = spica("gemm", "--design", f"cutlass13-{layout}", "--size", "256x256x128", *options, "--out", out,
                                   "--save-memory", f"{out}/memory")
                    self.assertEqual(result.code, 0, result.text)
                    run = stats(out)
                    self.assertTrue(run["verified"])
                    outs.append(pathlib.Path(out, "memory").read_bytes())
            self.assertEqual(outs[0], outs[1])

    def test_operands_read_at_issue_do_not_hold_the_loads_that_follow(self):
        cycles, memories = [], []
        for at_issue in ("false", "true"):
            with folder() as out:
                result = spica("gemm", "--design", "cutlass13-nn", "--size", "128x128x256", *OFFLOAD, *sets(operands_at_issue=at_issue),
                               "--set", "main_memory.fixed.gb_per_s=10000", "--set", "main_memory.fixed.latency_ns=0", "--set",
                               "bus.beat_bytes=64", "--set", "cluster.mio.units=full+full", "--out", out, "--save-memory", f"{out}/memory")
                self.assertEqual(result.code, 0, result.text)
                self.assertIn(": verified", result.out)
                cycles.append(stats(out)["simulated_cycles"])
                memories.append(pathlib.Path(out, "memory").read_bytes())
        self.assertEqual(memories[0], memories[1])
        self.assertLess(cycles[1], cycles[0])
        # Operations that use their operands once, or have no later ones, take the same time.
        times = [self.run_kernel("stream", 2, 10, *OFFLOAD, *sets(operands_at_issue=at_issue))[0] for at_issue in ("false", "true")]
        self.assertEqual(times[0], times[1])

    def test_a_whole_gpu_gains_as_published(self):
        """Means of the source over sizes and layouts on a TITAN V: 4.5 % with the unit, 21.2 % with it and a second complete
        load/store unit, together more than the product of both (ho section III)."""
        cycles = {}
        for units in ("full", "full+shared_only", "full+full"):
            for counter in ("never", "capped"):
                if (units, counter) == ("full+shared_only", "never"):
                    continue
                with folder() as out:
                    result = spica("gemm", "--design", "cutlass13-nn", "--config", "titanv", "--size", "256x256x256", *OFFLOAD,
                                   *sets(counter=counter), "--set", f"cluster.mio.units={units}", "--out", out)
                    self.assertIn(": verified", result.out)
                    cycles[units, counter] = stats(out)["simulated_cycles"]
        base = cycles["full", "never"]
        gain = {variant: base / time for variant, time in cycles.items()}
        self.assertAlmostEqual(gain["full", "capped"], 1.045, delta=0.05)
        self.assertAlmostEqual(gain["full+full", "capped"], 1.212, delta=0.05)
        self.assertTrue(1 < gain["full", "capped"] < gain["full+shared_only", "capped"] < gain["full+full", "capped"])
        self.assertGreater(gain["full+full", "capped"], gain["full", "capped"] * gain["full+full", "never"])

    def test_a_machine_without_tensor_cores_of_warp_matrices_cannot_have_it(self):
        result = spica("config", "virgo", *OFFLOAD)
        self.assertEqual(result.code, 2)
        self.assertIn("only multiply-adds of warp matrices can be offloaded", result.text)

    def test_an_operation_whose_operands_come_late_ends_no_earlier_than_it_issues(self):
        values = ("shared_operand_paths=true", "alu_lanes=1", "fpu_lanes=1", "offload.enabled=true", "offload.mac_latency=1",
                  "offload.mac_interval=1")
        result = spica("gemm", "--design", "mlds-256x128x32", "--config", "tcv1-sm", "--size", "256x128x64",
                       *(word for value in values for word in ("--set", f"cluster.core.{value}")))
        self.assertEqual(result.code, 0, result.text)
        self.assertIn(": verified", result.out)


if __name__ == "__main__":
    unittest.main()
