// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/calendar.h"
#include "models/base/types.h"
#include "models/shared_memory/banks.h"
#include "models/shared_memory/lane_answers.h"
#include "models/shared_memory/ports.h"

namespace spica::shared_memory {

/// Answers on their way from the banks to the ports.
///
/// Whole     a request is answered its port's latency after its last service
/// Lanes     for cores with independent lanes: lanes served together are answered together. A core accepts the lanes of
///           one access per cycle, from all its memories. Other answers wait, and their word banks serve no load
template <class WordBanks>
class BasicAnswers {
  using Ports = BasicPorts<WordBanks>;
  using Request = BasicRequest<WordBanks>;

 public:
  BasicAnswers(Ports& ports, BasicBanks<WordBanks>& banks, std::size_t cores)
      : ports_(ports), banks_(banks), waiting_(cores) {}

  /// `lanes` of a request, or all of it (0), have been served in cycle `now`.
  void plan(unsigned source, const Request& request, std::uint32_t lanes, base::Cycle now) {
    planned_.schedule(now, now + ports_[source].latency[request.direction], {request.payload, source, lanes});
    if (lanes != 0) ++lanes_planned_;
  }
  /// Sends the answers due in cycle `now`; call in each cycle that next() returns. Sets the blocked banks of this
  /// cycle.
  void send(base::Cycle now) {
    planned_.take_due(now, [this, now](const Response& response) {
      if (response.lanes == 0 || is_last(response, now))
        return ports_.respond(response.source, *response.payload);
      waiting_[response.source - ports_.first_core].add(
          {response.payload, protocol::access_of(*response.payload), response.lanes});
      sources_ |= bit(response.source);
    });
    if (sources_ != 0) send_lanes(now);
    else banks_.block(0);
  }
  /// True if lanes are answered in cycle `now`.
  bool has_lanes(base::Cycle now) const {
    return sources_ != 0 || (lanes_planned_ != 0 && planned_.next(now - 1) == now);
  }
  /// The next cycle after `now` with an answer, or kNever.
  base::Cycle next(base::Cycle now) const { return sources_ != 0 ? now + 1 : planned_.next(now); }
  bool empty() const { return planned_.empty() && sources_ == 0; }
  /// Number of services whose latency has not elapsed.
  std::size_t planned() const { return planned_.size(); }
  void reset() {
    planned_.clear();
    for (LaneAnswers& waiting : waiting_) waiting.clear();
    sources_ = 0;
    lanes_planned_ = 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(planned_, waiting_, sources_, lanes_planned_);
  }

 private:
  /// True in the usual case: all lanes of an access have been served together, and no other answer is pending.
  bool is_last(const Response& response, base::Cycle now) {
    --lanes_planned_;
    if ((response.lanes & 1) == 0 || (sources_ & bit(response.source)) != 0) return false;
    const protocol::WarpAccess& access = *protocol::access_of(*response.payload);
    if (access.unanswered != response.lanes || access.wires->answered == now) return false;
    access.wires->answered = now;
    return true;
  }
  void send_lanes(base::Cycle now);

  Ports& ports_;
  BasicBanks<WordBanks>& banks_;
  base::Calendar<Response> planned_;
  std::vector<LaneAnswers> waiting_;  // by core
  Sources sources_ = 0;  // ports of cores with waiting lanes
  std::size_t lanes_planned_ = 0;  // entries of planned_ with lanes
};

}  // namespace spica::shared_memory
