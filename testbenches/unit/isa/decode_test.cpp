// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "models/isa/instruction.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

namespace spica::isa {

using namespace testbench::rv;

namespace {

struct Entry {
  const char* mnemonic;
  Opcode opcode;
  Format format;
  Unit unit;
  std::uint32_t match, mask;
};
const Entry kEntries[] = {
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) \
  {mnemonic, Opcode::k##name, Format::k##format, Unit::k##unit, match, mask},
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
};

/// What a reader of the table top to bottom finds.
Opcode first_match(std::uint32_t word) {
  for (const Entry& entry : kEntries)
    if ((word & entry.mask) == entry.match) return entry.opcode;
  return Opcode::kIllegal;
}

std::uint64_t row_bit(unsigned row) { return std::uint64_t{1} << row; }

}  // namespace

TEST_CASE("every line of the table decodes to itself whatever its operands are") {
  std::mt19937 random(1);
  for (const Entry& entry : kEntries) {
    INFO(entry.mnemonic);
    CHECK((entry.match & ~entry.mask) == 0);
    for (int i = 0; i < 100; ++i) {
      std::uint32_t word = entry.match | (static_cast<std::uint32_t>(random()) & ~entry.mask);
      // Two x0 addresses are the other instruction of this encoding where the machine is not known.
      if (entry.opcode == Opcode::kHgmma) word |= 1u << 15;
      // Words of the tensor cores' opcode that have a form, on machines whose tensor cores know forms.
      const bool form = entry.opcode == Opcode::kWmma32Mma;
      if (form) word |= 2u << 12;
      const Instruction in = decode(word, form ? TensorStyle::kVolta : TensorStyle::kUnknown);
      CHECK(in.opcode == entry.opcode);
      CHECK(in.unit == entry.unit);
      CHECK(in.format == entry.format);
      CHECK(in.word == word);
      CHECK(mnemonic(in.opcode) == std::string(entry.mnemonic));
    }
  }
}

TEST_CASE("random words decode as the table read from the top") {
  std::mt19937 random(2);
  for (int i = 0; i < 200000; ++i) {
    auto word = static_cast<std::uint32_t>(random());
    if (i % 2 == 0) word |= 3;
    if (decode(word).opcode != first_match(word)) {
      CAPTURE(word);
      REQUIRE(decode(word).opcode == first_match(word));
    }
  }
}

TEST_CASE("undefined encodings are illegal") {
  const std::uint32_t words[] = {
      0x00000000,
      0xFFFFFFFF,
      0x00000001,                           // 16 bits long
      add(1, 2, 3) | 0x80000000,            // unknown funct7
      add(1, 2, 3) | 0x40000000 | 1 << 12,  // sll with the bit of sub
      mul(1, 2, 3) | 0x40000000,
      slli(1, 2, 3) | 0x02000000,  // 64-bit shift amount
      0x40001013,                  // slli with the bit of srai
      i_type(0x67, 1, 1, 2, 0),    // jalr has funct3 0 only
      b_type(2, 1, 2, 8),
      b_type(3, 1, 2, 8),
      i_type(0x03, 3, 1, 2, 0),
      i_type(0x03, 6, 1, 2, 0),
      i_type(0x03, 7, 1, 2, 0),  // ld, lwu
      s_type(0x23, 3, 1, 2, 0),
      s_type(0x27, 3, 1, 2, 0),
      i_type(0x07, 3, 1, 2, 0),   // sd, fsd, fld
      0x00200073,                 // uret
      0x10200073,                 // sret
      0x00000073 | 1 << 7,        // ecall with a destination
      0x00004073,                 // funct3 4 of SYSTEM
      0x0000200F,                 // funct3 2 of MISC-MEM
      amoadd(1, 2, 3) | 1 << 12,  // amoadd.d
      amoadd(1, 2, 3) | 5u << 27,
      0x1005A52F | 1 << 20,     // lr.w with rs2
      fadd(1, 2, 3) | 1 << 25,  // fadd.d
      fmadd(1, 2, 3, 4) | 1 << 25,
      0x5804F453 | 1 << 20,  // fsqrt.s with rs2
      0xC0052553 | 1 << 21,  // fcvt.l.s
      0x20000053 | 3 << 12,  // fsgnj has three forms
      0x28000053 | 2 << 12,
      0xA0000053 | 3 << 12,
      0xE0000053 | 2 << 12,
      0xF0000053 | 1 << 12,
      i_type(0x1B, 0, 1, 2, 0),
      r_type(0x3B, 0, 0, 1, 2, 3),  // addiw, addw
      tmc(10) | 1u << 25,          // the SIMT extension has funct7 0 only
      split(10, 11) | 1u << 31,
      0x0000700B,
  };
  for (const std::uint32_t word : words) {
    CAPTURE(word);
    const Instruction in = decode(word);
    CHECK(in.opcode == Opcode::kIllegal);
    CHECK(in.unit == Unit::kSystem);
    CHECK(in.word == word);
    CHECK((in.reads | in.writes()) == 0);
  }
}

TEST_CASE("operands are rows of the register file") {
  const Instruction fused = decode(fmadd(1, 2, 3, 4));
  CHECK(fused.rd == 33);
  CHECK(fused.rs1 == 34);
  CHECK(fused.rs2 == 35);
  CHECK(fused.rs3 == 36);
  CHECK(fused.rounding == 7);
  CHECK(fused.reads == (row_bit(34) | row_bit(35) | row_bit(36)));
  CHECK(fused.rows_read == 3);
  CHECK(fused.writes() == row_bit(33));

  const Instruction load = decode(flw(5, 6, -4));
  CHECK(load.rd == 37);
  CHECK(load.rs1 == 6);
  CHECK(load.rs2 == kNoRegister);
  CHECK(load.imm == -4);
  CHECK(load.access_bytes == 4);

  const Instruction store = decode(fsw(5, 6, 2047));
  CHECK(store.rd == kNoRegister);
  CHECK(store.rs1 == 6);
  CHECK(store.rs2 == 37);
  CHECK(store.imm == 2047);
  CHECK(store.reads == (row_bit(6) | row_bit(37)));
  CHECK(store.writes() == 0);

  const Instruction compare = decode(0xA0B52553);  // feq.s a0,fa0,fa1
  CHECK(compare.rd == 10);
  CHECK(compare.rs1 == 42);
  CHECK(compare.rs2 == 43);
  CHECK(compare.rounding == 0);

  const Instruction convert = decode(0xD0057553);  // fcvt.s.w fa0,a0
  CHECK(convert.rd == 42);
  CHECK(convert.rs1 == 10);
}

TEST_CASE("x0 is never written and never in the sets, f0 is") {
  const Instruction zero = decode(add(0, 0, 0));
  CHECK(zero.rd == kNoRegister);
  CHECK(zero.rs1 == 0);
  CHECK((zero.reads | zero.writes()) == 0);
  const Instruction float_zero = decode(fadd(0, 0, 0));
  CHECK(float_zero.rd == 32);
  CHECK(float_zero.reads == row_bit(32));
  CHECK(float_zero.writes() == row_bit(32));
}

TEST_CASE("immediates cover their ranges") {
  CHECK(decode(addi(1, 2, -2048)).imm == -2048);
  CHECK(decode(addi(1, 2, 2047)).imm == 2047);
  CHECK(decode(sw(1, 2, -2048)).imm == -2048);
  CHECK(decode(sw(1, 2, 31)).imm == 31);
  for (const int offset : {-4096, -2048, -2, 0, 2, 30, 2046, 2048, 4094})
    CHECK(decode(beq(1, 2, offset)).imm == offset);
  CHECK(decode(lui(1, 0xFFFFF)).imm == -4096);
  CHECK(decode(0x800000EF).imm == -1048576);
  CHECK(decode(0x7FFFF0EF).imm == 1048574);
  CHECK(decode(0x001000EF).imm == 2048);
  CHECK(decode(0x000010EF).imm == 4096);
  CHECK(decode(0x4015D513).imm == 1);  // srai: only the amount
}

TEST_CASE("loads, stores and atomics know their size") {
  const auto size = [](std::uint32_t word) { return unsigned{decode(word).access_bytes}; };
  CHECK(size(i_type(0x03, 0, 1, 2, 0)) == 1);
  CHECK(size(i_type(0x03, 4, 1, 2, 0)) == 1);
  CHECK(size(i_type(0x03, 1, 1, 2, 0)) == 2);
  CHECK(size(i_type(0x03, 5, 1, 2, 0)) == 2);
  CHECK(size(i_type(0x03, 2, 1, 2, 0)) == 4);
  CHECK(size(s_type(0x23, 0, 1, 2, 0)) == 1);
  CHECK(size(s_type(0x23, 1, 1, 2, 0)) == 2);
  CHECK(size(sw(1, 2, 0)) == 4);
  CHECK(size(amoadd(1, 2, 3)) == 4);
  CHECK(size(add(1, 2, 3)) == 0);
  CHECK(decode(i_type(0x03, 0, 1, 2, 0)).access_signed);
  CHECK(decode(i_type(0x03, 1, 1, 2, 0)).access_signed);
  CHECK_FALSE(decode(i_type(0x03, 4, 1, 2, 0)).access_signed);
  CHECK_FALSE(decode(i_type(0x03, 5, 1, 2, 0)).access_signed);
}

TEST_CASE("tensor instructions name their fragments") {
  const std::uint64_t operands = std::uint64_t{0xFFFF} << 32;
  const std::uint64_t bank[2] = {std::uint64_t{0xFF} << 48, std::uint64_t{0xFF} << 56};
  for (unsigned i = 0; i < 2; ++i) {
    const Instruction wmma = decode(i == 0 ? 0x0000007B : 0x000000FB);
    CHECK(wmma.opcode == Opcode::kWmma);
    CHECK(wmma.unit == Unit::kTensor);
    CHECK(wmma.imm == static_cast<int>(i));
    CHECK(wmma.rd == kNoRegister);
    CHECK(wmma.reads == (operands | bank[i]));
    CHECK(wmma.rows_read == 24);
    CHECK(wmma.writes() == bank[i]);
  }
  const Instruction hgmma = decode(r_type(0x7B, 0, 0, 0, 10, 11));
  CHECK(hgmma.opcode == Opcode::kHgmma);
  CHECK(hgmma.reads == (row_bit(10) | row_bit(11)));
  CHECK(hgmma.writes() == 0);
}

TEST_CASE("fields without an operand may hold anything in the SIMT extension") {
  struct Case {
    std::uint32_t word, plain;
  };
  const Case cases[] = {
      {0x0016A60B, split(12, 13)},  // rs2 = x1: words of published programs
      {0x0018228B, split(5, 16)},
      {0x0016258B, split(11, 12)},
      {tmc(10) | 31 << 7 | 31 << 20, tmc(10)},
      {join(10) | 31 << 7 | 31 << 20, join(10)},
      {bar(10, 11) | 31 << 7, bar(10, 11)},
      {pred(10, 11) | 1 << 7, pred(10, 11)},
      {wspawn(10, 11) | 31 << 7, wspawn(10, 11)},
      {split(10, 11) | 31 << 20, split(10, 11)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.word);
    const Instruction in = decode(c.word), plain = decode(c.plain);
    CHECK(in.opcode == plain.opcode);
    CHECK(in.opcode != Opcode::kIllegal);
    CHECK(in.word == c.word);
    CHECK(in.rd == plain.rd);
    CHECK(in.rs1 == plain.rs1);
    CHECK(in.rs2 == plain.rs2);
    CHECK(in.reads == plain.reads);
    CHECK(in.writes() == plain.writes());
  }
}

TEST_CASE("every word of the tensor opcode is what the machine's tensor cores take it for") {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t word = (static_cast<std::uint32_t>(random()) & ~0x7Fu) | 0x7B;
    CAPTURE(word);
    const Instruction wmma = decode(word, TensorStyle::kSynchronous);
    CHECK(wmma.opcode == Opcode::kWmma);
    CHECK(wmma.imm == ((word >> 7 & 31) == 1 ? 1 : 0));
    CHECK(wmma.rs1 == kNoRegister);
    const Instruction decoupled = decode(word, TensorStyle::kDecoupled);
    CHECK(decoupled.opcode == ((word >> 12 & 1) != 0 ? Opcode::kHgmmaWait : Opcode::kHgmma));
    if (decoupled.opcode == Opcode::kHgmma) {
      CHECK(decoupled.rs1 == (word >> 15 & 31));
      CHECK(decoupled.rs2 == (word >> 20 & 31));
    } else {
      CHECK(decoupled.reads == 0);
    }
    // One of the two is what a compiler meant.
    CHECK(names_other_tensor_style(wmma) != names_other_tensor_style(decoupled));
  }
  CHECK(decode(0x0000007B).opcode == Opcode::kWmma);
  CHECK(decode(0x00B5007B).opcode == Opcode::kHgmma);
  CHECK(decode(0x0000107B).opcode == Opcode::kHgmmaWait);
  CHECK(decode(0x00B5107B).opcode == Opcode::kHgmmaWait);
  for (const TensorStyle style : {TensorStyle::kUnknown, TensorStyle::kSynchronous, TensorStyle::kDecoupled})
    CHECK(decode(add(1, 2, 3), style).opcode == Opcode::kAdd);
}

