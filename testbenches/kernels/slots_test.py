# SPDX-License-Identifier: Apache-2.0
"""Blocks that a configuration adds to the machine."""
import os
import pathlib
import unittest

from spica_runner import elf, folder, spica, stats

PLUGINS = pathlib.Path(os.environ["SPICA_PLUGINS"])
MODES = ("cycle", "fast")


def configuration(out, text):
    path = pathlib.Path(out) / "machine.yaml"
    path.write_text("extends: virgo\n" + text)
    return path


def run(out, slots, *more, design="tc"):
    return spica("gemm", "--design", design, "--config", configuration(out, "slots:\n" + slots), "--size", "64x64x64", "--out",
                 out, *more)


class Slots(unittest.TestCase):
    def test_monitors_count_what_the_blocks_on_both_sides_count_and_change_no_cycle(self):
        with folder() as out:
            plain = spica("gemm", "--design", "tc", "--size", "64x64x64", "--out", out)
            self.assertEqual(plain.code, 0, plain.text)
            cycles = stats(out)["simulated_cycles"]
            watched = run(out, "  - {name: watch, kind: tlm_monitor, between: [core_0.gmem, coalescer_0.in]}\n"
                               "  - {name: dram_watch, kind: tlm_monitor, between: [l2.out, main_memory.in]}\n")
            self.assertEqual(watched.code, 0, watched.text)
            document = stats(out)
        self.assertEqual(document["simulated_cycles"], cycles)
        blocks = document["stats"]
        for counter in ("reads", "bytes_read"):
            self.assertEqual(blocks["dram_watch"][counter]["value"], blocks["main_memory"][counter]["value"])
        coalescer = blocks["cluster_0"]["coalescer_0"]
        watch = blocks["cluster_0"]["watch"]
        self.assertGreater(watch["reads"]["value"], 0)
        self.assertEqual(watch["reads"]["value"], coalescer["loads"]["value"])
        self.assertEqual(watch["writes"]["value"], coalescer["stores"]["value"])
        self.assertEqual(watch["errors"]["value"], 0)

    def test_a_name_without_a_box_is_a_block_in_each_cluster(self):
        with folder() as out:
            file = configuration(out, "clusters: 2\nslots: [{name: watch, kind: tlm_monitor, between: [core_0.smem, "
                                      "shared_memory.core_in_0]}]\n")
            text = spica("config", file, "--machine").out
            one = configuration(out, "clusters: 2\nslots: [{name: cluster_1.watch, kind: tlm_monitor, between: "
                                     "[cluster_1.core_0.smem, cluster_1.shared_memory.core_in_0]}]\n")
            alone = spica("config", one, "--machine").out
        self.assertIn("cluster_0.watch: tlm_monitor", text)
        self.assertIn("cluster_1.watch: tlm_monitor", text)
        self.assertNotIn("cluster_0.watch", alone)
        self.assertIn("cluster_1.watch: tlm_monitor", alone)

    def test_every_link_between_tlm_sockets_can_be_checked_and_a_product_verifies(self):
        text = spica("config", "virgo", "--machine").out
        links, block = [], None
        for line in text.splitlines():
            if not line.startswith(" "):
                block = line.split(":")[0]
            else:
                socket, to = line.split(" -> ")
                links.append((f"{block}.{socket.strip()}", to))
        ports = (".barrier", ".release", ".fault", ".marker", ".console", ".accelerator", ".tensor", ".result",
                 "accelerator.out_", "barrier.release_")
        tlm = [link for link in links if not any(port in link[0] for port in ports)]
        self.assertGreater(len(tlm), 60)
        slots = "".join(f"  - {{name: check_{i}, kind: protocol_checker, between: [{start}, {end}]}}\n"
                        for i, (start, end) in enumerate(tlm))
        for design in ("tc", "virgo-dma"):
            with self.subTest(design), folder() as out:
                result = run(out, slots, design=design)
                self.assertEqual(result.code, 0, result.text)

    def test_blocks_can_stand_one_behind_the_other_in_both_modes(self):
        slots = ("  - {name: a, kind: tlm_monitor, between: [l2.out, main_memory.in]}\n"
                 "  - {name: b, kind: protocol_checker, between: [a.link.out, main_memory.in]}\n")
        for mode in ("cycle", "fast"):
            with self.subTest(mode), folder() as out:
                result = run(out, slots, "--set", f"run.mode={mode}")
                self.assertEqual(result.code, 0, result.text)

    def test_the_fast_mode_has_nothing_between_two_blocks(self):
        with folder() as out:
            result = run(out, "  - {name: watch, kind: tlm_monitor, between: [core_0.gmem, coalescer_0.in]}\n", "--set",
                         "run.mode=fast")
        self.assertEqual(result.code, 0, result.text)
        self.assertIn("verified", result.out)

    def test_energy_and_reports_take_a_block_they_do_not_know(self):
        with folder() as out:
            result = run(out, "  - {name: watch, kind: tlm_monitor, between: [core_0.gmem, coalescer_0.in]}\n", "--energy",
                         "--report", pathlib.Path(out) / "report.html")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("watch", (pathlib.Path(out) / "report.html").read_text())

    def test_mistakes_are_found_before_the_run_all_at_once(self):
        with folder() as out:
            file = configuration(out, "plugins: [libnone.so]\n"
                                      "slots:\n"
                                      "  - {name: a, kind: tlm_monito, between: [core_0.gmem, coalescer_0.in]}\n"
                                      "  - {kind: tlm_monitor}\n"
                                      "  - {name: c, kind: tlm_monitor, params: {depth: 3}}\n"
                                      "  - {name: d, kind: tlm_monitor, between: [core_0.gmem]}\n"
                                      "  - {name: e, kind: tlm_monitor, registers: {bytes: 256}}\n")
            result = spica("config", file)
        self.assertEqual(result.code, 2, result.text)
        for text in ("machine.yaml:2: plugins[0]: the library cannot be loaded: libnone.so",
                     "machine.yaml:4: slots[0].kind: unknown kind of block 'tlm_monito'; known: protocol_checker, tlm_monitor",
                     "machine.yaml:5: slots[1].name: is missing",
                     "machine.yaml:6: slots[2].params.depth: unknown key",
                     "machine.yaml:7: slots[3].between: must name the two ends of a link",
                     "machine.yaml:8: slots[4].registers.base, slots[4].registers.bytes: registers need both"):
            self.assertIn(text, result.err)

    def test_two_slots_of_one_name_are_refused(self):
        with folder() as out:
            result = run(out, "  - {name: a, kind: tlm_monitor, between: [l2.out, main_memory.in]}\n"
                              "  - {name: a, kind: tlm_monitor, between: [bus.out_0, l2.in_0]}\n")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("machine.yaml:4: slots[1]: two slots are called 'a'", result.err)

    def test_links_that_do_not_exist_are_named_with_those_that_do(self):
        cases = {
            "links: [{from: coer_0.gmem, to: watch.link.in}]":
                "machine.yaml:3: slots[0]: no block of the machine has 'coer_0.gmem', did you mean \"core_0.gmem\"?",
            "between: [core_0.gmem, coalescer_1.in]":
                "'core_0.gmem' has no link to 'coalescer_1.in'; it is linked to 'cluster_0.coalescer_0.in'",
            "between: [core_0.gmen, coalescer_0.in]":
                "'core_0.gmen' has no link to 'coalescer_0.in'; nothing starts there, did you mean \"core_0.gmem\"?",
            "params: {}": "'watch' is linked to nothing: give it between, links or registers",
        }
        for slot, text in cases.items():
            with self.subTest(slot), folder() as out:
                result = run(out, f"  - {{name: watch, kind: tlm_monitor, {slot}}}\n")
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(text, result.err)

    def test_a_monitor_where_no_sockets_are_says_so(self):
        with folder() as out:
            result = run(out, "  - {name: watch, kind: tlm_monitor, between: [core_0.barrier, barrier.in]}\n")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("'watch' needs a TLM socket on each side, but", result.err)

    def test_registers_on_top_of_others_are_refused_with_an_address_that_is_free(self):
        with folder() as out:
            slot = "  - {name: watch, kind: tlm_monitor, registers: {base: %s, bytes: 256, socket: link.in}}\n"
            result = run(out, slot % "0xFF010000")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("machine.yaml:3: slots[0].registers.base: the registers, 0xff010000-0xff0100ff, overlap "
                          "print_buffer, 0xff010000-0xff0107ff; 0xff010800 is free", result.err)
            result = run(out, slot % "0xff010800")
            self.assertNotIn("registers", result.err)
            result = run(out, slot % "0xFFFFFF80")
            self.assertIn("the registers end beyond the 32-bit address space", result.err)


