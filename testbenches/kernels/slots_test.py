# SPDX-License-Identifier: Apache-2.0
"""Blocks that a configuration adds to the machine."""
import pathlib
import unittest

from spica_runner import elf, folder, spica, stats


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
                     "machine.yaml:4: slots[0].kind: there is no kind of block 'tlm_monito'; there are protocol_checker, tlm_monitor",
                     "machine.yaml:5: slots[1].name: is missing",
                     "machine.yaml:6: slots[2].params.depth: unknown key",
                     "machine.yaml:7: slots[3].between: names the two ends of a link",
                     "machine.yaml:8: slots[4].registers.base, slots[4].registers.bytes: registers have both"):
            self.assertIn(text, result.err)

    def test_two_slots_of_one_name_are_refused(self):
        with folder() as out:
            result = run(out, "  - {name: a, kind: tlm_monitor, between: [l2.out, main_memory.in]}\n"
                              "  - {name: a, kind: tlm_monitor, between: [bus.out_0, l2.in_0]}\n")
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("machine.yaml:4: slots[1]: two slots are called 'a'", result.err)

    def test_links_that_do_not_exist_are_named_with_those_that_do(self):
        cases = {
            "between: [core_0.gmem, coalescer_1.in]":
                "'core_0.gmem' has no link to 'coalescer_1.in'; it is linked to 'cluster_0.coalescer_0.in'",
            "between: [core_0.gmen, coalescer_0.in]":
                "'core_0.gmen' has no link to 'coalescer_0.in'; nothing starts there",
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
        self.assertIn("'watch' stands between two TLM sockets, but", result.err)

    def test_registers_on_top_of_others_are_refused_with_an_address_that_is_free(self):
        with folder() as out:
            slot = "  - {name: watch, kind: tlm_monitor, registers: {base: %s, bytes: 256, socket: link.in}}\n"
            result = run(out, slot % "0xFF010000")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn("the registers lie on top of print_buffer; 0xff013100 is free", result.err)
            result = run(out, slot % "0xFFFFFF80")
            self.assertIn("the registers end beyond the 32-bit address space", result.err)


if __name__ == "__main__":
    unittest.main()
