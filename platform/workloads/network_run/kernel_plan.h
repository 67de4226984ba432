// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/workloads/network_run/kernel_choice.h"

namespace spica::network {

class KernelCatalogue;

/// The kernels that there are, and those that users want, by operator.
struct KernelPlan {
  const KernelCatalogue& catalogue;
  const std::vector<KernelChoice>& choices;
};

}  // namespace spica::network
