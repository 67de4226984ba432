// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/matrix_unit/accumulator.h"
#include "models/matrix_unit/block_multiplier.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The execute controller and its weight-stationary array.
///
/// Work arrives as preloads (weights B) and computes (rows of A) and is divided into passes of DIM steps. A pass is a
/// compute, a preload, or a compute together with the following preload, whose weights move in while the compute runs.
/// One step per cycle takes one row of each; a row that has not arrived delays both.
///
///   reads     next_a(), next_b(): at most one row per port and cycle, up to `operand_rows` ahead. Consecutive rows are
///             requested in bursts; a burst of n rows occupies the port for n cycles
///   data      arrived_a(), arrived_b(), in any order; the rows of a burst count as arrived one per cycle up to the
///             cycle of the response
///   results   array_latency() cycles after the last step of a compute, in order
///
/// The cycle of each step follows from the arrival cycles of the rows, so the array is called only in the cycles given
/// by next_event(), not for every step. Results of a whole pass are computed at its last step (array_kernels.h).
class SystolicArray {
 public:
  struct Read {
    std::uint32_t row;  // of shared memory
    std::uint32_t rows;  // consecutive
    std::uint32_t bytes;  // bytes of all these rows
    std::uint32_t tag;  // to be returned with the data
  };
  enum class Step : std::uint8_t { kNone, kPreload, kCompute };
  /// A finished pass: the kind and number of its steps, the last of them in this cycle.
  struct Finished {
    Step step = Step::kNone;
    std::uint32_t steps = 0;
  };

  explicit SystolicArray(const MatrixUnitParams& params);

  bool can_push() const { return !pending_.full(); }
  /// A preload or compute from the reservation station; `entry` is returned when it is complete.
  void push(const UnitCommand& command, unsigned entry) {
    pending_.push({command, command.kind == UnitCommand::Kind::kCompute, entry});
  }

  /// Starts the next pass if possible; true if it did. Call before next_a() and next_b().
  bool start_pass(base::Cycle now) {
    if (pending_.empty() || passes_used_ == kPasses || !reads_issued() || now < ports_free()) return false;
    open_pass(now);
    return true;
  }
  /// False if neither port has a read in cycle `now`.
  bool may_read(base::Cycle now) const {
    return (reader_a_.pass < passes_used_ && reader_a_.free <= now) ||
           (reader_b_.pass < passes_used_ && reader_b_.free <= now);
  }
  /// The next read of a port in cycle `now`; false: none. Call sent_a() or sent_b() when it has been sent.
  bool next_a(base::Cycle now, Read& out) { return next(reader_a_, kA, now, out); }
  bool next_b(base::Cycle now, Read& out) { return next(reader_b_, kB, now, out); }
  void sent_a(base::Cycle now, const Read& read) { sent(reader_a_, kA, now, read); }
  void sent_b(base::Cycle now, const Read& read) { sent(reader_b_, kB, now, read); }
  /// The `rows` rows of a read have arrived, the last of them in `now`.
  void arrived_a(base::Cycle now, std::uint32_t tag, std::uint32_t rows, const unsigned char* data) {
    arrived(kA, now, tag, rows, data);
  }
  void arrived_b(base::Cycle now, std::uint32_t tag, std::uint32_t rows, const unsigned char* data) {
    arrived(kB, now, tag, rows, data);
  }

  /// Ends the oldest pass if its last step is in cycle `now`. Entries of commands that need no
  /// result (preloads) are appended to `done`.
  Finished finish_pass(base::Cycle now, std::vector<unsigned>& done) {
    return pass_end_ <= now ? close_pass(now, done) : Finished{};
  }
  /// Adds the results due in cycle `now` to the accumulator; entries of their computes are appended to `done`. Returns
  /// the accumulator rows written.
  unsigned drain(base::Cycle now, Accumulator& accumulator, std::vector<unsigned>& done);
  /// The multiplier, with its weights.
  BlockMultiplier& multiplier() { return multiplier_; }
  base::Cycle pass_end() const { return pass_end_; }
  /// Cycle of the next result, or kNever.
  base::Cycle next_drain() const { return draining_.empty() ? base::kNever : draining_.front().due; }
  /// The next cycle after `now` with something to do if no row arrives and no socket becomes ready. Call after
  /// finish_pass() and drain().
  base::Cycle next_event(base::Cycle now) const;

  /// True if a port must wait until rows have entered the array.
  bool reads_held_up() const {
    return (reader_a_.one_by_one && reader_a_.pass < passes_used_) ||
           (reader_b_.one_by_one && reader_b_.pass < passes_used_);
  }

