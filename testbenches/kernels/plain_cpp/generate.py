# SPDX-License-Identifier: Apache-2.0
"""Random programs in plain C++ (harness.h): nested loops, break, continue, goto, switch with fall-through, early returns,
calls, recursion, local arrays, 64-bit and float arithmetic, all with conditions that differ by lane. No undefined
behaviour, and every loop ends."""
import random

WORDS = 6  # results of a task


class Generator:
    def __init__(self, seed):
        self.random = random.Random(f"plain {seed}")
        self.lines = []
        self.loops = 0  # around the current statement
        self.names = 0
        self.functions = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def name(self, start):
        self.names += 1
        return f"{start}{self.names}"

    # ---- expressions ----------------------------------------------------------------------------
    def word(self, depth=2):
        if depth == 0 or self.chance(20):
            return self.pick("a", "b", "c", "id", "k", "x[c & 7]", f"{self.random.randrange(1, 100)}u",
                             f"table[{self.pick('a', 'b', 'id')} & 63]")
        one, two = self.word(depth - 1), self.word(depth - 1)
        form = self.random.randrange(13)
        if form < 5:
            return f"({one} {self.pick('+', '-', '*', '^', '&', '|')} {two})"
        if form == 5:
            return f"({one} {self.pick('/', '%')} ({two} | 1))"
        if form == 6:
            return f"({one} {self.pick('<<', '>>')} ({two} & 31))"
        if form == 7:
            return f"({self.condition(1)} ? {one} : {two})"
        if form == 8:
            return f"unsigned({self.wide(1)} >> ({two} & 63))"
        if form == 9:
            return f"unsigned(int({self.real(1)}))"
        if form == 10:
            return f"unsigned({self.wide(1)} {self.pick('/', '%')} ({self.wide(0)} | 1))" if self.chance(25) else f"unsigned({one} < {two})"
        if form == 11 and self.functions:
            return f"{self.pick(*self.functions)}({one}, {two})"
        return f"{self.pick('smaller', 'larger')}({one}, {two})"

    def wide(self, depth=1):
        if depth == 0:
            return self.pick("w", "u64(a) * b", "(u64(b) << 32 | a)")
        form = self.random.randrange(4)
        if form == 0:
            return f"(w {self.pick('+', '-', '*', '^')} {self.word(0)})"
        if form == 1:
            return f"(w {self.pick('<<', '>>')} ({self.word(0)} & 63))"
        if form == 2:
            return f"({self.condition(1)} ? w : {self.wide(0)})"
        return self.wide(0)

    def real(self, depth=1):  # of a size that an int holds
        value = self.pick("f", f"float(int({self.word(0)} & 0xFFFF))")
        if depth == 0 or self.chance(40):
            return value
        return self.pick(f"({value} * 0.5f + 3.0f)", f"({self.condition(1)} ? {value} : 2.5f)", f"({value} - float(b & 255))",
                         f"__builtin_floorf({value} * 0.125f)")

    def condition(self, depth=2):
        form = self.random.randrange(9)
        if depth and form < 3:
            return f"({self.condition(depth - 1)} {self.pick('&&', '||')} {self.condition(depth - 1)})"
        if form == 3:
            return f"({self.pick('u64', 'i64')}({self.wide(1)}) {self.pick('<', '>=')} {self.pick('(u64(a) << 20)', 'i64(c)')})"
        if form == 4:
            return f"({self.real(1)} {self.pick('<', '>', '<=')} {self.random.randrange(1000)}.5f)"
        if form == 5:
            return f"(int({self.word(1)}) < int({self.word(0)}))"
        return f"({self.word(1)} {self.pick('<', '>', '==', '!=')} {self.word(0)})" if form == 6 else \
            f"(({self.word(1)} & {self.pick(1, 2, 3, 4, 8)}) {self.pick('==', '!=')} 0)"

    # ---- statements -----------------------------------------------------------------------------
    def say(self, level, text):
        self.lines.append("  " * level + text)

    def assignment(self, level):
        form = self.random.randrange(10)
        if form < 6:
            self.say(level, f"{self.pick('a', 'b', 'c')} {self.pick('=', '+=', '^=', '*=', '-=')} {self.word()};")
        elif form == 6:
            self.say(level, f"w {self.pick('=', '+=', '^=')} {self.wide()};")
        elif form == 7:
            self.say(level, f"f = {self.real()};")
            self.say(level, "if (!(f > -1e6f && f < 1e6f)) f = 1.0f;")
        else:
            self.say(level, f"x[{self.word(1)} & 7] {self.pick('=', '+=')} {self.word()};")

    def leave(self, level):
        """A jump out of something."""
        choices = ["goto out;"]
        if self.can_return:
            choices.append(f"return {self.word(1)};")
        if self.loops:
            choices += ["break;", "continue;"] * 2
        self.say(level, f"if ({self.condition(1)}) {self.pick(*choices)}")

    def loop(self, level, depth):
        i, limit = self.name("i"), f"({self.word(1)}) % {self.random.randrange(2, 7)}"
        form = self.random.randrange(4)
        if form < 2:
            self.say(level, f"for (unsigned {i} = 0, end{i} = {limit}; {i} < end{i}; ++{i}) {{")
            end = "}"
        elif form == 2:
            self.say(level, f"unsigned {i} = {limit};")
            self.say(level, f"while ({i}-- != 0 && {self.condition(1)}) {{")
            end = "}"
        else:
            self.say(level, f"unsigned {i} = 0;")
            self.say(level, "do {")
            end = f"}} while (++{i} < 5 && {self.condition(1)});"
        self.loops += 1
        self.block(level + 1, depth)
        self.loops -= 1
        self.say(level, f"  k += {i};" if form != 3 else "  ++k;")
        self.say(level, end)

    def switch(self, level, depth):
        self.say(level, f"switch ({self.word(1)} % {self.random.randrange(3, 9)}) {{")
        for value in self.random.sample(range(8), self.random.randrange(2, 6)):
            self.say(level + 1, f"case {value}: {{")
            self.block(level + 2, depth, 2)
            self.say(level + 1, "}")
            if self.chance(65):
                self.say(level + 1, "  break;")
            else:
                self.say(level + 1, "  [[fallthrough]];")
        self.say(level + 1, "default:")
        self.assignment(level + 2)
        self.say(level, "}")

    def jump_into(self, level, depth):
        """A loop of gotos with two entries."""
        again, inside, count = self.name("again"), self.name("inside"), self.name("n")
        self.say(level, f"unsigned {count} = 0;")
        self.say(level, f"if ({self.condition(1)}) goto {inside};")
        self.say(level, f"{again}:")
        self.assignment(level)
        self.say(level, f"{inside}:")
        self.assignment(level)
        self.say(level, f"if (++{count} < 6 && {self.condition(1)}) goto {self.pick(again, inside)};")

    def block(self, level, depth, most=4):
        for _ in range(self.random.randrange(1, most + 1)):
            form = self.random.randrange(20)
            if depth == 0 or form < 6:
                self.assignment(level)
            elif form < 11:
                self.say(level, f"if ({self.condition()}) {{")
                self.block(level + 1, depth - 1)
                if self.chance(50):
                    self.say(level, "} else {")
                    self.block(level + 1, depth - 1)
                self.say(level, "}")
            elif form < 14:
                self.say(level, "{")
                self.loop(level + 1, depth - 1)
                self.say(level, "}")
            elif form < 16:
                self.switch(level, depth - 1)
            elif form < 19:
                self.leave(level)
            elif self.loops == 0 and level == 1:
                self.jump_into(level, depth - 1)

    def function(self, name, is_program):
        self.can_return = not is_program
        head = "static void program(unsigned id, unsigned* out) {" if is_program else \
            f"{self.pick('static', 'static NOINLINE', 'NOINLINE')} unsigned {name}(unsigned id, unsigned b) {{"
        start = len(self.lines)
        self.say(0, head)
        self.say(1, f"unsigned a = id * 7 + 3, {'b = scramble(id), ' if is_program else ''}c = {self.random.randrange(50)}, k = 0;")
        self.say(1, "u64 w = u64(b) * 0x9E3779B97F4A7C15ull; float f = float(id & 255);")
        self.say(1, "unsigned x[8] = {id, b, a, 1, 2, 3, 5, 8};")
        body = len(self.lines)
        self.block(1, 4 if is_program else 2, 7 if is_program else 4)
        # goto out may not jump over variables: all of a function's own are in a block of theirs.
        self.lines[body:] = ["  {"] + ["  " + line for line in self.lines[body:]] + ["  }"]
        self.say(0, "out:")
        if is_program:
            results = ["a", "b", "c ^ k", "unsigned(w) ^ unsigned(w >> 32)", "unsigned(int(f))", "x[0] ^ x[1] ^ x[2] ^ x[3] * 3 ^ x[7]"]
            for i, result in enumerate(results):
                self.say(1, f"out[{i}] = {result};")
        else:
            self.say(1, "return a ^ b ^ c ^ unsigned(w >> 7) ^ x[k & 7];")
        self.say(0, "}")
        return self.lines[start:]

    def recursion(self):
        self.lines += ["NOINLINE unsigned descend(unsigned n, unsigned x) {",
                       f"  if (n % 8 == 0 || x % {self.random.randrange(5, 12)} == 3) return x;",
                       "  if ((x & 2) != 0) return descend(n % 8 - 1, x * 3 + n) + 1;",
                       "  return descend(n % 8 - 1, x / 2) ^ n;", "}"]
        self.functions.append("descend")

    def program(self):
        self.lines = ["// Generated.", '#include "harness.h"', "using u64 = unsigned long long;", "using i64 = long long;",
                      "static unsigned smaller(unsigned a, unsigned b) { return b < a ? b : a; }",
                      "static unsigned larger(unsigned a, unsigned b) { return a < b ? b : a; }"]
        if self.chance(50):
            self.recursion()
        for i in range(self.random.randrange(3)):
            self.function(f"f{i}", False)
            self.functions.append(f"f{i}")
        self.function("program", True)
        self.lines.append(f"PROGRAM_MAIN({WORDS}, program)")
        return "\n".join(self.lines) + "\n"


def generate(seed):
    return Generator(seed).program()


if __name__ == "__main__":
    import sys
    print(generate(int(sys.argv[1])))
