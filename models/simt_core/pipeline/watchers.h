// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/protocol/ports/probe_if.h"
#include "models/simt_core/pc_profile.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::simt_core {

/// The observers of a core, notified by its stages: a probe, and counts by program counter. They are attached between
/// two cycles. A stage tests any() first, so unobserved runs cost nothing.
class Watchers {
 public:
  bool any() const { return any_; }
  /// nullptr: none.
  protocol::ProbeIf* probe() const { return probe_; }
  PcProfile* profile() const { return profile_.get(); }
  void set_probe(protocol::ProbeIf* probe) {
    probe_ = probe;
    any_ = probe_ != nullptr || profile_ != nullptr;
  }
  void start_profile(base::Cycle now) {
    profile_ = std::make_unique<PcProfile>(now);
    any_ = true;
  }

  void fetch(base::Cycle now, const protocol::Origin& origin) const {
    if (profile_ != nullptr) profile_->fetched(origin.pc);
    if (probe_ != nullptr) probe_->on_fetch(now, origin);
  }
  void decode(base::Cycle now, const protocol::Origin& origin, const isa::Instruction& instruction) const {
    if (profile_ != nullptr) profile_->decoded(origin.pc);
    if (probe_ != nullptr) probe_->on_decode(now, origin, instruction);
  }
  void drop(base::Cycle now, const protocol::Origin& origin) const {
    if (probe_ != nullptr) probe_->on_drop(now, origin);
  }
  /// An instruction issues as a whole.
  void issue(const protocol::InstructionEvent& event, unsigned lanes) const {
    if (profile_ != nullptr) profile_->issued(event.origin.pc, event.instruction, lanes);
    if (probe_ != nullptr) probe_->on_issue(event);
  }
  /// A micro-op of an instruction issues; the last one is the instruction.
  void issue_micro_op(const protocol::InstructionEvent& event, unsigned lanes, bool last) const {
    if (profile_ != nullptr) profile_->issued_micro_op(event.origin.pc, event.instruction, last, lanes);
    if (probe_ != nullptr && last) probe_->on_issue(event);
  }
  void csr(const protocol::InstructionEvent& event) const {
    if (probe_ != nullptr) probe_->on_csr(event);
  }
  void commit(base::Cycle now, const protocol::Origin& origin, const isa::RegisterFile& registers) const {
    if (probe_ != nullptr) probe_->on_commit(now, origin, registers);
  }
  void warp_end(base::Cycle now, const protocol::Origin& origin) const {
    if (probe_ != nullptr) probe_->on_warp_end(now, origin);
  }
  /// A memory instruction sends this many lanes one way.
  void access(std::uint32_t pc, LineCount kind, unsigned lanes) const {
    if (profile_ != nullptr) profile_->accessed(pc, kind, lanes);
  }
  /// From cycle `from` on the issue slot is charged to this; origin.unit kNone: no warp.
  void issue_slot(base::Cycle from, unsigned core, const protocol::Origin& origin, IssueReason reason) const {
    const bool no_warp = origin.unit == protocol::Origin::Unit::kNone;
    if (profile_ != nullptr) profile_->charge(no_warp ? PcProfile::kNoPc : origin.pc, reason, from);
    if (probe_ != nullptr) probe_->on_issue_slot(from, core, origin, static_cast<unsigned>(reason));
  }

  /// Not saved: probe_, which holds no state of the machine; any_.
  void timing(base::Checkpoint& checkpoint);

 private:
  bool any_ = false;
  protocol::ProbeIf* probe_ = nullptr;
  std::unique_ptr<PcProfile> profile_;
};

}  // namespace spica::simt_core
