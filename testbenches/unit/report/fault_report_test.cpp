// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/fault_report.h"

#include <algorithm>
#include <set>

#include "platform/observe/report/warp_table.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::report;
using protocol::FaultKind;
using protocol::GuestFault;
using protocol::Severity;
using Unit = protocol::Origin::Unit;

namespace {

GuestFault make(FaultKind kind, Severity severity, base::Cycle cycle) {
  GuestFault fault{};
  fault.kind = kind;
  fault.severity = severity;
  fault.cycle = cycle;
  return fault;
}

/// Code at 0x80000000: _start, and gemm from 0x80000008 on; no debug information.
loader::Program two_functions() {
  loader::Program program;
  loader::Segment text;
  text.address = 0x8000'0000;
  text.bytes.resize(16);
  text.executable = true;
  program.segments.push_back(text);
  using Kind = loader::Symbol::Kind;
  program.symbols = {{"_start", 0x8000'0000, 8, Kind::kFunction, true},
                     {"_Z4gemmiPf", 0x8000'0008, 0, Kind::kFunction, true}};
  return program;
}

struct FaultFixture {
  loader::Program program = two_functions();
  loader::SourceMap source{program};
  FaultContext context{&source, 400};

  GuestFault misaligned() const {
    GuestFault fault = make(FaultKind::kMisalignedAccess, Severity::kFault, 1234);
    fault.origin.unit = Unit::kCore;
    fault.origin.core = 2;
    fault.origin.warp = 3;
    fault.origin.pc = 0x8000'000C;
    fault.origin.lanes = 0b1011'1101;
    fault.instruction = 0x0007'A703;  // lw a4, 0(a5)
    fault.has_address = true;
    fault.address = 0x8000'0002;
    fault.detail = "an address that is a multiple of 4";
    return fault;
  }
};

}  // namespace

TEST_CASE_METHOD(FaultFixture, "a fault tells what, when, who, where, and what was expected") {
  CHECK(format_fault(misaligned(), context) ==
        "fault: a misaligned memory access\n"
        "  time         cycle 1234 (3085.0 ns)\n"
        "  by           core 2, warp 3\n"
        "  pc           0x8000000c (+0x4)\n"
        "  in           gemm(int, float*)\n"
        "  instruction  0x0007a703  lw a4,0(a5)\n"
        "  lanes        0,2-5,7\n"
        "  address      0x80000002\n"
        "  detail       an address that is a multiple of 4\n");
}

TEST_CASE_METHOD(FaultFixture, "a fault leaves out what is not known") {
  GuestFault fault = make(FaultKind::kBadMatrixCommand, Severity::kWarning, 10);
  fault.origin.unit = Unit::kMatrixUnit;
  fault.origin.core = 1;
  CHECK(format_fault(fault, context) ==
        "warning: an invalid command to a matrix unit\n"
        "  time         cycle 10 (25.0 ns)\n"
        "  by           matrix unit 1\n");
}

TEST_CASE_METHOD(FaultFixture, "an illegal word is shown even when it is zero") {
  GuestFault fault = misaligned();
  fault.instruction = 0;
  CHECK_THAT(format_fault(fault, context), !Catch::Contains("instruction"));
  fault.kind = FaultKind::kIllegalInstruction;
  CHECK_THAT(format_fault(fault, context), Catch::Contains("instruction  0x00000000"));
}

TEST_CASE_METHOD(FaultFixture, "a compressed word is explained by the program's header") {
  GuestFault fault = misaligned();
  fault.kind = FaultKind::kIllegalInstruction;
  fault.instruction = 0x00004501;  // c.li a0,0
  CHECK_THAT(format_fault(fault, context), !Catch::Contains("EF_RISCV_RVC"));
  context.compressed_program = true;
  CHECK_THAT(format_fault(fault, context),
             Catch::Contains("EF_RISCV_RVC") && Catch::Contains("-march=rv32imaf"));
  fault.instruction = 0xFFFFFFFF;
  CHECK_THAT(format_fault(fault, context), !Catch::Contains("EF_RISCV_RVC"));
  fault.kind = FaultKind::kMisalignedFetch;  // a jump between two words of 32 bits
  fault.address = 0x80000002;
  CHECK_THAT(format_fault(fault, context), Catch::Contains("EF_RISCV_RVC"));
}

TEST_CASE_METHOD(FaultFixture, "the address of a jump is called its target") {
  GuestFault fault = misaligned();
  fault.kind = FaultKind::kUnmappedFetch;
  CHECK_THAT(format_fault(fault, context), Catch::Contains("  target       0x80000002\n"));
}

TEST_CASE("every kind of fault has a sentence of its own") {
  std::set<std::string> sentences;
  constexpr int kKinds = static_cast<int>(FaultKind::kMaskNotRestored) + 1;
  for (int kind = 0; kind < kKinds; ++kind) sentences.insert(fault_sentence(static_cast<FaultKind>(kind)));
  CHECK(sentences.size() == kKinds);
  CHECK(sentences.count("an unknown fault") == 0);
}

TEST_CASE("lanes are shown as numbers and ranges") {
  CHECK(lanes_text(0) == "none");
  CHECK(lanes_text(1) == "0");
  CHECK(lanes_text(0b11) == "0,1");
  CHECK(lanes_text(0b111) == "0-2");
  CHECK(lanes_text(0x8000'0001) == "0,31");
  CHECK(lanes_text(0xFFFF'FFFF) == "0-31");
}

TEST_CASE_METHOD(FaultFixture, "the table of warps is aligned and names functions") {
  const std::vector<WarpSnapshot> warps{{0, 0, "running", 0x8000'0004, 0xFF, ""},
                                        {0, 1, "waits at barrier 1", 0x8000'000C, 0x1, "3 of 4 arrived"},
                                        {10, 0, "ended", 0x1234, 0, ""}};
  CHECK(warp_table(warps, source) ==
        "core  warp  state               pc          lanes  function           detail\n"
        "   0     0  running             0x80000004  0-7    _start\n"
        "   0     1  waits at barrier 1  0x8000000c  0      gemm(int, float*)  3 of 4 arrived\n"
        "  10     0  ended\n");
  CHECK(warp_table({}, source).empty());
}

TEST_CASE_METHOD(FaultFixture, "many warps have a line for each place, those with most warps first") {
  std::vector<WarpSnapshot> warps;
  for (unsigned i = 0; i < 60; ++i) warps.push_back({i / 2, i % 2, "ended", 0, 0, ""});
  for (unsigned i = 60; i < 64; ++i) warps.push_back({i / 2, i % 2, "running", 0x8000'0004, 0xFF, ""});
  const auto lines = [&] {
    const std::string text = warp_table(warps, source);
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(lines() == 1 + 64);
  warps.push_back({40, 0, "running", 0x8000'0004, 0x1, ""});
  CHECK(warp_table(warps, source) ==
        "warps  first: core  warp  state    pc          function\n"
        "   60            0     0  ended\n"
        "    5           30     0  running  0x80000004  _start\n");
  for (std::uint32_t i = 0; i < 50; ++i) warps.push_back({50, i, "fetches", 0x8000'0100 + 4 * i, 0x1, ""});
  CHECK(lines() == 1 + 40 + 1);
  CHECK_THAT(warp_table(warps, source), Catch::EndsWith("and 12 at 12 other places\n"));
}
