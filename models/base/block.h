// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>

namespace spica::base {

class Checkpoint;

/// What its owner, users and watchdogs can ask of a block, in both modes.
class Block {
 public:
  /// Back to the freshly built state; work in flight is dropped, statistics and observers stay.
  virtual void reset() = 0;
  /// Prints queues and wait reasons, for readers of a hang or fault report.
  virtual void dump_state(std::ostream& out) const = 0;
  /// For units that execute commands alongside the warps: a count that grows whenever the unit moves data or computes.
  virtual std::uint64_t work_done() const { return 0; }
  /// True when such a unit has work.
  virtual bool works() const { return false; }
  /// Saves or loads the state that programs can see. It is the same in both modes, so a run can change modes.
  virtual void architecture(Checkpoint&) {}
  /// Called for all blocks before their state: adds the objects that pointers can name. On loading, the number of
  /// objects must be the same.
  virtual void objects(Checkpoint&) {}
  /// Saves or loads all other state that later cycles depend on. False: the block cannot be saved.
  virtual bool timing(Checkpoint&) { return false; }

 protected:
  ~Block() = default;
};

}  // namespace spica::base
