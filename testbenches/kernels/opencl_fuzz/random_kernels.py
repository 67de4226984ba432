# SPDX-License-Identifier: Apache-2.0
"""Random kernels in OpenCL C whose results every device must agree on.

They compute with integers only, and use nothing that the standard leaves open: no signed overflow, no division by zero,
no order of atomics, no size of pointers or size_t. Work items communicate through barriers, so there is no race.
"""
import random

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
BASES = list(BITS)
WIDTHS = [1] * 12 + [2, 2, 3, 3, 4, 4, 4, 8, 16]
SHUFFLED = (2, 4, 8, 16)  # widths of shuffle()
LOCAL_SIZES = [(32,), (16,), (24,), (7,), (64,), (8, 4), (5, 3), (4, 4, 2)]
GROUPS = 2
WORDS = 4096  # of the input
SLOTS = ("add", "sub", "min", "max", "and", "or", "xor", "inc")  # of counters: one operation each, so order has no effect
EDGES = ("0", "1", "2", "3", "7", "8", "15", "31", "32", "63", "64", "127", "128", "255", "256", "32767", "32768", "65535",
         "0x7fffffff", "0x80000000u", "0xffffffffu", "0x123456789abcdefUL", "0x8000000000000000UL", "0xffffffffffffffffUL")

HEAD = """
typedef struct { uchar a; int4 b; long c; ushort d; uint e[2]; } Record;
uint fold(uint sum, ulong value) { return (sum ^ (uint)value ^ (uint)(value >> 32)) * 0x9e3779b1u + (sum >> 15); }
"""


def name_of(kind):
    base, width = kind
    return base if width == 1 else f"{base}{width}"


def unsigned(base):
    return base if base[0] == "u" else "u" + base


def signed(base):
    return base[1:] if base[0] == "u" else base


def of_bits(bits, is_unsigned):
    return next(base for base, n in BITS.items() if n == bits and (base[0] == "u") == is_unsigned)


