// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

namespace spica::simt_core {

/// Values of the performance counters 0xB03-0xB1F of a core (vortex core/VX_csr_data.sv): one of two classes of the
/// machine's statistics, selected by `core.mpm_class`. Class 1 is the core's pipeline, class 2 the memory system, which
/// the builder of the cluster connects. Unconnected counters read 0.
class PerformanceCounters {
 public:
  using Source = std::function<std::uint64_t()>;
  static constexpr unsigned kPipeline = 1, kMemory = 2;

  /// `number`: number of the control and status register, 0xB03-0xB1F.
  void connect(unsigned mpm_class, std::uint32_t number, Source source) {
    sources_.at(mpm_class - 1).at(number - kFirst) = std::move(source);
  }
  std::uint64_t read(unsigned mpm_class, std::uint32_t number) const {
    if (mpm_class == 0) return 0;
    const Source& source = sources_.at(mpm_class - 1).at(number - kFirst);
    return source ? source() : 0;
  }

 private:
  static constexpr std::uint32_t kFirst = 0xB00;
  std::array<std::array<Source, 32>, 2> sources_;
};

}  // namespace spica::simt_core
