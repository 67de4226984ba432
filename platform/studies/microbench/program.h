// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace spica::microbench {

/// Global memory used by measurements.
inline constexpr std::uint32_t kMicrobenchMemory = 0xA000'0000;

/// Instruction sequences of sw/microbench/sequences.S, in its order.
enum class Sequence : std::uint32_t {
  kAlu,
  kFma,
  kLoad,
  kStream,
  kDependentAlu,
  kDependentMul,
  kDependentDiv,
  kDependentFma,
  kConvert,
  kChase,
  kChaseZero,
  kStore,
  kColdCode,
  kBarriers,
  kFragmentRows,
  kFragmentColumns,
};

/// The input of the measuring program: the argument block of sw/microbench/microbench.h, word by
/// word.
struct MicrobenchProgram {
  enum Mode : std::uint32_t { kSequence, kDma, kMatrix };
  enum Fill : std::uint32_t { kNothing, kSelf, kRing, kWalk };

  std::uint32_t mode = kSequence;
  Sequence sequence = Sequence::kAlu;
  std::uint32_t cores = 1, warps = 1, lanes = 1;
  std::uint32_t fill = kNothing;
  std::uint32_t stride = 0, bytes = 0;
  std::uint32_t core_offset = 0, warp_offset = 0;
  std::uint32_t i = 0, j = 0, k = 0;
  std::uint32_t a_row = 0, b_end = 0;
  std::uint32_t a_stride = 0, b_stride = 0;
  std::uint32_t dim = 0, element_bytes = 0;
  std::uint32_t fresh = 0;
  std::uint32_t loops = 0;
  std::uint32_t registers = 0;
  std::array<std::uint32_t, 32> lane_address;  // every sequence first reads its first word once

  MicrobenchProgram() { lane_address.fill(kMicrobenchMemory); }

  /// As text for --args.
  std::string arguments() const;
};

}  // namespace spica::microbench
