#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule of platform/tools/check_layers.py is broken once and must be reported."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "platform/tools/check_layers.py"
sys.path.insert(0, str(TOOL.parent))
import check_layers  # noqa: E402

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
CLEAN = {
    "models/base/types.h": "#include <cstdint>\n",
    "models/base/clock.h": "#include <systemc>\n",
    "models/protocol/wire.h": '#include "models/base/clock.h"\n',
    "models/isa/isa.h": '#include "models/base/types.h"\n#include <immintrin.h>\n',
    "models/dma/dma.h": '#include "models/protocol/wire.h"\n#include "models/isa/isa.h"\n',
    "models/dma/dma_regs.h": "",
    "models/cache/cache.h": '#include "models/base/types.h"\n',
    "models/cluster/cluster.h": '#include "models/dma/dma.h"\n#include "models/cache/cache.h"\n',
    "platform/base/input/printable.h": '#include <string>\n',
    "platform/base/config/config.h": '#include "models/base/types.h"\n#include "platform/base/input/printable.h"\n'
                                '#include <yaml-cpp/yaml.h>\n',
    "platform/machine/soc/soc_plan.h": '#include "models/cluster/cluster.h"\n#include "platform/base/config/config.h"\n',
    "platform/base/json/value.h": "#include <nlohmann/json.hpp>\n",
    "platform/machine/session/session.h": '#include "platform/machine/soc/soc_plan.h"\n',
    "platform/bindings/api/machine.cpp": '#include "platform/machine/session/session.h"\n#include "platform/base/config/config.h"\n',
    "examples/one/main.cpp": '#include "own.h"\n#include <spica/spica.h>\n',
    "examples/one/own.h": "",
    "platform/workloads/gemm.h": '#include "platform/machine/soc/soc_plan.h"\n',
    "platform/run/job.h": '#include "platform/machine/session/session.h"\n#include "platform/base/config/config.h"\n',
    "platform/studies/experiment/experiment.h": '#include "platform/run/job.h"\n#include "platform/workloads/gemm.h"\n',
    "platform/cli/main.cpp": '#include "platform/studies/experiment/experiment.h"\n#include "platform/base/json/value.h"\n',
    "sw/lib/dma.c": '#include "models/dma/dma_regs.h"\n#include "local.h"\n',
    "testbenches/unit/config/config_test.cpp": '#include "platform/base/config/config.h"\n',
    "testbenches/unit/config/CMakeLists.txt": "config_test.cpp\n",
    "testbenches/kernels/faults/faults.c": '#include "simt.h"\n',
    "testbenches/kernels/faults_test.cpp": '#include "platform/machine/soc/soc_plan.h"\n',
    "testbenches/kernels/CMakeLists.txt": "faults_test.cpp\n",
    "testbenches/block/dma/dma_test.cpp": '#include "models/dma/dma.h"\n',
    "testbenches/block/dma/CMakeLists.txt": "dma_test.cpp\n",
}


