# SPDX-License-Identifier: Apache-2.0
"""A machine in a process of its own, `spica serve`, and the messages to it: platform/bindings/client/wire.h has what is in them."""
import contextlib
import enum
import os
import pathlib
import shutil
import signal
import socket
import struct
import threading
import weakref

VERSION = "0.2.0"  # of the program


class ConfigError(ValueError):
    """What was given is wrong: a configuration, a file, a name, an array. `problems` has all of it, a line each."""

    __module__ = "spica"
    problems = property(lambda self: str(self).splitlines())


class InternalError(RuntimeError):
    """A bug of Spica, or an unexpected end of a machine's process."""

    __module__ = "spica"


# The numbers of wire.h and spica.h, where these have the same names in the same order.
Request = enum.IntEnum("Request", "CREATE OBSERVE LOAD ARGUMENTS GRID STEP VARIABLE FILL WRITE READ RUN RUN_CYCLES TIME STATISTIC COUNTS WARP OUTPUT "
                       "CONFIGURATION "
                       # of a device, which Python does not have
                       "STAND ADD REMOVE SYMBOL PROBLEMS ENQUEUE ENQUEUE_BARRIER RUN_UNTIL RUN_IDLE TIMES FAULTS "
                       # without a machine
                       "MMA EXPLAIN", start=0)
Answer = enum.IntEnum("Answer", "DONE ERROR INTERNAL_ERROR LINE", start=0)
SEVERITIES = ("note", "warning", "fault")
ENDS = ("finished", "fault", "deadlock", "livelock", "cycle_limit", "internal_error")


