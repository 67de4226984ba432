# SPDX-License-Identifier: Apache-2.0
"""Reads the traces that spica writes, strictly: what is not as the format wants it is an error."""
import collections
import json
import re


class Perfetto:
    """A Trace Event file: slices, instants and counters by process and thread, times in cycles."""

    def __init__(self, path):
        document = json.loads(path.read_bytes().decode("utf-8"), parse_constant=self.no_number,
                              object_pairs_hook=self.unique)
        self.mhz = document["otherData"]["clock_mhz"]
        self.processes, self.threads = {}, {}
        self.slices = collections.defaultdict(list)    # (process, thread): [(begin, end, name, event)]
        self.phases = collections.defaultdict(list)    # the same of the row above
        self.instants, self.counters, self.flows = [], collections.defaultdict(list), collections.Counter()
        flow_ends = {}
        for event in document["traceEvents"]:
            kind, pid, tid = event["ph"], event["pid"], event.get("tid")
            if kind == "M":
                if event["name"] == "process_name":
                    self.processes[pid] = event["args"]["name"]
                elif event["name"] == "thread_name":
                    self.threads[pid, tid] = event["args"]["name"]
                continue
            at = self.cycle(event["ts"])
            if kind == "X":
                assert event["dur"] > 0 and event["name"], event
                rows = self.phases if event["cat"] == "phase" else self.slices
                rows[pid, tid].append((at, at + self.cycle(event["dur"]), event["name"], event))
            elif kind == "i":
                self.instants.append((at, event["name"], event))
            elif kind == "C":
                self.counters[pid, event["name"]].append((at, list(event["args"].values())[0]))
            elif kind in "sf":
                flow_ends.setdefault(event["id"], {})[kind] = at
            else:
                raise AssertionError(f"unknown event {event}")
        for rows in (self.slices, self.phases):
            for track, slices in rows.items():
                assert track in self.threads and track[0] in self.processes, f"{track} has no name"
                slices.sort(key=lambda each: each[:2])
                regions = all(event["cat"] == "region" for _, _, _, event in slices)
                for before, after in zip(slices, slices[1:]):
                    nested = regions and after[1] <= before[1]
                    assert before[1] <= after[0] or nested, f"{before} overlaps {after}"
        for ends in flow_ends.values():
            assert set(ends) == {"s", "f"} and ends["s"] <= ends["f"], ends
        self.flow_count = len(flow_ends)

    @staticmethod
    def no_number(word):
        raise AssertionError(f"{word} is no JSON")

    @staticmethod
    def unique(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"keys given twice: {keys}"
        return dict(pairs)

    def cycle(self, microseconds):
        cycles = microseconds * self.mhz
        assert abs(cycles - round(cycles)) < 0.01, f"{microseconds} us is no whole number of cycles"
        return round(cycles)

    def process(self, name):
        return next(pid for pid, other in self.processes.items() if other == name)

    def of_core(self, core):
        """{warp: slices}"""
        return self.of_process(self.slices, core)

    def phases_of_core(self, core):
        return self.of_process(self.phases, core)

    def of_process(self, rows, core):
        pid = self.process(f"core {core}")
        return {tid: slices for (process, tid), slices in rows.items()
                if process == pid and not self.threads[process, tid].endswith("markers")}

    def threads_of(self, process, name):
        """Slices of the threads of a process whose name begins so, by begin."""
        pid = self.process(process)
        return sorted((each for (other, tid), slices in self.slices.items() for each in slices
                       if other == pid and self.threads[other, tid].startswith(name)), key=lambda each: each[:2])


class Kanata:
    """A Kanata log: instructions with their stages [(name, begin, end)] in lane 0 and stalls in lane 1."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        assert lines[0] == "Kanata\t0004" and lines[1].startswith("C=\t")
        now = int(lines[1].split("\t")[1])
        self.instructions, self.retired, self.flushed = {}, 0, 0
        open_ = {}
        for line in lines[2:]:
            command, *words = line.split("\t")
            if command == "C":
                assert int(words[0]) > 0
                now += int(words[0])
                continue
            number = int(words[0])
            if command == "I":
                assert number == len(self.instructions), "numbers are in order"
                self.instructions[number] = {"thread": int(words[2]), "label": "", "detail": "", "stages": [],
                                             "stalls": [], "end": None}
                open_[number] = {}
                continue
            instruction = self.instructions[number]
            assert instruction["end"] is None, f"{line} of an instruction that has left"
            if command == "L":
                instruction["label" if words[1] == "0" else "detail"] += words[2]
            elif command == "S":
                assert words[1] not in open_[number], f"{line}: a stage is open"
                open_[number][words[1]] = (words[2], now)
            elif command == "E":
                name, begin = open_[number].pop(words[1])
                assert name == words[2], line
                instruction["stages" if words[1] == "0" else "stalls"].append((name, begin, now))
            elif command == "R":
                assert not open_[number], f"{line}: a stage is open"
                instruction["end"] = now
                instruction["flushed"] = words[2] == "1"
                if instruction["flushed"]:
                    self.flushed += 1
                else:
                    assert int(words[1]) == self.retired
                    self.retired += 1
            else:
                raise AssertionError(line)
        assert all(instruction["end"] is not None for instruction in self.instructions.values())


LINE = re.compile(r"(?:(?P<cycle>\d+) )?c(?P<core>\d+)\.w(?P<warp>\d+) #(?P<number>\d+) (?P<pc>0x[0-9a-f]{8}) "
                  r"(?P<lanes>[0-9a-f]+) (?P<text>[^|]*?)(?: \|(?P<effects>.*))?")


def read_log(path):
    """The instructions of a log as dictionaries."""
    result = []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        assert match, line
        entry = match.groupdict()
        for key in ("core", "warp", "number"):
            entry[key] = int(entry[key])
        entry["cycle"] = int(entry["cycle"]) if entry["cycle"] else None
        entry["pc"] = int(entry["pc"], 16)
        entry["lanes"] = int(entry["lanes"], 16)
        entry["registers"] = dict(re.findall(r" (\w+)=(\S+)", entry["effects"] or ""))
        result.append(entry)
    return result


class Vcd:
    """A value change dump: {signal: [(time in ps, value)]}; None is unknown."""

    def __init__(self, path):
        text = path.read_text()
        header, body = text.split("$enddefinitions $end\n")
        assert "$timescale 1ps $end" in header
        scope, names = [], {}
        self.width = {}
        for words in (line.split() for line in header.splitlines()):
            if words[0] == "$scope":
                scope.append(words[2])
            elif words[0] == "$upscope":
                scope.pop()
            elif words[0] == "$var":
                name = ".".join(scope + [words[4]])
                assert words[3] not in names and name not in self.width
                names[words[3]] = name
                self.width[name] = int(words[2])
        assert not scope
        self.changes = {name: [] for name in self.width}
        now = None
        body = re.sub(r"\$comment.*?\$end\n", "", body)
        for line in body.splitlines():
            if line.startswith("#"):
                assert now is None or int(line[1:]) > now, f"time goes back at {line}"
                now = int(line[1:])
            elif line not in ("$dumpvars", "$end"):
                value, code = line[1:].split() if line[0] == "b" else (line[0], line[1:])
                changes = self.changes[names[code]]
                assert not changes or changes[-1][0] != now, f"{names[code]} changes twice at {now}"
                number = None if value == "x" else int(value, 2)
                assert number is None or number < 1 << self.width[names[code]]
                changes.append((now, number))
        self.end = now

    def time_at(self, name, value):
        """Picoseconds during which a signal has a value."""
        changes = self.changes[name] + [(self.end, None)]
        return sum(after - now for (now, is_now), (after, _) in zip(changes, changes[1:]) if is_now == value)
