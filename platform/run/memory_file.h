// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spica::soc {
class Machine;
}

namespace spica::job {

/// Writes all memory of a machine to a file: main memory, then the shared memory of each cluster. The file has the
/// pages of 4096 bytes that are not all zero, sorted by address, each after its address (8 bytes, little endian); in
/// addresses of shared memory, bits 40 and up are the cluster number + 1. Equal files mean equal memory contents.
/// Throws UserError if the file cannot be written.
void write_memory_file(const std::string& path, soc::Machine& machine);

}  // namespace spica::job
