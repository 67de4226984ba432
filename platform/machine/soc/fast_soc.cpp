// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/fast_soc.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sstream>
#include <tlm>

#include "models/assembly/kinds.h"
#include "models/base/checkpoint.h"
#include "models/host_port/host_port.h"
#include "models/shared_memory/fast_shared_memory.h"
#include "models/simt_core/fast/code_cache.h"
#include "models/simt_core/fast/fast_core.h"

namespace spica::soc {

FastSoc::FastSoc(const sc_core::sc_module_name& name, const SocParams& params, const sc_core::sc_time& period)
    : AssembledMachine(name, params, period, &time_), rounds_(*this, clock()) {
  clock().add(rounds_);
  marker_.bind(*this);
  assemble(assembly::Mode::kFast);
  cores_ = blocks().all<simt_core::fast::FastCore>();
  code_ = std::make_unique<simt_core::fast::CodeCache>(
      map(), host_->data, host_->base, static_cast<unsigned>((params.cluster.core.lanes + 7) / 8 * 8),
      cores_.front()->params());
  for (simt_core::fast::FastCore* core : cores_) core->connect(*code_);
  for (auto* memory : blocks().all<shared_memory::FastSharedMemory>())
    shared_.push_back(memory->core_in[0].memory);
  if (host_port() != nullptr) clock().add(*host_port());
  for (unsigned core = 0; core < cores_.size(); ++core) turns_.push_back(core);
  random_.seed(params.run.warp_order);
  if (command_processor() == nullptr) return;
  command_processor()->on_writes([this] {
    if (rounds_.next == base::kNever) rounds_.start();
  });
  // The instructions of the slice that ended a kernel are counted, and no later ones.
  command_processor()->on_launches([this] {
    for (RunObserver* observer : observers_)
      if (observer->follows_launches()) observer->at_launches(time_.now);
  });
}

FastSoc::~FastSoc() = default;

void FastSoc::launch(std::uint32_t entry) {
  code_->refresh();  // a host may have stored another program
  AssembledMachine::launch(entry);
  rounds_.start();
}

void FastSoc::launch(const protocol::GridLaunch& grid) {
  code_->refresh();
  AssembledMachine::launch(grid);
  rounds_.start();
}

void FastSoc::launch(const std::vector<protocol::QueueSetup>& queues, std::uint32_t model) {
  AssembledMachine::launch(queues, model);
  if (rounds_.next == base::kNever) rounds_.start();
}

bool FastSoc::queues_work() const { return command_processor() != nullptr && command_processor()->works(); }

void FastSoc::reset() {
  AssembledMachine::reset();
  time_.stop = time_.polled = false;
  round_ = {};
  random_.seed(params().run.warp_order);
}

/// The slice that runs ends; the simulation continues.
void FastSoc::halt() {
  time_.stop = true;
  AssembledMachine::halt();
}

void FastSoc::pause() {
  time_.stop = true;
  clock().pause();
}

/// A round that was stopped continues in the cycle in which it began; in a later one where others have a clock, and
/// plans of their own.
void FastSoc::resume() {
  time_.interrupted = false;
  if (!round_.open || rounds_.next == base::kNever) return;
  const auto& slots = plan().slots();
  const bool others = std::any_of(slots.begin(), slots.end(), [](const assembly::Slot& slot) {
    const assembly::Kind& kind = assembly::kinds().at(slot.kind);
    return kind.foreign || kind.stays;
  });
  if (others || host_port() != nullptr) return;
  clock().set_now(round_.start);
  rounds_.start_at(round_.start);
}

void FastSoc::own_state(base::Checkpoint& checkpoint) {
  std::ostringstream out;
  if (!checkpoint.loads()) out << random_;
  std::string random = out.str();
  checkpoint(time_.now, time_.poll_again, rounds_.next, turns_, round_, random, first_, last_);
  if (!checkpoint.loads()) return;
  std::istringstream in(random);
  in >> random_;
}

void FastSoc::continue_from_state() {
  code_->refresh();
  if (rounds_.next != base::kNever) rounds_.start_at(rounds_.next);
}

void FastSoc::Rounds::tick() {
  next = soc_.round(now());
  if (next != base::kNever) wake_at(next);
}

void FastSoc::shuffle_turns() {
  if (params().run.warp_order == 0) return;
  const auto shuffle = [this](auto& list) {  // not std::shuffle: its order is not the same everywhere
    for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[random_() % left]);
  };
  shuffle(turns_);
  std::vector<std::uint8_t> warps(params().cluster.core.warps);
  for (auto* core : cores_) {
    std::iota(warps.begin(), warps.end(), std::uint8_t{0});
    shuffle(warps);
    core->set_turns(warps);
  }
}

