# SPDX-License-Identifier: Apache-2.0
"""Runs kernels on machines of Spica and looks at what they do.

    import numpy as np
    import spica

    result = spica.run("my.elf", args={"n": 1000, "factor": 2.5},
                       inputs={"x": np.arange(1000, dtype=np.float32)}, outputs=["y"])
    result["y"], result.cycles, result.stats["main_memory.reads"]

    spica.gemm(size="256x256x256", design="fp16-virgo", energy=True).cycles

Each machine is a process of its own: as many runs as you like, one after the other or in several threads. docs/howto/python.md.
"""
import collections
import json
import os

import numpy as np

from . import _machine, numerics
from ._machine import ConfigError, InternalError
from ._runs import NetworkOutcome, Outcome, RunError, attention, concurrent, gemm, network, opencl, stream
from ._values import KINDS, UNKNOWN, Problems, array_of, bytes_of, extents, trace_file, value_texts, whole_number, words, yes_or_no

__all__ = ["Accessor", "CheckError", "ConfigError", "Fault", "Finding", "GuestFault", "Hang", "InternalError", "Machine", "Outcome", "Party", "Result",
           "RunError", "Variable", "Warp", "attention", "concurrent", "gemm", "network", "numerics", "opencl", "run", "stream"]
__version__ = _machine.VERSION

Fault = collections.namedtuple(
    "Fault", "severity what cycle time core warp pc lanes address function file line text")
Fault.__doc__ = """What a program did wrong ("fault"), or may have ("warning", "note").

cycle, time (seconds), core, warp, pc; lanes, a bit each; address of the data, None: none; function, file and line as far as the
program's debug information tells; text, some lines with all of it."""

Accessor = collections.namedtuple("Accessor", "does core warp lanes pc function file line unit", defaults=(None,))
Accessor.__doc__ = """One side of a Finding: what it does ("store", "load"), core, warp, lanes (a bit each), pc; function, file and line of the
program's own source; unit: the matrix unit or DMA that does it for the warp, None: the warp itself."""

Party = Accessor  # deprecated name

Finding = collections.namedtuple("Finding", "check kind what cycle times core warp lanes pc function file line address place other detail advice")
Finding.__doc__ = """What a check has found: check ("hazards", "memory"), kind ("race"), what (a sentence), cycle, times; the access at which it
was found: core, warp, lanes (a bit each), pc, function, file, line; address, None: none, and place, what lies there; other: the
other side, an Accessor, None: there is none; detail; advice, what would help."""

Variable = collections.namedtuple("Variable", "name address bytes dtype shape type")
Variable.__doc__ = """A variable of the program: its address, its size in bytes, what numpy calls it, and its type as text."""

Warp = collections.namedtuple("Warp", "pc lanes running x f")
Warp.__doc__ = """The registers of a warp: pc of the next instruction, active lanes (a bit each), whether it has not ended; x and f
are arrays [register][lane] of uint32 and float32."""


class Result:
    """What came of a run.

    result["y"] is an output. exit_code: what the program returned; end: "finished", or why it ended early; cycles and
    seconds of the whole run, kernel_cycles between the program's markers; stats: all counts, with the names of stats.json;
    console: what the program printed; faults: notes and warnings too; report: for people, "" if all is well; config: all
    parameters in effect, YAML. findings: what `checks` have found, a list of Finding, and findings_text for people; profile and
    energy: profile.json and energy.json of `spica run`; None where they were not asked for. launches: the account by launch
    of a kernel, `launch_account` in docs/reference/results.md; None where it was not asked for, or nothing is launched."""

    def __init__(self, documents=None, **values):
        documents = documents or {}
        self.findings_text = documents.get("findings.txt", "")
        self.findings = [_finding(check, each) for check, key in _CHECKS.items()
                         for each in json.loads(documents.get(f"{check}.json", "{}")).get(key, ())]
        self.profile, self.energy, self.launches = (json.loads(documents.get(f"{name}.json", "null"))
                                                    for name in ("profile", "energy", "launches"))
        self.__dict__.update(values)

    def __getitem__(self, name):
        try:
            return self.outputs[name]
        except KeyError:
            raise KeyError(f"{name!r} is not one of the requested outputs: {', '.join(map(repr, self.outputs)) or 'none'}") from None

    @property
    def ok(self):
        """The program has ended and returned 0, and no check has found anything."""
        return self.end == "finished" and self.exit_code == 0 and not self.findings

    def __repr__(self):
        return f"<spica.Result {self.end}, exit code {self.exit_code}, {self.cycles} cycles, outputs {list(self.outputs)}>"


