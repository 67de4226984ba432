// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/command_processor_regs.h"
#include "models/command_processor/queues.h"

namespace spica::command_processor {

std::optional<std::uint32_t> Queues::read(std::uint64_t offset) const {
  if (offset == COMMAND_PROCESSOR_MODEL) return model_;
  const std::uint64_t number = offset / COMMAND_PROCESSOR_QUEUE_BYTES;
  if (number >= queues_.size()) return std::nullopt;
  const Queue& queue = queues_[number];
  switch (offset % COMMAND_PROCESSOR_QUEUE_BYTES) {
    case COMMAND_PROCESSOR_BASE: return queue.base;
    case COMMAND_PROCESSOR_PACKETS: return queue.packets;
    case COMMAND_PROCESSOR_DOORBELL: return queue.written;
    case COMMAND_PROCESSOR_READ: return queue.read;
    case COMMAND_PROCESSOR_CLUSTERS: return queue.clusters;
    default: return std::nullopt;
  }
}

/// The model is read when its address is written. A ring is not moved while it has packets, and not overfilled.
bool Queues::write(std::uint64_t offset, std::uint32_t value) {
  if (offset == COMMAND_PROCESSOR_MODEL) {
    model_ = value;
    return read_model();
  }
  const std::uint64_t number = offset / COMMAND_PROCESSOR_QUEUE_BYTES;
  if (number >= queues_.size()) return false;
  Queue& queue = queues_[number];
  const bool rests = queue.written == queue.read;
  switch (offset % COMMAND_PROCESSOR_QUEUE_BYTES) {
    case COMMAND_PROCESSOR_BASE:
      if (!rests || value % protocol::kPacketBytes != 0) return false;
      queue.base = value;
      return true;
    case COMMAND_PROCESSOR_PACKETS:
      if (!rests) return false;
      queue.packets = value;
      return true;
    case COMMAND_PROCESSOR_DOORBELL:
      if (value - queue.read > queue.packets || value - queue.read < queue.written - queue.read) return false;
      queue.written = value;
      return true;
    case COMMAND_PROCESSOR_CLUSTERS: queue.clusters = value; return true;
    default: return false;
  }
}

void Queues::start(const protocol::QueueSetup& setup) {
  const std::uint64_t at = std::uint64_t{setup.queue} * COMMAND_PROCESSOR_QUEUE_BYTES;
  write(at + COMMAND_PROCESSOR_BASE, setup.base);
  write(at + COMMAND_PROCESSOR_PACKETS, setup.packets);
  write(at + COMMAND_PROCESSOR_CLUSTERS, setup.clusters);
  write(at + COMMAND_PROCESSOR_DOORBELL, setup.written);
}

}  // namespace spica::command_processor
