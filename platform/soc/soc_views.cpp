// SPDX-License-Identifier: Apache-2.0
// The machine of the cycle mode as tools see it: views of warps, CSRs and blocks, observers, counters, and the check of the accounts.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "models/cluster/cluster.h"
#include "platform/soc/soc.h"

namespace spica::soc {

WarpView Soc::warp_view(unsigned core, unsigned warp) {
  simt_core::SimtCore& owner = *cores_[core];
  simt_core::WarpState& state = owner.warp(warp);
  return {&state.registers,
          state.flow.get(),
          &state.floating,
          owner.next_pc(warp),
          (owner.running_warps() >> warp & 1) != 0,
          (owner.waiting_at_barrier() >> warp & 1) != 0,
          state.barrier_id,
          state.barrier_count,
          &state.machine};
}

void Soc::set_pc(unsigned core, unsigned warp, std::uint32_t pc) { cores_[core]->set_pc(warp, pc); }

void Soc::guard_stacks(const isa::StackGuard& guard) {
  for (auto* core : cores_) core->guard_stacks(guard);
}

void Soc::start_profile() {
  for (simt_core::SimtCore* core : cores_) core->start_profile();
}

const protocol::LineProfile* Soc::profile(unsigned core) const { return cores_[core]->profile(); }

bool Soc::at_rest() const {
  return std::all_of(cores_.begin(), cores_.end(),
                     [](const simt_core::SimtCore* core) { return core->at_rest(); });
}

std::uint32_t Soc::read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const {
  return cores_[core]->read_csr(warp, number, lane);
}

bool Soc::write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) {
  return cores_[core]->set_csr(warp, number, value);
}

std::string Soc::describe_warp(unsigned core, unsigned warp) const {
  return cores_[core]->describe_warp(warp);
}

std::string Soc::describe_blocks(const std::string& kind) const {
  std::ostringstream text;
  for (const base::Component* component : components_)
    if (short_name(*component).find(kind) != std::string::npos) component->dump_state(text);
  return text.str();
}

void Soc::watch(protocol::ProbeIf& probe) {
  if (probes_.empty())
    for (unsigned i = 0; i < components_.size(); ++i)
      if (auto* probed = dynamic_cast<protocol::Probed*>(components_[i])) probed->attach_probe(probes_, i);
  probes_.add(probe);
}

void Soc::unwatch(protocol::ProbeIf& probe) {
  probes_.remove(probe);
  if (!probes_.empty()) return;
  for (base::Component* component : components_)
    if (auto* probed = dynamic_cast<protocol::Probed*>(component)) probed->detach_probe();
}

std::uint64_t Soc::work_done() const {
  std::uint64_t work = 0;
  for (const auto& cluster : clusters_) {
    for (matrix_unit::MatrixUnit& unit : cluster->matrix_units) work += unit.stats().macs.value();
    for (tensor_core::DecoupledTensorCore& tensor : cluster->decoupled_tensor_cores)
      work += tensor.stats().macs.value();
    for (simt_core::SimtCore& core : cluster->cores) work += core.stats().tensor.value();
    for (dma::Dma& dma : cluster->dmas)
      for (const auto& entry : dma.stats().counters()) work += entry.counter.value();
  }
  return work;
}

bool Soc::units_idle() const {
  const auto all_idle = [](auto& blocks) {
    return std::all_of(blocks.begin(), blocks.end(), [](const auto& block) { return block.idle(); });
  };
  return std::all_of(clusters_.begin(), clusters_.end(), [&](const auto& cluster) {
    return all_idle(cluster->matrix_units) && all_idle(cluster->dmas) && all_idle(cluster->tensor_cores) &&
           all_idle(cluster->decoupled_tensor_cores);
  });
}

std::vector<OpenBarrier> Soc::open_barriers() const {
  std::vector<OpenBarrier> open;
  for (unsigned i = 0; i < clusters_.size(); ++i)
    for (unsigned id = 0; id < clusters_[i]->barrier.ids(); ++id)
      if (const std::uint32_t arrived = clusters_[i]->barrier.arrived(id); arrived != 0)
        open.push_back({i, id, arrived});
  return open;
}

void Soc::set_gate(protocol::GateIf* gate) {
  for (simt_core::SimtCore* core : cores_) core->set_gate(gate);
}

/// Every account of every block must have charged each cycle of the run, and of the timed region, exactly once.
void Soc::catch_up() {
  for (base::Component* component : components_) component->catch_up();
}

void Soc::settle() {
  for (base::Component* component : components_) component->settle_stats();
  const base::StatWindow window = region_.window();
  const base::Cycle length = region_cycles().value_or(clock_.now());
  for (base::Component* component : components_) {
    for (const base::CycleAccount& account : component->stats().accounts()) {
      const std::uint64_t run = clock_.now() - account.start();
      if (account.total() != run)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles", component->name(),
                                           account.name(), account.total(), run));
      const std::vector<std::uint64_t> cycles = window.cycles(account);
      const std::uint64_t timed = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
      if (timed != length)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles of the timed region",
                                           component->name(), account.name(), timed, length));
    }
  }
}

std::uint64_t Soc::warp_instructions() const {
  std::uint64_t sum = 0;
  for (simt_core::SimtCore* core : cores_) sum += core->stats().warp_instructions.value();
  return sum;
}

std::uint64_t Soc::lane_instructions() const {
  std::uint64_t sum = 0;
  for (simt_core::SimtCore* core : cores_) sum += core->stats().thread_instructions.value();
  return sum;
}

std::string Soc::work_in_flight() const {
  std::ostringstream text;
  for (const base::Component* component : components_)
    if (!component->idle() && dynamic_cast<const simt_core::SimtCore*>(component) == nullptr)
      component->dump_state(text);
  return text.str();
}

std::vector<loader::MemoryRange> memory_ranges(const protocol::AddressMap& map) {
  std::vector<loader::MemoryRange> ranges;
  for (const protocol::Region& region : map.regions())
    if (region.route == protocol::Route::kGlobal || region.route == protocol::Route::kShared)
      ranges.push_back({region.name, region.base, region.size});
  return ranges;
}

}  // namespace spica::soc
