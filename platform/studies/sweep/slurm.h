// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/studies/sweep/tasks.h"
#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::sweep {

/// The contents of a Slurm array, with their paths.
struct SlurmArray {
  std::filesystem::path folder;  // of the sweep, absolute
  std::string given;             // sweep file, absolute
  std::filesystem::path program_folder;  // as copied by copy_program()
  std::uint64_t tasks = 0;       // of the array
  std::uint64_t number = 0;      // of the array within its folder, from 1
};

/// Copies this program, kernels and configurations to `folder`/bin/MODEL unless they exist, so that a new build does
/// not affect waiting tasks. Returns that folder. The other arguments are the files to copy.
std::filesystem::path copy_program(const std::filesystem::path& folder, const std::filesystem::path& kernels,
                                   const std::filesystem::path& configs, const compiler::KernelHome& home);

/// The number of tasks for `missing` runs that take `cpu_seconds` together: at least one per core of the cluster, at
/// most ten minutes of work each if there are enough runs, and not more than Slurm's limit for an array (MaxArraySize
/// of scontrol), 1,000, or the number of runs.
std::uint64_t number_of_tasks(std::uint64_t missing, double cpu_seconds);

/// Converts "30m", "2h", "90s", "1d" to minutes, Slurm's smallest unit; other texts are passed to Slurm unchanged.
std::string slurm_time(const std::string& text);

/// The next free number for an array in `folder`/slurm.
std::uint64_t next_array(const std::filesystem::path& folder);
/// Writes slurm/missing-K.txt, the point numbers, and slurm/array-K.sh. Returns the latter.
std::filesystem::path write_array(const Sweep& sweep, const SlurmArray& array,
                                  const std::vector<std::uint64_t>& points);
/// Submits the script with sbatch. Returns the job number. Throws UserError with the message of sbatch.
std::string submit(const std::filesystem::path& script);

}  // namespace spica::sweep
