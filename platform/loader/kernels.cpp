// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "platform/loader/elf_notes.h"
#include "platform/loader/user_error.h"

namespace spica::loader {

namespace {

constexpr std::string_view kPrefix = "kernel.";

std::uint32_t address_of(const Program& program, const std::string& symbol) {
  const Symbol* const found = program.find(symbol);
  if (found == nullptr)
    throw UserError(
        fmt::format("{}: its notes name the kernel's symbol '{}', which is not there: link it again without "
                    "removing symbols (-s, strip)",
                    program.path, symbol));
  return static_cast<std::uint32_t>(found->address);
}

}  // namespace

const Kernel& Kernels::find(const std::string& name, const std::string& program) const {
  for (const Kernel& kernel : all)
    if (kernel.name == name) return kernel;
  std::vector<std::string> names;
  for (const Kernel& kernel : all) names.push_back(kernel.name);
  throw UserError(
      all.empty()
          ? fmt::format("{} has no kernels to run as a grid (SPICA_KERNEL of spica/group.h)", program)
          : fmt::format("{} has no kernel '{}'; there are: {}", program, name, fmt::join(names, ", ")));
}

Kernels kernels_of(const Program& program) {
  std::map<std::string, Kernel> found;
  const ElfNotes notes = read_notes(program);
  for (const ElfNotes::Fact& fact : notes.facts()) {
    if (fact.key.rfind(kPrefix, 0) != 0) continue;
    const std::size_t dot = fact.key.rfind('.');
    const auto number = note_number(fact.value);
    if (dot < kPrefix.size() || !number) continue;
    Kernel& kernel = found[fact.key.substr(kPrefix.size(), dot - kPrefix.size())];
    const std::string what = fact.key.substr(dot + 1);
    const auto value = static_cast<std::uint32_t>(*number);
    if (what == "threads") kernel.threads = value;
    else if (what == "shared") kernel.shared_bytes = value;
    else if (what == "registers") kernel.registers = value;
    else if (what == "barriers") kernel.barriers = value;
    else if (what == "matrix_unit") kernel.matrix_unit = value;
  }
  Kernels kernels;
  if (found.empty()) return kernels;
  for (auto& [name, kernel] : found) {
    kernel.name = name;
    kernel.entry = address_of(program, name);
    kernels.all.push_back(kernel);
  }
  kernels.startup = address_of(program, "simt_start_group");
  kernels.has_main = program.find("simt_no_main") == nullptr;
  return kernels;
}

std::array<std::uint32_t, 3> parse_extent(const std::string& what, const std::string& text) {
  std::array<std::uint32_t, 3> extent{1, 1, 1};
  const char *at = text.data(), *const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [rest, error] = std::from_chars(at, end, extent[i]);
    if (error != std::errc() || extent[i] == 0) break;
    if (rest == end) return extent;
    if (*rest != 'x' || rest + 1 == end) break;
    at = rest + 1;
  }
  throw UserError(
      fmt::format("{} {}: X, XxY or XxYxZ is meant, each a number from 1, like 16 or 8x4", what, text));
}

}  // namespace spica::loader
