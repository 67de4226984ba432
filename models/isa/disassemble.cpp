// SPDX-License-Identifier: Apache-2.0
#include "models/isa/csr.h"
#include "models/isa/fragment_use.h"
#include "models/isa/instruction.h"
#include "models/isa/mma_form.h"

namespace spica::isa {

namespace {

constexpr const char* kRegisterNames[kRegisterRows] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",  "a0",   "a1",  "a2",
    "a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",  "s7",   "s8",  "s9",
    "s10",  "s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",  "ft5", "ft6",
    "ft7",  "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",  "fs2", "fs3",
    "fs4",  "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

}  // namespace

const char* register_name(unsigned row) noexcept { return kRegisterNames[row < kRegisterRows ? row : 0]; }

namespace {

std::string reg(std::uint8_t row) { return register_name(row); }

/// "0x" and at least `digits` digits.
std::string hex(std::uint32_t value, unsigned digits = 1) {
  std::string text;
  for (; value != 0 || text.size() < digits; value >>= 4) text.insert(0, 1, "0123456789abcdef"[value & 15]);
  return "0x" + text;
}

/// Static rounding modes are named, the dynamic one is not.
std::string rounding(const Instruction& in) {
  constexpr const char* kNames[8] = {",rne", ",rtz", ",rdn", ",rup", ",rmm", ",unknown", ",unknown", ""};
  return kNames[in.rounding];
}

/// The sets of a fence: i = input, o = output, r = reads, w = writes.
std::string fence_set(std::uint32_t bits) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    if ((bits >> (3 - i) & 1) != 0) text += "iorw"[i];
  return text.empty() ? "0" : text;
}

std::string csr_text(std::uint32_t number) {
  // Our own numbers show as such: assemblers do not know their names.
  const bool standard = number != csr::kAccelerator && number < 0xCC0;
  const char* known = standard || number >> 4 == 0xF1 ? csr::name(number) : nullptr;
  return known != nullptr ? known : hex(number);
}

std::string fragment(std::uint32_t field) { return "w" + std::to_string(field & 31); }

/// ".m16n16k16.row.col.f32.f16": what a wmma32 instruction works on.
std::string form_suffix(const Instruction& in) {
  if (!in.multiplies_fragments() && !in.moves_fragment()) return "";
  const MmaForm* const form = mma_form(form_of(in));
  if (form == nullptr) return ".reserved";
  std::string text = "." + shape_name(*form);
  if (in.format == Format::kFragmentLoad && is_multicast(in.imm)) text = ".m" + text;
  if (!in.multiplies_fragments()) text += is_column_major(in.imm) ? ".col" : ".row";
  else text += std::string(form->a_column_major ? ".col" : ".row") + (form->b_column_major ? ".col" : ".row");
  text += "." + std::string(numeric::info(form->accumulate).name) + "." + numeric::info(form->operand).name;
  switch (form->scale) {
    case numeric::ScaleFormat::kE8m0: return text + ".ue8m0";
    case numeric::ScaleFormat::kUe4m3: return text + ".ue4m3";
    case numeric::ScaleFormat::kNone: break;
  }
  return text;
}

std::string operands(const Instruction& in, std::uint32_t pc) {
  const std::string target = hex(pc + static_cast<std::uint32_t>(in.imm));
  const std::string rd = reg(in.rd), rs2 = reg(in.rs2);
  std::string offset = std::to_string(in.imm), rs1 = reg(in.rs1);
  switch (in.format) {
    case Format::kNone: return "";
    case Format::kUpper: return rd + "," + hex(static_cast<std::uint32_t>(in.imm) >> 12);
    case Format::kJump: return rd + "," + target;
    case Format::kBranch: return rs1 + "," + rs2 + "," + target;
    case Format::kJumpReg:
    case Format::kLoad:
    case Format::kFloatLoad: return rd + "," + offset + "(" + rs1 + ")";
    case Format::kStore:
    case Format::kFloatStore: return rs2 + "," + offset + "(" + rs1 + ")";
    case Format::kImm: return rd + "," + rs1 + "," + offset;
    case Format::kShift: return rd + "," + rs1 + "," + hex(static_cast<std::uint32_t>(in.imm));
    case Format::kReg:
    case Format::kFloat:
    case Format::kFloatCompare: return rd + "," + rs1 + "," + rs2;
    case Format::kFence: return fence_set(in.word >> 24 & 15) + "," + fence_set(in.word >> 20 & 15);
    case Format::kCsr: return rd + "," + csr_text(static_cast<std::uint32_t>(in.imm)) + "," + rs1;
    case Format::kCsrImm:
      return rd + "," + csr_text(static_cast<std::uint32_t>(in.imm)) + "," + std::to_string(csr_constant(in));
    case Format::kLoadReserved: return rd + ",(" + rs1 + ")";
    case Format::kAtomic: return rd + "," + rs2 + ",(" + rs1 + ")";
    case Format::kFloatFused: return rd + "," + rs1 + "," + rs2 + "," + reg(in.rs3) + rounding(in);
    case Format::kFloatRounded: return rd + "," + rs1 + "," + rs2 + rounding(in);
    case Format::kFloatRounded1:
    case Format::kFloatToIntRounded:
    case Format::kIntToFloatRounded: return rd + "," + rs1 + rounding(in);
    case Format::kFloatToInt:
    case Format::kIntToFloat:
    case Format::kSplit: return rd + "," + rs1;
    case Format::kSource1: return rs1;
    case Format::kSource2: return rs1 + "," + rs2;
    case Format::kFragments: return std::to_string(in.imm);
    case Format::kMma:
      return fragment(in.word >> 7) + "," + fragment(in.word >> 15) + "," + fragment(in.word >> 20) + "," +
             fragment(in.word >> 27);
    case Format::kFragmentLoad:
    case Format::kFragmentStore: return fragment(in.word >> 7) + ",(" + rs1 + ")," + rs2;
    case Format::kFragmentGet: return rd + "," + fragment(in.word >> 20) + "," + offset;
    case Format::kAsyncCopy: return "(" + rs2 + "),(" + rs1 + ")";
    case Format::kAsyncWait: return offset;
    case Format::kFragmentSet:
      return fragment(in.word >> 7) + (in.opcode == Opcode::kWmma32Set ? "," + offset : "") + "," + rs1;
  }
  return "";
}

/// "rd=ra, rs2=a0": the fields of a SIMT instruction that it ignores though they are not zero.
std::string ignored_fields(const Instruction& in) {
  if (in.unit != Unit::kWarpControl && in.unit != Unit::kTensor) return "";
  if (in.opcode >= Opcode::kWmma32Mma) return "";
  std::string text;
  const auto field = [&text](bool used, const char* name, const std::string& value, std::uint32_t bits) {
    if (!used && bits != 0) text += (text.empty() ? "" : ", ") + std::string(name) + "=" + value;
  };
  const std::uint32_t rd = in.word >> 7 & 31, rs1 = in.word >> 15 & 31, rs2 = in.word >> 20 & 31;
  const bool wmma = in.opcode == Opcode::kWmma, tensor = in.unit == Unit::kTensor;
  field(in.format == Format::kSplit || (wmma && rd == 1), "rd", register_name(rd), rd);
  field(in.rs1 != kNoRegister, "rs1", register_name(rs1), rs1);
  field(in.rs2 != kNoRegister, "rs2", register_name(rs2), rs2);
  const std::uint32_t funct3 = in.word >> 12 & 7, funct7 = in.word >> 25;
  field(!tensor || (!wmma && funct3 < 2), "funct3", std::to_string(funct3), funct3);
  field(!tensor, "funct7", hex(funct7), funct7);
  return text;
}

/// What such fields mean to compilers for newer cores; this core executes the plain form.
const char* newer_meaning(const Instruction& in) {
  if (in.opcode == Opcode::kSplit && (in.word >> 20 & 31) == 1) return " (the negated split of newer cores)";
  if (in.opcode == Opcode::kPred && (in.word >> 7 & 31) == 1) return " (the negated pred of newer cores)";
  if (names_other_tensor_style(in))
    return in.opcode == Opcode::kWmma ? " (hgmma or hgmma_wait of decoupled tensor cores)"
                                      : " (wmma of synchronous tensor cores)";
  return "";
}

}  // namespace

std::string disassemble(const Instruction& in, std::uint32_t pc) {
  if (in.opcode == Opcode::kIllegal) return ".word " + hex(in.word, 8);
  if (in.opcode == Opcode::kFence && in.word == 0x8330000F) return "fence.tso";
  std::string text = mnemonic(in.opcode) + form_suffix(in);
  if (in.unit == Unit::kAtomic) {
    constexpr const char* kOrder[4] = {"", ".rl", ".aq", ".aqrl"};
    text += kOrder[in.word >> 25 & 3];
  }
  const std::string list = operands(in, pc);
  if (!list.empty()) text += " " + list;
  if (const std::string ignored = ignored_fields(in); !ignored.empty())
    text += " # " + ignored + " ignored" + newer_meaning(in);
  else if (names_other_tensor_style(in)) text += std::string(" #") + newer_meaning(in);
  return text;
}

}  // namespace spica::isa
