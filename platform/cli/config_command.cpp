// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "platform/base/config/config.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/commands.h"
#include "platform/cli/described_options.h"
#include "platform/cli/file_kinds.h"
#include "platform/cli/paths.h"
#include "platform/cli/plugin_option.h"
#include "platform/machine/soc/block.h"
#include "platform/machine/soc/key_of.h"
#include "platform/machine/soc/memory_path.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/machine/soc/soc_plan.h"

namespace spica::cli {

namespace {

struct ConfigOptions {
  std::string config = "virgo";
  std::vector<std::string> overrides;
  bool list = false, dump = false, schema = false, names = false, machine = false, blocks = false;
  std::string form = "text";
  std::string filter;
  std::string kind = "configuration", group;
};

void print_list(const KindOfFile& kind, const ConfigOptions& options) {
  const auto found = config::find(kind.list(), options.filter);
  if (found.empty()) throw input::UserError(fmt::format("no parameter matches '{}'", options.filter));
  if (options.form == "json") config::write_json(std::cout, found);
  else if (options.form == "markdown") config::write_markdown(std::cout, found);
  else config::write_text(std::cout, found);
}

int run(const ConfigOptions& options) {
  const KindOfFile kind = options.group.empty() ? kind_of_file(options.kind) : kind_of_group(options.group);
  if (options.names) {
    for (const std::string& name : names_in_order(kind.files)) fmt::print("{}\n", name);
  } else if (options.list || !options.filter.empty()) {
    print_list(kind, options);
  } else if (options.schema) {
    kind.schema(std::cout);
  } else if (options.machine) {
    const config::Source source = config::load(options.config, options.overrides, configs_dir());
    const auto params = config::read<soc::SocParams>(source);
    fmt::print("{}\n{}", soc::plan_text(params), soc::memory_path_text(params));
  } else if (options.blocks) {
    const config::Source source = config::load(options.config, options.overrides, configs_dir());
    std::vector<config::Problem> problems;
    soc::load_plugins(source, problems);
    if (!problems.empty()) throw config::ConfigError(problems);
    for (const auto& [name, doc] : soc::kinds_for_configurations()) fmt::print("{}: {}\n", name, doc);
  } else {
    leave_out_plugins();
    const config::Source source = config::load(options.config, options.overrides, configs_dir(), kind.files);
    kind.check(source, options.dump);
    if (!options.dump)
      fmt::print("{}: all values are legal. --dump shows them, --list explains them.\n", source.name);
    print_unchecked_plugins();
  }
  return 0;
}

void options_of_config(Command& command) {
  auto options = std::make_shared<ConfigOptions>();
  command.option("CONFIG", options->config, "file, or name of one in configs/").shows_default();
  command.option("--kind", options->kind, "kind of file for all other options")
      .one_of(names_of_kinds())
      .shows_default();
  const soc::SocParams any;
  command.option(
      "--group", options->group,
      fmt::format(
          "instead of --kind: the file has only this group of parameters, such as {} (see configs/blocks)",
          key_of(any, any.cluster.core)));
  command.option("--set", options->overrides, "KEY=VALUE: override one value, may be repeated")
      .repeats()
      .not_with({"--list", "--find", "--schema", "--names"});
  command.flag("--dump", options->dump, "print every effective value and its origin")
      .not_with({"--list", "--find", "--schema", "--names", "--machine", "--blocks"});
  command.flag("--list", options->list, "print every parameter: unit, range, default, meaning, source");
  command.option("--find", options->filter, "list only parameters that contain these words")
      .not_with({"--names"});
  add_output_form(command, options->form, {"text", "json", "markdown"})
      .description("form of --list")
      .only_with({"--list", "--find"});
  command.flag("--schema", options->schema, "print a JSON schema of such files")
      .not_with({"--list", "--find", "--names"});
  command
      .flag("--machine", options->machine,
            "print the blocks of the machine, their links and the bandwidth of each step")
      .not_with({"--list", "--find", "--schema", "--names"});
  command.flag("--blocks", options->blocks, "print the kinds of blocks for slots, with those of plugins")
      .not_with({"--list", "--find", "--schema", "--names", "--machine"});
  command.flag("--names", options->names, "print the names of the shipped files");
  add_plugin_option(command);
  command.action([options](const std::vector<std::string>& words) {
    note_output_form(words);
    return run(*options);
  });
}

}  // namespace

void add_config_command(CommandLine& line) {
  line.add("config", "show, check and explain configurations, designs and experiments", options_of_config);
}

}  // namespace spica::cli