/// Instructions of a slice of a round that begins at `start`. A round stays within the global quantum of the
/// simulation, if one is set.
std::int64_t FastSoc::slice_of_round(base::Cycle start) const {
  base::Cycle quantum = params().run.quantum;
  // The last round before the limit of the run is as short as the limit wants it.
  const base::Cycle limit = params().run.max_cycles;
  if (limit > start) quantum = std::min(quantum, limit - start);
  // A round fits into the interval between two checks for a hang: else a warp that waits for one whose turn has not
  // come would look like one that waits in vain.
  quantum = std::min(quantum,
                     std::max<base::Cycle>(1, params().run.hang_cycles / (2 * params().cluster.core.warps)));
  const sc_core::sc_time global = tlm::tlm_global_quantum::instance().get();
  if (global != sc_core::SC_ZERO_TIME) {
    const auto cycles = static_cast<base::Cycle>(global / build_context().clock.period());
    quantum = std::min(quantum, std::max<base::Cycle>(1, cycles / params().cluster.core.warps));
  }
  return static_cast<std::int64_t>(quantum);
}

base::Cycle FastSoc::round(base::Cycle start) {
  time_.stop = false;
  if (!round_.open) {
    time_.poll_again = base::kNever;
    round_ = {true, start, 1, slice_of_round(start), false, 0};
    shuffle_turns();
  }
  start = round_.start;
  if (round_.turn == 0) {  // of the command processor
    if (queues_work()) {
      time_.now = std::max(time_.now, start);
      command_processor()->resume();
    }
    if (time_.stop) return start + round_.used;
    ++round_.turn;
  }
  while (round_.turn <= turns_.size()) {
    simt_core::fast::FastCore& core = *cores_[turns_[round_.turn - 1]];
    round_.used = std::max(round_.used, core.run_round(start, round_.quantum));
    if (time_.interrupted || time_.left <= 0) clock().pause();
    if (time_.stop) return start + round_.used;  // the core continues where it was
    round_.progress |= core.made_progress();
    ++round_.turn;
  }
  round_.open = false;
  const base::Cycle end = start + round_.used;
  if (!queues_work() &&
      std::none_of(cores_.begin(), cores_.end(), [](const auto* core) { return core->can_run(); }))
    return base::kNever;
  if (round_.progress) return end;
  // All who can run wait for something: for a unit, or in vain.
  return std::max(end, time_.poll_again != base::kNever ? time_.poll_again : start + params().run.quantum);
}

void FastSoc::marked(protocol::Marker marker) {
  if (marker == protocol::Marker::kEnd) last_ = time_.now;
  else if (first_ == base::kNever) first_ = time_.now;
  const bool begin = marker == protocol::Marker::kBegin;
  for (RunObserver* observer : observers_) observer->at_markers(time_.now + 1, begin ? 1 : 0, begin ? 0 : 1);
}

void FastSoc::watch_stores(std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher watcher) {
  host_->reservations->watch(begin, end, std::move(watcher));
  for (auto* core : cores_) core->watch_stores(begin, end);
}

std::optional<protocol::Origin> FastSoc::last_change(std::uint64_t address) const {
  return host_->reservations->last_change(address);
}

/// Where a host access lands; nullptr outside of both memories.
unsigned char* FastSoc::place(std::uint64_t address, std::uint64_t bytes, unsigned cluster) {
  if (unsigned char* own = firmware_place(address, bytes); own != nullptr) return own;
  const protocol::PointedMemory& shared = shared_[cluster];
  if (shared.contains(address, 0) && address - shared.base < shared.size)
    return shared.contains(address, bytes) ? shared.at(address) : nullptr;
  return host_->contains(address, bytes) ? host_->at(address) : nullptr;
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
  code_->refresh(address, bytes);
  if (firmware_place(address, bytes) != nullptr) firmware_written();
  return true;
}

/// A look takes the slow way through some ten thousand instructions, so there are fewer of them than in the cycle
/// mode; but with a gate all instructions take it.
base::Cycle FastSoc::hang_interval(base::Cycle cycle) const {
  // Watching costs the quick loop. Where that is lost anyway, to a debugger or to traps, there is no need to wait long.
  std::uint64_t traps = 0;
  for (const auto* core : cores_) traps += core->traps();
  if (gated_ || traps > cycle / 8) return std::max(params().run.hang_cycles, cycle / 16);
  return std::max(32 * params().run.hang_cycles, cycle / 4);
}

void FastSoc::set_gate(protocol::GateIf* gate) {
  gated_ = gate != nullptr;
  AssembledMachine::set_gate(gate);
}

}  // namespace spica::soc
