# SPDX-License-Identifier: Apache-2.0
"""`spica bench` counts what simulated work costs the host, judges it by the bars, and writes it to a file."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from spica_runner import BINARY, folder, spica, stats

ROWS = ("alu", "simt_load", "tensor_micro_op", "tc_256", "virgo_dma_256", "start")
FIELDS = {"name", "unit", "host_instructions_per_unit", "host_cycles_per_unit", "bar", "bar_is_for", "bar_source",
          "reached"}
RATE = re.compile(r"^fast mode, compiled kernels, 8 lanes\s{2,}(\S+)\s+(\S+) Minstr/s\s+(\S+)\s+(\S+)\s{2,}"
                  r"(reaches the bar|(?:above|below) the floor)$", re.MULTILINE)
NOTE = re.compile(r"takes (\d+) ns; here it took (\d+) at best")
# Valgrind does not run a program with sanitizers.
SANITIZED = b"__asan_init" in pathlib.Path(BINARY).read_bytes()
VALGRIND = shutil.which("valgrind")
PAGE = pathlib.Path(os.environ["SPICA_ROOT"]) / "docs/performance.md"


def page_rows():
    """{name: (host instructions, bar or None, whether the page says that it is reached)} of docs/performance.md."""
    def number(text):
        found = re.fullmatch(r"([\d,.]+)( M)?", text)
        return float(found[1].replace(",", "")) * (1e6 if found[2] else 1) if found else None
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): (number(row[2]), number(row[3]), row[5]) for row in cells if len(row) == 6}


def measured(*arguments):
    """The document of --json and the result of the run."""
    with folder() as out:
        file = pathlib.Path(out) / "bench.json"
        result = spica("bench", *arguments, "--runs", "1", "--out", file, timeout=880)
        if result.code != 0:
            raise AssertionError(result.text)
        return json.loads(file.read_text()), result


def by_name(document):
    return {row["name"]: row for row in document["rows"]}


@unittest.skipIf(SANITIZED or VALGRIND is None, "needs valgrind and a program without sanitizers")
class Costs(unittest.TestCase):
    def check_row(self, row, result, counted_by):
        self.assertEqual(set(row), FIELDS)
        self.assertGreater(row["host_instructions_per_unit"], 0)
        if counted_by == "callgrind":
            self.assertIsNone(row["host_cycles_per_unit"])
        value = row[row["bar_is_for"]]
        if row["bar"] is None or value is None:
            self.assertIsNone(row["reached"])
        else:
            self.assertEqual(row["reached"], value <= row["bar"])
            verdict = "reaches the bar" if row["reached"] else "above the bar"
            self.assertRegex(result.out, rf"(?m)^{row['name']}, per {row['unit']} .* {verdict}$")
            self.assertTrue(row["bar_source"])

    def test_every_row_is_counted_judged_by_its_bar_and_the_same_in_a_second_call(self):  # long
        document, result = measured(*ROWS)
        rows = by_name(document)
        self.assertEqual(tuple(rows), ROWS)
        for row in rows.values():
            self.check_row(row, result, document["counted_by"])
            self.assertIsNotNone(row["reached"], row["name"])
        # A load goes through coalescer and cache, an addition through neither; one cycle of four busy cores is more
        # than one of four that wait, and the whole start more than any of them.
        cost = {name: row["host_instructions_per_unit"] for name, row in rows.items()}
        self.assertGreater(cost["simt_load"], cost["alu"])
        self.assertGreater(cost["tc_256"], cost["virgo_dma_256"])
        self.assertGreater(cost["start"], 1e6)
        self.check_page(document)
        again = by_name(measured("alu", "start")[0])
        for name, row in again.items():
            self.assertAlmostEqual(row["host_instructions_per_unit"] / cost[name], 1, delta=0.005, msg=name)

    def check_page(self, document):
        """docs/performance.md has the figures of a Release build by g++ 12, counted by callgrind, and the verdicts that they lead
        to; other compilers make other instructions."""
        with folder() as out:
            self.assertEqual(spica("run", "virgo", "hello", "-q", "--out", out).code, 0)
            build = stats(out)["provenance"]
        if document["counted_by"] != "callgrind" or build["build_type"] != "Release" or "GNU 12." not in build["compiler"]:
            return
        page = page_rows()
        for row in document["rows"]:
            with self.subTest(row["name"]):
                figure, bar, said = page[row["name"]]
                value = row["host_instructions_per_unit"]
                self.assertEqual(bar, row["bar"])
                self.assertAlmostEqual(figure / value, 1, delta=0.03)
                if abs(value / bar - 1) > 0.005:  # closer than that, two builds may differ
                    self.assertEqual(said, "yes" if row["reached"] else "no")

    def test_more_warps_and_cores_are_judged_by_the_row_of_the_machine_as_shipped(self):  # long
        document, result = measured("warps_16", "cores_16")
        rows = by_name(document)
        self.assertEqual(tuple(rows), ("warps_8", "warps_16", "cores_16"))
        for row in rows.values():
            self.check_row(row, result, document["counted_by"])
        eight = rows["warps_8"]
        self.assertIsNone(eight["bar"])
        self.assertAlmostEqual(rows["warps_16"]["bar"], 1.1 * eight["host_instructions_per_unit"])
        self.assertEqual(rows["cores_16"]["bar_is_for"], "host_cycles_per_unit")
        if eight["host_cycles_per_unit"] is not None:
            self.assertAlmostEqual(rows["cores_16"]["bar"], 1.25 * eight["host_cycles_per_unit"])

    def test_warps_of_32_lanes_are_judged_by_those_of_8(self):  # long
        document, result = measured("fast_mode_32", "fast_mode_1", "alu")
        rows = by_name(document)
        self.assertEqual(tuple(rows), ("alu", "fast_mode", "fast_mode_1", "fast_mode_32"))
        for row in rows.values():
            self.check_row(row, result, document["counted_by"])
        eight, one, wide = (rows[name]["host_instructions_per_unit"] for name in ("fast_mode", "fast_mode_1", "fast_mode_32"))
        self.assertAlmostEqual(rows["fast_mode_32"]["bar"], 4 * eight)
        self.assertTrue(rows["fast_mode_32"]["reached"])
        self.assertLess(one, 2 * eight)
        self.assertGreater(wide, eight)  # 32 lanes compute more
        self.assertLess(eight, rows["alu"]["host_instructions_per_unit"] / 5)  # the cycle mode does more for each

    def test_a_file_that_cannot_be_written_is_the_users_mistake(self):
        full = spica("bench", "start", "--json", "/dev/full")
        self.assertEqual(full.code, 2, full.text)
        self.assertIn("/dev/full", full.err)
        self.assertIn("start, per run", full.out)  # what was found is not lost

    def test_perf_counts_what_callgrind_counts(self):
        if spica("bench", "start", "--count", "perf").code == 2:
            self.skipTest("no counters here")
        perf, callgrind = (by_name(measured("start", "alu", "--count", method)[0]) for method in ("perf", "callgrind"))
        for name in ("start", "alu"):
            self.assertGreater(perf[name]["host_cycles_per_unit"], 0)
            a, b = (rows[name]["host_instructions_per_unit"] for rows in (perf, callgrind))
            self.assertAlmostEqual(a / b, 1, delta=0.05, msg=name)

    def test_the_rate_of_the_fast_mode_is_scaled_and_judged(self):
        result = spica("bench", "fast_mode", "--runs", "1")
        self.assertEqual(result.code, 0, result.text)
        *figures, verdict = RATE.search(result.out).groups()
        rate, scaled, floor, bar = map(float, figures)
        reference, here = map(float, NOTE.search(result.out).groups())
        self.assertEqual((floor, bar), (100, 300))
        self.assertAlmostEqual(scaled / (rate * here / reference), 1, delta=0.03)  # both are rounded in the table
        if min(abs(scaled / bar - 1), abs(scaled / floor - 1)) > 0.01:  # rounded, it may lie on the other side
            self.assertEqual(verdict, "reaches the bar" if scaled >= bar
                             else "below the floor" if scaled < floor else "above the floor")


class Page(unittest.TestCase):
    def test_the_verdicts_of_the_page_follow_from_its_figures(self):
        page = page_rows()
        self.assertLessEqual(set(ROWS), set(page))
        for name, (figure, bar, said) in page.items():
            if bar is not None:
                self.assertEqual(said, "yes" if figure <= bar else "no", name)


class Mistakes(unittest.TestCase):
    def test_nothing_runs_when_the_folder_of_the_file_is_missing(self):
        result = spica("bench", "--json", "/nowhere/bench.json", timeout=20)
        self.assertEqual(result.code, 2, result.text)
        self.assertIn("/nowhere", result.err)

    def test_an_unknown_row_is_answered_with_those_there_are(self):
        result = spica("bench", "aluminium")
        self.assertEqual(result.code, 2, result.text)
        for name in ("aluminium", *ROWS, "fast_mode_16", "warps_32", "cores_16"):
            self.assertIn(name, result.err)

    def test_it_says_what_is_missing_to_count(self):
        process = subprocess.run([BINARY, "bench", "start", "--count", "callgrind"], capture_output=True, text=True,
                                 env={**os.environ, "PATH": "/nowhere"}, timeout=60, check=False)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("apt install valgrind", process.stderr)
        perf = spica("bench", "start", "--count", "perf")
        if perf.code != 0:
            self.assertEqual(perf.code, 2, perf.text)
            self.assertRegex(perf.err, "perf: (not allowed here, .*perf_event_paranoid=2|this host)")


if __name__ == "__main__":
    unittest.main()
