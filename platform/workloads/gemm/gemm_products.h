// SPDX-License-Identifier: Apache-2.0
// The products of a run of `spica gemm`: their operands, where they are in memory, and whether the results are right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/machine/soc/soc_params.h"
#include "platform/observe/check/matrix_layout.h"
#include "platform/workloads/block_operand.h"
#include "platform/workloads/convolution.h"
#include "platform/workloads/gemm_design.h"
#include "platform/workloads/matrix_view.h"
#include "platform/workloads/special_values.h"

namespace spica::job {
class Job;
struct JobOptions;
}  // namespace spica::job
namespace spica::loader {
struct Program;
}

namespace spica::workloads {

/// The products of a run.
struct ProductsRequest {
  std::vector<GemmSize> sizes;  // of all products
  std::optional<Convolution> convolution;  // that the only size comes from
  LeadingDimensions leading;
  std::uint64_t seed = 1;
  /// Operands are numbers of FP32, the same for all formats, rounded to that of the design.
  bool of_reals = false;
  bool scaled = false;  // with a scale for each tensor, which integers have unless these are given
  numeric::BlockScale block_scale = numeric::BlockScale::kFloor;
  std::vector<float> given_a, given_b;  // instead of random numbers, m x k and k x n
  std::vector<float> given_bias;  // instead of random numbers, n; where the design has one
  std::optional<double> output_step;  // what a step of C means; nothing: what fits
  /// Rows do not follow each other.
  bool strided() const { return convolution || !leading.natural(); }
};

struct Places;

/// The job runs the program of the design on the machine that its options name by now, with what the design suppresses.
/// Both must outlive the choice of the program.
void choose_program(job::JobOptions& job, const GemmDesign& design, const Places& places);
/// Gives the design the tile, and what rows are made of, that the program says, if it does.
void take_tile(GemmDesign& design, const loader::Program& program);

class Products {
 public:
  /// Throws UserError.
  Products(const ProductsRequest& request, const GemmDesign& design, const soc::SocParams& machine);

  /// Sizes with what the kernel's tiles add.
  const std::vector<GemmSize>& padded() const { return padded_; }
  /// Where the matrices of a product are.
  const GemmLayout& layout(std::size_t product) const { return products_[product].layout; }
  /// Writes the operands and the argument block, and names the buffers.
  void write(job::Job& job) const;
  /// All products, as if they were one. With several, `matrix` names the one that is wrong.
  GemmCheck check(job::Job& job, std::string& matrix) const;
  /// How far all products are from those of the operands before they were rounded.
  FormatErrors format_errors(job::Job& job) const;
  /// What became of numbers beyond the format of an operand, and how many elements of C are infinite or NaN, as
  /// check() found; empty: nothing.
  std::string special_notes() const;
  /// C of the first product, m x n of what was asked for: a file of numpy. Without an epilogue numbers mean A * B,
  /// float32 where C has a scale.
  std::vector<unsigned char> result_file(job::Job& job, const GemmSize& size) const;
  /// What 1 of C means, of the first product.
  double scale() const {
    return design_.epilogue ? 1 / static_cast<double>(design_.epilogue->per_step) : products_.front().scale;
  }

 private:
  struct Product {
    GemmSize size;
    GemmLayout layout;
    std::vector<float> a, b;
    std::vector<float> real_a, real_b;  // before they were rounded; empty: they were not
    std::vector<float> stored_a, stored_b;  // in memory; empty: `a`, `b`
    double scale = 1;  // of the product of `a` and `b`
    std::uint64_t beyond = 0;  // numbers of files that became the largest of their format
    std::vector<float> sums;  // with an epilogue: what it begins with
    BlockOperand blocks_a, blocks_b;  // with scales: what they are made of
  };
  void prepare_epilogue(const ProductsRequest& request, const soc::SocParams& machine);
  GemmCheck check(job::Job& job, std::size_t product, const std::vector<float>& c) const;
  std::vector<float> result_of(job::Job& job, const Product& product, std::vector<float>& memory) const;
  std::vector<std::int32_t> integers_of(job::Job& job, const Product& product) const;
  std::vector<bool> wrong_integers(job::Job& job, const Product& product) const;
  void count_special(const float* row, std::uint32_t columns) const;
  void round(Product& product, const ProductsRequest& request) const;
  void make(const ProductsRequest& request);
  void make_convolution(const ProductsRequest& request);
  const MatrixViews* views() const { return views_ ? &*views_ : nullptr; }
  std::uint32_t ldc(const Product& product) const { return views_ ? views_->ldc : product.size.n; }
  check::MatrixLayout layout_of(const Product& product, OperandLayout layout, bool is_a) const;
  std::vector<float> memory_of_a(const Product& product) const;
  std::vector<float> memory_of_b(const Product& product) const;

  GemmDesign design_;  // with the steps of its epilogue
  std::vector<GemmSize> sizes_, padded_;
  std::optional<MatrixViews> views_;
  std::vector<float> image_;  // what A is a view of
  std::vector<float> bias_;  // of the columns of all products
  std::vector<Product> products_;
  mutable SpecialCount special_;  // of what check() read
};

}  // namespace spica::workloads
