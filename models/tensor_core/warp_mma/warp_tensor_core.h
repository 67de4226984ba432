// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "models/base/component.h"
#include "models/protocol/ports/warp_mma_if.h"
#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/warp_mma/semantics.h"

namespace spica::tensor_core::warp_mma {

/// What the dot-product units did in a cycle.
enum class UnitReason : std::uint8_t { kIdle, kComputing, kBetweenSteps };

/// Counters of one tensor core.
struct WarpTensorCoreStats final : base::StatGroup {
  base::Counter instructions{*this, "instructions", base::Unit::kInstructions, "operations of warps"};
  base::Counter steps{*this, "steps", base::Unit::kCount, "steps of operations (HMMA instructions)"};
  base::Counter macs_fp16{*this, "macs_fp16", base::Unit::kCount, "multiply-accumulates of FP16 operands"};
  base::Counter macs_bf16{*this, "macs_bf16", base::Unit::kCount, "multiply-accumulates of BF16 operands"};
  base::Counter macs_tf32{*this, "macs_tf32", base::Unit::kCount, "multiply-accumulates of TF32 operands"};
  base::Counter macs_fp8{*this, "macs_fp8", base::Unit::kCount, "multiply-accumulates of FP8 operands"};
  base::Counter macs_fp6{*this, "macs_fp6", base::Unit::kCount, "multiply-accumulates of FP6 operands"};
  base::Counter macs_fp4{*this, "macs_fp4", base::Unit::kCount, "multiply-accumulates of FP4 operands"};
  base::Counter macs_int8{*this, "macs_int8", base::Unit::kCount,
                          "multiply-accumulates of integers of 8 bits"};
  base::Counter macs_int4{*this, "macs_int4", base::Unit::kCount,
                          "multiply-accumulates of integers of 4 bits"};
  base::Counter rows_read{*this, "rows_read", base::Unit::kCount, "register rows of all lanes read"};
  base::Counter rows_written{*this, "rows_written", base::Unit::kCount, "register rows of all lanes written"};
  /// Cycles from the instruction to the end of its n-th step (the issue of the next one, or the result), summed over
  /// the operations.
#define SPICA_STEP_END(n)                                                \
  base::Counter{*this, "step_end_" #n, base::Unit::kCycles,              \
                "cycles from the instruction to the end of its step " #n \
                ": the issue of the next one, or the result"}
  std::array<base::Counter, 16> step_ends{
      SPICA_STEP_END(1),  SPICA_STEP_END(2),  SPICA_STEP_END(3),  SPICA_STEP_END(4),
      SPICA_STEP_END(5),  SPICA_STEP_END(6),  SPICA_STEP_END(7),  SPICA_STEP_END(8),
      SPICA_STEP_END(9),  SPICA_STEP_END(10), SPICA_STEP_END(11), SPICA_STEP_END(12),
      SPICA_STEP_END(13), SPICA_STEP_END(14), SPICA_STEP_END(15), SPICA_STEP_END(16)};
#undef SPICA_STEP_END
  base::CycleAccount& dot_product = account("dot_product", "cycles of the dot-product units by reason",
                                            {"idle", "computing", "between_steps"});
};

/// The common part of the tensor cores of both modes, which implement `Interface`.
template <class Interface>
class WithSemantics : public Interface {
 public:
  explicit WithSemantics(const TensorCoreParams& params) : semantics_(Semantics::of(params)) {}

  bool has(unsigned form) const override { return semantics_.operation(form) != nullptr; }
  bool multiplies(unsigned form) const override { return semantics_.multiplies(form); }
  const protocol::FragmentAccess& access(unsigned form, protocol::FragmentMatrix matrix,
                                         bool column_major) const override {
    return semantics_.access(form, matrix, column_major);
  }
  void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                std::uint32_t* d) override {
    semantics_.multiply(form, a, b, c, d);
  }

 protected:
  const Semantics& semantics_;
};

