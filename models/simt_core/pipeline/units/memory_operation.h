// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/payload/request_info.h"
#include "models/protocol/payload/warp_access.h"
#include "models/simt_core/pipeline/decoded.h"
#include "models/simt_core/pipeline/units/memory_ports.h"

namespace spica::simt_core {

/// One memory instruction in a load/store unit, filled in at issue.
struct MemoryOperation {
  /// Maximum number of queue entries of an instruction: a request per route, or per byte of a misaligned access;
  /// atomics (two routes) have up to two fences in addition.
  static constexpr unsigned kMaxParts = 4;
  enum Special : std::uint8_t {
    kBytewise = 1,  // misaligned: part n is byte n of every lane
    kRelease = 2,  // earlier accesses complete first (rl)
    kAcquire = 4,  // later accesses wait for it (aq)
    kMerged = 8,  // a load by lane 0 for all its lanes
    kStoresAfter = 16,  // a fence with OperationSlots::add_fence_store()
    kFragment = 32,  // a phase of a load or store of a fragment
    kAsync = 64,  // an asynchronous copy: only its group can be waited for
  };

  const Decoded* instruction = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint8_t warp = 0;
  std::uint8_t lanes = 0;
  std::uint8_t parts = 0;  // requests not yet done
  std::uint8_t special = 0;  // bits of Special
  MemoryPorts::Port ports[kMaxParts] = {};  // of its requests

  template <class Archive>
  void serialize(Archive& archive) {
    archive(instruction, pc, mask, warp, lanes, parts, special, ports);
  }
};

/// The callbacks of a MemoryQueue to its unit.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// Lanes of a load or atomic, which is in slot `slot`, have been answered: raw values, zero-extended. `last`: all of
  /// its requests are complete, and it commits.
  virtual void on_load_data(unsigned slot, const MemoryOperation& operation,
                            const protocol::WarpAccess& access, bool last) = 0;
  /// Some lanes of one of its requests have been answered; on_load_data() follows.
  virtual void on_lanes(const MemoryOperation& operation) = 0;
  /// The instruction in slot `slot` commits: a store, a fence, or an atomic followed by a fence.
  virtual void on_memory_done(unsigned slot, const MemoryOperation& operation) = 0;
  /// Asynchronous copies that the warp waits for have landed.
  virtual void on_copies_landed(unsigned warp) = 0;
  /// A target returned an error; the payload's origin names the instruction.
  virtual void on_access_error(const protocol::Payload& payload) = 0;
  /// The event for which the head of the queue waited has occurred: the unit needs a tick in this cycle.
  virtual void on_memory_event() = 0;
};

}  // namespace spica::simt_core
