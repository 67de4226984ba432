// SPDX-License-Identifier: Apache-2.0
// The stages behind issue, without a core around them: a test offers instructions to the units itself and sees when
// they commit. Memories are stubs.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "models/simt_core/pipeline/dispatcher.h"
#include "testbenches/block/simt_core/core_bench.h"

namespace spica::testbench {

class StageHost final : public base::Component, private protocol::ResponseHandler {
 public:
  StageHost(const sc_core::sc_module_name& name, const simt_core::Params& params,
            const protocol::AddressMap& map, const base::ClockDomain& clock)
      : Component(name, clock), core(params, {0, 0, 1}, map, *this) {
    icache.attach(*this);
    front_end.reset();
    core.watchers.set_probe(&commits);
    for (unsigned w = 0; w < params.warps; ++w) core.state[w].flow->tmc(~0u);
  }

  protocol::InitiatorSocket icache{"icache"}, mmio{"mmio"};
  protocol::WarpInitiatorSocket gmem{"gmem"}, smem{"smem"};

  struct Commits final : protocol::ProbeIf {
    struct Commit {
      Cycle cycle;
      unsigned warp;
      std::uint32_t pc;
      bool operator==(const Commit& o) const { return cycle == o.cycle && warp == o.warp && pc == o.pc; }
    };
    std::vector<Commit> seen;
    void on_commit(Cycle cycle, const protocol::Origin& origin, const isa::RegisterFile&) override {
      seen.push_back({cycle, origin.warp, origin.pc});
    }
  } commits;
  simt_core::Context core;
  simt_core::Scoreboard scoreboard;
  simt_core::FrontEnd front_end{core, icache};
  simt_core::IssueAccount account{core, front_end, scoreboard, units};
  simt_core::CommitStage commit{core, front_end, scoreboard};
  simt_core::WarpFlow flow{core,
                           front_end,
                           scoreboard,
                           account,
                           [this](unsigned id) { arrivals.emplace_back(now(), id); },
                           [this](unsigned warp) { ends.emplace_back(now(), warp); }};
  std::vector<std::pair<Cycle, unsigned>> arrivals;  // at barriers
  std::vector<std::pair<Cycle, unsigned>> ends;  // of warps of work groups
  simt_core::PendingAccesses accesses{[](unsigned) {}, [this](unsigned warp) { quiet.push_back(warp); }};
  std::vector<unsigned> quiet;
  simt_core::OperandLines lines{static_cast<unsigned>(core.params.warps), core.params.operand_depth};
  simt_core::OperandPaths paths{core.params};
  simt_core::Stages stages{core, scoreboard, commit, flow, account, accesses, lines, paths};
  simt_core::Dispatcher units{stages, gmem, smem, mmio, nullptr};

  /// Offers instructions in a cycle.
  std::function<void(Cycle)> issue = [](Cycle) {};

  void tick() override {
    commit.tick(now());
    flow.tick(now());
    units.tick(now());
    issue(now());
    units.end_of_issue();
    wake_next();
  }
  void reset() override {}
  bool idle() const override { return commit.empty() && units.done(); }
  base::StatGroup& stats() override { return core.stats; }
  void dump_state(std::ostream& out) const override { units.dump_state(out); }

 private:
  void on_response(unsigned, Payload& payload) override { front_end.take(payload, now()); }
  void on_ready(unsigned) override {}
};

struct StageBench : Bench {
  using Commit = StageHost::Commits::Commit;

  explicit StageBench(const simt_core::Params& p = {}) : params(p) {
    host.icache.bind(instructions.socket);
    host.gmem.bind(global.socket);
    host.smem.bind(shared.socket);
    host.mmio.bind(peripheral.socket);
    for (base::Component* block :
         std::initializer_list<base::Component*>{&instructions, &global, &shared, &peripheral, &host})
      add(*block);
  }
  /// In cycle `cycle`: the instruction of `warp`; its pc is its number among all, times 4. Warps in ascending order.
  void offer(Cycle cycle, unsigned warp, std::uint32_t word, std::uint32_t mask = 0xFF) {
    plan.push_back({cycle, warp, word, mask});
  }
  /// Until `end`; returns what has committed.
  std::vector<Commit> commits(Cycle end) {
    host.issue = [this](Cycle now) {
      for (std::size_t i = 0; i < plan.size(); ++i) {
        Planned& next = plan[i];
        if (next.cycle != now || next.issued) continue;
        instructions_of.emplace_back(isa::decode(next.word), params);
        next.issued = host.units.offer({next.warp, now, next.mask, base::count_bits(next.mask), false,
                                        static_cast<std::uint32_t>(4 * i), instructions_of.back()});
        if (!next.issued) next.cycle = now + 1;
      }
    };
    host.wake_at(0);
    run_for(end);
    return host.commits.seen;
  }

  struct Planned {
    Cycle cycle;
    unsigned warp;
    std::uint32_t word, mask;
    bool issued = false;
  };
  std::vector<Planned> plan;
  std::deque<simt_core::Decoded> instructions_of;
  simt_core::Params params;
  protocol::AddressMap map = [] {
    protocol::AddressMap m;
    m.add({"shared", CoreBench::kShared, 0x10000, protocol::Route::kShared, 0});
    m.add({"peripheral", CoreBench::kPeripheral, 0x100, protocol::Route::kPeripheral, 0});
    m.add({"hole", CoreBench::kShared, 0x20000, protocol::Route::kUnmapped, 0});
    m.add({"global", 0x8000'0000, 0x8000'0000, protocol::Route::kGlobal, 0});
    return m;
  }();
  MemoryStub instructions{"instructions", clock, 5, 16};
  WarpMemoryStub global{"global", clock, 20};
  WarpMemoryStub shared{"shared", clock, 4};
  MemoryStub peripheral{"peripheral", clock, 3, 4};
  StageHost host{"host", params, map, clock};
};

}  // namespace spica::testbench
