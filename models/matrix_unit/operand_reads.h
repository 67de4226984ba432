// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/matrix_unit/systolic_array.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"

namespace spica::matrix_unit {

/// A read of up to DIM consecutive operand rows of shared memory, in one burst of one row per beat.
class OperandPayload final : public protocol::PooledPayload {
 public:
  static constexpr unsigned kMaxBytes = 32 * 128;  // DIM rows of DIM FP32 elements, DIM up to 32

  explicit OperandPayload(tlm::tlm_mm_interface* pool) : PooledPayload(pool) {
    set_data_ptr(data.data());
    set_command(tlm::TLM_READ_COMMAND);
  }

  void setup(std::uint64_t address, unsigned bytes, unsigned rows) {
    set_address(address);
    set_data_length(bytes);
    set_streaming_width(bytes);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    info.beat_bytes = static_cast<std::uint16_t>(rows == 1 ? 0 : bytes / rows);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    serialize_request(archive);
    archive(data);
  }

  alignas(64) std::array<unsigned char, kMaxBytes> data{};
};

/// The two ports of the array to shared memory, with the reads in flight.
class OperandReads {
 public:
  OperandReads(const MatrixUnitParams& params, MatrixUnitStats& stats, SystolicArray& array,
               protocol::InitiatorSocket& a, protocol::InitiatorSocket& b)
      : stats_(stats),
        array_(array),
        a_(a),
        b_(b),
        row_bytes_(params.row_bytes()),
        origin_{protocol::Origin::Unit::kMatrixUnit, 0, static_cast<std::uint16_t>(params.unit), 0, 0, 0} {}

  /// Sends the reads that the array requests in cycle `now`, if the ports accept them.
  void send(base::Cycle now) {
    SystolicArray::Read read;
    if (a_.ready() && array_.next_a(now, read)) {
      array_.sent_a(now, read);
      stats_.rows_read_a += read.rows;
      send(a_, read);
    }
    if (b_.ready() && array_.next_b(now, read)) {
      array_.sent_b(now, read);
      stats_.rows_read_b += read.rows;
      send(b_, read);
    }
  }
  /// An answer at port A or B. False: its request was sent before forget_all().
  bool take(bool is_a, protocol::Payload& payload, base::Cycle now) {
    auto& answer = static_cast<OperandPayload&>(payload);
    const std::uint64_t tag = answer.info.tag;
    const bool ours = tag >> 32 == epoch_;
    if (ours) {
      const auto row = static_cast<std::uint32_t>(tag & 0xFFFF);
      const auto rows = static_cast<std::uint32_t>(tag >> 16 & 0xFFFF);
      is_a ? array_.arrived_a(now, row, rows, answer.data.data())
           : array_.arrived_b(now, row, rows, answer.data.data());
    }
    pool_.drop(answer);
    return ours;
  }
  void forget_all() {
    ++epoch_;
    a_.reset();
    b_.reset();
  }
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    pool_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch_, pool_);
  }

 private:
  void send(protocol::InitiatorSocket& port, const SystolicArray::Read& read) {
    OperandPayload& payload = pool_.take();
    payload.setup(std::uint64_t{read.row} * row_bytes_, read.bytes, read.rows);
    payload.info.origin = origin_;
    payload.info.tag = epoch_ << 32 | std::uint64_t{read.rows} << 16 | read.tag;
    stats_.operand_bytes += read.bytes;
    port.send(payload);
  }

  MatrixUnitStats& stats_;
  SystolicArray& array_;
  protocol::InitiatorSocket &a_, &b_;
  const std::uint32_t row_bytes_;
  const protocol::Origin origin_;
  std::uint64_t epoch_ = 0;
  protocol::PayloadPool<OperandPayload> pool_;
};

}  // namespace spica::matrix_unit
