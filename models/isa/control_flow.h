// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/base/bits.h"
#include "models/isa/instruction.h"

namespace spica::isa {

/// The lane whose scalar operands (masks, counts, code addresses, branch conditions) apply to the warp: the
/// highest-numbered active one (vortex core/VX_dispatch.sv). `mask` must not be 0.
inline unsigned scalar_lane(std::uint32_t mask) { return 31u - static_cast<unsigned>(__builtin_clz(mask)); }

struct SplitResult {
  bool diverged = false;  // both sides have lanes; this is the value of rd
  bool overflow = false;  // the stack is full: nothing was changed
};

struct JoinResult {
  bool jumps = false;      // the else lanes continue at `pc`; otherwise fall through
  bool underflow = false;  // no split is open: nothing was changed
  std::uint32_t pc = 0;
};

/// How an instruction treats lanes of its warp that wait elsewhere.
enum class Meeting : std::uint8_t {
  kNone,
  kTied,  // it must directly follow the instruction before it: the present lanes keep their turn
  kPreferred,  // it waits for them, but not forever: warp control that each group can execute for its own lanes
  kRequired,  // it needs all lanes
};

inline Meeting meeting_of(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kSplit: return Meeting::kTied;
    case Opcode::kTmc: return Meeting::kPreferred;
    case Opcode::kWspawn:
    case Opcode::kBar: return Meeting::kRequired;
    default: return instruction.unit == Unit::kTensor ? Meeting::kRequired : Meeting::kNone;
  }
}

/// How diverged lanes of one warp share its program counter: the active mask, and a policy for waiting lanes.
/// Divergence is explicit (split, join: SimtStack) or, if the policy supports it, implicit at any branch.
///
/// An implicit policy parks lanes at a branch. While any lanes are parked(), choose() selects the lanes that continue
/// before each instruction of the warp, and merges lanes at the same pc.
class ControlFlow {
 public:
  /// `lanes`: 1..32; higher bits of masks are ignored.
  explicit ControlFlow(unsigned lanes) : lanes_(lanes >= 32 ? ~0u : (1u << lanes) - 1) {}
  virtual ~ControlFlow() = default;

  /// Active lanes; 0: the warp is inactive.
  std::uint32_t mask() const { return mask_; }
  /// Number of active lanes.
  unsigned active_lanes() const { return active_lanes_; }
  /// True if lanes wait elsewhere, so that the core must call choose().
  bool parked() const { return parked_ != 0; }
  /// True if the mask contains waiting lanes.
  bool names_parked(std::uint32_t mask) const { return (mask & parked_) != 0; }

  /// mask := value; lanes that wait elsewhere stay there
  void tmc(std::uint32_t value) { set_mask(value & lanes_ & ~parked_); }
  /// Keeps the active lanes in `condition`; if there are none, mask := otherwise.
  virtual void pred(std::uint32_t condition, std::uint32_t otherwise) {
    const std::uint32_t kept = mask_ & condition;
    if (kept != 0) set_mask(kept);
    else tmc(otherwise);
  }
  /// `condition`: lanes whose rs1 has bit 0 set. `next_pc`: the instruction after the split, which the else lanes
  /// execute later. Without divergence nothing changes.
  virtual SplitResult split(std::uint32_t condition, std::uint32_t next_pc) = 0;
  /// `diverged`: bit 0 of rs1, the result of the matching split; if it is 0, nothing happens.
  virtual JoinResult join(bool diverged) = 0;

  /// True if the instruction does nothing, whatever its operands.
  virtual bool ignores(Opcode) const { return false; }
  /// True if lanes that disagree at a branch can be parked.
  virtual bool parks() const { return false; }
  /// Lets `lanes`, a proper subset of the active ones, wait at `pc`. Only if parks().
  virtual void park(std::uint32_t /*lanes*/, std::uint32_t /*pc*/) {}
  /// Selects the lanes that continue, and returns their pc. The active lanes, if any, are at `pc`, before an
  /// instruction of that meeting. The new mask contains the selected lanes and all lanes waiting at the same pc. When
  /// an instruction with a required meeting is selected, lanes still parked can never arrive.
  virtual std::uint32_t choose(std::uint32_t pc, Meeting) { return pc; }

  /// Lanes that have diverged and not reconverged.
  struct Entry {
    std::uint32_t original, else_lanes;  // lanes before the split; lanes of the other side
    std::uint32_t pc;  // where the other side starts or waits
    bool in_else;  // the other side is the one that runs
  };
  /// Open entries, outermost first; for reports and debuggers.
  virtual std::vector<Entry> open() const = 0;
  virtual unsigned depth() const { return static_cast<unsigned>(open().size()); }
  /// Drops all waiting lanes; the mask does not change.
  virtual void clear() = 0;
  /// The state of the policy in addition to the mask; restore with the same values.
  virtual std::vector<std::uint32_t> state() const = 0;
  virtual void restore(const std::vector<std::uint32_t>& state) = 0;
  /// Not saved: lanes_; active_lanes_ and parked_, which are derived.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint32_t mask = mask_;
    std::vector<std::uint32_t> words = state();
    archive(mask, words);
    set_mask(mask);
    restore(words);
  }
  /// No lane active, none waiting.
  void reset() {
    set_mask(0);
    clear();
  }

 protected:
  ControlFlow(const ControlFlow&) = default;
  ControlFlow& operator=(const ControlFlow&) = default;

  void set_mask(std::uint32_t mask) {
    mask_ = mask;
    active_lanes_ = base::count_bits(mask);
  }
  std::uint32_t parked_ = 0;  // lanes that wait at other places

 private:
  std::uint32_t lanes_;
  std::uint32_t mask_ = 0;
  unsigned active_lanes_ = 0;
};

/// Creates the control flow of a warp of `lanes` lanes, with room for `depth` open splits.
using ControlFlowMaker = std::function<std::unique_ptr<ControlFlow>(unsigned depth, unsigned lanes)>;

}  // namespace spica::isa