REGISTERS = "registers: {base: 0xFF040000, bytes: 256}"


class BlockTest(unittest.TestCase):
    def read(self, out, slots, *more, plugins=("odd_blocks",), program="slots_read"):
        libraries = ", ".join(str(PLUGINS / f"libslots_{plugin}.so") for plugin in plugins)
        return spica("run", configuration(out, f"plugins: [{libraries}]\nslots:\n{slots}"), elf(program), "--out", out,
                     "--allow-plugins", *more)

    def refused(self, slot, sentence, mode="cycle", place="machine.yaml:4: slots[0]: ", **more):
        with self.subTest(slot=slot, mode=mode), folder() as out:
            result = self.read(out, f"  - {slot}\n", "--set", f"run.mode={mode}", **more)
            self.assertEqual(result.code, 2, result.text)
            self.assertIn(place + sentence, result.err)


class OwnBlocks(BlockTest):
    """What is odd about a block of somebody else is said with its slot, in both modes, with exit code 2."""

    def test_a_block_may_ask_for_its_first_tick_in_its_constructor(self):
        with folder() as out:
            result = self.read(out, f"  - {{name: mine, kind: ticker, {REGISTERS}}}\n")
            self.assertEqual(result.code, 0, result.text)
            document = stats(out)
        ticks = document["stats"]["cluster_0"]["mine"]["ticks"]["value"]
        self.assertAlmostEqual(ticks, document["simulated_cycles"], delta=1)

    def test_the_fast_mode_shows_the_statistics_of_a_block(self):
        with folder() as out:
            result = self.read(out, f"  - {{name: mine, kind: ticker, {REGISTERS}}}\n", "--set", "run.mode=fast")
            self.assertEqual(result.code, 0, result.text)
            block = stats(out)["stats"]["cluster_0"]["mine"]
        self.assertEqual((block["reads"]["value"], block["ticks"]["value"]), (1, 0))

    def test_a_block_that_ticks_for_ever_hides_no_hang(self):
        for mode in MODES:
            with self.subTest(mode), folder() as out:
                result = self.read(out, f"  - {{name: mine, kind: ticker, {REGISTERS}}}\n", "--set", f"run.mode={mode}", "--set",
                                   "run.hang_cycles=20000", "--set", "run.max_cycles=10000000", program="hang_2")
                self.assertEqual(result.code, 1, result.text)
                self.assertIn("Deadlock: barrier 1 is 1 warp short on core 0", result.text)

    def test_a_socket_that_nobody_binds_is_named(self):
        for mode in MODES:
            self.refused(f"{{name: mine, kind: unbound, {REGISTERS}}}",
                         "the block 'cluster_0.mine' of kind 'unbound': complete binding failed: port not bound: port "
                         "'platform.cluster_0.mine.out'", mode)

    def test_what_a_block_throws_is_said_with_its_slot(self):
        for mode in MODES:
            self.refused(f"{{name: mine, kind: unlicensed, {REGISTERS}}}",
                         "the block 'cluster_0.mine' of kind 'unlicensed': no licence", mode)
            self.refused(f"{{name: mine, kind: throwing, {REGISTERS}}}",
                         "the block 'cluster_0.mine' of kind 'throwing': "
                         + ("uncaught exception: " if mode == "cycle" else "it throws: ") + "nothing here", mode)

    def test_results_are_kept_when_a_block_makes_a_mistake(self):
        for mode in MODES:
            with self.subTest(mode), folder() as out:
                result = self.read(out, f"  - {{name: mine, kind: throwing, {REGISTERS}}}\n", "--set", f"run.mode={mode}", "--save",
                                   f"{out}/memory.bin@0x80000000+64")
                self.assertEqual(result.code, 2, result.text)
                self.assertIn("NOT FINISHED (block_error)", result.out)
                self.assertIn("All warps", result.err)
                document = stats(out)
                self.assertEqual(document["end"], "block_error")
                self.assertIn("the block 'cluster_0.mine' of kind 'throwing'", document["block_error"])
                self.assertGreater(document["instructions"], 0)
                self.assertTrue(any((pathlib.Path(out) / "memory.bin").read_bytes()))

    def test_an_answer_without_a_response_status_is_no_fault_of_the_program(self):
        for mode in MODES:
            self.refused(f"{{name: mine, kind: silent, {REGISTERS}}}",
                         "the block 'cluster_0.mine' of kind 'silent': it answers without a response status: call set_response_status() with tlm::TLM_OK_RESPONSE or an error", mode)

    def test_a_block_that_waits_works_in_the_cycle_mode_and_is_told_what_to_do_in_the_fast_mode(self):
        with folder() as out:
            self.assertIn("read 7", self.read(out, f"  - {{name: mine, kind: waiting, {REGISTERS}}}\n").out)
        self.refused(f"{{name: mine, kind: waiting, {REGISTERS}}}",
                     "the block 'cluster_0.mine' of kind 'waiting': it throws: wait() is only allowed in", "fast")

    def test_a_memory_that_moves_no_data_is_named(self):
        self.refused("{name: main_memory, kind: bare}",
                     "the block 'main_memory' of kind 'bare': /spica/link: platform.host: the memory behind it supports neither get_direct_mem_ptr")
        self.refused("{name: main_memory, kind: bare}",
                     "the machine cannot be built: 'platform.cluster_0.core_0.gmem' speaks memory by pointer, but "
                     "'platform.main_memory.in' speaks the TLM-2.0 base protocol; the fast mode reaches memory by pointers, with "
                     "run.mode cycle any memory would do", "fast")

    def test_ends_that_do_not_fit_are_told_which_adapter_joins_them_and_it_does(self):
        slots = f"  - {{name: mine, kind: wide, {REGISTERS}}}\n"
        for mode in MODES:
            with self.subTest(mode), folder() as out:
                result = self.read(out, slots, "--set", f"run.mode={mode}")
                self.assertEqual(result.code, 2, result.text)
                self.assertIn("machine.yaml:4: slots[0]: the machine cannot be built: 'platform.cluster_0.peripheral_bus.out_3' speaks "
                              "the TLM-2.0 base protocol, but 'platform.cluster_0.mine.in' speaks the TLM-2.0 base protocol with 64 "
                              "bit; to join them, add a slot after this one: ", result.err)
                adapter = result.err.partition("add a slot after this one: ")[2].strip()
                joined = self.read(out, slots + f"  - {adapter}\n", "--set", f"run.mode={mode}")
                self.assertEqual(joined.code, 0, joined.text)
                self.assertIn("read 7", joined.out)
        self.refused("{name: coalescer_0, kind: plain}",
                     "the machine cannot be built: 'platform.cluster_0.core_0.gmem' speaks WarpProtocol, but "
                     "'platform.cluster_0.coalescer_0.in' speaks the TLM-2.0 base protocol; to join them, add a slot after this one: "
                     "{name: adapter, kind: warp_to_base, between: [core_0.gmem, coalescer_0.in]}")

    def test_sockets_that_do_not_exist_are_named_with_those_that_do(self):
        self.refused("{name: mine, kind: plain, links: [{from: core_0.gmen, to: mine.in}]}",
                     "the machine cannot be built: the block 'cluster_0.core_0' has no socket 'gmen'; it has mmio, barrier, ")
        self.refused("{name: mine, kind: plain, registers: {base: 0xFF040000, bytes: 256, socket: inn}}",
                     "the machine cannot be built: the block 'cluster_0.mine' has no socket 'inn'; it has in, did you mean \"in\"?")

    def test_registers_may_not_hide_memory_that_the_program_uses(self):
        for base, what in (("0x80000000", "'.text', 0x80000000-"), ("0x80100000", "heap, 0x80"),
                           ("0xFEFFFF00", "stacks, 0xfe")):
            with self.subTest(base), folder() as out:
                slot = f"  - {{name: mine, kind: plain, registers: {{base: {base}, bytes: 256}}}}\n"
                result = self.read(out, slot)
                self.assertEqual(result.code, 2, result.text)
                self.assertIn(f"the registers of the slot 'mine', {base.lower()}-", result.err)
                self.assertIn(f"overlap its {what}", result.err)
                self.assertIn("; 0xff010800 is free\nIt would fit with: --set slots.0.registers.base=0xff010800", result.err)

    def test_registers_of_two_slots_at_one_address_are_refused(self):
        with folder() as out:
            result = self.read(out, "".join(f"  - {{name: {name}, kind: plain, {REGISTERS}}}\n" for name in ("one", "two")))
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("machine.yaml:5: slots[1].registers.base: the registers, 0xff040000-0xff0400ff, overlap one, "
                      "0xff040000-0xff0400ff; 0xff010800 is free", result.err)