class CheckLayers(unittest.TestCase):
    def check(self, **changes):
        """Runs the tool on the clean tree plus {path: text}; returns exit code and output lines."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text if text.startswith("raw:") else LICENCE + text)
            done = subprocess.run([sys.executable, "-B", TOOL, folder], capture_output=True, text=True)
            return done.returncode, done.stdout.splitlines()

    def expect(self, path, text, *problems):
        code, lines = self.check(**{path: text})
        self.assertEqual(lines[:-1], [f"{path}:{problem}" for problem in problems])
        self.assertEqual(code, 1)

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.check(), (0, [f"{len(CLEAN)} files, 0 violations; 1 files of platform/ name a block"]))

    def test_base_includes_no_other_layer_and_no_file_io(self):
        self.expect("models/base/a.h", '#include "models/protocol/wire.h"\n',
                    "2: models/base may not include models/protocol/wire.h")
        self.expect("models/base/a.h", "#include <nlohmann/json.hpp>\n#include <fstream>\n",
                    "2: models/base uses std and SystemC only, not <nlohmann/json.hpp>",
                    "3: models/base does no file input or output: <fstream>")

    def test_protocol_knows_no_block_and_no_isa(self):
        self.expect("models/protocol/a.h", '#include "models/isa/isa.h"\n',
                    "2: models/protocol may not include models/isa/isa.h")

    def test_six_files_of_the_platform_name_a_block_and_all_others_none(self):
        text = '#include "models/dma/dma.h"\nint n = cache::kLines;  // as cluster::kLines\nnamespace spica::cluster {}\n'
        say = "let the block say what the tool wants to know (models/base/block_type.h)"
        self.expect("platform/run/a.cpp", text, f"2: platform/run names the block dma: {say}",
                    f"3: platform/run names the block cache: {say}", f"4: platform/run names the block cluster: {say}")
        for folder in ("machine/soc", "studies/microbench", "workloads"):  # what puts machines together may name the cluster
            self.expect(f"platform/{folder}/a.cpp", text, f"2: platform/{folder} names the block dma: {say}",
                        f"3: platform/{folder} names the block cache: {say}")
        allowed = sorted(check_layers.NAME_BLOCKS)
        self.assertLessEqual(len(allowed), 6)
        self.assertEqual(self.check(**{name: text for name in allowed})[0], 0)
        self.assertEqual(self.check(**{"platform/run/a.cpp": '#include "models/dma/dma_regs.h"\n'})[0], 0)

    def test_files_that_name_a_block_are_listed_and_the_list_only_shrinks(self):
        names = "platform/tools/block_name_exceptions.txt"
        listed = "# files\nplatform/machine/soc/soc_plan.h\n"
        say = "let the block say what the tool wants to know, and take keys of settings from platform/machine/soc/keys.h"
        self.assertEqual(self.check(**{names: listed})[0], 0)
        for code, name in (('#include "models/dma/dma_regs.h"', "dma"), ("int n = cache::kLines;", "cache"), ('auto a = "dma";', "dma"),
                           ('auto a = "set cluster.dma.ids";', "cluster"), ('auto a = "cluster_{}.dma_0";', "cluster"),
                           ('auto a = "*.dma_0.bytes";', "dma")):
            lines = self.check(**{names: listed, "platform/cli/a.cpp": code + "\n"})[1]
            self.assertIn(f"platform/cli/a.cpp:2: names the block {name}: {say}", lines)
        sentences = 'auto a = "the dma is busy"; auto b = "cluster"; auto c = "dma.txt";  // cache::kLines, "dma"\n'
        self.assertEqual(self.check(**{names: listed, "platform/cli/a.cpp": sentences})[0], 0)
        code, lines = self.check(**{names: listed + "platform/cli/main.cpp\n"})
        self.assertEqual((code, lines[0]), (1, f"{names}:4: platform/cli/main.cpp names no block any more: take it from the list"))

    def test_nobody_outside_its_folder_names_a_form_of_the_machine(self):
        say = "a form of the machine: build_machine() makes it, and a Machine or a MeasuredMachine shows it"
        forms = {"platform/machine/soc/fast_soc.h": "class FastSoc;\n", "examples/one/main.cpp": "soc::Soc machine;\n",
                 "platform/machine/session/a.h": "/// A Soc of the same words, described_soc.\n"}
        self.assertEqual(self.check(**forms)[0], 0)
        self.expect("platform/cli/a.cpp", '#include "platform/machine/soc/fast_soc.h"\nsoc::Soc machine;  // one\nclass FastSoc;\n',
                    f"2: names fast_soc.h, {say}", "2: platform/machine/soc/fast_soc.h is not a path from the root of the repository",
                    f"3: names Soc, {say}", f"4: names FastSoc, {say}")

    def test_isa_reaches_no_systemc(self):
        self.expect("models/isa/a.h", '#include "models/base/clock.h"\n',
                    "2: models/isa knows no SystemC, but models/base/clock.h is or includes it")
        self.expect("models/isa/a.h", "#include <systemc>\n",
                    "2: models/isa knows no SystemC, but systemc is or includes it")

    def test_what_sees_machines_from_outside_reaches_no_systemc(self):
        for folder in ("observe/check", "observe/trace", "observe/watchdog"):
            self.expect(f"platform/{folder}/a.h", '#include "models/base/clock.h"\n',
                        f"2: platform/{folder} knows no SystemC, but models/base/clock.h is or includes it")
        self.assertEqual(self.check(**{"platform/machine/session/a.h": '#include "models/base/clock.h"\n'})[0], 0)

    def test_a_block_includes_no_other_block(self):
        self.expect("models/dma/a.h", '#include "models/cache/cache.h"\n',
                    "2: models/dma may not include models/cache/cache.h")
        self.expect("models/dma/a.h", '#include "platform/base/config/config.h"\n',
                    "2: models/dma may not include platform/base/config/config.h")

    def test_floors_and_rooms_depend_one_way(self):
        for path, name in (("platform/base/config/a.h", "platform/machine/soc/soc_plan.h"),
                           ("platform/machine/session/a.h", "platform/run/job.h"),
                           ("platform/run/a.h", "platform/workloads/gemm.h"),
                           ("platform/run/a.h", "platform/studies/experiment/experiment.h"),
                           ("platform/workloads/compiler/a.h", "platform/workloads/gemm.h"),
                           ("platform/machine/soc/a.h", "platform/machine/session/session.h")):
            folder = path.rsplit("/", 1)[0]
            self.expect(path, f'#include "{name}"\n', f"2: {folder} may not include {name}")

    def test_an_example_knows_the_installed_package_only(self):
        self.expect("examples/one/a.cpp", '#include "platform/machine/soc/soc_plan.h"\n',
                    '2: an example includes <spica/...> and its own files, not "platform/machine/soc/soc_plan.h"')
        self.expect("platform/bindings/api/a.cpp", '#include "platform/run/job.h"\n',
                    "2: platform/bindings/api may not include platform/run/job.h")

    def test_a_room_of_an_old_name_is_a_violation(self):
        code, lines = self.check(**{"platform/extra/a.h": ""})
        self.assertEqual((code, lines[:-1]), (1, ["platform/extra/a.h:1: platform/extra is no floor of the platform"]))

    def test_the_table_for_people_is_the_one_of_the_rules(self):
        table = subprocess.run([sys.executable, "-B", TOOL, "--table"], capture_output=True, text=True, check=True).stdout
        page = f"# How\n\n{check_layers.TABLE}\n{table}\n"
        self.assertEqual(self.check(**{"CONTRIBUTING.md": page})[0], 0)
        code, lines = self.check(**{"CONTRIBUTING.md": page.replace("`base`", "`sofa`").replace("libraries only", "all")})
        self.assertEqual((code, lines[:-1]), (1, ["CONTRIBUTING.md:4: the table is not what check_layers.py --table prints"]))

    def test_cluster_knows_no_platform(self):
        self.expect("models/cluster/a.h", '#include "platform/base/config/config.h"\n',
                    "2: models/cluster may not include platform/base/config/config.h")

    def test_the_config_reader_knows_no_hardware(self):
        self.expect("platform/base/input/a.h", '#include "models/base/types.h"\n',
                    "2: platform/base/input may not include models/base/types.h")
        self.expect("platform/base/config/a.h", '#include "models/dma/dma.h"\n',
                    "2: platform/base/config may not include models/dma/dma.h")

    def test_the_platform_knows_no_test(self):
        self.expect("platform/machine/soc/a.h", '#include "testbenches/block/dma/dma_test.cpp"\n',
                    "2: platform/machine/soc may not include testbenches/block/dma/dma_test.cpp")

    def test_block_tests_know_no_platform(self):
        self.expect("testbenches/block/dma/a.h", '#include "platform/machine/soc/soc_plan.h"\n',
                    "2: testbenches/block may not include platform/machine/soc/soc_plan.h")

    def test_software_sees_register_headers_only(self):
        self.expect("sw/lib/a.c", '#include "models/dma/dma.h"\n',
                    "2: guest code may include sw and models/*/*_regs.h, not models/dma/dma.h")
        self.expect("testbenches/kernels/faults/a.c", '#include "platform/machine/soc/soc_plan.h"\n',
                    "2: guest code may include sw and models/*/*_regs.h, not platform/machine/soc/soc_plan.h")

    def test_a_register_header_includes_nothing(self):
        self.expect("models/dma/a_regs.h", "#include <stdint.h>\n",
                    "2: a register header includes nothing, but here stdint.h")

    def test_paths_start_at_the_root(self):
        self.expect("models/dma/a.h", '#include "dma.h"\n',
                    "2: dma.h is not a path from the root of the repository")

    def test_a_test_that_nothing_runs(self):
        told = "1: no CMakeLists.txt beside it names this test: nothing runs it"
        self.expect("testbenches/block/dma/my_dma_test.cpp", "", told)
        self.expect("testbenches/kernels/mine_test.py", "", told)
        self.assertEqual(self.check(**{"testbenches/kernels/mine_test.py": "",
                                       "testbenches/kernels/CMakeLists.txt": "faults_test.cpp spica_python_tests(FILE FILES other mine)\n"})[0], 0)

    def test_long_files_and_missing_licences(self):
        self.expect("models/dma/a.cpp", "\n" * 500, "501: longer than 500 lines")
        self.expect("models/dma/a.cpp", "raw:",
                    "1: the first lines do not say SPDX-License-Identifier: Apache-2.0")

    def test_sources_that_are_not_open(self):
        for path in ("models/dma/a.h", "docs/page.md"):
            self.expect(path, "// twice as wide (fact" + "s 7.2)\n",
                        "2: cites a source that is not open: use a key of docs/sources.md")

    def test_a_version_that_is_told_twice(self):
        build, log = {"CMakeLists.txt": "project(spica VERSION 1.2.3)\n"}, {"CHANGELOG.md": "# Changes\n\n## 1.2.3 (today)\n## 1.1.0\n"}
        user = "examples/one/CMakeLists.txt"
        self.assertEqual(self.check(**build, **log, **{user: "find_package(spica 1.2 CONFIG)\n"})[0], 0)
        code, lines = self.check(**build, **{"CHANGELOG.md": "## 1.3.0\n", user: "find_package(spica 1.1 CONFIG)\n"})
        self.assertEqual(lines[:-1], ["CHANGELOG.md:2: says version 1.3.0, CMakeLists.txt 1.2.3",
                                      f"{user}:2: says version 1.1, CMakeLists.txt 1.2.3"])
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
