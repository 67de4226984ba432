// SPDX-License-Identifier: Apache-2.0
// What keeps the times of main memory. MainMemory has the sockets, the bytes, the statistics and the errors; it offers
// each request to one back end, ticks it, and gets a call at its end. A simulator with callbacks fits: its "will you
// take this" is offer(), its clock is tick(), its callback calls BackEndUser::done().
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>

#include "models/base/types.h"
#include "models/protocol/request_info.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::main_memory {

struct Params;
struct Stats;

/// A time in picoseconds since the start of the simulation.
using Picoseconds = std::uint64_t;

/// A request as a back end sees it.
struct Access {
  protocol::Payload* payload = nullptr;  // whose it is: to be given back, not to be read
  std::uint64_t offset = 0;  // of the first byte, from the base of the memory
  unsigned bytes = 0;
  bool write = false;
};

/// The memory, as its back end sees it.
class BackEndUser {
 public:
  /// The access is decided: its data moves now, its response is sent in cycle `due`, or in this cycle when that is
  /// past. Called inside offer(), `due` is a later cycle.
  virtual void done(protocol::Payload& payload, base::Cycle due) = 0;
  /// Asks for a tick in `cycle`, or in this one when that is past. For what happens between ticks; otherwise next()
  /// says it.
  virtual void wake(base::Cycle cycle) = 0;

 protected:
  ~BackEndUser() = default;
};

class BackEnd {
 public:
  virtual ~BackEnd() = default;
  /// Takes an access, or says that it has no room now; then the same one is offered again after each tick.
  virtual bool offer(const Access& access, base::Cycle now) = 0;
  /// Does what is due in cycle `now`. Called in the cycles named by next(), and in others.
  virtual void tick(base::Cycle now) = 0;
  /// The next cycle in which it wants a tick, or kNever: nothing happens until something is offered.
  virtual base::Cycle next(base::Cycle now) const = 0;
  /// Forgets all accesses; none of them is reported as done. Back to the freshly built state.
  virtual void reset(base::Cycle now) = 0;
  /// True when it has no access that is not reported as done.
  virtual bool idle() const = 0;
  /// Prints what it has queued, one line each beginning with `name`; nothing when it is idle.
  virtual void dump(std::ostream& out, const char* name) const = 0;
  /// Saves or loads all of its state. False: it cannot be saved.
  virtual bool timing(base::Checkpoint&) { return false; }
};

/// What a back end is built from. The references outlive it.
struct BackEndContext {
  const Params& params;
  Picoseconds cycle_ps;  // period of the clock in whose cycles it is ticked
  Stats& stats;  // what it counts beyond requests and bytes, which the memory counts
  BackEndUser& user;
};
/// Called in the constructor of the memory: modules that it makes are children of the memory.
using BackEndFactory = std::function<std::unique_ptr<BackEnd>(const BackEndContext&)>;

/// The one that the parameters name.
std::unique_ptr<BackEnd> make_back_end(const BackEndContext& context);

}  // namespace spica::main_memory
