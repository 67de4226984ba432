// SPDX-License-Identifier: Apache-2.0
// `spica serve`: the machine of another program, which Python and C++ start (platform/bindings/client).
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "platform/base/input/user_error.h"
#include "platform/bindings/api/serve.h"
#include "platform/cli/commands.h"
#include "platform/cli/instruments.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"

namespace spica::cli {

namespace {

int serve() {
  int kind = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) != 0)
    throw input::UserError(
        "serve: standard input is not a socket; the Python and C++ clients start this command (docs/howto/python.md)");
  std::signal(SIGINT, SIG_IGN);  // whoever started it ends it
  api::serve(STDIN_FILENO, {configs_dir(),
                            [](const std::string& given, const soc::SocParams& params) {
                              return places().program(given, params);
                            },
                            make_instruments});
  return 0;
}

}  // namespace

void add_serve_command(CommandLine& line) {
  line.add("serve", "internal command, started by the Python and C++ clients", [](Command& command) {
    add_plugin_option(command);
    command.action([](const std::vector<std::string>&) { return serve(); });
  });
}

}  // namespace spica::cli
