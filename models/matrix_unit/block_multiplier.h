// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "models/matrix_unit/array_kernels.h"
#include "models/matrix_unit/block_scales.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/matrix_unit_params.h"

namespace spica::matrix_unit {

/// The operand of a preload or a compute: DIM rows of DIM words. Missing rows and columns count as zero.
class OperandBlock {
 public:
  explicit OperandBlock(const MatrixUnitParams& params)
      : row_bytes_(params.row_bytes()), data_(params.dim * params.row_bytes()) {}

  /// Begins a block of `rows` rows of `bytes` bytes each.
  void begin(std::uint32_t rows, std::uint32_t bytes) {
    bytes_ = bytes;
    if (rows * row_bytes_ < data_.size() || bytes < row_bytes_) clear();
  }
  /// Sets `rows` rows from `row` on, which are consecutive in `from`.
  void put(std::uint32_t row, std::uint32_t rows, const unsigned char* from) {
    std::memcpy(&data_[row * row_bytes_], from, rows * bytes_);
  }
  const unsigned char* data() const { return data_.data(); }
  /// Not saved: row_bytes_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(bytes_, data_);
  }
  void clear() { std::fill(data_.begin(), data_.end(), static_cast<unsigned char>(0)); }

 private:
  std::uint32_t row_bytes_, bytes_ = 0;
  std::vector<unsigned char> data_;
};

/// The array without timing: holds two blocks of weights, those in use and those preloaded, and multiplies a block of A
/// by the former.
class BlockMultiplier {
 public:
  explicit BlockMultiplier(const MatrixUnitParams& params)
      : kernels_(array_kernels(static_cast<unsigned>(params.dim))),
        dim_(static_cast<unsigned>(params.dim)),
        macs_per_cell_(static_cast<unsigned>(params.macs_per_cell)),
        operand_(params.operand),
        keeps_operands_(params.sum_rule().has_value()),
        scaled_blocks_(params.block_scales ? params.scaled_blocks() : 0),
        scales_(params),
        weights_{OperandBlock(params), OperandBlock(params)},
        a_(dim_ * depth()),
        b_(dim_ * depth()),
        part_(params.block_scales ? dim_ * (dim_ + MatrixUnitParams::kScaledBlock) : 0) {}

  /// Takes `block` as weights for the next compute that flips; `block` is left with unspecified contents.
  void preload(const BlockWork& work, OperandBlock& block) {
    std::swap(weights_[active_ ^ 1], block);
    if (scaled_blocks_ == 0) return;
    of_weights_[active_ ^ 1] = work;
    if (work.first_of_k) scales_.keep_b(work, weights_[active_ ^ 1].data());
  }
  /// Numbers of a result: sums or, with a rule of sums, the operands (rule_sums.h).
  static std::size_t numbers_of(const MatrixUnitParams& params) {
    return params.dim * (params.sum_rule() ? 2 * params.block_depth() : params.dim);
  }
  /// One compute; `out` receives numbers_of() numbers. nullptr: the compute has no result.
  void compute(const BlockWork& work, const OperandBlock& a, float* out) {
    if (work.flip) active_ ^= 1;
    is_wide_ = is_wide_ && !work.flip;
    if (out == nullptr) return;
    if (scaled_blocks_ != 0) return multiply_scaled(work, a, out);
    if (!is_wide_) widen_weights();
    widen(a, a_.data());
    if (keeps_operands_) std::copy(b_.begin(), b_.end(), std::copy(a_.begin(), a_.end(), out));
    else kernels_.multiply(a_.data(), b_.data(), depth(), out);
  }
  /// Not saved: a_, b_ and part_, which are derived from the blocks.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(weights_[0], weights_[1], active_, scales_, of_weights_[0], of_weights_[1]);
    is_wide_ = false;
  }
  void reset() {
    for (OperandBlock& weights : weights_) weights.clear();
    active_ = 0;
    is_wide_ = false;
    scales_.reset();
  }

 private:
  /// Elements of a block along k.
  unsigned depth() const { return dim_ * macs_per_cell_; }
  void widen(const OperandBlock& block, float* to) const;
  void widen_weights();
  void multiply_scaled(const BlockWork& work, const OperandBlock& a, float* out);

  const ArrayKernels& kernels_;
  const unsigned dim_, macs_per_cell_;
  const numeric::Format operand_;
  const bool keeps_operands_;
  const unsigned scaled_blocks_;  // scaled blocks of a block operation; 0: no scales
  BlockScales scales_;
  BlockWork of_weights_[2];  // with scales: position of the weights in the matrix
  OperandBlock weights_[2];  // NOLINT(modernize-use-default-member-init): of params
  unsigned active_ = 0;
  bool is_wide_ = false;  // b_ holds the weights in use
  std::vector<float> a_, b_;
  std::vector<float> part_;  // elements of A, and sums, of one scaled block
};

}  // namespace spica::matrix_unit
