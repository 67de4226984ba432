// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "models/isa/csr.h"
#include "models/isa/instruction.h"
#include "models/isa/mma_form.h"

namespace spica::isa {

namespace {

struct Entry {
  std::uint32_t match, mask;
  Opcode opcode;
  Format format;
  Unit unit;
};

constexpr Entry kEntries[] = {
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) \
  {match, mask, Opcode::k##name, Format::k##format, Unit::k##unit},
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
};
constexpr std::uint32_t kTensorOpcode = 0x7B;
constexpr std::size_t kEntryCount = sizeof kEntries / sizeof kEntries[0];
static_assert(kEntryCount < 255, "bucket entries are bytes");

/// First level: bits 6:2 and 14:12 of the word choose a bucket of table entries.
constexpr std::uint32_t kKeyBits = 0x0000707C;
constexpr unsigned kBucketSize = 16;
constexpr std::uint8_t kEnd = 0xFF;
using Buckets = std::array<std::array<std::uint8_t, kBucketSize>, 256>;

constexpr std::uint32_t key_of(std::uint32_t word) { return (word >> 2 & 0x1F) | (word >> 12 & 7) << 5; }
constexpr std::uint32_t word_of(std::uint32_t key) { return (key & 0x1F) << 2 | (key >> 5) << 12; }

constexpr Buckets make_buckets() {
  Buckets buckets{};
  for (std::uint32_t key = 0; key < 256; ++key) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < kEntryCount; ++i)
      if (((word_of(key) ^ kEntries[i].match) & kEntries[i].mask & kKeyBits) == 0)
        buckets[key][used++] = static_cast<std::uint8_t>(i);
    buckets[key][used] = kEnd;  // a bucket that is too small fails to compile
  }
  return buckets;
}
constexpr Buckets kBuckets = make_buckets();

std::uint8_t x_row(std::uint32_t field) { return static_cast<std::uint8_t>(field & 31); }
std::uint8_t f_row(std::uint32_t field) { return static_cast<std::uint8_t>((field & 31) + kFloatRow); }

