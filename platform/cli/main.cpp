// SPDX-License-Identifier: Apache-2.0
// Exit codes: 0 good, 1 the guest program failed or stopped, 2 the user's mistake, 3 a mistake of ours.
#include <fmt/format.h>

#include <cstdio>
#include <systemc>

#include "platform/cli/commands.h"
#include "platform/config/config.h"
#include "platform/loader/user_error.h"
#include "platform/report/provenance.h"

namespace {

int run(int argc, char* argv[]) {
  spica::cli::CommandLine line(
      "Spica: a SystemC/TLM virtual platform of the Virgo GPU cluster", spica::report::version_text(),
      "First steps:  spica gemm                      the main job: a matrix product on the matrix unit\n"
      "              spica run virgo my_kernel.elf   any bare-metal RISC-V program\n"
      "              spica debug virgo my_kernel.elf the same under gdb\n"
      "              spica config --list             every parameter, with unit, range and source\n"
      "The start script adds: spica test, spica doctor.");
  spica::cli::add_gemm_command(line);
  spica::cli::add_attention_command(line);
  spica::cli::add_run_command(line);
  spica::cli::add_debug_command(line);
  spica::cli::add_annotate_command(line);
  spica::cli::add_profile_command(line);
  spica::cli::add_report_command(line);
  spica::cli::add_config_command(line);
  spica::cli::add_experiment_command(line);
  spica::cli::add_microbench_command(line);
  spica::cli::add_power_command(line);
  spica::cli::add_bench_command(line);
  return line.run(argc, argv);
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    return run(argc, argv);
  } catch (const spica::config::ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const spica::loader::UserError& error) {
    fmt::print(stderr, "spica: {}.\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "spica: internal error: {}\nThis is a mistake in Spica, not in your program.\n",
               error.what());
    return 3;
  }
}

/// SystemC's library wants it to exist; the simulation is started from main.
int sc_main(int, char*[]) { return 3; }
