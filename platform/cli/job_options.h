// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "platform/run/job.h"

namespace spica::cli {

/// Options that every command that runs a program has.
inline void add_job_options(CLI::App& command, run::JobOptions& options) {
  command.add_option("--set", options.overrides,
                     "KEY=VALUE: override one parameter, may be repeated (spica config --list)")
      ->take_all()->allow_extra_args(false);
  command.add_option_function<std::string>(
      "--divergence",
      [&options](const std::string& choice) {
        options.overrides.push_back("cluster.core.divergence=" + choice);
      },
      "branches on which active lanes disagree: fault (default), warn (follow the highest lane like the "
      "hardware, report once per pc) or follow")
      ->check(CLI::IsMember({"fault", "warn", "follow"}));
  command.add_option("--out", options.out, "folder for stats.json, config.yaml and console.txt");
  command.add_option("--report", options.report, "HTML file with charts of the run; opens without network");
}

}  // namespace spica::cli
