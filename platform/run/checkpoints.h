// SPDX-License-Identifier: Apache-2.0
// Files with the state of a run, from which it resumes later.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
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
  std::string inputs;  // of what the host wrote into memory before the run, see InputDigest
};
RunIdentity run_identity(const loader::Program& program, std::vector<config::EffectiveValue> machine,
                         std::string work);

/// Identifies what a host writes into memory before a run: operands, arguments, queues.
class InputDigest {
 public:
  void add(std::uint64_t address, const void* from, std::uint64_t bytes);
  /// 40 hex digits; "": nothing was added.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The end of --checkpoint for checkpoints with the recent accesses to memory (soc::PastAccesses).
inline constexpr std::string_view kWarmCheckpoint = ",warm";
inline bool is_warm(std::string_view checkpoint) {
  return checkpoint.size() > kWarmCheckpoint.size() &&
         checkpoint.substr(checkpoint.size() - kWarmCheckpoint.size()) == kWarmCheckpoint;
}

/// What a checkpoint says of its run.
struct SavedRun {
  bool fast = false;  // the mode that wrote it
  std::string inputs;  // as in RunIdentity
};
/// Resumes from a file written by write_checkpoint(). Throws UserError if it is not a checkpoint, is damaged, or is of
/// another version, program or machine, with the parameters that differ. Its inputs are not compared.
SavedRun read_checkpoint(const std::string& path, const RunIdentity& run, session::Session& session);

/// Throws UserError if the inputs of a run differ from those of the run that wrote the checkpoint `path`.
void check_inputs(const std::string& path, const SavedRun& saved, const InputDigest& inputs);

/// Writes the current state of the run: touched memory, compressed, with a checksum.
void write_checkpoint(const std::filesystem::path& path, const RunIdentity& run, session::Session& session);

/// Writes checkpoints of a run into a folder: checkpoint-NUMBER.spica. NUMBER counts cycles, in the fast mode warp
/// instructions.
class Checkpoints final : public soc::RunObserver {
 public:
  /// One checkpoint every `every` cycles. Throws UserError if the state of the machine cannot be saved.
  Checkpoints(std::uint64_t every, std::filesystem::path folder, RunIdentity run, session::Session& session);

  /// Call before the run, once memory is filled.
  void set_inputs(std::string inputs) { run_.inputs = std::move(inputs); }
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
  RunIdentity run_;
  session::Session& session_;
  std::uint64_t next_ = 0;
};

}  // namespace spica::job
