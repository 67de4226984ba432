// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "platform/machine/loader/program.h"

namespace spica::testbench {

/// These instructions, which start at the first one.
inline loader::Program program_of(std::uint64_t entry, const std::vector<std::uint32_t>& words) {
  loader::Segment code;
  code.address = entry;
  code.bytes.resize(4 * words.size());
  std::memcpy(code.bytes.data(), words.data(), code.bytes.size());
  loader::Program program;
  program.entry = entry;
  program.segments.push_back(std::move(code));
  return program;
}

}  // namespace spica::testbench
