// SPDX-License-Identifier: Apache-2.0
// Values of a design file that are legal alone but not together, or that only this folder can read.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "platform/base/config/field.h"
#include "platform/base/input/user_error.h"
#include "platform/workloads/condition.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

namespace {

using config::Contradiction;

/// Why `read` throws; empty: it does not.
std::string reason(const std::function<void()>& read) {
  try {
    read();
  } catch (const input::UserError& error) {
    return error.what();
  }
  return {};
}

/// A layout puts that many elements together. A tile of one element means that the kernel says its own.
void check_layout(OperandLayout layout, std::uint32_t across, std::uint32_t k, const std::string& operand,
                  const std::string& tile_across, const Contradiction& contradiction) {
  const std::string key = fmt::format("operands.{}.layout", operand);
  const bool decoupled = layout == OperandLayout::kDecoupledA || layout == OperandLayout::kDecoupledB;
  if (layout == OperandLayout::kPairsAcross && k % 2 != 0)
    contradiction({key, "tile.k"}, "operands in pairs along k need an even tile.k");
  if (decoupled && k % 32 != 0)
    contradiction({key, "tile.k"}, "blocks of a decoupled tensor core have 32 elements along k");
  if (const std::uint32_t block = layout == OperandLayout::kDecoupledA ? 16 : 32;
      decoupled && across % block != 0)
    contradiction({key, tile_across},
                  fmt::format("blocks of a decoupled tensor core must be {} elements wide", block));
  if (layout == OperandLayout::kSwizzledA && (across % 8 != 0 || k % 16 != 0))
    contradiction({key, tile_across, "tile.k"}, "swizzled squares have 8 rows and 16 elements along k");
  if (layout == OperandLayout::kSwizzledB && (across % 16 != 0 || k % 2 != 0))
    contradiction({key, tile_across, "tile.k"}, "swizzled squares have 16 columns and 2 elements along k");
  const bool rows_of_a = layout == OperandLayout::kRowsOfKA;
  if (const std::uint32_t tile = rows_of_a ? 128 : 64;
      (rows_of_a || layout == OperandLayout::kRowsOfKB) && (across % tile != 0 || k % 128 != 0))
    contradiction({key, tile_across, "tile.k"},
                  fmt::format("tiles of rows of k have {} {} and 128 elements along k", tile,
                              rows_of_a ? "rows" : "columns"));
}

}  // namespace

void check_layouts(const GemmDesign& design, const Contradiction& contradiction) {
  const GemmOperands& operands = design.operands;
  const std::uint32_t k = design.slots(design.tile.k);
  check_layout(operands.a.layout, design.tile.m, k, "a", "tile.m", contradiction);
  check_layout(operands.b.layout, design.tile.n, k, "b", "tile.n", contradiction);
  if (operands.c.layout == OperandLayout::kDecoupledC && (design.tile.m % 16 != 0 || design.tile.n % 16 != 0))
    contradiction({"operands.c.layout", "tile.m", "tile.n"},
                  "C of a decoupled tensor core comes in tiles of 16 x 16");
}

namespace {

void check_operands(const GemmDesign& design, const Contradiction& contradiction) {
  const GemmOperands& operands = design.operands;
  if (operands.a.element != operands.b.element)
    contradiction({"operands.a.element", "operands.b.element"}, "A and B must have the same elements");
  if (operands.a.address >= operands.b.address)
    contradiction({"operands.a.address", "operands.b.address"}, "A must lie below B");
  if (operands.b.address >= operands.c.address)
    contradiction({"operands.b.address", "operands.c.address"}, "B must lie below C");
  const std::pair<const char*, std::uint64_t> places[] = {
      {"a", operands.a.address}, {"b", operands.b.address}, {"c", operands.c.address}};
  for (const auto& [name, address] : places)
    if (address % 4 != 0)
      contradiction({fmt::format("operands.{}.address", name)}, "an operand must begin at a multiple of 4");
  if (design.tile.macs() != 1) check_layouts(design, contradiction);
}

void check_size(const GemmDesign& design, const std::string& key, const std::string& text,
                const Contradiction& contradiction) {
  std::vector<GemmSize> sizes;
  if (const std::string why = reason([&] { sizes = parse_gemm_sizes(text); }); !why.empty())
    return contradiction({key}, why);
  if (sizes.size() != design.matrix_units.size())
    contradiction({key, "matrix_units"}, "a design needs a size and a matrix unit for each of its products");
}

void check_machines(const GemmDesign& design, const Contradiction& contradiction) {
  check_needs(design.needs, contradiction);
  if (design.follows.empty()) return;
  const MachineValues machine{soc::SocParams()};
  for (std::size_t i = 0; i < design.follows.size(); ++i) {
    const std::size_t at = design.follows[i].find('=');
    const std::string key = fmt::format("follows.{}", i);
    if (at == std::string::npos || at == 0) contradiction({key}, "expected NAME=KEY");
    else if (!machine.knows(design.follows[i].substr(at + 1)))
      contradiction({key}, fmt::format("no machine has the key {}", design.follows[i].substr(at + 1)));
  }
}

void check_arguments(const GemmDesign& design, const Contradiction& contradiction) {
  GemmDesign one = design;
  one.matrix_units = {0};
  for (std::size_t i = 0; i < design.arguments.size(); ++i) {
    one.arguments = {design.arguments[i]};
    const std::string why = reason([&] { argument_block(one, {GemmSize{1, 1, 1}}, {GemmLayout{}}); });
    if (!why.empty()) contradiction({fmt::format("arguments.{}", i)}, why);
  }
}

}  // namespace

void GemmDesign::check(const GemmDesign& design, const Contradiction& contradiction) {
  check_operands(design, contradiction);
  check_size(design, "size", design.size, contradiction);
  for (std::size_t i = 0; i < design.published.size(); ++i)
    check_size(design, fmt::format("published.{}.size", i), design.published[i].size, contradiction);
  if (design.kernel.empty() && design.source.empty())
    contradiction({"kernel", "source"}, "a design needs a kernel, a source that is compiled, or both");
  if (design.source.empty() && !design.follows.empty())
    contradiction({"follows", "source"}, "only a source that is compiled can adapt to the machine");
  check_machines(design, contradiction);
  if (design.rule.tolerance != 0 && design.rule.order == GemmCheckRule::Order::kUnit)
    contradiction({"check.tolerance", "check.order"}, "a tolerance has no effect if bits are compared");
  check_arguments(design, contradiction);
}

}  // namespace spica::workloads
