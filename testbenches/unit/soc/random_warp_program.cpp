// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/soc/random_warp_program.h"

#include "models/isa/instruction.h"
#include "testbenches/support/assembler.h"

namespace spica::soc::test {

using namespace testbench::rv;

namespace {

// Registers of the frame.
enum : u32 {
  kLane = 17,  // x17..x21: where a lane accesses memory, in elements; different for each lane
  kReversed,
  kCrossed,
  kEights,
  kApart,
  kTogether,  // 0 in all lanes
  kEightTogether,  // the same in eight lanes, another one in the next eight
  kOuter,  // what split returned
  kInner,
  kScratch,
  kScratch2,
  kAllLanes,
  kLogPlace,
  kDataBase,
  kSharedBase
};
constexpr unsigned kRowBytes = 4 * isa::kMaxLanes;
constexpr u32 kOperands[] = {0,          1,          2,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF,
                             0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
                             0x7F7FFFFF, 0x00800000, 0x007FFFFF, 0x80000001};

constexpr u32 srli(u32 rd, u32 rs1, int shift) { return i_type(0x13, 5, rd, rs1, shift); }
constexpr u32 andi(u32 rd, u32 rs1, int imm) { return i_type(0x13, 7, rd, rs1, imm); }
constexpr u32 xori(u32 rd, u32 rs1, int imm) { return i_type(0x13, 4, rd, rs1, imm); }
constexpr u32 sub(u32 rd, u32 rs1, u32 rs2) { return r_type(0x33, 0, 0x20, rd, rs1, rs2); }
constexpr u32 jal(u32 rd, int offset) {  // forward, less than 2 KB
  return static_cast<u32>(offset) << 20 | rd << 7 | 0x6F;
}

}  // namespace

RandomWarpProgram::RandomWarpProgram(std::uint32_t seed, unsigned sections) : random_(seed) {
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) table_.push_back(match);
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
  for (unsigned i = 0; i < 64 * isa::kMaxLanes + kDataBytes / 4; ++i) pool_.push_back(random_operand());
  begin();
  for (unsigned i = 0; i < sections; ++i) {
    const unsigned units = 5 + below(20);
    for (unsigned unit = 0; unit < units; ++unit) {
      if (below(6) == 0) other_mask();
      else straight(0);
    }
    dump();
  }
  emit(tmc(0));
}

RandomWarpProgram::Word RandomWarpProgram::random_operand() {
  return below(3) == 0 ? kOperands[below(16)] : static_cast<Word>(random_());
}

void RandomWarpProgram::constant(Word rd, Word value) {
  const Word upper = (value + 0x800) >> 12;
  emit(lui(rd, upper));
  emit(addi(rd, rd, static_cast<int>(value - (upper << 12))));
}

void RandomWarpProgram::begin() {
  emit(addi(kAllLanes, 0, -1));
  emit(tmc(kAllLanes));
  emit(addi(kAllLanes, 0, -1));  // in the other lanes, too
  emit(csrrs(kLane, 0xCC0, 0));
  constant(kScratch2, kPool);
  emit(slli(kScratch, kLane, 2));
  emit(add(kScratch, kScratch, kScratch2));
  for (u32 i = 1; i < 32; ++i, emit(addi(kScratch, kScratch, kRowBytes)))
    if (i < kLane) emit(lw(i, kScratch, 0));
  for (u32 i = 0; i < 32; ++i, emit(addi(kScratch, kScratch, kRowBytes))) emit(flw(i, kScratch, 0));
  emit(addi(kReversed, 0, isa::kMaxLanes - 1));
  emit(sub(kReversed, kReversed, kLane));
  emit(xori(kCrossed, kLane, 5));
  emit(andi(kEights, kLane, 7));  // eight side by side, the next eight somewhere else
  emit(srli(kScratch, kLane, 3));
  emit(slli(kScratch, kScratch, 6));
  emit(add(kEights, kEights, kScratch));
  emit(slli(kApart, kLane, 1));
  emit(add(kApart, kApart, kLane));
  emit(addi(kTogether, 0, 0));
  emit(srli(kEightTogether, kLane, 3));
  constant(kLogPlace, kLog);
  emit(slli(kScratch, kLane, 2));
  emit(add(kLogPlace, kLogPlace, kScratch));
  constant(kDataBase, kData + kDataBytes / 2);
  constant(kSharedBase, kShared + 0x1000);
}

void RandomWarpProgram::straight(unsigned depth) {
  const u32 kind = below(depth == 0 ? 16 : 14);
  if (kind < 7) arithmetic();
  else if (kind < 11) memory();
  else if (kind < 12) csr();
  else if (kind < 13) atomic();
  else if (kind < 14) jump();
  else diverge(depth);
}

void RandomWarpProgram::arithmetic() {
  for (;;) {
    u32 word = table_[below(static_cast<u32>(table_.size()))];
    isa::Instruction in = isa::decode(word);
    switch (in.unit) {
      case isa::Unit::kAlu:
      case isa::Unit::kMul:
      case isa::Unit::kDiv:
      case isa::Unit::kFpuFma:
      case isa::Unit::kFpuMisc:
      case isa::Unit::kFpuConvert:
      case isa::Unit::kFpuDivide:
      case isa::Unit::kFpuSqrt: break;
      default: continue;
    }
    const isa::Opcode opcode = in.opcode;
    word |= static_cast<u32>(random_()) & 0xFFFFF000;
    word = (word & ~(31u << 7)) | free_register() << 7;
    in = isa::decode(word);
    if (in.opcode == opcode && in.rounding != 5 && in.rounding != 6) return emit(word);
  }
}

