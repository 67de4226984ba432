# SPDX-License-Identifier: Apache-2.0
"""The installed package from outside: what it defines, what it refuses, and where it can be."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

PREFIX = pathlib.Path(os.environ["SPICA_PREFIX"])
BUILD = pathlib.Path(os.environ["SPICA_BUILD"])
ROOT = pathlib.Path(os.environ["SPICA_ROOT"])
PYTHON = os.environ["SPICA_PYTHON"]  # "": no numpy

PROGRAM = """
#include <spica/spica.h>
#include <cstdio>
int main() {
  try {
    spica::Machine machine("virgo");
    machine.load("vecadd");
    const bool good = machine.run().good();
    std::printf("ended well: %d\\n%s", good, machine.output().c_str());
  } catch (const spica::Error& error) {
    std::printf("%s\\n", error.what());
  }
}
"""


CLIENT = """
#include <spica/run.h>
#include <cstdio>
int main() {
  const bool first = spica::run("vecadd").good(), second = spica::run("vecadd", {"virgo", {"run.mode=fast"}, {}, {}, {}}).good();
  std::printf("ended well: %d%d\\n", first, second);
}
"""
PYTHON_PROGRAM = "import spica; result = spica.run('vecadd'); print(result.end, result.exit_code)"


def environment(**more):
    """Without what the tests of the build tree set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPICA_")}
    return dict(kept, **more)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spica-install-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def shell(self, command, code=0, **more):
        done = subprocess.run(command, cwd=self.folder, env=environment(**more), text=True, shell=isinstance(command, str),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def project(self, lists, prefix=PREFIX, code=0, build=False, program=PROGRAM):
        """Configures, and builds, a project with these lines; returns what CMake prints."""
        (self.folder / "main.cpp").write_text(program)
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(foreign LANGUAGES C CXX)\n" + lists)
        text = self.shell(["cmake", "-S", ".", "-B", "b", "-G", os.environ["SPICA_GENERATOR"],
                           f"-DCMAKE_PREFIX_PATH={prefix}"], code)
        return text + (self.shell(["cmake", "--build", "b", "-v"]) if build else "")

    def test_another_version_is_refused(self):
        self.assertIn("version: 0.", self.project("find_package(spica 99 CONFIG REQUIRED)\n", code=1))

    def test_an_unknown_component_is_refused_with_the_known_ones(self):
        text = self.project("find_package(spica CONFIG REQUIRED COMPONENTS gpu)\n", code=1)
        self.assertRegex(re.sub(r"\s+", " ", text), "no component 'gpu', only: cluster;soc;session;watchdog;client;api;kernel;python")

    def test_users_get_no_flags_and_no_definitions_of_ours(self):
        text = self.project("find_package(spica CONFIG REQUIRED)\nadd_executable(foreign main.cpp)\n"
                            "target_link_libraries(foreign PRIVATE spica::api spica::cluster)\n", build=True)
        compile_line = next(line for line in text.splitlines() if " -c " in line)
        words = [word for word in compile_line.split() if word.startswith("-") and word[:2] not in ("-M", "-o", "-c")]
        known = ("-isystem", "-DFMT_SHARED", "-DSPICA_SHARE")  # fmt's own; where the shipped configurations are
        self.assertEqual([word for word in words if not word.startswith(known)], [])
        for file in (PREFIX / "lib").rglob("*.cmake"):
            self.assertNotRegex(file.read_text(), rf"-W[a-z]|SC_INCLUDE|(?<![\w.}}/])({re.escape(str(BUILD))}|{re.escape(str(ROOT))})/")

    def test_the_build_tree_is_a_package_too(self):
        self.project("find_package(spica CONFIG REQUIRED)\nadd_executable(foreign main.cpp)\n"
                     "target_link_libraries(foreign PRIVATE spica::api)\n"
                     f"spica_kernel(own SOURCES {ROOT}/sw/kernels/hello/main.cpp)\n", prefix=BUILD, build=True)
        self.assertIn("ended well: 1\ncycles: ", self.shell("b/foreign"))
        self.shell(["cmp", "b/own.elf", BUILD / "sw/hello.elf"])

    def test_a_new_project_of_a_kernel_builds_and_passes_and_its_test_finds_what_is_wrong(self):  # long
        for name, program in (("installed", PREFIX / "bin/spica"), ("built", BUILD / "platform/cli/spica")):
            with self.subTest(name):
                lines = self.shell([program, "new", f"some folder/{name}"]).splitlines()
                self.assertEqual(lines[0], f"some folder/{name} has a kernel, {name}.cpp, and a test. Next:")
                for line in lines[1:]:  # as printed
                    text = self.shell(line)
                    if "ctest" in line:
                        self.assertIn("100% tests passed, 0 tests failed out of 1", text)
                self.assertIn("1000 elements", text)
                folder = self.folder / "some folder" / name
                for file in ("launch", "tasks", "settings"):
                    json.loads((folder / f".vscode/{file}.json").read_text())
                commands = json.loads((folder / "build/compile_commands.json").read_text())
                self.assertEqual([command["file"] for command in commands], [str(folder / f"{name}.cpp")])
                for command in commands:
                    self.shell(command["arguments"], 0)
                kernel = folder / f"{name}.cpp"
                kernel.write_text(kernel.read_text().replace("factor * x", "factor + x"))
                self.shell(lines[2])
                self.assertRegex(self.shell(lines[3], code=8), r"\d+ of 1000 are wrong, the first y\[0\] = 1.5, not 0")

    def test_a_new_project_takes_a_new_folder_with_the_name_of_a_kernel(self):
        (self.folder / "full").mkdir()
        (self.folder / "full/file").write_text("mine")
        self.assertIn("full exists and is not empty: name a new folder, for example full/kernel", self.shell([PREFIX / "bin/spica", "new", "full"], 2))
        for name in "9lives", "a b", "-x/", "/":
            self.assertIn("the folder name becomes the name of the kernel; use letters, digits, _ and -, beginning with a letter, for example my_kernel",
                          self.shell([PREFIX / "bin/spica", "new", "--", name], 2))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["full"])

    def test_pkg_config_names_what_a_compiler_needs(self):
        (self.folder / "main.cpp").write_text(PROGRAM)
        path = {"PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig")}
        self.assertEqual(self.shell("pkg-config --modversion spica-cluster spica-soc spica-session spica-watchdog spica-api", **path),
                         5 * (self.shell([PREFIX / "bin/spica", "--version"]).split()[0] + "\n"))
        self.shell(f"{os.environ['CXX']} -std=c++17 -Wall -Wextra -Werror main.cpp $(pkg-config --cflags --libs spica-api) "
                   "-o main", **path)
        self.assertIn("ended well: 1", self.shell("./main"))

    @unittest.skipUnless(shutil.which("dpkg-deb"), "no Debian system")
    def test_the_debian_packages_work_where_they_are_unpacked(self):  # long
        self.shell(["cpack", "-G", "DEB", "-B", self.folder / "deb", "--config", BUILD / "CPackConfig.cmake"])
        names = {}
        for file in (self.folder / "deb").glob("*.deb"):
            names[self.shell(["dpkg-deb", "-f", file, "Package"]).strip()] = self.shell(["dpkg-deb", "-f", file, "Depends"])
            self.shell(["dpkg-deb", "-x", file, self.folder / "root"])
        has_opencl = (BUILD / "opencl/spica.icd").exists()
        self.assertEqual(sorted(names), ["libspica-dev"] + ["python3-spica"] * bool(PYTHON) + ["spica"] + ["spica-opencl"] * has_opencl)
        if has_opencl:
            library = (self.folder / "root/etc/OpenCL/vendors/spica.icd").read_text().strip()
            driver, = (self.folder / "root/usr/lib").rglob(library)
            self.assertRegex(names["spica-opencl"], r"^spica \(= .*ocl-icd-libopencl1")
            if shutil.which("clinfo"):
                self.assertIn("Spica virgo", self.shell("clinfo -l", OCL_ICD_VENDORS=str(driver), SPICA_PROGRAM=str(self.folder / "root/usr/bin/spica")))
        self.assertRegex(names["spica"], r"libsystemc\b")
        self.assertRegex(names["libspica-dev"], r"spica \(= .*libsystemc-dev")
        self.assertIn("verified", self.shell("root/usr/bin/spica gemm --size 128x128x128"))
        self.project("find_package(spica CONFIG REQUIRED)\n", prefix=self.folder / "root/usr")
        if PYTHON:
            self.assertRegex(names["python3-spica"], r"^spica \(= .*python3 \(>= 3\.9\), python3-numpy$")
            self.assertIn("finished 0", self.shell([PYTHON, "-c", PYTHON_PROGRAM], PYTHONPATH=str(self.folder / "root/usr/lib/python3/dist-packages")))

    def test_the_archive_brings_all_but_the_c_library(self):  # long
        self.shell(["cpack", "-G", "TXZ", "-B", self.folder / "txz", "--config", BUILD / "CPackConfig.cmake"])
        archive, = (self.folder / "txz").glob("*.tar.xz")
        self.assertRegex(archive.name, r"^spica-\d+\.\d+\.\d+-linux-\w+\.tar\.xz$")
        self.assertLess(archive.stat().st_size, 12e6)
        self.shell(["tar", "xJf", archive])
        home = self.folder / archive.name[:-len(".tar.xz")]
        for line in self.shell(["ldd", home / "bin/spica"]).splitlines():
            if "=>" in line and not re.search(r"\blib(c|m|dl|rt|pthread)\.so", line):
                self.assertIn(f"=> {home}/bin/../lib/spica/", line)
        self.assertTrue((home / "share/doc/spica/libsystemc/copyright").exists())
        (self.folder / "a.yaml").write_text("axes: {design: [virgo-dma]}\nfixed: {size: 64x64x64}\n")
        for command in ("gemm --size 64x64x64 --out o --report r.html", "attention --sequence 128", "run virgo hello", "sweep run a.yaml", "report o --output p.html"):
            self.shell(f"env -i {home}/bin/spica {command}")
        if PYTHON:
            self.assertIn("finished 0", self.shell([PYTHON, "-c", PYTHON_PROGRAM], PYTHONPATH=str(home / "lib/python3/dist-packages"), PATH="/no"))

    @unittest.skipUnless(PYTHON, "no numpy")
    def test_a_kernel_of_ones_own_runs_from_python_wherever_it_was_moved(self):
        moved = self.folder / "a folder with blanks"
        shutil.copytree(PREFIX, moved, symlinks=True)
        self.shell([moved / "bin/spica", "new", "my kernel/scaled"])
        self.shell(f"cmake -S \"my kernel/scaled\" -B b '-DCMAKE_PREFIX_PATH={moved}' && cmake --build b")
        (self.folder / "use.py").write_text("""
import sys, numpy, spica
x = numpy.arange(1000, dtype=numpy.float32)
result = spica.run(sys.argv[1], args={"n": 1000, "factor": 1.5}, inputs={"x": x}, outputs=["y"])
assert numpy.array_equal(result["y"][:1000], 1.5 * x) and result["y"].shape == (4096,)
print(spica.__file__, result.console)
""")
        text = self.shell([PYTHON, "use.py", "b/scaled.elf"], PYTHONPATH=str(moved / "lib/python3/dist-packages"))
        self.assertIn(f"{moved}/lib/python3/dist-packages/spica/__init__.py", text)
        self.assertIn("1000 elements", text)

    @unittest.skipUnless(PYTHON and subprocess.run([PYTHON, "-c", "import setuptools, wheel, pip"], capture_output=True).returncode == 0,
                         "no pip, setuptools or wheel")
    def test_a_wheel_finds_the_program(self):  # long
        self.shell([PYTHON, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", self.folder, ROOT])
        wheel, = self.folder.glob("spica-*-py3-none-any.whl")
        packages = self.folder / "env/lib/python3/site-packages"
        self.shell([PYTHON, "-m", "pip", "install", "--no-deps", "--no-index", "--target", packages, wheel])
        self.assertEqual(*(sorted(file.name for file in folder.glob("spica/*.py")) for folder in (packages, ROOT / "platform/bindings/python")))
        program = [PYTHON, "-B", "-c", PYTHON_PROGRAM]
        path = {"PYTHONPATH": str(packages)}
        self.assertIn("finished 0", self.shell(program, **path, SPICA_PROGRAM=str(PREFIX / "bin/spica")))
        self.assertIn("finished 0", self.shell(program, **path, PATH=f"{PREFIX}/bin:{os.environ['PATH']}"))
        self.assertRegex(self.shell(program, 1, **path, PATH="/no"), "ConfigError: there is no program .*/env/bin/spica, and no 'spica' in PATH")
        (self.folder / "env/bin").mkdir()
        (self.folder / "env/bin/spica").symlink_to(PREFIX / "bin/spica")
        self.assertIn("finished 0", self.shell(program, **path, PATH="/no"))

    def test_machines_in_processes_of_their_own_need_no_systemc(self):
        text = self.project("find_package(spica CONFIG REQUIRED COMPONENTS client)\nadd_executable(foreign main.cpp)\n"
                            "target_link_libraries(foreign PRIVATE spica::client)\n", build=True, program=CLIENT)
        self.assertNotIn("systemc", next(line for line in text.splitlines() if " -o foreign" in line))
        self.assertIn("ended well: 11", self.shell("b/foreign"))

    def test_all_headers_compile_alone_by_all_of_their_names(self):
        headers = ["spica/platform/machine/soc/soc.h", "platform/machine/soc/soc.h", "spica/models/cluster/cluster.h",
                   "models/main_memory/main_memory.h", "spica/platform/machine/session/session.h",
                   "spica/platform/observe/watchdog/diagnosis.h", "spica/platform/observe/watchdog/hang_watch.h", "spica/spica.h",
                   "spica/accelerator.h",
                   "spica/platform/soc/block.h", "spica/platform/soc/soc.h", "spica/platform/loader/program.h",  # as they were in 0.1
                   "spica/platform/loader/user_error.h", "spica/platform/soc/soc_config.h", "spica/platform/client/spica.h"]
        (self.folder / "all.cpp").write_text("".join(f"#include <{header}>\n" for header in headers))
        self.shell([os.environ["CXX"], "-std=c++17", "-fsyntax-only", f"-I{PREFIX}/include", f"-I{PREFIX}/include/spica",
                    "-Wall", "-Wextra", "all.cpp"])

    @unittest.skipUnless((BUILD / "platform/workloads/compiler/plugin/spica_lanes.so").exists(), "no headers of LLVM 19")
    def test_kernels_in_plain_cpp_compile_wherever_it_was_moved(self):
        shutil.copytree(PREFIX, self.folder / "moved")
        (self.folder / "parting.cpp").write_text("""
#include <spawn.h>
static unsigned sums[64];
static void task(unsigned id, void*) {
  for (unsigned i = 0; i < id % 5; ++i) sums[id] += i;
}
int main() {
  spawn_tasks(64, task, nullptr);
  return sums[9] == 6 || sums[9] == 0 ? 0 : 1;
}
""")
        self.shell(["moved/bin/spica", "cc", "parting.cpp"])
        self.assertIn("finished", self.shell(["moved/bin/spica", "run", "virgo", "parting.elf"]))
        for plugin in (self.folder / "moved").rglob("spica_lanes.so"):
            plugin.unlink()
        self.assertIn("apt install llvm-19-dev", self.shell(["moved/bin/spica", "cc", "parting.cpp"], 2).replace("\n", " "))

    def test_the_program_runs_in_any_folder_wherever_it_was_moved(self):
        shutil.copytree(PREFIX, self.folder / "moved")
        text = self.shell(["moved/bin/spica", "gemm", "--size", "128x128x128"])
        # A kernel for another machine is compiled from what is installed.
        other = self.shell(["moved/bin/spica", "gemm", "--design", "tc", "--size", "64x64x64", "--set", "cluster.core.warps=4"],
                           SPICA_CACHE=str(self.folder / "cache"))
        self.assertIn("verified", other)
        self.assertIn("verified", text)
        (self.folder / "link").symlink_to("moved/bin/spica")
        self.assertIn("virgo", self.shell(["./link", "config", "--names"]))


class Examples(unittest.TestCase):
    def test_each_example_is_short_and_explained(self):
        folders = [folder for folder in (ROOT / "examples").iterdir() if folder.is_dir()]
        self.assertNotEqual(folders, [])
        for folder in folders:
            self.assertTrue((folder / "README.md").is_file(), folder)
            self.assertLess(len((folder / "main.cpp").read_text().splitlines()), 80, folder)
            self.assertIn(f"(../examples/{folder.name}/main.cpp)", (ROOT / "docs/library.md").read_text())


if __name__ == "__main__":
    unittest.main()
