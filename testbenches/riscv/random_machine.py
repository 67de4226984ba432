# SPDX-License-Identifier: Apache-2.0
"""Random programs of machine and user mode on one hart, as lists of small units of instruction words.

What two correct machines may do differently is left out of the programs, by these rules:
  * words of the custom opcodes 0x0B, 0x2B, 0x5B, 0x7B: instructions of this core
  * values of mepc that are no multiple of 4
  * mtval of ebreak, which may be 0 or the address, and of misaligned jumps, where qemu 7.2 tells the start of a block
    of its own (traps.S checks both)
  * causes of atomics: qemu 7.2 calls them loads, so the misaligned ones are logged as 4 for both, and those at no
    memory are left out; a misaligned store-conditional without a reservation may fail instead (traps.S checks these)
  * sfence.vma, which qemu 7.2 accepts without a supervisor mode
  * wfi: without an interrupt source the other machine sleeps for ever
  * registers that name the machine (mvendorid, marchid, mimpid, misa), that count (cycle, time, instret and their
    like) or that only one of the two has (pmp*, satp, medeleg, mideleg, mip, triggers), and fields of mstatus
    other than MPP, MPIE, FS and SD
  * store-conditional after a store to the reserved word or after a trap: it may fail or succeed
  * mstatus.FS after an instruction that changes only exception flags: it may become dirty or not
  * an instruction in the place of one that was stored before fence.i
"""
import random
import re

DATA, DATA_BYTES = 0x80080000, 4096
LOG = 0x80100000
X30 = DATA + 2048
NOWHERE = 0x10000000  # no memory
FREE = 26             # x0..x25 are destinations
CUSTOM = (0x0B, 0x2B, 0x5B, 0x7B)
FFLAGS, FRM, FCSR = 1, 2, 3
MSTATUS, MIE, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL = 0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343
SPECIAL = (0, 1, 2, 31, 32, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x3F800000, 0xBF800000, 0x40000000, 0x3F000000,
           0x33800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0x7F7FFFFF, 0x00800000,
           0x007FFFFF, 0x80000001, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F800000, 0xBF000000, 0x4B000001)


def r_type(opcode, f3, f7, rd, rs1, rs2):
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode


