// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/cycle_ring.h"
#include "models/base/hot_inline.h"
#include "models/cache/cache_params.h"
#include "models/protocol/payload/request_info.h"

namespace spica::cache {

/// The path from the banks to the ports. A bank plans at most one response per cycle, each `hit_latency` cycles ahead.
/// Responses of a kind leave in order, one per port and cycle, the lowest bank first. A response whose port is taken
/// retries in the next cycle.
class ResponsePath {
 public:
  enum Kind : std::uint8_t { kData, kAck };

  explicit ResponsePath(const Params& params);

  /// True if the bank has no place for another response of this kind.
  bool full(unsigned bank, Kind kind) const { return in_flight_[bank][kind] == capacity_[kind]; }
  /// Number of responses of this kind that the bank has planned and not sent.
  std::size_t size(unsigned bank, Kind kind) const { return in_flight_[bank][kind]; }
  bool empty(unsigned bank) const { return (in_flight_[bank][kData] | in_flight_[bank][kAck]) == 0; }
  /// Plans a response. Requires !full().
  void plan(unsigned bank, Kind kind, protocol::Payload& payload, std::uint32_t port, base::Cycle now) {
    ++in_flight_[bank][kind];
    const base::Cycle due = now + latency_;
    slot(bank, due) = {&payload, port, kind};
    due_.add(due, bank);
  }
  /// Calls `send(bank, port, payload)` for responses sent in cycle `now`. Call in every cycle named by next().
  template <class Send>
  SPICA_HOT_INLINE void deliver(base::Cycle now, Send&& send) {
    std::uint32_t due = due_.take(now);
    if (late_ != 0) return deliver_late(due, now, send);
    PortsUsed used;
    for (; due != 0; due &= due - 1) {
      const auto bank = static_cast<unsigned>(__builtin_ctz(due));
      const Response response = slot(bank, now);
      if (used.has(response.port)) {
        be_late(bank, response);
        continue;
      }
      used.add(response.port);
      --in_flight_[bank][response.kind];
      send(bank, response.port, *response.payload);
    }
  }
  /// The next cycle after `now` in which a response is due, or kNever.
  base::Cycle next(base::Cycle now) const { return late_ != 0 ? now + 1 : due_.next(now + 1); }
  void clear();

  template <class Archive>
  void serialize(Archive& archive) {
    archive(late_, slots_, in_flight_, due_);
    for (ByKind& late : late_of_) archive(late[kData], late[kAck]);
  }

 private:
  struct Response {
    protocol::Payload* payload = nullptr;
    std::uint32_t port = 0;
    Kind kind = kData;
  };
  /// Ports used in a cycle: up to 66, of two coalescers of 32 lanes.
  struct PortsUsed {
    std::uint64_t words[2] = {0, 0};
    bool has(std::uint32_t port) const { return (words[port >> 6] >> (port & 63) & 1) != 0; }
    void add(std::uint32_t port) { words[port >> 6] |= std::uint64_t{1} << (port & 63); }
  };
  using ByKind = std::array<base::BoundedQueue<Response>, 2>;

  Response& slot(unsigned bank, base::Cycle due) { return slots_[bank << slot_shift_ | (due & slot_mask_)]; }
  void be_late(unsigned bank, const Response& response) {
    late_of_[bank][response.kind].push(response);
    late_ |= std::uint32_t{1} << bank;
  }
  template <class Send>
  void deliver_late(std::uint32_t due, base::Cycle now, Send&& send) {
    PortsUsed used;
    for (std::uint32_t rest = due | late_; rest != 0; rest &= rest - 1) {
      const auto bank = static_cast<unsigned>(__builtin_ctz(rest));
      if ((due >> bank & 1) != 0) be_late(bank, slot(bank, now));  // after those that are late already
      for (const Kind kind : {kData, kAck}) {
        base::BoundedQueue<Response>& late = late_of_[bank][kind];
        if (late.empty() || used.has(late.front().port)) continue;
        const Response response = late.pop();
        used.add(response.port);
        --in_flight_[bank][kind];
        send(bank, response.port, *response.payload);
      }
      if (late_of_[bank][kData].empty() && late_of_[bank][kAck].empty()) late_ &= ~(std::uint32_t{1} << bank);
    }
  }

  const base::Cycle latency_;
  const std::uint32_t slot_shift_, slot_mask_;  // of the slots of a bank
  const std::array<std::uint32_t, 2> capacity_;  // by Kind
  std::uint32_t late_ = 0;  // banks with late responses
  std::vector<Response> slots_;  // [bank][cycle & slot_mask_]
  std::array<std::array<std::uint32_t, 2>, 32> in_flight_{};  // by bank and Kind
  std::vector<ByKind> late_of_;  // by bank
  base::DueCalendar<std::uint32_t> due_;
};

}  // namespace spica::cache