  bool feeding() const { return passes_used_ != 0; }
  bool draining() const { return !draining_.empty(); }
  bool waiting() const { return !pending_.empty(); }
  bool idle() const { return !feeding() && !draining() && !waiting(); }
  void reset();
  void dump(std::ostream& out) const;
  /// Not saved: multiplier_, which is saved with the program-visible state.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pending_, first_, passes_used_, step_, step_cycle_, pass_end_, reader_a_, reader_b_, draining_,
            partial_, next_buffer_);
    for (Pass& pass : passes_) archive(pass);
  }

 private:
  static constexpr std::uint32_t kMaxDim = 32;
  enum Operand : unsigned { kA, kB };
  struct Pending {
    BlockWork work;
    bool compute = false;  // false: a preload
    unsigned entry = 0;
  };
  struct Side {  // one operand of a pass
    explicit Side(const MatrixUnitParams& params) : block(params) {}
    bool used = false;
    std::uint32_t row = 0;  // first row in shared memory
    std::uint32_t rows = 0;  // rows to read
    std::uint32_t bytes = 0;  // valid bytes of a row; the rest is zero
    // Rows not to be waited for, one bit each: they have arrived, or do not exist.
    std::uint32_t arrived = 0;
    // Rows that do not exist keep the value of an earlier pass, which delays nothing.
    std::array<base::Cycle, kMaxDim> arrival{};
    base::Cycle lead = 0;  // latest arrival - row, + kMaxDim; 0: none has arrived
    unsigned entry = 0;
    OperandBlock block;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(used, row, rows, bytes, arrived, arrival, lead, entry, block);
    }
  };
  struct Pass {
    explicit Pass(const MatrixUnitParams& params) : sides{{Side(params), Side(params)}} {}
    std::array<Side, 2> sides;
    std::uint32_t steps = 0;
    BlockWork compute, preload;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(sides[kA], sides[kB], steps, compute, preload);
    }
  };
  struct Result {
    base::Cycle due = 0;
    unsigned entry = 0;
    bool has_result = false, accumulate = false;
    std::uint32_t row = 0, rows = 0, columns = 0;
    unsigned buffer = 0;
  };
  struct Reader {
    unsigned pass = 0;  // passes handed to this port since the oldest in use
    std::uint32_t row = 0;  // next row of that pass
    std::uint32_t ahead = 0;  // rows read for passes that are not over
    base::Cycle free = 0;  // first cycle in which the next read may start
    bool one_by_one = false;  // `operand_rows` delayed it: no bursts until it has caught up
  };

  bool next(Reader& reader, Operand operand, base::Cycle now, Read& out);
  void sent(Reader& reader, Operand operand, base::Cycle now, const Read& read);
  void skip_done(Reader& reader, Operand operand);
  void arrived(Operand operand, base::Cycle now, std::uint32_t tag, std::uint32_t rows,
               const unsigned char* data);
  bool reads_issued() const { return reader_a_.pass == passes_used_ && reader_b_.pass == passes_used_; }
  base::Cycle ports_free() const { return std::max(reader_a_.free, reader_b_.free); }
  /// Rows of the oldest pass that have entered the array up to cycle `now`.
  std::uint32_t entered(base::Cycle now) const {
    const base::Cycle later = step_cycle_ > now ? step_cycle_ - now : 0;
    return later < step_ ? step_ - static_cast<std::uint32_t>(later) : 0;
  }
  void advance();
  void open_pass(base::Cycle now);
  Finished close_pass(base::Cycle now, std::vector<unsigned>& done);
  void open(Side& side, const Pending& work);
  void finish(Pass& pass, base::Cycle now, std::vector<unsigned>& done);
  unsigned slot(unsigned offset) const { return (first_ + offset) % kPasses; }

  static constexpr std::uint32_t kWorthABurst = 16;  // number of rows ahead from which bursts cost no time
  static constexpr unsigned kPasses = 8;  // maximum in progress at a time; reads run less than this ahead
  const std::uint32_t dim_, row_bytes_, element_, rows_ahead_, burst_rows_;
  const base::Cycle latency_;
  BlockMultiplier multiplier_;
  base::BoundedQueue<Pending> pending_;
  std::vector<Pass> passes_;
  unsigned first_ = 0, passes_used_ = 0;
  std::uint32_t step_ = 0;  // steps of the oldest pass whose cycle is known
  base::Cycle step_cycle_ = 0;  // cycle of the last of these, or one before the earliest first one
  base::Cycle pass_end_ = base::kNever;  // step_cycle_ when all steps are known
  Reader reader_a_, reader_b_;
  base::BoundedQueue<Result> draining_;
  const std::size_t numbers_;  // of a result
  std::vector<float> partial_;  // one block per result in progress
  unsigned next_buffer_ = 0;
};

}  // namespace spica::matrix_unit