class Body:
    """Statements of one function. `variables` are (text, type); those of `fixed` are not assigned to."""

    def __init__(self, rng, helpers, variables=()):
        self.rng = rng
        self.helpers = helpers
        self.variables = list(variables)
        self.fixed = []
        self.arrays = []  # (name, type): private, of 8 elements
        self.has_counters = False
        self.lines = []
        self.serial = 0

    def new_name(self, stem):
        self.serial += 1
        return f"{stem}{self.serial}"

    def kind(self):
        return self.rng.choice(BASES), self.rng.choice(WIDTHS)

    # Expressions. Each has exactly the type asked for.

    def value(self, kind, depth):
        base, width = kind
        if depth <= 0 or self.rng.random() < 0.12:
            return self.leaf(kind)
        makers = [self.arithmetic] * 4 + [self.bits, self.bits, self.shift, self.quotient, self.binary, self.binary, self.ternary,
                  self.unary, self.converted, self.converted, self.reinterpreted, self.comparison, self.choice, self.joined]
        if width in SHUFFLED:
            makers += [self.shuffled, self.shuffled]
        if width == 1:
            makers += [self.tested]
        if self.helpers:
            makers += [self.called]
        if base in ("int", "uint"):
            makers += [self.of_24_bits]
        return self.rng.choice(makers)(kind, depth - 1)

    def leaf(self, kind):
        base, width = kind
        fitting = [text for text, have in self.variables + self.fixed if have == kind]
        fitting += [f"{name}[{self.index()}]" for name, have in self.arrays if have == kind]
        if width == 1:
            fitting += [f"{text}.s{self.rng.randrange(have[1]):x}" for text, have in self.variables if have[0] == base and have[1] > 1]
        elif width in (2, 4, 8):
            for text, have in self.variables:
                if have == (base, width * 2):
                    fitting.append(f"{text}.{self.rng.choice(('lo', 'hi', 'even', 'odd'))}")
        if width > 1:
            wide = [(text, have) for text, have in self.variables if have[0] == base and have[1] > 1]
            if wide:
                text, have = self.rng.choice(wide)
                fitting.append(f"{text}.s" + "".join(f"{self.rng.randrange(have[1]):x}" for _ in range(width)))
        if fitting and self.rng.random() < 0.85:
            return self.rng.choice(fitting)
        if self.rng.random() < 0.8:
            same = [(text, have) for text, have in self.variables + self.fixed if have[1] in (1, width)]
            if same:
                text, have = self.rng.choice(same)
                if have[1] > 1:
                    return f"convert_{name_of(kind)}({text})"
                return f"({name_of(kind)})({text})"
        return f"({name_of(kind)})({self.rng.choice(EDGES)})"

    def index(self):
        scalars = [text for text, have in self.variables + self.fixed if have[1] == 1]
        return f"(uint)({self.rng.choice(scalars)}) & 7" if scalars and self.rng.random() < 0.8 else str(self.rng.randrange(8))

    def arithmetic(self, kind, depth):
        base, width = kind
        operator = self.rng.choice(("+", "-", "*"))
        a, b = self.value(kind, depth), self.value(kind, depth)
        if width == 1:
            wide = "ulong" if BITS[base] == 64 else "uint"
            return f"({base})(({wide})({a}) {operator} ({wide})({b}))"
        wrapping = name_of((unsigned(base), width))
        return f"as_{name_of(kind)}(as_{wrapping}({a}) {operator} as_{wrapping}({b}))"

    def bits(self, kind, depth):
        a, b = self.value(kind, depth), self.value(kind, depth)
        return self.rng.choice((f"({name_of(kind)})(({a}) & ({b}))", f"({name_of(kind)})(({a}) | ({b}))",
                                f"({name_of(kind)})(({a}) ^ ({b}))", f"({name_of(kind)})(~({a}))"))

    def shift(self, kind, depth):
        base, width = kind
        amount = self.value(kind, depth)
        if self.rng.random() < 0.5:
            return f"({name_of(kind)})(({self.value(kind, depth)}) >> ({amount}))"
        if width == 1:
            return f"({base})(({unsigned(base)})({self.value(kind, depth)}) << ({amount}))" if BITS[base] >= 32 else \
                f"({base})((uint)({self.value(kind, depth)}) << ({amount}))"
        wrapping = name_of((unsigned(base), width))
        return f"as_{name_of(kind)}(as_{wrapping}({self.value(kind, depth)}) << as_{wrapping}({amount}))"

    def quotient(self, kind, depth):
        name, operator = name_of(kind), self.rng.choice("/%")
        a = self.value(kind, depth)
        dividend = f"({a})" if kind[0][0] == "u" else f"(({a}) >> ({name})(1))"  # without the least number
        return f"({name})({dividend} {operator} (({self.value(kind, depth)}) | ({name})(1)))"

    def binary(self, kind, depth):
        function = self.rng.choice(("add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "max", "min", "rotate"))
        return f"{function}({self.value(kind, depth)}, {self.value(kind, depth)})"

    def ternary(self, kind, depth):
        base, width = kind
        a, b, c = (self.value(kind, depth) for _ in range(3))
        picked = self.rng.randrange(5)
        if picked == 0:
            return f"mad_sat({a}, {b}, {c})"
        if picked == 1:
            return f"mad_hi({a}, {b}, {c})" if base[0] == "u" else f"mad_sat({b}, {a}, {c})"
        if picked == 2:
            return f"clamp({a}, min({b}, {c}), max({b}, {c}))"
        if picked == 3:
            return f"bitselect({a}, {b}, {c})"
        condition = (self.rng.choice((signed, unsigned))(base), width)
        return f"select({a}, {b}, {self.value(condition, depth)})"

    def unary(self, kind, depth):
        base, width = kind
        if base[0] == "u" and self.rng.random() < 0.5:
            other = (self.rng.choice((base, signed(base))), width)
            a = self.value(other, depth)
            return f"abs({a})" if self.rng.random() < 0.5 else f"abs_diff({a}, {self.value(other, depth)})"
        if BITS[base] >= 16 and self.rng.random() < 0.3:
            half = BITS[base] // 2
            high, low = (of_bits(half, base[0] == "u"), width), (of_bits(half, True), width)
            return f"upsample({self.value(high, depth)}, {self.value(low, depth)})"
        return f"{self.rng.choice(('clz', 'popcount'))}({self.value(kind, depth)})"

    def converted(self, kind, depth):
        other = (self.rng.choice(BASES), kind[1])
        suffix = self.rng.choice(("", "_sat", "_sat"))
        return f"convert_{name_of(kind)}{suffix}({self.value(other, depth)})"

    def reinterpreted(self, kind, depth):
        base, width = kind
        fitting = [(other, BITS[base] * width // BITS[other]) for other in BASES if BITS[base] * width % BITS[other] == 0]
        fitting = [other for other in fitting if other[1] in (1, 2, 4, 8, 16)] if width != 3 else []
        if not fitting:
            return self.leaf(kind)
        return f"as_{name_of(kind)}({self.value(self.rng.choice(fitting), depth)})"

    def comparison(self, kind, depth):
        base, width = kind
        operator = self.rng.choice(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))
        if width == 1:
            other = (self.rng.choice(BASES), 1)
            return f"({base})(({self.value(other, depth)}) {operator} ({self.value(other, depth)}))"
        other = (self.rng.choice((signed, unsigned))(base), width)
        mask = f"(({self.value(other, depth)}) {operator} ({self.value(other, depth)}))"
        return mask if base[0] != "u" else f"as_{name_of(kind)}({mask})"

    def choice(self, kind, depth):
        base, width = kind
        condition = self.value((signed(base), width) if width > 1 else (self.rng.choice(BASES), 1), depth)
        chosen = f"(({condition}) ? ({self.value(kind, depth)}) : ({self.value(kind, depth)}))"
        return chosen if width > 1 else f"({base}){chosen}"

    def joined(self, kind, depth):
        """A vector of shorter ones."""
        base, width = kind
        if width == 1:
            return self.leaf(kind)
        parts, left = [], width
        while left:
            part = self.rng.choice([n for n in (1, 1, 2, 3, 4, 8) if n <= left and n < width])
            parts.append(self.value((base, part), depth - 1))
            left -= part
        return f"({name_of(kind)})({', '.join(parts)})"

    def shuffled(self, kind, depth):
        base, width = kind
        source = (base, self.rng.choice(SHUFFLED))
        mask = self.value((unsigned(base), width), depth - 1)
        if self.rng.random() < 0.5:
            return f"shuffle({self.value(source, depth - 1)}, {mask})"
        return f"shuffle2({self.value(source, depth - 1)}, {self.value(source, depth - 1)}, {mask})"

    def tested(self, kind, depth):
        vector = (signed(self.rng.choice(BASES)), self.rng.choice(SHUFFLED))
        return f"({kind[0]}){self.rng.choice(('any', 'all'))}({self.value(vector, depth)})"

    def called(self, kind, depth):
        fitting = [helper for helper in self.helpers if helper.kind == kind] or None
        if fitting is None:
            return self.leaf(kind)
        helper = self.rng.choice(fitting)
        return f"{helper.name}({', '.join(self.value(parameter, depth - 1) for parameter in helper.parameters)})"

    def of_24_bits(self, kind, depth):
        name = name_of(kind)
        a, b = (f"({self.value(kind, depth)}) >> ({name})(17)" for _ in range(2))
        if self.rng.random() < 0.5:
            return f"mul24({a}, {b})"
        return f"mad24({a}, {b}, ({self.value(kind, depth)}) >> ({name})(2))"

    def condition(self):
        return f"(({self.value((self.rng.choice(BASES), 1), 2)}) & {self.rng.choice((1, 3, 5, 6))}) {self.rng.choice(('==', '!='))} " \
               f"{self.rng.choice((0, 1))}"

    # Statements.

    def add(self, text):
        self.lines.append(text)

    def declare(self, kind):
        name = self.new_name("v")
        self.add(f"{name_of(kind)} {name} = {self.value(kind, 2)};")
        self.variables.append((name, kind))

    def assign(self):
        text, kind = self.rng.choice(self.variables)
        base, width = kind
        way = self.rng.random()
        if width > 1 and way < 0.25:
            picked = self.rng.sample(range(width), self.rng.choice([n for n in (1, 2, 3, 4) if n <= width]))
            part = (base, len(picked))
            return self.add(f"{text}.s{''.join(f'{n:x}' for n in picked)} = {self.value(part, 3)};")
        if base in ("uint", "ulong") and way < 0.4:
            return self.add(f"{text} {self.rng.choice(('+', '-', '*', '^', '|', '&'))}= {self.value(kind, 2)};")
        return self.add(f"{text} = {self.value(kind, self.rng.choice((2, 3, 3)))};")

    def store(self):
        if not self.arrays:
            return self.assign()
        name, kind = self.rng.choice(self.arrays)
        return self.add(f"{name}[{self.index()}] = {self.value(kind, 2)};")

    def count(self):
        if not self.has_counters:
            return self.assign()
        at = self.rng.randrange(len(SLOTS))
        where = self.rng.choice(("counters", "shared_counters"))
        of_kind = "" if SLOTS[at] == "inc" else f", {self.value(('uint', 1), 2)}"
        return self.add(f"atomic_{SLOTS[at]}(&{where}[{at}]{of_kind});")

    def own(self):
        """An atomic on a word of this work item alone: its result is certain."""
        scalars = [text for text, kind in self.variables if kind == ("uint", 1)]
        if not self.has_counters or not scalars:
            return self.assign()
        function = self.rng.choice(("add", "xchg", "max", "xor", "cmpxchg"))
        values = ", ".join(self.value(("uint", 1), 1) for _ in range(2 if function == "cmpxchg" else 1))
        return self.add(f"{self.rng.choice(scalars)} = atomic_{function}(&own[item], {values});")

    def block(self, count, depth):
        known = len(self.variables)
        if self.rng.random() < 0.3:
            self.declare(self.kind())
        for _ in range(count):
            self.statement(depth)
        del self.variables[known:]

    def branch(self, depth):
        self.add(f"if ({self.condition()}) {{")
        self.block(self.rng.randint(1, 2), depth - 1)
        if self.rng.random() < 0.5:
            self.add("} else {")
            self.block(self.rng.randint(1, 2), depth - 1)
        self.add("}")

    def loop(self, depth):
        counter = self.new_name("i")
        limit = f"(uint)({self.value(('uint', 1), 1)}) & {self.rng.choice((3, 7))}"
        self.add(f"for (uint {counter} = 0, n{counter} = {limit}; {counter} < n{counter}; ++{counter}) {{")
        self.fixed.append((counter, ("uint", 1)))
        self.block(self.rng.randint(1, 2), depth - 1)
        if self.rng.random() < 0.5:
            self.add(f"if ({self.condition()}) {self.rng.choice(('break', 'continue'))};")
            self.block(1, depth - 1)
        self.fixed.pop()
        self.add("}")

    def cases(self, depth):
        self.add(f"switch ((uint)({self.value(('uint', 1), 2)}) & 3) {{")
        had_counters, self.has_counters = self.has_counters, False  # PoCL 3.1 loses optimised atomics here
        for case in self.rng.sample(range(4), self.rng.randint(1, 4)):
            self.add(f"case {case}: {{")
            self.block(1, depth - 1)
            self.add("}" if self.rng.random() < 0.3 else "} break;")
        self.has_counters = had_counters
        self.add("default: break; }")

    def statement(self, depth):
        makers = [self.assign] * 5 + [self.store, self.store, self.count, self.own]
        if depth > 0:
            makers += [self.branch, self.branch, self.loop, self.cases]
        maker = self.rng.choice(makers)
        return maker(depth) if maker in (self.branch, self.loop, self.cases) else maker()


class Helper:
    """A function that kernels call."""

    def __init__(self, rng, name, helpers):
        self.name = name
        self.kind = (rng.choice(BASES), rng.choice((1, 1, 1, 2, 3, 4)))
        self.parameters = [(rng.choice(BASES), rng.choice((1, 1, 2, 4))) for _ in range(rng.randint(1, 3))]
        body = Body(rng, helpers, [(f"p{n}", kind) for n, kind in enumerate(self.parameters)])
        body.declare(self.kind)
        for _ in range(rng.randint(1, 3)):
            body.statement(2)
        if rng.random() < 0.4:
            body.add(f"if ({body.condition()}) return {body.value(self.kind, 1)};")
            body.assign()
        parameters = ", ".join(f"{name_of(kind)} p{n}" for n, kind in enumerate(self.parameters))
        stays = "__attribute__((noinline)) " if rng.random() < 0.4 else ""
        self.text = f"{stays}{name_of(self.kind)} {name}({parameters}) {{\n" + "\n".join(body.lines) + \
            f"\nreturn {body.value(self.kind, 2)};\n}}\n"


class Kernel:
    """A kernel of the parameters (input, output, own, counters, s, dynamic): `s` is any number, `dynamic` is local memory of
    8 bytes for each work item. `local_size` is its work group; a launch has GROUPS of them in x."""

    def __init__(self, seed):
        rng = random.Random(f"kernel {seed}")
        self.name = f"k{seed}"
        self.local_size = rng.choice(LOCAL_SIZES)
        helpers = []
        for n in range(rng.choice((0, 1, 1, 2))):
            helpers.append(Helper(rng, f"f{seed}_{n}", helpers[:]))
        body = Body(rng, helpers)
        self.rng, self.body = rng, body
        self.items = 1
        for size in self.local_size:
            self.items *= size
        self.begin()
        for _ in range(rng.randint(4, 8)):
            self.top_statement()
        self.end()
        text = "".join(helper.text for helper in helpers)
        self.text = text + f"__kernel void {self.name}(__global const uint* input, __global uint* output, __global uint* own,\n" \
            "  __global uint* counters, uint s, __local ulong* dynamic) {\n" + "\n".join(body.lines) + "\n}\n"

    def begin(self):
        body, rng = self.body, self.rng
        x, y, z = (*self.local_size, 1, 1)[:3]
        body.add("const uint l = get_local_id(0) + get_local_id(1) * get_local_size(0)"
                 " + get_local_id(2) * get_local_size(0) * get_local_size(1);")
        body.add(f"const uint item = (uint)get_group_id(0) * {x * y * z} + l;")
        body.add("const uint place = (uint)get_global_id(0) + 3 * (uint)get_global_id(1) + 5 * (uint)get_global_offset(0);")
        body.add("__local uint shared_counters[8];")
        body.add("if (l == 0) for (uint i = 0; i < 8; ++i) shared_counters[i] = i * 77777;")
        body.add("barrier(CLK_LOCAL_MEM_FENCE);")
        body.has_counters = True
        body.fixed += [("l", ("uint", 1)), ("place", ("uint", 1)), ("s", ("uint", 1))]
        for _ in range(rng.randint(3, 6)):
            kind = body.kind()
            name = body.new_name("v")
            width = kind[1]
            at = f"(item + {rng.randrange(200)}) & 255"
            loaded = f"input[({at}) * 13 & {WORDS - 1}]" if width == 1 else f"vload{width}({at}, input)"
            if BITS[kind[0]] == 64 and width in (1, 2, 4, 8):
                loaded = f"as_{name_of(kind)}(vload{2 * width}({at}, input))"
            elif width > 1:
                loaded = f"convert_{name_of(kind)}({loaded})"
            body.add(f"{name_of(kind)} {name} = {loaded};")
            body.variables.append((name, kind))
        if rng.random() < 0.3:
            name = body.new_name("r")
            body.add(f"Record {name} = {{(uchar)l, (int4)(s, l, 3, place), (long)place << 31, (ushort)item, {{s, l}}}};")
            body.variables += [(f"{name}.a", ("uchar", 1)), (f"{name}.b", ("int", 4)), (f"{name}.c", ("long", 1)),
                               (f"{name}.d", ("ushort", 1)), (f"{name}.e[1]", ("uint", 1))]
        for _ in range(rng.choice((0, 1, 1, 2))):
            kind, name = (rng.choice(BASES), rng.choice((1, 1, 2, 4))), body.new_name("a")
            body.add(f"{name_of(kind)} {name}[8];")
            body.add(f"for (uint i = 0; i < 8; ++i) {name}[i] = ({name_of(kind)})(i * 1234567 + l);")
            body.arrays.append((name, kind))

    def top_statement(self):
        way = self.rng.random()
        if way < 0.3:
            self.exchange()
        elif way < 0.4:
            counter = self.body.new_name("t")
            self.body.add(f"for (uint {counter} = 0; {counter} < (s & 3) + 1; ++{counter}) {{")
            self.body.fixed.append((counter, ("uint", 1)))
            self.exchange()
            self.body.statement(1)
            self.body.fixed.pop()
            self.body.add("}")
        elif way < 0.5:
            self.body.declare(self.body.kind())
        else:
            self.body.statement(3)

    def exchange(self):
        """Each work item reads what another one has stored."""
        body, rng = self.body, self.rng
        text, kind = rng.choice(body.variables)
        other = f"(l + {rng.randrange(self.items)}) % {self.items}" if rng.random() < 0.6 else \
            f"(uint)({body.value(('uint', 1), 1)}) % {self.items}"
        if BITS[kind[0]] * kind[1] == 64 and rng.random() < 0.5:
            body.add(f"dynamic[l] = as_ulong({body.value(kind, 1)}); barrier(CLK_LOCAL_MEM_FENCE); "
                     f"{text} = as_{name_of(kind)}(dynamic[{other}]); barrier(CLK_LOCAL_MEM_FENCE);")
        elif kind == ("uint", 1) and rng.random() < 0.5:
            body.add("barrier(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE); "
                     f"{text} ^= own[item - l + {other}]; barrier(CLK_GLOBAL_MEM_FENCE);")
        else:
            name = body.new_name("shared")
            self.body.lines.insert(0, f"__local {name_of(kind)} {name}[{self.items}];")
            body.add(f"{name}[l] = {body.value(kind, 1)}; barrier(CLK_LOCAL_MEM_FENCE); "
                     f"{text} = {name}[{other}]; barrier(CLK_LOCAL_MEM_FENCE);")

    def end(self):
        body = self.body
        body.add("barrier(CLK_LOCAL_MEM_FENCE); uint sum = place;")
        for text, (_, width) in body.variables:
            for n in range(width):
                body.add(f"sum = fold(sum, (ulong){text}{'' if width == 1 else f'.s{n:x}'});")
        for name, (_, width) in body.arrays:
            folded = " ".join(f"sum = fold(sum, (ulong){name}[i]{'' if width == 1 else f'.s{n:x}'});" for n in range(width))
            body.add(f"for (uint i = 0; i < 8; ++i) {{ {folded} }}")
        body.add("for (uint i = 0; i < 8; ++i) sum = fold(sum, shared_counters[i]);")
        body.add("output[item] = sum;")


def program(seeds):
    """The source of a program, and its kernels."""
    kernels = [Kernel(seed) for seed in seeds]
    return HEAD + "".join(kernel.text for kernel in kernels), kernels
