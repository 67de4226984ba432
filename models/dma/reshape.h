// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/protocol/move.h"

namespace spica::dma {

/// What the scale units and the transposer make of what a load has read.
///
/// far   all bytes of the move as on the far side, far_rows() rows of far_row_bytes()
/// near  gets row `row` of block `block`, block_bytes bytes
void reshape(const protocol::Move& move, const unsigned char* far, std::uint32_t row, std::uint32_t block,
             unsigned char* near);

}  // namespace spica::dma
