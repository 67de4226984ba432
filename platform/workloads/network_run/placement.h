// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platform/workloads/network/operators.h"

namespace spica::network {

/// Where a tensor is in the machine's memory, and as what.
struct Place {
  ElementType type = ElementType::kUnknown;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t room = 0;  // bytes behind it that kernels may read
  bool is_used = false;  // false: it has no address
};

/// Addresses for data: begin to end - 1.
struct DataRegion {
  std::uint64_t begin = 0, end = 0;
};

/// How the machine stores elements of a type: 64-bit integers in 32 bits.
ElementType stored_as(ElementType type);

/// Gives each tensor that is used a place of its own, aligned to 64 bytes, in the order of the network: results of all operators are
/// there after the run, to be checked. Throws UserError, with the sizes, if they do not fit.
/// `room`: elements behind each tensor that kernels may read.
std::vector<Place> place_tensors(const Network& network, const std::vector<bool>& used,
                                 const std::vector<std::uint64_t>& room, const DataRegion& region);

/// Elements behind the tensor of a matrix that are read if its last three axes (rows, columns and common dimension of a
/// product) are read up to a multiple of `tile`.
std::uint64_t room_behind(const Operand& matrix, const Tensor& tensor, std::uint64_t tile);

/// The elements of a tensor as stored. Throws UserError for an integer that does not fit.
Constant stored(const Constant& values, ElementType type);

}  // namespace spica::network
