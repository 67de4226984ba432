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

/// What a run is of: a checkpoint of another one is refused.
struct RunIdentity {
  std::string program;  // SHA-1 of its file
  std::vector<config::EffectiveValue> machine;
};
RunIdentity run_identity(const loader::Program& program, std::vector<config::EffectiveValue> machine);

/// Resumes from a file that write_checkpoint() has made. True: it is of the fast mode. Throws UserError when
/// it is not a checkpoint, of another version, of another program or machine, with the parameters that differ, or
/// damaged.
bool read_checkpoint(const std::string& path, const RunIdentity& run, session::Session& session);

/// Writes the state of the run as it is now: touched memory, compressed, with a check sum.
void write_checkpoint(const std::filesystem::path& path, const RunIdentity& run, session::Session& session);

/// Writes checkpoints of a run into a folder: checkpoint-NUMBER.spica, NUMBER being warp instructions so far in the
/// fast mode, cycles in the cycle mode.
class Checkpoints final : public soc::RunObserver {
 public:
  /// One every `every` cycles. Throws UserError where the machine cannot be saved.
  Checkpoints(std::uint64_t every, std::filesystem::path folder, RunIdentity run, session::Session& session);

  /// Between two pieces of the run in the fast mode: writes one when it is time.
  void look();

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
