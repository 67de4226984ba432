# SPDX-License-Identifier: Apache-2.0
"""The stock gdb at work on programs of many warps: one test for each thing a user does."""
import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from gdb_runner import FAST, GDB, ROOT, DebugTest, Spica, elf, gdb, needs_gdb


@needs_gdb
class Gdb(DebugTest):
    def steps(self, script, *options, expect=7):
        return self.debug("debugger_steps", script, *options, expect=expect)

    @unittest.skipIf(FAST, "warps that start later are not there yet")
    def test_every_warp_is_a_thread_with_core_warp_lanes_and_state(self):
        text = self.steps("info threads\ntbreak task\ncontinue\ninfo threads\nthread apply 1 bt\ndetach")
        self.assert_order(text, r'\* 1 +Thread 1 "core 0 warp 0" \(lanes 0; \w+\) +_start \(\) at sw/lib/start.S',
                          r'Thread 9 "core 1 warp 0"', r'Thread 25 "core 3 warp 0"',
                          r'hit Temporary breakpoint 1, task \(id=\d+',
                          r'Thread 32 "core 3 warp 7" \(lanes [-,0-9]+; [^)]+\)')
        self.assertEqual(len(set(re.findall(r'"core \d warp \d"', text))), 32)

    def test_registers_are_those_of_the_lane_and_of_all_lanes(self):
        text = self.steps("tbreak sides\ncontinue\ninfo registers pc sp a0\nprint $v_a0\nprint/x $tmask\nprint $lane\n"
                          "print $mhartid\nprint $warp_id\nprint $fcsr\ninfo registers simt\ndetach")
        self.assert_order(text, r"pc +0x\w+", r"a0 +0x\w+\t(\d+)", r"\$1 = \{\d+, ", r"\$2 = 0xff", r"\$3 = 7",
                          r"\$4 = \d+", r"simt_depth +0x0")
        ids = [int(n) for n in re.search(r"\$1 = \{([^}]+)\}", text)[1].split(",")]
        self.assertEqual(ids, list(range(ids[0], ids[0] + 8)))
        self.assertEqual(int(re.search(r"a0 +0x\w+\t(\d+)", text)[1]), ids[7])  # the scalar lane
        self.assertEqual(int(re.search(r"\$4 = (\d+)", text)[1]) % 8, 7)

    def test_warps_have_as_many_lanes_as_the_machine(self):
        for lanes in (1, 2, 4, 16, 32):
            options = [word for one in (f"lanes={lanes}", f"sfu_lanes={min(lanes, 4)}")
                       for word in ("--set", f"cluster.core.{one}")]
            with self.subTest(lanes):
                text = self.steps(f"tbreak sides\ncontinue\nprint $v_a0\nprint/x $tmask\nmonitor lane {lanes - 1}\n"
                                  "maintenance flush register-cache\nprint $lane\nprint $a0\nkill", *options, "--set",
                                  "cluster.tensor_core.present=false", expect=1)
                found = re.search(r"\$1 = \{?([-\d, ]+)\}?$", text, re.M)
                self.assertIsNotNone(found, text)
                ids = [int(number) for number in found[1].split(",")]
                self.assertEqual(ids, list(range(ids[0], ids[0] + lanes)))
                self.assertIn(f"$2 = {(1 << lanes) - 1:#x}\n", text)
                self.assertIn(f"$3 = {lanes - 1}\n", text)
                self.assertIn(f"$4 = {ids[-1]}\n", text)

    def test_fragments_of_a_tensor_core_are_registers(self):
        text = self.debug("wmma32_fragment_errors",
                          "break store_matrix_sync if $core_id == 1\ncontinue\nprint $w3.fp32[7][31]\nprint/x $w3.word[0]\n"
                          "set $w3.word[0][1] = 5\nprint $w3.word[0][1]\nprint $w3.word[1][1]\nkill", "--args", "u32:2,u32:0",
                          config="volta-sm")
        self.assert_order(text, r"\$1 = 3\n", r"\$2 = \{0x40400000 <repeats 32 times>\}", r"\$3 = 5\n",
                          r"\$4 = 1077936128\n")

    def test_tiles_and_registers_are_shown_in_their_format(self):
        text = self.steps("tbreak count\ncontinue\nset var {int}0xff000100 = 0x40003f80\nset var {int}0xff000104 = 0x7e38c0bf\n"
                          f"source {ROOT}/platform/observe/debug/spica.gdb\ntile bf16 0xff000100 1x2\ntile fp8_e4m3 0xff000104 2x2\n"
                          "monitor tile int4 0xff000104 1x2 4\nset var $v_fa0[1] = 1.5\nmonitor values bf16 fa0\n"
                          "monitor tile fp7 0 1x1\nmonitor values fp16 q9\nmonitor tile fp16 0x10 1x1\ndetach")
        self.assert_order(text, r"row +0 +1\n +0 +1 +2\n", r"row +0 +1\n +0 +-1.875 +-2\n +1 +1 +448\n", r" +0 +-1 +-5\n",
                          r"lane +fa0\n", r" +1 +0,1.5\n", "'fp7' is not a format; these are: fp32, tf32",
                          "'q9' is not a register", "No memory at 0x10")

    def test_a_machine_without_fragments_does_not_show_any(self):
        text = self.steps("print $w3\ndetach")
        self.assertIn("$1 = void", text)

    def test_a_lane_is_selected_and_its_variables_are_shown(self):
        text = self.steps("tbreak sides\ncontinue\nprint id % 8\nmonitor lane 2\nmaintenance flush register-cache\n"
                          "print id % 8\nset $lane = 5\nmaintenance flush register-cache\nprint id % 8\nmonitor lane 8\n"
                          "monitor lane auto\nmaintenance flush register-cache\nprint id % 8\n"
                          f"source {ROOT}/platform/observe/debug/spica.gdb\nlane 1\nprint id % 8\ndetach")
        self.assert_order(text, r"\$1 = 7", "lane 2 of 0 to 7, active", r"\$2 = 2", r"\$3 = 5", "'8' is not a lane",
                          r"\$4 = 7", r"#0.*sides", r"\$5 = 1")

    def test_registers_and_memory_are_written(self):
        text = self.steps("tbreak triple\ncontinue\nset var $a0 = 20\nfinish\ntbreak steps.cpp:22\ncontinue\nprint counter\n"
                          "set var counter = 1234\nprint counter\nset var $v_t0[3] = 77\nprint $v_t0[3]\n"
                          "set var $fa0 = 1.5\nprint $fa0\nset var $mscratch = 5\nprint $mscratch\n"
                          "set var {int}0xff000100 = 99\nx/1dw 0xff000100\nprint *(int*)0xff013000")
        self.assert_order(text, r"Value returned is \$1 = 60", r"\$2 = 60", r"\$3 = 1234", r"\$4 = 77", r"\$5 = 1.5",
                          r"\$6 = 5", r"0xff000100:\t99", "Cannot access memory")
        self.assertIn("Cannot access memory at address 0x10", self.steps("x/x 0x10"))
        self.assertIn("Could not write register", self.steps("set var $core = 3"))

    def test_breakpoints_stop_before_their_line_and_can_be_passed(self):
        text = self.steps("break triple\ncontinue\nbt\nprint x\ncontinue\nprint x\ndelete\nhbreak count\ninfo breakpoints\n"
                          "hbreak steps.cpp:21\ncontinue\nprint i\ndelete\ncontinue")
        self.assert_order(text, "Breakpoint 1, triple", r"#1 .*in count \(\) at .*steps.cpp:20\n#2 .* in main", r"\$1 = 1",
                          "Breakpoint 1, triple", r"\$2 = 2", "hw breakpoint", r"hit Breakpoint 3, count",
                          r"\$3 = 2", "exited with code 07")
        self.assertIn("counter is 9", self.spica.out)

    def test_a_conditional_breakpoint_picks_one_warp(self):
        text = self.steps("break task if $core_id == 2 && $warp_id == 3\ncontinue\nprint $_thread\nprint $core\nprint $warp\n"
                          "delete\ncontinue")
        self.assert_order(text, 'Thread .* "core 2 warp 3" hit Breakpoint 1, task', r"\$2 = 2", r"\$3 = 3", "code 07")

    def test_lines_and_instructions_are_stepped_and_functions_finished(self):
        text = self.steps("tbreak count\ncontinue\nnext\nstep\nstep\nfinish\nnext\nnext\nstepi\nx/2i $pc\nnext\nnext\n"
                          "until\nadvance steps.cpp:24\ndetach")
        self.assert_order(text, r"19\t", r"20\t", r"triple \(x=", r"15\t", r"Value returned is \$1 = 3", r"22\t", r"19\t",
                          "=> 0x")

    def test_a_step_moves_one_warp_while_the_others_are_held(self):
        text = self.steps("set scheduler-locking step\ntbreak task\ncontinue\nprint $core*100 + $warp\nmonitor warps\nnext\n"
                          "monitor warps\nprint $core*100 + $warp\ndelete\nset scheduler-locking off\ncontinue")
        before, after = [self.warp_rows(table) for table in text.split("source")[1:3]]
        moved = [warp for warp in before if before[warp] != after.get(warp)]
        stopped = int(re.search(r"\$1 = (\d+)", text)[1])
        self.assertEqual(moved, [(stopped // 100, stopped % 100)])
        self.assertIn(f"$2 = {stopped}\n", text)

    @staticmethod
    def warp_rows(table):
        """pc by core and warp of a `monitor warps` table."""
        return {(int(m[1]), int(m[2])): m[3]
                for m in re.finditer(r"^ +(\d+) +(\d+) .*?(0x[0-9a-f]{8})", table, re.M)}

    def test_steps_walk_through_both_sides_of_a_split(self):
        step = "next\nmonitor stack\nprint/x $tmask\n"  # from 16 on, gdb stops at the first line of the other side, too
        text = self.steps("set scheduler-locking step\ntbreak sides\ncontinue\n" + 8 * step + "set scheduler-locking off\ncontinue")
        self.assert_order(text, r"28\t[^$]*1 open split, active lanes 1,3,5,7", r"0-7 +then +0,2,4,6 [^\n]*sides", "= 0xaa",
                          r"30\t[^$]*active lanes 0,2,4,6[^$]*else", "= 0x55", "= 0xff", "code 07")

    def test_a_step_that_needs_the_held_warps_says_so(self):
        text = self.steps("set scheduler-locking step\ntbreak sides\ncontinue\n" + 9 * "next\n" + "monitor barriers\n"
                          "set scheduler-locking off\ncontinue")
        self.assert_order(text, "No progress while the other warps are held", "stopped",
                          "cluster 0 barrier 1, 8 warps of each core", "1 of 8 there", "code 07")

    def test_watchpoints_see_loads_and_stores_of_lanes(self):
        text = self.steps("watch counter\ncontinue\nbt 1\ncontinue\ndelete\nawatch *(unsigned*)0xff000014\ncontinue\ndelete\n"
                          "rwatch counter\ncontinue\ndelete\nwatch results[9]\ncontinue\ndelete\ncontinue")
        self.assert_order(text, "write to 0x[0-9a-f]+ by core 0, warp 0, pc 0x[0-9a-f]+ in count, [^\n]*steps.cpp:21, lanes 0",
                          "Old value = 0\nNew value = 3", r"count \(\)", "Old value = 3\nNew value = 6",
                          "Hardware access .*watchpoint 2", "= 106", "Hardware read watchpoint 3", "Value = 9")
        self.assertIn("counter is 9", self.spica.out)

    def test_a_watchpoint_of_an_array_element_finds_warp_and_lane(self):
        text = self.steps("watch results[9]\ncontinue\nprint $core*100 + $warp\ncontinue\ndelete\ncontinue")
        self.assert_order(text, r"by core 1, warp 0, pc 0x\w+ in sides, [^\n]*steps.cpp:\d+, lanes 1\n", "Old value = 0\nNew value = 1", r"\$1 = 100",
                          "Old value = 1\nNew value = 11", "code 07")

    def test_a_barrier_that_opens_stops_the_program(self):
        text = self.steps("monitor break barrier\nmonitor break list\nmonitor break fire\ncontinue\ncontinue\ncontinue\n"
                          "monitor break delete barrier\nmonitor break list\ncontinue")
        self.assert_order(text, "These events stop: barrier", "Unknown event 'fire'; the events are barrier, transfer, command", "barrier 0 of cluster 0 is released",
                          "stopped", "barrier 1 of cluster 0 is released", "stopped", "barrier 0 of cluster 0 is released",
                          "No event stops", "code 07")

    def test_monitor_explains_itself_and_shows_the_machine(self):
        text = self.steps("monitor help\nmonitor nonsense\nmonitor cycle\nmonitor warps\nmonitor barriers\nmonitor matrix\n"
                          "monitor dma\nmonitor stack\nmonitor lane\nmonitor break\ndetach")
        self.assert_order(text, "lane .N.auto.", "Neither a command nor part of a block's name: 'nonsense'", "cycle 0\n", "core  warp  state",
                          "No warp waits at a barrier", "cluster_0.matrix_unit_0: idle", "cluster_0.dma_0: idle",
                          "core 0 warp 0: 0 open splits", "lane 0 of 0 to 7, active", "No event stops")

    def test_output_and_exit_code_come_through(self):
        text = self.steps("continue\n")
        self.assert_order(text, "counter is 9\n", "exited with code 07")
        self.assertIn("counter is 9\n", self.spica.out)

    def test_lines_of_the_kernel_library_are_shown_from_any_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "a b")  # also one with a blank in its name
            root.symlink_to(ROOT)
            for home in (ROOT, root):
                with self.subTest(home), Spica("debug", "virgo", elf("gemm_unit"), "--set", "dispatcher.present=true",
                                               "--grid", "1", root=home) as spica:
                    text = gdb(spica.port, elf("gemm_unit"),
                               "list sw/lib/group.S:19,19\ninfo source\nmonitor sources\nkill",
                               folder=folder, settings=f"source {ROOT}/platform/observe/debug/spica.gdb")
                    self.assert_order(text, r"\n19\t", f"Located in {ROOT}/sw/lib/group.S\n", f"\n{home}\n")  # gdb resolves the link
            with Spica("debug", "virgo", elf("debugger_steps")) as spica:
                text = gdb(spica.port, elf("debugger_steps"), "kill", folder=folder, settings=f"source {ROOT}/platform/observe/debug/spica.gdb")
                self.assert_order(text, r"_start \(\) at sw/lib/start.S:(\d+)\n(warning:[^\n]*\n)?\1\t")

    def test_kill_ends_the_run(self):
        self.steps("tbreak count\ncontinue\nkill", expect=1)
        self.assertIn("Killed in gdb at cycle", self.spica.err)

    def test_detach_lets_the_program_go_on_without_breakpoints(self):
        self.steps("break triple\ncontinue\ndetach")
        self.assertIn("counter is 9", self.spica.out)

    def test_the_run_gives_the_same_result_and_its_summary_under_gdb(self):
        with Spica("gemm", "--size", "128x64x128", "--gdb", "0") as spica:
            text = gdb(spica.port, elf("gemm_virgo_dma"), "break matrix_unit_fence\ncontinue\nbt 1\ndelete\ncontinue")
            self.assertEqual(spica.wait(), 0, text + spica.out)
        self.assert_order(text, "hit Breakpoint 1", "exited normally")
        self.assertIn("verified", spica.out)

    def test_stops_at_commands_of_the_matrix_unit_and_at_ends_of_transfers(self):
        with Spica("gemm", "--size", "128x64x128", "--gdb", "0") as spica:
            text = gdb(spica.port, elf("gemm_virgo_dma"),
                       "monitor break command\ncontinue\nbt 2\nmonitor break delete\nmonitor break transfer\ncontinue\n"
                       "monitor matrix\nmonitor dma\nmonitor break delete transfer\ncontinue")
            self.assertEqual(spica.wait(), 0, text + spica.out)
        self.assert_order(text, r"command 0x\w+ to cluster_0.matrix_unit_0 by core 0, warp 0, pc", "stopped",
                          "unit_gemm", "These events stop: transfer", "end of a DMA load of cluster_0.matrix_unit_0, issued by core 0",
                          *([] if FAST else ["matrix_unit_0: busy", "dma_0: busy"]), "exited normally")

    def test_watchpoints_see_dma_and_matrix_unit(self):
        with Spica("gemm", "--size", "128x64x128", "--gdb", "0") as spica:
            text = gdb(spica.port, elf("gemm_virgo_dma"),
                       "watch *(int*)0xff000000\ncontinue\nbt 1\ndelete\nrwatch *(int*)0xff000000\ncontinue\ndelete\n"
                       "watch *(int*)(unsigned)arguments.c\ncontinue\nprint *(float*)0xc0000000 != 0\ndelete\ncontinue")
            self.assertEqual(spica.wait(), 0, text + spica.out)
        self.assert_order(text, "write to 0xff000000 by a DMA load of cluster_0.matrix_unit_0, issued by core 0, warp 0, pc",
                          "Old value = 0", "read of 0xff000000 by a (preload|compute) of cluster_0.matrix_unit_0",
                          "write to 0xc0000000 by a DMA store", r"\$1 = true", "exited normally")

    def test_tensor_kernels_run_and_stop_between_their_instructions(self):
        with Spica("gemm", "--design", "tc", "--size", "64x64x64", "--gdb", "0") as spica:
            text = gdb(spica.port, elf("gemm_tc"), "tbreak main\ncontinue\nstepi\nstepi\ncontinue")
            self.assertEqual(spica.wait(), 0, text + spica.out)
        self.assertIn("verified", spica.out)

    def test_attention_and_decoupled_tensor_cores_give_the_same_result_under_gdb(self):
        for options, name in ((("attention", "--sequence", "128"), "attention_virgo"),
                              (("gemm", "--config", "fp16-hopper", "--size", "128x128x128"), "gemm_fp16_hopper")):
            with self.subTest(name), Spica(*options, "--gdb", "0") as spica:
                text = gdb(spica.port, elf(name), "tbreak main\ncontinue\ncontinue")
                self.assertEqual(spica.wait(), 0, text + spica.out)
                self.assertIn("verified", spica.out)

    def test_a_step_past_the_end_of_a_warp_says_so(self):
        text = self.steps("set scheduler-locking step\ntbreak _exit\ncontinue\nnext\nnext\nnext\ninfo threads\n"
                          "set scheduler-locking off\ncontinue")
        self.assert_order(text, r"simt_end_warp \(\) at [^\n]*sw/lib/end_warp.S:\d+", r"\n\d+\t", r"core \d warp 0 has ended", "stopped", "code 07")

    def test_faults_stop_with_the_cause_and_are_final(self):
        for number, signal_name, cause in ((1, "SIGILL", "an illegal instruction"), (2, "SIGSEGV", "misaligned"),
                                           (3, "SIGSEGV", "0x10000000"), (4, "SIGILL", "disagree"),
                                           (5, "SIGILL", "join without a split")):
            with self.subTest(fault=number):
                text = self.debug(f"fault_{number}", "continue\nbt 1\ninfo registers pc\ncontinue", expect=1)
                self.assert_order(text, "fault: ", "faults.c:", f"received signal {signal_name}", "faults.c:",
                                  f"Program terminated with signal {signal_name}")
                self.assertIn(cause, text)
                self.assertIn("fault: ", self.spica.err)

    def test_a_deadlock_stops_with_its_cause(self):
        text = self.debug("fault_6", "continue\nbt 1\nmonitor barriers\ncontinue\nkill", expect=1)
        self.assert_order(text, "Deadlock", "stopped", "barrier_too_many", "cluster 0 barrier 1", "Deadlock", "stopped")

    def test_a_live_lock_stops_and_can_be_left(self):
        text = self.debug("fault_7", "continue\nbt 1\nset var value = 1\ntbreak _exit\ncontinue\ncontinue",
                          "--set", "run.hang_cycles=50000", expect=0)
        self.assert_order(text, "Live-lock", "stopped", "spin_for_ever", "hit Temporary breakpoint", "exited normally")

    def test_a_live_lock_is_found_as_soon_as_without_gdb(self):
        text = self.debug("fault_7", "continue\nmonitor cycle\nkill", expect=1)
        self.assert_order(text, "Live-lock", "stopped")
        self.assertLess(int(re.search(r"cycle (\d+)", text)[1]), 2_000_000)  # the fast mode comes to 30 of them in no time, but not under gdb

    def test_control_c_stops_a_running_program(self):
        with Spica("debug", "virgo", elf("fault_7"), "--set", "run.hang_cycles=1000000000") as spica:
            with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
                script.write(f"set confirm off\ntarget remote 127.0.0.1:{spica.port}\ncontinue\nbt 1\nstepi\nprint value\nkill\n")
                script.flush()
                process = subprocess.Popen([GDB, "-nx", "-batch", "-x", script.name, elf("fault_7")], cwd=ROOT,
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                while "about to fail" not in spica.out:
                    time.sleep(0.05)
                spica.runs()
                process.send_signal(signal.SIGINT)
                text = process.communicate(timeout=60)[0]
            self.assertEqual(spica.wait(), 1, text)
        self.assert_order(text, "received signal SIGINT", "spin_for_ever", r"\$1 = 0")

    def test_memory_is_loaded_and_compared(self):
        text = self.steps("compare-sections .text\nx/3i $pc\nx/8xw 0x80000000\nload\ninfo mem\ncontinue")
        self.assert_order(text, "csrr", r"0x80000000 <_start>:\t0xfc1022f3", "Transfer rate", "code 07")

    def test_two_clusters_have_shared_memories_of_their_own(self):
        text = self.steps("tbreak task\ncontinue\nset var {int}0xff000200 = 5\nx/dw 0xff000200\nthread apply all -q -s "
                          "printf \"c%d=%d\\n\", $cluster, *(int*)0xff000200\ndelete\ncontinue",
                          "--set", "clusters=2")
        values = set(re.findall(r"^c(\d)=(\d)$", text, re.M))
        self.assertEqual(len(values), 2, text)
        self.assertEqual({value for _, value in values}, {"0", "5"})

    def test_stops_are_the_same_in_every_run(self):
        script = "break task\ncontinue\nmonitor cycle\nmonitor warps\ncontinue\nmonitor cycle\nwatch results[9]\ncontinue\nmonitor cycle\ndetach"
        self.assertEqual(self.steps(script), self.steps(script))


@needs_gdb
class Howto(DebugTest):
    """docs/howto/debug-a-kernel.md says what happens."""
    text = (ROOT / "docs/howto/debug-a-kernel.md").read_text()

    def blocks(self, language=""):
        found = re.findall(r"^```(\w*)\n(.*?)^```$", self.text, re.M | re.S)
        return [block for tag, block in found if tag == language]

    def test_the_kernel_of_the_howto_is_the_one_that_is_tested(self):
        source = (ROOT / "testbenches/debugger/squares.cpp").read_text()
        self.assertEqual("// SPDX-License-Identifier: Apache-2.0\n" + self.blocks("cpp")[0], source)

    @unittest.skipIf(FAST, "warps have their turns in another order")
    def test_the_sessions_of_the_howto_go_as_shown(self):
        sessions = [block for block in self.blocks() if block.startswith("(gdb)")]
        self.assertEqual(len(sessions), 3)
        for session in sessions:
            lines = session.splitlines()
            commands = [line[6:] for line in lines if line.startswith("(gdb) ")]
            mode = "fast" if "reverse-continue" in session else "cycle"
            with Spica("debug", "virgo", elf("squares"), "--mode", mode) as spica:
                output = self.as_printed(spica, commands)
                spica.wait()
            expected = [self.pattern(line) for line in lines if not line.startswith("(gdb)")]
            self.assert_order(output, *expected)
            self.assertIn('"step"', output)  # the script holds the other warps while one steps

    @staticmethod
    def pattern(line):
        """The file is in the root there, and addresses in .text move with the library."""
        return re.sub("0x8000[0-9a-f]{4}", "0x8000[0-9a-f]{4}", re.escape(line)).replace(r"squares\.cpp", r"[\w/]*squares\.cpp")

    @staticmethod
    def as_printed(spica, commands):
        """What gdb says when it is started with the line that spica prints."""
        while "gdb-multiarch" not in spica.err:
            time.sleep(0.05)
        line = shlex.split(re.search("gdb-multiarch.*", spica.err)[0])
        with tempfile.NamedTemporaryFile("w", suffix=".gdb") as script:
            script.write("set width 0\nshow scheduler-locking\n" + "\n".join(commands) + "\n")
            script.flush()
            done = subprocess.run(line + ["-nx", "-batch", "-x", script.name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=100, cwd=ROOT)
        return done.stdout

    @unittest.skipIf(FAST, "warps have their turns in another order")
    def test_the_launch_file_of_the_howto_connects_an_editor(self):
        launch = json.loads(self.blocks("json")[0])["configurations"][0]
        self.assertTrue(pathlib.Path(launch["miDebuggerPath"]).exists())
        setup = [command["text"].replace("${workspaceFolder}", str(ROOT)) for command in launch["setupCommands"]]
        with Spica("debug", "virgo", elf("squares")) as spica:
            commands = [f"-interpreter-exec console \"{command}\"" for command in setup]
            commands += ["-gdb-set mi-async off", f"-file-exec-and-symbols {elf('squares')}",
                         f"-target-select remote 127.0.0.1:{spica.port}", "-break-insert -c \"id == 175\" square", "-exec-continue"]
            after_stop = ["-thread-info", "-stack-list-frames", "-stack-list-variables --all-values",
                          "-data-list-register-names", "-data-list-register-values x 32", "-data-evaluate-expression $v_a0",
                          "-interpreter-exec console \"lane 3\"", "-data-evaluate-expression id", "-exec-step"]
            process = subprocess.Popen([launch["miDebuggerPath"], "-nx", "--interpreter=mi2"], stdin=subprocess.PIPE, cwd=ROOT,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            output = self.talk(process, commands, stops=2) + self.talk(process, after_stop, stops=1)
            output += process.communicate("kill\n-gdb-exit\n", timeout=60)[0]
            self.assertEqual(spica.wait(), 1, output)
        self.assertEqual(re.findall(r".*\^error.*", output), [])
        self.assert_order(output, "^".join(["", "connected"]).replace("^", r"\^"), r'\*stopped,reason="breakpoint-hit"',
                          'details="lanes', r'value="\{168, ', 'value="171"', r'reason="end-stepping-range"')

    @staticmethod
    def talk(process, commands, stops):
        """What gdb says up to the `stops`th stop after the commands."""
        process.stdin.write("\n".join(commands) + "\n")
        process.stdin.flush()
        output = ""
        while stops:
            line = process.stdout.readline()
            if not line:
                break
            output += line
            stops -= line.startswith("*stopped")
        return output


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
