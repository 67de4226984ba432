#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives ./spica in a copied tree whose PATH holds stand-ins for apt-get, dpkg-query, cmake, ninja."""
import os
import pty
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "spica"
TABLE = SCRIPT.parent / "platform/systems/packages.txt"
REAL = "awk cat date dirname env find flock grep head id mkdir mv nproc readlink rm sed sh sleep sort tail touch tr uname".split()
RECORD = 'echo "$(basename "$0") $*" >>"$FAKE/calls"\n'
FAKES = {
    "dpkg-query": """shift 2; format=$1; shift; code=0
for p; do
  if grep -qx "$p" "$FAKE/absent"; then echo "no packages found matching $p" >&2; code=1
  else case $format in *Version*) printf 'installed 1.0-1';; *) echo "installed $p";; esac; fi
done
exit $code
""",
    # Without words: the lists of packages that were fetched. Of packages: the version that can be installed.
    "apt-cache": """shift
[ $# = 0 ] && { echo "  release a=now"; [ -f "$FAKE/no_lists" ] || echo "  release a=stable"; exit; }
for p; do
  [ "$p" = unknown ] || grep -qx "$p" "$FAKE/unavailable" || printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0-1\\n' "$p"
done
""",
    "apt-get": RECORD + '[ ! -f "$FAKE/apt_fails" ] || { echo "E: no network"; exit 100; }\n'
    '[ "$1" != install ] || : >"$FAKE/absent"\n',
    "cmake": RECORD + """while [ "$1" != -B ]; do [ "$1" = -S ] && root=$2; shift; done
[ ! -f "$FAKE/cmake_fails" ] || { echo "CMake Error: no SystemC"; exit 1; }
: >"$2/build.ninja"; tests=OFF plugin=OFF
for word; do [ "$word" = -DSPICA_TESTS=ON ] && tests=ON; [ "$word" = -DSPICA_LANES=ON ] && plugin=ON; done
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\\nSPICA_TESTS:BOOL=%s\\n' "$root" $tests >"$2/CMakeCache.txt"
printf 'SPICA_LANES:BOOL=%s\\nSPICA_LANES_PLUGIN:INTERNAL=%s\\n' $plugin $plugin >>"$2/CMakeCache.txt"
""",
    "ninja": RECORD + """echo "[1/1] Building"
[ ! -f "$FAKE/ninja_fails" ] || { echo "FAILED: dma.o"; echo "dma.cpp:3: error: wrong"; exit 1; }
mkdir -p "$2/platform/cli"; printf '#!/bin/sh\\necho "program $SPICA_ROOT $*"\\nexit 7\\n' >"$2/platform/cli/spica"
chmod +x "$2/platform/cli/spica"
""",
    "ctest": RECORD + 'echo "100% tests passed"; [ ! -f "$FAKE/ctest_fails" ]\n',
    "sudo": RECORD + 'exec "$@"\n',
}


