#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of the tree that no compiler sees; prints each violation as file:line: sentence.

* Includes: every folder knows only what lies below it. CONTRIBUTING.md has the table that --table prints.
* Only the machine's parameters, the machine in its two modes and what compiled kernels need name a block, six files of
  platform/; all others read what blocks say of themselves (models/base/block_type.h, *_params.h). Those that put machines
  together or look at one also name the cluster, which is a plan of blocks.
* No file outside platform/machine/soc names its two forms, Soc and FastSoc: build_machine() makes either, and others see a
  Machine, an AssembledMachine or what is measured. Tests of that folder and examples build one by its name.
* Which files of platform/ name a block at all, or another folder of models/ but base, numeric, protocol, isa and power: by an
  include, also of register headers, by a scope, or in a string. In a string a name is a part of a path of names
  (cluster.dma.read_ids), a word with an underscore (matrix_unit, cluster_0) or the whole string ("dma"); words of sentences,
  "cluster" and "barrier" alone, which are words of programs, and files are none. block_name_exceptions.txt lists those of today; it can only shrink.
* Every *_test.cpp and *_test.py is named in the CMakeLists.txt of its folder, so that no test is dead.
* The version in CMakeLists.txt is that of the first entry in CHANGELOG.md, and the one that examples and documents look for.
* No source file is longer than 500 lines; each one says its licence.
* A source is cited by a key of docs/sources.md, never by a number of a sheet that readers cannot open.

