// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/matrix_unit/accumulator.h"
#include "models/matrix_unit/array_kernels.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The execute controller and the weight-stationary array behind it.
///
/// Work comes as preloads (weights B) and computes (rows of A) and is cut into passes of DIM steps.
/// A pass is a compute, a preload, or a compute together with the preload behind it, whose weights
/// move in while the compute runs. One step per cycle takes one row of each; a row that has not
/// arrived holds both up.
///
///   reads     next_a(), next_b(): at most one row per port and cycle, up to `operand_rows` ahead
///   data      arrived_a(), arrived_b(), in any order
///   results   array_latency() cycles after the last step of a compute, in order
///
/// Numbers are computed for the whole pass when its last step is done (array_kernels.h).
class SystolicArray {
 public:
  struct Read {
    std::uint32_t row;  // of shared memory
    std::uint32_t bytes;
    std::uint32_t tag;  // to be given back with the data
  };
  enum class Step : std::uint8_t { kNone, kPreload, kCompute };

  explicit SystolicArray(const MatrixUnitParams& params);

  bool can_push() const { return !pending_.full(); }
  /// A preload or compute from the reservation station; `entry` comes back when it is complete.
  void push(const UnitCommand& command, unsigned entry) { pending_.push({command, entry}); }

  /// Starts passes whose turn it is. Call once per cycle before next_a() and next_b().
  void start_passes();
  bool next_a(Read& out) const { return next(reader_a_, kA, out); }
  bool next_b(Read& out) const { return next(reader_b_, kB, out); }
  void sent_a() { sent(reader_a_); }
  void sent_b() { sent(reader_b_); }
  void arrived_a(std::uint32_t tag, const unsigned char* data) { arrived(kA, tag, data); }
  void arrived_b(std::uint32_t tag, const unsigned char* data) { arrived(kB, tag, data); }

  /// One cycle of the array: takes a row of each operand if both are there. Entries of commands
  /// that need no result (preloads) are appended to `done`.
  Step step(base::Cycle now, std::vector<unsigned>& done);
  /// Adds the results due in cycle `now` to the accumulator; entries of their computes go to
  /// `done`. Returns the accumulator rows written.
  unsigned drain(base::Cycle now, Accumulator& accumulator, std::vector<unsigned>& done);
  /// Cycle of the next result, or kNever.
  base::Cycle next_drain() const {
    return draining_.empty() ? base::kNever : draining_.front().due;
  }

  bool feeding() const { return passes_used_ != 0; }
  bool draining() const { return !draining_.empty(); }
  bool waiting() const { return !pending_.empty(); }
  bool idle() const { return !feeding() && !draining() && !waiting(); }
  void reset();
  void dump(std::ostream& out) const;

 private:
  enum Operand : unsigned { kA, kB };
  struct Pending {
    UnitCommand command;
    unsigned entry = 0;
  };
  struct Side {  // one operand of a pass
    bool used = false;
    std::uint32_t row = 0;      // first row in shared memory
    std::uint32_t rows = 0;     // rows to read
    std::uint32_t bytes = 0;    // of a row that count, the rest is zero
    std::uint32_t arrived = 0;  // one bit per row
    unsigned entry = 0;
    std::vector<unsigned char> data;  // DIM rows
  };
  struct Pass {
    Side sides[2];
    bool flip = false, has_result = false, accumulate = false;
    std::uint32_t result_row = 0, result_rows = 0;
  };
  struct Result {
    base::Cycle due = 0;
    unsigned entry = 0;
    bool has_result = false, accumulate = false;
    std::uint32_t row = 0, rows = 0;
    unsigned buffer = 0;
  };
  struct Reader {
    unsigned pass = 0;        // passes handed to this port since the oldest in use
    std::uint32_t row = 0;    // next row of that pass
    std::uint32_t ahead = 0;  // rows read and not taken by the array
  };

  bool next(const Reader& reader, Operand operand, Read& out) const;
  void sent(Reader& reader);
  void skip_done(Reader& reader, Operand operand);
  void arrived(Operand operand, std::uint32_t tag, const unsigned char* data);
  bool reads_issued() const {
    return reader_a_.pass == passes_used_ && reader_b_.pass == passes_used_;
  }
  void open(Side& side, const Pending& work);
  void finish(Pass& pass, base::Cycle now, std::vector<unsigned>& done);
  unsigned slot(unsigned offset) const { return (first_ + offset) % kPasses; }

  static constexpr unsigned kPasses = 8;  // under way at a time; reads run less than this ahead
  const std::uint32_t dim_, row_bytes_, element_, rows_ahead_;
  const base::Cycle latency_;
  const ArrayKernels& kernels_;
  base::BoundedQueue<Pending> pending_;
  std::vector<Pass> passes_;
  unsigned first_ = 0, passes_used_ = 0;
  std::uint32_t step_ = 0;  // of the oldest pass
  Reader reader_a_, reader_b_;
  std::vector<unsigned char> weights_[2];  // in use, and preloaded
  unsigned active_ = 0;
  base::BoundedQueue<Result> draining_;
  std::vector<float> partial_;  // one block per result under way
  unsigned next_buffer_ = 0;
};

}  // namespace spica::matrix_unit
