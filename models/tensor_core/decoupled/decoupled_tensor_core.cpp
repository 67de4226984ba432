// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/decoupled/decoupled_tensor_core.h"

#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

namespace spica::tensor_core {

namespace {

/// More than the buffers of a reasonable unit can hold operands of; when they hold more, the front end
/// waits.
constexpr std::size_t kMostBegun = 8;

}  // namespace

DecoupledTensorCore::DecoupledTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                                         const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      arithmetic_(params),
      row_macs_(params.macs_per_row()),
      front_end_(params),
      asked_{base::BoundedQueue<protocol::LinePayload*>(params.decoupled.source_ids),
             base::BoundedQueue<protocol::LinePayload*>(params.decoupled.source_ids)},
      streams_{
          OperandStream(params.decoupled.source_ids, params.decoupled.response_queue, tile::kSetBlocks),
          OperandStream(params.decoupled.source_ids, params.decoupled.response_queue, tile::kColumnBlocks)},
      accumulators_(params.decoupled.accumulator_rows, params.decoupled.accumulator_latency),
      started_(kMostBegun),
      pipeline_(params.latency + 1) {
  in.bind(*this);
  smem_a.attach(*this, kA);
  smem_b.attach(*this, kB);
}

void DecoupledTensorCore::reset() {
  front_end_.reset();
  for (const Side side : {kA, kB}) {
    while (!asked_[side].empty()) pool_.drop(*asked_[side].pop());
    streams_[side].clear();
  }
  smem_a.reset();
  smem_b.reset();
  accumulators_.clear();
  started_.clear();
  reading_ = computing_ = writing_ = {};
  reads_ = port_taken_ = false;
  pipeline_.clear();
  reader_free_ = stood_still_ = 0;
  inside_ = 0;
  stats_.dot_product.charge(static_cast<unsigned>(TileReason::kIdle), now());
}

void DecoupledTensorCore::push(const protocol::TileProduct& product) {
  front_end_.push(product);
  ++inside_;
  wake_at(std::max(product.ready, now() + 1));
}

/// From the exit to the entrance, so that each stage sees what the cycle before has left.
void DecoupledTensorCore::tick() {
  TileReason reason = reason_to_wait();
  if (!write_back()) {
    ++stood_still_;
    reason = TileReason::kResultBlocked;
  } else if (compute()) {
    reason = TileReason::kComputing;
  }
  const bool port_was_taken = port_taken_;
  port_taken_ = read_accumulator();
  if (port_was_taken && !port_taken_) registers->on_port_free();
  send(kA, smem_a);
  send(kB, smem_b);
  for (OperandStream& stream : streams_) stream.advance();
  start_next();
  fill_queue();
  stats_.dot_product.charge(static_cast<unsigned>(reason), now());
  if (inside_ != 0) wake_next();
  else stats_.dot_product.charge(static_cast<unsigned>(TileReason::kIdle), now() + 1);
}

/// False when the units must stall.
bool DecoupledTensorCore::write_back() {
  if (pipeline_.empty() || pipeline_.front().done + stood_still_ > now()) return true;
  const unsigned warp = started_.front().warp;
  const bool last = writing_.at_last_row();
  if (!registers->write_accumulator(warp, writing_.row() % tile::kRegisters, pipeline_.front().row, last)) {
    ++stats_.write_back_conflicts;
    return false;
  }
  pipeline_.pop();
  ++stats_.result_rows;
  writing_.step();
  if (!last) return true;
  ++stats_.instructions;
  started_.pop();
  for (Progress* stage : {&reading_, &computing_, &writing_}) stage->drop();
  --inside_;
  return true;
}

/// True when a register row enters the dot-product units.
bool DecoupledTensorCore::compute() {
  OperandStream &a = streams_[kA], &b = streams_[kB];
  if (computing_.done() == started_.size() || !a.ready() || !b.ready() || !accumulators_.ready(now()))
    return false;
  const unsigned f = computing_.row() % tile::kRegisters;
  protocol::TensorRow& c = accumulators_.use();
  arithmetic_.multiply_row(a.block(tile::a_block(f)), b.block(tile::b_block(f)), c.data());
  pipeline_.push({c, now() - stood_still_ + params_.latency});
  stats_.macs += row_macs_;
  if (tile::last_use_of_a(computing_.row())) a.release();
  if (tile::last_use_of_b(computing_.row())) b.release();
  computing_.step();
  return true;
}

/// The first operand block in a response queue starts the reads of an instruction's rows. True: there was a
/// read in this cycle.
bool DecoupledTensorCore::read_accumulator() {
  if (!reads_) {
    reads_ = reading_.done() != started_.size() && now() >= reader_free_ &&
             (streams_[kA].has_response() || streams_[kB].has_response());
    return false;
  }
  if (!accumulators_.room()) return false;
  registers->read_accumulator(started_[reading_.done()].warp, reading_.row() % tile::kRegisters,
                              accumulators_.read(now()));
  ++stats_.accumulator_reads;
  if (!reading_.step()) return true;
  reads_ = false;
  reader_free_ = now() + params_.decoupled.accumulator_turnaround;
  return true;
}

/// The next request for an operand of the instruction in the front end.
void DecoupledTensorCore::send(Side side, protocol::InitiatorSocket& socket) {
  if (!front_end_.wants(side) || !socket.ready() || !streams_[side].can_request()) return;
  protocol::LinePayload& request = pool_.take();
  protocol::Origin origin = front_end_.current().origin;
  origin.unit = protocol::Origin::Unit::kTensorCore;
  request.setup(tlm::TLM_READ_COMMAND, front_end_.address(side), tile::kBlockBytes, origin);
  streams_[side].request();
  asked_[side].push(&request);
  front_end_.sent(side, now());
  ++(side == kA ? stats_.blocks_a : stats_.blocks_b);
  socket.send(request);
}

void DecoupledTensorCore::on_response(unsigned port, protocol::Payload& payload) {
  auto& request = static_cast<protocol::LinePayload&>(payload);
  if (asked_[port].empty() || asked_[port].front() != &request)
    SC_REPORT_FATAL(name(), "operands must be answered in order");
  if (request.is_response_error())
    SC_REPORT_FATAL(name(), "shared memory refused an operand read whose address was checked");
  asked_[port].pop();
  streams_[port].answer(request.data.data());
  pool_.drop(request);
}

/// The front end takes the next instruction.
void DecoupledTensorCore::start_next() {
  if (started_.full() || !front_end_.start_next(now())) return;
  started_.push(front_end_.current().origin);
  registers->on_begun(front_end_.current().origin);
}

void DecoupledTensorCore::fill_queue() {
  const unsigned warp = front_end_.fill_queue(now());
  if (warp != TileFrontEnd::kNone) registers->on_room(warp);
}

TileReason DecoupledTensorCore::reason_to_wait() const {
  if (inside_ == 0) return TileReason::kIdle;
  if (computing_.done() == inside_) return TileReason::kDraining;
  if (!streams_[kA].ready()) return TileReason::kWaitingA;
  return streams_[kB].ready() ? TileReason::kWaitingAccumulator : TileReason::kWaitingB;
}

void DecoupledTensorCore::dump_state(std::ostream& out) const {
  fmt::print(out, "{}: {} instructions, {} begun, {} of them computed; row {} of the next one\n", name(),
             inside_, started_.size(), computing_.done(), computing_.row());
  for (const Side side : {kA, kB}) {
    const OperandStream& stream = streams_[side];
    fmt::print(out, "  {}: {} of {} blocks asked for, {} on their way, {} queued, {} collected{}\n",
               side == kA ? 'A' : 'B', front_end_.sent(side), tile::kBlocks, stream.requested(),
               stream.queued(), stream.filled(), stream.ready() ? ", operands ready" : "");
  }
  fmt::print(out, "  C: {} rows read ahead, {} in the units\n", accumulators_.held(), pipeline_.size());
  for (std::size_t i = 0; i < started_.size(); ++i)
    fmt::print(out, "  warp {}: pc {:#010x}, begun\n", started_[i].warp, started_[i].pc);
  for (unsigned warp = 0; warp < front_end_.warps(); ++warp)
    if (front_end_.dispatched(warp) != 0)
      fmt::print(out, "  warp {}: {} dispatched\n", warp, front_end_.dispatched(warp));
}

}  // namespace spica::tensor_core
