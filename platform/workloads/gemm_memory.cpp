// SPDX-License-Identifier: Apache-2.0
// The places of the matrices of a design, and their description for its kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/built_for.h"
#include "platform/machine/soc/key_of.h"
#include "platform/workloads/gemm_design.h"
#include "platform/workloads/timed_region.h"

namespace spica::workloads {

namespace {

std::uint64_t aligned(std::uint64_t address, std::uint64_t alignment) {
  return (address + alignment - 1) / alignment * alignment;
}

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
    throw input::UserError(
        fmt::format("arguments item '{}': '{}' is neither a number nor one of {}", item, value, known));
  return item;
}

std::uint64_t bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

/// The design with its source compiled for `define`, which adds `arguments`.
GemmDesign compiled_for(GemmDesign design, const std::string& define,
                        const std::vector<std::string>& arguments, const char* what) {
  if (design.matrix_units.size() != 1)
    throw input::UserError(fmt::format("design {} computes {} products in a run, and no {}", design.name,
                                       design.matrix_units.size(), what));
  if (design.source.empty())
    throw input::UserError(
        fmt::format("design {} has no source that could be compiled for {}, only a kernel for one product",
                    design.name, what));
  design.kernel.clear();
  design.kernel_file.clear();
  design.defines.push_back(define);
  design.arguments.insert(design.arguments.end(), arguments.begin(), arguments.end());
  return design;
}

GemmDesign timed_as_published(GemmDesign design) {
  if (design.window == Window::kResults || design.source.empty()) return design;  // its kernel as it is
  design.kernel.clear();
  design.kernel_file.clear();
  design.defines.emplace_back(kRegionDefine);
  return design;
}

namespace {
/// What a kernel that finishes the sums of a matrix unit asks of the machine (sw/kernels/gemm_common/unit_epilogue.h).
void ask_for_finishing(GemmDesign& design, Element sums) {
  const soc::SocParams any = soc::any_machine(design.matrix_units.front());
  const auto& cluster = any.cluster;
  const std::string unit = key_of(any, cluster.matrix_units.back()) + ".";
  design.needs.push_back(fmt::format("{2}>={0}*{1}tile_m*{1}tile_n", 4 * element_bytes(sums), unit,
                                     key_of(any, cluster.shared_memory.size)));
  design.needs.push_back(key_of(any, cluster.core.barriers) + ">=3");
  const auto is_lanes = [lanes = key_of(any, cluster.core.lanes)](const std::string& text) {
    return text.substr(text.find('=') + 1) == lanes;
  };
  if (std::any_of(design.follows.begin(), design.follows.end(), is_lanes)) return;
  // Else warps that do not drive the unit finish a tile, which has the room of one of A, a block at a time.
  design.needs.push_back(fmt::format("{1}<={0}dim*{0}dim", unit, key_of(any, cluster.core.lanes)));
  design.needs.push_back(key_of(any, cluster.core.lanes) + "=1|2|4|8|16|32");
  design.needs.push_back(
      fmt::format("{}>=2 if {}=1", key_of(any, cluster.core.warps), key_of(any, cluster.cores)));
  design.needs.push_back(fmt::format("{0}tile_n<={0}tile_k if {0}command_set=quartile_v1", unit));
}

}  // namespace

GemmDesign finished_by(GemmDesign design, const Epilogue& epilogue) {
  const Element sums = design.operands.c.element;
  if (design.rule.reference != Activation::kNone)
    throw input::UserError(fmt::format(
        "design {} has its own activation; omit --bias, --activation and --output-format", design.name));
  const bool is_narrow = sums != Element::kFp32 && sums != Element::kInt32;
  if (is_narrow && design.unit != ComputeUnit::kMatrixUnit)
    throw input::UserError(fmt::format(
        "design {} stores sums of {}: --bias, --activation and --output-format need those of fp32 or int32, for example "
        "of virgo-dma, ampere-fp32, turing-fp32 or simt",
        design.name, numeric::info(sums).key));
  design = compiled_for(std::move(design), "GEMM_EPILOGUE", {"u64:bias", "u32:scale", "u32:per_step"},
                        "--bias, --activation or --output-format");
  if (epilogue.bias) design.defines.emplace_back("GEMM_BIAS");
  if (sums == Element::kInt32) design.defines.emplace_back("GEMM_INT_SUMS");
  if (is_narrow) design.defines.push_back(fmt::format("GEMM_{}_SUMS", element_name(sums)));
  if (design.unit == ComputeUnit::kMatrixUnit) ask_for_finishing(design, sums);
  if (design.window == Window::kCommands)
    design.window = Window::kResults;  // elements are finished behind them
  if (design.operands.c.layout == OperandLayout::kDecoupledC)
    design.operands.c.layout = OperandLayout::kAlongK;  // by way of shared memory
  if (epilogue.activation != Activation::kNone)
    design.defines.push_back(fmt::format("GEMM_ACTIVATION={}", kActivations.name_of(epilogue.activation)));
  design.defines.push_back("GEMM_OUTPUT_" + element_name(epilogue.output));
  design.epilogue = epilogue;
  return design;
}

MatrixRoom matrix_room(const soc::SocParams& params) {
  constexpr std::uint64_t kProgram = 0x8000'0000, kEnough = std::uint64_t{64} << 20;
  const std::uint64_t stacks = soc::own_stacks(params).lowest(params.harts());
  if (stacks < kOperandsBegin + kEnough && params.main_memory.base < kProgram)
    return {params.main_memory.base, kProgram};
  // At kOperandsBegin there is no room for a matrix.
  return {kOperandsBegin, std::clamp(stacks, kOperandsBegin, kStacksBegin)};
}

std::vector<GemmLayout> layouts_of(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                   std::uint64_t alignment, const MatrixViews* views,
                                   const MatrixRoom& room) {
  const GemmOperands& operands = design.operands;
  std::vector<GemmLayout> layouts(sizes.size());
  const auto inside = [&room](std::uint64_t address) { return address >= room.begin && address < room.end; };
  const std::uint64_t first = inside(operands.a.address) ? operands.a.address : room.begin;
  std::uint64_t next = first, end = 0;
  const auto place = [&](std::uint64_t& address, std::uint64_t elements, Element element) {
    address = next;
    end = next + numeric::stored_bytes(element, elements);
    next = aligned(end, alignment);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].a,
          views != nullptr ? elements_of(views->a, operands.a.layout, sizes[i])
                           : sizes[i].m * design.stored_elements(sizes[i].k),
          design.stored_a());
  const auto begin = [&](std::uint64_t address) {
    constexpr std::uint64_t kOfKinds = std::uint64_t{1} << 20;
    next = end <= address && inside(address) ? address : aligned(end, kOfKinds);
  };
  begin(operands.b.address);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].b,
          views != nullptr ? elements_of_b(*views, operands.b.layout, sizes[i])
                           : sizes[i].n * design.stored_elements(sizes[i].k),
          design.stored_b());
  begin(operands.c.address);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    place(layouts[i].c, elements_of(sizes[i].m, sizes[i].n, views != nullptr ? views->ldc : sizes[i].n),
          design.result());
  if (views != nullptr) {
    std::uint64_t runs = 0;
    place(runs, views->a.starts.size(), Element::kFp32);  // words
    for (GemmLayout& layout : layouts) layout.runs = runs;
  }
  if (design.scale_depth != 0)
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint64_t blocks = sizes[i].k / numeric::info(*design.blocks).block;
      place(layouts[i].scales_a, sizes[i].m * blocks, Element::kUint8);
      place(layouts[i].scales_b, sizes[i].n * blocks, Element::kUint8);
    }
  if (design.epilogue && design.epilogue->bias)
    for (std::size_t i = 0; i < sizes.size(); ++i) place(layouts[i].bias, sizes[i].n, Element::kFp32);
  if (end > room.end)
    throw input::UserError(fmt::format(
        "size {}: the matrices do not fit into memory, {:#x} to {:#x}, between program and stacks",
        sizes_text(sizes), first, room.end));
  return layouts;
}

