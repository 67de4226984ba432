// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include "platform/base/input/number_text.h"
#include "platform/base/input/user_error.h"

namespace spica::loader {

namespace {

constexpr std::string_view kPrefix = "kernel.";
const std::set<std::string> kTexts = {"arguments", "parameters", "attributes", "required"};

std::uint32_t address_of(const Program& program, const std::string& symbol) {
  const Symbol* const found = program.find(symbol);
  if (found == nullptr)
    throw input::UserError(fmt::format(
        "{}: the kernel's symbol '{}' is missing: link it again without removing symbols (-s, strip)",
        program.path, symbol));
  return static_cast<std::uint32_t>(found->address);
}

/// "n:u4:0 x:f4:4": see platform/workloads/compiler/plugin/kernel_arguments.h.
Structure arguments_of(const std::string& text) {
  Structure arguments;
  std::istringstream items(text);
  for (std::string item; items >> item;) {
    const std::size_t last = item.rfind(':'),
                      first = last == std::string::npos ? last : item.rfind(':', last - 1);
    if (first == std::string::npos || last - first < 3) continue;
    Member member;
    member.name = item.substr(0, first);
    const char kind = item[first + 1];
    member.kind = kind == 'u'   ? Member::Kind::kUnsigned
                  : kind == 'i' ? Member::Kind::kSigned
                  : kind == 'f' ? Member::Kind::kFloat
                                : Member::Kind::kOther;
    member.bytes = note_number(item.substr(first + 2, last - first - 2)).value_or(0);
    member.offset = note_number(item.substr(last + 1)).value_or(0);
    arguments.bytes = std::max(arguments.bytes, member.offset + member.bytes);
    arguments.members.push_back(std::move(member));
  }
  return arguments;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// "32:4:global:none:const:a:float*;36:4:private:none::n:uint": offset, bytes, address space, access, qualifiers, name,
/// type. See platform/workloads/opencl/module/kernels.cpp.
std::vector<KernelParameter> parameters_of(const std::string& text) {
  std::vector<KernelParameter> parameters;
  for (const std::string& item : split(text, ';')) {
    const std::vector<std::string> fields = split(item, ':');
    if (fields.size() != 7) continue;
    KernelParameter one;
    one.offset = static_cast<std::uint32_t>(note_number(fields[0]).value_or(0));
    one.bytes = static_cast<std::uint32_t>(note_number(fields[1]).value_or(0));
    one.address_space = fields[2];
    one.access = fields[3];
    one.qualifiers = fields[4];
    one.name = fields[5];
    one.type = fields[6];
    parameters.push_back(std::move(one));
  }
  return parameters;
}

/// Facts about a kernel that are not numbers. Returns whether `what` is one.
bool take_text(Kernel& kernel, const std::string& what, const std::string& value) {
  if (what == "arguments") {
    kernel.arguments = arguments_of(value);
  } else if (what == "parameters") {
    kernel.parameters = parameters_of(value);
  } else if (what == "attributes") {
    kernel.attributes = value;
  } else if (what == "required") {
    const std::vector<std::string> extents = split(value, 'x');
    for (std::size_t i = 0; i < extents.size() && i < 3; ++i)
      kernel.required_block[i] = static_cast<std::uint32_t>(note_number(extents[i]).value_or(0));
  } else {
    return false;
  }
  return true;
}

/// The same for all ways to write an instance of a template: no blanks, and numbers without the letters of their type.
std::string plain_name(const std::string& name) {
  std::string plain;
  bool is_number = false;
  for (const char c : name) {
    if (is_number && std::string_view("uUlL").find(c) != std::string_view::npos) continue;
    if (c == ' ') continue;
    const bool is_digit = c >= '0' && c <= '9';
    const bool continues = !plain.empty() && (std::isalnum(static_cast<unsigned char>(plain.back())) != 0 ||
                                              plain.back() == '_');
    is_number = is_digit && (is_number || !continues);
    plain += c;
  }
  return plain;
}

}  // namespace

const Kernel& Kernels::find(const std::string& name, const std::string& program) const {
  for (const Kernel& kernel : all)
    if (kernel.name == name) return kernel;
  for (const Kernel& kernel : all)
    if (plain_name(kernel.name) == plain_name(name)) return kernel;
  std::vector<std::string> names;
  for (const Kernel& kernel : all) names.push_back(kernel.name);
  throw input::UserError(
      all.empty()
          ? fmt::format("{} has no kernels to run as a grid (SPICA_KERNEL of spica/group.h)", program)
          : fmt::format("{} has no kernel '{}'; there are: {}", program, name, fmt::join(names, ", ")));
}

Kernels kernels_of(const Program& program) {
  std::map<std::string, Kernel> found;
  for (const ElfNotes::Fact& fact : program.notes.facts()) {
    if (fact.key.rfind(kPrefix, 0) != 0) continue;
    const std::size_t dot = fact.key.rfind('.');
    const std::string what = fact.key.substr(dot + 1);
    const auto number = note_number(fact.value);
    if (dot < kPrefix.size() || (!number && kTexts.count(what) == 0)) continue;
    Kernel& kernel = found[fact.key.substr(kPrefix.size(), dot - kPrefix.size())];
    if (take_text(kernel, what, fact.value)) continue;
    const auto value = static_cast<std::uint32_t>(*number);
    if (what == "threads") kernel.threads = value;
    else if (what == "shared") kernel.shared_bytes = value;
    else if (what == "open_shared") kernel.open_shared = value != 0;
    else if (what == "registers") kernel.registers = value;
    else if (what == "barriers") kernel.barriers = value;
    else if (what == "head") kernel.head_bytes = value;
    else if (what == "matrix_unit") kernel.matrix_unit = value;
  }
  Kernels kernels;
  if (found.empty()) return kernels;
  for (auto& [name, kernel] : found) {
    kernel.name = name;
    kernel.entry = address_of(program, kernel.arguments ? name + ".entry" : name);
    if (const auto frame = program.stack_frames.find(kernel.entry); frame != program.stack_frames.end())
      kernel.private_bytes = frame->second;
    if (kernel.arguments)
      kernel.shared_bytes +=
          address_of(program, kernel.open_shared ? "__group_shared_end" : "__group_shared_size");
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
  throw input::UserError(
      fmt::format("{} {}: expected X, XxY or XxYxZ with numbers from 1, for example 16 or 8x4", what, text));
}

BlockExtent parse_block(const std::string& what, const std::string& text) {
  BlockExtent block;
  const std::size_t comma = text.find(',');
  block.threads = parse_extent(what, text.substr(0, comma));
  if (comma == std::string::npos) return block;
  const auto bytes = input::parse_number(text.substr(comma + 1));
  if (!bytes || *bytes > 0xFFFF'FFFF)
    throw input::UserError(fmt::format(
        "{} {}: the number after the comma is shared memory in bytes, for example 256,4096", what, text));
  block.shared_bytes = static_cast<std::uint32_t>(*bytes);
  return block;
}

}  // namespace spica::loader
