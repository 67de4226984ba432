// SPDX-License-Identifier: Apache-2.0
#include "platform/soc/fast_soc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "models/cluster/fast_cluster.h"
#include "platform/soc/host_edge.h"

namespace spica::soc {

FastSoc::FastSoc(const sc_core::sc_module_name& name, const SocParams& given, const sc_core::sc_time& period)
    : sc_module(name),
      params_(completed(given, period)),
      map_(address_map(given)),
      clock_("clock", clock_period(given, period)),
      rounds_(*this, clock_),
      main_memory_("main_memory", given.main_memory, clock_) {
  const SocParams& params = params_;
  clock_.add(rounds_);
  host_.attach(*this);
  host_.bind(main_memory_.in);
  global_ = {params.main_memory.base, params.main_memory.size, main_memory_.bytes(), &reservations_};
  if (params.host.present) {
    edge_ = std::make_unique<HostEdge>(*this, clock_, host_port::HostPort::Behind::kUntimed);
    edge_->port.fault.bind(fault);
    edge_->bind_global(global_, clock_);
    clock_.add(edge_->port);
  }
  const auto cores = static_cast<unsigned>(params.cluster.cores);
  const auto count = static_cast<unsigned>(params.clusters);
  for (unsigned i = 0; i < count; ++i) {
    clusters_.push_back(std::make_unique<cluster::FastCluster>(fmt::format("cluster_{}", i).c_str(),
                                                               params.cluster, i * cores, count * cores, map_,
                                                               clock_, time_, global_));
    cluster::FastCluster& cluster = *clusters_.back();
    if (edge_ == nullptr) cluster.fault.bind(fault);
    else cluster.fault.bind(edge_->port.fault_in);
    cluster.console.bind(console);
    cluster.marker.bind(*this);
    for (auto& core : cluster.cores) cores_.push_back(&core);
    if (edge_ == nullptr) continue;
    edge_->bind_shared(i, cluster.shared(), clock_);
    edge_->port.mmio[i].bind(cluster.peripheral_bus.in[cores]);
  }
  for (unsigned core = 0; core < cores_.size(); ++core) turns_.push_back(core);
  random_.seed(params.run.warp_order);
}

FastSoc::~FastSoc() = default;

void FastSoc::set_pc(unsigned core, unsigned warp, std::uint32_t pc) { cores_[core]->set_pc(warp, pc); }

std::uint32_t FastSoc::read_csr(unsigned core, unsigned warp, unsigned lane, std::uint32_t number) const {
  return cores_[core]->csr_file(warp).read(number, lane);
}

bool FastSoc::write_csr(unsigned core, unsigned warp, std::uint32_t number, std::uint32_t value) {
  return cores_[core]->csr_file(warp).set(number, value);
}

std::string FastSoc::describe_warp(unsigned core, unsigned warp) const {
  return cores_[core]->describe_warp(warp);
}

void FastSoc::guard_stacks(const isa::StackGuard& guard) {
  for (auto* core : cores_) core->guard_stacks(guard);
}

void FastSoc::launch(std::uint32_t entry) {
  for (auto& cluster : clusters_) cluster->code().refresh();  // a host may have stored another program
  for (auto* core : cores_) core->launch(entry);
  rounds_.start();
}

void FastSoc::pause() {
  time_.stop = true;
  clock_.pause();
}

void FastSoc::Rounds::tick() {
  next = soc_.round(now());
  if (next != base::kNever) wake_at(next);
}

void FastSoc::shuffle_turns() {
  if (params_.run.warp_order == 0) return;
  const auto shuffle = [this](auto& list) {  // not std::shuffle: its order is not the same everywhere
    for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[random_() % left]);
  };
  shuffle(turns_);
  std::vector<std::uint8_t> warps(params_.cluster.core.warps);
  for (auto* core : cores_) {
    std::iota(warps.begin(), warps.end(), std::uint8_t{0});
    shuffle(warps);
    core->set_turns(warps);
  }
}

base::Cycle FastSoc::round(base::Cycle start) {
  time_.stop = false;
  time_.poll_again = base::kNever;
  // The last round before the limit of the run is as short as the limit wants it.
  const base::Cycle limit = params_.run.max_cycles;
  const base::Cycle left = limit > start ? limit - start : base::kNever;
  const auto quantum = static_cast<std::int64_t>(std::min<base::Cycle>(params_.run.quantum, left));
  base::Cycle used = 1;
  bool progress = false;
  if (next_turn_ == 0) shuffle_turns();
  while (next_turn_ < turns_.size()) {
    simt_core::fast::FastCore& core = *cores_[turns_[next_turn_]];
    used = std::max(used, core.run_round(start, quantum));
    if (time_.interrupted) clock_.pause();
    if (time_.stop) return start + used;  // the core continues where it was
    progress |= core.made_progress();
    ++next_turn_;
  }
  next_turn_ = 0;
  if (std::none_of(cores_.begin(), cores_.end(), [](const auto* core) { return core->can_run(); }))
    return base::kNever;
  if (progress) return start + used;
  // All who can run wait for something: for a unit, or in vain.
  return std::max(start + used,
                  time_.poll_again != base::kNever ? time_.poll_again : start + params_.run.quantum);
}

void FastSoc::marked(protocol::Marker marker) {
  if (marker == protocol::Marker::kEnd) last_ = time_.now;
  else if (first_ == base::kNever) first_ = time_.now;
  const bool begin = marker == protocol::Marker::kBegin;
  for (RunObserver* observer : observers_) observer->at_markers(time_.now + 1, begin ? 1 : 0, begin ? 0 : 1);
}

void FastSoc::watch_stores(std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher watcher) {
  reservations_.watch(begin, end, std::move(watcher));
  for (auto* core : cores_) core->watch_stores(begin, end);
}

