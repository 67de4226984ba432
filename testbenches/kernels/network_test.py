# SPDX-License-Identifier: Apache-2.0
"""Machines with a crossbar between clusters and slices of the level 2 cache."""
import json
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "fuzz"))
import random_gpus  # noqa: E402
import timing_fuzz  # noqa: E402
from spica_runner import elf, folder, spica, stats

HOST = ("host_seconds", "simulated_cycles_per_second", "host", "provenance", "configuration")
CROSSBAR = ("network.kind=crossbar",)
SLICES = (*CROSSBAR, "l2.slices=6", "l2.size_bytes=48KiB", "network.hash=ipoly_mod", "main_memory.channels=3")


def sets(settings):
    return [word for one in settings for word in ("--set", one)]


def gemm(out, settings, *more, design="virgo-dma", size="128x128x128"):
    result = spica("gemm", "--design", design, "--size", size, "--out", out, *sets(settings), *more)
    if result.code != 0 or ": verified" not in result.out:
        raise AssertionError(result.text)
    return {key: value for key, value in stats(out).items() if key not in HOST}


def slices_of(document):
    return [block for name, block in document["stats"].items() if name == "l2" or name.startswith("l2_")]


def total(blocks, *counters):
    return sum(block[counter]["value"] for block in blocks for counter in counters)


class Crossbar(unittest.TestCase):
    def test_products_of_all_kinds_are_right_in_both_modes_and_twice_the_same(self):
        for design in ("virgo-dma", "tc", "simt", "fp16-hopper"):
            with self.subTest(design), folder() as out:
                first = gemm(out, SLICES, design=design)
                self.assertEqual(gemm(out, SLICES, design=design), first)
                gemm(out, SLICES, "--mode", "fast", design=design)

    def test_transport_calls_and_clocks_change_nothing_but_time(self):
        with folder() as out:
            first = gemm(out, SLICES)
            self.assertEqual(gemm(out, (*SLICES, "run.links=checked")), first)
            slow = gemm(out, (*SLICES, "network.clock_mhz=150", "main_memory.clock_mhz=300"))
            self.assertGreater(slow["cycles"], first["cycles"])

    def test_what_is_sent_arrives(self):
        with folder() as out:
            document = gemm(out, SLICES, design="simt")
        network, slices = document["stats"]["network"], slices_of(document)
        self.assertEqual(len(slices), 6)
        requests = total(slices, "read_hits", "read_misses", "read_merged", "write_hits", "write_misses", "write_merged")
        self.assertEqual(total([network], "reads", "writes"), requests)
        self.assertEqual(total([network], "bytes_read"), total(slices, "bytes_read"))
        self.assertEqual(total([network], "bytes_written"), total(slices, "bytes_written"))
        self.assertGreaterEqual(total([network], "request_packets", "response_packets"), 2 * requests)
        self.assertEqual(total([document["stats"]["main_memory"]], "reads", "writes"),
                         total(slices, "memory_reads", "memory_writes"))
        self.assertTrue(all(total([one], "read_hits") for one in slices))
        reasons = network["activity"]["reasons"]
        self.assertGreater(reasons["moving"], 0)
        self.assertEqual(sum(reasons.values()), network["activity"]["total"])

    def test_a_slice_prefetches_its_own_lines_only(self):
        with folder() as out:
            slices = slices_of(gemm(out, (*SLICES, "l2.prefetcher=next_line"), design="simt"))
        self.assertGreater(total(slices, "prefetches_used"), 0)
        self.assertGreater(total(slices, "prefetches_dropped"), 0)

    def test_a_machine_with_a_bus_has_no_network_and_one_with_a_crossbar_no_bus(self):
        with folder() as out:
            for settings, there, absent in (((), "bus", "network"), (SLICES, "network", "bus")):
                document = gemm(out, settings)
                self.assertIn(there, document["stats"])
                self.assertNotIn(absent, document["stats"])
                uncertain = [one["key"] for one in document["fidelity"]["uncertain"]]
                self.assertTrue(any(key.startswith(there + ".") for key in uncertain))
                self.assertFalse(any(key.startswith(absent + ".") for key in uncertain))

    def test_more_slices_and_ports_carry_more(self):
        # 64 lanes of each of four clusters walk over what fits into the level 2 cache.
        def cycles(out, *settings):
            result = spica("run", "virgo", elf("vecadd"), "--args", "u32:8192,u32:1,u64:0xA0000000,u64:0xA0100000,u64:0xC0000000",
                           "--out", out, *sets(("clusters=4", *CROSSBAR, "l2.size_bytes=768KiB", *settings)))
            self.assertEqual(result.code, 0, result.text)
            return stats(out)["cycles"]
        with folder() as out:
            one = cycles(out, "l2.slices=1")
            four = cycles(out, "l2.slices=4")
            shared = cycles(out, "l2.slices=4", "network.clusters_per_port=2", "network.packet_bytes=16")
        self.assertLess(four, one)
        self.assertGreater(shared, four)

    def test_energy_and_area_are_those_of_its_parts(self):
        with folder() as out:
            gemm(out, SLICES, "--energy")
            text = (pathlib.Path(out) / "energy.json").read_text()
            self.assertIn("network.byte", text)
            self.assertIn("network.packet", text)
            few, many = (spica("area", "virgo", "--parts", *sets((*CROSSBAR, f"l2.slices={slices}"))) for slices in (2, 8))
            self.assertEqual(few.code, 0, few.text)
            self.assertNotEqual(few.out, many.out)
            rows = {line.split()[0]: line.split() for line in many.out.splitlines() if line.split()}
            self.assertEqual(rows["l2"][1], "8")
            self.assertEqual(rows["network"][1], "1")

    def test_contradictions_are_refused_with_what_works(self):
        for settings, words in ((("l2.slices=4",), "network.kind=crossbar"),
                                ((*CROSSBAR, "l2.slices=3", "l2.size_bytes=384KiB", "network.hash=ipoly"), "ipoly_mod"),
                                ((*CROSSBAR, "l2.slices=3"), "size_bytes must be a multiple of line_bytes * ways * banks * slices"),
                                ((*CROSSBAR, "l2.slices=4", "main_memory.channels=3"), "4 slices can have 1, 2, 4 channels"),
                                ((*CROSSBAR, "l2.slices=4", "network.interleave_bytes=64", "l2.line_bytes=128"),
                                 "interleave_bytes at least 128"),
                                ((*CROSSBAR, "l2.slices=4", "main_memory.external=true"), "l2.slices=1")):
            result = spica("config", "virgo", *sets(settings))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(words, result.err)

    def test_channels_of_any_number_serve_a_bus_as_well(self):
        with folder() as out:
            for channels in (1, 3, 12, 40):
                gemm(out, (f"main_memory.channels={channels}",), design="simt", size="64x64x64")
            slow, fast = (gemm(out, ("main_memory.back_end=fixed", "main_memory.channels=7", "main_memory.fixed.gb_per_s=1",
                                     f"main_memory.fixed.per_channel={each}"), design="simt", size="64x64x64")["cycles"]
                          for each in ("true", "false"))
            self.assertGreater(slow, 0.9 * fast)