class SlowBlocks(BlockTest):
    """Blocks that say nothing of the fast mode: their clock ticks them until they have answered."""
    INSTEAD = "; override on_blocking() for the fast mode, or use run.mode cycle"

    def blocks(self, slots, mode, *more):
        with folder() as out:
            result = self.read(out, slots, "--set", f"run.mode={mode}", *more, plugins=("odd_blocks", "slow_blocks"))
            self.assertEqual(result.code, 0, result.text)
            return result.out, stats(out)["stats"]["cluster_0"]["mine"]

    def test_a_block_that_answers_late_answers_in_both_modes(self):
        for mode in MODES:
            with self.subTest(mode):
                text, block = self.blocks(f"  - {{name: mine, kind: late, {REGISTERS}}}\n", mode)
                self.assertIn("read 7", text)
                self.assertEqual((block["ticks"]["value"], block["latency"]["value"]), (1, 100))

    def test_a_block_may_read_memory_before_it_answers_in_the_fast_mode(self):
        with folder() as out:
            result = self.read(out, f"  - {{name: mine, kind: fetcher, {REGISTERS}, params: {{from: 0x80000010}}, "
                                    "links: [{from: mine.out, to: main_memory.in}]}\n", "--set", "run.mode=fast", "--save",
                               f"{out}/memory.bin@0x80000010+4", plugins=("slow_blocks",))
            self.assertEqual(result.code, 0, result.text)
            word = int.from_bytes((pathlib.Path(out) / "memory.bin").read_bytes()[:4], "little")
        self.assertNotEqual(word, 0)
        self.assertIn(f"read {word}\n", result.out)

    def test_one_that_never_answers_is_named_and_ends_the_run(self):
        cases = {"never": "it has accepted a request, and nothing is scheduled that could answer it",
                 "pairs": "it has accepted a request, and nothing is scheduled that could answer it",
                 "busy": "it has not answered a request in 10000000 cycles"}
        for kind, sentence in cases.items():
            self.refused(f"{{name: mine, kind: {kind}, {REGISTERS}}}",
                         f"the block 'cluster_0.mine' of kind '{kind}': {sentence}{self.INSTEAD}", "fast", plugins=("slow_blocks",))

    def test_one_that_holds_a_request_until_there_are_two_answers_where_two_come(self):
        with folder() as out:
            result = self.read(out, f"  - {{name: mine, kind: pairs, {REGISTERS}}}\n", plugins=("slow_blocks",), program="slots_pair")
        self.assertEqual(result.code, 0, result.text)
        self.assertEqual(result.out.count("read 7"), 2)


