// SPDX-License-Identifier: Apache-2.0
// Exit codes: 0 good, 1 the guest program failed or stopped, 2 invalid input or a file that cannot be written, 3 an
// internal error, 129, 130 and 143 interrupted by SIGHUP, Ctrl-C or SIGTERM.
#include <poll.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <system_error>
#include <systemc>

#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/plugin_option.h"
#include "platform/observe/report/provenance.h"
#include "platform/run/fork_server.h"
#include "platform/run/signals.h"

namespace {

int run(int argc, char* argv[]) {
  spica::cli::guard_plugins();
  spica::cli::CommandLine line(
      "Spica: a SystemC/TLM virtual platform of GPU clusters", spica::report::version_text(),
      "First steps:  spica gemm                      a matrix product on the matrix unit\n"
      "              spica run virgo my_kernel.elf   any bare-metal RISC-V program\n"
      "              spica debug virgo my_kernel.elf the same under gdb\n"
      "              spica config --list             every parameter, with unit, range and source\n"
      "The start script adds: spica build, spica test, spica doctor.");
  spica::cli::add_workload_commands(line);
  spica::cli::add_job_command(line);
  spica::cli::add_tune_command(line);
  spica::cli::add_train_command(line);
  spica::cli::add_cc_command(line);
  spica::cli::add_debug_command(line);
  spica::cli::add_new_command(line);
  spica::cli::add_annotate_command(line);
  spica::cli::add_profile_command(line);
  spica::cli::add_report_command(line);
  spica::cli::add_diff_command(line);
  spica::cli::add_trace_diff_command(line);
  spica::cli::add_explain_command(line);
  spica::cli::add_config_command(line);
  spica::cli::add_experiment_command(line);
  spica::cli::add_sweep_command(line);
  spica::cli::add_microbench_command(line);
  spica::cli::add_power_command(line);
  spica::cli::add_area_command(line);
  spica::cli::add_numerics_command(line);
  spica::cli::add_bench_command(line);
#ifdef SPICA_HAS_OPENCL
  spica::cli::add_opencl_compiler_command(line);
#endif
  spica::cli::add_serve_command(line);
  return line.run(argc, argv);
}

/// Why standard output takes no more: the system's error; 0: it does.
int output_error() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) return EPIPE;
  return write(STDOUT_FILENO, "", 0) < 0 ? errno : 0;
}

/// What has gone to standard output must have got there. Returns the exit code.
int finish_output(int code) {
  std::cout.flush();
  errno = 0;
  const int flushed = std::fflush(stdout) == 0 ? 0 : errno;
  if (flushed == 0 && std::ferror(stdout) == 0) return code;
  const int error =
      flushed != 0 ? flushed : output_error();  // what failed earlier is forgotten by the library
  if (error == EPIPE) return code == 0 ? 128 + SIGPIPE : code;  // `| head` has seen enough
  std::cerr << "spica: cannot write standard output: "
            << (error != 0 ? std::strerror(error) : "not all of it was written") << ".\n";
  return code == 0 ? 2 : code;
}

/// What the system does not do for this user: a name that is too long, no file handle or process left, a full disk.
int refused_by_system(const std::exception& error) {
  std::cerr << "spica: the system refuses: " << spica::input::printable(error.what()) << ".\n";
  return 2;
}

int run_safely(int argc, char* argv[]) {
  try {
    return run(argc, argv);
  } catch (const spica::config::ConfigError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  } catch (const spica::input::UserError& error) {
    std::cerr << "spica: " << error.what() << ".\n";
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << "spica: not enough memory.\n";
    return 2;
  } catch (const std::exception& error) {
    if (dynamic_cast<const std::system_error*>(&error) != nullptr) {
      if (std::ferror(stdout) != 0) return 0;  // it could not be written, see finish_output()
      if (std::ferror(stderr) != 0) return 2;
      return refused_by_system(error);
    }
    if (dynamic_cast<const boost::system::system_error*>(&error) != nullptr) return refused_by_system(error);
    std::cerr << "spica: internal error: " << error.what()
              << "\nThis is a bug in Spica, not in your program.\n";
    return 3;
  }
}

/// All that the program does, also in a child of a server.
int begin(int argc, char* argv[]) {
  spica::job::CrashReport::install();
  spica::job::Interrupt::install();
  // Results outlive the reader of a pipe.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is like a full disk
  // What SystemC finds wrong is an exception like what we do.
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  return spica::job::Interrupt::exit_code(finish_output(run_safely(argc, argv)));
}

}  // namespace

int main(int argc, char* argv[]) {
  spica::job::ForkServer::set_main(begin);
  return begin(argc, argv);
}

/// SystemC's library wants it to exist; the simulation is started from main.
int sc_main(int, char*[]) { return 3; }
