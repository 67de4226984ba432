# SPDX-License-Identifier: Apache-2.0
"""Sweeps run by others: Slurm, GNU parallel, ninja, Snakemake, Optuna. The result is the same, byte for byte, as that of one process."""
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

import slurm_cluster
from spica_runner import BINARY, folder
from sweep_desk import Desk

SEEDS = """
name: seeds
axes:
  seed: {range: 1..SEEDS}
  fma: {key: cluster.core.fma_latency, values: [4, 5]}
fixed: {design: virgo-dma, size: 64x64x64}
keep: [cycles, largest_error]
objectives: {cycles: min, largest_error: min}
"""


PAGE = pathlib.Path(os.environ["SPICA_ROOT"]) / "docs/howto/search-with-optuna.md"
HAS_OPTUNA = subprocess.run(["/usr/bin/python3", "-c", "import optuna"], stderr=subprocess.DEVNULL).returncode == 0


class Search(unittest.TestCase):
    """The files of the page, as a reader has them."""

    def setUp(self):
        self.place = folder()
        at = self.at = pathlib.Path(self.place.name)
        for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", PAGE.read_text(), re.S):
            (at / name).write_text(text)
        (at / "spica").symlink_to(BINARY)

    def tearDown(self):
        self.place.cleanup()

    def sweep(self, *arguments):
        return subprocess.run([BINARY, "sweep", *arguments], cwd=self.at, capture_output=True, text=True)

    @unittest.skipUnless(HAS_OPTUNA, "needs the Debian package python3-optuna")
    def test_optuna_finds_points_of_the_front_and_runs_nothing_twice(self):
        for trials in (12, 4):  # the second goes on
            search = subprocess.run(["/usr/bin/python3", "search.py", "./spica", str(trials)], cwd=self.at, capture_output=True, text=True)
            self.assertEqual(search.returncode, 0, search.stderr)
        best = [eval(line.partition("} ")[2]) for line in search.stdout.splitlines()]
        self.assertTrue(best)
        collected = self.sweep("collect", "search.yaml").stdout
        seen = int(re.search(r"points: (\d+) ok", collected)[1])
        self.assertLessEqual(seen, 16)
        # Everything: what the search calls best among its own is in the results, and no point of the sweep ran twice.
        done = self.sweep("run", "search.yaml")
        self.assertIn(f"{seen} of 36 runs had a record, {36 - seen} ran", done.stdout)
        cycles = {float(value) for value in re.findall(r"\bok\s+([\d,]+)", self.sweep("table", "search.yaml").stdout.replace(",", ""))}
        for values in best:
            self.assertIn(values[0], cycles)

    @unittest.skipUnless(shutil.which("snakemake"), "needs the Debian package snakemake")
    def test_snakemake_runs_parts_of_a_sweep(self):
        made = subprocess.run(["snakemake", "--cores", "2"], cwd=self.at, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.sweep("collect", "search.yaml").returncode, 0)
        parts = (self.at / "out/search/results.csv").read_bytes()
        self.assertEqual(self.sweep("run", "search.yaml", "--dir", "local").returncode, 0)
        self.assertEqual((self.at / "local/results.csv").read_bytes(), parts)


class Engines(unittest.TestCase):
    def begin(self, seeds=8):
        """The sweep and its results by one process."""
        place = folder()
        self.addCleanup(place.cleanup)
        self.desk = Desk(place.name, SEEDS.replace("SEEDS", str(seeds)))
        self.assertEqual(self.desk.run("run", "s.yaml", "--dir", "local").code, 0)
        self.front = self.desk.run("pareto", "s.yaml", "--dir", "local").out

    def check(self, dir):
        result = self.desk.run("collect", "s.yaml", "--dir", dir)
        self.assertEqual(result.code, 0, result.text)
        for file in "results.csv", "results.sqlite":
            self.assertEqual((self.desk.at / dir / file).read_bytes(), (self.desk.at / "local" / file).read_bytes())
        self.assertEqual(self.desk.run("pareto", "s.yaml", "--dir", dir).out, self.front)

    @unittest.skipUnless(slurm_cluster.AVAILABLE, "needs the Debian package slurm-wlm")
    def test_a_slurm_array_that_is_requeued_cancelled_and_killed_ends_as_one_process(self):  # long
        self.begin(seeds=60)
        with slurm_cluster.Cluster(self.desk.at / "slurm") as cluster:
            submit = lambda *more: subprocess.run([BINARY, "sweep", "run", "s.yaml", "--dir", "array", "--slurm", *more], cwd=self.desk.at,
                                                  env=cluster.environment, capture_output=True, text=True)
            first = submit("--tasks", "10")
            self.assertEqual(first.returncode, 0, first.stdout + first.stderr)
            self.assertIn("120 points in 10 tasks", first.stdout)
            job = re.search(r"job (\d+)", first.stdout).group(1)
            self.desk.wait_for_records("array", 1)
            cluster.command("scontrol", "requeue", f"{job}_1")
            cluster.command("scancel", f"{job}_2")
            cluster.command("scancel", f"{job}_9")
            cluster.daemons["n2"].kill()
            cluster.daemons["n2"].wait()
            time.sleep(1)
            cluster.command("scancel", job)  # whatever is left
            cluster.start("n2", "slurmd", "-D", "-N", "n2")
            cluster.wait()
            second = submit()
            self.assertEqual(second.returncode, 0, second.stdout + second.stderr)
            if "nothing to submit" not in second.stdout:
                left = int(re.search(r"(\d+) points in", second.stdout).group(1))
                self.assertLess(left, 120)
                cluster.wait()
            script = (self.desk.at / "array/slurm/array-1.sh").read_text()
        self.assertIn("#SBATCH --array=0-9\n", script)
        self.check("array")

    @unittest.skipUnless(slurm_cluster.AVAILABLE, "needs the Debian package slurm-wlm")
    def test_a_task_that_runs_twice_at_a_time_makes_no_second_row(self):
        self.begin()
        result = self.desk.run("run", "s.yaml", "--dir", "twice", "--slurm", "--no-submit", "--tasks", "2")
        self.assertEqual(result.code, 0, result.text)
        script = self.desk.at / "twice/slurm/array-1.sh"
        tasks = [subprocess.Popen(["sh", script], env={**os.environ, "SLURM_ARRAY_TASK_ID": number, "SPICA_HOST": host},
                                  stdout=subprocess.DEVNULL) for number, host in (("0", "a"), ("0", "b"), ("1", "a"))]
        for task in tasks:
            self.assertEqual(task.wait(120), 0)
        self.check("twice")

    @unittest.skipUnless(shutil.which("parallel"), "needs the Debian package parallel")
    def test_gnu_parallel_runs_parts_of_a_sweep(self):
        self.begin()
        subprocess.run(f"seq 0 4 | parallel -j2 --will-cite {BINARY} sweep run s.yaml --dir par --jobs 1 --shard {{}}/5", shell=True, cwd=self.desk.at,
                       check=True, stdout=subprocess.DEVNULL)
        self.check("par")

    def test_ninja_runs_parts_of_a_sweep(self):  # long
        self.begin()
        rule = f"rule part\n  command = {BINARY} sweep run s.yaml --dir nin --jobs 1 --shard $in/5 && touch $out\n".replace("$in", "$part")
        (self.desk.at / "build.ninja").write_text(
            rule + "".join(f"build part{i}: part\n  part = {i}\n" for i in range(5)))
        subprocess.run(["ninja", "-j2"], cwd=self.desk.at, check=True, stdout=subprocess.DEVNULL)
        self.check("nin")


if __name__ == "__main__":
    unittest.main()
