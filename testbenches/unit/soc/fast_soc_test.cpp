// SPDX-License-Identifier: Apache-2.0
// The machine of the fast mode as tools see it, beside that of the cycle mode.

#include <algorithm>
#include <tuple>

#include "models/matrix_unit/matrix_unit_regs.h"
#include "platform/machine/soc/fast_soc.h"
#include "platform/machine/soc/soc.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench::rv;

namespace {

constexpr std::uint32_t kEntry = 0x8000'0000, kData = 0x8001'0000;

/// Takes down what a machine tells.
struct Log final : protocol::ProbeIf {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> issued;  // pc, word, lanes
  std::vector<std::uint32_t> stored;  // lane 0 of the operands of stores
  std::vector<std::uint32_t> committed;
  std::vector<std::tuple<unsigned, unsigned>> barriers;
  std::vector<std::tuple<unsigned, std::uint32_t>> starts;
  std::vector<std::uint32_t> ends;
  std::vector<std::uint32_t> commands;
  std::vector<std::tuple<int, std::uint32_t, std::uint32_t>> work;  // kind, read from, written to
  unsigned work_ended = 0, released = 0;

  void on_issue(const protocol::InstructionEvent& event) override {
    issued.emplace_back(event.origin.pc, event.instruction.word, event.origin.lanes);
    if (event.instruction.unit == isa::Unit::kStore)
      stored.push_back(event.registers.row(event.instruction.rs2)[0]);
  }
  void on_commit(base::Cycle, const protocol::Origin& origin, const isa::RegisterFile&) override {
    committed.push_back(origin.pc);
  }
  void on_barrier_arrival(base::Cycle, const protocol::Origin&, unsigned id, unsigned count) override {
    barriers.emplace_back(id, count);
  }
  void on_barrier_release(base::Cycle, unsigned, unsigned) override { ++released; }
  void on_warp_start(base::Cycle, const protocol::Origin&, unsigned, unsigned warp,
                     std::uint32_t pc) override {
    starts.emplace_back(warp, pc);
  }
  void on_warp_end(base::Cycle, const protocol::Origin& origin) override { ends.push_back(origin.pc); }
  void on_command(base::Cycle, unsigned, const protocol::Origin&, std::uint32_t word) override {
    commands.push_back(word);
  }
  void on_work_begin(base::Cycle, unsigned, const protocol::UnitWork& w) override {
    work.emplace_back(static_cast<int>(w.kind), w.from.address, w.to.address);
  }
  void on_work_end(base::Cycle, unsigned, std::uint32_t) override { ++work_ended; }
};

/// Faults and the console of a machine.
struct Platform final : sc_core::sc_module, protocol::FaultIf, protocol::ConsoleIf {
  explicit Platform(const char* name) : sc_module(sc_core::sc_module_name(name)) {}
  void report(const protocol::GuestFault& fault) override { faults.push_back(fault.detail); }
  void put(const protocol::Origin&, unsigned, const char* characters, unsigned count) override {
    text.append(characters, count);
  }
  std::vector<std::string> faults;
  std::string text;
};

soc::SocParams one_core() {
  soc::SocParams params;
  params.cluster.cores = 1;
  return params;
}

template <class Machine>
void load(Machine& machine, const std::vector<std::uint32_t>& program) {
  machine.write(kEntry, reinterpret_cast<const unsigned char*>(program.data()), program.size() * 4);
}

constexpr u32 bit0(u32 rd, u32 rs) { return i_type(0x13, 7, rd, rs, 1); }

/// All lanes, a loop, memory, lanes that part, an atomic, a barrier, and a compute command of the matrix unit.
const std::vector<std::uint32_t> kProgram = {addi(1, 0, 0xFF),
                                             tmc(1),
                                             csrrs(2, 0xCC0, 0),
                                             slli(3, 2, 2),
                                             lui(4, kData >> 12),
                                             add(4, 4, 3),
                                             addi(5, 0, 5),  // turns
                                             sw(5, 4, 0),
                                             lw(6, 4, 0),
                                             add(7, 7, 6),
                                             addi(5, 5, -1),
                                             bne(5, 0, -16),
                                             bit0(8, 2),
                                             split(9, 8),
                                             beq(8, 0, 12),
                                             addi(10, 0, 1),
                                             beq(0, 0, 8),
                                             addi(10, 0, 2),
                                             join(9),
                                             sw(10, 4, 64),
                                             lui(11, (kData >> 12) + 1),
                                             addi(12, 0, 3),
                                             amoadd(13, 11, 12),
                                             addi(14, 0, 1),
                                             bar(0, 14),
                                             addi(15, 0, MATRIX_UNIT_Q_COMPUTE_0),
                                             csrrw(0, 0xACC, 15),
                                             tmc(0)};

}  // namespace

TEST_CASE("the links of each machine talk as its own parameters say") {
  soc::SocParams checked = one_core();
  checked.run.links = protocol::Links::kChecked;
  soc::Soc one("one", checked), other("other", one_core());
  CHECK(one.clock().links() == protocol::Links::kChecked);
  CHECK(other.clock().links() == protocol::Links::kDirect);
}

