# SPDX-License-Identifier: Apache-2.0
"""A library that a configuration names is code: nothing loads it that was not allowed."""
import json
import os
import pathlib
import pty
import shutil
import subprocess
import unittest

from spica_runner import BINARY, elf, folder

LIBRARY = pathlib.Path(os.environ["SPICA_PLUGINS"]) / "libslots_marks.so"
SWEEP = """name: marked
title: a machine with a block of its own
job: run
config: machine.yaml
elf: {elf}
axes: {{cluster.cores: [1, 2]}}
slurm: {{partition: "a b", options: ["--mem=1G"]}}
"""


class Consent(unittest.TestCase):
    def setUp(self):
        here = folder()
        self.addCleanup(here.cleanup)
        self.at = pathlib.Path(here.name)
        (self.at / "machine.yaml").write_text(
            f"extends: virgo\nplugins: [./libmarks.so]\nslots:\n"
            "  - {name: mine, kind: marks, params: {speed: 3}, registers: {base: 0xFF040000, bytes: 256}}\n")
        self.plain = self.at / "plain.yaml"
        self.plain.write_text((self.at / "machine.yaml").read_text().replace(" params: {speed: 3},", ""))
        (self.at / "sweep.yaml").write_text(SWEEP.format(elf=elf("hello")).replace("machine.yaml", "plain.yaml"))
        shutil.copy(LIBRARY, self.at / "libmarks.so")
        self.mark = self.at / "mark"
        self.environment = {**os.environ, "PLUGIN_MARK": str(self.mark), "HOME": str(self.at), "XDG_STATE_HOME": str(self.at / "state")}
        self.environment.pop("SPICA_ALLOW_PLUGINS", None)

    def run_at(self, *words, code=0, **more):
        result = subprocess.run([BINARY, *map(str, words)], cwd=self.at, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                env={**self.environment, **more}, timeout=280)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def answer(self, text, *words):
        """The exit code and the output of a command at a terminal where the user types `text`."""
        master, slave = pty.openpty()
        process = subprocess.Popen([BINARY, *map(str, words)], cwd=self.at, stdin=slave, stderr=slave, stdout=subprocess.PIPE,
                                   env=self.environment)
        os.write(master, text.encode())
        out = process.communicate(timeout=280)[0].decode()
        os.close(slave)
        os.set_blocking(master, False)
        try:
            out += os.read(master, 1 << 16).decode()
        except OSError:
            pass
        os.close(master)
        return process.returncode, out

    def test_a_run_without_a_terminal_is_refused_with_the_ways_to_allow_it(self):
        for words in (["run", "plain.yaml", elf("hello")], ["gemm", "--config", "plain.yaml", "--size", "64x64x64"], ["area", "plain.yaml"],
                      ["config", "plain.yaml", "--blocks"], ["config", "plain.yaml", "--machine"],
                      ["sweep", "run", "sweep.yaml"]):
            with self.subTest(words[:2]):
                text = self.run_at(*words, code=2)
                self.assertIn("plain.yaml:2: plugins[0]: './libmarks.so' is a library whose code would run with your rights", text)
                self.assertIn("--allow-plugins, or SPICA_ALLOW_PLUGINS=1", text)
                self.assertNotIn("unknown kind of block", text)
        point = json.loads(self.run_at("sweep", "eval", "sweep.yaml", "--point", '{"cluster.cores": 1}'))
        self.assertEqual(point["status"], "refused")
        self.assertIn("its content was not allowed", point["reason"])
        self.assertFalse(self.mark.exists())

    def test_the_option_and_the_environment_allow_it(self):
        self.run_at("run", "plain.yaml", elf("hello"), "--allow-plugins")
        self.run_at("run", "plain.yaml", elf("hello"), SPICA_ALLOW_PLUGINS="1")
        self.assertEqual(self.mark.read_text(), "loaded\n" * 2)
        self.run_at("run", "plain.yaml", elf("hello"), SPICA_ALLOW_PLUGINS="0", code=2)
        self.assertIn('SPICA_ALLOW_PLUGINS is "yes"; allowed: 1, 0, SHA-256 sums', self.run_at(
            "run", "plain.yaml", elf("hello"), SPICA_ALLOW_PLUGINS="yes", code=2))

    def test_checking_a_file_runs_nothing_and_says_what_it_could_not_check(self):
        left = "was not loaded, because its content was not allowed (--allow-plugins); unchecked: slots[0].kind, slots[0].params"
        self.assertIn("machine.yaml:2: plugins[0] './libmarks.so' " + left, self.run_at("config", "machine.yaml"))
        self.assertIn(left, self.run_at("config", "machine.yaml", "--dump"))
        self.assertIn("unchecked: slots[0].kind", self.run_at("sweep", "plan", "sweep.yaml"))
        self.assertFalse(self.mark.exists())
        self.assertIn("slots[0].params.speed: unknown key", self.run_at("config", "machine.yaml", "--allow-plugins", code=2))

    def test_other_errors_are_found_without_the_library(self):
        file = self.at / "machine.yaml"
        file.write_text(file.read_text() + "  - {name: it, between: [core_0.gmem]}\n")
        text = self.run_at("config", "machine.yaml", code=2)
        self.assertIn("slots[1].kind: is missing", text)
        self.assertIn("slots[1].between: must name the two ends of a link", text)
        self.assertFalse(self.mark.exists())

    def test_a_terminal_is_asked_once_per_content(self):
        command = ["run", "plain.yaml", elf("hello")]
        code, text = self.answer("n\n", *command)
        self.assertEqual(code, 2, text)
        self.assertIn("plain.yaml:2: plugins[0] names a library of blocks, ./libmarks.so", text)
        self.assertFalse(self.mark.exists())
        code, text = self.answer("y\n", *command)
        self.assertEqual(code, 0, text)
        self.run_at(*command)
        self.assertEqual(self.mark.read_text(), "loaded\n" * 2)
        with open(self.at / "libmarks.so", "ab") as library:
            library.write(b"\0")
        self.run_at(*command, code=2)

    def test_a_list_of_consent_that_others_can_write_allows_nothing(self):
        command = ["run", "plain.yaml", elf("hello")]
        self.assertEqual(self.answer("y\n", *command)[0], 0)
        (self.at / "state/spica/allowed-plugins").chmod(0o666)
        self.run_at(*command, code=2)

    def test_the_workers_of_a_sweep_have_the_consent_of_the_command(self):
        self.assertIn("2 ok", self.run_at("sweep", "run", "sweep.yaml", "--allow-plugins"))
        shutil.rmtree(self.at / "out")
        code, text = self.answer("y\n", "sweep", "run", "sweep.yaml")
        self.assertEqual(code, 0, text)
        self.assertIn("2 ok", text)
        self.run_at("sweep", "run", "sweep.yaml", "--dir", "tasks", "--slurm", "--no-submit", "--tasks", "1")
        script = (self.at / "tasks/slurm/array-1.sh").read_text()
        self.assertRegex(script, r"export SPICA_ALLOW_PLUGINS=[0-9a-f]{64}\n")
        self.assertIn("#SBATCH --partition='a b'\n", script)

    def test_the_library_is_found_where_the_system_looks_for_libraries(self):
        self.plain.write_text(self.plain.read_text().replace("./libmarks.so", "libmarks.so"))
        (self.at / "lib").mkdir()
        (self.at / "libmarks.so").rename(self.at / "lib/libmarks.so")
        more = {"LD_LIBRARY_PATH": str(self.at / "lib")}
        self.assertIn("'libmarks.so' is a library whose code", self.run_at("area", "plain.yaml", code=2, **more))
        self.run_at("area", "plain.yaml", "--allow-plugins", **more)
        self.assertEqual(self.mark.read_text(), "loaded\n")


