// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/queue_hazards.h"

#include <fmt/format.h>

#include "platform/machine/soc/soc_params.h"

namespace spica::check {

QueueHazards::QueueHazards(const soc::SocParams& params, const protocol::AddressMap& map, Order& order,
                           KernelOrder& kernels, MemoryHazards& memory, const protocol::QueueRules& rules)
    : present_(params.command_processor.present),
      registers_(params.command_processor.registers_base),
      map_(map),
      order_(order),
      kernels_(kernels),
      memory_(memory),
      rules_(rules) {}

void QueueHazards::give(unsigned agent, std::uint32_t kernel) {
  if (kernels_.kernel(agent) == kernel) return;
  order_.begin_anew(agent);
  kernels_.assign(agent, order_.since(agent), kernel);
}

/// What the warp has published counts when the store has arrived.
void QueueHazards::store(unsigned warp, std::uint32_t address) {
  if (!present_) return;
  if (const auto queue = rules_.doorbell(address - registers_)) rung_[*queue].push_back(order_.publish(warp));
}

/// Of a host nothing is known but the time: what has ended may be why it rings.
void QueueHazards::doorbell(const protocol::Origin& by, unsigned queue, std::uint32_t written) {
  auto& rung = rung_[queue];
  if (by.unit == protocol::Origin::Unit::kCore && !rung.empty()) {
    kernels_.ring(queue, written, rung.front());
    rung.pop_front();
    return;
  }
  host_doorbells_ += kernels_.any_ended();
  kernels_.ring(queue, written, kernels_.ended());
}

void QueueHazards::packet(unsigned queue, std::uint32_t number, const protocol::Packet& packet) {
  const bool passes = packet.type == protocol::Packet::Type::kBarrierAnd;
  if (passes)
    for (const std::uint32_t address : packet.waits)
      if (address != 0) kernels_.wait(queue, memory_.signal(address).published);
  const Knowledge& behind = kernels_.begin(queue, number, packet);
  if (!passes) return;
  kernels_.wait(queue, behind);  // what follows comes after it
  if (packet.signal != 0) memory_.release(packet.signal, behind);
}

void QueueHazards::end(std::uint32_t kernel) {
  const KernelOrder::End end = kernels_.end(kernel);
  if (end.signal != 0) memory_.release(end.signal, end.left);
}

/// What a firmware has looked at orders what it launches then: that nothing runs, or nothing of a queue, that a
/// kernel of a queue has ended, and words of memory that have been stored.
void QueueHazards::firmware(std::uint64_t address, std::uint32_t value, bool store) {
  using What = protocol::QueueRules::Sight::What;
  protocol::QueueRules::Sight sight = rules_.firmware_reads(address, value);
  if (sight.what == What::kAllEnded) {
    kernels_.observe(kernels_.ended());
  } else if (sight.what == What::kEnded) {
    for (; sight.queues != 0; sight.queues &= sight.queues - 1)
      kernels_.observe_queue(static_cast<unsigned>(__builtin_ctz(sight.queues)));
  } else if (sight.what == What::kMemory) {
    const auto word = static_cast<std::uint32_t>(address) & ~3u;
    if (map_.route(word) != protocol::Route::kGlobal) return;
    const bool stored = memory_.has_value(word);
    if (store) memory_.release(word, kernels_.firmware());
    else if (stored) kernels_.observe(memory_.signal(word).published);
  }
}

std::string QueueHazards::note() const {
  return host_doorbells_ == 0
             ? ""
             : fmt::format(
                   "a host rang doorbells {} times after kernels had ended: the checker assumes that their "
                   "packets are ordered after these kernels",
                   host_doorbells_);
}

}  // namespace spica::check
