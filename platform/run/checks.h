// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "platform/run/job_outcome.h"

namespace spica::check {
class Buffers;
class Findings;
class HazardChecker;
struct MatrixLayout;
class MemoryChecker;
class Suppressions;
}  // namespace spica::check
namespace spica::loader {
struct Program;
class SourceMap;
}  // namespace spica::loader
namespace spica::soc {
class Machine;
struct SocParams;
}  // namespace spica::soc

namespace spica::job {

/// What --check looks for in a run, and what it finds.
class Checks {
 public:
  /// Watches `machine` for what is in `kinds` ("hazards", "memory"). `suppressions` are files, see
  /// check/suppressions.h. All must outlive it. Throws UserError for files that are wrong or have nothing to suppress.
  Checks(const std::vector<std::string>& kinds, const std::vector<std::string>& suppressions,
         const soc::SocParams& params, const loader::Program& program, const loader::SourceMap& sources,
         soc::Machine& machine);
  ~Checks();

  /// Memory has a value that no program gave it.
  void initialised(std::uint64_t address, std::uint64_t bytes);
  /// Gives a piece of memory a name, for reports.
  void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes,
                   const check::MatrixLayout& matrix);

  /// Names of the queues of kernels, in their order.
  void name_queues(const std::vector<std::string>& names);

  /// After the run: writes to `text` what was found, counts it in `outcome`, and calls `write` with the name and text
  /// of each file about it, unless it is empty.
  using Write = std::function<void(const std::string& file, const std::string& text)>;
  void finish(JobOutcome& outcome, const Write& write, std::ostream& text);
  /// What was suppressed; "" if nothing could be.
  std::string summary() const;

 private:
  void watch_hazards(soc::Machine& machine);
  void watch_memory(soc::Machine& machine);
  std::uint64_t report(const check::Findings& found, const check::Buffers& buffers, const char* what,
                       const std::string& file, const std::string& key, const Write& write,
                       std::ostream& text);

  const soc::SocParams& params_;
  const loader::Program& program_;
  const loader::SourceMap& sources_;
  std::unique_ptr<check::HazardChecker> hazards_;  // null: not wanted
  std::unique_ptr<check::MemoryChecker> memory_errors_;  // null: not wanted
  std::unique_ptr<check::Suppressions> suppressions_;  // of all checks
  std::vector<std::string> checked_kinds_;  // of the checks that run
};

}  // namespace spica::job