def i_type(opcode, f3, rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode


def s_type(opcode, f3, rs1, rs2, imm):
    return (imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | opcode


def b_type(f3, rs1, rs2, offset):
    return ((offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
            (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7 | 0x63)


def jal(rd, offset):
    return ((offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20 |
            (offset >> 12 & 0xFF) << 12 | rd << 7 | 0x6F)


def addi(rd, rs1, imm):
    return i_type(0x13, 0, rd, rs1, imm)


def load_constant(rd, value):
    low = (value & 0xFFF) - (0x1000 if value & 0x800 else 0)
    return [(value - low & 0xFFFFF000) | rd << 7 | 0x37, addi(rd, rd, low)]


def csr(f3, number, rd, source):
    return number << 20 | source << 15 | f3 << 12 | rd << 7 | 0x73


def csrr(rd, number):
    return csr(2, number, rd, 0)


def auipc(rd):
    return rd << 7 | 0x17


ECALL, EBREAK, MRET, FENCE_I, NOP = 0x73, 0x100073, 0x30200073, 0x100F, 0x13


def read_table(path):
    """(match, mask, unit, format) of the lines of instructions.def that are not of the SIMT extension."""
    lines = re.findall(r'SPICA_INSTRUCTION\(\w+, +"[^"]+", +(\w+), +0x(\w+), 0x(\w+), +(\w+),', path.read_text())
    table = [(int(match, 16), int(mask, 16), unit, form) for form, match, mask, unit in lines]
    return [entry for entry in table if entry[0] & 0x7F not in CUSTOM]


class Program:
    def __init__(self, seed, units, table):
        self.random = random.Random(seed)
        self.table = table
        self.data = [self.operand() for _ in range(DATA_BYTES // 4)]
        arithmetic = ("Alu", "Mul", "Div", "FpuFma", "FpuMisc", "FpuConvert", "FpuDivide", "FpuSqrt")
        self.plain = [entry for entry in table if entry[2] in arithmetic and entry[0] != 0x17]
        self.floats = [entry for entry in self.plain if entry[2].startswith("Fpu")]
        self.kinds = ((self.arithmetic, 30), (self.memory, 14), (self.fcsr, 4), (self.invalid_rounding, 4), (self.illegal, 10),
                      (self.near_miss, 8), (self.call, 3), (self.access_fault, 4), (self.misaligned_atomic, 3),
                      (self.misaligned_jump, 3), (self.fetch_fault, 2), (self.jump, 4), (self.machine_register, 8),
                      (self.absent_register, 3), (self.float_unit, 4), (self.reserve, 6), (self.atomic, 4),
                      (self.rewrite, 5), (self.user, 5))
        self.units = [self.unit() for _ in range(units)]  # (kind, words)

    def below(self, n):
        return self.random.randrange(n)

    def operand(self):
        return self.random.choice(SPECIAL) if self.below(2) else self.random.getrandbits(32)

    def unit(self):
        kind = self.random.choices([k for k, _ in self.kinds], [w for _, w in self.kinds])[0]
        body = kind()
        # Traps go on behind the unit.
        return kind.__name__, [auipc(26), addi(26, 26, 4 * (2 + len(body)))] + body

    def text(self, units):
        """Assembly of the first `units` units, with all registers logged after each sixteen."""
        lines = []
        for number, (_, words) in enumerate(self.units[:units], 1):
            lines.append("  .word " + ", ".join(f"{word:#x}" for word in words))
            if number % 16 == 0:
                lines.append("  jal x28, dump")
        return "\n".join(lines) + "\n  .section .pool, \"aw\"\n" + "".join(
            f"  .word {word:#x}\n" for word in self.data) + "  .text\n"

    # -- units without a trap, as a rule ----------------------------------------------------
    def random_of(self, table):
        match, mask, unit, form = self.random.choice(table)
        word = match | self.random.getrandbits(32) & ~mask
        if unit.startswith("Fpu") and mask & 0x7000 == 0:
            word = word & ~0x7000 | self.random.choice((0, 1, 2, 3, 4, 7, 7, 7)) << 12
        if not form.startswith("Float") or form in ("FloatCompare", "FloatToInt", "FloatToIntRounded"):
            if not form.startswith("IntToFloat"):
                word = word & ~0xF80 | self.below(FREE) << 7
        return word

    def arithmetic(self):
        return [self.random_of(self.plain) for _ in range(1 + self.below(4))]

    def memory(self):
        body = []
        for _ in range(1 + self.below(3)):
            offset = self.random.randrange(-2048, 2040)
            rd, any_register = self.below(FREE), self.below(32)
            body.append(self.random.choice((
                i_type(0x03, self.random.choice((0, 1, 2, 4, 5)), rd, 30, offset), i_type(0x07, 2, any_register, 30, offset),
                s_type(0x23, self.below(3), 30, any_register, offset), s_type(0x27, 2, 30, any_register, offset))))
        return body

    def fcsr(self):
        rd = self.below(FREE)
        return [self.random.choice((csrr(rd, FFLAGS), csrr(rd, FCSR), csrr(rd, FRM), csr(5, FFLAGS, rd, self.below(32)),
                                    csr(5 + self.below(3), FFLAGS, rd, self.below(32)), csr(5, FCSR, rd, self.below(32)),
                                    csr(5, FRM, rd, self.below(5))))]

    def jump(self):
        skipped = [self.random_of(self.plain) for _ in range(1 + self.below(3))]
        far = 4 * len(skipped) + 4
        kind = self.below(4)
        if kind == 0:
            return [jal(self.below(FREE), far)] + skipped
        if kind == 1:
            return [auipc(29), i_type(0x67, 0, self.below(FREE), 29, far + 4 + self.below(2))] + skipped
        return [b_type(self.random.choice((0, 1, 4, 5, 6, 7)), self.below(32), self.below(32), far)] + skipped

    def data_address(self):
        return [addi(29, 30, 4 * self.random.randrange(-512, 511))]

    def atomic(self):
        function = self.random.choice((0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C))
        return self.data_address() + [r_type(0x2F, 2, function << 2 | self.below(4), self.below(FREE), 29, self.below(32))]

    def reserve(self):
        """Store-conditional with a reservation, without one, with one of another word, and twice."""
        load = r_type(0x2F, 2, 0x02 << 2 | self.below(4), self.below(FREE), 29, 0)
        store = r_type(0x2F, 2, 0x03 << 2 | self.below(4), self.below(FREE), 29, self.below(32))
        kind = self.below(4)
        middle = {0: [], 1: [addi(29, 29, self.random.choice((-4, 4)))], 2: [self.random_of(self.plain)], 3: [store]}[kind]
        return self.data_address() + [load] + middle + [store]

    def rewrite(self):
        """The next instruction but one is stored in place, with fence.i behind, and stored back later by nobody."""
        new = self.random_of(self.plain)
        body = [auipc(29)] + load_constant(28, new) + [0, FENCE_I, NOP]
        body[3] = s_type(0x23, 2, 29, 28, 4 * 5)
        return body

    # -- units that trap --------------------------------------------------------------------
    def legal(self, word):
        return any(word & mask == match for match, mask, _, _ in self.table)

    @staticmethod
    def left_out(word):
        sfence_vma = word & 0xFE007FFF == 0x12000073
        return word & 0x7F in CUSTOM or sfence_vma

    def illegal(self):
        while True:
            word = self.random.getrandbits(32)
            if word & 3 != 3:
                word &= 0xFFFF  # an instruction of 16 bits, by itself: mtval has those bits
            if self.left_out(word) or self.legal(word):
                continue
            return [word]

    def near_miss(self):
        """One fixed bit of an instruction is the other way round."""
        while True:
            match, mask, _, _ = self.random.choice(self.table)
            bit = 1 << self.below(32)
            word = (match | self.random.getrandbits(32) & ~mask) ^ bit
            if bit & mask == 0 or word & 3 != 3 or self.left_out(word) or self.legal(word):
                continue
            return [word]

    def invalid_rounding(self):
        bad, word = 5 + self.below(3), self.random_of([entry for entry in self.floats if entry[1] & 0x7000 == 0])
        dynamic = word | 0x7000
        if self.below(2):
            return [word & ~0x7000 | (5 + self.below(2)) << 12]  # reserved in the instruction
        # The trap of the third goes on at the fourth.
        return [csr(5, FRM, self.below(FREE), bad), addi(26, 26, -8), dynamic, csr(5, FRM, self.below(FREE), self.below(5)),
                NOP]

    def call(self):
        return [self.random.choice((ECALL, EBREAK))]

    def access_fault(self):
        rd, any_register, far = self.below(FREE), self.below(32), 4 * self.below(64)
        return load_constant(29, NOWHERE) + [self.random.choice((
            i_type(0x03, self.random.choice((0, 1, 2, 4, 5)), rd, 29, far), i_type(0x07, 2, any_register, 29, far),
            s_type(0x23, self.below(3), 29, any_register, far), s_type(0x27, 2, 29, any_register, far),
            r_type(0x2F, 2, 0x02 << 2, rd, 29, 0)))]

    def misaligned_atomic(self):
        function = self.random.choice((0x00, 0x01, 0x02, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C))
        return [addi(29, 30, 4 * self.random.randrange(-512, 511) + 1 + self.below(3)),
                r_type(0x2F, 2, function << 2, self.below(FREE), 29, 0 if function == 2 else self.below(32))]

    def misaligned_jump(self):
        kind = self.below(3)
        if kind == 0:
            return [jal(self.below(FREE), 6), NOP, NOP]
        if kind == 1:
            return [auipc(29), i_type(0x67, 0, self.below(FREE), 29, 10), NOP, NOP]
        return [b_type(0, 0, 0, 6), NOP, NOP]

    def fetch_fault(self):
        return load_constant(29, NOWHERE) + [i_type(0x67, 0, self.below(FREE), 29, 4 * self.below(16))]

    def machine_register(self):
        number = self.random.choice((MSCRATCH, MEPC, MCAUSE, MTVAL, MSTATUS))
        rd = self.below(FREE)
        if number == MSTATUS:
            bits = self.random.choice((0x1800, 0x80, 0x1880))
            return load_constant(29, bits) + [csr(2 + self.below(2), MSTATUS, 0, 29), csrr(rd, MSTATUS)]
        if number == MSCRATCH:  # holds the handler's save area
            return [csr(1, MSCRATCH, 29, 0), csr(1, MSCRATCH, rd, self.below(26)), csr(2, MSCRATCH, rd, self.below(26)),
                    csr(3, MSCRATCH, rd, self.below(26)), csr(1, MSCRATCH, rd, 29)]
        if number == MCAUSE:
            return [csr(5, MCAUSE, 0, self.random.choice((0, 2, 3, 4, 6, 8, 11))), csrr(rd, MCAUSE)]
        aligned = [i_type(0x13, 7, 29, self.below(26), -4)]
        return aligned + [csr(1, number, 0, 29), csr(2 + self.below(2), number, rd, self.random.choice((29, 0))),
                          csr(5, number, rd, 4 * self.below(8))]

    def absent_register(self):
        number = self.random.choice((0x008, 0x100, 0x105, 0x141, 0x200, 0x5A8, 0x600, 0x7C0, 0x7FF, 0x800, 0x8FF, 0x9C0,
                                     0xBC0, 0xBFF, 0xDC0, 0xE00, 0xFC3, 0xFFF, 0xF14, 0xF12))
        if number in (0xF14, 0xF12):  # read-only
            return [csr(self.random.choice((1, 5)), number, self.below(FREE), self.below(32))]
        return [csr(self.random.choice((1, 2, 3, 5, 6, 7)), number, self.below(FREE), self.below(32))]

    def float_unit(self):
        """FS off: everything of the unit traps. FS clean or initial: writing a register makes it dirty."""
        dirty = load_constant(29, 0x6000)
        if self.below(2):
            word = self.random.choice((self.random_of(self.floats), csrr(self.below(FREE), FCSR),
                                       i_type(0x07, 2, 1, 30, 0), s_type(0x27, 2, 30, 1, 0), csr(5, FFLAGS, 0, 1)))
            # Goes on behind it.
            return dirty + [csr(3, MSTATUS, 0, 29), addi(26, 26, -8), word, csr(2, MSTATUS, 0, 29), NOP]
        writes = [entry for entry in self.floats if entry[3] in ("FloatRounded", "FloatFused", "Float", "IntToFloat")]
        word = self.random.choice((self.random_of(writes), s_type(0x27, 2, 30, 1, 0), r_type(0x53, 0, 0x70, 5, 1, 0),
                                   i_type(0x07, 2, 1, 30, 0), csr(5, FFLAGS, 0, 1), csrr(3, FRM)))
        state = self.random.choice((0x2000, 0x4000))
        return (dirty + [csr(3, MSTATUS, 0, 29)] + load_constant(29, state) + [csr(2, MSTATUS, 0, 29), word,
                csrr(self.below(FREE), MSTATUS)] + dirty + [csr(2, MSTATUS, 0, 29)])

    def user(self):
        """Some instructions in user mode, then a call of it, after which the handler stays in machine mode."""
        rd = self.below(FREE)
        inner = self.random.choice((
            lambda: [csrr(rd, MSTATUS)], lambda: [csrr(rd, 0xF14)], lambda: [MRET], self.illegal, self.memory, self.arithmetic,
            lambda: [csrr(rd, FCSR)], self.atomic, self.reserve, lambda: [EBREAK], lambda: [csr(1, MSCRATCH, 0, 0)],
            self.misaligned_jump, self.access_fault))()
        # Traps inside go on at the call; the call itself behind the unit.
        head = load_constant(29, 0x1800) + [csr(3, MSTATUS, 0, 29), auipc(29), addi(29, 29, 16), csr(1, MEPC, 0, 29), MRET]
        at_call = len(head) + 2 + len(inner)
        inner_frame = [auipc(26), addi(26, 26, 4 * (2 + len(inner)))]
        assert at_call == len(head) + len(inner_frame) + len(inner)
        return head + inner_frame + inner + [auipc(26), addi(26, 26, 12), ECALL]
