// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::soc {
class Machine;
}

namespace spica::job {

/// Writes all memory of a machine to a file: main memory, then the shared memory of each cluster, those pages of
/// 4096 bytes that are not all zero, by address. Each page follows its address, 8 bytes in little endian; addresses
/// in shared memory of cluster n have n + 1 in bits 40 and up. Two runs have left the same memory when the files are
/// the same. Throws UserError when the file cannot be written.
void write_memory_file(const std::string& path, soc::Machine& machine);

}  // namespace spica::job
