// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>

namespace spica::base {

class Checkpoint;

/// What a block is for its owner, for people and for watchdogs, in both modes.
class Block {
 public:
  /// Back to the freshly built state; work in flight is dropped, statistics and observers stay.
  virtual void reset() = 0;
  /// Prints queues and who waits for what; read by people after a hang or a fault.
  virtual void dump_state(std::ostream& out) const = 0;
  /// For units that work on command, next to the warps: a count that grows whenever the unit moves or computes
  /// something.
  virtual std::uint64_t work_done() const { return 0; }
  /// Such a unit has work.
  virtual bool works() const { return false; }
  /// What programs can see of the block: the same in both modes, so that a run of one continues in the other.
  virtual void architecture(Checkpoint&) {}
  /// First of all blocks': adds what others may point at to the checkpoint's objects; when it loads, as many as there
  /// were.
  virtual void objects(Checkpoint&) {}
  /// Everything else that the future of the block depends on. False: the block cannot be saved.
  virtual bool timing(Checkpoint&) { return false; }

 protected:
  ~Block() = default;
};

}  // namespace spica::base
