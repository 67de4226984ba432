// SPDX-License-Identifier: Apache-2.0
// Markers by which a kernel selects the part of the run to be timed.
#pragma once

#include <cstdint>
#include <systemc>

namespace spica::protocol {

// No-operation instructions that are markers (kernels sgemm_tcore/kernel.cpp).
inline constexpr std::uint32_t kMarkBegin = 0xBE90A013;
inline constexpr std::uint32_t kMarkEnd = 0xE0D0A013;

enum class Marker : std::uint8_t { kBegin, kEnd };

/// Implemented by the platform; a core calls it when it issues a marker instruction (kernels
/// sgemm_tcore/kernel.cpp). Markers have no effect on the program and take no extra time.
class MarkerIf : public virtual sc_core::sc_interface {
 public:
  virtual void marked(Marker marker) = 0;
};

}  // namespace spica::protocol
