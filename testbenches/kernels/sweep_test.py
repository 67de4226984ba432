# SPDX-License-Identifier: Apache-2.0
"""Sweeps from the command line: they end with the same bytes however they are run, stopped and continued."""
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest
import zlib

from spica_runner import BINARY, elf, folder
from sweep_desk import SEEDS, SMALL, Desk, in_folder

class Sweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The folder of a sweep that was run by one job, and by two shards in another order: most tests begin with a copy."""
        work = folder()
        cls.addClassCleanup(work.cleanup)
        cls.whole = Desk(work.name)
        for options in ("--jobs", "1"), ("--dir", "shards", "--shard", "1/2", "--order", "cheap-first"), \
                ("--dir", "shards", "--shard", "0/2", "--order", "cheap-first"):
            result = cls.whole.run("run", "s.yaml", *options)
            assert result.code == 0, result.text
            cls.first = getattr(cls, "first", result)

    def desk_that_ran(self, at, of="out/small"):
        shutil.copytree(self.whole.at / of, pathlib.Path(at) / "out/small")
        return Desk(at)

    def test_a_sweep_has_a_row_for_each_point_and_runs_nothing_twice(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            self.assertIn("0 of 12 runs had a record, 12 ran: 6 ok, 6 refused", self.first.out)
            rows = desk.rows()
            self.assertEqual(len(rows), 12)
            for row in rows:
                self.assertEqual(row["state"], "ok" if row["size"] == "64x64x64" else "refused", row)
                self.assertEqual("do not fit into memory" in row["reason"], row["state"] == "refused")
            before = desk.csv()
            second = desk.run("run", "s.yaml")
            self.assertIn("12 of 12 runs had a record, 0 ran", second.out)
            self.assertEqual(desk.csv(), before)
            # One of them by hand, as the plan prints it.
            command = desk.run("plan", "s.yaml", "--commands", "--points", "7").out
            self.assertEqual(command, "spica gemm --design virgo-dma --size 64x64x64 --energy --set cluster.core.fma_latency=5\n")
            single = in_folder(at, *command.split()[1:], "--record", "one.jsonl", "--keep", "stats.l2.read_misses")
            self.assertEqual(single.code, 0, single.text)
            values = json.loads((desk.at / "one.jsonl").read_text())
            for name in "cycles", "utilisation", "active_energy_uj", "stats.l2.read_misses":
                self.assertEqual(float(rows[7][name]), values[name], name)

    def test_jobs_order_and_shards_do_not_change_a_byte(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            self.assertEqual(desk.run("run", "s.yaml", "--dir", "b", "--jobs", "8", "--order", "random").code, 0)
            shutil.copytree(self.whole.at / "shards", desk.at / "c")
            self.assertEqual(desk.run("collect", "s.yaml", "--dir", "c").code, 0)
            for other in "b", "c":
                self.assertEqual(desk.csv(other), desk.csv())
                self.assertEqual((desk.at / other / "results.sqlite").read_bytes(),
                                 (desk.at / "out/small/results.sqlite").read_bytes())

    def test_a_sweep_that_is_killed_at_any_time_ends_with_the_same_bytes(self):
        with folder() as at:
            desk = Desk(at, SEEDS)
            self.assertEqual(desk.run("run", "s.yaml", "--dir", "whole").code, 0)
            chance = random.Random(7)
            for runs in (None, None, 1, None, 4, None, 8, None):  # records that it leaves at least; None: dies at any time
                before = desk.records("cut")
                process = subprocess.Popen([BINARY, "sweep", "run", "s.yaml", "--dir", "cut"], cwd=at, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                if runs is not None:
                    desk.wait_for_records("cut", before + runs)
                time.sleep(chance.uniform(0.01, 0.2))
                if chance.random() < 0.5:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
                process.wait()
                self.assertEqual(self.orphans(desk.at), [])
            result = desk.run("run", "s.yaml", "--dir", "cut")
            self.assertEqual(result.code, 0, result.text)
            known = int(re.match(r"(\d+) of 60 runs had a record", result.out).group(1))
            self.assertGreaterEqual(known, 13)
            self.assertEqual(desk.csv("cut"), desk.csv("whole"))

    @staticmethod
    def orphans(at):
        """Runs in the folder that are left a moment after their parent was killed."""
        for _ in range(50):
            left = []
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if os.readlink(process / "cwd") == str(at) and b"gemm" in (process / "cmdline").read_bytes():
                        left.append(process.name)
                except OSError:
                    pass
            if not left:
                return []
            time.sleep(0.02)
        return left

    def test_an_interrupted_sweep_keeps_what_it_has_and_says_so(self):
        with folder() as at:
            desk = Desk(at, SEEDS.replace("60", "2000"))
            process = subprocess.Popen([BINARY, "sweep", "run", "s.yaml"], cwd=at, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            desk.wait_for_records("out/seeds", 1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out + err)
        ran = int(re.search(r"0 of 2,000 runs had a record, (\d+) ran", out).group(1))
        self.assertGreater(ran, 0)
        self.assertRegex(out, r"not run: Ctrl-C")
        self.assertRegex(out, rf"points: {ran} ok, [\d,]+ missing")

    def test_points_that_go_wrong_stay_with_their_state_and_reason(self):
        with folder() as at:
            desk = Desk(at, f"""
