// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/guest_fault.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/ports/unit_rules.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/buffers.h"
#include "platform/observe/check/conflicts.h"
#include "platform/observe/check/finding.h"
#include "platform/observe/check/kernel_order.h"
#include "platform/observe/check/memory_hazards.h"
#include "platform/observe/check/order.h"
#include "platform/observe/check/queue_hazards.h"
#include "platform/observe/check/unit_hazards.h"
#include "platform/observe/check/unit_sites.h"
#include "platform/observe/check/warp_hazards.h"

namespace spica::check {

/// Detects unordered conflicting accesses to memory, and other errors in the use of asynchronous units, while a program
/// runs. It judges the program's synchronisation, not the order in which accesses happened; rules: docs/checks.md. It
/// observes the machine only through events, and distributes them to the checks of warps, units, queues and memory.
class HazardChecker final : public protocol::ProbeIf {
 public:
  using UnitOfSource = std::function<unsigned(unsigned)>;
  /// `unit_of_source`: as that of a machine. `unit_rules`, `queue_rules`: of its blocks.
  HazardChecker(const soc::SocParams& params, const protocol::AddressMap& map, const loader::Program& program,
                UnitOfSource unit_of_source, const protocol::UnitRules& unit_rules = protocol::unit_rules(),
                const protocol::QueueRules& queue_rules = protocol::queue_rules());

  /// Another program at other addresses runs also.
  void add(const loader::Program& program) {
    find_language(program);
    buffers_.add(program);
    warps_.add(program);
  }
  /// Marks memory that is filled before the run.
  void initialised(std::uint64_t address, std::uint64_t bytes) { memory_.initialised(address, bytes); }
  Buffers& buffers() { return buffers_; }
  /// Names of the queues (streams), in order.
  void name_queues(std::vector<std::string> names) { conflicts_.name_queues(std::move(names)); }
  /// Adds a fault reported by a unit. Call before end().
  void add_fault(const protocol::GuestFault& fault) { units_.complain(fault); }
  /// The run has ended.
  void end(base::Cycle cycle) { warps_.end_run(cycle); }

  const Findings& findings() const { return findings_; }
  /// The ordering assumptions that the program does not state; "": none.
  std::string note() const { return queues_.note(); }

  // protocol::ProbeIf
  void on_issue(const protocol::InstructionEvent& event) override { warps_.issue(event); }
  void on_csr(const protocol::InstructionEvent& event) override { warps_.csr(event); }
  void on_commit(base::Cycle, const protocol::Origin& origin, const isa::RegisterFile& registers) override {
    warps_.commit(origin, registers);
  }
  void on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                          unsigned count) override {
    warps_.arrive(cycle, origin, id, count);
  }
  void on_barrier_release(base::Cycle, unsigned core, unsigned id) override { warps_.release(core, id); }
  void on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                     std::uint32_t pc) override;
  void on_warp_end(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_group_start(base::Cycle cycle, unsigned source, const protocol::WorkGroupStart& group) override;
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override;
  void on_doorbell(base::Cycle, unsigned, const protocol::Origin& by, unsigned queue,
                   std::uint32_t written) override {
    queues_.doorbell(by, queue, written);
  }
  void on_packet(base::Cycle, unsigned, unsigned queue, std::uint32_t number,
                 const protocol::Packet& packet) override {
    queues_.packet(queue, number, packet);
  }
  void on_firmware(base::Cycle, unsigned, std::uint64_t address, std::uint32_t value, bool store) override {
    queues_.firmware(address, value, store);
  }
  void on_kernel_launch(base::Cycle, unsigned, std::uint32_t kernel,
                        const protocol::KernelRun& run) override {
    queues_.launch(kernel, run);
  }
  void on_kernel_end(base::Cycle, unsigned, std::uint32_t kernel, const protocol::KernelRun&) override {
    queues_.end(kernel);
  }
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override;
  void on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) override;

 private:
  void find_language(const loader::Program& program);

  const Shape shape_;
  const UnitOfSource unit_of_source_;
  Findings findings_;
  Moment moment_;
  Buffers buffers_;
  Order order_;
  KernelOrder kernels_;
  const Precedence precedence_;
  UnitSites sites_;
  Conflicts conflicts_;
  MemoryHazards memory_;
  UnitHazards units_;
  QueueHazards queues_;
  WarpHazards warps_;
};

}  // namespace spica::check
