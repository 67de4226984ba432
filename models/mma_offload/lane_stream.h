// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/ports/lane_stream_if.h"

namespace spica::mma_offload {

/// The floating-point lanes of a core with two sources of instructions: the core, and a stream of instructions from a
/// second block.
class LaneStream final : public protocol::LaneStreamIf {
 public:
  /// True if no instruction of either source is in the lanes or on its way there.
  bool free(base::Cycle now) const { return stream_.end <= now && use_.last <= now; }
  /// From cycle `begin` on, `count` instructions of all lanes, one every `interval` cycles. Instructions of the core
  /// are interleaved where there is room, and otherwise wait.
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

  /// The core's own use of the lanes.
  struct Use {
    base::Cycle cycles = 0;  // cycles with an instruction of the core in the lanes, and no stream
    base::Cycle first = 0, last = 0;  // first and last of these
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
