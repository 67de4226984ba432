// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "models/base/clock_domain.h"
#include "models/protocol/transport/handlers.h"

namespace spica::protocol {

class InitiatorPort;
class TargetPort;

/// The path between two of our sockets in different clock domains: an asynchronous FIFO for requests, one for
/// responses.
///
///   time        a word written in a cycle that begins at t can be read in the first cycle of the reader that begins
///               after t, plus the cycles of ClockDomain::set_crossing of the reader's domain. The result does not
///               depend on which of two domains executes first when their cycles begin at the same time.
///   throughput  each side writes one and reads one per cycle of its own clock
///   room        the target's domain sets the depth of the request FIFO. A request leaves it when the target accepts
///               it; the initiator sees the free place as late as it would see a response. While it sees no free place,
///               its request is held. Responses always have room: the sender of a request reserves it.
///
/// Links between domains do not use base::Links.
class Crossing {
 public:
  /// The ports outlive it; `near` is the initiator's domain, `far` the target's.
  Crossing(InitiatorPort& from, TargetPort& to, base::ClockDomain& near, base::ClockDomain& far);

  /// Sends a request of the initiator; it is held if it cannot be written now.
  void send();
  /// The target accepts the request it held.
  void take_held();
  void respond(Payload& payload);
  /// Drops requests and responses in flight; called by reset() of either end, since both are reset.
  void reset();
  /// Not saved: resets_; planned deliveries are planned again after loading.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(requests_, responses_, freed_, used_, next_request_, next_taken_response_, next_response_,
            next_taken_request_);
    if constexpr (Archive::is_loading::value) plan_again();
  }

 private:
  struct Entry {
    Payload* payload;
    base::Cycle due;  // the cycle of the reader from which on it can be read
  };

  bool has_room();
  void write();
  void ask();
  void accept();
  void look_near();
  void look_far();
  void plan_near();
  void plan_again();
  void plan_far();
  void look_near_in(base::Cycle cycle);
  void look_far_in(base::Cycle cycle);

  InitiatorPort& from_;
  TargetPort& to_;
  base::ClockDomain& near_;
  base::ClockDomain& far_;
  std::deque<Entry> requests_, responses_;
  std::deque<base::Cycle> freed_;  // cycles of the initiator in which it sees a free place
  unsigned used_ = 0;  // places occupied, as seen by the initiator
  // The earliest next write of a request (initiator's cycles), and the earliest next acceptance (target's cycles).
  base::Cycle next_request_ = 0, next_taken_response_ = 0;
  base::Cycle next_response_ = 0, next_taken_request_ = 0;
  std::uint64_t resets_ = 0;  // number of resets; earlier deliveries are void
};

}  // namespace spica::protocol
