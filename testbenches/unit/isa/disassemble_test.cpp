// SPDX-License-Identifier: Apache-2.0
// Words and texts from riscv64-unknown-elf-objdump 2.40 -d -M no-aliases, branch targets as
// addresses.

#include "models/isa/instruction.h"

#include "testbenches/support/catch.h"

namespace spica::isa {

namespace {
struct Line {
  std::uint32_t pc, word;
  const char* text;
};
const Line kStandard[] = {
    {0x00, 0x12345537, "lui a0,0x12345"},
    {0x04, 0x80000197, "auipc gp,0x80000"},
    {0x08, 0xFF9FF0EF, "jal ra,0x0"},
    {0x0C, 0x0080006F, "jal zero,0x14"},
    {0x10, 0xFFC500E7, "jalr ra,-4(a0)"},
    {0x14, 0x00008067, "jalr zero,0(ra)"},
    {0x18, 0xFEB504E3, "beq a0,a1,0x0"},
    {0x1C, 0x7FF46DE3, "bltu s0,t6,0x1016"},
    {0x20, 0xFFC12503, "lw a0,-4(sp)"},
    {0x24, 0x7E5D8FA3, "sb t0,2047(s11)"},
    {0x28, 0xFFF50513, "addi a0,a0,-1"},
    {0x2C, 0x00500513, "addi a0,zero,5"},
    {0x30, 0x01F59513, "slli a0,a1,0x1f"},
    {0x34, 0x4015D513, "srai a0,a1,0x1"},
    {0x38, 0xFFF5F513, "andi a0,a1,-1"},
    {0x3C, 0x00C58533, "add a0,a1,a2"},
    {0x40, 0x0FF0000F, "fence iorw,iorw"},
    {0x44, 0x0310000F, "fence rw,w"},
    {0x48, 0x8330000F, "fence.tso"},
    {0x4C, 0x0000100F, "fence.i"},
    {0x50, 0x00000073, "ecall"},
    {0x54, 0x00100073, "ebreak"},
    {0x58, 0x30200073, "mret"},
    {0x5C, 0x10500073, "wfi"},
    {0x60, 0x00159573, "csrrw a0,fflags,a1"},
    {0x64, 0xACC02573, "csrrs a0,0xacc,zero"},
    {0x68, 0x0021D073, "csrrwi zero,frm,3"},
    {0x6C, 0xF14FF5F3, "csrrci a1,mhartid,31"},
    {0x70, 0xB0002573, "csrrs a0,mcycle,zero"},
    {0x74, 0xCC002573, "csrrs a0,0xcc0,zero"},
    {0x78, 0x02C5A533, "mulhsu a0,a1,a2"},
    {0x7C, 0x1005A52F, "lr.w a0,(a1)"},
    {0x80, 0x1405A52F, "lr.w.aq a0,(a1)"},
    {0x84, 0x18C5A52F, "sc.w a0,a2,(a1)"},
    {0x88, 0x06C5A52F, "amoadd.w.aqrl a0,a2,(a1)"},
    {0x8C, 0xE2C5A52F, "amomaxu.w.rl a0,a2,(a1)"},
    {0x90, 0x00812507, "flw fa0,8(sp)"},
    {0x94, 0xFFF12C27, "fsw ft11,-8(sp)"},
    {0x98, 0x68C5F543, "fmadd.s fa0,fa1,fa2,fa3"},
    {0x9C, 0x68C59543, "fmadd.s fa0,fa1,fa2,fa3,rtz"},
    {0xA0, 0x00C58553, "fadd.s fa0,fa1,fa2,rne"},
    {0xA4, 0x00C5F553, "fadd.s fa0,fa1,fa2"},
    {0xA8, 0x5804C453, "fsqrt.s fs0,fs1,rmm"},
    {0xAC, 0x5804F453, "fsqrt.s fs0,fs1"},
    {0xB0, 0x20B58553, "fsgnj.s fa0,fa1,fa1"},
    {0xB4, 0x28C58553, "fmin.s fa0,fa1,fa2"},
    {0xB8, 0xC0051553, "fcvt.w.s a0,fa0,rtz"},
    {0xC0, 0xC0152553, "fcvt.wu.s a0,fa0,rdn"},
    {0xC4, 0xE0050553, "fmv.x.w a0,fa0"},
    {0xC8, 0xA0B52553, "feq.s a0,fa0,fa1"},
    {0xCC, 0xE0051553, "fclass.s a0,fa0"},
    {0xD0, 0xD0057553, "fcvt.s.w fa0,a0"},
    {0xD4, 0xD0153553, "fcvt.s.wu fa0,a0,rup"},
    {0xD8, 0xF0050553, "fmv.w.x fa0,a0"},
    {0xE8, 0xFFFFFFFF, ".word 0xffffffff"},
};
// What no assembler knows: by the names of the published runtime.
const Line kExtension[] = {
    {0, 0x0005000B, "tmc a0"},
    {0, 0x00B5100B, "wspawn a0,a1"},
    {0, 0x0005A50B, "split a0,a1"},
    {0, 0x0005300B, "join a0"},
    {0, 0x00B5400B, "bar a0,a1"},
    {0, 0x00B5500B, "pred a0,a1"},
    {0, 0x0000007B, "wmma 0"},
    {0, 0x000000FB, "wmma 1"},
    {0, 0x00B5007B, "hgmma a0,a1"},
    {0, 0x0000107B, "hgmma_wait"},
    // Fields that the hardware ignores.
    {0, 0x0016A60B, "split a2,a3 # rs2=ra ignored (the negated split of newer cores)"},
    {0, 0x00B5508B, "pred a0,a1 # rd=ra ignored (the negated pred of newer cores)"},
    {0, 0x00B5550B, "pred a0,a1 # rd=a0 ignored"},
    {0, 0x00B5250B, "split a0,a0 # rs2=a1 ignored"},
    {0, 0x00B5058B, "tmc a0 # rd=a1, rs2=a1 ignored"},
    {0, 0x00B5058B | 3 << 12, "join a0 # rd=a1, rs2=a1 ignored"},
    {0, 0x0000057B, "wmma 0 # rd=a0 ignored"},
    {0, 0x00B5007B | 5 << 7, "hgmma a0,a1 # rd=t0 ignored"},
    {0, 0x06B5707B, "hgmma_wait # rs1=a0, rs2=a1, funct3=7, funct7=0x3 ignored"},
};
}  // namespace

TEST_CASE("standard instructions read as GNU objdump writes them") {
  for (const Line& line : kStandard) CHECK(disassemble(decode(line.word), line.pc) == line.text);
}

TEST_CASE("instructions of the extension read by their mnemonics") {
  for (const Line& line : kExtension) CHECK(disassemble(decode(line.word), line.pc) == line.text);
}

TEST_CASE("a tensor instruction that a compiler meant for the other kind of tensor core says so") {
  const auto text = [](std::uint32_t word, TensorStyle style) { return disassemble(decode(word, style), 0); };
  CHECK(text(0x00B5007B, TensorStyle::kSynchronous) ==
        "wmma 0 # rs1=a0, rs2=a1 ignored (hgmma or hgmma_wait of decoupled tensor cores)");
  CHECK(text(0x0000107B, TensorStyle::kSynchronous) ==
        "wmma 0 # funct3=1 ignored (hgmma or hgmma_wait of decoupled tensor cores)");
  CHECK(text(0x0000007B, TensorStyle::kDecoupled) == "hgmma zero,zero # (wmma of synchronous tensor cores)");
  CHECK(text(0x000000FB, TensorStyle::kSynchronous) == "wmma 1");
  CHECK(text(0x00B5007B, TensorStyle::kDecoupled) == "hgmma a0,a1");
}

TEST_CASE("instructions on fragments read with their shape, layouts and formats") {
  const auto text = [](std::uint32_t word) { return disassemble(decode(word, TensorStyle::kVolta), 0); };
  const auto mma = [](unsigned form, unsigned d, unsigned a, unsigned b, unsigned c) {
    return 0x7Bu | d << 7 | (form / 4 + 2) % 8 << 12 | a << 15 | b << 20 | (form % 4) << 25 | c << 27;
  };
  CHECK(text(mma(2, 3, 0, 1, 31)) == "wmma32.mma.m16n16k16.row.col.f32.f16 w3,w0,w1,w31");
  CHECK(text(mma(18, 0, 1, 2, 0)) == "wmma32.mma.m8n32k16.row.col.s32.s8 w0,w1,w2,w0");
  CHECK(text(mma(24, 3, 0, 1, 31)) == "wmma32.mma.m16n16k16.row.col.f32.bf16 w3,w0,w1,w31");
  CHECK(text(mma(31, 3, 0, 1, 31)) == "wmma32.mma.m16n8k8.row.col.f32.tf32 w3,w0,w1,w31");
  const auto narrow = [](unsigned form, unsigned d, unsigned a, unsigned b, unsigned c) {
    return 0x2Bu | d << 7 | form / 4 % 8 << 12 | a << 15 | b << 20 | (form % 4) << 25 | c << 27;
  };
  CHECK(text(narrow(32, 3, 0, 1, 31)) == "wmma32.mma.m16n16k32.row.col.f32.e4m3 w3,w0,w1,w31");
  CHECK(text(narrow(35, 0, 1, 2, 0)) == "wmma32.mma.m16n16k32.row.col.f16.e5m2 w0,w1,w2,w0");
  CHECK(text(narrow(41, 0, 1, 2, 0)) == "wmma32.mma.m16n16k64.row.col.f16.e2m1 w0,w1,w2,w0");
  CHECK(text(narrow(42, 0, 1, 2, 0)) == "wmma32.mma.m16n16k32.row.col.f32.e4m3.ue8m0 w0,w1,w2,w0");
  CHECK(text(narrow(46, 0, 1, 2, 0)) == "wmma32.mma.m16n16k64.row.col.f32.e2m1.ue8m0 w0,w1,w2,w0");
  CHECK(text(narrow(47, 0, 1, 2, 0)) == "wmma32.mma.m16n16k64.row.col.f32.e2m1.ue4m3 w0,w1,w2,w0");
  CHECK(text(narrow(48, 0, 1, 2, 0)) == "wmma32.mma.reserved w0,w1,w2,w0");
  CHECK(text(narrow(63, 0, 1, 2, 0)) == "wmma32.mma.reserved w0,w1,w2,w0");
  CHECK(text(0x00B5015B | 1u << 25) == "wmma32.load.a.m16n16k16.row.f32.f16 w2,(a0),a1");
  CHECK(text(0x00B5115B | 33u << 25) == "wmma32.load.b.m16n16k16.col.f32.f16 w2,(a0),a1");
  CHECK(text(0x00B5115B | 97u << 25) == "wmma32.load.b.m.m16n16k16.col.f32.f16 w2,(a0),a1");
  CHECK(text(0x00C5E50B) == "mlds a0,12(a1)");
  CHECK(text(0x00B5315B | 4u << 25) == "wmma32.store.m16n16k16.row.f16.f16 w2,(a0),a1");
  CHECK(text(0x0A30455B) == "wmma32.get fa0,w3,5");
  CHECK(text(0x0A0551DB) == "wmma32.set w3,5,fa0");
  CHECK(text(0x000561DB) == "wmma32.fill w3,fa0");
  CHECK(text(0x00A5F05B) == "cp.async.4 (a0),(a1)");
  CHECK(text(0x02A5F05B) == "cp.async.8 (a0),(a1)");
  CHECK(text(0x04A5F05B) == "cp.async.16 (a0),(a1)");
  CHECK(text(0x0800705B) == "cp.async.commit_group");
  CHECK(text(0x0A30705B) == "cp.async.wait_group 3");
  CHECK(text(0x06A5F05B) == ".word 0x06a5f05b");
  CHECK(text(0x0000007B) == "wmma32.mma.m16n16k16.row.col.f32.bf16 w0,w0,w0,w0");
  CHECK(text(mma(0, 0, 0, 0, 0) | 7u << 12) == "wmma32.mma.m16n8k16.row.col.f32.f16 w0,w0,w0,w0");
}

}  // namespace spica::isa
