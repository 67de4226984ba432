// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/request_info.h"
#include "models/protocol/warp_access.h"
#include "models/simt_core/pipeline/decoded.h"
#include "models/simt_core/pipeline/units/memory_ports.h"

namespace spica::simt_core {

/// One memory instruction on its way through a load/store unit, filled at issue.
struct MemoryOperation {
  /// Entries one instruction takes in the queue, at most: a request per route, or per byte of a misaligned
  /// access; atomics (two routes) have up to two fences in addition.
  static constexpr unsigned kMaxParts = 4;
  enum Special : std::uint8_t {
    kBytewise = 1,  // misaligned: part n is byte n of every lane
    kRelease = 2,  // everything before it is done first (rl)
    kAcquire = 4,  // nothing after it leaves before it is done (aq)
    kMerged = 8,  // a load by lane 0 for all its lanes
    kStoresAfter = 16,  // a fence with OperationSlots::add_fence_store()
    kFragment = 32,  // a phase of a load or store of a fragment
    kAsync = 64,  // an asynchronous copy: only its group is waited for
  };

  const Decoded* instruction = nullptr;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint8_t warp = 0;
  std::uint8_t lanes = 0;
  std::uint8_t parts = 0;  // requests not yet done
  std::uint8_t special = 0;  // of Special
  MemoryPorts::Port ports[kMaxParts] = {};  // of its requests

  template <class Archive>
  void serialize(Archive& archive) {
    archive(instruction, pc, mask, warp, lanes, parts, special, ports);
  }
};

/// What the unit gets back from its MemoryQueue.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// Lanes of the load or atomic in slot `slot` have answered: raw values, zero-extended. `last`: all of its requests
  /// are done, and it commits.
  virtual void on_load_data(unsigned slot, const protocol::WarpAccess& access, bool last) = 0;
  /// Some of the lanes of one of its requests have answered, for which on_load_data() follows.
  virtual void on_lanes(unsigned slot) = 0;
  /// The instruction in slot `slot` commits: a store, a fence, or an atomic with a fence behind it.
  virtual void on_memory_done(unsigned slot) = 0;
  /// Asynchronous copies that the warp waits for have landed.
  virtual void on_copies_landed(unsigned warp) = 0;
  /// A target answered with an error; the payload's origin has the instruction that asked.
  virtual void on_access_error(const protocol::Payload& payload) = 0;
  /// What the head of the queue waited for has arrived: the unit wants a tick in this cycle.
  virtual void on_memory_event() = 0;
};

}  // namespace spica::simt_core