class Plugins(unittest.TestCase):
    def load(self, *plugins):
        with folder() as out:
            libraries = ", ".join(str(PLUGINS / f"libslots_{plugin}.so") for plugin in plugins)
            result = spica("config", configuration(out, f"plugins: [{libraries}]\n"), "--allow-plugins")
        self.assertEqual(result.code, 2, result.text)
        return result.err

    def test_two_kinds_of_one_name_are_refused(self):
        text = self.load("odd_blocks", "twin")
        self.assertIn("machine.yaml:2: plugins[1]: there are two kinds of block 'plain', this and that of ", text)
        self.assertIn("libslots_odd_blocks.so: give one of them another name in SPICA_BLOCK", text)
        self.assertIn("there are two kinds of block 'cache', this and one of Spica itself", text)

    def test_a_library_without_a_block_is_refused(self):
        self.assertIn("machine.yaml:2: plugins[0]: the library defines no block; add SPICA_BLOCK after a class",
                      self.load("no_block"))

    def test_a_library_of_another_version_is_refused_with_both_versions(self):
        version = spica("--version").out.split()[0]
        self.assertIn(f"machine.yaml:2: plugins[0]: the library was built with Spica 0.1.7; this is Spica {version}: build it again",
                      self.load("old_block"))


if __name__ == "__main__":
    unittest.main()
