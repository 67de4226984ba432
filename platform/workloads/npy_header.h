// SPDX-License-Identifier: Apache-2.0
// The beginning of a numpy file (numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spica::workloads {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  std::string descr;  // the type of elements: "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> extents;
  std::size_t end = 0;  // byte where the elements begin
};

/// `path`: of the file, for errors. Throws UserError.
NpyHeader read_npy_header(const std::string& path, std::string_view file);

/// The bytes of such a beginning for row-major elements, up to the first of them.
std::string npy_header(std::string_view descr, const std::vector<std::uint64_t>& extents);

}  // namespace spica::workloads
