// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/base/count_bits.h"
#include "models/isa/instruction.h"

namespace spica::isa {

/// The lane whose scalar operands (masks, counts, addresses of code, branch conditions) a warp
/// follows: the highest-numbered active one (vortex core/VX_dispatch.sv). `mask` must not be 0.
inline unsigned scalar_lane(std::uint32_t mask) { return 31u - static_cast<unsigned>(__builtin_clz(mask)); }

struct SplitResult {
  bool diverged = false;  // both sides have lanes; the value of rd
  bool overflow = false;  // there is no room for another split: nothing was changed
};

struct JoinResult {
  bool jumps = false;      // the else lanes continue at `pc`; otherwise fall through
  bool underflow = false;  // no split is open: nothing was changed
  std::uint32_t pc = 0;
};

/// How an instruction treats lanes of its warp that wait at other places.
enum class Meeting : std::uint8_t {
  kNone,
  kTied,  // it follows the instruction before it at once: the lanes that are there have their turn
  kPreferred,  // it waits for them, but not forever: warp control that each group can do for its own lanes
  kRequired,   // it is for all lanes
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

/// How the lanes of one warp that go different ways share its program counter: the active mask, and a policy for the
/// lanes that wait. By instructions (split, join: SimtStack), or, where the policy can, by itself at any branch.
///
/// A policy of the second kind parks lanes at a branch; from then on, while any are parked(), choose() says before each
/// instruction of the warp which lanes continue, and merges those that have come to the same place.
class ControlFlow {
 public:
  /// `lanes`: 1..32, masks keep only that many bits.
  explicit ControlFlow(unsigned lanes) : lanes_(lanes >= 32 ? ~0u : (1u << lanes) - 1) {}
  virtual ~ControlFlow() = default;

  /// Active lanes; 0: the warp is inactive.
  std::uint32_t mask() const { return mask_; }
  /// Number of active lanes.
  unsigned active_lanes() const { return active_lanes_; }
  /// Lanes wait at other places, and the core must ask choose().
  bool parked() const { return parked_ != 0; }
  /// The mask has lanes that wait at other places.
  bool names_parked(std::uint32_t mask) const { return (mask & parked_) != 0; }

  /// mask := value; lanes that wait at other places stay there
  void tmc(std::uint32_t value) { set_mask(value & lanes_ & ~parked_); }
  /// Keeps the active lanes in `condition`; when there are none, mask := otherwise.
  virtual void pred(std::uint32_t condition, std::uint32_t otherwise) {
    const std::uint32_t kept = mask_ & condition;
    if (kept != 0) set_mask(kept);
    else tmc(otherwise);
  }
  /// `condition`: lanes whose rs1 has bit 0 set; `next_pc`: the instruction after the split, which
  /// the else lanes execute again. Without divergence nothing changes.
  virtual SplitResult split(std::uint32_t condition, std::uint32_t next_pc) = 0;
  /// `diverged`: bit 0 of rs1, the result of the matching split; when it is 0 nothing happens.
  virtual JoinResult join(bool diverged) = 0;

  /// The instruction does nothing, whatever its operands.
  virtual bool ignores(Opcode) const { return false; }
  /// Lanes that disagree at a branch can be parked.
  virtual bool parks() const { return false; }
  /// `lanes`, some of the active ones but not all, continue at `pc` and not with the others: they wait there. Only
  /// where the policy parks().
  virtual void park(std::uint32_t /*lanes*/, std::uint32_t /*pc*/) {}
  /// The warp resumes at the returned pc when its active lanes, if any are left, are at `pc` before an instruction of
  /// that meeting. The mask becomes that of the lanes there, with those that wait at the same place. Lanes that are
  /// still parked when an instruction with a required meeting is chosen can never come.
  virtual std::uint32_t choose(std::uint32_t pc, Meeting) { return pc; }

  /// Lanes that have parted, and have not met again.
  struct Entry {
    std::uint32_t original, else_lanes;  // lanes before; those that went to the other side
    std::uint32_t pc;  // where the other side starts, or waits
    bool in_else;  // it is the one that runs
  };
  /// Outermost first; for reports and debuggers.
  virtual std::vector<Entry> open() const = 0;
  virtual unsigned depth() const { return static_cast<unsigned>(open().size()); }
  /// Forgets all lanes that wait; the mask stays.
  virtual void clear() = 0;
  /// What the policy knows in addition to the mask, and how it was when that was its answer.
  virtual std::vector<std::uint32_t> state() const = 0;
  virtual void restore(const std::vector<std::uint32_t>& state) = 0;
  /// Not saved: lanes_; active_lanes_, parked_, which follow from the rest.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint32_t mask = mask_;
    std::vector<std::uint32_t> words = state();
    archive(mask, words);
    set_mask(mask);
    restore(words);
  }
  /// No active lane, none that waits.
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

/// Makes the control flow of a warp: of `lanes` lanes, with room for `depth` open splits.
using ControlFlowMaker = std::function<std::unique_ptr<ControlFlow>(unsigned depth, unsigned lanes)>;

}  // namespace spica::isa