name: small
job: run
config: virgo
axes:
  elf: [{elf('hello')}, {elf('fault_1')}, {elf('hang_1')}]
  limit: {{key: run.max_cycles, values: [0, 200]}}
keep: [instructions]
""")
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 1, result.text)
            rows = {(pathlib.Path(row["elf"]).stem, row["limit"]): row for row in desk.rows()}
            self.assertEqual(len(rows), 6)
            states = {key: row["state"] for key, row in rows.items()}
            self.assertEqual(states["hello", "0"], "ok")
            self.assertEqual(states["hello", "200"], "cycles")
            self.assertEqual(states["fault_1", "0"], "fault")
            self.assertEqual(states["hang_1", "0"], "hang")
            for key, row in rows.items():
                self.assertEqual(row["reason"] == "", row["state"] == "ok", key)
            again = desk.run("run", "s.yaml")
            self.assertIn("6 of 6 runs had a record, 0 ran", again.out)
            self.assertEqual(again.code, 1)
            again = desk.run("run", "s.yaml", "--retry", "hang")
            self.assertIn("5 of 6 runs had a record, 1 ran: 1 hang", again.out)
            again = desk.run("run", "s.yaml", "--retry", "all")
            self.assertIn("1 of 6 runs had a record, 5 ran", again.out)
            again = desk.run("run", "s.yaml", "--retry", "bad")
            self.assertEqual(again.code, 2)
            self.assertIn("states: ok,wrong,refused,fault,hang,cycles,timeout,memory,crash; all: all but ok", again.err)
            status = json.loads(desk.run("status", "s.yaml", "--json").out)
            self.assertEqual(status["runs"]["fault"], 1)
            self.assertEqual(sum(status["runs"].values()), 6)

    def test_limits_of_time_and_memory_end_a_run_and_are_recorded(self):
        with folder() as at:
            desk = Desk(at, "name: small\naxes: {size: [64x64x64, 1024x1024x1024]}\n"
                            "fixed: {design: virgo-dma}\nlimits: {seconds: 2}\n")
            self.assertEqual(desk.run("run", "s.yaml").code, 1)
            self.assertEqual([row["state"] for row in desk.rows()], ["ok", "timeout"])
            desk.write("name: small\naxes: {seed: [1]}\nfixed: {design: virgo-dma, size: 1024x1024x1024, mode: fast}\nlimits: {memory_mib: 40}\n")
            self.assertEqual(desk.run("run", "s.yaml").code, 1)
            self.assertEqual([row["state"] for row in desk.rows()], ["memory"])

    def test_a_sweep_of_which_all_runs_fail_alike_stops_and_asks(self):
        with folder() as at:
            desk = Desk(at, SEEDS.replace("64x64x64", "60000x60000x1").replace("60}", "24}"))
            result = desk.run("run", "s.yaml", "--jobs", "1")
            self.assertIn("--go-on runs the rest", result.out)
            self.assertIn("20 ran: 20 refused", result.out)
            self.assertEqual(result.code, 1)
            result = desk.run("run", "s.yaml", "--go-on")
            self.assertIn("4 ran: 4 refused", result.out)
            self.assertEqual(result.code, 0)

    def test_a_changed_file_runs_only_what_is_new(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            # The default value, another order of axes, a copy of the configuration: the same machines.
            desk.write(SMALL.replace("fixed: {energy: true}", "fixed: {energy: true, cluster.core.alu_latency: 2, seed: 1}")
                       .replace("  design: [tc-dma, virgo-dma]\n", "").replace("[4, 5, 6]}", "[4, 5, 6]}\n  design: [tc-dma, virgo-dma]"))
            self.assertIn("12 of 12 runs had a record, 0 ran", desk.run("run", "s.yaml").out)
            desk.write(SMALL.replace("[4, 5, 6]", "[4, 5, 6, 7]"))
            self.assertIn("12 of 16 runs had a record, 4 ran", desk.run("run", "s.yaml").out)
            desk.write(SMALL.replace("keep: [", "keep: [instructions, "))  # another value: they must run again
            self.assertIn("6 of 12 runs had a record, 6 ran: 6 ok", desk.run("run", "s.yaml").out)
            self.assertTrue(all(row["instructions"] for row in desk.rows() if row["state"] == "ok"))

    def test_another_sweep_takes_over_runs_that_are_the_same(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            desk.write(SMALL.replace("[4, 5, 6]", "[5, 6, 7]").replace("name: small", "name: other"), "other.yaml")
            result = desk.run("run", "other.yaml", "--reuse", "out/small")
            self.assertIn("8 of 12 runs had a record, 4 ran", result.out)
            shutil.rmtree(desk.at / "out/small")
            self.assertIn("12 of 12 runs had a record, 0 ran", desk.run("run", "other.yaml").out)
            self.assertEqual(len([row for row in desk.rows("out/other") if row["cycles"]]), 6)
            self.assertEqual(desk.run("run", "other.yaml", "--reuse", "nowhere").code, 2)

    def test_repeats_give_median_minimum_and_maximum(self):
        with folder() as at:
            desk = Desk(at, SEEDS.replace("  seed: {range: 1..60}", "  fma: {key: cluster.core.fma_latency, values: [4]}") +
                        "repeats: {seeds: 3}\n")
            desk.write((desk.at / "s.yaml").read_text().replace("keep: [cycles]", "keep: [cycles, largest_error]"))
            self.assertIn("3 ran: 3 ok", desk.run("run", "s.yaml").out)
            row, = desk.rows("out/seeds")
        self.assertEqual(row["cycles_min"], row["cycles_max"])
        low, middle, high = (float(row[name]) for name in ("largest_error_min", "largest_error", "largest_error_max"))
        self.assertLess(low, middle)
        self.assertLess(middle, high)

    def test_tables_fronts_and_single_points_show_the_same_numbers(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            cycles = {(row["design"], row["fma"]): row["cycles"] for row in desk.rows() if row["state"] == "ok"}
            table = desk.run("table", "s.yaml", "--rows", "fma", "--columns", "design", "--where", 'size == "64x64x64"',
                             "--value", "cycles", "--as", "csv").out
            read = {(design, row["fma"]): row[design] for row in csv.DictReader(table.splitlines())
                    for design in ("tc-dma", "virgo-dma")}
            self.assertEqual(read, cycles)
            front = json.loads(desk.run("pareto", "s.yaml", "--json").out)
            self.assertEqual({row["design"] for row in front}, {"virgo-dma"})
            self.assertEqual(min(int(value) for value in cycles.values()), front[0]["cycles"])
            point = '{"design": "virgo-dma", "size": "64x64x64", "fma": 5}'
            line = json.loads(desk.run("eval", "s.yaml", "--point", point).out)
            self.assertEqual((line["status"], line["values"]["cycles"]), ("ok", int(cycles["virgo-dma", "5"])))
            line = json.loads(desk.run("eval", "s.yaml", "--point", point.replace("5", "99")).out)
            self.assertEqual(line["status"], "refused")
            self.assertIn("99 is out of range", line["reason"])
            show = desk.run("show", "out/small", "7", "--out", "again")
            self.assertEqual(show.code, 0, show.text)
            self.assertIn("the result is the recorded one", show.out)
            self.assertTrue((desk.at / "again" / "stats.json").exists())
            self.assertTrue((desk.at / "again" / "report.html").exists())

    def test_a_difference_between_two_sweeps_is_found_at_exactly_its_points(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            self.assertEqual(desk.run("diff", "out/small", "out/small").code, 0)
            desk.write(SMALL.replace("fixed: {energy: true}", "fixed: {energy: true, l2.hit_latency: 30}"))
            desk.run("run", "s.yaml", "--dir", "slow")
            result = desk.run("diff", "out/small", "slow", "--top", "100")
            self.assertEqual(result.code, 1, result.text)
            self.assertIn("12 points compared", result.out)
            changed = {line.split("  ")[0] for line in result.out.splitlines() if line.startswith("design") and " cycles " in line}
            self.assertEqual(len(changed), 6)

    def test_damage_is_said_and_never_makes_a_wrong_row(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            before = desk.csv()
            file, = (desk.at / "out/small/records").glob("*.jsonl")
            lines = file.read_text().splitlines(keepends=True)
            changed = re.sub(r'"x":\[(\d)', lambda match: f'"x":[{(int(match[1]) + 1) % 10}', lines[0])
            file.write_text(changed + "".join(lines[1:-1]) + lines[-1][:-30])
            result = desk.run("collect", "s.yaml")
            self.assertIn("2 incomplete records are ignored", result.out)
            self.assertIn("2 missing", result.out)
            self.assertEqual(result.code, 1)
            self.assertIn("10 of 12 runs had a record, 2 ran", desk.run("resume", "out/small").out)
            self.assertEqual(desk.csv(), before)

    def test_derived_files_that_are_damaged_are_made_again(self):
        with folder() as at:
            desk = Desk(at, SEEDS.replace("1..60", "1..2"))
            self.assertEqual(desk.run("run", "s.yaml").code, 0)
            table, out = desk.run("table", "s.yaml").out, pathlib.Path(at) / "out/seeds"
            whole = (out / "results.sqlite").read_bytes()
            for damage in (b"", b"no database", whole[:len(whole) // 2], whole[:100] + bytes(len(whole) - 100),
                           bytes(16) + whole[16:]):
                (out / "results.sqlite").write_bytes(damage)
                again = desk.run("table", "s.yaml")
                self.assertEqual((again.code, again.out), (0, table), again.text)
                self.assertIn("results.sqlite is damaged and is rebuilt from the records", again.err)
                self.assertEqual((out / "results.sqlite").read_bytes(), whole)
            names, = (out / "columns").iterdir()
            columns = names.read_bytes()
            for damage in (b"", b"[1, 2]", b'["other"]', b"{}", b"[", columns.replace(b"c", b"d")):
                names.write_bytes(damage)
                again = desk.run("run", "s.yaml")
                self.assertEqual(again.code, 0, again.text)
                self.assertIn("0 of 2 runs had a record, 2 ran: 2 ok", again.out)
                self.assertEqual(names.read_bytes(), columns)
                self.assertEqual(desk.run("table", "s.yaml").out, table)

    def test_a_record_with_values_of_another_type_is_none(self):
        with folder() as at:
            desk = Desk(at, SEEDS.replace("1..60", "1..1"))
            self.assertEqual(desk.run("run", "s.yaml").code, 0)
            file, = (pathlib.Path(at) / "out/seeds/records").glob("*.jsonl")
            body = file.read_text().split(',"crc"')[0]
            for old, new in (('"x":', '"x":3,"y":'), ('"t":{', '"t":3,"u":{'), ('"r":', '"q":'), ('"k":"', '"k":3,"l":"'),
                             ('"i":', '"i":"a","j":'), ('"schema":"spica-record-1"', '"schema":3'), ('"schema":"spica-record-1"', '"v":2')):
                self.assertIn(old, body)
                changed = body.replace(old, new, 1)
                file.write_text(changed + ',"crc":"%08x"}\n' % zlib.crc32(changed.encode()))
                status = desk.run("status", "s.yaml")
                self.assertIn(status.code, (0, 1), status.text)
                self.assertIn("1 incomplete records are ignored", status.out)

    def test_another_plugin_or_header_is_another_run(self):
        with folder() as at:
            at = pathlib.Path(at)
            plugin = next(pathlib.Path(os.environ["SPICA_PLUGINS"]).rglob("*odd_blocks*.so"), None)
            (at / "sub").mkdir()
            (at / "sub/gain.h").write_text("\n")
            kernel = (pathlib.Path(os.environ["SPICA_ROOT"]) / "sw/kernels/gemm_simt/main.cpp").read_text()
            (at / "mine.cpp").write_text('#include "sub/gain.h"\n' + kernel)
            (at / "mine.yaml").write_text("source: mine.cpp\nconfig: virgo\nunit: lanes\n")
            sweeps = {"header": ("axes: {design: [mine.yaml]}\nfixed: {size: 64x64x64, mode: fast}\nkeep: [cycles]\n", at / "sub/gain.h")}
            if plugin is not None:
                shutil.copy(plugin, at / "plugin.so")
                (at / "machine.yaml").write_text("extends: virgo\nplugins: [plugin.so]\n")
                sweeps["plugin"] = ("job: run\nconfig: machine.yaml\nelf: hello\naxes: {warps: {key: cluster.core.warps, values: [4]}}\n"
                                    "keep: [cycles]\n", at / "plugin.so")
            for name, (text, changes) in sweeps.items():
                with self.subTest(name):
                    desk = Desk(at, text, f"{name}.yaml")
                    for records in (0, 1):
                        run = desk.run("run", f"{name}.yaml", "--allow-plugins")
                        self.assertEqual(run.code, 0, run.text)
                        self.assertIn(f"{records} of 1 runs had a record", run.out)
                    with open(changes, "ab") as file:
                        file.write(b"\n")
                    self.assertIn("0 of 1 runs had a record", desk.run("run", f"{name}.yaml", "--allow-plugins").out)

    def test_merged_records_are_the_same_results_and_nothing_runs_again(self):
        with folder() as at:
            desk = self.desk_that_ran(at, "shards")
            desk.run("collect", "s.yaml")
            before = desk.csv()
            self.assertEqual(len(list((desk.at / "out/small/records").iterdir())), 2)
            result = desk.run("clean", "out/small")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("12 records of 2 files merged into one file of ", result.out)
            self.assertEqual([file.suffix for file in (desk.at / "out/small/records").iterdir()], [".zst"])
            desk.run("collect", "s.yaml")
            self.assertEqual(desk.csv(), before)
            self.assertIn("12 of 12 runs had a record, 0 ran", desk.run("run", "s.yaml").out)
            self.assertIn("nothing to merge", desk.run("clean", "out/small").out)

    def test_records_of_another_version_count_when_they_are_accepted(self):
        with folder() as at:
            desk = self.desk_that_ran(at)
            file, = (desk.at / "out/small/records").glob("*.jsonl")
            lines = []
            for line in file.read_text().splitlines():
                body = re.sub(r'"m":"[^"]*"', '"m":"older"', line.rpartition(',"crc"')[0])
                lines.append(f'{body},"crc":"{zlib.crc32(body.encode()):08x}"}}\n')
            file.write_text("".join(lines))
            status = desk.run("status", "s.yaml")
            self.assertIn("12 records of other versions of the model are ignored (older: 12)", status.out)
            wrong = desk.run("collect", "s.yaml", "--accept-model", "oldest")
            self.assertEqual(wrong.code, 2)
            self.assertIn("older (12 records)", wrong.err)
            result = desk.run("run", "s.yaml", "--accept-model", "older")
            self.assertIn("12 of 12 runs had a record, 0 ran", result.out)
            self.assertEqual({row["model"] for row in desk.rows()}, {"older"})
            self.assertIn("older", desk.run("table", "s.yaml").out)
            self.assertEqual(json.loads(desk.run("status", "s.yaml", "--json").out)["accepted_models"], ["older"])

    def test_names_that_no_run_has_are_told_after_the_first_one(self):
        with folder() as at:
            desk = Desk(at, SMALL.replace("stats.l2.read_misses", "utilisatio"))
            result = desk.run("run", "s.yaml", "--jobs", "1")
            self.assertEqual(result.code, 2, result.text)
            self.assertIn('keep: "utilisatio" is not a result, did you mean "utilisation"?; spica sweep values s.yaml', result.err)
            desk.write(SMALL.replace("read_misses", "read_mises"))
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("keep: stats.l2.read_mises: the first run has nothing of this name", result.err)
            result = desk.run("values", "s.yaml", "--find", "l2 read")
            self.assertEqual(result.code, 0, result.text)
            self.assertRegex(result.out, r"stats\.l2\.read_misses +\d+\n")
            self.assertNotIn("stats.l2.write", result.out)
            self.assertIn("active_energy_uj", desk.run("values", "s.yaml").out)

    def test_mistakes_in_a_sweep_file_are_explained(self):
        with folder() as at:
            desk = Desk(at, SMALL.replace("fma_latency", "fma_latenzy").replace("[4, 5, 6]", "[4, 5, 99]"))
            result = desk.run("run", "s.yaml")
            self.assertEqual((result.code, result.out), (2, ""))
            self.assertIn('s.yaml:7: cluster.core.fma_latenzy: unknown key, did you mean "fma_latency"?', result.err)
            self.assertFalse((desk.at / "out/small/records").exists())
            self.assertEqual(desk.run("run", "nowhere").code, 2)
            self.assertEqual(desk.run("status", ".").code, 2)

    def test_sweeps_that_come_with_spica_run(self):  # long
        """A point of each, drawn anew for each of them; all points must be planned."""
        sweeps = sorted((pathlib.Path(os.environ["SPICA_ROOT"]) / "configs/sweeps").glob("*.yaml"))
        questions = {"array-size", "attention-formats", "attention-styles", "memory-bandwidth", "shared-memory-banks", "warps"}
        self.assertLess(questions, {s.stem for s in sweeps})
        with folder() as at:
            desk = Desk(at)
            for file in sweeps:
                with self.subTest(file.stem):
                    self.assertIn("points of", desk.run("plan", file.stem, "--no-probe").out)
                    if file.stem not in questions:  # tables of `spica experiment`, with tests of their own
                        continue
                    result = desk.run("run", file.stem, "--max", "2", "--order", "random")
                    self.assertEqual(result.code, 1, result.text)  # most are missing
                    self.assertRegex(result.out, r"2 ran: (1|2) (ok|refused)")

    def test_a_kernel_of_the_platform_runs_with_arguments_of_axes_and_keeps_what_it_prints(self):
        """The same file is a sweep and a table: both have the same numbers."""
        text = ("extends: sweeps/tensor-latency\nname: small\naxes:\n  machine: {key: config, values: [volta-sm]}\n  instruction: {argument: [0, 1], labels: [load, mma]}\n"
                "  shared_memory: {argument: [0], labels: ['true']}\n  size: {argument: [128]}\nfixed: {grid: '16'}\n"
                "keep: [cycles, utilisation, printed.samples, samples.median, samples.p90]\n")
        with folder() as at:
            desk = Desk(at, text)
            result = desk.run("run", "s.yaml")
            self.assertEqual(result.code, 0, result.text)
            rows = desk.rows()
            table = in_folder(desk.at, "experiment", "s.yaml", "--out", "table")
            self.assertEqual(table.code, 0, table.text)
            cells = json.loads((desk.at / "table/results.json").read_text())
            before = desk.csv()
            clash = in_folder(desk.at, "experiment", "s.yaml")
            self.assertEqual(clash.code, 2)
            self.assertIn("out/small has results of spica sweep run", clash.err)
            self.assertEqual(desk.csv(), before)
        self.assertEqual([row["instruction"] for row in rows], ["load", "mma"])
        for row, cell in zip(rows, cells):
            self.assertEqual(row["state"], "ok")
            self.assertEqual(int(row["cycles"]), cell["cycles"])
            self.assertEqual(int(row["printed.samples"]), cell["samples"])
            self.assertEqual(int(row["samples.median"]), cell["median"])
            self.assertAlmostEqual(float(row["utilisation"]), cell["utilisation"], 9)
            self.assertGreater(cell["utilisation"], 0)

    def test_files_beside_a_sweep_are_found_from_anywhere_also_when_it_goes_on(self):
        with folder() as at:
            desk = Desk(at, "name: small\naxes: {design: [mine.yaml, simt], size: [32x32x32]}\nfixed: {mode: fast}\n"
                            "keep: [instructions]\n")
            (desk.at / "mine.yaml").write_text("extends: designs/simt\n")
            (desk.at / "elsewhere").mkdir()
            for command in ("run", "../s.yaml"), ("resume", "out/small"), ("table", "out/small"):
                result = in_folder(desk.at / "elsewhere", "sweep", *command)
                self.assertEqual(result.code, 0, result.text)
            self.assertIn("mine.yaml", result.out)
            self.assertIn("2 points: 2 ok", result.out)


if __name__ == "__main__":
    unittest.main()
