// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "platform/workloads/network/tensor.h"

namespace spica::network {

/// The arrays of a file of numpy.savez, by name. Throws UserError: not such a file, an element type that no tensor has, an
/// array in Fortran order.
std::map<std::string, Constant> read_npz(const std::string& path);

/// Writes arrays as numpy.savez does. Throws UserError.
void write_npz(const std::string& path, const std::map<std::string, Constant>& arrays);

}  // namespace spica::network
