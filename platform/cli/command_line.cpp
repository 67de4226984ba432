// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>

#include "platform/input/printable.h"

namespace spica::cli {

Option& Option::required() {
  option_.required();
  return *this;
}

Option& Option::shows_default() {
  option_.capture_default_str();
  return *this;
}

Option& Option::repeats() {
  option_.take_all()->allow_extra_args(false);
  return *this;
}

Option& Option::description(const std::string& text) {
  option_.description(text);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  option_.check(CLI::IsMember(values));
  return *this;
}

namespace {
struct Names : CLI::Validator {
  explicit Names(std::function<std::vector<std::string>()> names) {
    desc_function_ = [names = std::move(names)] { return CLI::detail::generate_set(names()); };
  }
};
}  // namespace

Option& Option::names(std::function<std::vector<std::string>()> names) {
  option_.check(Names(std::move(names)));
  return *this;
}

template <class T>
Option& Option::between(T lowest, T highest) {
  option_.check(CLI::Range(lowest, highest));
  return *this;
}
template Option& Option::between(int, int);
template Option& Option::between(double, double);

Option& Option::bytes(std::uint64_t lowest, std::uint64_t highest) {
  option_.transform(CLI::AsSizeValue(false))->check(CLI::Range(lowest, highest));
  return *this;
}

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& text) {
  return Option(*app_.add_option(name, value, text));
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned short>&, const std::string&);

template <class T>
Option Command::option_calls(const std::string& name, const std::function<void(const T&)>& take,
                             const std::string& text) {
  return Option(*app_.add_option_function<T>(name, take, text));
}
template Option Command::option_calls(const std::string&, const std::function<void(const std::string&)>&,
                                      const std::string&);
template Option Command::option_calls(const std::string&, const std::function<void(const std::uint64_t&)>&,
                                      const std::string&);

Option Command::flag(const std::string& name, bool& value, const std::string& text) {
  return Option(*app_.add_flag(name, value, text));
}

void Command::rest(std::vector<std::string>& words) {
  app_.allow_extras();
  app_.parse_complete_callback([this_app = &app_, &words] { words = this_app->remaining(); });
}

void Command::add(const std::string& name, const std::string& text,
                  const std::function<void(Command&)>& options) {
  app_.require_subcommand(1);
  Command command(*app_.add_subcommand(name, text), chosen_);
  options(command);
}

Option Command::find(const std::string& name) { return Option(*app_.get_option(name)); }

void Command::action(Action action) {
  app_.callback([&chosen = chosen_, action = std::move(action)] { chosen = action; });
}

CommandLine::CommandLine(const std::string& description, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "spica")) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, const std::string& description,
                      std::function<void(Command&)> options) {
  CLI::App& app = *app_->add_subcommand(name, description);
  app.preparse_callback([this, &app, options = std::move(options)](std::size_t) {
    Command command(app, chosen_);
    options(command);
  });
}

int CommandLine::run(int argc, char* argv[]) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app_->exit(error, out, err);
    std::cout << out.str();
    std::cerr << input::printable_lines(err.str());  // it repeats what was given
    return code == 0 ? 0 : 2;
  }
  return chosen_({argv, argv + argc});
}

}  // namespace spica::cli
