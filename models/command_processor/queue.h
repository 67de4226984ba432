// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "models/command_processor/concurrency.h"
#include "models/protocol/host_queues/packets.h"
#include "models/protocol/host_queues/work_group.h"

namespace spica::command_processor {

/// A queue: its ring, and the packet at its head.
struct Queue {
  // -- its registers (command_processor_regs.h), by offset from the first one; empty, or false, if there is no such
  // register or the value is invalid
  std::optional<std::uint32_t> read_register(std::uint64_t offset) const;
  /// A ring must not be moved while it has packets, nor overfilled.
  bool write_register(std::uint64_t offset, std::uint32_t value);

  // -- its head
  std::uint32_t base = 0, packets = 0, written = 0, read = 0;
  std::uint32_t cluster_word = 0;  // the word of `clusters` that its register shows
  protocol::ClusterSet clusters;
  std::optional<protocol::Packet> head;
  protocol::GridLaunch launch;  // the kernel at the head
  std::optional<Product> product;  // the head, if it is a product
  bool launched = false;  // the head has been launched
  bool broken = false;
  std::uint32_t running = 0;  // kernels in progress

  bool unread() const { return written != read && !head && !broken; }
  bool waits() const { return head && head->type == protocol::Packet::Type::kBarrierAnd; }
  /// True if no earlier packet blocks the head.
  bool is_free() const { return !head->barrier || running == 0; }
  bool has_kernel() const { return head && !waits() && !launched; }
  bool has_product() const { return product && !launched; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(base, packets, written, read, cluster_word, clusters, head, launch, product, launched, broken,
            running);
  }
};

}  // namespace spica::command_processor
