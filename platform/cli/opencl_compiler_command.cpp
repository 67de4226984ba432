// SPDX-License-Identifier: Apache-2.0
// `spica opencl-compiler`: the compiler of the OpenCL driver.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/opencl/service/compile_service.h"

namespace spica::cli {

namespace {

int serve_opencl_compiler() {
  int kind = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) != 0)
    throw input::UserError(
        "opencl-compiler: standard input is not a socket; the OpenCL driver starts this command");
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the thread that waits for the build
  opencl::serve_compiler(STDIN_FILENO, kernel_home());
  return 0;
}

}  // namespace

void add_opencl_compiler_command(CommandLine& line) {
  line.add("opencl-compiler", "internal command, started by the OpenCL driver", [](Command& command) {
    command.action([](const std::vector<std::string>&) { return serve_opencl_compiler(); });
  });
}

}  // namespace spica::cli
