// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/launch_debugger.h"

#include <fmt/format.h>

#include "platform/base/input/user_error.h"
#include "platform/cli/paths.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/session.h"
#include "platform/observe/debug/server.h"
#include "platform/observe/report/provenance.h"

namespace spica::cli {

LaunchDebugger::LaunchDebugger(session::Session& session, std::uint64_t launch)
    : session_(session), launch_(launch) {
  session_.machine().observe_markers(*this);
}

void LaunchDebugger::add(const loader::Program& program) { files_.push_back(program.path); }

void LaunchDebugger::at_launches(base::Cycle) {
  if (done_ || due_ || session_.machine().kernel_runs().size() < launch_) return;
  due_ = true;
  session_.halt();
}

soc::RunControl::RunState LaunchDebugger::run(
    const loader::SourceMap& sources, const std::function<std::string(const protocol::KernelRun&)>& name) {
  due_ = false;
  done_ = true;
  soc::RunControl::RunState rest = soc::RunControl::RunState::kEnded;
  debug::Server server(session_, 0, sources, root(), [&rest](soc::RunControl::RunState state) {
    rest = state;
    return std::string("the kernel makes no progress");
  });
  std::string files;
  for (const std::string& file : files_) files += " -ex " + report::shell_text({"add-symbol-file " + file});
  fmt::print(stderr,
             "gdb: launch {}, kernel {}, waits for gdb on 127.0.0.1:{}. In another terminal:\n"
             "  gdb-multiarch -x {}{} -ex 'target remote 127.0.0.1:{}'\n",
             launch_, name(session_.machine().kernel_runs()[launch_ - 1]), server.port(),
             report::shell_text({(root() / "platform/observe/debug/spica.gdb").string()}), files,
             server.port());
  if (server.run() == debug::Server::End::kKilled) throw input::UserError("gdb has ended the run");
  if (!session_.faults().empty() && session_.faults().back().severity == protocol::Severity::kFault)
    return soc::RunControl::RunState::kFault;
  return rest;
}

}  // namespace spica::cli