std::vector<unsigned char> argument_block(const GemmDesign& design, const std::vector<GemmSize>& sizes,
                                          const std::vector<GemmLayout>& layouts, const MatrixViews* views) {
  const loader::Program no_program;
  const loader::SourceMap no_symbols(no_program);
  std::string text;
  const MatrixViews view = views != nullptr ? *views : MatrixViews{};
  const Epilogue epilogue = design.epilogue.value_or(Epilogue{});
  const bool is_batch = sizes.size() > design.matrix_units.size();
  const auto stride = [&](std::uint64_t GemmLayout::* matrix) {
    return is_batch ? layouts[1].*matrix - layouts[0].*matrix : 0;
  };
  for (std::size_t i = 0; i < (is_batch ? 1 : sizes.size()); ++i)
    for (const std::string& item : design.arguments)
      text += (text.empty() ? "" : ",") + with_value(item, {{"m", sizes[i].m},
                                                            {"n", sizes[i].n},
                                                            {"k", design.slots(sizes[i].k)},
                                                            {"unit", design.matrix_units[i]},
                                                            {"a", layouts[i].a},
                                                            {"b", layouts[i].b},
                                                            {"c", layouts[i].c},
                                                            {"batch", sizes.size()},
                                                            {"stride_a", stride(&GemmLayout::a)},
                                                            {"stride_b", stride(&GemmLayout::b)},
                                                            {"stride_c", stride(&GemmLayout::c)},
                                                            {"lda", view.a.leading},
                                                            {"ldb", view.ldb},
                                                            {"ldc", view.ldc},
                                                            {"run", view.a.run},
                                                            {"runs", layouts[i].runs},
                                                            {"scale_a", bits(layouts[i].scale_a)},
                                                            {"scale_b", bits(layouts[i].scale_b)},
                                                            {"scales_a", layouts[i].scales_a},
                                                            {"scales_b", layouts[i].scales_b},
                                                            {"bias", layouts[i].bias},
                                                            {"scale", bits(epilogue.scale)},
                                                            {"per_step", bits(epilogue.per_step)}});
  if (text.empty()) return {};
  return loader::parse_arguments(text, no_symbols, "arguments");
}

}  // namespace spica::workloads
