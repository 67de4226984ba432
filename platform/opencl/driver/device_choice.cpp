// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/device_choice.h"

#include <cstddef>
#include <stdexcept>

namespace spica::opencl {

namespace {

constexpr char kMode[] = "mode=", kSet[] = "set=", kCheck[] = "check=", kEnergy[] = "energy",
               kTrace[] = "trace=", kOut[] = "out=", kReport[] = "report=", kGdb[] = "gdb=";

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// The parts of a text between separators that have no backslash before them. Escapes stay.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == separator) {
      parts.emplace_back();
      continue;
    }
    parts.back() += text[at];
    if (text[at] == '\\' && at + 1 < text.size()) parts.back() += text[++at];
  }
  return parts;
}

std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at)
    plain += text[at] == '\\' && at + 1 < text.size() ? text[++at] : text[at];
  return plain;
}

/// The number in "gdb=3".
void read_launch(const std::string& word, std::uint64_t& launch, std::string& errors) {
  const std::string digits = word.substr(sizeof kGdb - 1);
  const bool is_number =
      !digits.empty() && digits.size() <= 9 && digits.find_first_not_of("0123456789") == std::string::npos;
  launch = is_number ? std::stoull(digits) : 0;
  if (launch == 0) errors += "\n  '" + word + "': the number of a launch is 1 or more";
}

DeviceChoice choice_of(const std::string& text, std::string& errors) {
  const std::vector<std::string> parts = split(text, ':');
  DeviceChoice choice;
  choice.configuration = without_escapes(parts[0]);
  choice.settings = {"run.mode=fast"};
  if (choice.configuration.empty()) errors += "\n  an empty name of a configuration";
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const std::string word = without_escapes(parts[part]);
    if (word == "mode=fast" || word == "mode=cycle") choice.settings[0] = "run." + word;
    else if (starts_with(word, kSet) && word.find('=', sizeof kSet - 1) != std::string::npos)
      choice.settings.push_back(word.substr(sizeof kSet - 1));
    else if (word == "check=hazards" || word == "check=memory")
      choice.checks.push_back(word.substr(sizeof kCheck - 1));
    else if (word == kEnergy) choice.energy = true;
    else if (starts_with(word, kTrace)) choice.traces.push_back(word.substr(sizeof kTrace - 1));
    else if (starts_with(word, kOut)) choice.out = word.substr(sizeof kOut - 1);
    else if (starts_with(word, kReport)) choice.report = word.substr(sizeof kReport - 1);
    else if (starts_with(word, kGdb)) read_launch(word, choice.debugged_launch, errors);
    else if (starts_with(word, kCheck)) errors += "\n  '" + word + "': the checks are hazards and memory";
    else if (starts_with(word, kMode)) errors += "\n  '" + word + "': the modes are fast and cycle";
    else
      errors +=
          "\n  '" + word +
          "': allowed are mode=fast, mode=cycle, set=KEY=VALUE, check=hazards, check=memory, energy, trace=FILE, "
          "out=FOLDER, report=FILE and gdb=LAUNCH";
  }
  return choice;
}

}  // namespace

std::vector<DeviceChoice> device_choices(const std::string& text) {
  std::vector<DeviceChoice> choices;
  std::string errors;
  for (const std::string& part : split(text.empty() ? "virgo" : text, ','))
    choices.push_back(choice_of(part, errors));
  if (!errors.empty()) throw std::invalid_argument("environment variable SPICA_OPENCL:" + errors);
  return choices;
}

}  // namespace spica::opencl
