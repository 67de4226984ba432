// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/protocol/payload_pool.h"

namespace spica::protocol {

/// One move of a two-dimensional piece of a matrix, as the matrix unit's load and store controllers give
/// it to the DMA: `rows` rows of `row_bytes` bytes. Travels as the extension of a payload with
/// TLM_IGNORE_COMMAND; the response says that the last byte has arrived (gemmini DMA.scala).
struct DmaCommand final : tlm::tlm_extension<DmaCommand> {
  enum class Kind : std::uint8_t {
    kGlobalToShared,       // mvin into the scratchpad
    kGlobalToAccumulator,  // mvin of bias
    kAccumulatorToGlobal,  // mvout
    kAccumulatorToShared,
  };
  enum class Stream : std::uint8_t { kA, kB, kC, kD };  // for statistics, traces and interleaving

  Kind kind = Kind::kGlobalToShared;
  Stream stream = Stream::kA;
  std::uint32_t global_address = 0;    // of row 0
  std::uint32_t global_stride = 0;     // bytes between rows
  std::uint32_t local_address = 0;     // byte offset in shared memory, or first accumulator row
  std::uint32_t local_stride = 0;      // bytes (or accumulator rows) between rows of one block
  std::uint32_t block_stride = 0;      // bytes (or rows) between blocks side by side
  std::uint16_t rows = 0;
  std::uint16_t blocks = 1;            // blocks side by side in one row
  std::uint16_t block_bytes = 0;       // bytes of one row of one block in global memory
  bool accumulate = false;             // kGlobalToAccumulator: add instead of overwrite
  bool narrow = false;                 // accumulator reads are rounded to the operand format

  tlm::tlm_extension_base* clone() const override { return new DmaCommand(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const DmaCommand&>(other);
  }
};

/// A payload that carries a DmaCommand.
class DmaCommandPayload : public PooledPayload {
 public:
  explicit DmaCommandPayload(tlm::tlm_mm_interface* pool) : PooledPayload(pool) { set_extension(&move); }
  ~DmaCommandPayload() override { clear_extension(&move); }

  DmaCommand move;
};

}  // namespace spica::protocol
