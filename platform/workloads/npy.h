// SPDX-License-Identifier: Apache-2.0
// Matrices in files of numpy (numpy.lib.format, versions 1.0 to 3.0).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/workloads/operands.h"

namespace spica::workloads {

/// A matrix of a file, row-major. Values are exact in FP32 for all formats but integers beyond 2^24, which are rounded.
struct NpyMatrix {
  std::uint32_t rows = 0, columns = 0;
  std::optional<Element>
      element;  // nothing: the file does not say (numpy stores names of ml_dtypes as <V1 and <V2)
  std::vector<float> values;
};

/// Reads a matrix: of numpy's float32, float16, int8, uint8, int32, or of ml_dtypes' bfloat16, float8_e4m3fn,
/// float8_e5m2, float6_e2m3fn, float6_e3m2fn, float4_e2m1fn, int4, uint4 by name, one byte per element if it has 8 bits
/// or less. numpy.save writes those of ml_dtypes as <V1 or <V2, without their name: such bits are of `unnamed`. Throws
/// UserError.
NpyMatrix read_npy(const std::string& path, Element unnamed);
/// The same of an array of one dimension: a row.
NpyMatrix read_npy_row(const std::string& path, Element unnamed);
/// The bytes of a file that numpy.load reads. Numbers of ml_dtypes are <V1 and <V2 in it, as numpy.save writes them.
/// `numbers`: as they are in memory, row by row; those of less than a byte have no file.
std::vector<unsigned char> npy_file(std::uint32_t rows, std::uint32_t columns, Element element,
                                    const std::vector<unsigned char>& numbers);

}  // namespace spica::workloads
