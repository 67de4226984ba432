// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/firmware_view.h"

#include <cstring>
#include <utility>

#include "models/command_processor/command_processor_regs.h"

namespace spica::command_processor {

static_assert(FIRMWARE_DEGREES == protocol::kDegrees && FIRMWARE_VARIANTS == protocol::kDegrees + 1);
static_assert(FIRMWARE_HEADS + protocol::kMostQueues * FIRMWARE_HEAD_BYTES <= FIRMWARE_REGISTERS_BYTES);
static_assert(static_cast<unsigned>(Policy::kSequential) == 0 &&
              static_cast<unsigned>(Policy::kGreedy) == 1 && static_cast<unsigned>(Policy::kPredicted) == 2 &&
              static_cast<unsigned>(Policy::kOracle) == 3);

std::optional<std::uint32_t> FirmwareView::read(std::uint64_t offset) {
  if (offset % 4 != 0) return std::nullopt;
  if (offset >= FIRMWARE_HEADS) return head_register(offset - FIRMWARE_HEADS);
  if (offset >= FIRMWARE_PRODUCTS) {
    const std::uint64_t degree = (offset - FIRMWARE_PRODUCTS) / 4;
    if (degree >= protocol::kDegrees) return std::nullopt;
    return concurrency_.running(static_cast<unsigned>(degree));
  }
  switch (offset) {
    case FIRMWARE_QUEUES: return static_cast<std::uint32_t>(queues_.size());
    case FIRMWARE_CLUSTERS: return static_cast<std::uint32_t>(params_.clusters);
    case FIRMWARE_POLICY: return static_cast<std::uint32_t>(params_.policy);
    case FIRMWARE_MODEL: return reader_.model();
    case FIRMWARE_RUNNING: return static_cast<std::uint32_t>(runs_.running());
    case FIRMWARE_UNREAD: {
      std::uint32_t unread = 0;
      for (unsigned i = 0; i < queues_.size(); ++i) unread |= queues_[i].unread() ? 1u << i : 0;
      return unread;
    }
    case FIRMWARE_NEW: return std::exchange(changes_.heads, 0u);
    case FIRMWARE_GIVEN: return std::exchange(changes_.dispatched, 0u);
    case FIRMWARE_ENDED: return std::exchange(changes_.ended, 0u);
    default: return std::nullopt;
  }
}

std::optional<std::uint32_t> FirmwareView::head_register(std::uint64_t offset) const {
  const std::uint64_t number = offset / FIRMWARE_HEAD_BYTES;
  if (number >= queues_.size()) return std::nullopt;
  const Queue& queue = queues_[number];
  const std::uint64_t at = offset % FIRMWARE_HEAD_BYTES;
  const protocol::KernelChoice* choice = queue.has_product() ? &queue.product->choice : nullptr;
  switch (at) {
    case FIRMWARE_STATE: return state_bits(queue);
    case FIRMWARE_IN_QUEUE: return queue.running;
    case FIRMWARE_M: return choice != nullptr ? choice->m : 0;
    case FIRMWARE_N: return choice != nullptr ? choice->n : 0;
    case FIRMWARE_K: return choice != nullptr ? choice->k : 0;
    default: break;
  }
  constexpr std::uint64_t kBytes = 4 * FIRMWARE_VARIANTS;
  const auto is_in = [at](std::uint64_t first, std::uint64_t bytes) {
    return at >= first && at - first < bytes;
  };
  if (is_in(FIRMWARE_PACKET, protocol::kPacketBytes)) {
    std::uint32_t word = 0;
    if (queue.head) std::memcpy(&word, &queue.head->encode()[at - FIRMWARE_PACKET], sizeof word);
    return word;
  }
  for (const std::uint64_t first : {FIRMWARE_GROUPS, FIRMWARE_OCCUPANCY, FIRMWARE_CYCLES}) {
    if (!is_in(first, kBytes)) continue;
    const std::uint64_t variant = (at - first) / 4;
    if (!queue.has_kernel() || (variant != 0 && choice == nullptr)) return 0;
    if (first == FIRMWARE_CYCLES) return variant != 0 ? choice->variants[variant - 1].cycles : 0;
    const protocol::GridLaunch& launch = variant != 0 ? queue.product->launches[variant - 1] : queue.launch;
    return static_cast<std::uint32_t>(first == FIRMWARE_GROUPS ? launch.groups()
                                                               : outside_.occupancy(launch));
  }
  return std::nullopt;
}

std::uint32_t FirmwareView::state_bits(const Queue& queue) const {
  if (!queue.has_kernel()) return 0;
  std::uint32_t bits = FIRMWARE_KERNEL;
  if (queue.is_free()) bits |= FIRMWARE_FREE;
  if (queue.has_product()) bits |= FIRMWARE_PRODUCT;
  if (queue.has_product() && concurrency_.is_like_last(*queue.product)) bits |= FIRMWARE_LIKE_LAST;
  return bits;
}

}  // namespace spica::command_processor
