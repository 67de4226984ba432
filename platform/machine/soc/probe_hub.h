// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "models/protocol/ports/probe_if.h"

namespace spica::soc {

/// Forwards each event to all observers, in the order in which they were added.
class ProbeHub final : public protocol::ProbeIf {
 public:
  void add(protocol::ProbeIf& probe) { probes_.push_back(&probe); }
  void remove(protocol::ProbeIf& probe) {
    probes_.erase(std::remove(probes_.begin(), probes_.end(), &probe), probes_.end());
  }
  bool empty() const { return probes_.empty(); }

  void on_fetch(base::Cycle cycle, const protocol::Origin& origin) override {
    for (ProbeIf* probe : probes_) probe->on_fetch(cycle, origin);
  }
  void on_decode(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::Instruction& instruction) override {
    for (ProbeIf* probe : probes_) probe->on_decode(cycle, origin, instruction);
  }
  void on_issue(const protocol::InstructionEvent& event) override {
    for (ProbeIf* probe : probes_) probe->on_issue(event);
  }
  void on_csr(const protocol::InstructionEvent& event) override {
    for (ProbeIf* probe : probes_) probe->on_csr(event);
  }
  void on_commit(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::RegisterFile& registers) override {
    for (ProbeIf* probe : probes_) probe->on_commit(cycle, origin, registers);
  }
  void on_trap(base::Cycle cycle, const protocol::Origin& origin) override {
    for (ProbeIf* probe : probes_) probe->on_trap(cycle, origin);
  }
  void on_drop(base::Cycle cycle, const protocol::Origin& origin) override {
    for (ProbeIf* probe : probes_) probe->on_drop(cycle, origin);
  }
  void on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                          unsigned count) override {
    for (ProbeIf* probe : probes_) probe->on_barrier_arrival(cycle, origin, id, count);
  }
  void on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) override {
    for (ProbeIf* probe : probes_) probe->on_barrier_release(cycle, core, id);
  }
  void on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                     std::uint32_t pc) override {
    for (ProbeIf* probe : probes_) probe->on_warp_start(cycle, by, core, warp, pc);
  }
  void on_warp_end(base::Cycle cycle, const protocol::Origin& origin) override {
    for (ProbeIf* probe : probes_) probe->on_warp_end(cycle, origin);
  }
  void on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) override {
    for (ProbeIf* probe : probes_) probe->on_warp_state(cycle, origin, reason);
  }
  void on_issue_slot(base::Cycle cycle, unsigned core, const protocol::Origin& origin,
                     unsigned reason) override {
    for (ProbeIf* probe : probes_) probe->on_issue_slot(cycle, core, origin, reason);
  }
  void on_shared_access(base::Cycle cycle, unsigned source, const protocol::Origin& origin, unsigned degree,
                        unsigned unaligned) override {
    for (ProbeIf* probe : probes_) probe->on_shared_access(cycle, source, origin, degree, unaligned);
  }
  void on_global_request(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                         bool first) override {
    for (ProbeIf* probe : probes_) probe->on_global_request(cycle, source, origin, first);
  }
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override {
    for (ProbeIf* probe : probes_) probe->on_command(cycle, source, origin, word);
  }
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override {
    for (ProbeIf* probe : probes_) probe->on_work_begin(cycle, source, work);
  }
  void on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) override {
    for (ProbeIf* probe : probes_) probe->on_work_end(cycle, source, id);
  }
  void on_doorbell(base::Cycle cycle, unsigned source, const protocol::Origin& by, unsigned queue,
                   std::uint32_t written) override {
    for (ProbeIf* probe : probes_) probe->on_doorbell(cycle, source, by, queue, written);
  }
  void on_packet(base::Cycle cycle, unsigned source, unsigned queue, std::uint32_t number,
                 const protocol::Packet& packet) override {
    for (ProbeIf* probe : probes_) probe->on_packet(cycle, source, queue, number, packet);
  }
  void on_firmware(base::Cycle cycle, unsigned source, std::uint64_t address, std::uint32_t value,
                   bool store) override {
    for (ProbeIf* probe : probes_) probe->on_firmware(cycle, source, address, value, store);
  }
  void on_kernel_launch(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                        const protocol::KernelRun& run) override {
    for (ProbeIf* probe : probes_) probe->on_kernel_launch(cycle, source, kernel, run);
  }
  void on_kernel_end(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                     const protocol::KernelRun& run) override {
    for (ProbeIf* probe : probes_) probe->on_kernel_end(cycle, source, kernel, run);
  }
  void on_group_start(base::Cycle cycle, unsigned source, const protocol::WorkGroupStart& group) override {
    for (ProbeIf* probe : probes_) probe->on_group_start(cycle, source, group);
  }

 private:
  std::vector<ProbeIf*> probes_;
};

}  // namespace spica::soc
