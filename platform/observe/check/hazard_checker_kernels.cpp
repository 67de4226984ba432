// SPDX-License-Identifier: Apache-2.0
// What queues of kernels, their work groups and the firmware of the command processor order.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/command_processor/command_processor_regs.h"
#include "platform/observe/check/hazard_checker.h"

namespace spica::check {

/// Its warps, its part of shared memory and its barriers were another one's, which has ended, as its matrix units and what is in
/// their accumulators.
void HazardChecker::on_group_start(base::Cycle, unsigned, const protocol::WorkGroupStart& group) {
  shared_[group.cluster].forget((group.shared_base - shared_base_) / 4, (group.shared_bytes + 3) / 4);
  for (unsigned id = group.first_barrier; id < group.first_barrier + group.barriers; ++id)
    order_.restart_barrier(group.cluster, id);
  const Agents& agents = order_.agents();
  for (const auto& place : group.warps) {
    const unsigned warp = agents.warp(place.core, place.warp);
    warps_[warp].waiting.clear();
    give_to_kernel(warp, group.grid);
    if (agents.tensor_tiles()) give_to_kernel(agents.tensor(warp), group.grid);
    if (agents.has_copies()) give_to_kernel(agents.copies(warp), group.grid);
  }
  if (!group.matrix_unit) return;
  for (unsigned unit = group.cluster * units_of_cluster_; unit < (group.cluster + 1) * units_of_cluster_;
       ++unit) {
    for (const Engine engine : {Engine::kLoad, Engine::kExecute, Engine::kStore})
      give_to_kernel(agents.engine(unit, engine), group.grid);
    accumulators_[unit].forget(
        0, static_cast<std::uint32_t>(
               params_.cluster.matrix_units[unit % units_of_cluster_].accumulator_rows()));
    units_[unit].last_command = {};
  }
}

/// Work groups of one kernel that an agent works for are in the order in which it does.
void HazardChecker::give_to_kernel(unsigned agent, std::uint32_t kernel) {
  if (kernels_.kernel(agent) == kernel) return;
  order_.begin_anew(agent);
  kernels_.assign(agent, order_.since(agent), kernel);
}

/// A store to a doorbell: what the warp has published counts, when it has arrived.
void HazardChecker::ring(unsigned warp, std::uint32_t address) {
  const std::uint64_t offset = address - params_.command_processor.registers_base;
  if (!params_.command_processor.present || offset >= COMMAND_PROCESSOR_MODEL ||
      offset % COMMAND_PROCESSOR_QUEUE_BYTES != COMMAND_PROCESSOR_DOORBELL)
    return;
  rung_[static_cast<unsigned>(offset / COMMAND_PROCESSOR_QUEUE_BYTES)].push_back(order_.publish(warp));
}

/// Of a host nothing is known but the time: what has ended may be why it rings.
void HazardChecker::on_doorbell(base::Cycle, unsigned, const protocol::Origin& by, unsigned queue,
                                std::uint32_t written) {
  auto& rung = rung_[queue];
  if (by.unit == protocol::Origin::Unit::kCore && !rung.empty()) {
    kernels_.ring(queue, written, rung.front());
    rung.pop_front();
    return;
  }
  host_doorbells_ += kernels_.any_ended();
  kernels_.ring(queue, written, kernels_.ended());
}

void HazardChecker::on_packet(base::Cycle, unsigned, unsigned queue, std::uint32_t number,
                              const protocol::Packet& packet) {
  const bool passes = packet.type == protocol::Packet::Type::kBarrierAnd;
  if (passes)
    for (const std::uint32_t address : packet.waits)
      if (address != 0) kernels_.wait(queue, signal(address).published);
  const Knowledge& behind = kernels_.begin(queue, number, packet);
  if (!passes) return;
  kernels_.wait(queue, behind);  // what follows comes after it
  if (packet.signal != 0) release(packet.signal, behind);
}

void HazardChecker::on_kernel_launch(base::Cycle, unsigned, std::uint32_t kernel,
                                     const protocol::KernelRun& run) {
  kernels_.launch(kernel, run.queue, run.packet);
}

void HazardChecker::on_kernel_end(base::Cycle, unsigned, std::uint32_t kernel, const protocol::KernelRun&) {
  const KernelOrder::End end = kernels_.end(kernel);
  if (end.signal != 0) release(end.signal, end.left);
}

/// What a firmware has looked at orders what it launches then: that nothing runs, or nothing of a queue, that a kernel of a queue has
/// ended, and words of memory that somebody has stored.
void HazardChecker::on_firmware(base::Cycle, unsigned, std::uint64_t address, std::uint32_t value,
                                bool store) {
  const std::uint64_t offset = address - FIRMWARE_REGISTERS, head = offset - FIRMWARE_HEADS;
  if (offset >= FIRMWARE_REGISTERS_BYTES) {
    const auto word = static_cast<std::uint32_t>(address) & ~3u;
    if (map_.route(word) != protocol::Route::kGlobal) return;
    memory_ = Memory::kGlobal;
    const bool stored =
        global_.word(word / 4).write.agent != Agents::kNobody || sync_.count(sync_key(word)) != 0;
    if (store) release(word, kernels_.firmware());
    else if (stored) kernels_.observe(signal(word).published);
  } else if (offset == FIRMWARE_RUNNING) {
    if (value == 0) kernels_.observe(kernels_.ended());
  } else if (offset == FIRMWARE_ENDED) {
    for (; value != 0; value &= value - 1)
      kernels_.observe_queue(static_cast<unsigned>(__builtin_ctz(value)));
  } else if (offset >= FIRMWARE_HEADS && head % FIRMWARE_HEAD_BYTES == FIRMWARE_IN_QUEUE && value == 0) {
    kernels_.observe_queue(static_cast<unsigned>(head / FIRMWARE_HEAD_BYTES));
  }
}

/// A signal is a word that synchronises, for packets, warps and firmware.
HazardChecker::SyncWord& HazardChecker::signal(std::uint32_t address) {
  memory_ = Memory::kGlobal;
  return sync_word(global_.word(address / 4), address);
}

void HazardChecker::release(std::uint32_t address, const Knowledge& what) {
  SyncWord& word = signal(address);
  word.published.join(what);
  std::fill(word.seen.begin(), word.seen.end(), 0);
}

/// Of the kernels of an access and the one before it; "" where they are of one queue, or not of kernels.
std::string HazardChecker::kernels_text(const Mark& before) const {
  const std::uint32_t first = kernels_.queue_of(kernels_.kernel(before.agent, before.epoch));
  const std::uint32_t second = kernels_.queue_of(kernels_.kernel(actor_.agent, actor_.epoch));
  if (first == KernelOrder::kNone || second == KernelOrder::kNone || first == second) return "";
  const auto name = [this](std::uint32_t queue) {
    return queue < queue_names_.size() ? fmt::format("stream '{}'", queue_names_[queue])
                                       : fmt::format("queue {}", queue);
  };
  return fmt::format("kernels of {} and {}, which no event and no barrier packet orders", name(first),
                     name(second));
}

std::string HazardChecker::note() const {
  return host_doorbells_ == 0
             ? ""
             : fmt::format(
                   "a host rang doorbells {} times after kernels had ended: the checker takes their packets to be "
                   "ordered behind all that had ended by then",
                   host_doorbells_);
}

}  // namespace spica::check
