// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::network {

/// The kernel that a user wants for an operator; empty members: any.
struct KernelChoice {
  std::string design;  // file of configs/network-kernels, "products"
  std::string kernel;  // pattern of kernels in such files, "softmax*"

  bool empty() const { return design.empty() && kernel.empty(); }
};

}  // namespace spica::network
