// SPDX-License-Identifier: Apache-2.0
// The command-line interface that commands use. It hides CLI11, because a file that includes CLI11's header takes ten
// seconds to compile.
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

/// Executes the chosen command. Receives the whole command line for provenance; returns the exit code.
using Action = std::function<int(const std::vector<std::string>& command_line)>;

/// An option that has an effect only with, or only without, other options of its command.
struct Requirement {
  CLI::App* app;
  CLI::Option* option;
  bool with;
  std::vector<std::string> others;  // --name, or --name=value
};

/// The parsed command line: the chosen command, and conditions of its options.
struct Parsed {
  Action chosen;
  std::vector<Requirement> conditions;
};

/// An option of a command, for further settings.
class Option {
 public:
  Option(CLI::App& app, CLI::Option& option, Parsed& parsed) : app_(app), option_(option), parsed_(parsed) {}

  /// Makes it an error to give the option without at least one of these, because it would have no effect: --name, or
  /// --name=value.
  Option& only_with(const std::vector<std::string>& others);
  /// Makes it an error to give the option together with one of these, because it would have no effect.
  Option& not_with(const std::vector<std::string>& others);

  Option& required();
  /// The help shows `value` after the option's name.
  Option& shows(const std::string& value);
  /// The help shows the current value as the default.
  Option& shows_default();
  /// The option may be given several times, with one value each.
  Option& repeats();
  Option& description(const std::string& text);
  /// The help lists the option below this heading.
  Option& group(const std::string& heading);
  Option& one_of(const std::vector<std::string>& values);
  /// The help lists these names; they are computed only for the help, and not checked.
  Option& names(std::function<std::vector<std::string>()> names);
  /// T: int, double.
  template <class T>
  Option& between(T lowest, T highest);

 private:
  CLI::App& app_;
  CLI::Option& option_;
  Parsed& parsed_;
};

/// A command and its options. Variables bound to options must exist until the command has run.
class Command {
 public:
  Command(CLI::App& app, Parsed& parsed) : app_(app), parsed_(parsed) {}

  /// T: std::string, std::vector<std::string>, unsigned, std::uint64_t, double.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& text);
  /// Calls `take` with the value of the option. T: std::string, std::vector<std::string>.
  template <class T>
  Option option_calls(const std::string& name, const std::function<void(const T&)>& take,
                      const std::string& text);
  Option flag(const std::string& name, bool& value, const std::string& text);
  /// Calls `act` if the flag is given.
  Option flag_calls(const std::string& name, const std::function<void()>& act, const std::string& text);
  /// The help lists the options that follow below this heading.
  void group(const std::string& heading);
  /// Collects all words that are not options of this command, in order: for another program, or files.
  void rest(std::vector<std::string>& words);
  /// Collects another program and all words after it, whatever they are.
  void program(std::vector<std::string>& words);
  /// Adds a subcommand; one of the subcommands must be given. `options` is called immediately.
  void add(const std::string& name, const std::string& text, const std::function<void(Command&)>& options);
  /// An option added before.
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

  /// `options` is called only for the chosen command: creating the options of all commands takes as long as a short
  /// run.
  void add(const std::string& name, const std::string& description, std::function<void(Command&)> options);
  /// Executes the user's command; explains an error in the command line and returns exit code 2.
  int run(int argc, char* argv[]);

 private:
  std::unique_ptr<CLI::App> app_;
  Parsed parsed_;
};

}  // namespace spica::cli