std::int32_t imm_i(std::uint32_t w) { return static_cast<std::int32_t>(w) >> 20; }
std::int32_t imm_s(std::uint32_t w) {
  return (static_cast<std::int32_t>(w) >> 25) * 32 + static_cast<std::int32_t>(w >> 7 & 31);
}
std::int32_t imm_b(std::uint32_t w) {
  return (static_cast<std::int32_t>(w) >> 31) * 4096 +
         static_cast<std::int32_t>((w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 | (w >> 8 & 15) << 1);
}
std::int32_t imm_j(std::uint32_t w) {
  return (static_cast<std::int32_t>(w) >> 31) * 1048576 +
         static_cast<std::int32_t>((w >> 12 & 255) << 12 | (w >> 20 & 1) << 11 | (w >> 21 & 1023) << 1);
}

/// Which operands the format has, as register kinds: '-' none, 'x', 'f'; and whether it rounds.
struct Operands {
  char rd, rs1, rs2, rs3;
  bool rounds;
};
Operands operands_of(Format format) {
  switch (format) {
    case Format::kUpper:
    case Format::kJump: return {'x', '-', '-', '-', false};
    case Format::kJumpReg:
    case Format::kLoad:
    case Format::kImm:
    case Format::kShift:
    case Format::kCsr:
    case Format::kLoadReserved:
    case Format::kSplit: return {'x', 'x', '-', '-', false};
    case Format::kCsrImm: return {'x', '-', '-', '-', false};
    case Format::kBranch:
    case Format::kStore:
    case Format::kSource2: return {'-', 'x', 'x', '-', false};
    case Format::kReg:
    case Format::kAtomic: return {'x', 'x', 'x', '-', false};
    case Format::kFloatLoad: return {'f', 'x', '-', '-', false};
    case Format::kFloatStore: return {'-', 'x', 'f', '-', false};
    case Format::kFloatFused: return {'f', 'f', 'f', 'f', true};
    case Format::kFloatRounded: return {'f', 'f', 'f', '-', true};
    case Format::kFloatRounded1: return {'f', 'f', '-', '-', true};
    case Format::kFloat: return {'f', 'f', 'f', '-', false};
    case Format::kFloatCompare: return {'x', 'f', 'f', '-', false};
    case Format::kFloatToIntRounded: return {'x', 'f', '-', '-', true};
    case Format::kFloatToInt: return {'x', 'f', '-', '-', false};
    case Format::kIntToFloatRounded: return {'f', 'x', '-', '-', true};
    case Format::kIntToFloat: return {'f', 'x', '-', '-', false};
    case Format::kSource1: return {'-', 'x', '-', '-', false};
    case Format::kFragmentLoad:
    case Format::kFragmentStore:
    case Format::kAsyncCopy: return {'-', 'x', 'x', '-', false};
    case Format::kFragmentGet: return {'f', '-', '-', '-', false};
    case Format::kFragmentSet: return {'-', 'f', '-', '-', false};
    case Format::kNone:
    case Format::kFence:
    case Format::kMma:
    case Format::kAsyncWait:
    case Format::kFragments: break;
  }
  return {'-', '-', '-', '-', false};
}

std::int32_t immediate_of(Format format, std::uint32_t word) {
  switch (format) {
    case Format::kUpper: return static_cast<std::int32_t>(word & 0xFFFFF000);
    case Format::kJump: return imm_j(word);
    case Format::kBranch: return imm_b(word);
    case Format::kJumpReg:
    case Format::kLoad:
    case Format::kFloatLoad:
    case Format::kImm: return imm_i(word);
    case Format::kStore:
    case Format::kFloatStore: return imm_s(word);
    case Format::kShift: return static_cast<std::int32_t>(word >> 20 & 31);
    case Format::kCsr:
    case Format::kCsrImm: return static_cast<std::int32_t>(word >> 20);
    case Format::kFragments: return (word >> 7 & 31) == 1;
    case Format::kMma: {
      const bool is_narrow = (word & 0x7F) != kTensorOpcode;
      const std::uint32_t funct3 = ((word >> 12) - (is_narrow ? 0 : 2)) & 7;
      return static_cast<std::int32_t>((is_narrow ? kFirstNarrowForm : 0) + funct3 * 4 + (word >> 25 & 3));
    }
    case Format::kFragmentLoad:
    case Format::kFragmentStore:
    case Format::kFragmentGet:
    case Format::kFragmentSet: return static_cast<std::int32_t>(word >> 25);
    case Format::kAsyncWait: return static_cast<std::int32_t>(word >> 20 & 31);
    default: return 0;
  }
}

std::uint8_t row_of(char kind, std::uint32_t field) {
  return kind == 'x' ? x_row(field) : kind == 'f' ? f_row(field) : kNoRegister;
}
std::uint64_t bit_of(std::uint8_t row) {
  return row == 0 || row == kNoRegister ? 0 : std::uint64_t{1} << row;
}

bool is_float_unit(Unit unit) { return unit >= Unit::kFpuFma && unit <= Unit::kFpuSqrt; }

/// Sets uses_floats and changes_floats of an instruction that is complete otherwise.
void mark_floats(Instruction& in) {
  constexpr std::uint64_t kFloatRows = ~std::uint64_t{0} << kFloatRow;
  const bool tensor = in.unit == Unit::kTensor;
  const bool fcsr = in.unit == Unit::kCsr && csr::of_floats(static_cast<std::uint32_t>(in.imm));
  // Moves and classifications to x registers leave the exception flags alone.
  const bool flags = is_float_unit(in.unit) && in.format != Format::kFloatToInt;
  in.uses_floats = ((in.reads | in.writes()) & kFloatRows) != 0 || is_float_unit(in.unit) || tensor || fcsr;
  in.changes_floats = (in.writes() & kFloatRows) != 0 || flags || tensor || (fcsr && csr_writes(in));
}

Instruction fill(const Entry& entry, std::uint32_t word) {
  Instruction in;
  in.word = word;
  in.opcode = entry.opcode;
  in.unit = entry.unit;
  in.format = entry.format;
  const Operands operands = operands_of(entry.format);
  in.rd = row_of(operands.rd, word >> 7);
  if (in.rd == 0) in.rd = kNoRegister;
  in.rs1 = row_of(operands.rs1, word >> 15);
  in.rs2 = row_of(operands.rs2, word >> 20);
  in.rs3 = row_of(operands.rs3, word >> 27);
  if (operands.rounds) in.rounding = static_cast<std::uint8_t>(word >> 12 & 7);
  in.imm = immediate_of(entry.format, word);
  in.reads = bit_of(in.rs1) | bit_of(in.rs2) | bit_of(in.rs3);
  if (entry.unit == Unit::kLoad || entry.unit == Unit::kStore || entry.unit == Unit::kAtomic) {
    // funct3 of all memory instructions: log2 of the size, bit 2 set for the unsigned loads
    in.access_bytes = static_cast<std::uint8_t>(1u << (word >> 12 & 3));
    in.access_signed = entry.format == Format::kLoad && (word >> 14 & 1) == 0;
  }
  if (entry.format == Format::kAsyncCopy) in.access_bytes = static_cast<std::uint8_t>(4u << (word >> 25));
  if (entry.opcode == Opcode::kWmma)
    in.reads = std::uint64_t{0xFFFF} << kFloatRow | in.writes();  // A: f0-f7, B: f8-f15
  mark_floats(in);
  for (std::uint64_t rest = in.reads; rest != 0; rest &= rest - 1) ++in.rows_read;
  return in;
}

constexpr const char* kMnemonics[] = {
    "illegal",
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) mnemonic,
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
};

constexpr const Entry& entry_of(Opcode opcode) {
  return kEntries[static_cast<std::size_t>(opcode) - 1];  // the first opcode is kIllegal
}
static_assert(entry_of(Opcode::kHgmma).opcode == Opcode::kHgmma);

constexpr bool fits(std::uint32_t word, const Entry& entry) { return (word & entry.mask) == entry.match; }

}  // namespace

bool Instruction::multicasts() const {
  return opcode == Opcode::kMlds || (format == Format::kFragmentLoad && is_multicast(imm));
}

Instruction decode(std::uint32_t word, TensorStyle style) noexcept {
  if (style != TensorStyle::kUnknown && (word & 0x7F) == kTensorOpcode)
    return fill(entry_of(tensor_opcode(word, style)), word);
  if ((word & 3) == 3)
    for (const std::uint8_t* i = kBuckets[key_of(word)].data(); *i != kEnd; ++i)
      if (fits(word, kEntries[*i])) return fill(kEntries[*i], word);
  Instruction illegal;
  illegal.word = word;
  return illegal;
}

bool names_other_tensor_style(const Instruction& instruction) noexcept {
  if (instruction.opcode == Opcode::kWmma) return !fits(instruction.word, entry_of(Opcode::kWmma));
  return instruction.opcode == Opcode::kHgmma && fits(instruction.word, entry_of(Opcode::kWmma));
}

const char* mnemonic(Opcode opcode) noexcept {
  return opcode < Opcode::kCount ? kMnemonics[static_cast<unsigned>(opcode)] : kMnemonics[0];
}

}  // namespace spica::isa