/// The tensor core of a core with 32 lanes whose fragments are in registers, as in Volta and Turing.
///
/// Shape    D(m x n) = A(m x k) * B(k x n) + C(m x n), in the forms of its style (operation.h)
/// Accepts  one operation per warp, in steps; one step at a time for all warps, `interval` cycles each
/// Timing   a warp that has issued no step for `startup` cycles issues its first step `startup` cycles after its
///          instruction. Volta: steps that add to the same accumulators are `chain` cycles apart, also across
///          operations; the result is ready `chain` cycles after the last step. Turing: steps have the times measured
///          for a single warp, which are sometimes closer than several warps can sustain; an operation that needs the
///          result of another one waits for all of it
/// Source   raihan sections II to IV, figure 5, table I
class WarpTensorCore final : public base::Component, public WithSemantics<protocol::WarpMmaIf> {
 public:
  WarpTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                 const base::ClockDomain& clock);

  sc_core::sc_export<protocol::WarpMmaIf> in{"in"};

  // protocol::WarpMmaIf
  void begin(const Operation& operation, base::Cycle now) override;
  base::Cycle ready(unsigned warp) const override { return ready(warps_[warp], warp); }
  Step issue(unsigned warp, base::Cycle now) override;

  void tick() override {}
  void reset() override;
  bool idle() const override { return started_ == 0 && free_ <= now(); }
  WarpTensorCoreStats& stats() override {
    catch_up();
    return stats_;
  }
  void catch_up() override;
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override;
  void dump_state(std::ostream& out) const override;
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return stats_.steps.value(); }
  bool works() const override { return !idle(); }

 private:
  /// The members of an operation that a step needs, close together.
  struct Form {
    Timing timing;
    unsigned steps, parts, rows_written;
    base::Counter WarpTensorCoreStats::* macs_of;  // counter of these multiply-adds
    std::uint64_t macs;  // multiply-adds of a step
    unsigned all_rows_read;  // rows read by all steps
    std::array<std::uint8_t, 16> rows_read, part;  // by step
  };
  static constexpr unsigned kParts = 8;  // maximum of parts of C
  struct Warp {
    const Form* form = nullptr;  // nullptr: no operation
    unsigned step = 0;  // next step
    unsigned counted = 0;  // steps included in the statistics
    unsigned c = 0, d = 0;
    base::Cycle began = 0;
    base::Cycle first = 0;  // earliest cycle of the first step; later the cycle in which it issued
    base::Cycle last = 0;  // when the last step of this warp issued
    bool issued_any = false;
    std::array<std::array<base::Cycle, kParts>, isa::kFragmentSlots>
        result{};  // when parts of the fragments are ready
  };
  /// Charges the units as idle or between steps from the cycle in which they became free.
  void record_end(base::Cycle now) {
    if (!computing_ || free_ > now) return;
    computing_ = false;
    const UnitReason reason = started_ != 0 ? UnitReason::kBetweenSteps : UnitReason::kIdle;
    stats_.dot_product.charge(static_cast<unsigned>(reason), free_);
  }
  void count(Warp& warp);
  base::Cycle ready(const Warp& warp, unsigned w) const;

  const TensorCoreParams params_;
  std::array<Form, isa::kMmaFormCount> forms_{};  // the operations that it has
  std::array<Warp, 32> warps_;
  unsigned started_ = 0;  // started operations
  base::Cycle free_ = 0;  // first cycle for the next step of another warp
  bool computing_ = false;  // the units are charged as computing
  unsigned user_ = 0;  // warp of the last step
  WarpTensorCoreStats stats_;
};

/// The tensor core of the fast mode: its arithmetic, without timing.
class FastWarpTensorCore final : public sc_core::sc_module,
                                 public base::Block,
                                 public WithSemantics<protocol::FunctionalWarpMmaIf> {
 public:
  FastWarpTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params);

  sc_core::sc_export<protocol::FunctionalWarpMmaIf> in{"in"};

  void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                std::uint32_t* d) override {
    WithSemantics::multiply(form, a, b, c, d);
    macs_ += semantics_.operation(form)->macs();
  }
  void reset() override {}
  bool timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream&) const override {}
  std::uint64_t work_done() const override { return macs_; }

 private:
  std::uint64_t macs_ = 0;
};

}  // namespace spica::tensor_core::warp_mma
