// SPDX-License-Identifier: Apache-2.0
// Instruction words for tests, written from the RISC-V formats and not from the decoder's table.
#pragma once

#include <cstdint>

namespace spica::testbench::rv {

using u32 = std::uint32_t;

constexpr u32 r_type(u32 opcode, u32 f3, u32 f7, u32 rd, u32 rs1, u32 rs2) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
constexpr u32 i_type(u32 opcode, u32 f3, u32 rd, u32 rs1, int imm) {
  return static_cast<u32>(imm) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
constexpr u32 s_type(u32 opcode, u32 f3, u32 rs1, u32 rs2, int imm) {
  const u32 i = static_cast<u32>(imm);
  return (i >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i & 0x1F) << 7 | opcode;
}
constexpr u32 b_type(u32 f3, u32 rs1, u32 rs2, int offset) {
  const u32 i = static_cast<u32>(offset);
  return (i >> 12 & 1) << 31 | (i >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
         (i >> 1 & 0xF) << 8 | (i >> 11 & 1) << 7 | 0x63;
}

constexpr u32 lui(u32 rd, u32 imm20) { return imm20 << 12 | rd << 7 | 0x37; }
constexpr u32 addi(u32 rd, u32 rs1, int imm) { return i_type(0x13, 0, rd, rs1, imm); }
constexpr u32 slli(u32 rd, u32 rs1, int shift) { return i_type(0x13, 1, rd, rs1, shift); }
constexpr u32 add(u32 rd, u32 rs1, u32 rs2) { return r_type(0x33, 0, 0, rd, rs1, rs2); }
constexpr u32 mul(u32 rd, u32 rs1, u32 rs2) { return r_type(0x33, 0, 1, rd, rs1, rs2); }
constexpr u32 lw(u32 rd, u32 rs1, int imm) { return i_type(0x03, 2, rd, rs1, imm); }
constexpr u32 lb(u32 rd, u32 rs1, int imm) { return i_type(0x03, 0, rd, rs1, imm); }
constexpr u32 sw(u32 rs2, u32 rs1, int imm) { return s_type(0x23, 2, rs1, rs2, imm); }
constexpr u32 beq(u32 rs1, u32 rs2, int offset) { return b_type(0, rs1, rs2, offset); }
constexpr u32 bne(u32 rs1, u32 rs2, int offset) { return b_type(1, rs1, rs2, offset); }
constexpr u32 jalr(u32 rd, u32 rs1, int imm) { return i_type(0x67, 0, rd, rs1, imm); }
constexpr u32 csrrs(u32 rd, u32 csr, u32 rs1) { return csr << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x73; }
constexpr u32 csrrw(u32 rd, u32 csr, u32 rs1) { return csr << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x73; }
constexpr u32 fence() { return 0x0FF0000F; }
constexpr u32 ecall() { return 0x00000073; }
constexpr u32 ebreak() { return 0x00100073; }
constexpr u32 fadd(u32 rd, u32 rs1, u32 rs2) { return r_type(0x53, 7, 0, rd, rs1, rs2); }
constexpr u32 fmadd(u32 rd, u32 rs1, u32 rs2, u32 rs3) {
  return rs3 << 27 | rs2 << 20 | rs1 << 15 | 7 << 12 | rd << 7 | 0x43;
}
constexpr u32 fdiv(u32 rd, u32 rs1, u32 rs2) { return r_type(0x53, 7, 0x0C, rd, rs1, rs2); }
constexpr u32 flw(u32 rd, u32 rs1, int imm) { return i_type(0x07, 2, rd, rs1, imm); }
constexpr u32 fsw(u32 rs2, u32 rs1, int imm) { return s_type(0x27, 2, rs1, rs2, imm); }
constexpr u32 amoadd(u32 rd, u32 rs1, u32 rs2) { return r_type(0x2F, 2, 0, rd, rs1, rs2); }

// SIMT extension (runtime include/vx_intrinsics.h)
constexpr u32 tmc(u32 rs1) { return r_type(0x0B, 0, 0, 0, rs1, 0); }
constexpr u32 wspawn(u32 count, u32 pc) { return r_type(0x0B, 1, 0, 0, count, pc); }
constexpr u32 split(u32 rd, u32 rs1) { return r_type(0x0B, 2, 0, rd, rs1, 0); }
constexpr u32 join(u32 rs1) { return r_type(0x0B, 3, 0, 0, rs1, 0); }
constexpr u32 bar(u32 id, u32 count) { return r_type(0x0B, 4, 0, 0, id, count); }
constexpr u32 pred(u32 condition, u32 mask) { return r_type(0x0B, 5, 0, 0, condition, mask); }

}  // namespace spica::testbench::rv
