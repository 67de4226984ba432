// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spica::workloads {

namespace {

constexpr double kUnit = 0x1p-24;
constexpr std::uint32_t kBlock = 64, kQueriesTogether = 128;
// What the kernels' exponential gives where it should give less: exp(-87).
constexpr double kSmallest = 1.7e-38, kSmallestExponent = 88;
// For what the first-order bounds leave out.
constexpr double kMargin = 1.01;

/// Half a unit in the last place: of a number, and of those below the smallest normal one.
struct HalfUnit {
  double relative, absolute;
  explicit HalfUnit(Element format)
      : relative(std::ldexp(0.5, -numeric::info(format).fraction_bits)),
        absolute(std::ldexp(relative, numeric::info(format).least_exponent())) {}
};

/// One query in double precision, with the bounds of its errors.
class Query {
 public:
  Query(const AttentionSize& size, const AttentionOperands& operands, Exponential exponential,
        Rescaling rescaling, const Roundings& roundings)
      : size_(size),
        operands_(operands),
        exact_(exponential == Exponential::kExact),
        rescaling_(rescaling),
        roundings_(roundings),
        to_product_(roundings.product_format),
        to_probability_(roundings.probability_format),
        scale_(1 / std::sqrt(static_cast<double>(size.head_dim))),
        scores_(size.sequence),
        score_errors_(size.sequence),
        output_(size.head_dim),
        magnitude_(size.head_dim),
        error_(size.head_dim),
        moved_(size.head_dim),
        range_(size.head_dim),
        largest_(size.head_dim) {}

  void compute(std::uint32_t row) {
    keys_ = size_.keys(row);
    score(row);
    std::fill(output_.begin(), output_.end(), 0.0);
    std::fill(magnitude_.begin(), magnitude_.end(), 0.0);
    std::fill(error_.begin(), error_.end(), 0.0);
    sum_ = sum_error_ = least_sum_ = relative_error_ = 0;
    maximum_ = -std::numeric_limits<double>::infinity();
    for (std::uint32_t first = 0; first < keys_; first += kBlock) add_block(first);
    const std::uint32_t treated = std::min(size_.sequence, (row / kQueriesTogether + 1) * kQueriesTogether);
    for (std::uint32_t key = keys_; key < treated; ++key) add_unseen(key);
    if (exact_) move_weights();
  }

  double output(std::uint32_t column) const { return output_[column] / sum_; }
  /// Infinite where the errors of the scores leave nothing of the weights.
  double allowed(std::uint32_t column) const {
    const double moved = exact_ ? std::min(moved_[column] / least_sum_, range_[column]) : 0;
    const double value = std::fabs(output(column)) + moved;
    const double sum = least_sum_ - sum_error_;
    double rounded =
        sum > 0 ? (error_[column] + value * sum_error_) / sum : std::numeric_limits<double>::infinity();
    if (exact_) rounded = std::min(rounded, rounded_at_most(column));
    return kMargin * (moved + rounded + 3 * kUnit * value);
  }

 private:
  double exponential(double x) const { return exact_ ? std::exp(x) : 1 + x + x * x / 2; }
  double own_error() const { return (exact_ ? 2 : 3) * kUnit; }

  /// Scaled scores of all keys and their errors.
  void score(std::uint32_t row) {
    const float* q = &operands_.q[std::uint64_t{row} * size_.head_dim];
    largest_score_error_ = 0;
    for (std::uint32_t key = 0; key < keys_; ++key) {
      const float* k = &operands_.k[std::uint64_t{key} * size_.head_dim];
      double sum = 0, magnitude = 0;
      for (std::uint32_t i = 0; i < size_.head_dim; ++i) {
        const double product = static_cast<double>(q[i]) * k[i];
        sum += product;
        magnitude += std::fabs(product);
      }
      scores_[key] = scale_ * sum;
      const double half = roundings_.half_product *
                          (to_product_.relative * magnitude + to_product_.absolute * size_.head_dim);
      score_errors_[key] = scale_ * (roundings_.product * kUnit * magnitude + half);
      largest_score_error_ = std::max(largest_score_error_, score_errors_[key]);
    }
  }

