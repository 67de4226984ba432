// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/coalescer/coalescer_params.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::coalescer {

/// Which ports to the cache can accept a request: one port per lane, the last one for lines.
class RequestPorts {
 public:
  explicit RequestPorts(const Params& params) : params_(params), line_(static_cast<unsigned>(params.lanes)) {
    clear();
  }

  unsigned line() const { return line_; }
  /// True if the port has no free id.
  bool without_id(unsigned port) const { return (without_id_ >> port & 1) != 0; }
  bool held(unsigned port) const { return (held_ >> port & 1) != 0; }
  bool any_without_id(std::uint32_t lanes) const { return (without_id_ & lanes) != 0; }
  /// Those of `lanes` whose ports can accept a request.
  std::uint32_t open(std::uint32_t lanes) const {
    return lanes & ~static_cast<std::uint32_t>(without_id_ | held_);
  }
  /// True if the port for lines can.
  bool line_open() const { return ((without_id_ | held_) >> line_ & 1) == 0; }
  /// Records a request.
  void take(unsigned port) {
    if (--ids_[port] == 0) without_id_ |= bit(port);
  }
  /// The cache holds the request until release().
  void hold(unsigned port) { held_ |= bit(port); }
  void release(unsigned port) { held_ &= ~bit(port); }
  /// Records an answered request.
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
  std::array<std::uint16_t, protocol::kMaxLanes + 1> ids_{};  // free ids
};

}  // namespace spica::coalescer
