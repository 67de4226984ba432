// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/studies/sweep/tasks.h"
#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::sweep {

/// What a Slurm array runs, and where it is.
struct SlurmArray {
  std::filesystem::path folder;  // of the sweep, absolute
  std::string given;             // sweep file, absolute
  std::filesystem::path program_folder;  // as copied by copy_program()
  std::uint64_t tasks = 0;       // of the array
  std::uint64_t number = 0;      // of the array in its folder, from 1
};

/// Copies this program, kernels and configurations to `folder`/bin/MODEL, unless they are there: whoever builds anew
/// changes nothing for tasks that wait. Returns that folder. The others are what is copied.
std::filesystem::path copy_program(const std::filesystem::path& folder, const std::filesystem::path& kernels,
                                   const std::filesystem::path& configs, const compiler::KernelHome& home);

/// Tasks for `missing` runs that will take `cpu_seconds` together: at least one per core of the cluster, at most ten
/// minutes of work each if there are enough of them, no more than Slurm takes in an array (MaxArraySize of scontrol),
/// than 1,000, or than there are runs.
std::uint64_t number_of_tasks(std::uint64_t missing, double cpu_seconds);

/// "30m", "2h", "90s", "1d" in minutes, the least that Slurm knows; other texts are Slurm's own.
std::string slurm_time(const std::string& text);

/// The next free number for an array in `folder`/slurm.
std::uint64_t next_array(const std::filesystem::path& folder);
/// Writes slurm/missing-K.txt, the numbers of points, and slurm/array-K.sh. Returns the latter.
std::filesystem::path write_array(const Sweep& sweep, const SlurmArray& array,
                                  const std::vector<std::uint64_t>& points);
/// Hands it to sbatch. Returns the number of the job. Throws UserError with the words of sbatch.
std::string submit(const std::filesystem::path& script);

}  // namespace spica::sweep