_CHECKS = {"hazards": "hazards", "memory": "memory_errors"}  # the list in the document of a check


def _party(side):
    """The innermost place that is not of the library."""
    places = [side] + side["inlined_into"] + ([side["called_from"]] if side["called_from"] else [])
    place = next((one for one in places if "sw/lib/" not in one["file"]), side)
    return Accessor(side["does"], side["core"], side["warp"], sum(1 << lane for lane in side["lanes"]), side["pc"], place["function"],
                 place["file"], place["line"], side.get("unit"))


def _finding(check, found):
    first, second = (found[side] and _party(found[side]) for side in ("first", "second"))
    one, other = (second, first) if second else (first, None)
    return Finding(check, found["kind"], found["what"], found["cycle"], found["times"], *one[1:8], found.get("address"), found.get("place"),
                   other, found.get("detail", ""), found["advice"])


class CheckError(RuntimeError):
    """The program has ended, and checks have found something: `findings`, a list of Finding; `result` is what there is."""

    def __init__(self, result):
        super().__init__(result.findings_text)
        self.result, self.findings = result, result.findings

    def __reduce__(self):
        return type(self), (self.result,)


class GuestFault(RuntimeError):
    """The program ended early. `result` has the results so far, with outputs; this object also has the fields of `fault`, a Fault:
    what, cycle, time, core, warp, pc, lanes, address, function, file, line."""

    def __init__(self, result):
        super().__init__(result.report)
        self.result = result
        self.fault = next((fault for fault in reversed(result.faults) if fault.severity == "fault"), None)

    def __getattr__(self, name):
        fault = self.__dict__.get("fault")
        if name in Fault._fields and fault is not None:
            return getattr(fault, name)
        raise AttributeError(name)

    def __reduce__(self):
        return type(self), (self.result,)


class Hang(GuestFault):
    """It would never end, or was stopped at run.max_cycles: result.end is "deadlock", "livelock" or "cycle_limit". core, warp, pc,
    lanes, function, file and line are those of a warp that spins or waits."""


def _settings(settings, mode):
    if isinstance(settings, str):
        settings = [settings]
    if isinstance(settings, collections.abc.Mapping):
        settings = [f"{key}={str(value).lower() if isinstance(value, (bool, np.bool_)) else value}" for key, value in settings.items()]
    settings = [str(setting) for setting in settings or ()]
    return settings + ([f"run.mode={mode}"] if mode is not None else [])


default_checks = ()  # of machines that do not say: pytest --spica-check (pytest_plugin.py)


