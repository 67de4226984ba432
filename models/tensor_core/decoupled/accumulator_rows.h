// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/types.h"
#include "models/protocol/ports/tensor_if.h"

namespace spica::tensor_core {

/// Accumulator rows read from the register file and not yet used. The units take them in pairs: the two substeps of a
/// step.
class AccumulatorRows {
 public:
  static constexpr unsigned kMost = 16;

  /// Holds at most `rows` rows; a pair can be used `latency` cycles after its second row was read.
  AccumulatorRows(std::size_t rows, base::Cycle latency)
      : most_(static_cast<unsigned>(rows)), latency_(latency) {}

  /// True if a row can be read. A pair keeps its place until both of its rows are used.
  bool room() const { return read_ - used_ / 2 * 2 < most_; }
  protocol::TensorRow& read(base::Cycle now) {
    cycles_[read_ % kMost] = now;
    return rows_[read_++ % kMost].words;
  }
  bool ready(base::Cycle now) const {
    const unsigned second = used_ | 1;
    return static_cast<int>(read_ - second) > 0 && cycles_[second % kMost] + latency_ <= now;
  }
  protocol::TensorRow& use() { return rows_[used_++ % kMost].words; }

  unsigned held() const { return read_ - used_; }
  void clear() { read_ = used_ = 0; }

  /// Not saved: most_, latency_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(read_, used_, rows_, cycles_);
  }

 private:
  struct alignas(32) Row {
    protocol::TensorRow words;
  };
  unsigned most_;
  base::Cycle latency_;
  unsigned read_ = 0, used_ = 0;  // rows so far; both wrap
  std::array<Row, kMost> rows_{};
  std::array<base::Cycle, kMost> cycles_{};
};

}  // namespace spica::tensor_core