class Limits(unittest.TestCase):
    """A limit of a shared block that holds for more than 5 % of the cycles is named."""

    def limiter(self, command, settings):
        with folder() as out:
            result = spica(*command, "--out", out, *sets(settings))
            self.assertEqual(result.code, 0, result.text)
            document = stats(out)
        for block in document["stats"].values():
            for name, account in block.items():
                if isinstance(account, dict) and "reasons" in account and "total" not in account:
                    each = {sum(cycles) for cycles in zip(*account["reasons"].values())}
                    self.assertEqual(len(each), 1, name)  # each channel accounts for each cycle
        return document

    def vecadd(self, *settings):
        return self.limiter(("run", "virgo", elf("vecadd"), "--args", "u32:8192,u32:1,u64:0xA0000000,u64:0xA0100000,u64:0xC0000000"),
                            ("clusters=4", "l2.size_bytes=768KiB", *settings))

    def test_of_a_bus(self):
        self.assertIn("(requests in flight to the target)", self.vecadd("bus.max_outstanding=2")["limiter"])
        self.assertIn("(beats of its channel)", self.vecadd("bus.beat_bytes=4")["limiter"])

    def test_of_ports_and_slices(self):
        shared = self.vecadd(*CROSSBAR, "l2.slices=4", "network.clusters_per_port=2", "network.packet_bytes=16")
        self.assertIn("(packets of a port)", shared["limiter"])
        one = self.vecadd(*CROSSBAR, "l2.slices=1", "network.packet_bytes=16")
        self.assertIn("(packets of a slice)", one["limiter"])
        few = self.vecadd(*CROSSBAR, "l2.slices=1", "network.slice_requests=1")
        self.assertIn("(requests of a slice in flight)", few["limiter"])
        network, traffic = shared["stats"]["network"], shared["traffic"]["network"]
        self.assertEqual((len(traffic["values"]), {len(row) for row in traffic["values"]}), (5, {4}))
        self.assertEqual(sum(map(sum, traffic["values"])), total([network], "bytes_read", "bytes_written"))
        self.assertTrue(all(sum(row) for row in traffic["values"][:4]))
        ports, slices = (network[name]["reasons"] for name in ("port_requests", "slice_requests"))
        self.assertEqual(sum(ports["moving"]) + sum(ports["port_busy"]), network["request_packets"]["value"])
        self.assertEqual(sum(slices["moving"]) + sum(slices["slice_busy"]), network["request_packets"]["value"])

    def test_of_memory_channels(self):
        stream = self.limiter(("run", "v100", elf("gpu_stream"), "--kernel", "read", "--grid", "128", "--block", "256"), ("clusters=16",
                              "main_memory.channels=2"))
        self.assertIn("(bandwidth of a channel)", stream["limiter"])
        channels = stream["stats"]["main_memory"]["channels"]["reasons"]
        self.assertEqual(len(channels["moving"]), 2)
        few = self.vecadd("main_memory.back_end=fixed", "main_memory.fixed.requests=1")
        self.assertIn("(requests of a channel in flight)", few["limiter"])


