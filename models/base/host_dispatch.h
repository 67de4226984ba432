// SPDX-License-Identifier: Apache-2.0
// Code that is compiled several times, for different hosts. Include this where a version is chosen, never in the
// versions: the linker could use their template instantiations on every host.
#pragma once

#include <cstdlib>
#include <string_view>

namespace spica::base {

enum class HostCode : unsigned char {
  kBaseline,  // every host of the architecture
  kAvx2,  // AVX2, FMA, F16C and BMI2; on other architectures the baseline
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

/// The fastest version that this host supports, or the baseline if SPICA_HOST_CODE=baseline is set. All versions give
/// the same bits. Detected once.
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
