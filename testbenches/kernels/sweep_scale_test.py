# SPDX-License-Identifier: Apache-2.0
"""A sweep of 100,000 points, with results that were made up: what planning, collecting and looking at them costs."""
import csv
import hashlib
import json
import os
import pathlib
import re
import unittest
import zlib

from spica_runner import BINARY, folder

SWEEP = """name: big
axes:
  seed: {key: seed, range: 1..20}
  fma: {key: cluster.core.fma_latency, range: 1..10}
  alu: {key: cluster.core.alu_latency, range: 1..10}
  l2: {key: l2.hit_latency, range: 1..50}
fixed: {design: virgo-dma, size: 64x64x64}
objectives: {cycles: min, utilisation: max}
"""
POINTS = 100_000
COLUMNS = '["cycles","utilisation","rest"]'
COLUMNS_HASH = hashlib.sha256(COLUMNS.encode()).hexdigest()[:16]  # names of columns are kept by their content


def cycles_of(number):
    """No order in them, each once or a few times."""
    return 8000 + number * 2654435761 % 40009


def record(point, model):
    """A line as workers write it; of every 1000th point that it was refused."""
    number = point["point"]
    bad = number % 1000 == 7
    values = [] if bad else [cycles_of(number), round(4e5 / cycles_of(number), 9), number % 97]
    body = json.dumps({"v": 1, "k": point["key"], "i": number, "m": model, "s": "refused" if bad else "ok", "c": COLUMNS_HASH,
                       "x": values, "r": "made up, too" if bad else None,
                       "t": {"cpu": 0.01, "wall": 0.01, "mb": 50.0}}, separators=(",", ":"))[:-1]
    return f'{body},"crc":"{zlib.crc32(body.encode()):08x}"}}\n'


def measured(at, *arguments):
    """The result, seconds of CPU time and megabytes."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(at)
        os.dup2(write, 1)
        os.execv(BINARY, [str(BINARY), "sweep", *arguments])
    os.close(write)
    with os.fdopen(read) as stream:
        text = stream.read()
    _, status, usage = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class SweepOfManyPoints(unittest.TestCase):
    def test_a_hundred_thousand_points_are_planned_collected_and_drawn_in_seconds(self):  # long
        with folder() as at:
            home = pathlib.Path(at)
            (home / "big.yaml").write_text(SWEEP)

            def run(most_seconds, most_megabytes, *arguments, code=0):
                got, text, seconds, megabytes = measured(at, *arguments)
                self.assertEqual(got, code, text)
                # A tenth of what is expected of a million; limits are for CPU time on a busy machine.
                self.assertLess(seconds, most_seconds, arguments)
                self.assertLess(megabytes, most_megabytes, arguments)
                return text

            self.assertIn("100,000 points", run(1, 200, "plan", "big.yaml", "--no-probe"))
            plan = [json.loads(line) for line in run(3, 200, "plan", "big.yaml", "--list").splitlines()]
            self.assertEqual(len({point["key"] for point in plan}), POINTS)
            measured(at, "run", "big.yaml", "--max", "1")
            first, = (home / "out/big/records").iterdir()
            model = json.loads(first.read_text())["m"]
            first.unlink()
            (home / f"out/big/columns/{COLUMNS_HASH}.json").write_text(COLUMNS + "\n")
            for part in range(4):
                lines = [record(point, model) for point in plan[part::4]]
                (home / f"out/big/records/{part}of4-host-1-1700000000000-{part:08x}.jsonl").write_text("".join(lines))

            status = run(10, 300, "status", "big.yaml")
            self.assertIn("99,900 ok, 100 refused", status)
            self.assertIn("99,900 ok, 100 refused", run(15, 300, "collect", "big.yaml"))
            before = (home / "out/big/results.csv").read_bytes()
            rows = list(csv.DictReader(before.decode().splitlines()))
            self.assertEqual(len(rows), POINTS)
            good = [row for row in rows if row["state"] == "ok"]
            best = min(int(row["cycles"]) for row in good)
            front = run(3, 300, "pareto", "big.yaml")
            count = sum(int(row["cycles"]) == best for row in good)
            self.assertIn(f"{count} points are the front; {len(good) - count} are worse", front)
            chosen = run(3, 400, "table", "big.yaml", "--where", "fma == 4 and alu == 4 and l2 == 4 and seed < 4", "--as", "csv")
            expected = [row["cycles"] for row in good if (row["fma"], row["alu"], row["l2"]) == ("4",) * 3 and int(row["seed"]) < 4]
            self.assertEqual([row["cycles"] for row in csv.DictReader(chosen.splitlines())], expected)

            run(6, 500, "plot", "big.yaml")
            page = (home / "out/big/report.html").read_text()
            self.assertLess(len(page), 7_000_000)
            data = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])
            self.assertEqual((data["all"], len(data["points"])), (POINTS, 20_000))
            self.assertEqual(data["failures"][0]["count"], 100)
            drawn = {point[0]: point for point in data["points"]}
            self.assertEqual({data["points"][place][0] for place in data["front"]},
                             {int(row["point"]) for row in good if int(row["cycles"]) == best})
            for axis in range(4):  # each value of each axis is there about as often as the others
                counts = {}
                for point in drawn.values():
                    counts[point[1][axis]] = counts.get(point[1][axis], 0) + 1
                self.assertLess(max(counts.values()), 1.4 * min(counts.values()))

            self.assertIn("100,000 records of 4 files merged into one file", run(15, 400, "clean", "big.yaml", "--all"))
            packed, = (home / "out/big/records").iterdir()
            self.assertLess(packed.stat().st_size, 10_000_000)
            run(15, 300, "collect", "big.yaml")
            self.assertEqual((home / "out/big/results.csv").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
