// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "models/base/clock_domain.h"
#include "models/protocol/handlers.h"

namespace spica::protocol {

class InitiatorPort;
class TargetPort;

/// The way between two sockets of ours in different clock domains: an asynchronous FIFO for requests, one for
/// responses.
///
///   time        what is written in a cycle that begins at t can be read in the first cycle of the reader that begins
///               after t, or as many cycles later as the reader's domain says (ClockDomain::set_crossing). So it does
///               not matter which of two domains executes its cycle first when both begin at the same time.
///   throughput  each side writes one and reads one per cycle of its own
///   room        the target's domain sets the depth of the FIFO in requests. One leaves it when the target accepts it,
///               and the initiator learns of that like of a response. When it knows of no room, its request is held, as
///               by a target that has none. Responses always have room: who sends a request has kept it.
///
/// The direct calls and the transport calls of links inside a domain (base::Links) do not matter here.
class Crossing {
 public:
  /// The ports outlive it; `near` is the initiator's domain, `far` the target's.
  Crossing(InitiatorPort& from, TargetPort& to, base::ClockDomain& near, base::ClockDomain& far);

  /// The initiator has a request; it is held when it cannot be written now.
  void send();
  /// The target accepts the request that it held.
  void take_held();
  void respond(Payload& payload);
  /// Forgets what is under way in both directions; for reset() of either end, which both have.
  void reset();
  /// Not saved: resets_; what had been delivered is planned again.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(requests_, responses_, freed_, used_, next_request_, next_taken_response_, next_response_,
            next_taken_request_);
    if constexpr (Archive::is_loading::value) plan_again();
  }

 private:
  struct Entry {
    Payload* payload;
    base::Cycle due;  // the reader's cycle in which it can be read
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
  std::deque<base::Cycle> freed_;  // when the initiator learns of room, in its cycles
  unsigned used_ = 0;  // places for requests, as far as the initiator knows
  // The first cycle in which it can be done again, of the initiator and of the target.
  base::Cycle next_request_ = 0, next_taken_response_ = 0;
  base::Cycle next_response_ = 0, next_taken_request_ = 0;
  std::uint64_t resets_ = 0;  // what was delivered before one is void
};

}  // namespace spica::protocol