Usage: check_layers.py [--table | --names] [root]     --names: where files name blocks. Exit code: 0 clean, 1 violations.
"""
import re
import sys
from pathlib import Path

MAX_LINES = 500
SPDX = "SPDX-License-Identifier: Apache-2.0"
TOP = ("examples", "models", "platform", "sw", "testbenches")
CODE = {".cpp", ".h", ".hpp", ".c", ".cc", ".S", ".s", ".inc"}
SOURCE = CODE | {".py", ".sh", ".cmake", ".ld"}
SOURCE_NAMES = {"CMakeLists.txt", "spica", "run"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SYSTEMC = re.compile(r"^(systemc|tlm|sysc/|tlm_core/|tlm_utils/)")
INTRINSICS = re.compile(r"^[a-z]+intrin\.h$")
STATE_WRITER = "models/base/checkpoint.h"  # the one file that knows how state becomes bytes
STATE_LIBRARIES = re.compile(r"(cereal|boost/pfr)/")
CLOSED_SOURCE = re.compile(r"\b[Ff]acts \d")
# The platform has floors, and most floors have rooms. A room may include all floors below its own, and the earlier rooms of
# its own floor.
# The folders of models/protocol, and the other ones that each of them may include.
PROTOCOL = {"payload": [], "transport": ["payload"], "host_queues": [], "ports": ["payload", "host_queues"]}
FLOORS = {
    "base": ["input", "text", "digest", "json", "config"],
    "machine": ["loader", "soc", "session"],
    "observe": ["report", "debug", "watchdog", "energy", "area", "check", "trace", "profile", "sample"],
    "run": [],
    "workloads": ["compiler", "opencl", "network"],
    "studies": ["bench", "sweep", "microbench", "experiment"],
    "bindings": ["client", "api", "python"],
    "opencl": ["driver", "service"],
    "cli": [],
}
# Where a room may include less than its place allows (what it may include), and where it includes more. The second list can
# only shrink.
LESS = {
    # They know no hardware.
    "base/input": [], "base/text": [], "base/digest": [], "base/json": [],
    "base/config": ["models/base", "platform/base/input", "platform/base/json"],  # parameters are declared in models/base
    "bindings/client": [],  # a program without SystemC; it talks to `spica serve`
    # What the installed package has (spica_platform_rooms in platform/cmake/spica.cmake).
    "bindings/api": ["models", "platform/base", "platform/machine", "platform/observe/report",
                     "platform/observe/watchdog", "platform/bindings/client"],
    "bindings/python": [],  # no C++
    # A library in programs of others: it talks to processes of spica. Of soc it has keys.h.
    "opencl/driver": ["platform/bindings/client", "platform/machine/soc"],
}
MORE = {
    # A reference computes the bits of a kernel with the kernel's own exponential: a second one could differ from it.
    "workloads": ["sw/lib/include"],
}
NAME_BLOCKS = {f"platform/{file}" for file in (
    "machine/soc/soc_params.h", "machine/soc/assembled_machine.h", "machine/soc/assembled_machine.cpp",
    "machine/soc/fast_soc.h", "machine/soc/fast_soc.cpp", "workloads/gemm_design.cpp")}
NAME_CLUSTER = {"platform/machine/soc", "platform/studies/microbench", "platform/workloads"}
# What sees a machine as soc::Machine and its events, or no machine at all.
NO_SYSTEMC = {"models/isa", "models/numeric"} | {f"platform/{room}" for room in (
    "machine/loader", "observe/check", "observe/profile", "observe/report", "observe/trace", "observe/watchdog")}
TABLE = "<!-- platform/tools/check_layers.py --table -->"
PROGRAM_WORDS = {"cluster", "barrier"}  # a coordinate and an event of programs
NAMES = "platform/tools/block_name_exceptions.txt"
KEYS = "platform/machine/soc/keys.h"
FORMS = re.compile(r"\b(?:Soc|FastSoc)\b|\b(?:fast_)?soc\.h\"")
FORMS_IN = ("platform/machine/soc/", "testbenches/unit/soc/", "examples/")
STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//.*')
PATH_OF_NAMES = re.compile(r"[\w.*{}]+")
NUMBER = re.compile(r"_(\d+|\{\w*\}|\*)$")
FILE_NAME = re.compile(r"\.(txt|json|csv|yaml|h|cpp)$")
FILE_IO = {"fstream", "filesystem", "cstdio", "stdio.h"}


def room(parts):
    """Where a file of models or the platform is: its folder below the top that has a rule, as models/dma or machine/soc."""
    if parts[0] != "platform":
        return "/".join(parts[:2])
    return "/".join(parts[1:3]) if len(parts) > 3 and parts[2] in FLOORS.get(parts[1], []) else parts[1]


def below(place):
    """Folders that a room of the platform may include from, by its place in the house alone."""
    floor, _, name = place.partition("/")
    floors = list(FLOORS)
    known = [f"platform/{lower}" for lower in floors[:floors.index(floor)]]
    rooms = FLOORS[floor]
    known += [f"platform/{floor}/{before}" for before in (rooms[:rooms.index(name)] if name else rooms)]
    return ["models"] + known + [f"platform/{place}"]


def folders(base):
    return {p.name for p in base.iterdir() if p.is_dir()} if base.is_dir() else set()


class Tree:
    def __init__(self, root):
        self.root = root
        self.blocks = folders(root / "models") - {"base", "numeric", "protocol", "isa", "cluster", "power"}
        self.rooms = {name for floor, rooms in FLOORS.items() for name in [floor, *rooms]}
        self.rooms |= {name for floor in FLOORS for name in folders(root / "platform" / floor)}
        self.files = [root / n for n in ("CMakeLists.txt", "spica", ".ci/run") if (root / n).is_file()]
        for top in TOP:
            inside = sorted((root / top).rglob("*")) if (root / top).is_dir() else []
            self.files += [p for p in inside if p.is_file() and "__pycache__" not in p.parts]
        self.includes = {p: self.read_includes(p) for p in self.files if p.suffix in CODE}
        self.folders = folders(root / "models") - {"base", "numeric", "protocol", "isa", "power"}
        self.naming = []  # files of the platform that name one of them
        self.violations = []

    @staticmethod
    def read_includes(path):
        """[(line, is quoted, name)] of one file."""
        found = []
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                found.append((number, match[1] == '"', match[2]))
        return found

    def report(self, path, line, text):
        self.violations.append((path.relative_to(self.root).as_posix(), line, text))

    def allowed(self, parts):
        """Folders that a file may include from, and the name of its layer; None: no rule."""
        top, inner = parts[0], parts[1]
        here = "/".join(parts[:-1])
        if top == "models" and inner == "protocol" and parts[2] in PROTOCOL:
            return (["models/base", "models/numeric"] + [f"models/protocol/{folder}" for folder in (*PROTOCOL[parts[2]], parts[2])],
                    f"models/protocol/{parts[2]}")
        if top == "models":
            layers = {
                "base": ["models/base"],
                "protocol": ["models/base", "models/numeric", "models/protocol"],
                "numeric": ["models/base", "models/numeric"],
                "isa": ["models/base", "models/numeric", "models/isa"],
                "power": ["models/base", "models/power"],
                "assembly": ["models/base", "models/numeric", "models/protocol", "models/adapters", "models/assembly"],
                # the part of a style of tensor cores that is in the core, and what machines know of it
                "tensor_core": ["models/base", "models/numeric", "models/protocol", "models/isa", "models/assembly",
                                "models/simt_core", "models/tensor_core"],
                "cluster": ["models/base", "models/numeric", "models/protocol", "models/isa", "models/cluster"]
                + [f"models/{b}" for b in sorted(self.blocks)],
            }
            block = ["models/base", "models/numeric", "models/protocol", "models/isa", f"models/{inner}"]
            return layers.get(inner, block), f"models/{inner}"
        if top == "platform":
            place = room(parts)
            if place.partition("/")[0] not in FLOORS:
                return (["platform"] if inner == "cmake" else None), f"platform/{inner}"
            allowed = LESS[place] + [f"platform/{place}"] if place in LESS else below(place)
            return allowed + MORE.get(place, []), f"platform/{place}"
        if top == "testbenches":
            if inner in ("unit", "block"):
                own = ["models", "testbenches/support", here]
                if len(parts) > 3 and parts[2] in self.rooms | {"job"}:
                    own.append("platform")
                return own, f"testbenches/{inner}"
            if inner == "support":
                return ["models", "testbenches/support"], "testbenches/support"
            return ["models", "platform", "testbenches"], "testbenches"
        return None, top

    def check_includes(self, path):
        parts = path.relative_to(self.root).parts
        if parts[0] == "models" and path.name.endswith("_regs.h"):
            for line, _, name in self.includes[path]:
                self.report(path, line, f"a register header includes nothing, but here {name}")
            return
        # Guest programs: sw, and the folders below testbenches/kernels.
        if parts[0] == "sw" or (parts[:2] == ("testbenches", "kernels") and len(parts) > 3):
            for line, _, name in self.includes[path]:
                foreign = name.startswith(("models/", "platform/", "testbenches/"))
                if foreign and not (name.startswith("models/") and name.endswith("_regs.h")):
                    self.report(path, line, f"guest code may include sw and models/*/*_regs.h, not {name}")
            return
        if parts[0] == "examples":  # projects of their own, that know the installed package
            for line, quoted, name in self.includes[path]:
                if quoted and not (path.parent / name).is_file():
                    self.report(path, line, f"an example includes <spica/...> and its own files, not \"{name}\"")
            return
        allowed, layer = self.allowed(parts)
        if allowed is None:
            self.report(path, 1, f"{layer} is no floor of the platform")
            return
        for line, quoted, name in self.includes[path]:
            if not quoted:
                self.check_library(path, parts, line, name)
            elif not (self.root / name).is_file():
                self.report(path, line, f"{name} is not a path from the root of the repository")
            elif not any(name.startswith(folder + "/") for folder in allowed):
                self.report(path, line, f"{layer} may not include {name}")

    def table(self):
        """The rules above, for people."""
        def names(folders, none="libraries only"):
            return ", ".join(f"`{folder}`" for folder in folders) or none

        lines = ["| floor | its rooms, in order | may include less | may include more |", "|---|---|---|---|"]
        for floor, rooms in FLOORS.items():
            less, more = ([f"`{place}`: {names(rule[place])}" for place in (floor, *(f"{floor}/{name}" for name in rooms)) if place in rule]
                          for rule in (LESS, MORE))
            lines.append(f"| `platform/{floor}` | {names(rooms, '')} | {'; '.join(less)} | {'; '.join(more)} |")
        lines += ["", "| folder | may include, apart from itself |", "|---|---|"]
        for layer in ("base", "numeric", *(f"protocol/{folder}" for folder in PROTOCOL), "isa", "power", "assembly", "<block>", "tensor_core"):
            allowed = self.allowed(("models", *layer.split("/"), "a.h"))[0]
            lines.append(f"| `models/{layer}` | {names(name for name in allowed if name != f'models/{layer}')} |")
        lines += ["| `models/cluster` | `models` |",
                  "| `testbenches/unit`, `testbenches/block` | `models`, `testbenches/support`; tests of a room `platform` |",
                  "| `models/*/*_regs.h` | nothing, and is plain C |", "| `sw` | `models/*/*_regs.h` |", "| `examples` | the installed package |"]
        return lines

    def check_table(self):
        page = self.root / "CONTRIBUTING.md"
        text = page.read_text() if page.is_file() else ""
        if TABLE in text and TABLE + "\n" + "\n".join(self.table()) + "\n\n" not in text:
            self.report(page, text.count("\n", 0, text.index(TABLE)) + 1, "the table is not what check_layers.py --table prints")

    def check_library(self, path, parts, line, name):
        if parts[0] == "models" and parts[1] in ("base", "numeric", "protocol", "isa"):
            if name in FILE_IO:
                self.report(path, line, f"models/{parts[1]} does no file input or output: <{name}>")
            elif path.as_posix().endswith(STATE_WRITER) and STATE_LIBRARIES.match(name):
                pass
            elif re.search(r"[/.]", name) and not SYSTEMC.match(name) and not INTRINSICS.match(name):
                self.report(path, line, f"models/{parts[1]} uses std and SystemC only, not <{name}>")

    def check_names_no_block(self, path):
        """Register headers are not the block's: guest programs also include them."""
        parts = path.relative_to(self.root).parts
        allowed, layer = self.allowed(parts) if parts[0] == "platform" else (None, "")
        if allowed is None or "/".join(parts) in NAME_BLOCKS or "models" not in allowed:
            return
        cluster = set() if layer in NAME_CLUSTER else {"cluster"}
        blocks = "|".join(sorted((self.blocks - {"adapters", "assembly"}) | cluster))
        wanted = re.compile(rf'models/(?P<folder>{blocks})/(?!\w+_regs\.h")|\b(?P<scope>{blocks})::|'
                            rf"spica::(?P<name>{blocks})\b")
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for match in wanted.finditer(line.partition("//")[0]):
                block = next(name for name in match.groups() if name)
                self.report(path, number, f"{layer} names the block {block}: let the block say what the "
                                          "tool wants to know (models/base/block_type.h)")

    def named_in(self, text):
        """Folders of models/ that a string names."""
        for path in PATH_OF_NAMES.findall(text):
            for part in path.split(".") if not FILE_NAME.search(path) else ():
                name = NUMBER.sub("", part).rstrip("*")
                alone = text.strip() == part and part not in PROGRAM_WORDS
                if name in self.folders and (path.strip(".") != part or "_" in part or alone):
                    yield name

    def names_of(self, path):
        """[(line, folder of models/)] that a file of the platform names."""
        folders = "|".join(sorted(self.folders))
        scope = re.compile(rf"\b({folders})::|\bspica::({folders})\b")
        found = []
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                parts = include[2].split("/")
                found += [(number, parts[1])] if parts[0] == "models" and parts[1] in self.folders else []
                continue
            strings = [match[1][1:-1] for match in STRING_OR_COMMENT.finditer(line) if match[1]]
            found += [(number, match[1] or match[2]) for match in scope.finditer(STRING_OR_COMMENT.sub("", line))]
            found += [(number, name) for text in strings for name in self.named_in(text)]
        return found

    def check_names(self):
        listed_in = self.root / NAMES
        lines = listed_in.read_text().splitlines() if listed_in.is_file() else []
        listed = {line: number for number, line in enumerate(lines, 1) if line.startswith("platform/")}
        for path in self.includes:
            parts = path.relative_to(self.root).as_posix()
            names = self.names_of(path) if parts.startswith("platform/") else []
            self.naming += [path] if names else []
            if names and listed_in.is_file() and listed.pop(parts, None) is None:
                self.report(path, names[0][0], f"names the block {names[0][1]}: let the block say what the tool wants to know, and "
                                               f"take keys of settings from {KEYS}")
        for gone, number in listed.items():
            self.report(listed_in, number, f"{gone} names no block any more: take it from the list")

    def check_names_no_form(self):
        for path in self.includes:
            if path.relative_to(self.root).as_posix().startswith(FORMS_IN):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                code = line if INCLUDE.match(line) else STRING_OR_COMMENT.sub("", line)
                for match in FORMS.finditer(code):
                    self.report(path, number, f"names {match[0].strip(chr(34))}, a form of the machine: build_machine() makes it, and a "
                                              "Machine or a MeasuredMachine shows it")

    def check_has_no_systemc(self):
        for path in self.includes:
            parts = path.relative_to(self.root).parts
            folder = ("platform/" if parts[0] == "platform" else "") + room(parts)
            if folder not in NO_SYSTEMC:
                continue
            for line, quoted, name in self.includes[path]:
                start = [self.root / name] if quoted else []
                if (not quoted and SYSTEMC.match(name)) or self.reaches_systemc(start):
                    self.report(path, line, f"{folder} knows no SystemC, but {name} is or includes it")

    def reaches_systemc(self, todo):
        seen = set()
        while todo:
            path = todo.pop()
            if path in seen or path not in self.includes:
                continue
            seen.add(path)
            for _, quoted, name in self.includes[path]:
                if not quoted and SYSTEMC.match(name):
                    return True
                if quoted:
                    todo.append(self.root / name)
        return False

    def check_test_is_built(self, path):
        lists = path.parent / "CMakeLists.txt"
        text = lists.read_text() if lists.is_file() else ""
        # Tests in Python are also named without "_test.py", in the lists of spica_python_tests.
        names = [path.name] + ([path.name[:-len("_test.py")]] if path.suffix == ".py" else [])
        if not re.search(rf"(?<![\w.-])({'|'.join(map(re.escape, names))})(?![\w./-])", text):
            self.report(path, 1, "no CMakeLists.txt beside it names this test: nothing runs it")

    def check_citations(self, path, lines):
        for number, line in enumerate(lines, 1):
            if CLOSED_SOURCE.search(line):
                self.report(path, number, "cites a source that is not open: use a key of docs/sources.md")

    def check_version(self):
        build = self.root / "CMakeLists.txt"
        version = re.search(r"^project\(spica VERSION (\d+\.\d+)(\.\d+)", build.read_text() if build.is_file() else "", re.M)
        if version is None:
            return
        told = [(self.root / "CHANGELOG.md", r"^## (\S+)", version[1] + version[2], 1)]
        users = sorted((self.root / "examples").rglob("CMakeLists.txt")) + sorted((self.root / "docs").rglob("*.md"))
        told += [(path, r"find_package\(spica ([\d.]+)", version[1], None) for path in users]
        for path, wanted, right, most in told:
            text = path.read_text(errors="replace") if path.is_file() else ""
            for match in list(re.finditer(wanted, text, re.M))[:most]:
                if match[1] != right:
                    self.report(path, text.count("\n", 0, match.start()) + 1,
                                f"says version {match[1]}, CMakeLists.txt {version[1]}{version[2]}")

    def check(self):
        for path in self.files:
            if path in self.includes:
                self.check_includes(path)
                self.check_names_no_block(path)
            if path.name.endswith(("_test.cpp", "_test.py")):
                self.check_test_is_built(path)
            if path.suffix in SOURCE or path.name in SOURCE_NAMES:
                lines = path.read_text(errors="replace").splitlines()
                if len(lines) > MAX_LINES:
                    self.report(path, len(lines), f"longer than {MAX_LINES} lines")
                if not any(SPDX in line for line in lines[:3]):
                    self.report(path, 1, f"the first lines do not say {SPDX}")
                self.check_citations(path, lines)
        for path in sorted((self.root / "docs").rglob("*.md")):
            self.check_citations(path, path.read_text(errors="replace").splitlines())
        self.check_names()
        self.check_names_no_form()
        self.check_has_no_systemc()
        self.check_version()
        self.check_table()
        return sorted(set(self.violations))


def main():
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--table", "--names")]
    root = Path(arguments[0] if arguments else Path(__file__).parents[2]).resolve()
    tree = Tree(root)
    if "--table" in sys.argv:
        print("\n".join(tree.table()))
        return 0
    violations = tree.check()
    if "--names" in sys.argv:
        for path in tree.naming:
            for line, name in tree.names_of(path):
                print(f"{path.relative_to(root)}:{line}: {name}")
    for path, line, text in violations:
        print(f"{path}:{line}: {text}")
    if not tree.files:
        print(f"{root}: no sources here")
        return 1
    print(f"{len(tree.files)} files, {len(violations)} violations; {len(tree.naming)} files of platform/ name a block")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
