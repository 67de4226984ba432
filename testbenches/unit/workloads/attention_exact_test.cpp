// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention_exact.h"

#include "platform/workloads/attention_check.h"
#include "testbenches/support/catch.h"

using namespace spica;
using workloads::AttentionOperands;
using workloads::AttentionSize;
using workloads::Exponential;
using workloads::Rescaling;

namespace {

workloads::AttentionDesign design_of(workloads::ComputeUnit unit, workloads::Element element,
                                     workloads::SoftmaxOrder softmax) {
  workloads::AttentionDesign design;
  design.unit = unit;
  design.element = element;
  design.softmax = softmax;
  design.rescaling = softmax == workloads::SoftmaxOrder::kRows ? Rescaling::kReciprocal : Rescaling::kFactor;
  return design;
}

}  // namespace

TEST_CASE(
    "steps in the order of a kernel are within the bound of attention, and each order has bits of its own") {
  using workloads::ComputeUnit;
  using workloads::Element;
  using workloads::SoftmaxOrder;
  constexpr AttentionSize kSmall{128, 64};
  soc::SocParams params;
  params.cluster.cores = 4;
  params.cluster.core.warps = 8;
  params.cluster.matrix_units.resize(1);
  for (const auto& [unit, element] : {std::pair{ComputeUnit::kMatrixUnit, Element::kFp32},
                                      {ComputeUnit::kMatrixUnit, Element::kFp16},
                                      {ComputeUnit::kMatrixUnit, Element::kE4m3},
                                      {ComputeUnit::kTensorCore, Element::kFp32},
                                      {ComputeUnit::kTensorCore, Element::kFp16},
                                      {ComputeUnit::kTensorCore, Element::kBf16},
                                      {ComputeUnit::kTensorCore, Element::kE4m3},
                                      {ComputeUnit::kDecoupledTensorCore, Element::kFp16}}) {
    INFO(workloads::kComputeUnits.name_of(unit) << " " << workloads::element_name(element));
    const AttentionOperands operands = workloads::make_attention_operands(kSmall, 8, 4, element);
    std::vector<std::vector<float>> results;
    for (const SoftmaxOrder softmax : {SoftmaxOrder::kRows, SoftmaxOrder::kLanes, SoftmaxOrder::kRegisters}) {
      const workloads::AttentionDesign design = design_of(unit, element, softmax);
      CHECK(workloads::is_exact(design));
      results.push_back(workloads::exact_attention(design, kSmall, operands, Exponential::kExact, params));
      workloads::Roundings roundings{65, 65, element == Element::kFp32 ? 0U : 4U,
                                     element == Element::kFp32 ? 0U : 1U};
      roundings.product_format = roundings.probability_format =
          element == Element::kFp32 ? Element::kFp16 : element;
      CHECK(workloads::check_attention(kSmall, operands, Exponential::kExact, design.rescaling, roundings,
                                       results.back())
                .output.correct);
    }
    CHECK(results[0] != results[1]);
    CHECK(results[1] != results[2]);
    // The number of warps that share a query is an order, too.
    soc::SocParams fewer = params;
    fewer.cluster.cores = 1;
    const workloads::AttentionDesign lanes = design_of(unit, element, SoftmaxOrder::kLanes);
    CHECK(workloads::exact_attention(lanes, kSmall, operands, Exponential::kExact, fewer) != results[1]);
  }
  CHECK_FALSE(workloads::is_exact(design_of(ComputeUnit::kMatrixUnit, Element::kFp32, SoftmaxOrder::kAny)));
}

TEST_CASE("queries to which all keys are alike give the mean of the values in each order, to the last bit") {
  using workloads::ComputeUnit;
  using workloads::Element;
  using workloads::SoftmaxOrder;
  constexpr AttentionSize kSmall{128, 64};
  AttentionOperands operands;
  operands.q.assign(kSmall.elements(), 0.0f);
  operands.k.assign(kSmall.elements(), 1.0f);
  std::vector<float> mean(kSmall.head_dim);
  for (std::uint32_t key = 0; key < kSmall.sequence; ++key)
    for (std::uint32_t i = 0; i < kSmall.head_dim; ++i) {
      operands.v.push_back(static_cast<float>(key % 7 + i));
      mean[i] += operands.v.back() / 128;  // exact
    }
  soc::SocParams params;
  params.cluster.cores = 4;
  params.cluster.core.warps = 8;
  params.cluster.matrix_units.resize(1);
  for (const ComputeUnit unit : {ComputeUnit::kMatrixUnit, ComputeUnit::kTensorCore})
    for (const Element element : {Element::kFp32, Element::kBf16})
      for (const SoftmaxOrder softmax :
           {SoftmaxOrder::kRows, SoftmaxOrder::kLanes, SoftmaxOrder::kRegisters}) {
        if (unit == ComputeUnit::kMatrixUnit && element == Element::kBf16) continue;  // stores rounded sums
        INFO(workloads::kComputeUnits.name_of(unit)
             << " " << workloads::element_name(element) << " " << workloads::kSoftmaxOrders.name_of(softmax));
        const std::vector<float> o = workloads::exact_attention(design_of(unit, element, softmax), kSmall,
                                                                operands, Exponential::kExact, params);
        for (std::size_t i = 0; i < o.size(); ++i) REQUIRE(o[i] == mean[i % kSmall.head_dim]);
      }
}
