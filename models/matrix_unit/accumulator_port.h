// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/matrix_unit/accumulator.h"
#include "models/protocol/transport/sockets.h"

namespace spica::matrix_unit {

/// The port through which the DMA reads and writes accumulator rows: each access takes effect and is answered
/// `accumulator_latency` cycles after its arrival.
class AccumulatorPort {
 public:
  AccumulatorPort(const MatrixUnitParams& params, MatrixUnitStats& stats, Accumulator& sums,
                  protocol::TargetPort& socket)
      : params_(params),
        stats_(stats),
        sums_(sums),
        socket_(socket),
        accesses_(params.accumulator_latency + 1) {}

  /// False: no room.
  bool take(protocol::Payload& payload, base::Cycle now) {
    if (accesses_.full()) return false;
    accesses_.push({&payload, now + params_.accumulator_latency});
    return true;
  }
  /// When the next access is due; kNever: there is none.
  base::Cycle due() const { return accesses_.empty() ? base::kNever : accesses_.front().due; }
  /// Serves all accesses that are due.
  void serve(base::Cycle now) {
    while (due() <= now) {
      protocol::Payload& payload = *accesses_.pop().payload;
      access_row(payload, sums_, params_, stats_);
      socket_.respond(payload);
    }
    if (protocol::Payload* held = socket_.held(); held != nullptr && take(*held, now)) socket_.take_held();
  }
  std::size_t waiting() const { return accesses_.size(); }
  void reset() {
    accesses_.clear();
    socket_.reset();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(accesses_);
  }

 private:
  struct Access {
    protocol::Payload* payload;
    base::Cycle due;
  };
  const MatrixUnitParams& params_;
  MatrixUnitStats& stats_;
  Accumulator& sums_;
  protocol::TargetPort& socket_;
  base::BoundedQueue<Access> accesses_;
};

}  // namespace spica::matrix_unit
