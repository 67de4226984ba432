# SPDX-License-Identifier: Apache-2.0
"""`spica cc -Og`: gdb reads every local variable of every lane at every line. What it should be is in the same program, compiled
by gcc without optimisation for a machine with one lane, where nothing parts."""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from gdb_runner import BINARY, ROOT, Spica, gdb, needs_gdb

SOURCE = pathlib.Path(__file__).resolve().parent / "variables.cpp"
LINES = SOURCE.read_text().splitlines()
RECORDER = SOURCE.parent / "record_variables.py"
ONE_LANE = [word for key in ("cluster.core.lanes=1", "cluster.core.sfu_lanes=1", "cluster.tensor_core.present=false")
            for word in ("--set", key)]
HAS_PLUGIN = subprocess.run([BINARY, "cc", SOURCE, "-c", "-o", "/dev/null"], capture_output=True, check=False).returncode == 0


def line_of(text):
    return next(number for number, line in enumerate(LINES, 1) if text in line)


@needs_gdb
@unittest.skipUnless(HAS_PLUGIN, "spica cc takes no plain C++ here")
@unittest.skipUnless(shutil.which("riscv64-unknown-elf-gcc"), "needs the Debian package gcc-riscv64-unknown-elf")
class Variables(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="spica-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.work = pathlib.Path(temporary.name)
        cls.expected = cls.record(["-O0", "--compiler", "gcc"], ONE_LANE)

    @classmethod
    def compile(cls, options):
        elf = cls.work / "variables.elf"
        subprocess.run([BINARY, "cc", SOURCE, *options, "-o", elf], check=True)
        return elf

    @classmethod
    def record(cls, options, machine=()):
        """By function (its line), line and task: all that the variables are there, as names with values."""
        elf, records = cls.compile(options), cls.work / "records"
        with Spica("debug", "virgo", elf, *machine) as spica:
            text = gdb(spica.port, elf, f'set $source = "{SOURCE.name}"\nset $records = "{records}"\nsource {RECORDER}')
            assert spica.wait() == 0, text + spica.err
        found = collections.defaultdict(list)
        for record in records.read_text().splitlines():
            function, line, variables = json.loads(record)
            if function == "lambda":  # what it captures is also a variable for gcc
                variables = {name: value for name, value in variables.items() if name not in ("sum", "calls")}
            found[function, line, variables["id"]].append(variables)
        return found

    def check(self, options):
        found = self.record(options)
        compared, wrong = 0, []
        for place, all_variables in found.items():
            for variables in all_variables:
                if place not in self.expected:  # where gcc has no line; the recorder has read them
                    self.assertGreater(len(variables), 0)
                    continue
                compared += len(variables)
                if not any(expected.items() <= variables.items() for expected in self.expected[place]):
                    wrong.append((place, variables, self.expected[place]))
        self.assertEqual(wrong, [])
        missing = {place for place in self.expected if LINES[place[1] - 1].strip() not in ("}", "};")} - set(found)
        self.assertEqual(missing, set())
        self.assertGreater(compared, 5000)

    def test_every_variable_is_at_every_line_what_the_source_makes_it(self):
        self.check(["-Og"])

    def test_so_it_is_where_functions_become_a_part_of_their_caller(self):  # long
        self.check(["-Og", "-DWITH_BARRIER"])

    def debug(self, commands):
        """What gdb prints for commands on the program built with -Og."""
        elf = self.compile(["-Og"])
        with Spica("debug", "virgo", elf) as spica:
            return gdb(spica.port, elf, commands)

    def test_a_breakpoint_asks_variables_of_all_lanes(self):
        text = self.debug(f"tbreak {SOURCE.name}:{line_of('sum += inner')} if id == 5 && square == 9\ncontinue\nprint inner\nprint sum\n"
                          "print point\nprint other.w[1]\nprint array\nprint is_late\nprint numbers.of[2]\nkill")
        self.assertRegex(text, r"\$1 = 14\n\$2 = 10\n\$3 = \{x = 5, y = 3, w = \{1.5, 2.5\}\}\n\$4 = 2.5\n\$5 = \{1, 2, 3, 5\}\n"
                               r"\$6 = false\n\$7 = 6\n")

    def test_lanes_and_any_lane_read_them(self):
        text = self.debug(f"source {ROOT}/platform/observe/debug/spica.gdb\ntbreak {SOURCE.name}:{line_of('const unsigned most')}\ncontinue\n"
                          'print/t $any_lane("sum > 20")\nlane 3\nprint pair.sum\nlane 6\nprint pair.sum\nkill')
        sums = [sum(i * i + task if i * i % 2 == task % 2 else (1, 2, 3, task)[i % 4] for i in range(5)) for task in range(8)]
        lanes = sum((total > 20) << task for task, total in enumerate(sums))
        self.assertIn(f"$1 = {lanes:b}\n", text)
        self.assertEqual(re.findall(r"^\$[23] = (\d+)$", text, re.M), [str(1000000007 * 3 + 3), str(1000000007 * 6 + 3)])

    def test_a_variable_that_is_written_may_have_its_old_value_in_a_register(self):
        for level, notes in (("-Og", 1), ("-O1", 0)):
            elf = self.compile([level])
            with Spica("debug", "virgo", elf) as spica:
                text = gdb(spica.port, elf, f"tbreak task\ncontinue\nset var *(int*)($sp + 4) = *(int*)($sp + 4)\nstepi\nset var out[0] = 0\nstepi\nkill")
            self.assertEqual(text.count("note: a variable on a stack was written"), notes, text)

    def test_the_page_shows_what_happens(self):
        page = (ROOT / "docs/howto/plain-cpp-kernels.md").read_text()
        source = self.work / "collatz.cpp"
        source.write_text(re.search(r"<!-- file: collatz.cpp -->\n```cpp\n(.*?)```", page, re.S)[1])
        session = re.search(r"```\n(\(gdb\) tbreak collatz.*?)```", page, re.S)[1]
        elf = self.work / "collatz.elf"
        subprocess.run([BINARY, "cc", source, "-Og", "-o", elf], check=True)
        with Spica("debug", "virgo", elf) as spica:
            text = gdb(spica.port, elf, "\n".join(re.findall(r"^\(gdb\) (.*)", session, re.M)) + "\nkill")
        self.assertIn("\n" + session.splitlines()[-1] + "\n", text)