TEST_CASE("instructions know whether they use floats and may change them") {
  struct Case {
    std::uint32_t word;
    bool uses, changes;
  };
  const Case cases[] = {
      {add(1, 2, 3), false, false},   {lw(1, 2, 0), false, false},    {amoadd(1, 2, 3), false, false},
      {fadd(1, 2, 3), true, true},    {flw(1, 2, 0), true, true},     {fsw(1, 2, 0), true, false},
      {0xE0050553, true, false},          // fmv.x.w
      {0xE0051553, true, false},          // fclass.s
      {0xC0051553, true, true},           // fcvt.w.s: flags
      {0xA0B52553, true, true},           // feq.s
      {0xF0050553, true, true},           // fmv.w.x
      {csrrs(10, 1, 0), true, false}, {csrrw(10, 3, 11), true, true}, {csrrs(10, 0x300, 0), false, false},
      {0x0000007B, true, true},       {0x00B5007B, true, true},       {0x0000107B, true, true},
      {split(10, 11), false, false}};
  for (const Case& c : cases) {
    CAPTURE(c.word);
    CHECK(decode(c.word).uses_floats == c.uses);
    CHECK(decode(c.word).changes_floats == c.changes);
  }
}

TEST_CASE("static rounding modes decode even where they are reserved") {
  for (std::uint32_t rm = 0; rm < 8; ++rm) {
    const Instruction in = decode((fadd(1, 2, 3) & ~(7u << 12)) | rm << 12);
    CHECK(in.opcode == Opcode::kFaddS);
    CHECK(in.rounding == rm);
  }
}

}  // namespace spica::isa
