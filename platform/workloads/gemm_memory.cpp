// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a design are, and what its kernel is told about them.
#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "platform/loader/argument_block.h"
#include "platform/loader/program.h"
#include "platform/loader/source_map.h"
#include "platform/loader/user_error.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

namespace {

constexpr std::uint64_t kAlignment = 1 << 20;

std::uint64_t aligned(std::uint64_t address) { return (address + kAlignment - 1) / kAlignment * kAlignment; }

using Names = std::vector<std::pair<std::string, std::uint64_t>>;

/// "u32:m" with the value that m has.
std::string with_value(const std::string& item, const Names& names) {
  const std::size_t colon = item.find(':');
  if (colon == std::string::npos) return item;
  const std::string value = item.substr(colon + 1);
  std::string known;
  for (const auto& [name, number] : names) {
    if (name == value) return fmt::format("{}:{}", item.substr(0, colon), number);
    known += (known.empty() ? "" : ", ") + name;
  }
  if (!value.empty() && std::isalpha(static_cast<unsigned char>(value.front())) != 0)
    throw loader::UserError(
        fmt::format("arguments item '{}': '{}' is neither a number nor one of {}", item, value, known));
  return item;
}

}  // namespace

std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes) {
  const GemmOperands& operands = design.operands;
  std::vector<GemmLayout> layouts(sizes.size());
  std::uint64_t next = operands.a.address, end = 0;
  const auto place = [&](std::uint64_t& address, std::uint64_t elements, Element element) {
    address = next;
    end = next + elements * element_bytes(element);
    next = aligned(end);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].a, std::uint64_t{sizes[i].m} * sizes[i].k, operands.a.element);
  next = end <= operands.b.address ? operands.b.address : next;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].b, std::uint64_t{sizes[i].k} * sizes[i].n, operands.b.element);
  next = end <= operands.c.address ? operands.c.address : next;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].c, std::uint64_t{sizes[i].m} * sizes[i].n, operands.c.element);
  if (end > kStacksBegin)
    throw loader::UserError(fmt::format("size {}: the matrices do not fit into memory", sizes_text(sizes)));
  return layouts;
}

std::vector<unsigned char> argument_block(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                          const std::vector<GemmLayout>& layouts) {
  const loader::Program no_program;
  const loader::SourceMap no_symbols(no_program);
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (const std::string& item : design.arguments)
      text += (text.empty() ? "" : ",") + with_value(item, {{"m", sizes[i].m},
                                                            {"n", sizes[i].n},
                                                            {"k", sizes[i].k},
                                                            {"unit", design.matrix_units[i]},
                                                            {"a", layouts[i].a},
                                                            {"b", layouts[i].b},
                                                            {"c", layouts[i].c}});
  if (text.empty()) return {};
  return loader::parse_arguments(text, no_symbols, "arguments");
}

}  // namespace spica::workloads