WarpView FastSoc::warp_view(unsigned core, unsigned warp) {
  simt_core::fast::FastCore& owner = *cores_[core];
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

/// Where a host access lands; nullptr outside of both memories.
unsigned char* FastSoc::place(std::uint64_t address, std::uint64_t bytes, unsigned cluster) {
  const protocol::PointedMemory& shared = clusters_[cluster]->shared();
  if (shared.contains(address, 0) && address - shared.base < shared.size)
    return shared.contains(address, bytes) ? shared.at(address) : nullptr;
  return global_.contains(address, bytes) ? global_.at(address) : nullptr;
}

bool FastSoc::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, unsigned cluster) {
  const unsigned char* from = place(address, bytes, cluster);
  if (from != nullptr) std::memcpy(to, from, bytes);
  return from != nullptr;
}

bool FastSoc::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes, unsigned cluster) {
  unsigned char* to = place(address, bytes, cluster);
  if (to == nullptr) return false;
  std::memcpy(to, from, bytes);
  for (auto& each : clusters_) each->code().refresh();
  return true;
}

void FastSoc::watch(protocol::ProbeIf& probe) {
  if (probes_.empty()) {
    unsigned source = 0;
    for (auto& cluster : clusters_) {
      for (auto& core : cluster->cores) core.attach_probe(probes_, source++);
      for (auto& unit : cluster->matrix_units) unit.attach_probe(probes_, source++);
    }
  }
  probes_.add(probe);
}

void FastSoc::unwatch(protocol::ProbeIf& probe) {
  probes_.remove(probe);
  if (!probes_.empty()) return;
  for (auto& cluster : clusters_) {
    for (auto& core : cluster->cores) core.detach_probe();
    for (auto& unit : cluster->matrix_units) unit.detach_probe();
  }
}

std::string FastSoc::source_name(unsigned source) const {
  const auto cores = static_cast<unsigned>(params_.cluster.cores);
  const unsigned per_cluster = cores + static_cast<unsigned>(params_.cluster.matrix_units.size());
  const unsigned index = source % per_cluster;
  return fmt::format("cluster_{}.{}_{}", source / per_cluster, index < cores ? "core" : "matrix_unit",
                     index < cores ? index : index - cores);
}

/// A look takes the slow way through some ten thousand instructions, so there are fewer of them than in the cycle
/// mode; but with a gate all instructions take it.
base::Cycle FastSoc::hang_interval(base::Cycle cycle) const {
  // Watching costs the quick loop. Where that is lost anyway, to a debugger or to traps, there is no need to wait long.
  std::uint64_t traps = 0;
  for (const auto* core : cores_) traps += core->traps();
  if (gated_ || traps > cycle / 8) return std::max(params_.run.hang_cycles, cycle / 16);
  return std::max(32 * params_.run.hang_cycles, cycle / 4);
}

void FastSoc::set_gate(protocol::GateIf* gate) {
  gated_ = gate != nullptr;
  for (auto* core : cores_) core->set_gate(gate);
}

bool FastSoc::any_warp_running() const {
  return std::any_of(cores_.begin(), cores_.end(),
                     [](const auto* core) { return core->running_warps() != 0; });
}

std::uint64_t FastSoc::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const auto* core : cores_) sum += core->warp_instructions();
  return sum;
}

std::uint64_t FastSoc::lane_instructions() const {
  std::uint64_t sum = 0;
  for (const auto* core : cores_) sum += core->lane_instructions();
  return sum;
}

std::uint64_t FastSoc::work_done() const {
  std::uint64_t work = 0;
  for (const auto& cluster : clusters_) {
    for (const auto& unit : cluster->matrix_units) work += unit.macs();
    for (const auto& tensor : cluster->tensor_cores) work += tensor.macs();
    for (const auto& dma : cluster->dmas) work += dma.bytes_moved();
  }
  return work;
}

bool FastSoc::units_idle() const {
  for (const auto& cluster : clusters_)
    for (const auto& unit : cluster->matrix_units)
      if (now() < unit.idle_from()) return false;
  return true;
}

std::vector<OpenBarrier> FastSoc::open_barriers() const {
  std::vector<OpenBarrier> open;
  for (unsigned i = 0; i < clusters(); ++i)
    for (unsigned id = 0; id < clusters_[i]->barriers().ids(); ++id)
      if (const std::uint32_t arrived = clusters_[i]->barriers().arrived(id); arrived != 0)
        open.push_back({i, id, arrived});
  return open;
}

std::string FastSoc::describe_blocks(const std::string& kind) const {
  std::string text;
  for (unsigned i = 0; i < clusters(); ++i) {
    const cluster::FastCluster& cluster = *clusters_[i];
    if (kind == "barrier")
      for (const OpenBarrier& open : open_barriers())
        if (open.cluster == i)
          text += fmt::format("cluster_{}.barrier: id {}: cores complete {:#x}\n", i, open.id, open.arrived);
    for (std::size_t unit = 0; kind == "matrix_unit" && unit < cluster.matrix_units.size(); ++unit)
      text += fmt::format("cluster_{}.matrix_unit_{}: {}\n", i, unit,
                          now() < cluster.matrix_units[unit].idle_from()
                              ? fmt::format("everything is done; shows busy until cycle {}",
                                            cluster.matrix_units[unit].idle_from())
                              : std::string("idle"));
    for (std::size_t unit = 0; kind == "dma" && unit < cluster.matrix_units.size(); ++unit)
      text += fmt::format("cluster_{}.dma_{}: idle; a transfer is done when its command is given\n", i, unit);
  }
  return text;
}

}  // namespace spica::soc
