// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm/gemm_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "models/numeric/convert.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/program.h"
#include "platform/run/job.h"
#include "platform/workloads/arithmetic.h"
#include "platform/workloads/gemm_loads.h"
#include "platform/workloads/npy.h"
#include "platform/workloads/places.h"
#include "platform/workloads/special_values.h"

namespace spica::workloads {

namespace {

/// A matrix of `columns` columns as the corner of a larger one.
std::vector<float> corner(std::vector<float> matrix, std::uint64_t columns, std::uint64_t rows_of_all,
                          std::uint64_t columns_of_all) {
  if (matrix.size() == rows_of_all * columns_of_all) return matrix;
  std::vector<float> all(rows_of_all * columns_of_all);
  for (std::uint64_t row = 0; row < matrix.size() / columns; ++row)
    std::copy_n(matrix.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                all.begin() + static_cast<std::ptrdiff_t>(row * columns_of_all));
  return all;
}

/// The other way: of a matrix of `columns_of_all` columns.
template <class Number>
std::vector<Number> part(const std::vector<Number>& all, std::uint64_t columns_of_all, const GemmSize& size) {
  std::vector<Number> matrix(std::uint64_t{size.m} * size.n);
  for (std::uint64_t row = 0; row < size.m; ++row)
    std::copy_n(&all[row * columns_of_all], size.n, &matrix[row * size.n]);
  return matrix;
}

std::uint64_t bytes_of(std::uint64_t elements, Element element) {
  return numeric::stored_bytes(element, elements);
}

check::MatrixLayout matrix_of(Element element, std::uint64_t line, bool columns) {
  const numeric::FormatInfo& format = numeric::info(element);
  return {format.key, format.stored_bits, line, columns};
}

}  // namespace

void choose_program(job::JobOptions& job, const GemmDesign& design, const Places& places) {
  job.elf_for = [&design, &places, config = job.config,
                 overrides = job.overrides](const soc::SocParams& params) {
    check_machine(design, params);
    return places.program(design, config, overrides, params);
  };
  if (!job.checks.empty() && !design.suppressions_file.empty())
    job.suppressions.push_back(design.suppressions_file);
}

void take_tile(GemmDesign& design, const loader::Program& program) {
  const loader::ElfNotes& notes = program.notes;
  const std::pair<const char*, std::uint32_t*> extents[] = {{"gemm.tile_m", &design.tile.m},
                                                            {"gemm.tile_n", &design.tile.n},
                                                            {"gemm.tile_k", &design.tile.k},
                                                            {"gemm.row_elements", &design.row_elements}};
  for (const auto& [key, extent] : extents)
    if (const auto number = notes.number(key); number && *number != 0)
      *extent = static_cast<std::uint32_t>(*number);
  design.tile.k = design.elements_of_tile(design.tile.k);
}

Products::Products(const ProductsRequest& request, const GemmDesign& design, const soc::SocParams& machine)
    : design_(design), sizes_(request.sizes) {
  for (const GemmSize& size : request.sizes) padded_.push_back(workloads::padded(design, size, machine));
  if (request.strided()) {
    const auto& operands = design.operands;
    views_ = views_of(padded_.front(), request.leading, operands.a.layout, operands.b.layout,
                      std::max(design.row_elements, 4 / element_bytes(design.element())));
  }
  if (request.convolution) make_convolution(request);
  else make(request);
  for (const Product& p : products_)
    if (p.layout.scale_a != products_.front().layout.scale_a ||
        p.layout.scale_b != products_.front().layout.scale_b)
      throw input::UserError(
          "--a-format and --b-format: all products of a batch share one scale; omit --batch, or use a "
          "format without scales");
  if (design_.epilogue) prepare_epilogue(request, machine);
  const bool is_batch = padded_.size() > design.matrix_units.size();
  const auto layouts = layouts_of(design, padded_, is_batch ? kBatchAlignment : kProductAlignment, views(),
                                  matrix_room(machine));
  for (std::size_t i = 0; i < products_.size(); ++i) {
    const GemmLayout of_loads = products_[i].layout;
    products_[i].layout = layouts[i];
    products_[i].layout.scale_a = of_loads.scale_a;
    products_[i].layout.scale_b = of_loads.scale_b;
  }
}

/// The operands in the format of the design.
void Products::round(Product& p, const ProductsRequest& request) const {
  const Element element = design_.element();
  p.real_a = p.a;
  p.real_b = p.b;
  if (design_.blocks) {
    std::vector<float> columns(p.b.size());
    for (std::uint64_t k = 0; k < p.size.k; ++k)
      for (std::uint64_t j = 0; j < p.size.n; ++j) columns[j * p.size.k + k] = p.b[k * p.size.n + j];
    p.blocks_a = in_blocks(*design_.blocks, p.a, p.size.m, p.size.k, request.block_scale);
    p.blocks_b = in_blocks(*design_.blocks, columns, p.size.n, p.size.k, request.block_scale);
    return;
  }
  const auto scale_of = [&](const std::vector<float>& values, bool given) {
    const bool fits = numeric::info(element).is_float || (given && are_integers_of(values, element));
    const bool scaled = request.scaled && numeric::info(element).stored_bits <= 8;
    return fits && !scaled ? 1 : tensor_scale(values, element);
  };
  const auto make = [&](std::vector<float>& values, bool given, std::optional<Element> format,
                        std::vector<float>& stored, float& scale) {
    if (!format) {
      const double step = scale_of(values, given);
      p.beyond += count_beyond(values, element, step);
      values = quantised(std::move(values), element, step);
      return step;
    }
    LoadedValues loaded = load_values(values, *format, element, request.scaled);
    p.beyond += loaded.beyond;
    values = std::move(loaded.loaded);
    stored = std::move(loaded.stored);
    scale = loaded.scale;
    return loaded.step;
  };
  p.scale = make(p.a, !request.given_a.empty(), design_.loaded_a.format, p.stored_a, p.layout.scale_a) *
            make(p.b, !request.given_b.empty(), design_.loaded_b.format, p.stored_b, p.layout.scale_b);
}

void Products::make(const ProductsRequest& request) {
  const Element element = design_.element();
  for (std::size_t i = 0; i < padded_.size(); ++i) {
    const GemmSize &all = padded_[i], &size = request.sizes[i];
    const std::uint64_t own_seed = request.seed + (std::uint64_t{i} << 32);
    const auto drawn = [&](std::uint64_t count, std::uint64_t seed) {
      return make_operand(count, seed, request.of_reals ? Element::kFp32 : element);
    };
    std::vector<float> a = request.given_a, b = request.given_b;
    if (a.empty()) {
      a = drawn(std::uint64_t{size.m} * size.k, 2 * own_seed);
      b = drawn(std::uint64_t{size.k} * size.n, 2 * own_seed + 1);
    }
    Product product;
    product.size = all;
    product.a = corner(std::move(a), size.k, all.m, all.k);
    product.b = corner(std::move(b), size.n, all.k, all.n);
    if (request.of_reals) round(product, request);
    products_.push_back(std::move(product));
  }
}

/// Its bias, and the steps of C.
void Products::prepare_epilogue(const ProductsRequest& request, const soc::SocParams& machine) {
  Epilogue& epilogue = *design_.epilogue;
  Product& p = products_.front();
  const GemmSize& size = request.sizes.front();
  if (epilogue.bias) {
    bias_ = request.given_bias.empty() ? make_operand(size.n, ~request.seed) : request.given_bias;
    if (bias_.size() != size.n)
      throw input::UserError(fmt::format("the bias has {} numbers, C {} columns", bias_.size(), size.n));
    bias_.resize(p.size.n);
  }
  epilogue.scale = static_cast<float>(p.scale);
  p.sums = design_.blocks ? sums_of(design_, machine, p.blocks_a, p.blocks_b)
                          : sums_of(design_, machine, 0, p.size, p.a, p.b);
  if (request.output_step) {
    epilogue.per_step = static_cast<float>(1 / *request.output_step);
  } else if (epilogue.has_steps() && (request.scaled || !numeric::info(epilogue.output).is_float)) {
    epilogue.per_step = fitting_step(epilogue, p.sums, bias_, size.m, size.n, p.size.n);
  }
}

void Products::make_convolution(const ProductsRequest& request) {
  const Convolution& convolution = *request.convolution;
  const Element element = design_.element();
  if (design_.operands.a.layout != OperandLayout::kAlongK)
    throw input::UserError(fmt::format(
        "design {} takes A column by column or in blocks; an image needs a design whose operands.a.layout is "
        "row_major, for example virgo-dma, tc, simt or turing-fp32",
        design_.name));
  const ImplicitGemm gemm = implicit_gemm(convolution, design_.tile.k, element);
  views_->a = gemm.view;
  const GemmSize& all = padded_.front();
  const std::uint64_t pixels = std::uint64_t{convolution.images} * convolution.height * convolution.width;
  const std::uint64_t weights = std::uint64_t{convolution.filters} * convolution.filter_height *
                                convolution.filter_width * convolution.channels;
  image_ = image_memory(convolution, gemm, all.m,
                        make_operand(pixels * convolution.channels, 2 * request.seed, element));
  Product product;
  product.size = all;
  product.a = viewed_matrix(image_, gemm.view, all.m, all.k);
  product.b =
      filter_matrix(convolution, gemm, all.k, all.n, make_operand(weights, 2 * request.seed + 1, element));
  products_.push_back(std::move(product));
}

std::vector<float> Products::memory_of_a(const Product& p) const {
  if (!image_.empty()) return image_;
  const OperandLayout layout = design_.operands.a.layout;
  std::vector<float> rows =
      arranged_a(p.stored_a.empty() ? p.a : p.stored_a, p.size.m, p.size.k, layout, design_.packing());
  if (!views_) return rows;
  return spread_rows(rows, layout == OperandLayout::kAcross ? p.size.m : p.size.k, views_->a.leading);
}

std::vector<float> Products::memory_of_b(const Product& p) const {
  const OperandLayout layout = design_.operands.b.layout;
  std::vector<float> rows =
      arranged_b(p.stored_b.empty() ? p.b : p.stored_b, p.size.k, p.size.n, layout, design_.packing());
  const std::uint32_t length = layout == OperandLayout::kAlongK ? p.size.k : p.size.n;
  return views_ && views_->ldb != length ? spread_rows(rows, length, views_->ldb) : rows;
}

/// Of A or B in memory. With scales, and of an image, nothing is known.
check::MatrixLayout Products::layout_of(const Product& p, OperandLayout layout, bool is_a) const {
  if (design_.blocks || !image_.empty()) return {};
  const auto [bits, slot_bits] = design_.packing();
  const bool along_k = layout == OperandLayout::kAlongK, pairs = layout == OperandLayout::kPairsAcross;
  const bool across = (layout == OperandLayout::kAcross || pairs) && bits <= slot_bits;
  const std::uint32_t length = along_k ? p.size.k : is_a ? p.size.m : p.size.n;
  const std::uint32_t line = !views_ ? length : is_a ? views_->a.leading : views_->ldb;
  check::MatrixLayout matrix = matrix_of(is_a ? design_.stored_a() : design_.stored_b(),
                                         along_k || across ? line : 0, along_k != is_a);
  if (across) matrix.lines = slot_bits / bits * (pairs ? 2 : 1);
  if (views_ && matrix.lines > 1) matrix.line = 0;
  return matrix;
}

void Products::write(job::Job& job) const {
  const Element result = design_.result();
  const auto put = [&](const std::string& name, std::uint64_t address,
                       const std::vector<unsigned char>& bytes) {
    if (!name.empty()) job.name_buffer(name, address, bytes.size());
    job.write(address, bytes.data(), bytes.size());
  };
  const auto put_operand = [&](const std::string& name, std::uint64_t address,
                               const std::vector<unsigned char>& bytes, const check::MatrixLayout& matrix) {
    job.name_buffer(name, address, bytes.size(), matrix, true);
    job.write(address, bytes.data(), bytes.size());
  };
  std::vector<GemmLayout> layouts;
  for (std::size_t i = 0; i < products_.size(); ++i) {
    const Product& p = products_[i];
    const std::string number = products_.size() > 1 ? std::to_string(i) : "";
    put_operand(
        "A" + number, p.layout.a,
        design_.blocks ? memory_of(design_, p.blocks_a, true) : encoded(memory_of_a(p), design_.stored_a()),
        layout_of(p, design_.operands.a.layout, true));
    put_operand(
        "B" + number, p.layout.b,
        design_.blocks ? memory_of(design_, p.blocks_b, false) : encoded(memory_of_b(p), design_.stored_b()),
        layout_of(p, design_.operands.b.layout, false));
    if (design_.scale_depth != 0) {
      put("scales of A" + number, p.layout.scales_a, memory_of_scales(design_, p.blocks_a));
      put("scales of B" + number, p.layout.scales_b, memory_of_scales(design_, p.blocks_b));
    }
    const std::uint64_t elements = elements_of(p.size.m, p.size.n, ldc(p));
    const bool in_order = design_.operands.c.layout != OperandLayout::kDecoupledC;
    job.name_buffer("C" + number, p.layout.c, bytes_of(elements, result),
                    matrix_of(result, in_order ? ldc(p) : 0, false));
    if (ldc(p) != p.size.n) {
      const std::vector<float> zeros(std::uint64_t{p.size.m} * p.size.n);
      put("", p.layout.c, encoded(spread_rows(zeros, p.size.n, ldc(p), between_rows(result)), result));
    }
    layouts.push_back(p.layout);
  }
  if (!bias_.empty()) put("bias", layouts.front().bias, encoded(bias_, Element::kFp32));
  if (views_) {
    std::vector<unsigned char> starts(bytes_of(views_->a.starts.size(), Element::kFp32));
    std::memcpy(starts.data(), views_->a.starts.data(), starts.size());
    put("runs", layouts.front().runs, starts);
  }
  put("", loader::kArgumentBlockAddress, argument_block(design_, padded_, layouts, views()));
}

/// C in its memory order as it is, in `memory`, and as a matrix.
std::vector<float> Products::result_of(job::Job& job, const Product& p, std::vector<float>& memory) const {
  const Element element = design_.result();
  const std::uint64_t leading = ldc(p);
  std::vector<unsigned char> bytes(bytes_of(elements_of(p.size.m, p.size.n, leading), element));
  job.read(p.layout.c, bytes.data(), bytes.size());
  memory = decoded(bytes, element);
  return gathered_c(gathered_rows(memory, p.size.n, leading), p.size.m, p.size.n, design_.operands.c.layout);
}

/// C as it is: all bits of its words; a float does not hold those of integers and of a NaN of FP16.
template <class Word>
std::vector<Word> Products::words_of(job::Job& job, const Product& p) const {
  const std::uint64_t leading = ldc(p);
  std::vector<Word> memory(elements_of(p.size.m, p.size.n, leading));
  job.read(p.layout.c, memory.data(), memory.size() * sizeof(Word));
  return gathered_c(gathered_rows(memory, p.size.n, leading), p.size.m, p.size.n, design_.operands.c.layout);
}

/// Which elements of C are not the sum of integer products.
std::vector<bool> Products::wrong_integers(job::Job& job, const Product& p) const {
  const auto c = words_of<std::int32_t>(job, p);
  const std::vector<std::int32_t> expected = exact_integers(p.size, p.a, p.b);
  std::vector<bool> wrong(c.size());
  std::transform(c.begin(), c.end(), expected.begin(), wrong.begin(), std::not_equal_to<>());
  return wrong;
}

GemmCheck Products::check(job::Job& job, std::size_t product, const std::vector<float>& c) const {
  const Product& p = products_[product];
  if (design_.epilogue && design_.blocks)
    return check_finished(design_, job.params(), p.size, p.blocks_a.values(*design_.blocks),
                          rows_of_b(*design_.blocks, p.blocks_b), p.sums, bias_, c);
  if (design_.epilogue) return check_finished(design_, job.params(), p.size, p.a, p.b, p.sums, bias_, c);
  if (design_.blocks) return check_blocks(design_, job.params(), p.blocks_a, p.blocks_b, c);
  const std::size_t number = std::min(product, design_.matrix_units.size() - 1);
  if (design_.result() != Element::kInt32)
    return check_design(design_, job.params(), number, p.size, p.a, p.b, c);
  // All bits of integers, which a float does not hold.
  const std::vector<bool> wrong = wrong_integers(job, p);
  return check_numbers(design_, job.params(), number, p.size, p.a, p.b, c, &wrong);
}

void Products::count_special(const float* row, std::uint32_t columns) const {
  // Nearly always there are none, which a product with 0 tells.
  float none = 0;
  for (std::uint32_t i = 0; i < columns; ++i) none += row[i] * 0.0f;
  if (none == 0) return;
  const SpecialCount one = workloads::count_special({row, row + columns});
  special_.infinite += one.infinite;
  special_.nan += one.nan;
}

GemmCheck Products::check(job::Job& job, std::string& matrix) const {
  GemmCheck all;
  special_ = {};
  for (std::size_t i = 0; i < products_.size(); ++i) {
    const Product& p = products_[i];
    std::vector<float> memory;
    const std::vector<float> c = result_of(job, p, memory);
    GemmCheck one = check(job, i, c);
    for (std::uint64_t row = 0; row < sizes_[i].m; ++row) count_special(&c[row * p.size.n], sizes_[i].n);
    one.between_rows = changed_between_rows(memory, p.size.n, ldc(p), between_rows(design_.result()));
    one.correct = one.correct && one.between_rows == 0;
    if (!one.correct && (i == 0 || all.correct) && products_.size() > 1) matrix = fmt::format("C{}", i);
    if (i == 0) all = one;
    else add(all, one);
  }
  return all;
}

FormatErrors Products::format_errors(job::Job& job) const {
  GemmCheck all;
  double elements = 0;
  for (const Product& p : products_) {
    std::vector<float> memory;
    std::vector<float> c = result_of(job, p, memory);
    const double step = design_.epilogue ? scale() : p.scale;
    if (step != 1)
      for (float& value : c) value = static_cast<float>(static_cast<double>(value) * step);
    const bool rounded = !p.real_a.empty();
    add(all, check_reals(design_, p.size, rounded ? p.real_a : p.a, rounded ? p.real_b : p.b, bias_, c));
    elements += static_cast<double>(c.size());
  }
  return workloads::format_errors(all, elements);
}

std::string Products::special_notes() const {
  std::string notes = special_text(special_);
  if (!notes.empty()) notes = "of C " + notes;
  std::uint64_t beyond = 0;
  for (const Product& p : products_) beyond += p.beyond;
  if (beyond != 0)
    notes += fmt::format("{}{} number{} of A and B saturated to the largest of the format",
                         notes.empty() ? "" : "; ", beyond, beyond == 1 ? "" : "s");
  return notes;
}

std::vector<unsigned char> Products::result_file(job::Job& job, const GemmSize& size) const {
  const Product& p = products_.front();
  Element element = design_.result();
  const auto as_it_is = [&](const auto& all) {
    const auto c = part(all, p.size.n, size);
    std::vector<unsigned char> bytes(c.size() * sizeof c.front());
    std::memcpy(bytes.data(), c.data(), bytes.size());
    return npy_file(size.m, size.n, element, bytes);
  };
  if (p.scale == 1) {
    if (element == Element::kInt32) return as_it_is(words_of<std::int32_t>(job, p));
    if (element == Element::kFp16) return as_it_is(words_of<std::uint16_t>(job, p));
  }
  std::vector<float> memory;
  std::vector<float> c = part(result_of(job, p, memory), p.size.n, size);
  if (!design_.epilogue) {
    for (float& value : c) value = static_cast<float>(static_cast<double>(value) * p.scale);
    if (element == Element::kBf16 || p.scale != 1) element = Element::kFp32;
  }
  return npy_file(size.m, size.n, element, encoded(c, element));
}

}  // namespace spica::workloads
