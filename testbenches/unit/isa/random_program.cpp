// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/isa/random_program.h"

#include <cstring>

#include "models/isa/csr.h"
#include "models/isa/instruction.h"
#include "testbenches/support/assembler.h"

namespace spica::isa::test {

using namespace testbench::rv;

namespace {

constexpr u32 kLog = 29, kAddress = 30, kDataPointer = 31;
constexpr u32 kFreeRegisters = 29;  // x0..x28 may be destinations

struct Entry {
  u32 match, mask;
  Unit unit;
};
const Entry kEntries[] = {
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) {match, mask, Unit::k##unit},
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
};

constexpr u32 jal(u32 rd, int offset) {  // forward, below 2 KiB
  return static_cast<u32>(offset) << 20 | rd << 7 | 0x6F;
}
void load_constant(std::vector<u32>& out, u32 rd, u32 value) {
  out.push_back(lui(rd, ((value + 0x800) >> 12) & 0xFFFFF));
  const auto low = static_cast<int>(value & 0xFFF);
  out.push_back(addi(rd, rd, low >= 2048 ? low - 4096 : low));
}

}  // namespace

RandomProgram::RandomProgram(std::uint32_t seed, unsigned units) : random_(seed) {
  for (u32 i = 0; i < sizeof kEntries / sizeof kEntries[0]; ++i) {
    switch (kEntries[i].unit) {
      case Unit::kAlu:
      case Unit::kMul:
      case Unit::kDiv:
      case Unit::kFpuFma:
      case Unit::kFpuMisc:
      case Unit::kFpuConvert:
      case Unit::kFpuDivide:
      case Unit::kFpuSqrt: table_.push_back(i); break;
      default: break;
    }
  }
  for (unsigned i = 0; i < (kPoolBytes + kDataBytes) / 4; ++i) pool_.push_back(random_operand());
  // First of all: a value in every register.
  std::vector<Word> first;
  for (u32 i = 1; i < kFreeRegisters; ++i) first.push_back(lw(i, kDataPointer, -4 * static_cast<int>(i)));
  for (u32 i = 0; i < 32; ++i) first.push_back(flw(i, kDataPointer, -128 - 4 * static_cast<int>(i)));
  units_.push_back(first);
  while (units_.size() < units) {
    std::vector<Word> unit;
    unit_into(unit, true);
    units_.push_back(unit);
  }
}

unsigned RandomProgram::instructions() const {
  std::size_t count = 0;
  for (const auto& unit : units_) count += unit.size();
  return static_cast<unsigned>(count);
}

u32 RandomProgram::random_operand() {
  constexpr Word kSpecial[] = {
      0,          1,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 2,          31,         32,
      0x3F800000, 0xBF800000, 0x40000000, 0x3F000000, 0x3F800001, 0x3F7FFFFF, 0x33800000, 0x34000000,
      0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0xFFBFFFFF, 0x7F7FFFFF, 0xFF7FFFFF,
      0x00800000, 0x80800000, 0x007FFFFF, 0x80000001, 0x00000003, 0x4EFFFFFF, 0x4F000000, 0xCF000000,
      0x4F7FFFFF, 0x4F800000, 0xBF000000, 0xBFC00000, 0x40200000, 0x4B000001, 0x4B800000, 0x00FFFFFF};
  const auto pattern = static_cast<Word>(random_());
  switch (below(8)) {
    case 0:
    case 1: return kSpecial[below(sizeof kSpecial / sizeof kSpecial[0])];
    case 2: return 1u << below(32);
    case 3: return pattern;
    case 4: return (pattern & 0x80000000) | (pattern & 0x007FFFFF) >> below(23);  // subnormal
    case 5: return (pattern & 0x807FF000) | (120 + below(16)) << 23;  // short: ties
    case 6: return (pattern & 0x807FFFFF) | (1 + below(254)) << 23;
    default: return (pattern & 0x807FFFFF) | (115 + below(40)) << 23;  // close to the integers
  }
}

/// Any instruction of the table that only works on registers, with any operands.
u32 RandomProgram::random_instruction() {
  const Entry& entry = kEntries[table_[below(static_cast<u32>(table_.size()))]];
  Word word = entry.match | (static_cast<Word>(random_()) & ~entry.mask);
  const Instruction in = decode(word);
  if (in.rd == kNoRegister || in.rd < kFloatRow) word = (word & ~(31u << 7)) | below(kFreeRegisters) << 7;
  constexpr u32 kModes[] = {0, 1, 2, 3, 4, 7, 7, 7};
  if ((entry.mask & 0x7000) == 0 && entry.unit >= Unit::kFpuFma)
    word = (word & ~0x7000u) | kModes[below(8)] << 12;
  return word;
}

u32 RandomProgram::memory_instruction() {
  const u32 kind = below(12);
  const u32 rd = below(kFreeRegisters), any = below(32);
  const u32 f3 = (kind == 0 || kind == 5) ? 0 : (kind == 1 || kind == 6) ? 1 : 2;
  const int size = 1 << f3;
  const int whole = static_cast<int>(kPoolBytes + kDataBytes) / size;
  const int offset = static_cast<int>(below(static_cast<u32>(whole))) * size - static_cast<int>(kPoolBytes);
  const int in_data = offset & static_cast<int>(kDataBytes - 1);
  switch (kind) {
    case 0:
    case 1: return i_type(0x03, f3 | (below(2) << 2), rd, kDataPointer, offset);  // lb, lbu, lh, lhu
    case 2: return lw(rd, kDataPointer, offset);
    case 3:
    case 4: return flw(any, kDataPointer, offset);
    case 5:
    case 6: return s_type(0x23, f3, kDataPointer, any, in_data);
    case 7: return sw(any, kDataPointer, in_data);
    case 8: return fsw(any, kDataPointer, in_data);
    default:  // fresh operands, or all registers end as NaN
      return below(2) == 0 ? lw(rd, kDataPointer, -4 * static_cast<int>(1 + below(256)))
                           : flw(any, kDataPointer, -4 * static_cast<int>(1 + below(256)));
  }
}

u32 RandomProgram::csr_instruction() {
  const u32 rd = below(kFreeRegisters);
  const auto immediate = [&](u32 f3, u32 csr, u32 value) {
    return csr << 20 | value << 15 | f3 << 12 | rd << 7 | 0x73;
  };
  switch (below(8)) {
    case 0: return csrrs(rd, csr::kFflags, 0);
    case 1: return csrrs(rd, csr::kFcsr, 0);
    case 2: return csrrs(rd, csr::kFrm, 0);
    case 3: return immediate(5, csr::kFflags, 0);
    case 4: return immediate(5 + below(3), csr::kFflags, below(32));
    case 5:
      return below(2) == 0 ? csrrw(rd, csr::kFflags, below(32))
                           : immediate(5, csr::kFcsr, below(32));  // fcsr: frm becomes 0
    default: return immediate(5, csr::kFrm, below(5));
  }
}

void RandomProgram::atomic(std::vector<Word>& out) {
  out.push_back(addi(kAddress, kDataPointer, 4 * static_cast<int>(below(kDataBytes / 4))));
  const u32 rd = below(kFreeRegisters), order = below(4);
  const auto a_type = [&](u32 f5, u32 to, u32 value) {
    return r_type(0x2F, 2, f5 << 2 | order, to, kAddress, value);
  };
  if (below(3) == 0) {
    // Succeeds, fails for a second time, or fails at another address.
    out.push_back(a_type(0x02, rd, 0));
    const u32 kind = below(3);
    if (kind == 2) out.push_back(addi(kAddress, kAddress, below(2) == 0 ? 4 : -4));
    out.push_back(a_type(0x03, below(kFreeRegisters), below(32)));
    if (kind == 1) out.push_back(a_type(0x03, below(kFreeRegisters), below(32)));
    return;
  }
  constexpr u32 kFunctions[] = {0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C};
  out.push_back(a_type(kFunctions[below(9)], rd, below(32)));
}

/// Over one to three other units, taken or not.
void RandomProgram::branch(std::vector<Word>& out) {
  std::vector<Word> skipped;
  for (u32 i = 0; i <= below(3); ++i) unit_into(skipped, false);
  const int length = 4 * static_cast<int>(skipped.size());
  constexpr u32 kConditions[] = {0, 1, 4, 5, 6, 7};
  switch (below(8)) {
    case 0: out.push_back(jal(below(kFreeRegisters), length + 4)); break;
    case 1:
      out.push_back(0x17 | kAddress << 7);  // auipc
      out.push_back(jalr(below(kFreeRegisters), kAddress, length + 8 + static_cast<int>(below(2))));
      break;
    default: out.push_back(b_type(kConditions[below(6)], below(32), below(32), length + 4));
  }
  out.insert(out.end(), skipped.begin(), skipped.end());
}

void RandomProgram::unit_into(std::vector<Word>& out, bool may_branch) {
  const u32 kind = below(20);
  if (kind < 5) {
    out.push_back(memory_instruction());
  } else if (kind < 6) {
    out.push_back(csr_instruction());
  } else if (kind < 7) {
    atomic(out);
  } else if (kind < 9 && may_branch) {
    branch(out);
  } else {
    out.push_back(random_instruction());
  }
}

std::vector<std::uint8_t> RandomProgram::image(unsigned units) const {
  std::vector<Word> code;
  load_constant(code, kDataPointer, kBase + kPoolBytes);
  load_constant(code, kLog, kBase + kPoolBytes + kDataBytes);
  const auto log = [&code] {
    for (u32 i = 0; i < 32; ++i) code.push_back(sw(i, kLog, 4 * static_cast<int>(i)));
    for (u32 i = 0; i < 32; ++i) code.push_back(fsw(i, kLog, 128 + 4 * static_cast<int>(i)));
    code.push_back(csrrs(kAddress, csr::kFcsr, 0));
    code.push_back(sw(kAddress, kLog, 256));
    code.push_back(addi(kLog, kLog, static_cast<int>(kRecordBytes)));
  };
  for (unsigned i = 0; i < units; ++i) {
    code.insert(code.end(), units_[i].begin(), units_[i].end());
    if ((i + 1) % kUnitsPerSection == 0) log();
  }
  log();
  // write(1, kBase, output_bytes()), exit(0)
  code.push_back(addi(10, 0, 1));
  load_constant(code, 11, kBase);
  load_constant(code, 12, output_bytes());
  code.push_back(addi(17, 0, 64));
  code.push_back(ecall());
  code.push_back(addi(10, 0, 0));
  code.push_back(addi(17, 0, 93));
  code.push_back(ecall());

  std::vector<std::uint8_t> bytes(output_bytes() + 4 * code.size());
  std::memcpy(bytes.data(), pool_.data(), 4 * pool_.size());
  std::memcpy(bytes.data() + output_bytes(), code.data(), 4 * code.size());
  return bytes;
}

}  // namespace spica::isa::test
