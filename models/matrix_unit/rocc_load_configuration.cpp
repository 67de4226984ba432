// SPDX-License-Identifier: Apache-2.0
// What CONFIG says of loads: strides, and what the DMA does to elements on their way.
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "models/matrix_unit/rocc_decoder.h"

namespace spica::matrix_unit {

namespace {

/// Codes count the formats of numeric/format.h from 1 on.
std::optional<numeric::Format> format_of(std::uint32_t code) {
  static_assert(static_cast<unsigned>(numeric::Format::kFp32) + 1 == MATRIX_UNIT_FORMAT_FP32);
  static_assert(static_cast<unsigned>(numeric::Format::kE2m1) + 1 == MATRIX_UNIT_FORMAT_FP4_E2M1);
  static_assert(static_cast<unsigned>(numeric::Format::kUint4) + 1 == MATRIX_UNIT_FORMAT_UINT4);
  if (code == 0 || code > MATRIX_UNIT_FORMAT_UINT4) return std::nullopt;
  const auto format = static_cast<numeric::Format>(code - 1);
  return format == numeric::Format::kInt32 ? std::nullopt : std::optional(format);
}

}  // namespace

std::string RoccDecoder::configure_load(const RoccCommand& command) {
  const std::uint32_t rs1 = low(command.rs1);
  const std::uint32_t state = rs1 >> MATRIX_UNIT_LOAD_STATE_SHIFT & MATRIX_UNIT_LOAD_STATE_MASK;
  if (state > 2) return fmt::format("load state {} does not exist (0 to 2)", state);
  TransferRegisters::Load load;
  load.stride = low(command.rs2);
  load.block_stride = rs1 >> MATRIX_UNIT_LOAD_BLOCK_STRIDE_SHIFT;
  load.shrink = (rs1 & MATRIX_UNIT_LOAD_SHRINK) != 0;
  load.transpose = (rs1 & MATRIX_UNIT_LOAD_TRANSPOSE) != 0;
  if (std::string wrong = conversion(high(command.rs2), high(command.rs1), load.conversion); !wrong.empty())
    return wrong;
  if (load.transpose && !transposes_)
    return "configuration asks for transposed loads; this DMA has no transposer (cluster.dma.transposer)";
  if (state == 2 && (load.transpose || load.conversion.present))
    return "load state 2 serves the accumulator; only loads to shared memory convert or transpose";
  if (load.transpose && load.conversion.far_bits(element_) % 8 != 0)
    return "a word that is transposed must be whole bytes in global memory";
  transfers_.load[state] = load;
  return {};
}

/// `formats` and `scale`: the high halves of the operands of a CONFIG of loads.
std::string RoccDecoder::conversion(std::uint32_t formats, std::uint32_t scale,
                                    protocol::Conversion& out) const {
  const std::uint32_t from = formats >> MATRIX_UNIT_LOAD_FROM_HI_SHIFT & MATRIX_UNIT_FORMAT_MASK;
  const std::uint32_t to = formats >> MATRIX_UNIT_LOAD_TO_HI_SHIFT & MATRIX_UNIT_FORMAT_MASK;
  if (from == 0 && to == 0) return {};
  if (!scales_)
    return "configuration asks for converted loads; this DMA has no scale units (cluster.dma.scale_units)";
  const auto source = format_of(from), target = format_of(to);
  if (!source || !target)
    return fmt::format("a conversion from format {} to format {}; valid formats: 1 to 9 and 11 to 14", from,
                       to);
  if (element_ * 8 % numeric::info(*target).stored_bits != 0)
    return fmt::format("a conversion to {}; a word of {} bits must hold a whole number of elements",
                       numeric::info(*target).key, element_ * 8);
  out.from = *source;
  out.to = *target;
  std::memcpy(&out.scale, &scale, sizeof scale);
  out.present = true;
  return {};
}

/// Empty when a load can convert and transpose what its state says.
std::string RoccDecoder::reshaped(const Local& at, std::uint32_t blocks,
                                  const TransferRegisters::Load& registers) {
  if (!registers.transpose && !registers.conversion.present) return {};
  if (at.accumulator)
    return "only loads to shared memory convert or transpose; the address names the accumulator";
  if (registers.transpose && blocks > 1)
    return fmt::format("{} columns in one transposed load; at most one block", at.columns);
  return {};
}

}  // namespace spica::matrix_unit