class Machine:
    """A machine, and after load() a program on it. In a process of its own: any number of them; close() or `with` ends it.

    config: a YAML file, or a shipped configuration by name; settings: {"cluster.cores": 2}, values that replace its own;
    mode: "cycle" (timed) or "fast" (the same results, estimated cycles). allow_plugins: load the libraries of blocks that the
    configuration names. What is wrong is a ConfigError.
    checks: "hazards", "memory" or both, what `spica run --check` looks for; suppressions: files of findings that are known;
    trace: a file, or several, whose ending names the kind (.json, .log, .vcd, .kanata); profile, energy, launches: True: see
    Result. The cycle mode has all of them, the fast mode checks, traces and launches."""

    def __init__(self, config="virgo", settings=None, mode=None, *, checks=None, suppressions=(), trace=(), profile=False, energy=False,
                 launches=False, allow_plugins=False):
        self._machine = _machine.Machine(_machine.program(), os.fspath(config), _settings(settings, mode), bool(allow_plugins))
        checks = words("checks", default_checks if checks is None else checks)
        suppressions = [os.path.abspath(file) for file in words("suppressions", suppressions)] if checks else []
        self._machine.observe(checks, suppressions, [trace_file(file) for file in words("trace", trace)],
                              yes_or_no("profile", profile), yes_or_no("energy", energy),
                              yes_or_no("launches", launches))

    def close(self):
        self._machine.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def load(self, elf, args=None, inputs=None):
        """Builds the machine and fills its memory with the program: an ELF file, or a shipped kernel by name. args and inputs: see
        run()."""
        self._machine.load(os.fspath(elf))
        self._give(args, inputs, ())

    def grid(self, grid, *, kernel=None, block=None):
        """The program runs as a grid of work groups of its kernel (SPICA_KERNEL), of its only one without a name. grid: how many
        work groups, a number or (x, y, z); block: threads of each, None: as the kernel says; a fourth number is bytes of
        shared memory for arrays without a length (extern __shared__). After load()."""
        self._machine.grid(kernel or "", *extents(grid, block))

    def stream(self, name):
        """The stream of kernels of that name, there from the first time that something is added to it: a Stream. On a machine with
        a command processor; after load() and before the run."""
        return Stream(self._machine, name)

    def _give(self, args, inputs, outputs):
        """Returns where the outputs are."""
        problems, places = Problems(), {}
        if isinstance(args, str):
            with problems:
                self._machine.argument_list(args)
        elif args:
            texts = []
            for name, value in args.items():
                with problems:
                    texts += value_texts(name, value)
            with problems:
                self._machine.arguments(texts)
        for name, value in (inputs or {}).items():
            with problems:
                self.write(name, value)
        named = outputs if isinstance(outputs, collections.abc.Mapping) else dict.fromkeys([outputs] if isinstance(outputs, str) else outputs)
        for name, what in named.items():
            with problems:
                places[name] = self._place(name, what, "output")
        problems.check()
        return places

    def variable(self, name):
        """A variable of the program: a Variable. Without debug information (-g) it is bytes."""
        address, size, kind, each, shape, text = self._machine.variable(name)
        if kind == UNKNOWN or (kind == KINDS["f"] and each not in (2, 4, 8)):
            dtype = np.dtype(np.uint8) if each == 1 else np.dtype((np.void, each))
        else:
            dtype = np.dtype(f"<{' uif'[kind]}{each}")
        return Variable(name, address, size, dtype, shape, text)

    def _place(self, name, what, role):
        """(address, dtype, shape) of a variable, or of an address with a dtype or (dtype, shape)."""
        dtype, shape = what if isinstance(what, tuple) else (what, None)
        if shape is not None and not isinstance(shape, tuple):
            shape = (shape,)
        try:
            dtype = None if dtype is None else np.dtype(dtype)
        except TypeError as error:
            raise ConfigError(f"{role} {name!r}: {error}") from None
        if not isinstance(name, str):
            if dtype is None:
                raise ConfigError(f"{role} {name!r}: an address needs a dtype, or (dtype, shape)")
            return int(name), dtype, shape or ()
        found = self.variable(name)
        if dtype is None:
            return found.address, found.dtype, found.shape
        if shape is None:
            shape = found.shape if dtype.itemsize == found.dtype.itemsize else (found.bytes // dtype.itemsize,)
        if int(np.prod(shape, dtype=object)) * dtype.itemsize > found.bytes:
            raise ConfigError(f"{role} {name!r}: {dtype.name}{list(shape)} is more than '{name}' has, which is {found.type}")
        return found.address, dtype, tuple(shape)

    def write(self, place, values, cluster=0):
        """Fills memory, which takes no simulated time. place: a variable, whose type the values must have (numbers and lists take
        it), or an address (values: an array, bytes); cluster: whose shared memory."""
        if isinstance(place, str):
            kind, array = array_of(place, values, lambda: self.variable(place).dtype)
            try:
                self._machine.fill(place, kind, array.itemsize, array.shape, bytes_of(array))
            except ConfigError as error:
                raise ConfigError(f"input {place!r}: {error}") from None
            return
        if not isinstance(values, (np.ndarray, np.generic, bytes, bytearray, memoryview)):
            raise ConfigError(f"input {place:#x}: an address takes an array with a dtype, or bytes")
        self._machine.write(whole_number("address", int(place), 64), bytes_of(array_of(place, values, None)[1]), whole_number("cluster", cluster))

    def read(self, place, dtype=None, shape=None, cluster=0):
        """An array with what is in memory. place: a variable, with the dtype and shape it has in the program, or with those given;
        or an address."""
        return self._read(self._place(place, (dtype, shape), "place"), cluster)

    def _read(self, place, cluster=0):
        address, dtype, shape = place
        array = np.empty(shape, dtype)
        if array.size:
            self._machine.read_into(whole_number("address", address, 64), bytes_of(array), whole_number("cluster", cluster))
        return array

    __getitem__ = read

    def __setitem__(self, place, values):
        self.write(place, values)

    def arguments(self, **values):
        """Members of the program's argument block by name; the others keep what the program has there."""
        self._give(values, None, ())

    def run(self, check=True):
        """Runs to the end, once: a Result. check: a program that faults or hangs is a GuestFault, and one in which checks find
        something a CheckError; otherwise the Result reports it."""
        return self._run({}, check)

    def _run(self, places, check):
        values = self._machine.run()
        if values["end"] == "internal_error":
            raise InternalError(values["report"])
        seconds, cycles = self.seconds, max(values["cycles"], 1)
        values["faults"] = [Fault(time=fault["cycle"] * seconds / cycles, **fault) for fault in values["faults"]]
        outputs = {name: self._read(place) for name, place in places.items()}
        result = Result(seconds=seconds, stats=self.stats, console=self.console, config=self.config, outputs=outputs, **values)
        if check and result.end != "finished":
            raise (GuestFault if result.end == "fault" else Hang)(result)
        if check and result.findings:
            raise CheckError(result)
        return result

    def step(self, cycles=1):
        """Continues for this number of cycles; in the fast mode perhaps a little longer. False: the program has ended; run() returns how."""
        return self._machine.run_cycles(whole_number("cycles", cycles))

    def on_output(self, listener):
        """Calls listener(line) with each line that the program prints, when it does. After load()."""
        self._machine.on_output(listener)

    def warp(self, core=0, warp=0):
        """The registers of a warp: a Warp. Cores are counted over all clusters."""
        pc, lanes, running, count, integers, floats = self._machine.warp(whole_number("core", core), whole_number("warp", warp))
        return Warp(pc, lanes, running, np.frombuffer(integers, "<u4").reshape(32, count),
                    np.frombuffer(floats, "<f4").reshape(32, count))

    @property
    def cycles(self):
        """Simulated time so far."""
        return self._machine.time()[0]

    @property
    def seconds(self):
        cycles, mhz = self._machine.time()
        return cycles / (mhz * 1e6)

    @property
    def stats(self):
        """All that the machine counts, now, with the names of stats.json."""
        return self._machine.counts()

    @property
    def console(self):
        """What the program has printed so far: whole lines."""
        return self._machine.output()

    @property
    def config(self):
        """All parameters in effect, as YAML with the place that each was set at."""
        return self._machine.configuration()


class Stream:
    """Kernels that run one after the other, concurrently with those of other streams. See Machine.stream()."""

    def __init__(self, machine, name):
        self._machine, self.name = machine, name

    def launch(self, kernel, grid, *, block=None, args=None):
        """A kernel of the program, as a grid of work groups; args: members of its argument block, the others are the program's."""
        problems, texts = Problems(), []
        for name, value in (args or {}).items():
            with problems:
                texts += value_texts(name, value)
        with problems:
            grid, block = extents(grid, block)
        problems.check()
        self._machine.launch(self.name, kernel, grid, texts, block)
        return self

    def record(self, event):
        """The event happens when all before it in this stream has ended."""
        self._machine.record(self.name, event)
        return self

    def wait(self, event):
        """What follows in this stream begins after the event."""
        self._machine.wait(self.name, event)
        return self


def run(elf, config="virgo", *, kernel=None, grid=None, block=None, args=None, inputs=None, outputs=(), mode=None, settings=None, check=True, on_output=None,
        checks=None, suppressions=(), trace=(), profile=False, energy=False, launches=False, allow_plugins=False):
    """Runs a program to its end on a machine of its own: a Result.

    elf: an ELF file, or a shipped kernel by name. config, mode, settings, allow_plugins: see Machine.
    kernel, grid, block: see Machine.grid(); without them the program has a main().
    args: {"n": 1000, "sizes": [1, 2]}, members of the program's argument block, or the text of --args.
    inputs: {"x": array}, variables to fill before the run; an array must have the type of the variable and no more elements;
    lists and numbers take its type. {0xA0000000: array} fills memory at an address.
    outputs: ["y"], variables to read after the run, with the dtype and shape they have in the program; or
    {"y": np.float32, 0xC0000000: (np.float32, (4, 4))}.
    check: a program that faults or hangs is a GuestFault, and one in which checks find something a CheckError; on_output: called
    with each line that the program prints. checks, suppressions, trace, profile, energy, launches: see Machine.

    What is wrong with all that is one ConfigError, before the first cycle."""
    problems = Problems()
    with Machine(config, settings, mode, checks=checks, suppressions=suppressions, trace=trace, profile=profile, energy=energy,
                 launches=launches, allow_plugins=allow_plugins) as machine:
        machine._machine.load(os.fspath(elf))
        with problems:
            if kernel is not None or grid is not None or block is not None:
                machine.grid(grid, kernel=kernel, block=block)
        places = {}
        with problems:
            places = machine._give(args, inputs, outputs)
        problems.check()
        if on_output is not None:
            machine.on_output(on_output)
        return machine._run(places, check)
