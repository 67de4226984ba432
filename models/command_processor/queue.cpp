// SPDX-License-Identifier: Apache-2.0
#include "models/command_processor/queue.h"

#include "models/command_processor/command_processor_regs.h"

namespace spica::command_processor {

std::optional<std::uint32_t> Queue::read_register(std::uint64_t offset) const {
  switch (offset) {
    case COMMAND_PROCESSOR_BASE: return base;
    case COMMAND_PROCESSOR_PACKETS: return packets;
    case COMMAND_PROCESSOR_DOORBELL: return written;
    case COMMAND_PROCESSOR_READ: return read;
    case COMMAND_PROCESSOR_CLUSTERS: return clusters.word(cluster_word);
    case COMMAND_PROCESSOR_CLUSTER_WORD: return cluster_word;
    default: return std::nullopt;
  }
}

bool Queue::write_register(std::uint64_t offset, std::uint32_t value) {
  const bool rests = written == read;
  switch (offset) {
    case COMMAND_PROCESSOR_BASE:
      if (!rests || value % protocol::kPacketBytes != 0) return false;
      base = value;
      return true;
    case COMMAND_PROCESSOR_PACKETS:
      if (!rests) return false;
      packets = value;
      return true;
    case COMMAND_PROCESSOR_DOORBELL:
      if (value - read > packets || value - read < written - read) return false;
      written = value;
      return true;
    case COMMAND_PROCESSOR_CLUSTERS: clusters.set_word(cluster_word, value); return true;
    case COMMAND_PROCESSOR_CLUSTER_WORD:
      if (value >= protocol::ClusterSet::kWords) return false;
      cluster_word = value;
      return true;
    default: return false;
  }
}

}  // namespace spica::command_processor