def _text(text):
    """A text in a message. Names of files need not be Unicode."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a text, not {text!r}")
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return struct.pack("=Q", len(data)) + data


def _texts(texts):
    return struct.pack("=Q", len(texts)) + b"".join(map(_text, texts))


def _extent(lengths):
    """4x2x1; the fourth number of a block, bytes of shared memory: 4x2x1,512."""
    return ",".join("x".join(map(str, part)) for part in (lengths[:3], lengths[3:]) if part)


def _list(values):
    """Arguments, as --args takes them."""
    for name, text in values:
        if set(name + text) & set(",=") or not name:  # both would be taken for other arguments
            raise ConfigError(f"argument '{name}': names and values must not contain a comma or an equals sign")
    return ",".join(f"{name}={text}" for name, text in values)


_WORD = struct.Struct("=Q")


class _Reader:
    """Takes the values out of a message."""

    def __init__(self, data):
        self._data, self._at = memoryview(data), 0

    def raw(self, size):
        self._at += size
        if self._at > len(self._data):
            raise InternalError("a message between the processes is too short")
        return bytes(self._data[self._at - size:self._at])

    def get(self, layout):
        return struct.unpack("=" + layout, self.raw(struct.calcsize("=" + layout)))

    def number(self):
        return _WORD.unpack(self.raw(8))[0]

    def text(self):
        """What a program says need not be UTF-8."""
        return self.raw(self.number()).decode("utf-8", "replace")

    def each(self, one):
        return [one() for _ in range(self.number())]

    def fault(self):
        severity, what = SEVERITIES[self.get("B")[0]], self.text()
        cycle, core, warp, pc, lanes, address = self.get("QIIIIQ")
        return {"severity": severity, "what": what, "cycle": cycle, "core": core, "warp": warp, "pc": pc, "lanes": lanes,
                "address": address or None, "function": self.text(), "file": self.text(), "line": self.get("I")[0], "text": self.text()}

    def outcome(self):
        end, exit_code, cycles, kernel_cycles = self.get("BiQQ")
        return {"end": ENDS[end], "exit_code": exit_code, "cycles": cycles, "kernel_cycles": kernel_cycles, "faults": self.each(self.fault),
                "report": self.text(), "documents": dict(self.each(lambda: (self.text(), self.text())))}


def program():
    """The program `spica` that belongs to this package: of its prefix or build folder."""
    given = os.environ.get("SPICA_PROGRAM")
    own = pathlib.Path(os.path.realpath(__file__)).parents[4] / "bin" / "spica"
    found = given or (str(own) if own.is_file() else shutil.which("spica"))
    if not found:
        raise ConfigError(f"there is no program {own}, and no 'spica' in PATH: name it in SPICA_PROGRAM")
    return found


class _Child:
    """A process that runs `spica serve`, and the socket to it."""

    def __init__(self, program, allow_plugins):
        self.owner, self._ended, self._turn = os.getpid(), "", threading.Lock()
        mine, other = socket.socketpair()
        with other:
            for end in mine, other:
                end.setblocking(True)  # whatever socket.setdefaulttimeout() says
            try:  # it does not hear the Ctrl-C of the terminal, which is its parent's, and writes nothing to standard output
                self.process = os.posix_spawn(program, ["spica", "serve"] + ["--allow-plugins"] * allow_plugins, os.environ, setpgroup=0, setsigmask=(),
                                              file_actions=[(os.POSIX_SPAWN_DUP2, other.fileno(), 0),
                                                            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
            except OSError as error:
                mine.close()
                raise ConfigError(f"cannot start '{program}': {error.strerror}") from None
        self.socket = mine

    def stop(self):
        with self._turn, contextlib.suppress(ProcessLookupError):  # another part of this program may have waited for it
            if not self._ended:
                os.kill(self.process, signal.SIGKILL)

    def end(self):
        """How it has ended."""
        with contextlib.suppress(ChildProcessError):  # without the turn: meanwhile stop() reaches it
            os.waitid(os.P_PID, self.process, os.WEXITED | os.WNOWAIT)
        with self._turn:
            if not self._ended:
                try:
                    code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
                    self._ended = f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code} ({signal.strsignal(-code)})"
                except ChildProcessError:
                    self._ended = "has ended, and another part of this program has waited for it"
            return self._ended

    def release(self):
        if os.getpid() == self.owner:  # else a copy in a process that was forked
            self.stop()
            self.end()
        self.socket.close()


class Machine:
    """The requests that it takes. One at a time, of any thread; while it works, other threads of Python do."""

    def __init__(self, program, configuration, settings, allow_plugins):
        self._loaded = False
        self._start(program, allow_plugins)
        version = self._ask(Request.CREATE, _text(configuration) + _texts(settings)).text()
        if version != VERSION:
            raise ConfigError(f"'{program}' is Spica {version}, and this library is {VERSION}")

    def _start(self, program, allow_plugins):
        self._turn, self._asking, self._lost, self._listener = threading.Lock(), None, "", None
        self._child = _Child(program, allow_plugins)
        self.close = weakref.finalize(self, self._child.release)

    def observe(self, checks, suppressions, traces, profile, energy, launches):
        self._ask(Request.OBSERVE, b"".join(map(_texts, (checks, suppressions, traces)))
                  + struct.pack("=???", profile, energy, launches) + _text("") + _text("") + _texts([]) + struct.pack("=Q", 0))

    def load(self, program):
        if self._loaded:
            raise ConfigError("the machine has loaded a program before: make another spica.Machine for this one")
        program = os.fsdecode(program)
        # A file is where it is now, wherever the other process is.
        self._ask(Request.LOAD, _text(os.path.join(os.getcwd(), program) if os.path.isfile(program) else program))
        self._loaded = True

    def argument_list(self, text):
        self._ask(Request.ARGUMENTS, _text(text))

    def arguments(self, values):
        if values:
            self.argument_list(_list(values))

    def grid(self, kernel, grid, block):
        self._ask(Request.GRID, _text(kernel) + _text(_extent(grid)) + _text(_extent(block)))

    def launch(self, stream, kernel, grid, values, block):
        self._step(stream, kernel, _extent(grid), _extent(block), _list(values), "", "")

    def record(self, stream, event):
        self._step(stream, "", "", "", "", event, "")

    def wait(self, stream, event):
        self._step(stream, "", "", "", "", "", event)

    def _step(self, *texts):
        self._ask(Request.STEP, b"".join(map(_text, texts)))

    def variable(self, name):
        """(address, bytes, kind, bytes of an element, shape, type as text)"""
        answer = self._ask(Request.VARIABLE, _text(name))
        answer.text()
        return *answer.get("QQBQ"), tuple(answer.each(answer.number)), answer.text()

    def fill(self, name, kind, item_bytes, shape, data):
        """Of a variable. data: a memoryview of bytes."""
        self._ask(Request.FILL, _text(name) + struct.pack(f"=BQQ{len(shape)}Q", kind, item_bytes, len(shape), *shape), data)

    def write(self, address, data, cluster):
        self._ask(Request.WRITE, struct.pack("=QI", address, cluster), data)

    def read_into(self, address, data, cluster):
        self._ask(Request.READ, struct.pack("=QIQ", address, cluster, len(data)), into=data)

    def run(self):
        return self._ask(Request.RUN).outcome()

    def run_cycles(self, cycles):
        return self._ask(Request.RUN_CYCLES, struct.pack("=Q", cycles)).get("?")[0]

    def time(self):
        """(cycles, MHz)"""
        return self._ask(Request.TIME).get("Qd")

    def counts(self):
        answer = self._ask(Request.COUNTS)
        return dict(answer.each(lambda: (answer.text(), answer.number())))

    def warp(self, core, warp):
        """(pc, lanes, whether it runs, number of lanes, integers, floats)"""
        answer = self._ask(Request.WARP, struct.pack("=II", core, warp))
        return *answer.get("II?I"), answer.raw(4 * answer.number()), answer.raw(4 * answer.number())

    def output(self):
        return self._ask(Request.OUTPUT).text()

    def configuration(self):
        return self._ask(Request.CONFIGURATION).text()

    def on_output(self, listener):
        self._check_open()
        self._listener = listener

    def _check_open(self):
        if not self.close.alive:
            raise ConfigError("the machine is closed")

    def _ask(self, request, values=b"", data=b"", into=None):
        """Sends a request, and returns the answer. data: more bytes of it; into: room for those of the answer."""
        self._check_open()
        if self._child.owner != os.getpid():
            raise ConfigError("the machine belongs to the process that created it, not to a forked one")
        if self._asking == threading.get_ident():
            raise ConfigError("the machine is running: call this after run() has returned, not from a callback")
        with self._turn:
            if self._lost:
                raise InternalError(self._lost)
            try:
                self._asking = threading.get_ident()
                self._send(struct.pack("=QB", 1 + len(values) + len(data), request) + values, data)
                kind, answer = self._receive(into)
            except BaseException:  # no call waits for what comes from it now
                self._lost = self._lost or "the machine was stopped while it ran"
                self._child.stop()
                raise
            finally:
                self._asking = None
        if kind == Answer.ERROR:
            raise ConfigError(answer.text())
        return answer

    def _send(self, *parts):
        try:
            for part in parts:
                self._child.socket.sendall(part, socket.MSG_NOSIGNAL)
        except OSError:
            pass  # the other end is closed: no answer comes

    def _receive(self, into):
        while True:
            header = bytearray(9)
            self._fill(memoryview(header))
            size, kind = struct.unpack("=QB", header)
            if kind == Answer.DONE and into is not None and size == 1 + len(into):
                self._fill(into)
                return kind, None
            answer = _Reader(self._bytes(size - 1))
            if kind == Answer.INTERNAL_ERROR:
                self._lost = answer.text()
                raise InternalError(self._lost)
            if kind != Answer.LINE:
                return kind, answer
            if self._listener is not None:
                self._listener(answer.text())

    def _bytes(self, size):
        data = bytearray()
        while len(data) < size:  # room grows with what has come: the size may be anything
            piece = bytearray(min(size - len(data), max(1 << 24, len(data))))
            self._fill(memoryview(piece))
            data += piece
        return data

    def _fill(self, room):
        while len(room):
            try:
                got = self._child.socket.recv_into(room)
            except OSError:
                got = 0
            if not got:
                self._check_open()
                self._lost = f"the process of the machine {self._child.end()}; its messages are on standard error"
                raise InternalError(self._lost)
            room = room[got:]


class Service(Machine):
    """A process without a machine, for requests that need none."""

    def __init__(self, program):
        self._start(program, False)

    def serves(self):
        """Whether calls of this process can still use it."""
        return not self._lost and self._child.owner == os.getpid()

    def ask(self, request, values):
        return self._ask(request, values)
