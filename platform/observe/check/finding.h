// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/base/types.h"

namespace spica::check {

/// The kinds of findings.
enum class Kind : std::uint8_t {
  kRace,              // two accesses of warps
  kFenceMissing,      // two accesses ordered only by a barrier that waits for memory accesses
  kEarlyRead,         // of data that a unit has not written yet
  kOverwrittenInUse,  // of data that a unit still reads or writes
  kUnitOrder,         // two operations of units
  kLanes,             // lanes of one store, same address
  kUninitialised,     // shared memory
  kBarrierCount,
  kBarrierInSplit,
  kCommandOrder,      // two agents command one unit
  kCommandBusy,       // a unit without a queue
  kCommandLost,
  kTile,              // outside its buffer or memory
  kRegisters,         // of a tensor product in progress
  kForeignSums,       // a product adds to sums of another, or stores them as its own
  kLaneOrder,         // a read of a value that another lane of the warp has stored
  // kinds of MemoryChecker
  kReadOnly,          // a store to code or constants
  kOutside,           // outside an object
  kHeap,              // outside any heap block
  kUnwritten,         // a read of global memory or stack that was never written
  kAlignment,         // a transfer from or to a misaligned address
  kUnconfigured,      // a unit without configuration
  kOutsideGroup,      // outside a work group's part of shared memory
  kUnloaded,          // use of a fragment without a value
  kAbsentLane,        // the word of a lane that did not take part in an exchange
};

/// One side of a finding.
struct Accessor {
  enum class What : std::uint8_t {
    kNone,
    kLoad,         // by a warp
    kStore,
    kAtomic,
    kBarrier,
    kInstruction,  // any other
    kCopy,         // an asynchronous copy
    kTensorTileA,  // read by a tensor core
    kTensorTileB,
    kUnitLoad,     // by the DMA of a unit
    kUnitStore,
    kUnitOperand,  // read by the array
    kUnitResult,
    kCommand,
  };
  What what = What::kNone;
  std::uint16_t core = 0;   // of the warp that accesses, or that issued the command
  std::uint8_t warp = 0;
  std::uint16_t unit = 0;   // units: number within the machine
  std::uint32_t lanes = 0;
  std::uint32_t pc = 0;
  std::uint32_t word = 0;   // of commands
  std::uint32_t command = 0;  // its number in the unit
  std::uint32_t issued_loops =
      0;  // all work of loops of the unit up to this number was issued when it was given
  bool through_csr = false;
  std::uint32_t called_from = 0;  // if pc is in the library: pc of the program's call; 0: unknown

  bool is_unit() const { return what >= What::kUnitLoad && what <= What::kUnitResult; }
  bool is_copy() const { return what == What::kCopy; }
  bool is_tensor() const { return what == What::kTensorTileA || what == What::kTensorTileB; }
};

enum class Memory : std::uint8_t { kNone, kGlobal, kShared, kAccumulator };

/// A pair of places in the program: what happened there first, and how often.
struct Finding {
  Kind kind = Kind::kRace;
  base::Cycle cycle = 0;  // cycle of the second
  Accessor first, second;
  Memory memory = Memory::kNone;
  std::uint32_t address = 0;  // guest address; accumulator: row
  std::string advice;         // what would order them
  std::string detail;
  std::uint64_t times = 1;    // number of instructions or operations
};

/// One finding per kind and pair of places, in order of first occurrence.
class Findings {
 public:
  /// True if the pair is new. `event` numbers simultaneous accesses: lanes of the same event belong to one finding,
  /// which is counted once.
  bool add(Finding finding, std::uint64_t event);
  /// True if add() would only count, so that texts need not be made.
  bool known(const Finding& finding, std::uint64_t event);

  const std::vector<Finding>& all() const { return all_; }
  bool empty() const { return all_.empty(); }

 private:
  using Place = std::tuple<Accessor::What, std::uint32_t, std::uint32_t, unsigned>;
  using Key = std::tuple<Kind, Place, Place>;
  static Key key(const Finding& finding);
  struct Entry {
    std::size_t index;
    std::uint64_t event;
    bool first_event;
  };
  std::vector<Finding> all_;
  std::map<Key, Entry> found_;
};

}  // namespace spica::check
