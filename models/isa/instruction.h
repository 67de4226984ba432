// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::isa {

/// Maximum number of lanes of a warp.
inline constexpr unsigned kMaxLanes = 32;
/// Rows of a register file: 0..31 = x0..x31, 32..63 = f0..f31.
inline constexpr unsigned kRegisterRows = 64;
/// Row of the first floating-point register.
inline constexpr std::uint8_t kFloatRow = 32;
/// "No such operand"; also the destination of an instruction that names x0.
inline constexpr std::uint8_t kNoRegister = 0xFF;

/// All instructions, in the order of instructions.def; kIllegal is every other word.
enum class Opcode : std::uint16_t {
  kIllegal,
#define SPICA_INSTRUCTION(name, mnemonic, format, match, mask, unit, kernel) k##name,
#include "models/isa/instructions.def"
#undef SPICA_INSTRUCTION
  kCount
};

/// The hardware unit that executes an instruction.
enum class Unit : std::uint8_t {
  kAlu,
  kMul,
  kDiv,
  kBranch,  // conditional branches, jal, jalr
  kLoad,
  kStore,
  kAtomic,
  kFence,
  kFpuFma,   // add, subtract, multiply, fused forms
  kFpuMisc,  // sign injection, min, max, compare, classify, move
  kFpuConvert,
  kFpuDivide,
  kFpuSqrt,
  kCsr,
  kWarpControl,  // tmc, wspawn, split, join, bar, pred
  kTensor,
  kAsync,  // asynchronous copies, their groups and waits
  kSystem,  // ecall, ebreak, mret, wfi and every illegal word
  kCount
};

/// Operands of an instruction and their position in the word. x = integer, f = floating-point register.
enum class Format : std::uint8_t {
  kNone,               // no operands
  kUpper,              // x rd, imm[31:12]
  kJump,               // x rd, offset
  kJumpReg,            // x rd, imm(x rs1)
  kBranch,             // x rs1, x rs2, offset
  kLoad,               // x rd, imm(x rs1)
  kStore,              // x rs2, imm(x rs1)
  kImm,                // x rd, x rs1, imm
  kShift,              // x rd, x rs1, shift amount
  kReg,                // x rd, x rs1, x rs2
  kFence,              // predecessor and successor sets
  kCsr,                // x rd, csr, x rs1
  kCsrImm,             // x rd, csr, 5-bit constant
  kLoadReserved,       // x rd, (x rs1)
  kAtomic,             // x rd, x rs2, (x rs1)
  kFloatLoad,          // f rd, imm(x rs1)
  kFloatStore,         // f rs2, imm(x rs1)
  kFloatFused,         // f rd, f rs1, f rs2, f rs3, rounding
  kFloatRounded,       // f rd, f rs1, f rs2, rounding
  kFloatRounded1,      // f rd, f rs1, rounding
  kFloat,              // f rd, f rs1, f rs2
  kFloatCompare,       // x rd, f rs1, f rs2
  kFloatToIntRounded,  // x rd, f rs1, rounding
  kFloatToInt,         // x rd, f rs1
  kIntToFloatRounded,  // f rd, x rs1, rounding
  kIntToFloat,         // f rd, x rs1
  kSource1,            // x rs1
  kSource2,            // x rs1, x rs2
  kSplit,              // x rd, x rs1
  kFragments,          // wmma: rd field chooses the accumulator bank: x1 is 1, all others are 0
  kMma,                // fragments rd, rs1, rs2, rs3; form (mma_form.h)
  kFragmentLoad,  // fragment rd, x rs1 (address), x rs2 (stride of rows or columns, in elements); form, layout
  kFragmentStore,  // the same, and the fragment is read
  kFragmentGet,  // f rd, fragment rs2, number of its register
  kFragmentSet,  // fragment rd, f rs1, number of its register
  kAsyncCopy,  // x rs1 (address in global memory), x rs2 (address in shared memory)
  kAsyncWait,  // maximum number of groups that may still be incomplete
};

