// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/provenance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/base/digest/digest.h"
#include "platform/base/input/printable.h"
#include "platform/machine/loader/compilers.h"
#include "platform/observe/report/build_info.h"

namespace spica::report {

json::Value provenance_json(const std::vector<std::string>& command_line, const loader::Program& program,
                            const std::string& machine, std::uint64_t seed) {
  return {{"version", kBuildInfo.version},
          {"commit", kBuildInfo.commit},
          {"dirty", kBuildInfo.dirty},
          {"compiler", kBuildInfo.compiler},
          {"build_type", kBuildInfo.build_type},
          {"command_line", shell_text(command_line)},
          {"program_sha1", program.sha1()},
          {"program_compilers", loader::compilers_of(program)},
          {"config_sha1", digest::sha1_text(machine)},
          {"seed", seed}};
}

std::string version_text() {
  return fmt::format("{} ({:.12}{})", kBuildInfo.version, kBuildInfo.commit,
                     kBuildInfo.dirty ? ", modified" : "");
}

std::string shell_text(const std::vector<std::string>& words) {
  const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      text += word;
      continue;
    }
    if (input::printable(word) != word) {  // bash and others know this form
      std::string escaped;
      for (const char c : word) escaped += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
      text += "$'" + input::printable(escaped) + "'";
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace spica::report
