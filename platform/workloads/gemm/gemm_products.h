// SPDX-License-Identifier: Apache-2.0
// The products of a run of `spica gemm`: their operands, their place in memory, and the check of their results.
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
  std::optional<Convolution> convolution;  // determines the only size
  LeadingDimensions leading;
  std::uint64_t seed = 1;
  /// Operands are the same FP32 numbers for all formats, rounded to that of the design.
  bool of_reals = false;
  bool scaled = false;  // one scale per tensor; integers always have one unless these are given
  numeric::BlockScale block_scale = numeric::BlockScale::kFloor;
  std::vector<float> given_a, given_b;  // instead of random numbers, m x k and k x n
  std::vector<float> given_bias;  // instead of random numbers, n; if the design has a bias
  std::optional<double> output_step;  // value of a step of C; empty: chosen to fit
  /// True if rows are not contiguous.
  bool strided() const { return convolution || !leading.natural(); }
};

struct Places;

/// Sets the job's program to that of the design for the machine in its options, with the design's suppressions. Both
/// must outlive the choice of the program.
void choose_program(job::JobOptions& job, const GemmDesign& design, const Places& places);
/// Takes the tile and the row granularity from the program, if it states them.
void take_tile(GemmDesign& design, const loader::Program& program);

class Products {
 public:
  /// Throws UserError.
  Products(const ProductsRequest& request, const GemmDesign& design, const soc::SocParams& machine);

  /// Sizes padded to the kernel's tiles.
  const std::vector<GemmSize>& padded() const { return padded_; }
  /// The addresses of the matrices of a product.
  const GemmLayout& layout(std::size_t product) const { return products_[product].layout; }
  /// Writes the operands and the argument block, and names the buffers.
  void write(job::Job& job) const;
  /// The check of all products together. With several products, `matrix` receives the name of a wrong one.
  GemmCheck check(job::Job& job, std::string& matrix) const;
  /// The distance of all products from those of the unrounded operands.
  FormatErrors format_errors(job::Job& job) const;
  /// Notes on numbers beyond an operand's format, and on infinite or NaN elements of C, from check(); empty: none.
  std::string special_notes() const;
  /// C of the first product, with its m x n elements, as a numpy file. Without an epilogue the numbers are A * B, in
  /// float32 if C has a scale.
  std::vector<unsigned char> result_file(job::Job& job, const GemmSize& size) const;
  /// The value of 1 in C, for the first product.
  double scale() const {
    return design_.epilogue ? 1 / static_cast<double>(design_.epilogue->per_step) : products_.front().scale;
  }

 private:
  struct Product {
    GemmSize size;
    GemmLayout layout;
    std::vector<float> a, b;
    std::vector<float> real_a, real_b;  // before rounding; empty: not rounded
    std::vector<float> stored_a, stored_b;  // in memory; empty: same as `a`, `b`
    double scale = 1;  // scale of the product of `a` and `b`
    std::uint64_t beyond = 0;  // numbers from files that saturated
    std::vector<float> sums;  // with an epilogue: its input
    BlockOperand blocks_a, blocks_b;  // with block scales: the operands
  };
  void prepare_epilogue(const ProductsRequest& request, const soc::SocParams& machine);
  GemmCheck check(job::Job& job, std::size_t product, const std::vector<float>& c) const;
  std::vector<float> result_of(job::Job& job, const Product& product, std::vector<float>& memory) const;
  template <class Word>
  std::vector<Word> words_of(job::Job& job, const Product& product) const;
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
  std::vector<float> image_;  // the data that A is a view of
  std::vector<float> bias_;  // for the columns of all products
  std::vector<Product> products_;
  mutable SpecialCount special_;  // of the data read by check()
};

}  // namespace spica::workloads