class Scripts(unittest.TestCase):
    """What a file says does not become a line of a script."""

    def test_line_ends_in_what_slurm_is_told_are_refused(self):
        with folder() as at:
            sweep = pathlib.Path(at) / "s.yaml"
            for key, value in (("partition", r'"p\ntouch X #"'), ("time", r'"1h\ntouch X #"'), ("options", r'["--mem=1G\ntouch X"]'),
                               ("options", r'["a", "b\rc"]')):
                with self.subTest(key):
                    sweep.write_text(f"name: s\ntitle: t\naxes: {{design: [virgo-dma]}}\nfixed: {{size: 16x16x16}}\nslurm: {{{key}: {value}}}\n")
                    result = subprocess.run([BINARY, "sweep", "run", sweep, "--slurm", "--no-submit", "--dir", f"{at}/d"], capture_output=True,
                                            text=True, cwd=at)
                    self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                    self.assertIn(f"s.yaml:5: slurm.{key}", result.stderr)
                    self.assertIn("has a line end or another character that cannot be printed", result.stderr)
                    self.assertFalse(os.path.exists(f"{at}/d/slurm"))

    def test_a_name_or_a_folder_with_a_line_end_is_refused_and_others_are_quoted(self):
        text = "name: {}\ntitle: t\naxes: {{design: [virgo-dma]}}\nfixed: {{size: 16x16x16, mode: fast}}\n"
        with folder() as at:
            sweep = pathlib.Path(at) / "s.yaml"
            command = [BINARY, "sweep", "run", sweep, "--slurm", "--no-submit", "--tasks", "1", "--dir"]
            sweep.write_text(text.format(r'"a\ntouch X"'))
            result = subprocess.run([*command, "d"], capture_output=True, text=True, cwd=at)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn("s.yaml:1: name: ", result.stderr)
            sweep.write_text(text.format('"it\'s $(touch X)"'))
            result = subprocess.run([*command, "d\ntouch X #"], capture_output=True, text=True, cwd=at)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn("a line end or another control character", result.stderr)
            subprocess.run([*command, "o'n %j $(touch X)"], check=True, capture_output=True, cwd=at)
            script = pathlib.Path(at) / "o'n %j $(touch X)/slurm/array-1.sh"
            self.assertIn("#SBATCH --job-name='it'\\''s $(touch X)'\n", script.read_text())
            self.assertIn("o'\\''n %%j $(touch X)/slurm/%A_%a.log'\n", script.read_text())
            subprocess.run(["sh", "-n", script], check=True)


if __name__ == "__main__":
    unittest.main()