  void add_block(std::uint32_t first) {
    const std::uint32_t last = std::min(first + kBlock, keys_);
    const double block_maximum = *std::max_element(&scores_[first], &scores_[first] + (last - first));
    const double maximum = std::max(maximum_, block_maximum);
    const double shift = exact_ ? 0 : 2 * largest_score_error_;  // errors of two maxima
    double rescale = 0, sum_rescale = 0, rescale_error = 0;
    if (first != 0) {
      sum_rescale = rescale = exponential(maximum_ - maximum);
      if (rescaling_ == Rescaling::kReciprocal) rescale = 1 / exponential(maximum - maximum_);
      const bool surely_stays = block_maximum + 2 * largest_score_error_ < maximum_;
      if (!surely_stays)
        rescale_error = std::expm1(shift + unit_of_distance(maximum - maximum_) + kUnit + own_error());
    }
    maximum_ = maximum;
    sum_error_ = sum_rescale * (sum_error_ + sum_ * rescale_error);
    sum_ *= sum_rescale;
    least_sum_ *= sum_rescale;
    for (std::uint32_t i = 0; i < size_.head_dim; ++i) {
      error_[i] = rescale * (error_[i] + magnitude_[i] * rescale_error);
      output_[i] *= rescale;
      magnitude_[i] *= rescale;
      error_[i] += roundings_.carried * kUnit * magnitude_[i];
    }
    relative_error_ += 2 * rescale_error + (roundings_.carried + roundings_.sum) * kUnit;
    for (std::uint32_t key = first; key < last; ++key) add_key(key, shift);
    sum_error_ += roundings_.sum * kUnit * sum_;
  }

  /// A key that is not seen, but treated.
  void add_unseen(std::uint32_t key) {
    const float* v = &operands_.v[std::uint64_t{key} * size_.head_dim];
    sum_error_ += kSmallest;
    for (std::uint32_t i = 0; i < size_.head_dim; ++i)
      error_[i] += kSmallest * std::fabs(static_cast<double>(v[i]));
  }

  void add_key(std::uint32_t key, double shift) {
    const double x = scores_[key] - maximum_;
    const double p = exponential(x), moved = exact_ ? score_errors_[key] : 0;
    const double most = p * std::exp(moved);
    const double relative =
        std::expm1(score_errors_[key] - moved + shift + unit_of_distance(std::fabs(x)) + own_error());
    const double p_error = most * relative + kSmallest;
    const float* v = &operands_.v[std::uint64_t{key} * size_.head_dim];
    const double rounded_error =
        p_error + roundings_.half_probability *
                      (to_probability_.relative * (most + p_error) + to_probability_.absolute);
    sum_ += p;
    sum_error_ += p_error;
    least_sum_ += p * std::exp(-moved);
    for (std::uint32_t i = 0; i < size_.head_dim; ++i) {
      const double magnitude = std::fabs(static_cast<double>(v[i])), product = most * magnitude;
      output_[i] += p * v[i];
      magnitude_[i] += product;
      error_[i] += rounded_error * magnitude + (roundings_.product + 1) * kUnit * product +
                   roundings_.half_product * (to_product_.relative * product + to_product_.absolute);
    }
  }

  /// How far the errors of the scores move the output: they change the weight of a key by a factor, and the weights
  /// of an average are the same above and below.
  void move_weights() {
    std::fill(moved_.begin(), moved_.end(), 0.0);
    std::fill(range_.begin(), range_.end(), 0.0);
    std::fill(largest_.begin(), largest_.end(), 0.0);
    for (std::uint32_t key = 0; key < keys_; ++key) {
      const double p = std::exp(scores_[key] - maximum_) * std::expm1(score_errors_[key]);
      const float* v = &operands_.v[std::uint64_t{key} * size_.head_dim];
      for (std::uint32_t i = 0; i < size_.head_dim; ++i) {
        const double distance = std::fabs(v[i] - output(i));
        moved_[i] += p * distance;
        range_[i] = std::max(range_[i], distance);
        largest_[i] = std::max(largest_[i], std::fabs(static_cast<double>(v[i])));
      }
    }
  }

