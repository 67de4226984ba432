// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/unit_registers.h"

#include "models/protocol/dma_command.h"

namespace spica::matrix_unit {

void access_row(protocol::Payload& payload, Accumulator& sums, const MatrixUnitParams& params) {
  const protocol::DmaCommand* move = payload.get_extension<protocol::DmaCommand>();
  const bool narrow = move != nullptr && move->narrow && params.operand == OperandFormat::kFp16;
  const auto row = static_cast<std::uint32_t>(payload.get_address()) / params.accumulator_row_bytes();
  const std::uint32_t elements = payload.get_data_length() / (narrow ? 2 : 4);
  if (row >= sums.rows() || elements > params.dim) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.is_read()) sums.read(row, payload.get_data_ptr(), elements, narrow);
  else sums.write(row, payload.get_data_ptr(), elements, narrow, move != nullptr && move->accumulate);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace spica::matrix_unit
