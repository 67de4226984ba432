// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <utility>

#include "platform/base/input/printable.h"

namespace spica::cli {

Option& Option::only_with(const std::vector<std::string>& others) {
  parsed_.conditions.push_back({&app_, &option_, true, others});
  return *this;
}

Option& Option::not_with(const std::vector<std::string>& others) {
  parsed_.conditions.push_back({&app_, &option_, false, others});
  return *this;
}

Option& Option::required() {
  option_.required();
  return *this;
}

Option& Option::shows(const std::string& value) {
  option_.type_name(value);
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

Option& Option::group(const std::string& heading) {
  option_.group(heading);
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

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& text) {
  return Option(app_, *app_.add_option(name, value, text), parsed_);
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);

template <class T>
Option Command::option_calls(const std::string& name, const std::function<void(const T&)>& take,
                             const std::string& text) {
  return Option(app_, *app_.add_option_function<T>(name, take, text), parsed_);
}
template Option Command::option_calls(const std::string&, const std::function<void(const std::string&)>&,
                                      const std::string&);
template Option Command::option_calls(const std::string&,
                                      const std::function<void(const std::vector<std::string>&)>&,
                                      const std::string&);

Option Command::flag_calls(const std::string& name, const std::function<void()>& act,
                           const std::string& text) {
  return Option(app_, *app_.add_flag_callback(name, act, text), parsed_);
}

Option Command::flag(const std::string& name, bool& value, const std::string& text) {
  return Option(app_, *app_.add_flag(name, value, text), parsed_);
}

void Command::group(const std::string& heading) { app_.option_defaults()->group(heading); }

void Command::rest(std::vector<std::string>& words) {
  app_.allow_extras();
  app_.parse_complete_callback([this_app = &app_, &words] { words = this_app->remaining(); });
}

void Command::program(std::vector<std::string>& words) {
  app_.prefix_command();
  rest(words);
}

void Command::add(const std::string& name, const std::string& text,
                  const std::function<void(Command&)>& options) {
  app_.require_subcommand(1);
  Command command(*app_.add_subcommand(name, text), parsed_);
  options(command);
}

Option Command::find(const std::string& name) { return Option(app_, *app_.get_option(name), parsed_); }

void Command::action(Action action) {
  app_.callback([&chosen = parsed_.chosen, action = std::move(action)] { chosen = action; });
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
  app.footer("");  // the first steps are for the help of spica itself
  app.preparse_callback([this, &app, options = std::move(options)](std::size_t) {
    Command command(app, parsed_);
    options(command);
  });
}

namespace {

/// Whether "--name", or "--name=value", is in effect.
bool is_given(CLI::App& app, const std::string& text) {
  const std::size_t sign = text.find('=');
  const CLI::Option* const option = app.get_option_no_throw(text.substr(0, sign));
  if (option == nullptr) return false;
  if (sign == std::string::npos) return option->count() != 0;
  const std::string value = option->count() != 0 ? option->results().back() : option->get_default_str();
  return value == text.substr(sign + 1);
}

/// "--a", "--a or --b=c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

/// Options that do nothing as they are given, a sentence for each.
std::string useless_options(const std::vector<Requirement>& conditions) {
  std::string text;
  for (const Requirement& one : conditions) {
    if (one.option->count() == 0) continue;
    std::vector<std::string> given;
    for (const std::string& other : one.others)
      if (is_given(*one.app, other)) given.push_back(other);
    if (given.empty() != one.with) continue;
    text +=
        one.option->get_name() +
        (one.with ? " does nothing without " + listed(one.others) : " does nothing with " + listed(given)) +
        ".\n";
  }
  return text;
}

}  // namespace

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
  if (const std::string useless = useless_options(parsed_.conditions); !useless.empty()) {
    std::cerr << useless << "Run with --help for more information.\n";
    return 2;
  }
  return parsed_.chosen({argv, argv + argc});
}

}  // namespace spica::cli
