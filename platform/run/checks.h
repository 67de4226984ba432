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

/// The checks of --check in a run, and their findings.
class Checks {
 public:
  /// Observes `machine` for the checks in `kinds` ("hazards", "memory"). `suppressions`: files, see
  /// check/suppressions.h. All arguments must outlive this. Throws UserError for invalid suppression files, or for
  /// suppressions without checks.
  Checks(const std::vector<std::string>& kinds, const std::vector<std::string>& suppressions,
         const soc::SocParams& params, const loader::Program& program, const loader::SourceMap& sources,
         soc::Machine& machine);
  ~Checks();

  /// Another program, at other addresses, runs also; it must outlive this.
  void add(const loader::Program& program);
  /// This memory range has a defined value without a program writing it.
  void initialised(std::uint64_t address, std::uint64_t bytes);
  /// Names a memory range, for reports.
  void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes,
                   const check::MatrixLayout& matrix);

  /// Names of the kernel queues, in order.
  void name_queues(const std::vector<std::string>& names);

  /// After the run: writes the findings to `text`, counts them in `outcome`, and calls `write` with the name and text
  /// of each result file that is not empty.
  using Write = std::function<void(const std::string& file, const std::string& text)>;
  void finish(JobOutcome& outcome, const Write& write, std::ostream& text);
  /// The suppressed findings; "" if there are no suppressions.
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
  std::unique_ptr<check::HazardChecker> hazards_;  // nullptr: not requested
  std::unique_ptr<check::MemoryChecker> memory_errors_;  // nullptr: not requested
  std::unique_ptr<check::Suppressions> suppressions_;  // for all checks
  std::vector<std::string> checked_kinds_;  // kinds of the active checks
};

}  // namespace spica::job
