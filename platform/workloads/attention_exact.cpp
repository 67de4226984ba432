// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention_exact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/numeric/convert.h"
#include "platform/workloads/arithmetic.h"
#include "sw/lib/include/exponential.h"

namespace spica::workloads {

namespace {

constexpr std::uint32_t kTile = 64, kLanes = 8;
constexpr float kScoreScale = 0.125f;  // 1 / sqrt(64)

/// Of a kernel.
struct Order {
  bool polynomial;
  Element element;  // of Q, K, V and P
  bool is_unit;  // a matrix unit multiplies
  bool has_rows, has_lanes;  // SoftmaxOrder
  std::uint32_t sums;  // of a query, of different threads; has_rows: one
  std::uint32_t keys;  // of a tile that a thread adds up one after the other
  std::uint32_t together;  // queries that see the same tiles of keys

  bool has_words() const { return element == Element::kFp32; }

  Order(const AttentionDesign& design, Exponential exponential, const soc::SocParams& params)
      : polynomial(exponential == Exponential::kPolynomial),
        element(design.element),
        is_unit(design.unit == ComputeUnit::kMatrixUnit),
        has_rows(design.softmax == SoftmaxOrder::kRows),
        has_lanes(design.softmax == SoftmaxOrder::kLanes),
        sums(has_lanes  ? warps_of_query(params)
             : has_rows ? 1
                        : 8),
        keys(has_lanes ? 16 : 8),
        // Only that with tensor cores, lanes and FP32 has one tile of queries in flight.
        together(!is_unit && has_lanes && has_words() ? kTile : 2 * kTile) {}

 private:
  static std::uint32_t warps_of_query(const soc::SocParams& params) {
    const std::uint64_t warps = params.cluster.cores * params.cluster.core.warps;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(4, warps / kLanes));
  }
};

float tree_sum(const float* terms, std::uint32_t count) {
  return count == 1 ? terms[0] : tree_sum(terms, count / 2) + tree_sum(terms + count / 2, count / 2);
}

/// What a kernel knows of a query; a tile's scores become probabilities.
class QuerySoftmax {
 public:
  QuerySoftmax(const Order& order, std::uint32_t number) : order_(&order) {
    if (order.has_rows) maximum_ = order.polynomial ? 0x1p-126f : -1e30f;
    if (order.is_unit && order.has_lanes) first_ = number % kLanes;
  }

  void add(float* scores, bool first_tile) {
    if (order_->has_rows) add_row(scores);
    else add_lane(scores, first_tile);
  }
  float rescale() const { return rescale_; }
  float reciprocal() const { return 1.0f / tree_sum(sums_.data(), order_->sums); }

 private:
  float exponential(float x) const {
    return order_->polynomial ? exponential_taylor2(x) : exponential_negative(x);
  }
  float growth(float x) const { return order_->polynomial ? exponential_taylor2(x) : exponential_exact(x); }

  /// The maximum before.
  float raise_maximum(const float* scores) {
    const float before = maximum_;
    maximum_ = std::max(before, *std::max_element(scores, scores + kTile));
    return before;
  }
  void make_probabilities(float* scores) const {
    const float origin = -(maximum_ * kScoreScale);
    for (std::uint32_t key = 0; key < kTile; ++key)
      scores[key] = exponential(fmaf(scores[key], kScoreScale, origin));
  }

  /// sw/kernels/attention_common/row_softmax.h, attention_tc/fp16.h
  void add_row(float* scores) {
    const float before = raise_maximum(scores);
    make_probabilities(scores);
    float total = 0;
    const std::uint32_t together = 32 / numeric::info(order_->element).stored_bits;  // keys of a word
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      float of_lane = 0;
      for (std::uint32_t i = 0; i < kTile / kLanes; ++i)
        of_lane += scores[i / together * together * kLanes + together * lane + i % together];
      total = lane == 0 ? of_lane : total + of_lane;
    }
    sums_[0] = fmaf(exponential((before - maximum_) * kScoreScale), sums_[0], total);
    rescale_ = 1.0f / growth((maximum_ - before) * kScoreScale);
  }

  /// sw/kernels/attention_common/online_softmax.h, half_softmax.h
  void add_lane(float* scores, bool first_tile) {
    const float before = raise_maximum(scores);
    rescale_ = first_tile ? 0.0f : exponential((before - maximum_) * kScoreScale);
    make_probabilities(scores);
    for (std::uint32_t i = 0; i < order_->sums; ++i) sums_[i] *= rescale_;
    for (std::uint32_t key = 0; key < kTile; key += order_->keys)
      add_keys(&scores[key], sums_[key / (kTile / order_->sums)]);
  }
  void add_keys(const float* p, float& sum) const {
    if (order_->has_lanes && order_->has_words()) {
      for (std::uint32_t step = 0; step < 8; ++step) {
        const float* pair = p + (first_ ^ step);
        sum += pair[0] + pair[8];
      }
      return;
    }
    for (std::uint32_t step = 0; step < order_->keys / 2; step += 2) {
      const float *a = p + 2 * (first_ ^ step), *b = p + 2 * (first_ ^ (step + 1));
      sum += (a[0] + a[1]) + (b[0] + b[1]);
    }
  }

  const Order* order_;
  float maximum_ = -std::numeric_limits<float>::infinity(), rescale_ = 0;
  std::array<float, 8> sums_{};
  std::uint32_t first_ = 0;  // word of those that a lane goes through: each in another bank
};

