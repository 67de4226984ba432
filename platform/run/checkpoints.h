// SPDX-License-Identifier: Apache-2.0
// Files with the state of a run, from which it resumes later.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/dump.h"
#include "platform/machine/soc/run_observer.h"

namespace spica::loader {
struct Program;
}

namespace spica::session {
class Session;
}

namespace spica::job {

/// The identity of a run; a checkpoint with another identity is refused.
struct RunIdentity {
  std::string program;  // SHA-1 of the program's file
  std::vector<config::EffectiveValue> machine;
  std::string work;  // JobOptions::work
};
RunIdentity run_identity(const loader::Program& program, std::vector<config::EffectiveValue> machine,
                         std::string work);

/// Resumes from a file written by write_checkpoint(). True: the file is of the fast mode. Throws UserError if it is not
/// a checkpoint, is damaged, or is of another version, program or machine, with the parameters that differ.
bool read_checkpoint(const std::string& path, const RunIdentity& run, session::Session& session);

/// Writes the current state of the run: touched memory, compressed, with a checksum.
void write_checkpoint(const std::filesystem::path& path, const RunIdentity& run, session::Session& session);

/// Writes checkpoints of a run into a folder: checkpoint-NUMBER.spica. NUMBER counts cycles, in the fast mode warp
/// instructions.
class Checkpoints final : public soc::RunObserver {
 public:
  /// One checkpoint every `every` cycles. Throws UserError if the state of the machine cannot be saved.
  Checkpoints(std::uint64_t every, std::filesystem::path folder, RunIdentity run, session::Session& session);

  /// Call between two parts of a run in the fast mode: writes a checkpoint if it is due.
  void save_if_due();

  // RunObserver, in the cycle mode
  base::Cycle next_edge() const override;
  void at_edge(base::Cycle cycle) override;

 private:
  void plan(std::uint64_t now);
  void write(std::uint64_t now) const;

  const std::uint64_t every_;
  const std::filesystem::path folder_;
  const RunIdentity run_;
  session::Session& session_;
  std::uint64_t next_ = 0;
};

}  // namespace spica::job