class WholeGpus(unittest.TestCase):
    def test_one_multiprocessor_with_a_bus_and_its_share_is_the_machine_of_one_multiprocessor(self):
        share = ("clusters=1", "network.kind=bus", "l2.slices=1", "l2.size_bytes=78KiB", "l2.request_queue=8",
                 "main_memory.fixed.per_channel=false", "main_memory.fixed.gb_per_s=10.6", "main_memory.channels=2",
                 "dispatcher.present=false", "cluster.core.register_rows=0", "cluster.core.load_store.fence_store=true",
                 "cluster.core.load_store.fence_waits=core", "cluster.core.csr_reads=in_order",
                 "cluster.shared_icache.present=false")
        with folder() as out:
            one = gemm(out, ("l2.bank_bytes_per_cycle=32",), "--config", "volta-sm", design="volta-wmma", size="128x128x64")
            same = gemm(out, share, "--config", "v100", design="volta-wmma", size="128x128x64")
        for key in ("cycles", "stats", "machine"):
            self.assertEqual(same[key], one[key], key)

    def test_latencies_are_those_published_of_a_multiprocessor(self):
        def rows(config, group, code=0):
            with folder() as out:
                result = spica("microbench", group, "--config", config, "--out", out)
                self.assertEqual(result.code, code, result.text)
                self.assertIn("note: one of the ", result.err)
                return {row["measurement"]: row for row in json.loads((pathlib.Path(out) / "microbench.json").read_text())["rows"]
                        if row["machine"] == "as configured"}
        for config, group, cycles in (("v100", "sm_memory_volta", [198, 397]), ("a100", "sm_memory_ampere", [205, 568])):
            of = rows(config, group)
            self.assertEqual([of[f"load to use, {level}"]["measured"] for level in ("level 2 cache", "memory")], cycles)
        turing = rows("rtx2060", "l2", code=1)["load to use, L1 miss and L2 hit"]  # other rows know no write-back port
        self.assertEqual(turing["measured"], turing["formula_value"])

    def test_sub_cores_of_a_multiprocessor_share_an_instruction_cache(self):
        def run(out, config, present):
            result = spica("run", config, elf("gpu_stream"), "--kernel", "read", "--grid", "16", "--out", out,
                           *sets(("clusters=4", f"cluster.shared_icache.present={present}")))
            self.assertEqual(result.code, 0, result.text)
            return stats(out)["stats"]

        def misses(blocks, name):
            return total([block for cluster in blocks for key, block in cluster.items() if key.startswith(name)], "read_misses")
        for config in ("v100", "a100"):
            with self.subTest(config), folder() as out:
                blocks = run(out, config, "false")
                apart = [blocks[f"cluster_{i}"] for i in range(4)]
                blocks = run(out, config, "true")
                clusters = [blocks[f"cluster_{i}"] for i in range(4)]
            self.assertNotIn("shared_icache", apart[0])
            self.assertEqual(misses(clusters, "icache_"), misses(apart, "icache_"))
            self.assertEqual(4 * misses(clusters, "shared_icache"), misses(apart, "icache_"))
            for cluster in clusters:
                requests = total([cluster["shared_icache"]], "read_hits", "read_misses", "read_merged")
                self.assertEqual(requests, sum(total([cluster[f"icache_{i}"]], "read_misses") for i in range(4)))

    def test_a_warm_level_2_cache_has_what_the_host_wrote(self):
        def traffic(warm, *settings):
            with folder() as out:
                stats = gemm(out, (f"l2.warm={warm}", *settings), "--config", "rtx2060", design="cutlass13-nt",
                             size="128x128x64")["stats"]
            return stats["main_memory"]["bytes_read"]["value"]
        self.assertGreater(traffic("off"), 2 * 128 * 64 * 2)  # A and B, FP16
        self.assertLess(traffic("host_writes"), 4096)
        self.assertGreater(traffic("host_writes", "l2.size_bytes=48KiB"), 4096)  # they do not fit

    def test_config_shows_the_bandwidth_of_each_step(self):
        def steps(config, *settings):
            out = spica("config", config, "--machine", *sets(settings)).out
            lines = out[out.index("read path"):].splitlines()[1:]
            return {line[:18].strip(): line for line in lines}
        volta = steps("v100")
        self.assertEqual([line.split() for line in (volta["port"][18:], volta["slice of level 2"][18:])],
                         [["80", "32", "2560", "3917"], ["64", "32", "2048", "3133", "ipoly", "hash"]])
        self.assertIn("narrowest", volta["memory channel"])
        self.assertIn("1.50 of the mean load", steps("titanv")["slice of level 2"])
        self.assertIn("narrowest", steps("virgo", "main_memory.channels=8")["bus"])

    def test_data_where_stacks_are_is_refused(self):
        with folder() as out:
            data = pathlib.Path(out) / "data.bin"
            data.write_bytes(bytes(64))
            result = spica("run", "v100", elf("hello"), "--load", f"{data}@0xC0000000")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("overlaps the stacks of the 163840 threads", result.err)
            result = spica("run", "v100", elf("hello"), "--args", "gemm:64x64x64")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("place it below 0xaed80000", result.err)

    def test_stacks_follow_the_machine(self):
        """a100 has 221,184 threads and 4 KB of stack for each."""
        with folder() as out:
            data = pathlib.Path(out) / "data.bin"
            data.write_bytes(bytes(64))
            for address, code in ((0xC8C9FF00, 0), (0xC8CA0000, 2)):  # also of a program without stacks
                result = spica("run", "a100", elf("gpu_stream"), "--load", f"{data}@{address:#x}", "--kernel", "read",
                               "--grid", "1", "--block", "32", *sets(("clusters=108",)))
                self.assertEqual(result.code, code, result.text)
            for mode in ("cycle", "fast"):
                result = spica("run", "a100", elf("deep_recursion"), *sets(("clusters=4", f"run.mode={mode}")))
                self.assertIn("bytes of its stack are in use", result.text)
                self.assertIn("of 4096 bytes", result.text)
            result = spica("run", "a100", elf("hello"), *sets(("clusters=4", "cluster.coalescer.local_stride=4000")))
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("its stacks are 8208 bytes apart", result.err)


