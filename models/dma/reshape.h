// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/payload/move.h"

namespace spica::dma {

/// Converts or transposes the data of a load, as scale units and transposer do.
///
/// far   all bytes of the move in the layout of global memory: far_rows() rows of far_row_bytes()
/// near  receives row `row` of block `block`, block_bytes bytes
void reshape(const protocol::Move& move, const unsigned char* far, std::uint32_t row, std::uint32_t block,
             unsigned char* near);

}  // namespace spica::dma
