// SPDX-License-Identifier: Apache-2.0
// Matrices in numpy files (numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/workloads/operands.h"

namespace spica::workloads {

/// A row-major matrix from a file. Values are exact in FP32, except integers beyond 2^24, which are rounded.
struct NpyMatrix {
  std::uint32_t rows = 0, columns = 0;
  std::optional<Element> element;  // empty: unknown (numpy stores types of ml_dtypes as <V1 and <V2)
  std::vector<float> values;
};

/// Reads a matrix of numpy's float32, float16, int8, uint8, int32, or of ml_dtypes' bfloat16, float8_e4m3fn,
/// float8_e5m2, float6_e2m3fn, float6_e3m2fn, float4_e2m1fn, int4, uint4 by name, one byte per element if it has 8 bits
/// or less. numpy.save writes types of ml_dtypes as <V1 or <V2 without a name: such bits are read as `unnamed`. Throws
/// UserError.
NpyMatrix read_npy(const std::string& path, Element unnamed);
/// The same for a one-dimensional array: a row.
NpyMatrix read_npy_row(const std::string& path, Element unnamed);
/// The bytes of a file for numpy.load. Types of ml_dtypes are written as <V1 and <V2, as by numpy.save. `numbers`: in
/// memory format, row by row; elements of less than a byte are not supported.
std::vector<unsigned char> npy_file(std::uint32_t rows, std::uint32_t columns, Element element,
                                    const std::vector<unsigned char>& numbers);

}  // namespace spica::workloads
