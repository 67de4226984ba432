// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/machine/soc/soc_params.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network/problems.h"
#include "platform/workloads/network_run/kernel_choice.h"
#include "platform/workloads/network_run/placement.h"
#include "sw/lib/include/spica/network.h"

namespace spica::network {

class KernelCatalogue;

/// No kernel computes an operator: the message has the reason.
class NoKernel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct KernelFile;

/// A launch of a kernel of sw/kernels/network.
struct KernelLaunch {
  std::string kernel;
  const KernelFile* file = nullptr;  // that describes it
  std::uint64_t tile = 1;            // KernelEntry::tile
  std::vector<Operand> tiled;        // matrices that it reads up to whole tiles along the last three axes
  std::uint64_t groups = 1;          // as many as have work
  NetworkArguments arguments{};
};

/// Where the operands of kernels are.
struct KernelMemory {
  std::vector<Place> places;  // of tensors
  // Addresses of numbers, for operands that a network does not have.
  std::map<ElementType, std::uint64_t> ones;
  std::uint64_t zero = 0;  // in any format
};

/// Formats of numbers, each of which has a one in memory.
inline constexpr ElementType kNumberFormats[] = {ElementType::kFp32, ElementType::kFp16, ElementType::kBf16};
/// Zeros and a one of each format from `begin` on, in less than a line.
KernelMemory numbers_at(std::uint64_t begin);
/// Places that only have types: for what does not depend on addresses.
KernelMemory types_of(const Network& network);

/// Adds the operators that no kernel computes.
void add_missing_kernels(const Network& network, const KernelCatalogue& kernels,
                         const soc::SocParams& machine, Problems& problems);

/// The launches that compute an operator, in order. `choice`: where its design or kernel has a kernel for a step of the
/// operator, no other is used. Throws NoKernel.
std::vector<KernelLaunch> launches_of(const Operator& op, const KernelMemory& memory,
                                      const KernelCatalogue& kernels, const soc::SocParams& machine,
                                      const KernelChoice& choice);

}  // namespace spica::network
