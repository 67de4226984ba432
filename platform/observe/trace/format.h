// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/protocol/probe_if.h"

namespace spica::trace {

/// Text as it can be put between the quotes of a JSON string.
std::string json_escaped(const std::string& text);

/// Values of the active lanes of a row, as short as they can be: "0x2a" when all are equal, "0x1000+4*i" when
/// they are equally spaced in the lane number i, else "[0x1,0x7,0x3]" in the order of lanes.
std::string lane_values(const std::uint32_t* row, std::uint32_t lanes, std::uint32_t add = 0);

/// "load", "compute".
const char* work_name(protocol::UnitWork::Kind kind);
/// With the matrix that moves: "load A", "store C", "compute".
std::string work_name(const protocol::UnitWork& work);

/// What a piece of memory is, in a few words: "global 0xa0000000, 64 rows of 32 bytes, stride 1024".
std::string piece_text(const protocol::Piece& piece);

}  // namespace spica::trace
