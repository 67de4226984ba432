# SPDX-License-Identifier: Apache-2.0
"""Files and names of others: whatever they hold, a run ends as the program does, or with exit code 2."""
import json
import os
import pathlib
import pty
import resource
import socket
import struct
import subprocess
import unittest
import xml.etree.ElementTree

import fuzz_inputs
from spica_runner import BINARY, elf, folder

RAW = b"\x1b[31m\xff\xc3("  # what a terminal would obey, and no UTF-8


def spica(*arguments, cwd=None, **options):
    line = [os.fsencode(BINARY), *(os.fsencode(a) for a in arguments)]
    return subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=280, cwd=cwd, check=False, **options)


def program(segments, symbols=(), debug=()):
    """An ELF file: [(address, instruction words)], [(name, address)], [(name of a section, its bytes)]."""
    code = b"".join(struct.pack(f"<{len(words)}I", *words) for _, words in segments)
    names = b"\0" + b"".join(name + b"\0" for name, _ in (*symbols, *debug))
    table = bytes(16)
    for name, address in symbols:
        table += struct.pack("<IIIBBH", names.index(b"\0" + name + b"\0") + 1, address, 4, 0x12, 0, 1)
    at = 52 + 32 * len(segments)
    headers, offset = b"", at
    for address, words in segments:
        headers += struct.pack("<8I", 1, offset, address, address, 4 * len(words), 4 * len(words), 5, 4)
        offset += 4 * len(words)
    names_at, table_at = offset, offset + len(names)
    sections = bytes(40) + struct.pack("<10I", 0, 1, 6, segments[0][0], at, 4, 0, 0, 4, 0)
    sections += struct.pack("<10I", 0, 2, 0, 0, table_at, len(table), 3, 1, 4, 16)
    sections += struct.pack("<10I", 0, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    behind = table_at + len(table)
    for name, data in debug:
        sections += struct.pack("<10I", names.index(b"\0" + name + b"\0") + 1, 1, 0, 0, behind, len(data), 0, 0, 1, 0)
        behind += len(data)
    header = b"\x7fELF\1\1\1" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, segments[0][0], 52,
                                                       behind, 2, 52, 32, len(segments), 40, 4 + len(debug), 3)
    return header + headers + code + names + table + b"".join(data for _, data in debug) + sections


LI_GP_0, TMC_0, JR_T0, LUI_T0_FD000, LOOP = 0x00000193, 0x0000000B, 0x00028067, 0xFD0002B7, 0x0000006F


