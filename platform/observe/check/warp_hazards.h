// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/protocol/payload/address_map.h"
#include "models/protocol/ports/probe_if.h"
#include "platform/observe/check/barrier_rules.h"
#include "platform/observe/check/queue_hazards.h"
#include "platform/observe/check/sync_code.h"
#include "platform/observe/check/unit_hazards.h"

namespace spica::check {

/// Checks the operations of warps: accesses, fences, products, copies and other synchronisation.
class WarpHazards {
 public:
  WarpHazards(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
              Order& order, MemoryHazards& memory, UnitHazards& units, QueueHazards& queues, Moment& moment,
              Findings& findings);

  /// Another program at other addresses runs also.
  void add(const loader::Program& program) { code_.add(program); }

  void issue(const protocol::InstructionEvent& event);
  void csr(const protocol::InstructionEvent& event);
  /// The value of a load has arrived; what it proves counts from here on.
  void commit(const protocol::Origin& origin, const isa::RegisterFile& registers);
  void arrive(base::Cycle cycle, const protocol::Origin& origin, unsigned id, unsigned count);
  void release(unsigned core, unsigned id);
  void start(unsigned warp);
  void end(unsigned warp);
  /// The warp belongs to another work group from now on.
  void forget_loads(unsigned warp) { warps_[warp].waiting.clear(); }
  /// The run has ended.
  void end_run(base::Cycle cycle) { barriers_.end(cycle); }

 private:
  static constexpr unsigned kNoUnit = protocol::Region::kNoUnit;
  /// A load in flight whose value synchronises.
  struct Waiting {
    std::uint32_t pc;
    std::vector<std::uint64_t> words;  // of MemoryHazards
    unsigned unit;  // unit whose busy bit or loop counter it reads; kNoUnit: none
    bool counter;
    std::uint8_t rd;
    std::uint32_t lanes;
  };
  struct Warp {
    std::vector<Waiting> waiting;
    bool products = false;  // tensor products in progress
    std::uint32_t product_pc = 0;  // pc of the last one
    bool ended = true;
  };

  Actor begin(const protocol::InstructionEvent& event, unsigned warp);
  unsigned cluster(const protocol::InstructionEvent& event) const {
    return event.origin.core / shape_.cores_of_cluster;
  }
  void access(const protocol::InstructionEvent& event, unsigned warp);
  void access_peripheral(const protocol::InstructionEvent& event, unsigned warp, std::uint32_t address,
                         std::uint32_t lanes);
  void move_fragment(const protocol::InstructionEvent& event, unsigned warp);
  void tensor(const protocol::InstructionEvent& event, unsigned warp);
  void product(const protocol::InstructionEvent& event, unsigned warp);
  void copy(const protocol::InstructionEvent& event, unsigned warp);
  void part_lanes(const protocol::InstructionEvent& event, unsigned warp);
  void check_lanes(const protocol::InstructionEvent& event, const std::uint32_t* base, std::uint32_t offset);
  static Accessor instruction(const protocol::InstructionEvent& event);

  const protocol::AddressMap& map_;
  const Shape shape_;
  const unsigned lanes_, csr_lanes_;  // lanes of a warp, and lanes that a CSR access processes at once
  const bool parts_at_any_branch_;
  Order& order_;
  MemoryHazards& memory_;
  UnitHazards& units_;
  QueueHazards& queues_;
  Moment& moment_;
  Findings& findings_;
  SyncCode code_;
  BarrierRules barriers_;
  std::vector<Warp> warps_;
};

}  // namespace spica::check
