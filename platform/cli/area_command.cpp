// SPDX-License-Identifier: Apache-2.0
// `spica area`: how large a machine is, and what the area table says.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/base/config/config.h"
#include "platform/base/input/printable.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/machine/soc/build_machine.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/area/area_report.h"
#include "platform/observe/area/area_text.h"
#include "platform/observe/area/table_file.h"

namespace spica::cli {

namespace {

struct AreaOptions {
  std::string config = "virgo";
  std::vector<std::string> overrides;
  bool table = false, parts = false, json = false;
};

int run_area(const AreaOptions& options) {
  const config::Source source = config::load(options.config, options.overrides, configs_dir());
  const auto params = config::read<soc::SocParams>(source);
  const power::AreaTable table = area::read_table(params.power.area_table, configs_dir());
  const double technology_nm =
      params.power.technology_nm > 0 ? params.power.technology_nm : table.technology_nm;
  if (options.table) {
    fmt::print("{}, at {:g} nm\n\n{}", input::printable(params.power.area_table), technology_nm,
               area::table_text(table, technology_nm));
    return 0;
  }
  const soc::BuiltMachine machine = soc::build_machine("soc", params, soc::Mode::kCycle);
  const area::AreaReport report = area::area_report(*machine.measured, table, params.power);
  if (options.json) fmt::print("{}\n", area::area_json(report).dump(2));
  else
    fmt::print("{}: {} at {:g} nm, by {}\n\n{}", input::printable(source.name), area::area_phrase(report.mm2),
               technology_nm, input::printable(params.power.area_table),
               area::area_text(report, options.parts));
  return 0;
}

void options_of_area(Command& command) {
  auto options = std::make_shared<AreaOptions>();
  command.option("CONFIG", options->config, "configuration file, or name of one in configs/").shows_default();
  command
      .option("--set", options->overrides,
              "KEY=VALUE: override one parameter, may be repeated (spica config --list)")
      .repeats();
  command.option_calls<std::string>(
      "--technology",
      [options](const std::string& nm) { options->overrides.push_back("power.technology_nm=" + nm); },
      "scale to this technology, in nm");
  command.flag("--parts", options->parts, "also show the parts of each unit and their structures")
      .not_with({"--table", "--json"});
  command.flag("--table", options->table, "show the effective area table instead of a machine");
  command.flag("--json", options->json, "print JSON").not_with({"--table"});
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>&) { return run_area(*options); });
}

}  // namespace

void add_area_command(CommandLine& line) {
  line.add("area", "estimate the area of a machine by block, with uncertainty", options_of_area);
}

}  // namespace spica::cli
