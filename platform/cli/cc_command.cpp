// SPDX-License-Identifier: Apache-2.0
// `spica cc`: compiles a kernel in plain C++.
#include "platform/workloads/compiler/cc_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/observe/report/provenance.h"
#include "platform/workloads/opencl/cl_command.h"

namespace spica::cli {

namespace {

struct CcOptions {
  compiler::CcRequest request;
  std::string compiler = "clang";
  bool prints = false;
};

int run_opencl(const CcOptions& options) {
  if (!options.prints) return opencl::run_cl(kernel_home(), options.request);
  std::vector<std::string> lines;
  for (const std::vector<std::string>& command : opencl::cl_commands(kernel_home(), options.request, "."))
    lines.push_back(report::shell_text(command));
  fmt::print("{}\n", fmt::join(lines, " &&\n"));
  return 0;
}

int run_cc_command(CcOptions& options) {
  options.request.is_gcc = options.compiler == "gcc";
  if (opencl::is_opencl(options.request)) return run_opencl(options);
  const std::vector<std::string> command = compiler::cc_command(kernel_home(), options.request);
  if (!options.prints) return compiler::run_cc(command, options.request);
  fmt::print("{}\n", report::shell_text(command));
  return 0;
}

void options_of_cc(Command& command) {
  auto options = std::make_shared<CcOptions>();
  command.rest(options->request.words);
  command.option("-o", options->request.output, "output file (default: name of the first file with .elf)");
  command
      .option("--compiler", options->compiler,
              "clang 19: plain C++, lanes may diverge anywhere; gcc: only in the macros of simt.h")
      .one_of({"clang", "gcc"})
      .shows_default();
  command.flag(
      "--firmware", options->request.is_firmware,
      "compile a firmware of the command processor: one hart, no divergence (docs/howto/firmware.md)");
  command.flag("--print-command", options->prints, "print the compiler's command instead of running it");
  command.action([options](const std::vector<std::string>&) { return run_cc_command(*options); });
}

}  // namespace

void add_cc_command(CommandLine& line) {
  line.add(
      "cc",
      "compile a kernel in C, C++, CUDA style (.cu) or OpenCL C (.cl): spica cc FILES... -o X.elf\n"
      "Files may also be assembly, objects and archives. Other options go to the compiler (default -O2 -g).",
      options_of_cc);
}

}  // namespace spica::cli