/// 64 queries from number `row` on.
class Tile {
 public:
  Tile(const Order& order, const Arithmetic& arithmetic, const AttentionSize& size,
       const AttentionOperands& operands, std::uint32_t row)
      : order_(order),
        arithmetic_(arithmetic),
        size_(size),
        operands_(operands),
        row_(row),
        q_(operands.q.begin() + row * size.head_dim, operands.q.begin() + (row + kTile) * size.head_dim) {
    for (std::uint32_t query = 0; query < kTile; ++query) queries_.emplace_back(order, query);
  }

  /// O of these queries.
  std::vector<float> output() {
    std::vector<float> o(kTile * size_.head_dim), product(o.size());
    const std::uint32_t seen = (row_ / order_.together + 1) * order_.together;
    const std::uint32_t blocks = (size_.causal ? seen : size_.sequence) / kTile;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      std::vector<float> p = scores(block);
      for (std::uint32_t query = 0; query < kTile; ++query)
        queries_[query].add(&p[query * kTile], block == 0);
      if (order_.is_unit && order_.has_rows) rescale(o, product);
      round_probabilities(p);
      product = with_values(block, p, o);
    }
    for (std::size_t i = 0; i < o.size(); ++i)
      o[i] = (product.empty() ? o[i] : o[i] + product[i]) * of(i).reciprocal();
    return o;
  }

 private:
  const QuerySoftmax& of(std::size_t element) const { return queries_[element / size_.head_dim]; }

  /// Q K^T of a block of keys, those that a query does not see far below all.
  std::vector<float> scores(std::uint32_t block) const {
    std::vector<float> keys(size_.head_dim * kTile);
    for (std::uint32_t key = 0; key < kTile; ++key)
      for (std::uint32_t i = 0; i < size_.head_dim; ++i)
        keys[i * kTile + key] = operands_.k[std::uint64_t{block * kTile + key} * size_.head_dim + i];
    std::vector<float> s = exact_product({kTile, kTile, size_.head_dim}, q_, keys, arithmetic_);
    if (!size_.causal) return s;
    for (std::uint32_t query = 0; query < kTile; ++query)
      for (std::uint32_t key = 0; key < kTile; ++key)
        if (block * kTile + key > row_ + query) s[query * kTile + key] = unseen(s[query * kTile + key]);
    return s;
  }
  float unseen(float score) const {
    if (order_.is_unit && !order_.has_words())
      return arithmetic_.result == Element::kBf16 ? -65536.0f : -65504.0f;
    return std::min(score, -1e30f);
  }

  /// As half_softmax.h does: FP16 by the function of the kernels, which rounds numbers below 2^-14 twice.
  void round_probabilities(std::vector<float>& p) const {
    if (order_.has_words()) return;
    if (order_.element != Element::kFp16) {
      numeric::round_all(order_.element, numeric::Overflow::kSaturate, p.data(), p.size());
      return;
    }
    for (float& one : p) one = half_bits_to_float(float_to_half_bits(std::min(one, 65504.0f)) << 16);
  }

  /// O = (O + P V of the block before) * rescale
  void rescale(std::vector<float>& o, const std::vector<float>& product) const {
    for (std::size_t i = 0; i < o.size(); ++i) o[i] = (o[i] + product[i]) * of(i).rescale();
  }

  /// P V, to add; or O with it, and nothing to add.
  std::vector<float> with_values(std::uint32_t block, const std::vector<float>& p,
                                 std::vector<float>& o) const {
    const GemmSize tile{kTile, size_.head_dim, kTile};
    const auto first = operands_.v.begin() + std::ptrdiff_t{block} * kTile * size_.head_dim;
    const std::vector<float> v(first, first + std::ptrdiff_t{kTile} * size_.head_dim);
    if (!order_.is_unit) {
      for (std::size_t i = 0; i < o.size(); ++i) o[i] *= of(i).rescale();
      o = exact_sum(tile, p, v, std::move(o), arithmetic_);
      return {};
    }
    std::vector<float> product = exact_product(tile, p, v, arithmetic_);
    if (order_.has_rows) return product;
    for (std::size_t i = 0; i < o.size(); ++i) o[i] = fmaf(o[i], of(i).rescale(), product[i]);
    return {};
  }

  const Order& order_;
  const Arithmetic& arithmetic_;
  const AttentionSize& size_;
  const AttentionOperands& operands_;
  const std::uint32_t row_;
  const std::vector<float> q_;
  std::vector<QuerySoftmax> queries_;
};

}  // namespace

bool is_exact(const AttentionDesign& design) { return design.softmax != SoftmaxOrder::kAny; }

std::vector<float> exact_attention(const AttentionDesign& design, const AttentionSize& size,
                                   const AttentionOperands& operands, Exponential exponential,
                                   const soc::SocParams& params) {
  const Order order(design, exponential, params);
  const Element stored = design.unit == ComputeUnit::kMatrixUnit
                             ? params.cluster.matrix_units.front().result_format()
                             : design.element;
  const Arithmetic arithmetic = unit_arithmetic(design.unit, design.element, stored, params);
  std::vector<float> o;
  for (std::uint32_t row = 0; row < size.rows(); row += kTile) {
    const std::vector<float> tile = Tile(order, arithmetic, size, operands, row).output();
    o.insert(o.end(), tile.begin(), tile.end());
  }
  return o;
}

}  // namespace spica::workloads
