// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "platform/cli/commands.h"
#include "platform/cli/paths.h"
#include "platform/loader/user_error.h"
#include "platform/soc/soc_config.h"

namespace spica::cli {

namespace {

struct ConfigOptions {
  std::string config = "virgo";
  std::vector<std::string> overrides;
  bool list = false, dump = false, schema = false, names = false;
  std::string format = "text";
  std::string filter;
};

int run(const ConfigOptions& options) {
  if (options.names) {
    for (const std::string& name : config::names(configs_dir())) fmt::print("{}\n", name);
    return 0;
  }
  if (options.list) {
    const auto found = config::find(config::list<soc::SocParams>(), options.filter);
    if (found.empty()) throw loader::UserError(fmt::format("no parameter matches '{}'", options.filter));
    if (options.format == "json") config::write_json(std::cout, found);
    else if (options.format == "markdown") config::write_markdown(std::cout, found);
    else config::write_text(std::cout, found);
    return 0;
  }
  if (options.schema) {
    config::schema<soc::SocParams>(std::cout);
    return 0;
  }
  const config::Source source = config::load(options.config, options.overrides, configs_dir());
  soc::SocParams params;
  config::apply(source, params);
  if (options.dump) config::dump(std::cout, params, source);
  else fmt::print("{}: all values are legal. --dump shows them, --list explains them.\n", source.name);
  return 0;
}

void options_of_config(Command& command) {
  auto options = std::make_shared<ConfigOptions>();
  command.option("CONFIG", options->config, "file, or name of one in configs/").shows_default();
  command.option("--set", options->overrides, "KEY=VALUE: override one value, may be repeated").repeats();
  command.flag("--dump", options->dump, "print every value in effect and where it comes from");
  command.flag("--list", options->list, "print every parameter: unit, range, default, meaning, source");
  command.option("--find", options->filter, "with --list: only parameters that contain these words");
  command.option("--format", options->format, "with --list: text, json or markdown")
      .one_of({"text", "json", "markdown"});
  command.flag("--schema", options->schema, "print a JSON schema of configuration files");
  command.flag("--names", options->names, "print the names of the available configurations");
  command.action([options](const std::vector<std::string>&) { return run(*options); });
}

}  // namespace

void add_config_command(CommandLine& line) {
  line.add("config", "show, check and explain configurations", options_of_config);
}

}  // namespace spica::cli
