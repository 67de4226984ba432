// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/systolic_array.h"

#include <algorithm>
#include <ostream>

namespace spica::matrix_unit {

SystolicArray::SystolicArray(const MatrixUnitParams& p)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      row_bytes_(p.row_bytes()),
      element_(p.element_bytes()),
      rows_ahead_(static_cast<std::uint32_t>(p.operand_rows)),
      burst_rows_(rows_ahead_ < kWorthABurst ? 1 : std::min(dim_, rows_ahead_ / 2)),
      latency_(p.array_latency()),
      multiplier_(p),
      pending_(p.execute_queue),
      passes_(kPasses, Pass(p)),
      // A result needs a slot for latency_ cycles and at most one enters per DIM cycles.
      draining_(p.array_latency() / p.dim + 2),
      numbers_(BlockMultiplier::numbers_of(p)),
      partial_(draining_.capacity() * numbers_) {}

void SystolicArray::reset() {
  pending_.clear();
  draining_.clear();
  first_ = passes_used_ = 0;
  step_ = 0;
  step_cycle_ = 0;
  pass_end_ = base::kNever;
  reader_a_ = reader_b_ = {};
  multiplier_.reset();
  next_buffer_ = 0;
}

void SystolicArray::open(Side& side, const Pending& next) {
  const BlockWork& work = next.work;
  side.used = true;
  side.row = work.operand_row;
  side.rows = work.operand_rows();
  side.bytes = work.columns * element_;
  side.arrived = ~std::uint32_t{0} << side.rows;
  side.entry = next.entry;
  if (next.compute || side.rows != 0) side.block.begin(side.rows, side.bytes);
}

void SystolicArray::open_pass(base::Cycle now) {
  Pass& pass = passes_[slot(passes_used_)];
  Side &a = pass.sides[kA], &b = pass.sides[kB];
  for (Side& side : pass.sides) {
    side.used = false;
    side.arrived = ~std::uint32_t{0};
    side.lead = 0;
  }
  if (pending_.front().compute) {
    open(a, pending_.front());
    pass.compute = pending_.front().work;
    pending_.drop();
  }
  if (!pending_.empty() && !pending_.front().compute) {
    open(b, pending_.front());
    pass.preload = pending_.front().work;
    pending_.drop();
  }
  // A preload that keeps the weights has nothing to move in: it only takes its turn.
  pass.steps = a.used || b.rows != 0 ? dim_ : 1;
  if (++passes_used_ == 1) {
    step_cycle_ = std::max(step_cycle_, now);
    advance();
  }
  skip_done(reader_a_, kA);
  skip_done(reader_b_, kB);
}

/// Advances a port to the next pass with rows to read.
void SystolicArray::skip_done(Reader& reader, Operand operand) {
  while (reader.pass < passes_used_) {
    const Side& side = passes_[slot(reader.pass)].sides[operand];
    if (side.used && reader.row < side.rows) return;
    ++reader.pass;
    reader.row = 0;
  }
}

bool SystolicArray::next(Reader& reader, Operand operand, base::Cycle now, Read& out) {
  if (reader.pass >= passes_used_ || now < reader.free) return false;
  const Side& oldest = passes_[first_].sides[operand];
  const std::uint32_t taken = oldest.used ? std::min(entered(now), oldest.rows) : 0;
  const std::uint32_t ahead = reader.ahead - taken;
  if (ahead >= rows_ahead_) {
    reader.one_by_one = true;
    return false;
  }
  if (ahead < burst_rows_) reader.one_by_one = false;
  const unsigned at = slot(reader.pass);
  const Side& side = passes_[at].sides[operand];
  std::uint32_t rows = 1;
  if (!reader.one_by_one && side.bytes == row_bytes_)
    rows = std::min({burst_rows_, side.rows - reader.row, rows_ahead_ - ahead});
  out = {side.row + reader.row, rows, rows * side.bytes, at << 8 | reader.row};
  return true;
}

void SystolicArray::sent(Reader& reader, Operand operand, base::Cycle now, const Read& read) {
  reader.row += read.rows;
  reader.ahead += read.rows;
  reader.free = now + read.rows;
  skip_done(reader, operand);
}

void SystolicArray::arrived(Operand operand, base::Cycle now, std::uint32_t tag, std::uint32_t rows,
                            const unsigned char* data) {
  const unsigned at = tag >> 8;
  Side& side = passes_[at].sides[operand];
  const std::uint32_t row = tag & 0xFF;
  side.block.put(row, rows, data);
  for (std::uint32_t i = 0; i < rows; ++i) side.arrival[row + i] = now - (rows - 1 - i);
  side.arrived |= ((1u << rows) - 1) << row;
  side.lead = std::max(side.lead, now + kMaxDim - (rows - 1) - row);
  if (at == first_) advance();
}

/// Determines the cycles of the steps of the oldest pass whose rows have arrived.
void SystolicArray::advance() {
  const Pass& pass = passes_[first_];
  const Side &a = pass.sides[kA], &b = pass.sides[kB];
  const std::uint32_t missing = ~(a.arrived & b.arrived) & ~(~std::uint32_t{0} << pass.steps);
  if (missing == 0) {  // a step per cycle from now on, or from the row on that came last in this sense
    step_cycle_ =
        std::max(step_cycle_ + (pass.steps - step_) + kMaxDim, std::max(a.lead, b.lead) + pass.steps - 1) -
        kMaxDim;
    step_ = pass.steps;
    pass_end_ = step_cycle_;
    return;
  }
  for (; (missing >> step_ & 1) == 0; ++step_)
    step_cycle_ = std::max({step_cycle_ + 1, a.arrival[step_], b.arrival[step_]});
}

SystolicArray::Finished SystolicArray::close_pass(base::Cycle now, std::vector<unsigned>& done) {
  Pass& pass = passes_[first_];
  const Side &a = pass.sides[kA], &b = pass.sides[kB];
  if (a.used) reader_a_.ahead -= a.rows;
  if (b.used) reader_b_.ahead -= b.rows;
  const Finished result{a.used ? Step::kCompute : Step::kPreload, pass.steps};
  finish(pass, now, done);
  step_ = 0;
  pass_end_ = base::kNever;
  first_ = slot(1);
  --passes_used_;
  --reader_a_.pass;
  --reader_b_.pass;
  if (passes_used_ != 0) advance();
  return result;
}

base::Cycle SystolicArray::next_event(base::Cycle now) const {
  base::Cycle next = std::min(next_drain(), pass_end_);
  if (reads_issued()) {
    if (!pending_.empty() && passes_used_ != kPasses) next = std::min(next, std::max(ports_free(), now + 1));
    return next;
  }
  for (const Reader* reader : {&reader_a_, &reader_b_}) {
    if (reader->pass >= passes_used_) continue;
    if (reader->free > now) next = std::min(next, reader->free);
    if (reader->one_by_one && step_cycle_ > now) next = std::min(next, now + 1);
  }
  return next;
}

void SystolicArray::finish(Pass& pass, base::Cycle now, std::vector<unsigned>& done) {
  Side &a = pass.sides[kA], &b = pass.sides[kB];
  if (a.used) {
    float* const sums = &partial_[next_buffer_ * numbers_];
    const BlockWork& work = pass.compute;
    multiplier_.compute(work, a.block, work.has_result ? sums : nullptr);
    draining_.push({now + latency_, a.entry, work.has_result, work.accumulate, work.accumulator_row,
                    work.result_rows, work.result_columns, next_buffer_});
    next_buffer_ = next_buffer_ + 1 == draining_.capacity() ? 0 : next_buffer_ + 1;
  }
  if (b.used) {
    if (b.rows != 0) multiplier_.preload(pass.preload, b.block);
    done.push_back(b.entry);
  }
}

unsigned SystolicArray::drain(base::Cycle now, Accumulator& accumulator, std::vector<unsigned>& done) {
  unsigned rows = 0;
  while (!draining_.empty() && draining_.front().due <= now) {
    const Result result = draining_.pop();
    if (result.has_result) {
      accumulator.add_block(result.row, &partial_[result.buffer * numbers_], result.rows, result.columns,
                            result.accumulate);
      rows += result.rows;
    }
    done.push_back(result.entry);
  }
  return rows;
}

void SystolicArray::dump(std::ostream& out) const {
  out << "  array: " << passes_used_ << " passes under way, " << step_ << " rows of the oldest ready, "
      << draining_.size() << " results on their way, " << pending_.size() << " commands waiting\n";
  if (passes_used_ == 0) return;
  const Pass& pass = passes_[first_];
  for (const Operand operand : {kA, kB}) {
    const Side& side = pass.sides[operand];
    if (side.used)
      out << "    operand " << (operand == kA ? 'A' : 'B') << ": "
          << __builtin_popcount(side.arrived & ~(~std::uint32_t{0} << side.rows)) << " of " << side.rows
          << " rows arrived\n";
  }
}

}  // namespace spica::matrix_unit