  /// A second bound of what rounding does behind the scores: each relative error times the largest value, and as the
  /// largest weight of the kernel is 1, each absolute one as it is.
  double rounded_at_most(std::uint32_t column) const {
    const double weight = 2 * std::expm1(unit_of_distance(kSmallestExponent) + own_error());
    const double relative = weight + roundings_.half_probability * to_probability_.relative +
                            (roundings_.product + 1) * kUnit +
                            roundings_.half_product * to_product_.relative + relative_error_;
    const double absolute = 2 * kSmallest * largest_[column] +
                            roundings_.half_probability * largest_[column] * to_probability_.absolute +
                            roundings_.half_product * to_product_.absolute;
    const double unseen = size_.causal ? kQueriesTogether * 2 * kSmallest : 0;  // of values up to 1
    return relative * largest_[column] + keys_ * absolute + unseen;
  }

  /// The rounding of a difference of scores.
  double unit_of_distance(double distance) const { return kUnit * (distance + 2 * largest_score_error_); }

  const AttentionSize size_;
  const AttentionOperands& operands_;
  const bool exact_;
  const Rescaling rescaling_;
  const Roundings roundings_;
  const HalfUnit to_product_, to_probability_;
  const double scale_;
  std::vector<double> scores_, score_errors_;
  std::uint32_t keys_ = 0;  // that the query sees
  double largest_score_error_ = 0;
  double maximum_ = 0;
  double sum_ = 0, sum_error_ = 0;
  double least_sum_ = 0;  // with the smallest weights that the scores can give (exact exponential)
  double relative_error_ = 0;  // of the blocks
  std::vector<double> output_, magnitude_, error_;  // sums of P v, of |P v|, and the error of the first
  std::vector<double> moved_, range_, largest_;  // by column: see move_weights(); of |v - output| and |v|
};

}  // namespace

AttentionCheck check_attention(const AttentionSize& size, const AttentionOperands& operands,
                               Exponential exponential, Rescaling rescaling, const Roundings& roundings,
                               const std::vector<float>& o) {
  AttentionCheck check;
  Query query(size, operands, exponential, rescaling, roundings),
      softmax(size, operands, Exponential::kExact, rescaling, roundings);
  double worst_ratio = -1;
  for (std::uint32_t row = 0; row < size.rows(); ++row) {
    query.compute(row);
    if (exponential != Exponential::kExact) softmax.compute(row);
    for (std::uint32_t column = 0; column < size.head_dim; ++column) {
      const double value = o[std::uint64_t{row} * size.head_dim + column], expected = query.output(column);
      const double error = std::fabs(value - expected), allowed = query.allowed(column);
      if (std::isinf(allowed)) ++check.undetermined;
      check.largest_output = std::max(check.largest_output, std::fabs(expected));
      if (exponential != Exponential::kExact)
        check.distance_to_softmax =
            std::max(check.distance_to_softmax, std::fabs(value - softmax.output(column)));
      if (!(error <= allowed)) {  // also catches NaN
        if (check.output.wrong++ == 0) {
          check.output.first_row = row;
          check.output.first_column = column;
          check.output.first_value = value;
          check.output.first_expected = expected;
        }
      }
      const double ratio = error / allowed;
      if (std::isfinite(allowed) && ratio > worst_ratio) {
        worst_ratio = ratio;
        check.output.largest_error = error;
        check.output.allowed_at_largest = allowed;
      }
    }
  }
  check.output.correct = check.output.wrong == 0 && check.undetermined == 0;
  return check;
}

void take_bits(AttentionCheck& check, std::uint64_t different_elements) {
  check.output.different_bits = different_elements;
  check.output.correct = different_elements == 0;
  if (check.output.correct) check.output.wrong = check.undetermined = 0;
}

void add_format_errors(AttentionCheck& check, const AttentionSize& size, const AttentionOperands& reals,
                       const std::vector<float>& o) {
  Query query(size, reals, Exponential::kExact, Rescaling::kFactor, {});
  for (std::uint32_t row = 0; row < size.rows(); ++row) {
    query.compute(row);
    for (std::uint32_t column = 0; column < size.head_dim; ++column) {
      const double error = std::fabs(o[std::uint64_t{row} * size.head_dim + column] - query.output(column));
      check.output.max_error = std::max(check.output.max_error, error);
      check.output.squared_errors += error * error;
    }
  }
}

void add(AttentionCheck& check, const AttentionCheck& next) {
  add(check.output, next.output);
  check.largest_output = std::max(check.largest_output, next.largest_output);
  check.undetermined += next.undetermined;
  check.distance_to_softmax = std::max(check.distance_to_softmax, next.distance_to_softmax);
}

}  // namespace spica::workloads
