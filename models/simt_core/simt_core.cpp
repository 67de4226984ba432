// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/simt_core.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "models/base/hot_inline.h"
#include "models/simt_core/pipeline/pipeline_counters.h"

namespace spica::simt_core {

SimtCore::SimtCore(const sc_core::sc_module_name& name, const Params& params, const CoreIdentity& identity,
                   const protocol::AddressMap& map, const base::ClockDomain& clock,
                   const TensorUnitMaker& tensor, const isa::ControlFlowMaker& control_flow)
    : SimtCorePorts(name, clock),
      core_(params, identity, map, *this, control_flow),
      flow_(
          core_, front_end_, scoreboard_, account_,
          [this](unsigned id) { barrier->arrive(core_.identity.core_in_cluster, id); },
          [this](unsigned warp) { group_ends->warp_ended(core_.identity.core, warp); }),
      accesses_(
          [this](unsigned warp) {
            if (core_.hints.any()) core_.hints.drain(units_.tensor().with_leaders(1u << warp));
          },
          [this](unsigned warp) {
            scoreboard_.wake(warp);
            wake_now();
          }),
      lines_(static_cast<unsigned>(params.warps), params.operand_depth),
      units_(stages_, gmem, smem, mmio, tensor) {
  icache.attach(*this);
  launch_port.bind(*this);
  connect_pipeline_counters(core_, front_end_, units_);
  restart();
}

void SimtCore::end_of_elaboration() {
  std::vector<protocol::MemoryHintsIf*> neighbours;
  for (int i = 0; i < hints.size(); ++i) neighbours.push_back(hints[i]);
  core_.hints.connect(std::move(neighbours));
  paths_.connect(bound(lanes));
  units_.tensor().connect();
  core_.executor.connect(*bound(fault), bound(accelerator), bound(marker));
}

void SimtCore::reset() {
  core_.reset();
  restart();
}

/// All but the state of the program, which the constructors make and which can be large.
void SimtCore::restart() {
  icache.reset();
  front_end_.reset();
  scoreboard_.reset();
  units_.reset();
  accesses_.reset();
  lines_.reset();
  paths_.reset();
  issue_.reset();
  commit_.reset();
  flow_.reset();
  account_.reset(now());
}

void SimtCore::launch(std::uint32_t entry) {
  core_.state.launch();
  front_end_.jump(0, entry);
  if (probe_ != nullptr) probe_->on_warp_start(now(), {}, core_.identity.core, 0, entry);
  wake_next();
}

void SimtCore::launch_warp(unsigned warp, std::uint32_t pc, std::uint32_t mask,
                           const protocol::WorkGroup& group) {
  core_.state.launch(warp, mask, group);
  core_.record_state(warp);
  flow_.start(warp, pc, {});
  wake_next();
}

bool SimtCore::idle() const {
  return core_.state.active() == 0 && commit_.empty() && flow_.idle() && units_.done() &&
         front_end_.due() == base::kNever;
}

/// When something can happen again, as far as the core itself knows.
SPICA_HOT_INLINE base::Cycle SimtCore::next_tick() const {
  const base::Cycle next = now() + 1;
  if (units_.due() <= next || issue_.due_next(now()) || (!core_.state.halted() && front_end_.can_fetch()) ||
      (probe_ != nullptr && account_.issued() != 0))  // to report what follows it
    return next;
  return std::max(next, std::min({units_.due(), commit_.due(now()), flow_.due(now()), front_end_.due()}));
}

void SimtCore::tick() {
  const base::Cycle cycle = now();
  account_.begin_cycle();
  commit_.tick(cycle);
  flow_.tick(cycle);
  units_.tick(cycle);
  if (const std::uint32_t warps = issue_.candidates()) issue_.tick(cycle, warps);
  if (front_end_.due() <= cycle)
    for (std::uint32_t refilled = front_end_.decode(cycle); refilled != 0; refilled &= refilled - 1)
      scoreboard_.retry(static_cast<unsigned>(__builtin_ctz(refilled)), IssueReason::kFetch);
  front_end_.fetch(cycle);

  const base::Cycle next = next_tick();
  wake_at(next);
  account_.charge(cycle, next == cycle + 1);
}

void SimtCore::on_response(unsigned, protocol::Payload& payload) {
  front_end_.take(payload, now());
  wake_at(front_end_.due());
}

base::Properties SimtCore::properties() const {
  return {{"lanes", static_cast<double>(core_.params.lanes)},
          {"warps", static_cast<double>(core_.params.warps)}};
}

CoreStats& SimtCore::stats() {
  core_.stats.catch_up(now());
  return core_.stats;
}

std::uint32_t SimtCore::next_pc(unsigned index) const {
  const bool continues = (core_.state.active() >> index & 1) != 0 && !core_.state.halted_by(index);
  return continues ? front_end_.next_pc(index) : account_.pc(index);
}

void SimtCore::set_pc(unsigned index, std::uint32_t pc) {
  if ((core_.state.at_barrier() >> index & 1) != 0)
    front_end_.jump(index, pc);  // nothing is fetched; it stays there
  else flow_.redirect(index, pc);
  wake_now();
}

bool SimtCore::at_rest() const {
  if (!commit_.empty() || !flow_.idle() || !units_.at_rest()) return false;
  for (unsigned w = 0; w < core_.state.warps(); ++w)
    if (scoreboard_.in_flight(w) != 0 && !core_.state.halted_by(w)) return false;
  return true;
}

std::uint32_t SimtCore::read_csr(unsigned w, std::uint32_t number, unsigned lane) const {
  return const_cast<Executor&>(core_.executor).csr_file(w, now()).read(number, lane);
}

bool SimtCore::set_csr(unsigned w, std::uint32_t number, std::uint32_t value) {
  const bool set = core_.executor.csr_file(w, now()).set(number, value);
  core_.record_state(w);
  return set;
}

std::string SimtCore::describe_warp(unsigned index) const {
  const std::uint32_t bit = 1u << index;
  if (std::string text = core_.state.describe(index); !text.empty()) return text;
  if (core_.gated && (front_end_.buffered() & bit) != 0 && scoreboard_.in_flight(index) == 0) return "ready";
  if ((front_end_.buffered() & bit) != 0 && scoreboard_.reason(index) > IssueReason::kIssued)
    return fmt::format("waits for {}",
                       issue_reason_names()[static_cast<unsigned>(scoreboard_.reason(index))]);
  if ((front_end_.resolving() & bit) != 0) return "resolves a branch or control instruction";
  return "fetches";
}

void SimtCore::dump_state(std::ostream& out) const {
  fmt::print(out, "{}: running {:#x}, at barrier {:#x}, fetch locked {:#x}, blocked {:#x}{}\n", name(),
             core_.state.active(), core_.state.at_barrier(), front_end_.locked(), scoreboard_.blocked(),
             core_.state.halted() ? ", halted by a fault" : "");
  for (unsigned w = 0; w < core_.state.warps(); ++w) {
    if ((core_.state.active() >> w & 1) == 0) continue;
    fmt::print(out, "  warp {}: pc {:#010x} mask {:#04x} stack {} buffered {} in flight {}: {}\n", w,
               account_.pc(w), core_.state[w].mask(), core_.state[w].flow->depth(), front_end_.buffered(w),
               scoreboard_.in_flight(w), describe_warp(w));
  }
  units_.dump_state(out);
}

}  // namespace spica::simt_core
