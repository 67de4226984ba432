// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Where a kernel expects its arguments, and the size of that region (runtime linker/vx_link32.ld, region .args).
inline constexpr std::uint64_t kArgumentBlockAddress = 0x9FFF'0000;
inline constexpr std::uint64_t kArgumentBlockBytes = 8192;

/// Bytes of an argument block from the text of --args: items separated by commas, stored one after
/// the other, little-endian, without implicit gaps.
///
///   u8:V u16:V u32:V u64:V   unsigned; V is decimal, 0x hexadecimal or, for u32 and u64, a symbol
///   i8:V i16:V i32:V i64:V   signed decimal
///   f32:V f64:V              floating point
///   pad:N                    N zero bytes
///   align:N                  zero bytes up to the next multiple of N
///   gemm:MxNxK               the 40 bytes of the published matrix-product kernels: u32 M, N, K, 4 zero bytes,
///                            u64 addresses of A, B, C = 0xA0000000, 0xA1000000, 0xC0000000
///   flash:SEQLENxHEADDIM     the 40 bytes of the published flash-attention kernels: u32 seqlen, headdim, u64 addresses
///                            of Q, K, V, O = 0xA0000000, 0xA1000000, 0xA2000000, 0xC0000000
///
/// Alternatively members of the program's argument block (KERNEL_ARGUMENTS) by name: "n=1000,sizes[2]=5". The others
/// keep the program's values. Requires debug information. A kernel function with parameters (spica/cuda.h, OpenCL C) needs all. The head of
/// an OpenCL kernel's block is zeros; items are what follows it.
///
/// If debug information describes the block, items by type must match its members in number, place, size and kind. Each
/// array element counts as a member, and pad may skip members. gemm and flash may omit the members after theirs.
///
/// `kernel` is the address of the kernel that receives the block; 0: the only kernel, if the program has no main(). The
/// block is the parameters of that kernel, or the structure to which its first parameter points. Without a kernel it is
/// the block of KERNEL_ARGUMENTS.
///
/// "u32:256,u32:256,u32:256,pad:4,u64:0xA0000000,u64:0xA1000000,u64:0xC0000000" is
/// "gemm:256x256x256". Throws UserError that names the item of `what`: unknown type, invalid or too large value,
/// unknown symbol, block full; one line for each item that does not match the members.
std::vector<unsigned char> parse_arguments(const std::string& text, const SourceMap& symbols,
                                           const std::string& what = "--args", std::uint64_t kernel = 0);

/// The address of the result of an argument block with an item of type gemm or flash; empty for others.
std::optional<std::uint64_t> published_result(const std::string& text);

}  // namespace spica::loader
