// SPDX-License-Identifier: Apache-2.0
// The timing model of main memory. MainMemory has the sockets, bytes, statistics and errors; it offers each request to
// one back end, ticks it, and is called when a request is done. Simulators with callbacks fit: offer() asks for
// acceptance, tick() is the clock, and the callback calls BackEndUser::done().
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>

#include "models/base/types.h"
#include "models/protocol/payload/request_info.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::main_memory {

struct Params;
struct Stats;

/// A time in picoseconds since the start of the simulation.
using Picoseconds = std::uint64_t;

/// The first cycle that begins at `time` or later; `cycle`: its length, in the same unit.
inline base::Cycle first_cycle_from(std::uint64_t time, std::uint64_t cycle) {
  return (time + cycle - 1) / cycle;
}

/// A request as shown to a back end.
struct Access {
  protocol::Payload* payload = nullptr;  // its payload; only to be returned, not to be read
  std::uint64_t offset = 0;  // offset of the first byte from the base of the memory
  unsigned bytes = 0;
  bool write = false;
};

/// The memory as shown to its back end.
class BackEndUser {
 public:
  /// Completes an access: its data moves now, and its response is sent in cycle `due`, or in this cycle if that is
  /// past. Inside offer(), `due` must be a later cycle.
  virtual void done(protocol::Payload& payload, base::Cycle due) = 0;
  /// Requests a tick in `cycle`, or in this cycle if that is past. For events between ticks; otherwise use next().
  virtual void wake(base::Cycle cycle) = 0;

 protected:
  ~BackEndUser() = default;
};

class BackEnd {
 public:
  virtual ~BackEnd() = default;
  /// Accepts an access. False: no room now; the same access is offered again after each tick.
  virtual bool offer(const Access& access, base::Cycle now) = 0;
  /// Performs the work due in cycle `now`. Called in the cycles named by next(), and in others.
  virtual void tick(base::Cycle now) = 0;
  /// The next cycle in which it needs a tick; kNever: none until something is offered.
  virtual base::Cycle next(base::Cycle now) const = 0;
  /// Drops all accesses without reporting them as done, and restores the initial state.
  virtual void reset(base::Cycle now) = 0;
  /// Brings the accounts of its channels up to `now`.
  virtual void catch_up(base::Cycle) {}
  /// True if all accesses have been reported as done.
  virtual bool idle() const = 0;
  /// Prints its queues, one line each beginning with `name`; prints nothing if idle.
  virtual void dump(std::ostream& out, const char* name) const = 0;
  /// An access that was made before the simulation of time began: rows take the state that it left. `offset`: as in
  /// Access.
  virtual void leave_open(std::uint64_t /*offset*/) {}
  /// Saves or loads all of its state. False: it cannot be saved.
  virtual bool timing(base::Checkpoint&) { return false; }
};

/// Constructor arguments of a back end. The references outlive it.
struct BackEndContext {
  const Params& params;
  Picoseconds cycle_ps;  // period of the clock that ticks it
  Stats& stats;  // its own counters; the memory counts requests and bytes
  BackEndUser& user;
};
/// Creates a back end. Called in the constructor of the memory, so that modules it creates are children of the memory.
using BackEndFactory = std::function<std::unique_ptr<BackEnd>(const BackEndContext&)>;

/// Creates the back end named by the parameters.
std::unique_ptr<BackEnd> make_back_end(const BackEndContext& context);

}  // namespace spica::main_memory