class Inputs(unittest.TestCase):
    def good(self, result, code=0):
        self.assertEqual(result.returncode, code, result.stderr[-2000:])
        for text in (result.stdout, result.stderr):
            self.assertNotIn(b"\x1b", text)
            text.decode()  # raises when it is no UTF-8

    def renamed(self, out):
        """The hello program with names that are no text: of a function, of source files, of a section."""
        data = elf("hello").read_bytes()
        for old, new in ((b"greet", b"g\x1b[e\xff"), (b"_Z5greet", b"\xff\x1b5greet"), (b"main.cpp", b"ma\xffn.\x1b\n\t"),
                         (b"\0main\0", b"\0m\x01\x9bn\0"), (b"\0.text\0", b"\0.t\x1bx\xff\0"), (b"/hello", b"/h\x1bl\xffo")):
            self.assertEqual(len(old), len(new))
            data = data.replace(old, new)
        path = out / os.fsdecode(b"k" + RAW + b".elf")
        path.write_bytes(data)
        return path

    def test_names_that_are_no_text_are_shown_escaped_everywhere(self):
        with folder() as name:
            out = pathlib.Path(name)
            path = self.renamed(out)
            results = out / os.fsdecode(b"out" + RAW)
            self.good(spica("run", "virgo", path, "--out", results, "--lines", "--report", results.with_suffix(".html"),
                            "--profile", out / "profile", "--activity", out / "a.yaml", "--check", "hazards",
                            "--trace", out / "t.json", "--trace", out / "t.kanata", "--trace", out / "t.log",
                            "--trace", out / "t.vcd"))
            stats = json.loads((results / "stats.json").read_text())
            self.assertIn("k\\x1b[31m\\xff\\xc3(.elf", stats["provenance"]["command_line"])
            lines = json.loads((results / "energy.json").read_text())["lines"]
            self.assertIn("m\\x01\\x9bn", {line["function"] for line in lines})
            self.assertIn("ma\\xffn.\\x1b\\x0a\\x09", " ".join(line["file"] for line in lines))
            svg = xml.etree.ElementTree.parse(out / "profile" / "flame.svg")
            self.assertIn("m\\x01\\x9bn", "".join(svg.getroot().itertext()))
            json.loads((out / "t.json").read_text())
            for file in out.rglob("*"):
                if file.is_file() and file != path:
                    text = file.read_bytes()
                    self.assertNotIn(b"\x1b", text, file)
                    text.decode()

    def test_names_that_are_no_text_are_shown_escaped_in_tables_and_reports(self):
        with folder() as name:
            path = self.renamed(pathlib.Path(name))
            for command in (["annotate"], ["profile", "--by", "line", "--top", "0"]):
                result = spica(*command, "virgo", path)
                self.good(result)
                self.assertIn(b"m\\x01\\x9bn", result.stdout)
            self.good(spica("run", "virgo", path, "--set", "run.max_cycles=2000"), 1)
            self.good(spica("run", "virgo", path, "--mode", "fast"))
            self.good(spica("run", "virgo", path, "--trace", "log=" + name + "/t", "--trace-filter", b"function=m\x01\x9bn"))

    def test_a_symbol_is_found_by_its_bytes_and_by_what_is_shown(self):
        with folder() as name:
            path = pathlib.Path(name) / "k.elf"
            path.write_bytes(program([(0x80000000, [LI_GP_0, TMC_0])], [(b"ta\xffget\x1b", 0x80000000)]))
            for symbol in (b"ta\xffget\x1b", b"ta\\xffget\\x1b"):
                saved = os.fsencode(name) + b"/s" + RAW
                self.good(spica("run", "virgo", path, "--save", saved + b"@" + symbol + b"+4"))
                self.assertEqual(pathlib.Path(os.fsdecode(saved)).read_bytes(), struct.pack("<I", LI_GP_0))

    def test_arguments_that_are_no_text_are_refused_in_printable_words(self):
        hello = elf("hello")
        for arguments in (["run", RAW, hello], ["run", "virgo", RAW], ["run", "virgo", hello, "--set", RAW],
                          ["run", "virgo", hello, "--set", b"run.mode=" + RAW], ["run", "virgo", hello, RAW],
                          ["run", "virgo", hello, "--load", RAW + b"@" + RAW], ["run", "virgo", hello, "--args", RAW],
                          ["run", "virgo", hello, "--trace", RAW], ["run", "virgo", hello, "--out", b"/dev/null/" + RAW],
                          ["run", "virgo", hello, "--trace", "t.log", "--trace-filter", RAW], ["power", RAW],
                          ["report", RAW], ["config", "--list", "--find", RAW], ["gemm", "--size", RAW], [RAW],
                          ["microbench", RAW], ["experiment", RAW], ["run", "virgo", hello, "--power", RAW],
                          ["report", "x" * 5000], ["run", "x" * 5000, hello], ["run", "virgo", "x" * 5000]):
            with self.subTest(arguments=arguments):
                self.good(spica(*arguments, cwd="/tmp"), 2)

    def test_a_configuration_and_an_energy_table_may_have_names_that_are_no_text(self):
        with folder() as name:
            out = os.fsencode(name)
            for key, source in ((b"c", "virgo.yaml"), (b"p", "power/virgo-16nm.yaml")):
                source = fuzz_inputs.ROOT / "configs" / source
                pathlib.Path(os.fsdecode(out + b"/" + key + RAW + b".yaml")).write_bytes(
                    b'extends: "' + os.fsencode(source) + b'"\n')
            self.good(spica("run", out + b"/c" + RAW + b".yaml", elf("hello"), "--power", out + b"/p" + RAW + b".yaml",
                            "--out", out + b"/o", "--report", out + b"/o.html"))
            again = spica("run", out + b"/o/config.yaml", elf("hello"), "--energy")  # the same table
            self.good(again)
            self.assertIn("p\\x1b[31m", (pathlib.Path(name) / "o" / "stats.json").read_text().replace("\\\\", "\\"))

    def test_code_in_two_places_far_apart_is_measured_like_any_other(self):
        with folder() as name:
            out = pathlib.Path(name)
            path = out / "far.elf"
            path.write_bytes(program([(0x80000000, [LUI_T0_FD000, JR_T0]), (0xFD000000, [LI_GP_0, TMC_0])],
                                     [(b"_start", 0x80000000), (b"far", 0xFD000000)]))
            little = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))}
            for options in (["--out", out / "o", "--lines"], ["--report", out / "r.html"], ["--profile", out / "p"],
                            ["--check", "hazards"], ["--trace", out / "t.json", "--trace", out / "t.kanata", "--trace",
                                                     out / "t.vcd", "--trace-filter", "function=far"], ["--mode", "fast"]):
                self.good(spica("run", "virgo", path, *options, **little))
            lines = json.loads((out / "o" / "energy.json").read_text())["instructions"]
            self.assertEqual([line["pc"] for line in lines if line["warp_instructions"]],
                             ["0x80000000", "0x80000004", "0xfd000000", "0xfd000004"])
            self.assertIn(b"far", spica("annotate", "virgo", path, **little).stdout)

    def test_what_is_no_regular_file_is_refused_at_once(self):
        hello = elf("hello")
        with folder() as name:
            out = pathlib.Path(name)
            os.mkfifo(out / "pipe")
            (out / "pipe.yaml").symlink_to("pipe")
            with open(out / "large", "wb") as large:
                large.truncate(3 << 30)
            for path, why in (("/dev/zero", b"device"), ("/dev/random", b"device"), (out / "pipe", b"pipe"),
                              (out, b"folder"), (out / "large", b"3 GiB")):
                for arguments in (["run", "virgo", path], ["run", "virgo", hello, "--load", f"{path}@0x80000000"],
                                  ["run", "virgo", hello, "--set", f"power.table={path}", "--energy"], ["power", path],
                                  ["config", path], ["run", path, hello]):
                    with self.subTest(arguments=arguments):
                        result = spica(*arguments)
                        self.good(result, 2)
                        if path != out or arguments[0] == "run" and arguments[1] == "virgo" and len(arguments) == 3:
                            self.assertIn(why, result.stderr)
                            self.assertIn(os.fsencode(path), result.stderr)
            (out / "run").mkdir()
            for file in ("stats.json", "energy.json"):
                os.mkfifo(out / "run" / file)
                result = spica("report", out / "run", "-o", out / "r.html")
                self.good(result, 2)
                self.assertIn(b"pipe", result.stderr)
                (out / "run" / file).unlink()
                (out / "run" / file).write_text('{"cycles": 1, "stats": {}}')
            for text in ("[" * 200_000, '{"a":' * 200_000, '{"cycles": "many", "stats": {}}', '{"cycles": -1, "stats": 3}',
                         '{"cycles": 1, "stats": {}, "end": 5, "limiter": [], "utilisation": "x", "verified": 2}'):
                (out / "run" / "stats.json").write_text(text)
                self.good(spica("report", out / "run", "-o", out / "r.html"), 2)
            (out / "run" / "stats.json").write_text('{"cycles": 1, "stats": {}}')
            for text in ('{"blocks": null}', '{"blocks": 3}', '{"blocks": []}', '{"blocks": {"name": 5}}', '{"lines": [3]}',
                         '{"lines": [{"function": 1}]}', '{"lines": [{"cycles": "x"}]}', '{"blocks": {"name": "machine", "children": [null]}}',
                         '{"blocks": {"name": "x", "active_uj": {"nominal": []}}}', '{"window": null}', '{"events": {"a": 3}}',
                         '{"events": [3]}', '{"idle": [null]}', '{"operating_point": []}'):
                (out / "run" / "energy.json").write_text(text)
                for command in (["report", out / "run", out / "run", "-o", out / "r.html"], ["diff", out / "run", out / "run"]):
                    with self.subTest(text=text, command=command[0]):
                        result = spica(*command)
                        self.good(result, 2 if result.returncode == 2 else 0)
                        if text == '{"blocks": null}':
                            self.assertEqual(result.returncode, 2)
                            self.assertIn(os.fsencode(out / "run"), result.stderr)

    def test_pipes_are_never_waited_for(self):
        with folder() as name:
            out = pathlib.Path(name)
            for pipe in ("pipe", "pipe.cpp", "pipe.json"):
                os.mkfifo(out / pipe)
            run = ["run", "virgo", elf("hello")]
            products = ["concurrent", "--gemm", "64_64_64_00"]
            for arguments in (["stream", out / "pipe"], ["tune", out / "pipe"], ["train", out / "pipe.json"],
                              [*products, "--library", out / "pipe.json"],
                              [*products, "--schedule", "goldyloc", "--weights", out / "pipe.json"],
                              ["cc", out / "pipe.cpp", "-o", out / "x.elf"], ["cc", "-c", out / "pipe.cpp"],
                              [*run, "--record", out / "pipe"], [*run, "--save-memory", out / "pipe"],
                              [*run, "--report", out / "pipe"], [*run, "--save", f"{out}/pipe@0x80000000+64"],
                              [*run, "--trace", f"log={out}/pipe"]):
                with self.subTest(arguments=arguments):
                    result = spica(*arguments)
                    self.good(result, 2)
                    self.assertIn(b"pipe", result.stderr)
                    self.assertIn(os.fsencode(out), result.stderr)

    def test_the_machine_of_another_program_answers_any_request(self):
        def ask(message, is_whole=True):
            """What a server answers to a message; to a part of one nothing, and it ends with its client."""
            here, there = socket.socketpair()
            with here, subprocess.Popen([BINARY, "serve"], stdin=there, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))) as server:
                there.close()
                here.settimeout(60)
                here.sendall(message)
                answer = here.makefile("rb")
                answer = answer.read(struct.unpack("<Q", answer.read(8))[0]) if is_whole else b""
                here.shutdown(socket.SHUT_RDWR)
                self.assertEqual(server.wait(timeout=60), 0, server.stderr.read())
                return answer

        def whole(request):
            return struct.pack("<Q", len(request)) + request
        for kind in (*range(1, 20), 255):  # before there is a machine
            answer = ask(whole(bytes([kind]) + bytes(64)))
            self.assertIn(b"no machine yet", answer)
            self.assertEqual(answer[0], 1)  # an error of the caller
        for size in (1 << 20, 1 << 40, (1 << 64) - 1):  # more than ever comes
            ask(struct.pack("<Q", size) + b"x" * 100, is_whole=False)
        text = b"\xff" * 7 + b"\x7f"
        for request in (b"", b"\0", b"\0" + text, b"\0" + text + b"virgo", b"\0" + struct.pack("<Q", 5) + b"virgo" + text):
            self.assertNotEqual(ask(whole(request)), b"")

    def test_too_few_file_handles_are_no_fault_of_spica(self):
        with folder() as name:
            sweep = pathlib.Path(name) / "s.yaml"
            sweep.write_text("axes: {seed: [1, 2]}\nfixed: {design: virgo-dma, size: 64x64x64}\n")
            for arguments in (["run", "virgo", elf("hello"), "--out", f"{name}/o"], ["gemm", "--size", "64x64x64"],
                              ["sweep", "run", sweep, "--dir", f"{name}/s"], ["config", "virgo"]):
                for most in range(3, 14):
                    with self.subTest(arguments=arguments, most=most):
                        result = spica(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
                        self.assertIn(result.returncode, (0, 1, 2, 127), result.stderr)  # 127: it could not be started

    def test_a_host_without_enough_memory_is_told_what_was_asked_for(self):
        result = spica("run", "virgo", elf("hello"), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        self.good(result, 2)
        self.assertIn(b"not enough memory for the machine of configs/virgo.yaml; its main memory alone has 2 GiB", result.stderr)

    def test_a_source_file_that_is_a_device_is_not_read(self):
        with folder() as name:
            data = elf("hello").read_bytes()
            self.assertIn(b"main.cpp\0", data)
            path = pathlib.Path(name) / "k.elf"
            path.write_bytes(data.replace(b"main.cpp\0", b"main.pip\0"))
            os.mkfifo(pathlib.Path(name) / "main.pip")
            os.makedirs(pathlib.Path(name) / "sw/kernels/hello")
            os.mkfifo(pathlib.Path(name) / "sw/kernels/hello/main.pip")
            self.good(spica("annotate", "virgo", path, cwd=name))

    def test_debug_information_far_too_deep_is_left_out(self):
        abbreviations = (b"\1\x11\1\x11\1\x12\6\0\0"  # a unit with entries: first and last pc
                         b"\2\x0b\1\x11\1\x12\6\0\0"  # a block with entries
                         b"\3\x0b\1\1\x13\x11\1\x12\6\0\0\0")  # one that says where the next one is
        pcs = struct.pack("<II", 0x80000000, 16)
        unit = b"\1" + pcs
        for entries in ((b"\2" + pcs) * 200_000, (b"\2" + pcs) * 200_000 + b"\0" * 200_001,
                        b"\3" + struct.pack("<I", 11) + pcs + b"\0\0"):
            info = struct.pack("<HIB", 4, 0, 4) + unit + entries
            data = program([(0x80000000, [LI_GP_0, TMC_0])], [(b"_start", 0x80000000)],
                           [(b".debug_abbrev", abbreviations), (b".debug_info", struct.pack("<I", len(info)) + info)])
            with folder() as name:
                path = pathlib.Path(name) / "k.elf"
                path.write_bytes(data)
                result = spica("annotate", "virgo", path)
                self.good(result)
                self.assertIn(b"_start", result.stdout)

    def test_names_that_would_fill_the_memory_in_words_stay_as_they_are(self):
        bomb = b"_Z1f1AIiiE"  # A<int, int>, then A of twice the one before
        for digit in b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ":
            bomb += b"S_I" + b"S%c_" % digit * 2 + b"E"
        with folder() as name:
            path = pathlib.Path(name) / "k.elf"
            path.write_bytes(program([(0x80000000, [LI_GP_0, TMC_0])], [(bomb, 0x80000000)]))
            result = spica("annotate", "virgo", path)
            self.good(result)
            self.assertIn(bomb[:20], result.stdout)

    def test_a_terminal_gets_a_programs_control_characters_in_print(self):
        data = elf("hello").read_bytes()
        with folder() as name:
            path, out = pathlib.Path(name) / "k.elf", pathlib.Path(name) / "out"
            path.write_bytes(data.replace(b"hello from", b"h\x1b[2J\xffo\xc3\xb6\t"))
            line = [BINARY, "run", "virgo", str(path), "--mode", "fast", "-q", "--out", str(out)]
            piped = subprocess.run(line, capture_output=True, timeout=280, check=False).stdout
            self.assertIn(b"h\x1b[2J\xffo\xc3\xb6\t", piped)
            self.assertIn(b"h\x1b[2J\xffo\xc3\xb6\t", (out / "console.txt").read_bytes())
            master, slave = pty.openpty()
            with subprocess.Popen(line, stdin=slave, stdout=slave, stderr=slave) as process:
                os.close(slave)
                shown = b""
                try:
                    while piece := os.read(master, 65536):
                        shown += piece
                except OSError:  # the program has closed its end
                    pass
                self.assertEqual(process.wait(280), 0)
            os.close(master)
            self.assertIn(b"h\\x1b[2J\\xffo\xc3\xb6", shown)
            self.assertNotIn(b"\x1b[2J", shown)

    def test_damaged_inputs_of_every_kind_end_with_an_exit_code_of_ours(self):
        self.assertEqual(fuzz_inputs.fuzz(fuzz_inputs.KINDS, range(1, 7)), [])


if __name__ == "__main__":
    unittest.main()
