// SPDX-License-Identifier: Apache-2.0
// Files of a run of `spica opencl`, which may have several processes and machines.
#pragma once

#include <string>
#include <vector>

namespace spica::opencl {

/// The environment variable SPICA_OPENCL_RESULTS names a folder for what machines have recorded.
bool has_results_folder();

/// The number of the next machine of the run, from 1; without the folder, of this process.
unsigned machine_number();

/// A name of a file or folder for that machine: "page.html", "page-2.html".
std::string numbered(const std::string& name, unsigned number);

/// Writes the account by launch of a machine, as JSON, to the folder; without it does nothing.
void record_launches(const std::string& account);

/// The command line of this process.
std::vector<std::string> host_command_line();

}  // namespace spica::opencl
