// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/systolic_array.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <ostream>

namespace spica::matrix_unit {

SystolicArray::SystolicArray(const MatrixUnitParams& p)
    : dim_(static_cast<std::uint32_t>(p.dim)),
      row_bytes_(p.row_bytes()),
      element_(p.element_bytes()),
      rows_ahead_(static_cast<std::uint32_t>(p.operand_rows)),
      latency_(p.array_latency()),
      kernels_(array_kernels(static_cast<unsigned>(p.dim), p.operand)),
      pending_(p.execute_queue),
      passes_(kPasses),
      // A result needs a slot for latency_ cycles and at most one enters per DIM cycles.
      draining_(p.array_latency() / p.dim + 2),
      partial_(draining_.capacity() * p.dim * p.dim) {
  for (Pass& pass : passes_)
    for (Side& side : pass.sides) side.data.resize(std::size_t{dim_} * row_bytes_);
  for (auto& weights : weights_) weights.resize(std::size_t{dim_} * row_bytes_);
}

void SystolicArray::reset() {
  pending_.clear();
  draining_.clear();
  first_ = passes_used_ = 0;
  step_ = 0;
  reader_a_ = reader_b_ = {};
  for (auto& weights : weights_)
    std::fill(weights.begin(), weights.end(), static_cast<unsigned char>(0));
  active_ = 0;
  next_buffer_ = 0;
}

void SystolicArray::open(Side& side, const Pending& work) {
  const UnitCommand& c = work.command;
  side.used = true;
  side.row = c.operand_row;
  side.rows = c.has_operand ? c.rows : 0;
  side.bytes = c.columns * element_;
  side.arrived = 0;
  side.entry = work.entry;
  // Rows and columns that do not exist count as zero.
  if (side.rows < dim_ || side.bytes < row_bytes_)
    std::fill(side.data.begin(), side.data.end(), static_cast<unsigned char>(0));
}

void SystolicArray::start_passes() {
  if (pending_.empty() || passes_used_ == kPasses || !reads_issued()) return;
  Pass& pass = passes_[slot(passes_used_)];
  pass.sides[kA].used = pass.sides[kB].used = false;
  if (pending_.front().command.kind == UnitCommand::Kind::kCompute) {
    const Pending work = pending_.pop();
    open(pass.sides[kA], work);
    pass.flip = work.command.flip;
    pass.has_result = work.command.has_result;
    pass.accumulate = work.command.accumulate;
    pass.result_row = work.command.accumulator_row;
    pass.result_rows = work.command.has_operand ? work.command.rows : dim_;
  }
  if (!pending_.empty() && pending_.front().command.kind == UnitCommand::Kind::kPreload)
    open(pass.sides[kB], pending_.pop());
  ++passes_used_;
  skip_done(reader_a_, kA);
  skip_done(reader_b_, kB);
}

/// Moves a port on to the next pass that has rows to read.
void SystolicArray::skip_done(Reader& reader, Operand operand) {
  while (reader.pass < passes_used_) {
    const Side& side = passes_[slot(reader.pass)].sides[operand];
    if (side.used && reader.row < side.rows) return;
    ++reader.pass;
    reader.row = 0;
  }
}

bool SystolicArray::next(const Reader& reader, Operand operand, Read& out) const {
  if (reader.pass >= passes_used_ || reader.ahead >= rows_ahead_) return false;
  const unsigned at = slot(reader.pass);
  const Side& side = passes_[at].sides[operand];
  out = {side.row + reader.row, side.bytes, at << 8 | reader.row};
  return true;
}

void SystolicArray::sent(Reader& reader) {
  ++reader.row;
  ++reader.ahead;
  skip_done(reader, &reader == &reader_a_ ? kA : kB);
}

void SystolicArray::arrived(Operand operand, std::uint32_t tag, const unsigned char* data) {
  Side& side = passes_[tag >> 8].sides[operand];
  const std::uint32_t row = tag & 0xFF;
  std::memcpy(&side.data[row * row_bytes_], data, side.bytes);
  side.arrived |= 1u << row;
}

SystolicArray::Step SystolicArray::step(base::Cycle now, std::vector<unsigned>& done) {
  if (passes_used_ == 0) return Step::kNone;
  Pass& pass = passes_[first_];
  Side &a = pass.sides[kA], &b = pass.sides[kB];
  const bool row_a = a.used && step_ < a.rows, row_b = b.used && step_ < b.rows;
  if ((row_a && (a.arrived >> step_ & 1) == 0) || (row_b && (b.arrived >> step_ & 1) == 0))
    return Step::kNone;
  if (row_a) --reader_a_.ahead;
  if (row_b) --reader_b_.ahead;
  // A preload that keeps the weights has nothing to move in and takes no time of its own.
  const bool moves = a.used || b.rows != 0;
  if (moves && ++step_ < dim_) return a.used ? Step::kCompute : Step::kPreload;
  const Step result = a.used ? Step::kCompute : Step::kPreload;
  finish(pass, now, done);
  step_ = 0;
  first_ = slot(1);
  --passes_used_;
  --reader_a_.pass;
  --reader_b_.pass;
  return result;
}

void SystolicArray::finish(Pass& pass, base::Cycle now, std::vector<unsigned>& done) {
  Side &a = pass.sides[kA], &b = pass.sides[kB];
  if (a.used) {
    if (pass.flip) active_ ^= 1;
    if (pass.has_result) {
      kernels_.multiply(a.data.data(), weights_[active_].data(),
                        &partial_[std::size_t{next_buffer_} * dim_ * dim_]);
    }
    draining_.push({now + latency_, a.entry, pass.has_result, pass.accumulate, pass.result_row,
                    pass.result_rows, next_buffer_});
    next_buffer_ = next_buffer_ + 1 == draining_.capacity() ? 0 : next_buffer_ + 1;
  }
  if (b.used) {
    if (b.rows != 0) std::swap(weights_[active_ ^ 1], b.data);
    done.push_back(b.entry);
  }
}

unsigned SystolicArray::drain(base::Cycle now, Accumulator& accumulator,
                              std::vector<unsigned>& done) {
  unsigned rows = 0;
  while (!draining_.empty() && draining_.front().due <= now) {
    const Result result = draining_.pop();
    if (result.has_result) {
      accumulator.add_block(result.row, &partial_[std::size_t{result.buffer} * dim_ * dim_],
                            result.rows, result.accumulate);
      rows += result.rows;
    }
    done.push_back(result.entry);
  }
  return rows;
}

void SystolicArray::dump(std::ostream& out) const {
  out << "  array: " << passes_used_ << " passes under way, step " << step_ << " of the oldest, "
      << draining_.size() << " results on their way, " << pending_.size() << " commands waiting\n";
  if (passes_used_ == 0) return;
  const Pass& pass = passes_[first_];
  for (const Operand operand : {kA, kB}) {
    const Side& side = pass.sides[operand];
    if (side.used)
      out << "    operand " << (operand == kA ? 'A' : 'B') << ": "
          << __builtin_popcount(side.arrived) << " of " << side.rows << " rows arrived\n";
  }
}

}  // namespace spica::matrix_unit