/// The type of tensor core in the decoding machine, which selects the meaning of opcode 0x7B.
enum class TensorStyle : std::uint8_t {
  kUnknown,  // no tensor core, or unknown: decodes as compilers intend
#define SPICA_TENSOR_STYLE(name, key, folder, even, odd) k##name,
#include "models/isa/tensor_styles.def"
#undef SPICA_TENSOR_STYLE
};
/// The instruction by style and bit 12 of the word.
inline constexpr Opcode kTensorWords[][2] = {
    {Opcode::kIllegal, Opcode::kIllegal},
#define SPICA_TENSOR_STYLE(name, key, folder, even, odd) {Opcode::k##even, Opcode::k##odd},
#include "models/isa/tensor_styles.def"
#undef SPICA_TENSOR_STYLE
};
constexpr Opcode tensor_opcode(std::uint32_t word, TensorStyle style) {
  return kTensorWords[static_cast<unsigned>(style)][word >> 12 & 1];
}

/// A decoded instruction. Two fit into a cache line, because a program's instructions take much of the host's cache.
struct alignas(32) Instruction {
  std::uint32_t word = 0;
  Opcode opcode = Opcode::kIllegal;
  Unit unit = Unit::kSystem;
  Format format = Format::kNone;
  /// Rows of the register file (f registers are 32..63). kNoRegister if absent, and for rd = x0, which is never
  /// written. x0 as a source is row 0, which holds zero.
  std::uint8_t rd = kNoRegister, rs1 = kNoRegister, rs2 = kNoRegister, rs3 = kNoRegister;
  /// rm field of the instructions that round (7 = take frm); 0 for all others.
  std::uint8_t rounding = 0;
  /// Loads, stores, atomics: 1, 2 or 4; asynchronous copies: 4, 8 or 16; otherwise 0.
  std::uint8_t access_bytes = 0;
  /// True if the load sign-extends.
  bool access_signed = false;
  /// Number of bits in `reads`.
  std::uint8_t rows_read = 0;
  /// One bit per register row that is read; x0 never. wmma names its fragments. hgmma names only its
  /// addresses: the accumulators change later, and hgmma_wait is what orders them.
  std::uint64_t reads = 0;
  /// Sign-extended immediate: value of lui and auipc, byte offset of branches, jumps, loads and
  /// stores, shift amount 0..31. CSR instructions: the CSR number 0..0xFFF (the 5-bit constant of
  /// the immediate forms is csr_constant() in csr.h). wmma: the accumulator bank. wmma32: see mma_form.h. Otherwise 0.
  std::int32_t imm = 0;
  /// Uses f0-f31 or fcsr: illegal while mstatus.FS disables the floating-point unit.
  bool uses_floats = false;
  /// May change f0-f31 or fcsr: mstatus.FS becomes dirty.
  bool changes_floats = false;

  /// Multiplies fragments of a tensor core.
  bool multiplies_fragments() const { return format == Format::kMma; }
  /// Loads or stores a fragment of a tensor core.
  bool moves_fragment() const { return format == Format::kFragmentLoad || format == Format::kFragmentStore; }
  /// True for a load that may share one read with that of another warp.
  bool multicasts() const;

  /// One bit per register row that is written; never x0. wmma: f16-f23 or f24-f31, C and D.
  std::uint64_t writes() const {
    if (opcode == Opcode::kWmma) return std::uint64_t{0xFF} << (kFloatRow + 16 + 8 * imm);
    return rd == kNoRegister ? 0 : std::uint64_t{1} << rd;
  }
};
static_assert(sizeof(Instruction) == 32);

/// Decodes one word; anything undefined gives kIllegal. Static rounding modes 5 and 6 decode:
/// whether a rounding mode is legal also depends on frm, see rounding_is_valid().
Instruction decode(std::uint32_t word, TensorStyle style = TensorStyle::kUnknown) noexcept;

/// True if the word begins with a 16-bit instruction (extension C). All zeros and all ones are reserved as illegal.
constexpr bool is_compressed(std::uint32_t word) noexcept { return (word & 3) != 3 && (word & 0xFFFF) != 0; }

/// True for a tensor instruction whose word compilers use for the other kind of tensor core.
bool names_other_tensor_style(const Instruction& instruction) noexcept;

/// "add", "wmma", ...; "illegal" for kIllegal.
const char* mnemonic(Opcode opcode) noexcept;

/// "a0", "ft3": name of a row of the register file; "zero" for kNoRegister.
const char* register_name(unsigned row) noexcept;

/// Text in the style of GNU objdump -M no-aliases, with one blank after the mnemonic. Branch targets are addresses
/// (0x...), relative to `pc`; wmma shows its accumulator bank, 0 or 1. Illegal words: ".word 0x...". A comment after "
/// # " names nonzero fields that the hardware ignores, because compilers for newer cores use them.
std::string disassemble(const Instruction& instruction, std::uint32_t pc);

}  // namespace spica::isa
