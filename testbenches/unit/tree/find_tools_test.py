#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What CMake finds in roots as those of other systems: programs of LLVM, and a SystemC that somebody has built."""
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("clang", "ld.lld", "llvm-config")
SAYS = {"clang": "{} clang version {} (Fedora)", "ld.lld": "{} LLD {} (compatible with GNU linkers)", "llvm-config": "{1}"}
DEBIAN, NEWER, OLDER = "19.1.7", "20.1.8", "14.0.6"


class Roots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "root"
        (self.root / "usr/bin").mkdir(parents=True)

    def install(self, folder, version, suffix="", programs=PROGRAMS):
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        for program in programs:
            file = self.root / folder / (program + suffix)
            file.write_text("#!/bin/sh\necho '" + SAYS[program].format("Some", version) + "'\n")
            file.chmod(0o755)

    def found(self, *versions):
        """By program: its path in the root; or None, and what else was seen."""
        script = self.root / "find.cmake"
        lines = [f"include({ROOT}/sw/find_llvm.cmake)", f"set(CMAKE_FIND_ROOT_PATH {self.root})",
                 "set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM ONLY)"]
        for program in PROGRAMS:
            lines += [f"spica_find_llvm(found_{program} {program} {' '.join(versions)})",
                      f'message("{program}|${{found_{program}}}|${{found_{program}_OTHER}}")']
        script.write_text("\n".join(lines))
        done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=True,
                              env={"PATH": "/usr/bin:/bin:/usr/local/bin"})
        paths, others = {}, {}
        for line in done.stderr.splitlines():
            program, path, other = line.split("|")
            paths[program] = None if path.endswith("-NOTFOUND") else path.removeprefix(f"{self.root}/")
            others[program] = other.replace(f"{self.root}/", "")
        return paths, others

    def expect(self, path, *versions):
        paths, _ = self.found(*versions)
        self.assertEqual(paths, {program: path.format(program) for program in PROGRAMS})

    def test_debian_has_names_with_a_version_and_an_older_one_without(self):
        self.install("usr/bin", OLDER)
        self.install("usr/bin", DEBIAN, "-19")
        self.expect("usr/bin/{}-19", "19")

    def test_debian_has_the_tools_of_llvm_in_a_folder_of_their_own(self):
        self.install("usr/lib/llvm-19/bin", DEBIAN)
        self.expect("usr/lib/llvm-19/bin/{}", "19")

    def test_fedora_has_names_without_a_version(self):
        self.install("usr/bin", "19.1.0")
        self.expect("usr/bin/{}", "19")

    def test_fedora_has_an_older_version_in_a_folder_of_its_own(self):
        self.install("usr/bin", NEWER)
        self.install("usr/lib64/llvm19/bin", DEBIAN)
        self.expect("usr/lib64/llvm19/bin/{}", "19")

    def test_arch_has_an_older_version_in_a_folder_of_its_own(self):
        self.install("usr/bin", NEWER)
        self.install("usr/lib/llvm19/bin", DEBIAN)
        self.expect("usr/lib/llvm19/bin/{}", "19")

    def test_the_first_version_that_is_there_is_taken(self):
        self.install("usr/bin", NEWER)
        self.expect("usr/bin/{}", "19", "20", "21")
        self.install("usr/lib/llvm19/bin", DEBIAN)
        self.expect("usr/lib/llvm19/bin/{}", "19", "20", "21")

    def test_another_version_is_not_taken_and_named(self):
        self.install("usr/bin", OLDER)
        paths, others = self.found("19")
        self.assertEqual(paths, dict.fromkeys(PROGRAMS))
        self.assertEqual(others, {program: f"usr/bin/{program} is version 14" for program in PROGRAMS})

    def test_nothing_is_found_where_nothing_is(self):
        self.assertEqual(self.found("19", "20"), (dict.fromkeys(PROGRAMS), dict.fromkeys(PROGRAMS, "")))

    def systemc_of(self, prefix):
        """The folder of headers of the SystemC that a project finds with that prefix."""
        project = self.root / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(tries LANGUAGES CXX)
set(CMAKE_FIND_PACKAGE_NAME spica)
include({ROOT}/platform/cmake/dependencies.cmake)
get_target_property(library spica::systemc INTERFACE_LINK_LIBRARIES)
get_target_property(headers ${{library}} INTERFACE_INCLUDE_DIRECTORIES)
message("headers|${{headers}}")
""")
        done = subprocess.run(["cmake", "-S", project, "-B", self.root / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("|")[1] for line in done.stderr.splitlines() if line.startswith("headers|")]

    def test_systemc_is_found_by_the_files_of_its_own_cmake(self):
        prefix = self.root / "opt/systemc"
        package = prefix / "lib/cmake/SystemCLanguage"
        package.mkdir(parents=True)
        (prefix / "include").mkdir()
        (package / "SystemCLanguageConfig.cmake").write_text(f"""add_library(SystemC::systemc INTERFACE IMPORTED)
target_include_directories(SystemC::systemc INTERFACE {prefix}/include)
""")
        self.assertEqual(self.systemc_of(prefix), [f"{prefix}/include"])

    def test_systemc_is_found_by_the_files_of_its_configure(self):
        prefix = self.root / "opt/systemc"
        (prefix / "lib/pkgconfig").mkdir(parents=True)
        (prefix / "include").mkdir()
        for name in ("systemc", "tlm"):
            (prefix / f"lib/pkgconfig/{name}.pc").write_text(
                f"Name: {name}\nDescription: {name}\nVersion: 3.0.1\nCflags: -I{prefix}/include\n")
        self.assertEqual(self.systemc_of(prefix), [f"{prefix}/include"])


if __name__ == "__main__":
    unittest.main()
