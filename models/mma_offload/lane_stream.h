// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/lane_stream_if.h"

namespace spica::mma_offload {

/// The floating-point lanes of a core with two sources of instructions: the core, and a stream of instructions next to
/// it.
class LaneStream final : public protocol::LaneStreamIf {
 public:
  /// No instruction of either source is in the lanes, or on its way there.
  bool free(base::Cycle now) const { return stream_.end <= now && use_.last <= now; }
  /// From cycle `begin` on, `count` instructions of all lanes, one every `interval` cycles. The core's own ones go in
  /// between where there is room, else they wait.
  void stream(base::Cycle begin, unsigned count, unsigned interval) {
    stream_ = {begin, begin + base::Cycle{count} * interval, interval};
  }

  // protocol::LaneStreamIf
  bool fits(base::Cycle now, base::Cycle cycles) const override {
    if (stream_.end <= now) return true;
    if (now < stream_.begin) return now + cycles <= stream_.begin;
    const base::Cycle place = (now - stream_.begin) % stream_.interval;
    return place >= cycles && place + cycles <= stream_.interval;
  }
  void use(base::Cycle now, base::Cycle cycles) override {
    if (use_.cycles == 0 && use_.last == 0) use_.first = now;
    if (stream_.end <= now || now < stream_.begin) use_.cycles += cycles;
    use_.last = now + cycles;
  }

  /// What the core itself has done with the lanes.
  struct Use {
    base::Cycle cycles = 0;  // with an instruction in them, and no stream under way
    base::Cycle first = 0, last = 0;  // of these
  };
  const Use& own_use() const { return use_; }

  void reset() { stream_ = {}; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(stream_, use_);
  }

 private:
  struct Stream {
    base::Cycle begin = 0, end = 0, interval = 1;
  };
  Stream stream_;
  Use use_;
};

}  // namespace spica::mma_offload
