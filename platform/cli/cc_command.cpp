// SPDX-License-Identifier: Apache-2.0
// `spica cc`: compiles a kernel in plain C++.
#include "platform/workloads/compiler/cc_command.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/observe/report/provenance.h"

namespace spica::cli {

namespace {

struct CcOptions {
  compiler::CcRequest request;
  std::string compiler = "clang";
  bool prints = false;
};

int run_cc_command(CcOptions& options) {
  options.request.is_gcc = options.compiler == "gcc";
  const std::vector<std::string> command = compiler::cc_command(kernel_home(), options.request);
  if (!options.prints) return compiler::run_cc(command, options.request);
  fmt::print("{}\n", report::shell_text(command));
  return 0;
}

void options_of_cc(Command& command) {
  auto options = std::make_shared<CcOptions>();
  command.rest(options->request.words);
  command.option("-o", options->request.output,
                 "the file to write (default: the first file's name with .elf)");
  command
      .option("--compiler", options->compiler,
              "clang 19: plain C++, lanes may diverge anywhere; gcc: only in the macros of simt.h")
      .one_of({"clang", "gcc"})
      .shows_default();
  command.flag(
      "--firmware", options->request.is_firmware,
      "a firmware of the command processor (docs/howto/firmware.md): one hart, whose lanes do not part");
  command.flag("--print-command", options->prints, "print the compiler's command instead of running it");
  command.action([options](const std::vector<std::string>&) { return run_cc_command(*options); });
}

}  // namespace

void add_cc_command(CommandLine& line) {
  line.add(
      "cc",
      "compile a kernel in plain C++: spica cc FILES... -o X.elf. Files: C, C++, kernels in the style of CUDA (.cu), assembly, objects, archives; all other "
      "options are the compiler's (-O2 -g unless given; -c, -MD, -D, -I, ...)",
      options_of_cc);
}

}  // namespace spica::cli
