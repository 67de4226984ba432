// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/coalescer/coalescer_params.h"
#include "models/protocol/warp_access.h"

namespace spica::coalescer {

/// Which ports towards the cache can take a request: one for each lane, the last for lines.
class RequestPorts {
 public:
  explicit RequestPorts(const Params& params) : params_(params), line_(static_cast<unsigned>(params.lanes)) {
    clear();
  }

  unsigned line() const { return line_; }
  /// The port has no free id; the cache holds its last request.
  bool without_id(unsigned port) const { return (without_id_ >> port & 1) != 0; }
  bool held(unsigned port) const { return (held_ >> port & 1) != 0; }
  bool any_without_id(std::uint32_t lanes) const { return (without_id_ & lanes) != 0; }
  /// Those of `lanes` whose ports can take a request.
  std::uint32_t open(std::uint32_t lanes) const {
    return lanes & ~static_cast<std::uint32_t>(without_id_ | held_);
  }
  /// The port of lines can.
  bool line_open() const { return ((without_id_ | held_) >> line_ & 1) == 0; }
  /// A request leaves.
  void take(unsigned port) {
    if (--ids_[port] == 0) without_id_ |= bit(port);
  }
  /// The cache holds it until release().
  void hold(unsigned port) { held_ |= bit(port); }
  void release(unsigned port) { held_ &= ~bit(port); }
  /// A request has been answered.
  void give_back(unsigned port) {
    ++ids_[port];
    without_id_ &= ~bit(port);
  }
  void clear() {
    ids_.fill(static_cast<std::uint16_t>(params_.lane_ids));
    ids_[line_] = static_cast<std::uint16_t>(params_.line_ids);
    without_id_ = held_ = 0;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(without_id_, held_, ids_);
  }

 private:
  static std::uint64_t bit(unsigned port) { return std::uint64_t{1} << port; }

  const Params params_;
  const unsigned line_;
  std::uint64_t without_id_ = 0, held_ = 0;  // a bit per port
  std::array<std::uint16_t, protocol::kMaxLanes + 1> ids_{};  // free ones
};

}  // namespace spica::coalescer
