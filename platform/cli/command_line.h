// SPDX-License-Identifier: Apache-2.0
// The command line as the commands see it. CLI11 stays behind it, because a file that includes its header takes
// ten seconds to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spica::cli {

/// What a chosen command does. Gets the whole command line for provenance, returns the exit code.
using Action = std::function<int(const std::vector<std::string>& command_line)>;

/// An option that has an effect only with, or only without, others of its command.
struct Condition {
  CLI::App* app;
  CLI::Option* option;
  bool with;
  std::vector<std::string> others;  // --name, or --name=value
};

/// What is known of a command line: the chosen command, and conditions of its options.
struct Parsed {
  Action chosen;
  std::vector<Condition> conditions;
};

/// An option of a command, to say more about it.
class Option {
 public:
  Option(CLI::App& app, CLI::Option& option, Parsed& parsed) : app_(app), option_(option), parsed_(parsed) {}

  /// It is an error to give it without one of these, because it would do nothing: --name, or --name=value.
  Option& only_with(const std::vector<std::string>& others);
  /// It is an error to give it with one of these, because it would do nothing.
  Option& not_with(const std::vector<std::string>& others);

  Option& required();
  /// The help shows this behind its name.
  Option& shows(const std::string& value);
  /// The value it has now is shown as its default.
  Option& shows_default();
  /// May be given several times, with one value each.
  Option& repeats();
  Option& description(const std::string& text);
  /// The help has it below this heading.
  Option& group(const std::string& heading);
  Option& one_of(const std::vector<std::string>& values);
  /// The help shows these names; they are asked for only then, and not checked.
  Option& names(std::function<std::vector<std::string>()> names);
  /// T: int, double.
  template <class T>
  Option& between(T lowest, T highest);

 private:
  CLI::App& app_;
  CLI::Option& option_;
  Parsed& parsed_;
};

/// A command and its options. What options are put into must live until the command has run.
class Command {
 public:
  Command(CLI::App& app, Parsed& parsed) : app_(app), parsed_(parsed) {}

  /// T: std::string, std::vector<std::string>, unsigned, std::uint64_t, double.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& text);
  /// Calls `take` with the value; T: std::string, std::vector<std::string>.
  template <class T>
  Option option_calls(const std::string& name, const std::function<void(const T&)>& take,
                      const std::string& text);
  Option flag(const std::string& name, bool& value, const std::string& text);
  /// Calls `act` when it is given.
  Option flag_calls(const std::string& name, const std::function<void()>& act, const std::string& text);
  /// The help has the options from now on below this heading.
  void group(const std::string& heading);
  /// All words that are none of its options, in their order: for another program. Files among them.
  void rest(std::vector<std::string>& words);
  /// A command below this one, of which there must then be one. `options` is called at once.
  void add(const std::string& name, const std::string& text, const std::function<void(Command&)>& options);
  /// One that was added before.
  Option find(const std::string& name);

  void action(Action action);

 private:
  CLI::App& app_;
  Parsed& parsed_;
};

/// All commands.
class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version, const std::string& footer);
  ~CommandLine();

  /// `options` is called for the command the user has chosen only: all of them take as long as a short run.
  void add(const std::string& name, const std::string& description, std::function<void(Command&)> options);
  /// Does what the user chose; an error in the command line is explained, and the exit code is 2.
  int run(int argc, char* argv[]);

 private:
  std::unique_ptr<CLI::App> app_;
  Parsed parsed_;
};

}  // namespace spica::cli
