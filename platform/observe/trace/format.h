// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/protocol/ports/probe_if.h"

namespace spica::trace {

/// Escapes text for a JSON string, without the quotes.
std::string json_escaped(const std::string& text);

/// The values of the active lanes of a row, as short as possible: "0x2a" if all are equal, "0x1000+4*i" if they are
/// equally spaced in the lane number i, else "[0x1,0x7,0x3]" in the order of lanes.
std::string lane_values(const std::uint32_t* row, std::uint32_t lanes, std::uint32_t add = 0);

/// "load", "compute".
const char* work_name(protocol::UnitWork::Kind kind);
/// With the matrix that is moved: "load A", "store C", "compute".
std::string work_name(const protocol::UnitWork& work);

/// A short description of a piece of memory: "global 0xa0000000, 64 rows of 32 bytes, stride 1024".
std::string piece_text(const protocol::Piece& piece);

}  // namespace spica::trace