/// To global or shared memory, at one of several patterns of places; lanes at one place only load.
void RandomWarpProgram::memory() {
  const u32 size = below(3),
            f3 = below(2) && size < 2 ? size + 4 : size;  // bytes 1, 2 or 4; lbu and lhu, too
  const u32 place = kLane + below(7);
  emit(slli(kScratch, place, static_cast<int>(size)));
  emit(add(kScratch, kScratch, below(2) ? u32{kDataBase} : u32{kSharedBase}));
  const int offset = (static_cast<int>(below(4096)) - 2048) / 4 * 4;
  const bool store = place < kTogether && below(2) != 0;
  if (size == 2 && below(2))
    emit(store ? fsw(below(32), kScratch, offset) : flw(below(32), kScratch, offset));
  else if (store) emit(s_type(0x23, size, kScratch, source(), offset));
  else emit(i_type(0x03, f3, free_register(), kScratch, offset));
}

/// Rounding modes and flags for the warp; what registers of the machine say.
void RandomWarpProgram::csr() {
  constexpr u32 kIdentities[] = {0xCC0, 0xCC1, 0xCC2, 0xCC4, 0xFC0, 0xFC1, 0xFC2};
  switch (below(4)) {
    case 0: return emit(2u << 20 | below(5) << 15 | 5 << 12 | free_register() << 7 | 0x73);  // csrrwi frm
    case 1: return emit(1u << 20 | below(32) << 15 | 5 << 12 | free_register() << 7 | 0x73);  // csrrwi fflags
    default: return emit(csrrs(free_register(), kIdentities[below(7)], 0));
  }
}

void RandomWarpProgram::atomic() {
  constexpr u32 kKinds[] = {0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C};
  emit(slli(kScratch, kLane + below(5), 2));
  emit(add(kScratch, kScratch, below(2) ? u32{kDataBase} : u32{kSharedBase}));
  emit(r_type(0x2F, 2, kKinds[below(9)] << 2, free_register(), kScratch, source()));
}

/// All lanes go the same way: over an instruction, or not.
void RandomWarpProgram::jump() {
  switch (below(4)) {
    case 0: emit(b_type(below(2) ? 0 : 5, kTogether, 0, 8)); break;  // taken
    case 1: emit(b_type(below(2) ? 1 : 6, kTogether, 0, 8)); break;  // not taken
    case 2: emit(jal(free_register(), 8)); break;
    default:
      emit(0u << 12 | kScratch << 7 | 0x17);  // auipc
      emit(jalr(free_register(), kScratch, 12));
  }
  arithmetic();
}

/// Lanes part by a bit of a register and come together again.
void RandomWarpProgram::diverge(unsigned depth) {
  const u32 token = depth == 0 ? kOuter : kInner;
  emit(srli(kScratch, free_register(), static_cast<int>(below(32))));
  emit(andi(kScratch, kScratch, 1));
  emit(split(token, kScratch));
  const auto block = [&] {
    const u32 units = 1 + below(3);
    for (u32 i = 0; i < units; ++i) {
      if (depth == 0 && below(5) == 0) diverge(1);
      else straight(1);
    }
  };
  const std::size_t branch = code_.size();
  emit(0);
  block();
  const std::size_t jump_over = code_.size();
  emit(0);
  code_[branch] = beq(kScratch2, 0, static_cast<int>(4 * (code_.size() - branch)));
  block();
  code_[jump_over] = jal(0, static_cast<int>(4 * (code_.size() - jump_over)));
  emit(join(token));
  // The condition must outlive what the blocks do to kScratch; each side has the same value in all its lanes.
  code_[branch - 2] = andi(kScratch2, kScratch, 1);
  code_[branch - 1] = split(token, kScratch2);
}

/// A few units with fewer lanes: tmc, or pred and the mask of before.
void RandomWarpProgram::other_mask() {
  emit(csrrs(kScratch2, 0xCC4, 0));
  if (below(2)) {
    constant(kScratch, static_cast<Word>(random_()) | 1);
    emit(r_type(0x33, 7, 0, kScratch, kScratch, kScratch2));  // lanes that there are, lane 0 at least
    emit(tmc(kScratch));
  } else {
    emit(srli(kScratch, free_register(), static_cast<int>(below(32))));
    emit(andi(kScratch, kScratch, 1));
    emit(pred(kScratch, kScratch2));
  }
  const u32 units = 1 + below(4);
  for (u32 i = 0; i < units; ++i) straight(1);
  emit(tmc(kAllLanes));
}

/// All registers of all lanes, and fcsr.
void RandomWarpProgram::dump() {
  const auto next = [&] {
    emit(addi(kLogPlace, kLogPlace, kRowBytes));
    log_bytes_ += kRowBytes;
  };
  for (u32 i = 1; i < kLane; ++i, next()) emit(sw(i, kLogPlace, 0));
  for (u32 i = 0; i < 32; ++i, next()) emit(fsw(i, kLogPlace, 0));
  emit(csrrs(kScratch, 3, 0));
  emit(sw(kScratch, kLogPlace, 0));
  next();
}

}  // namespace spica::soc::test
