// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"
#include "platform/machine/soc/run_control.h"
#include "platform/machine/soc/run_observer.h"

namespace spica::loader {
struct Program;
class SourceMap;
}  // namespace spica::loader
namespace spica::session {
class Session;
}

namespace spica::cli {

/// Stops a device at the launch of a kernel, before its first instruction, and lets gdb drive the run from there until
/// nothing is left to do.
class LaunchDebugger final : public soc::RunObserver {
 public:
  /// `launch`: its number, from 1.
  LaunchDebugger(session::Session& session, std::uint64_t launch);

  /// A program of the device, whose file gdb can read.
  void add(const loader::Program& program);
  bool is_due() const { return due_; }
  /// Waits for gdb. Throws UserError if the user of gdb ends the run.
  soc::RunControl::RunState run(const loader::SourceMap& sources,
                                const std::function<std::string(const protocol::KernelRun&)>& name);

  // soc::RunObserver
  base::Cycle next_edge() const override { return base::kNever; }
  void at_edge(base::Cycle) override {}
  bool follows_launches() const override { return !done_ && !due_; }
  void at_launches(base::Cycle cycle) override;

 private:
  session::Session& session_;
  const std::uint64_t launch_;
  std::vector<std::string> files_;
  bool due_ = false, done_ = false;
};

}  // namespace spica::cli
