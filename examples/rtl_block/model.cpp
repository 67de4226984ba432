// SPDX-License-Identifier: Apache-2.0
// The product unit as its architect sees it: one multiplier, so 512 cycles for a product, one after the other.
#include "unit.h"

#include <array>
#include <deque>

class ProductModel final : public ProductUnit {
 public:
  struct Params {
    std::uint64_t cycles = 512;

    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      field("cycles", p.cycles, "cycles", spica::base::Range{1, 1e6}, "for a product");
    }
  };

  ProductModel(const sc_core::sc_module_name& name, const Params& params,
               const spica::base::ClockDomain& clock)
      : ProductUnit(name, clock), cycles_(params.cycles) {}

  void reset() override {
    ProductUnit::reset();
    started_.clear();
    spent_ = 0;
  }

 private:
  static constexpr unsigned kBuffers = 2;
  struct Operands {
    std::array<std::uint32_t, 32> words{};  // A, then B
    bool first = false;
  };

  Pins cycle(const Bus& bus) override {
    const bool busy = !started_.empty(), sum = bus.address >= 0x100;
    const Pins pins{bus.write ? started_.size() < kBuffers : !busy, bus.write == sum, busy,
                    static_cast<std::uint32_t>(sums_[bus.address / 4 % 64])};
    if (busy && ++spent_ == cycles_) {
      multiply(started_.front());
      started_.pop_front();
      spent_ = 0;
    }
    if (bus.enable && bus.write && pins.ready && !sum) write(bus);
    return pins;
  }

  void write(const Bus& bus) {
    if (bus.address < 0x80) {
      filled_.words[bus.address / 4] = bus.data;
      return;
    }
    filled_.first = (bus.data & 1) != 0;
    started_.push_back(filled_);
  }

  void multiply(const Operands& operands) {
    const auto element = [&](unsigned word, unsigned byte) {
      return static_cast<std::int8_t>(operands.words[word] >> 8 * byte);
    };
    for (unsigned index = 0; index < 64; ++index) {
      std::int32_t sum = operands.first ? 0 : sums_[index];
      for (unsigned k = 0; k < 8; ++k)
        sum += element(index / 8 * 2 + k / 4, k % 4) * element(16 + index % 8 * 2 + k / 4, k % 4);
      sums_[index] = sum;
    }
  }

  std::uint64_t cycles_, spent_ = 0;  // for a product; on the one under way
  Operands filled_;
  std::deque<Operands> started_;
  std::array<std::int32_t, 64> sums_{};
};
SPICA_BLOCK(ProductModel, "product_model", "multiplies 8x8 matrices of int8, model")
