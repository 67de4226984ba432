# SPDX-License-Identifier: Apache-2.0
"""Runs a program of the build under gdb with a script, as a user would type it."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

BINARY = os.environ["SPICA_BINARY"]
ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
KERNELS = pathlib.Path(os.environ["SPICA_KERNELS"])
GDB = shutil.which("gdb-multiarch")
FAST = os.environ.get("SPICA_MODE") == "fast"  # all programs run in the fast mode
needs_gdb = unittest.skipIf(GDB is None, "gdb-multiarch is not installed")


def elf(name):
    return KERNELS / f"{name}.elf"


class Spica:
    """A started `spica`; ends with the `with` block at the latest."""

    def __init__(self, *arguments, root=ROOT):
        mode = ["--mode", "fast"] if FAST else []
        self.process = subprocess.Popen([BINARY, *map(str, arguments), *mode], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "SPICA_ROOT": str(root)})
        self.err = ""
        self.port = None
        while self.port is None:
            line = self.process.stderr.readline()
            if not line:
                raise RuntimeError(f"spica ended before it listened: {self.err}")
            self.err += line
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
        self.out = ""
        self.readers = [threading.Thread(target=self._read, args=(name,)) for name in ("out", "err")]
        for reader in self.readers:
            reader.start()

    def _read(self, name):
        stream = getattr(self.process, "std" + name)
        for line in stream:
            setattr(self, name, getattr(self, name) + line)

    def host_seconds(self):
        """Processor time it has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def runs(self, seconds=0.2, timeout=60):
        """Returns when the program has run for that much processor time from now on, which a busy host gives late."""
        start, end = self.host_seconds(), time.monotonic() + timeout
        while self.host_seconds() < start + seconds:
            if time.monotonic() > end:
                raise TimeoutError("the program stands")
            time.sleep(0.02)

    def wait(self, timeout=120):
        """Exit code."""
        code = self.process.wait(timeout)
        for reader in self.readers:
            reader.join()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def gdb(port, program, script, timeout=200, folder=ROOT, settings=""):
    """What gdb says to the script, one command per line, after it has connected; `settings` come before."""
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
        file.write(f"set confirm off\nset width 0\n{settings}\ntarget remote 127.0.0.1:{port}\n{script}\n")
        file.flush()
        done = subprocess.run([GDB, "-nx", "-batch", "-x", file.name, str(program)], cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout)
    return done.stdout


class DebugTest(unittest.TestCase):
    """Tests that run one program under gdb and look at what both say."""
    maxDiff = None

    def debug(self, name, script, *options, config="virgo", expect=None):
        """Runs kernel `name` with `spica debug`; returns what gdb printed. `self.spica` has the rest."""
        with Spica("debug", config, elf(name), *options) as spica:
            text = gdb(spica.port, elf(name), script)
            self.code = spica.wait()
            self.spica = spica
        if expect is not None:
            self.assertEqual(self.code, expect, text + spica.out + spica.err)
        return text

    def assert_order(self, text, *parts):
        """The parts occur in the text in this order."""
        at = 0
        for part in parts:
            found = re.compile(part, re.S).search(text, at)
            self.assertIsNotNone(found, f"{part!r} does not follow in\n{text[at:]}\n--- all:\n{text}")
            at = found.end()
