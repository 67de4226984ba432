// SPDX-License-Identifier: Apache-2.0
// Code that is compiled more than once, for different hosts. Included where one of the versions is chosen, never by the
// versions themselves: what they would instantiate of it, the linker could take for every host.
#pragma once

#include <cstdlib>
#include <string_view>

namespace spica::base {

enum class HostCode : unsigned char {
  kBaseline,  // every host of the architecture
  kAvx2,  // AVX2, FMA, F16C and BMI2; on other architectures the baseline once more
};

inline bool host_runs(HostCode code) noexcept {
#if defined(__x86_64__)
  if (code == HostCode::kBaseline) return true;
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
         __builtin_cpu_supports("bmi2");
#else
  return code == HostCode::kBaseline;
#endif
}

/// The fastest that this host runs, or the baseline if the environment has SPICA_HOST_CODE=baseline. All give the same
/// bits. Found once.
inline HostCode host_code() noexcept {
  static const HostCode chosen = [] {
    const char* const wish = std::getenv("SPICA_HOST_CODE");
    const bool baseline = wish != nullptr && std::string_view(wish) == "baseline";
    return !baseline && host_runs(HostCode::kAvx2) ? HostCode::kAvx2 : HostCode::kBaseline;
  }();
  return chosen;
}

/// Selects the version for `code`.
template <class Version>
Version host_version(Version baseline, Version avx2, HostCode code = host_code()) noexcept {
  return code == HostCode::kAvx2 ? avx2 : baseline;
}

}  // namespace spica::base
