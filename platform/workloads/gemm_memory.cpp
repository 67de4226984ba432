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

std::uint64_t aligned(std::uint64_t address, std::uint64_t alignment) {
  return (address + alignment - 1) / alignment * alignment;
}

constexpr const char* kBatchDefine = "GEMM_BATCHED";

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

GemmDesign batched(GemmDesign design) {
  if (design.matrix_units.size() != 1)
    throw loader::UserError(fmt::format("design {} computes {} products in a run, no batch of them",
                                        design.name, design.matrix_units.size()));
  if (design.source.empty())
    throw loader::UserError(fmt::format(
        "design {} has no source that could be compiled for a batch, only a kernel for one product",
        design.name));
  design.kernel.clear();
  design.kernel_file.clear();
  design.defines.emplace_back(kBatchDefine);
  for (const char* item : {"u32:batch", "u32:stride_a", "u32:stride_b", "u32:stride_c"})
    design.arguments.emplace_back(item);
  return design;
}

std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                   std::uint64_t alignment) {
  const GemmOperands& operands = design.operands;
  std::vector<GemmLayout> layouts(sizes.size());
  std::uint64_t next = operands.a.address, end = 0;
  const auto place = [&](std::uint64_t& address, std::uint64_t elements, Element element) {
    address = next;
    end = next + elements * element_bytes(element);
    next = aligned(end, alignment);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].a, std::uint64_t{sizes[i].m} * sizes[i].k, operands.a.element);
  const auto begin = [&](std::uint64_t address) {
    constexpr std::uint64_t kOfKinds = std::uint64_t{1} << 20;
    next = end <= address ? address : aligned(end, kOfKinds);
  };
  begin(operands.b.address);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].b, std::uint64_t{sizes[i].k} * sizes[i].n, operands.b.element);
  begin(operands.c.address);
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
  const bool is_batch = sizes.size() > design.matrix_units.size();
  const auto stride = [&](std::uint64_t GemmLayout::* matrix) {
    return is_batch ? layouts[1].*matrix - layouts[0].*matrix : 0;
  };
  for (std::size_t i = 0; i < (is_batch ? 1 : sizes.size()); ++i)
    for (const std::string& item : design.arguments)
      text += (text.empty() ? "" : ",") + with_value(item, {{"m", sizes[i].m},
                                                            {"n", sizes[i].n},
                                                            {"k", sizes[i].k},
                                                            {"unit", design.matrix_units[i]},
                                                            {"a", layouts[i].a},
                                                            {"b", layouts[i].b},
                                                            {"c", layouts[i].c},
                                                            {"batch", sizes.size()},
                                                            {"stride_a", stride(&GemmLayout::a)},
                                                            {"stride_b", stride(&GemmLayout::b)},
                                                            {"stride_c", stride(&GemmLayout::c)}});
  if (text.empty()) return {};
  return loader::parse_arguments(text, no_symbols, "arguments");
}

}  // namespace spica::workloads