class RandomMachines(unittest.TestCase):
    """Any network leaves the same memory as the machine with a bus."""

    def test_memory_is_that_of_a_bus_in_both_modes(self):
        chosen = random.Random(48)
        with folder() as out:
            path = pathlib.Path(out)

            def run(name, settings, *more):
                gemm(path / name, settings, "--save-memory", path / f"{name}.bin", *more, design="simt", size="64x64x64")
                return timing_fuzz.pages((path / f"{name}.bin").read_bytes(), True)
            expected = run("bus", ())
            for number in range(12):
                slices = chosen.choice((1, 2, 3, 5, 8, 12, 24, 48, 256))
                hashes = ["none", "xor", "ipoly_folded", "ipoly_mod"] + ["ipoly"] * (slices & (slices - 1) == 0)
                settings = (*CROSSBAR, f"l2.slices={slices}", f"l2.size_bytes={slices * 64 * 8 * chosen.choice((1, 3, 16))}",
                            f"network.hash={chosen.choice(hashes)}", f"network.input_queue={chosen.choice((1, 2, 16))}",
                            f"network.queues={chosen.choice(('in_order', 'per_output'))}",
                            f"network.slice_requests={chosen.choice((1, 3, 64))}",
                            f"network.packet_bytes={chosen.choice((16, 32, 128))}",
                            f"network.interleave_bytes={chosen.choice((64, 256, 4096))}",
                            f"network.request_latency={chosen.choice((1, 7, 70, 300))}",
                            f"network.response_latency={chosen.choice((1, 7, 70, 300))}",
                            f"network.arbitration={chosen.choice(('islip', 'round_robin'))}",
                            f"main_memory.channels={chosen.choice([n for n in range(1, 25) if slices % n == 0])}",
                            f"main_memory.back_end={chosen.choice(('dram', 'fixed'))}",
                            f"main_memory.fixed.per_channel={chosen.choice(('true', 'false'))}")
                with self.subTest(settings=settings):
                    for mode in ("cycle", "fast"):
                        self.assertEqual(run(f"{number}-{mode}", settings, "--mode", mode), expected)

    def test_whole_gpus_end_and_leave_the_same_memory_in_both_modes(self):
        self.differences(seed=1, machines=4)

    def test_200_whole_gpus_end_and_leave_the_same_memory_in_both_modes(self):  # long
        self.differences(seed=48, machines=200)

    def differences(self, seed, machines):
        chosen = random.Random(seed)
        with folder() as out:
            for number in range(machines):
                with self.subTest(number):
                    reason, command = random_gpus.differs(chosen, out)
                    self.assertEqual(reason, "", command)


if __name__ == "__main__":
    unittest.main()
