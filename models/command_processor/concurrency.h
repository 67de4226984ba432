// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/command_processor/command_processor_params.h"
#include "models/protocol/concurrency_model.h"
#include "models/protocol/kernel_choice.h"
#include "models/protocol/work_group.h"

namespace spica::command_processor {

/// A matrix product at the head of a queue: launches of its kernels by index of the degree, and the degree that was
/// decided.
struct Product {
  protocol::KernelChoice choice;
  std::vector<protocol::GridLaunch> launches;
  unsigned degree = 0;  // index

  template <class Archive>
  void serialize(Archive& archive) {
    auto bytes = choice.encode();
    archive(bytes, launches, degree);
    choice = protocol::KernelChoice::decode(bytes);
  }
};

/// How many matrix products run at once: what the policies `predicted` and `oracle` decide. The others decide nothing.
///
/// predicted  the degree that the model says for the product and its kernels, at most the number of products there are
/// oracle     of the degrees up to that number the one with the most measured products per cycle; 1 unless some other
///            one has at least 5 % more than products one after the other (arXiv:2409.02227 section 5.5)
/// Launch     a product begins while fewer run than its degree, and than the degree of each that runs; products like
///            the last one first
class Concurrency {
 public:
  explicit Concurrency(const CommandProcessorParams& params) : params_(params) {}

  bool decides() const { return params_.policy == Policy::kPredicted || params_.policy == Policy::kOracle; }
  void use(const protocol::ConcurrencyModel& model) { model_ = model; }
  bool can_decide() const { return params_.policy != Policy::kPredicted || model_; }

  /// A head has changed.
  void change() { open_ = true; }
  /// A decision is due, with that number of products that run or are at heads.
  bool open(std::uint64_t products) const { return open_ && products > 1; }
  void close() { open_ = false; }
  void decide(Product& product, std::uint64_t products,
              const std::function<std::uint64_t(const protocol::GridLaunch&)>& occupancy) const;

  /// The product may begin in addition to those that run.
  bool may_begin(const Product& product) const;
  bool is_like_last(const Product& product) const { return product.choice.encode() == last_; }
  void begin(const Product& product);
  void end(unsigned degree) { --running_[degree]; }
  std::uint64_t running() const;
  std::uint32_t running(unsigned degree) const { return running_[degree]; }
  void reset();
  /// Not saved: params_, and model_, which is in memory.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(open_, running_, last_);
  }

 private:
  const CommandProcessorParams params_;
  std::optional<protocol::ConcurrencyModel> model_;
  bool open_ = false;
  std::vector<std::uint32_t> running_ =
      std::vector<std::uint32_t>(protocol::kDegrees);  // products, by index of their degree
  protocol::KernelChoice::Bytes last_{};  // that was launched
};

}  // namespace spica::command_processor