TEST_CASE("a program of one warp tells the same in the fast mode and in the cycle mode") {
  Platform platform("platform"), fast_platform("fast_platform");
  soc::Soc cycle("cycle", one_core());
  soc::FastSoc fast("fast", one_core());
  cycle.fault.bind(platform);
  cycle.console.bind(platform);
  fast.fault.bind(fast_platform);
  fast.console.bind(fast_platform);
  load(cycle, kProgram);
  load(fast, kProgram);
  Log slow_log, fast_log;
  cycle.watch(slow_log);
  fast.watch(fast_log);
  cycle.launch(kEntry);
  fast.launch(kEntry);
  sc_core::sc_start(1, sc_core::SC_MS);

  REQUIRE_FALSE(fast.any_warp_running());
  REQUIRE_FALSE(cycle.any_warp_running());
  // Eight lanes write CSR 0xACC in two packets; the second word is lost.
  CHECK(platform.faults.size() == 1);
  CHECK(fast_platform.faults == platform.faults);
  CHECK(fast_log.issued.size() > 40);
  CHECK(fast_log.issued == slow_log.issued);
  CHECK(fast_log.stored == slow_log.stored);
  std::sort(slow_log.committed.begin(), slow_log.committed.end());
  std::sort(fast_log.committed.begin(), fast_log.committed.end());
  CHECK(fast_log.committed == slow_log.committed);
  CHECK(fast_log.barriers == slow_log.barriers);
  CHECK(fast_log.released == slow_log.released);
  CHECK(fast_log.starts == slow_log.starts);
  CHECK(fast_log.ends == slow_log.ends);
  CHECK(fast_log.commands == slow_log.commands);
  CHECK(fast_log.commands.size() == 1);
  std::sort(slow_log.work.begin(), slow_log.work.end());
  std::sort(fast_log.work.begin(), fast_log.work.end());
  CHECK(fast_log.work.size() == 2 * 8 * 8 * 8);  // a preload and a compute for each block
  CHECK(fast_log.work == slow_log.work);
  CHECK(fast_log.work_ended == fast_log.work.size());
  std::vector<unsigned char> a(8192), b(8192);
  REQUIRE(cycle.read(kData, a.data(), a.size()));
  REQUIRE(fast.read(kData, b.data(), b.size()));
  CHECK(a == b);
  for (unsigned row = 0; row < isa::kRegisterRows; ++row)
    CHECK(std::equal(cycle.warp_view(0, 0).registers->row(row), cycle.warp_view(0, 0).registers->row(row) + 8,
                     fast.warp_view(0, 0).registers->row(row)));
}

TEST_CASE("without a probe the fast mode ends with the same registers, counts and estimated cycle") {
  Platform platform("platform");
  soc::FastSoc plain("plain", one_core()), watched("watched", one_core());
  Log log;
  for (soc::FastSoc* machine : {&plain, &watched}) {
    machine->fault.bind(platform);
    machine->console.bind(platform);
    load(*machine, kProgram);
  }
  watched.watch(log);
  plain.launch(kEntry);
  watched.launch(kEntry);
  sc_core::sc_start(1, sc_core::SC_MS);
  CHECK(plain.warp_instructions() == log.issued.size());
  CHECK(plain.warp_instructions() == watched.warp_instructions());
  CHECK(plain.lane_instructions() == watched.lane_instructions());
  CHECK(plain.now() == watched.now());
  for (unsigned row = 0; row < isa::kRegisterRows; ++row)
    CHECK(std::equal(plain.warp_view(0, 0).registers->row(row), plain.warp_view(0, 0).registers->row(row) + 8,
                     watched.warp_view(0, 0).registers->row(row)));
}

namespace {

/// Holds the warp before one instruction.
struct Gate final : protocol::GateIf {
  bool may_issue(const protocol::InstructionEvent& event) override {
    last = event.origin.pc;
    return event.origin.pc != hold;
  }
  std::uint32_t hold = 0, last = 0;
};

}  // namespace

TEST_CASE("a gate holds a warp before an instruction, and lets it go on") {
  Platform platform("platform");
  soc::FastSoc machine("machine", one_core());
  machine.fault.bind(platform);
  machine.console.bind(platform);
  load(machine, {addi(1, 0, 1), addi(1, 1, 1), addi(1, 1, 1), tmc(0)});
  Gate gate;
  gate.hold = kEntry + 8;
  machine.set_gate(&gate);
  machine.launch(kEntry);
  machine.clock().run_until(5000);
  CHECK(machine.warp_view(0, 0).running);
  CHECK(machine.warp_view(0, 0).pc == kEntry + 8);
  CHECK(machine.warp_view(0, 0).registers->row(1)[0] == 2);
  machine.set_pc(0, 0, kEntry + 4);  // once more
  machine.set_gate(nullptr);
  machine.clock().run_until(10000);
  CHECK_FALSE(machine.any_warp_running());
  CHECK(machine.warp_view(0, 0).registers->row(1)[0] == 4);
}

TEST_CASE("code that the program rewrites counts after fence.i, and code that a tool writes at once") {
  Platform platform("platform");
  soc::FastSoc machine("machine", one_core());
  machine.fault.bind(platform);
  machine.console.bind(platform);
  constexpr u32 kFenceI = 0x0000100F;
  // The loop runs three times; its first instruction adds 1, then what the program has stored: 16.
  load(machine, {addi(5, 0, 3), lui(4, kEntry >> 12), lw(6, 4, 40), addi(1, 1, 1), addi(5, 5, -1),
                 sw(6, 4, 12), kFenceI, bne(5, 0, -16), tmc(0), 0, addi(1, 1, 16)});
  machine.launch(kEntry);
  machine.clock().run_until(10000);
  REQUIRE_FALSE(machine.any_warp_running());
  CHECK(machine.warp_view(0, 0).registers->row(1)[0] == 33);

  const std::uint32_t word = addi(1, 0, 7);
  machine.write(kEntry, reinterpret_cast<const unsigned char*>(&word), 4);
  const std::uint32_t end = tmc(0);
  machine.write(kEntry + 4, reinterpret_cast<const unsigned char*>(&end), 4);
  machine.launch(kEntry);
  machine.clock().run_until(20000);
  CHECK(machine.warp_view(0, 0).registers->row(1)[0] == 7);
}
