// SPDX-License-Identifier: Apache-2.0
// `spica power`: the events there are, and what a table says about them.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "models/power/energy_model.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/observe/energy/ert_file.h"
#include "platform/observe/energy/table_file.h"
#include "platform/observe/report/terminal.h"
#include "platform/observe/report/text_table.h"
#include "platform/run/machine_power.h"

namespace spica::cli {

namespace {

struct PowerOptions {
  std::string table = power::PowerParams{}.table;
  bool events = false;
  std::string ert, architecture;
  double technology_nm = 0, voltage = 0;
  std::string config;
  std::vector<std::string> overrides;
  bool json = false;
};

/// "2 x step_pairs x lanes + ..."
std::string counters(const power::EventKind& kind) {
  std::string text;
  for (const base::EventSource& source : kind.sources) {
    if (!text.empty()) text += " + ";
    if (source.times != 1) text += fmt::format("{:g} x ", source.times);
    text += fmt::format("`{}`", source.name);
    if (!source.weight.empty()) text += fmt::format(" x {}", source.weight);
  }
  return text;
}

void print_events() {
  fmt::print(
      "| event | one | counted by | counters | in the tree | per line | what |\n|---|---|---|---|---|---|---|\n");
  for (const power::EventKind& kind : power::event_kinds())
    fmt::print("| `{}` | {} | {} | {} | {} | {} | {} |\n", kind.name, kind.unit, kind.type->name,
               counters(kind), kind.place.empty() ? std::string("(its block)") : std::string(kind.place),
               kind.line.name.empty() ? "" : "yes", kind.doc);
}

/// What blocks take with nothing to do.
void print_idle(const power::EnergyTable& table, const power::EnergyModel& model) {
  using Align = report::TextTable::Align;
  report::TextTable text({{"idle block"},
                          {"low mW", Align::kRight},
                          {"nominal", Align::kRight},
                          {"high", Align::kRight},
                          {"doubtful"},
                          {"source"}});
  for (std::size_t kind = 0; kind < power::idle_kinds().size(); ++kind) {
    const power::Interval each = model.idle_power(kind, power::Block{});
    text.add({std::string(power::idle_kinds()[kind].type->name), fmt::format("{:.4g}", each.low),
              fmt::format("{:.4g}", each.nominal), fmt::format("{:.4g}", each.high),
              table.idle(kind).doubtful ? "yes" : "", input::printable(table.idle(kind).source)});
  }
  fmt::print("\nClock and leakage, at {:g} MHz:\n\n{}", model.point().clock_mhz, text.text());
}

int print_table(const PowerOptions& options) {
  const auto table = energy::read_table(options.table, configs_dir(), energy::warn);
  power::PowerParams params;
  params.technology_nm = options.technology_nm;
  params.voltage = options.voltage;
  const power::OperatingPoint point = power::operating_point(params, *table, table->clock_mhz);
  if (const std::string problem = power::problem_of(*table, point, point.clock_mhz); !problem.empty())
    throw input::UserError(fmt::format("{}: {}", options.table, problem));
  const power::EnergyModel model(*table, point);
  fmt::print("{}: {:g} nm, {:g} V, {:g} MHz; instruction overhead times {:g}\n{}{}\n\n",
             input::printable(options.table), model.point().technology_nm, model.point().voltage,
             model.point().clock_mhz, table->instruction_overhead, energy::chosen_for(*table),
             input::printable_lines(table->calibration_note));
  using Align = report::TextTable::Align;
  report::TextTable text({{"event"},
                          {"one"},
                          {"low pJ", Align::kRight},
                          {"nominal", Align::kRight},
                          {"high", Align::kRight},
                          {"doubtful"},
                          {"source"}});
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind) {
    const power::Interval& each = model.per_event(kind);
    text.add({std::string(power::event_kinds()[kind].name), std::string(power::event_kinds()[kind].unit),
              fmt::format("{:.4g}", each.low), fmt::format("{:.4g}", each.nominal),
              fmt::format("{:.4g}", each.high), table->event(kind).doubtful ? "yes" : "",
              input::printable(table->event(kind).source)});
  }
  fmt::print("{}", text.text());
  print_idle(*table, model);
  return 0;
}

void options_of_power(Command& command) {
  auto options = std::make_shared<PowerOptions>();
  command.option("TABLE", options->table, "file, or name of one in configs/power/").shows_default();
  command.option("--technology", options->technology_nm, "show energies scaled to this technology, in nm")
      .between(1.0, 250.0)
      .not_with({"--events", "--ert"});
  command.option("--voltage", options->voltage, "show energies scaled to this voltage, in V")
      .between(0.1, 5.0)
      .not_with({"--events", "--ert"});
  command
      .option("--config", options->config,
              "show the table scaled to the machine of this configuration (file or name)")
      .not_with({"--events", "--ert", "--technology", "--voltage", "TABLE"});
  command
      .option("--set", options->overrides,
              "KEY=VALUE: override one parameter of --config, may be repeated (spica config --list)")
      .only_with({"--config"})
      .repeats();
  command.flag("--json", options->json, "with --config: print JSON").only_with({"--config"});
  command.flag("--events", options->events,
               "list all events with the counters behind them, as a Markdown table");
  command.option("--ert", options->ert,
                 "convert this Accelergy energy reference table; other entries are those of TABLE");
  command.option("--architecture", options->architecture,
                 "with --ert: architecture with classes of its components (from --accelergy of a run)");
  command.action([options](const std::vector<std::string>&) {
    if (options->ert.empty() != options->architecture.empty())
      throw input::UserError("give both --ert and --architecture");
    if (!options->ert.empty()) {
      fmt::print("{}", energy::table_of_ert(options->ert, options->architecture, options->table));
      return 0;
    }
    if (!options->config.empty())
      return job::print_power_of_machine(options->config, options->overrides, configs_dir(), options->json);
    if (!options->events) return print_table(*options);
    print_events();
    return 0;
  });
}

}  // namespace

void add_power_command(CommandLine& line) {
  line.add("power", "show and check an energy table, or list its events", options_of_power);
}

}  // namespace spica::cli