class StartScript(unittest.TestCase):
    def setUp(self):
        # A space in the path, because users have them.
        self.folder = Path(tempfile.mkdtemp(prefix="spica start "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.fake, self.root = self.folder / "fake", self.folder / "tree"
        (self.fake / "bin").mkdir(parents=True)
        for name in REAL + ["basename", "chmod"]:
            (self.fake / "bin" / name).symlink_to(shutil.which(name))
        for name, text in FAKES.items():
            self.tool(name, text)
        self.tool("id", "echo 0\n")
        for name in ("absent", "unavailable"):
            (self.fake / name).write_text("")
        self.system("debian", "12", "Debian GNU/Linux 12 (bookworm)")
        for name in ("models", "platform", "sw"):
            (self.root / name).mkdir(parents=True)
        (self.root / "CMakeLists.txt").write_text("")
        shutil.copy(SCRIPT, self.root / "spica")
        (self.root / "platform/systems").mkdir()
        shutil.copy(TABLE, self.root / "platform/systems")
        self.make_old()

    def make_old(self):
        """What was copied is older than anything that is built."""
        for path in self.root.rglob("*"):
            os.utime(path, (1, 1))

    def system(self, name, version, text):
        (self.fake / "os-release").write_text(f'NAME="x"\nPRETTY_NAME="{text}"\nID={name}\nVERSION_ID="{version}"\n')

    def tool(self, name, text):
        path = self.fake / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def environment(self, **more):
        return {"PATH": str(self.fake / "bin"), "FAKE": str(self.fake),
                "SPICA_OS_RELEASE": str(self.fake / "os-release"), **more}

    def spica(self, *words, script=None, cwd="/", **more):
        return subprocess.run([script or self.root / "spica", *words], env=self.environment(**more),
                              cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def calls(self):
        """Names and words of the stand-ins called since the last time."""
        path = self.fake / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def called(self):
        return [line.split()[0] for line in self.calls()]

    def absent(self, *packages):
        (self.fake / "absent").write_text("".join(p + "\n" for p in packages))

    def test_help_does_not_build(self):
        for words in ([], ["--help"]):
            done = self.spica(*words)
            self.assertEqual((done.returncode, self.calls()), (0, []))
            self.assertIn("./spica doctor", done.stdout)
        self.spica("gemm")
        self.assertEqual(self.spica().stdout, f"program {self.root} --help\n")

    def test_first_use_builds_and_later_use_does_not(self):
        done = self.spica("gemm", "--size", "a b")
        self.assertEqual((done.returncode, done.stdout), (7, f"program {self.root} gemm --size a b\n"))
        configure, build = self.calls()
        self.assertIn("-G Ninja -DCMAKE_BUILD_TYPE=Release -DSPICA_TESTS=OFF", configure)
        self.assertTrue(build.endswith("platform/all sw/all"), build)
        self.assertEqual(self.spica("gemm").returncode, 7)
        self.assertEqual(self.calls(), [])

    def test_build_builds_and_nothing_else(self):
        done = self.spica("build")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertTrue(done.stderr.endswith("spica: built\n"), done.stderr)
        self.assertEqual(self.called(), ["cmake", "ninja"])
        done = self.spica("build")
        self.assertEqual((done.returncode, done.stderr, self.called()), (0, "spica: built\n", []))
        self.assertEqual(self.spica("build", "all").returncode, 2)

    def test_a_changed_added_or_removed_source_is_rebuilt(self):
        self.spica("gemm")
        self.calls()
        source = self.root / "models/new.cpp"
        for change in (lambda: source.write_text("1"), lambda: source.write_text("2"), source.unlink):
            change()
            self.spica("gemm")
            self.assertEqual(self.called(), ["ninja"])
            self.spica("gemm")
            self.assertEqual(self.called(), [])

    def test_the_plugin_of_the_compiler_is_built_when_a_command_needs_it_first(self):
        self.spica("gemm")
        configure = self.calls()[0]
        self.assertIn("-DSPICA_LANES=OFF", configure)
        for words in (["gemm"], ["cc", "--help"], ["cc", "--compiler", "gcc", "a.cpp"]):
            self.spica(*words)
            self.assertEqual(self.calls(), [])
        self.absent("llvm-19-dev")
        done = self.spica("cc", "a.cpp")
        self.assertEqual((done.returncode, self.calls()), (2, []))
        self.assertIn("these packages are missing: llvm-19-dev", done.stderr)
        self.spica("--yes", "cc", "a.cpp")
        calls = self.calls()
        self.assertEqual([call.split()[0] for call in calls], ["apt-get", "apt-get", "cmake", "ninja"])
        self.assertIn("-DSPICA_LANES=ON", calls[2])
        self.spica("cc", "a.cpp")
        self.assertEqual(self.calls(), [])

    @unittest.skipUnless(Path("/usr/lib/python3/dist-packages/numpy").exists(), "no python3-numpy")
    def test_a_build_without_the_python_package_is_configured_again_when_its_packages_are_there(self):
        for chosen, calls in (("OFF", []), ("AUTO", ["cmake", "ninja"])):
            with self.subTest(chosen):
                self.spica("gemm")
                self.calls()
                with (self.root / "build/CMakeCache.txt").open("a") as cache:
                    cache.write(f"SPICA_PYTHON:STRING={chosen}\nSPICA_PYTHON_PACKAGE:INTERNAL=OFF\n")
                self.spica("gemm")
                self.assertEqual(self.called(), calls)

    def test_a_moved_checkout_is_configured_again(self):
        self.spica("gemm")
        self.calls()
        self.root = self.root.rename(self.folder / "moved")
        (self.root / "models/new.cpp").write_text("1")
        self.assertIn(str(self.root), self.spica("gemm").stdout)
        self.assertEqual(self.called(), ["cmake", "ninja"])

    def test_symbolic_links_lead_to_the_tree(self):
        link = self.folder / "link"
        link.symlink_to(self.root / "spica")
        self.assertEqual(self.spica("run", script=link).stdout, f"program {self.root} run\n")

    def test_each_system_has_its_own_names(self):
        for name, version, boost in (("debian", "12", "libboost1.81-dev"), ("debian", "13", "libboost-dev"), ("ubuntu", "24.04", "libboost-dev")):
            with self.subTest(name, version=version):
                self.system(name, version, f"{name} {version}")
                self.absent("libboost1.81-dev", "libboost-dev")
                done = self.spica("gemm")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"spica: {name} {version}: these packages are missing: {boost}\n", done.stderr)

    def test_on_an_unknown_system_it_says_what_must_be_there_and_goes_on(self):
        self.system("fedora", "41", "Fedora Linux 41")
        self.tool("ccache", "")
        table = self.root / "platform/systems/packages.txt"
        table.write_text(table.read_text().replace("inc:systemc ", "inc:systemd-of-nobody|other "))
        (self.folder / "own/include").mkdir(parents=True)
        for prefix, state in (("", "missing"), (f"/nowhere:{self.folder}/own", "found  ")):
            shutil.rmtree(self.root / "build", ignore_errors=True)
            done = self.spica("gemm", CMAKE_PREFIX_PATH=prefix)
            self.assertEqual(done.returncode, 7)
            self.assertIn("this is Fedora Linux 41; names of packages are known for debian-12, debian-13, ubuntu-24.04", done.stderr)
            self.assertIn(f"{state}  SystemC 2.3.4 to 3.0.1 with TLM-2.0 (header systemd-of-nobody or other)\n", done.stderr)
            self.assertIn("found    faster repeated builds (command ccache)\n", done.stderr)
            self.assertIn("missing  a C++17 compiler, g++ 12 to 14 or clang 19 (command g++ or clang++-19)\n", done.stderr)
            self.assertIn("going on with what CMake finds", done.stderr)
            self.assertEqual(self.called(), ["cmake", "ninja"])
            (self.folder / "own/include/other").write_text("")
        doctor = self.spica("doctor")
        self.assertEqual(doctor.returncode, 1)
        self.assertTrue(doctor.stdout.startswith("This is Fedora Linux 41.\n"), doctor.stdout)
        self.assertIn("missing  SystemC", doctor.stdout)

    def test_what_no_source_of_packages_has_is_named_before_anything_is_installed(self):
        self.absent("llvm-19-dev", "valgrind", "catch2")
        (self.fake / "unavailable").write_text("llvm-19-dev\ncatch2\n")
        done = self.spica("--yes", "test")
        self.assertEqual((done.returncode, self.calls()), (3, ["apt-get update"]))
        self.assertIn("no source of packages has llvm-19-dev catch2 (a part of Debian GNU/Linux 12 (bookworm) may be switched off", done.stderr)

    def test_missing_packages_are_not_installed_without_asking(self):
        self.absent("cmake", "libelf-dev")
        done = self.spica("gemm")
        self.assertEqual((done.returncode, self.calls()), (2, []))
        self.assertIn("Run: apt-get install --no-install-recommends cmake libelf-dev ", done.stderr)

    def test_yes_installs_and_goes_on(self):
        for words, more in ((["--yes"], {}), ([], {"SPICA_YES": "1"}), ([], {"CI": "true"})):
            shutil.rmtree(self.root / "build", ignore_errors=True)
            self.absent("ninja-build")
            self.assertEqual(self.spica(*words, "gemm", **more).returncode, 7)
            calls = self.calls()
            self.assertEqual(calls[:2], [
                "apt-get update",
                "apt-get install -y --no-install-recommends --no-remove ninja-build"])
            self.assertEqual(len(calls), 4)

    def test_packages_of_a_use_are_installed_and_nothing_is_built(self):
        install = "apt-get install -y --no-install-recommends --no-remove "
        for words, packages in ((["check"], "clang-tidy-19 shellcheck"), ([], "ninja-build")):
            self.absent("ninja-build", "clang-tidy-19", "shellcheck")
            self.assertEqual(self.spica("--yes", "packages", *words).returncode, 0)
            self.assertEqual(self.calls(), ["apt-get update", install + packages])
        wrong = self.spica("--yes", "packages", "checks")
        self.assertEqual((wrong.returncode, self.calls()), (2, []))
        self.assertIn("not 'checks'", wrong.stderr)

    def test_docs_builds_the_site_without_building_the_program(self):
        self.tool("python3", RECORD + '[ ! -f "$FAKE/page_is_wrong" ] || { echo "a.md has no place"; exit 1; }\n')
        build = f"python3 -B {self.root}/platform/site/build.py {self.root}/build"
        serve = f"python3 -m http.server --bind 127.0.0.1 --directory {self.root}/build/site "
        self.absent("mkdocs")
        self.assertEqual((self.spica("docs").returncode, self.calls()), (2, []))
        self.assertEqual((self.spica("--yes", "docs").returncode, self.called()), (0, ["apt-get", "apt-get", "python3"]))
        for words, calls in (([], [build]), (["--serve"], [build, serve + "8000"]), (["--serve", "81"], [build, serve + "81"])):
            done = self.spica("docs", *words)
            self.assertEqual((done.returncode, self.calls()), (0, calls))
            self.assertIn(f"the site is {self.root}/build/site/index.html", done.stderr)
        for words in (["--serves"], ["--serve", "all"], ["--serve", "1", "2"], ["all"]):
            self.assertEqual((self.spica("docs", *words).returncode, self.calls()), (2, []))
        (self.fake / "page_is_wrong").write_text("")
        done = self.spica("docs")
        self.assertEqual(done.returncode, 3)
        self.assertIn("a.md has no place", done.stderr)

    def test_the_question_is_answered_on_a_terminal(self):
        for answer, code, called in (("n", 2, []), ("", 2, []),
                                     ("y", 7, ["apt-get", "apt-get", "cmake", "ninja"])):
            self.absent("ninja-build")
            try:
                master, slave = pty.openpty()
            except OSError as error:
                self.skipTest(f"no pseudo-terminal here: {error}")
            with subprocess.Popen([self.root / "spica", "gemm"], env=self.environment(), stdin=slave,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                os.write(master, (answer + "\n").encode())
                _, errors = process.communicate(timeout=60)
            os.close(master)
            os.close(slave)
            self.assertIn("install them now? [y/N]", errors)
            self.assertEqual((process.returncode, self.called()), (code, called))

    def errors_on_terminal(self, **environment):
        """What the first use of the script writes to a terminal."""
        master, slave = pty.openpty()
        with subprocess.Popen([self.root / "spica", "--yes", "gemm"], env=self.environment(**environment),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave) as process:
            os.close(slave)
            shown = b""
            while True:
                try:
                    piece = os.read(master, 4096)
                except OSError:
                    break
                if not piece:
                    break
                shown += piece
        os.close(master)
        self.assertEqual(process.returncode, 7)
        return shown.decode()

    def test_long_steps_show_progress_on_a_terminal_and_erase_it(self):
        self.absent("cmake")
        self.tool("apt-get", """[ "$1" = install ] || exit 0
echo "0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded."
echo "Get:1 http://deb.debian.org cmake"; sleep 2.2; echo "Unpacking cmake (3.25) ..."
echo "Setting up cmake (3.25) ..."; echo "Setting up cmake-data (3.25) ..."; : >"$FAKE/absent"
""")
        self.tool("ninja", 'sleep 2.2; echo "[3/7] Building CXX object x"\n' + FAKES["ninja"])
        shown = self.errors_on_terminal()
        for text in ("unpacked 1 of 2", "set up 2 of 2", "building [3/7]"):
            self.assertIn(f"\r  {text}\x1b[K", shown)
        self.assertNotIn("downloaded", shown)  # in the first two seconds
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)

    def test_no_progress_where_a_machine_builds(self):
        self.tool("ninja", 'sleep 2.2; echo "[3/7] Building CXX object x"\n' + FAKES["ninja"])
        self.assertNotIn("[3/7]", self.errors_on_terminal(CI="true"))

    def test_other_users_need_sudo_or_an_administrator(self):
        self.tool("id", "echo 1000\n")
        self.absent("catch2")
        self.assertEqual(self.spica("--yes", "test").returncode, 0)
        self.assertEqual([c for c in self.calls() if c.startswith("sudo")], [
            "sudo apt-get update",
            "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "
            "--no-remove catch2"])
        (self.fake / "bin/sudo").unlink()
        self.absent("catch2")
        done = self.spica("--yes", "test")
        self.assertEqual((done.returncode, self.calls()), (3, []))
        self.assertIn("Ask an administrator to run: apt-get install --no-install-recommends catch2",
                      done.stderr)

    def test_only_tests_need_the_test_packages(self):
        self.absent("catch2", "qemu-user")
        self.assertEqual(self.spica("gemm").returncode, 7)
        self.assertEqual(self.spica("test").returncode, 2)
        self.assertEqual(self.spica("test", SPICA_PACKAGES="skip").returncode, 0)

    def test_failing_steps_say_what_failed_and_how(self):
        self.absent("cmake")
        for name, step, end in (("apt", "apt-get update", "E: no network"),
                                ("cmake", "cmake configure", "CMake Error: no SystemC"),
                                ("ninja", "build", "FAILED: dma.o\ndma.cpp:3: error: wrong")):
            marker = self.fake / f"{name}_fails"
            marker.touch()
            done = self.spica("--yes", "gemm")
            marker.unlink()
            self.assertEqual(done.returncode, 3)
            self.assertIn(end, done.stderr)
            self.assertIn(f"this step failed: {step} (full output: {self.root}/build/bootstrap.log)",
                          done.stderr)
        self.assertEqual(self.spica("gemm").returncode, 7)

    def test_tests_are_switched_on_in_the_same_build(self):
        self.spica("gemm")
        self.calls()
        done = self.spica("test", "-L", "unit")
        self.assertEqual((done.returncode, done.stdout), (0, "100% tests passed\n"))
        configure, build, run = self.calls()
        self.assertIn("-DSPICA_TESTS=ON", configure)
        self.assertTrue(build.endswith(" all"), build)
        self.assertTrue(run.endswith(" -L unit"), run)
        self.spica("test")
        self.assertEqual(self.called(), ["ninja", "ctest"])
        (self.fake / "ctest_fails").touch()
        self.assertEqual(self.spica("test").returncode, 1)

    def test_doctor(self):
        done = self.spica("doctor")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"ok +libsystemc-dev +1\.0-1\n")
        self.assertIn("Everything needed is there.", done.stdout)
        self.absent("catch2", "chromium", "valgrind")
        (self.fake / "unavailable").write_text("valgrind\n")
        done = self.spica("doctor")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"not installed +catch2 +apt-get install --no-install-recommends catch2\n")
        self.assertRegex(done.stdout, r"not available +valgrind +counting host instructions \(spica bench\)\n")
        self.assertTrue(done.stdout.endswith(
            "To install what is missing: apt-get install --no-install-recommends catch2 valgrind\n"))
        (self.fake / "no_lists").touch()  # nobody knows what there is
        self.assertRegex(self.spica("doctor").stdout, r"not installed +valgrind ")
        self.assertEqual(self.calls(), [])

    def test_two_first_uses_at_once_build_once(self):
        runs = [subprocess.Popen([self.root / "spica", "gemm"], env=self.environment(),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(4)]
        self.assertEqual([run.wait(60) for run in runs], [7] * 4)
        self.assertEqual(sorted(self.called()), ["cmake", "ninja"])


if __name__ == "__main__":
    unittest.main()
