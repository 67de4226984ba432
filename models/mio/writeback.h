// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/mio/mio_params.h"
#include "models/mio/mio_stats.h"
#include "models/mio/writeback_port.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::mio {

/// The write-back ports of the load/store units, one each, and the loads of shared memory that they bound.
class Writeback {
 public:
  Writeback(const MioParams& params, Stats& stats);

  /// False: there are no ports, and all answers pass.
  bool present() const { return !ports_.empty(); }
  bool empty() const { return open_ == 0; }
  std::size_t waiting(WritebackPort::Client client) const;
  /// True if the answer to this access writes registers.
  static bool writes_registers(const protocol::WarpPayload& payload) {
    return (payload.is_read() || payload.info.atomic != protocol::Atomic::kNone) && !payload.access.copy;
  }

  /// Another load of shared memory can go through the unit.
  bool has_room(unsigned unit) const { return !present() || in_flight_[unit] < params_.shared_answers; }
  /// An access to shared memory has left through the unit.
  void sent(unsigned unit, const protocol::WarpPayload& payload) {
    if (present() && writes_registers(payload)) ++in_flight_[unit];
  }
  /// An answer has come to the unit. False: it needs no port, and passes.
  bool take(unsigned unit, WritebackPort::Client client, protocol::WarpPayload& payload);
  /// One cycle of all ports; call pass(payload) for each load that is done.
  template <class Pass>
  void tick(base::Cycle now, Pass&& pass) {
    for (unsigned unit = 0; unit < ports_.size(); ++unit) {
      WritebackPort& port = ports_[unit];
      if (port.empty()) continue;
      const std::size_t shared = port.waiting(WritebackPort::kShared);
      const std::size_t global = port.waiting(WritebackPort::kGlobal);
      unsigned done = 0;
      const WritebackPort::Work work =
          port.step(now, banks_[params_.banks_shared ? 0 : unit], [&](protocol::WarpPayload& payload) {
            ++done;
            pass(payload);
          });
      open_ -= done;
      if (work == WritebackPort::kWritesShared) in_flight_[unit] -= done;
      charge(unit, work, now);
      count_waits(shared - (work == WritebackPort::kWritesShared ? done : 0),
                  global - (work == WritebackPort::kWritesGlobal ? 1 : 0));
    }
  }

  void reset(base::Cycle now);
  void timing(base::Checkpoint& checkpoint);

 private:
  unsigned pieces_of(const protocol::WarpPayload& payload) const;
  void charge(unsigned unit, WritebackPort::Work work, base::Cycle now);
  /// Answers by client that had to wait in a cycle.
  void count_waits(std::size_t shared, std::size_t global);

  const WritebackParams params_;
  const unsigned cores_;
  std::vector<WritebackPort> ports_;  // by unit
  /// One for all, or by unit. Not saved: banks_, of which nothing outlives its cycle.
  std::vector<RegisterBanks> banks_;
  std::vector<std::uint64_t> in_flight_;  // loads of shared memory without registers, by unit
  std::uint64_t open_ = 0;  // answers in the ports
  Stats& stats_;
};

}  // namespace spica::mio
