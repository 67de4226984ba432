// SPDX-License-Identifier: Apache-2.0
// Cells of recurrent networks: what is behind the products of a step.
#pragma once

#include "sw/kernels/network/elements.h"

namespace network {

/// tanh(x), off by a unit in the last place of 1.
SIMT_INLINE float tanh_of(float x) {
  const float power = decay(2.0f * x), magnitude = (1.0f - power) / (1.0f + power);
  return float_from_bits(float_to_bits(magnitude) | (float_to_bits(x) & 0x80000000u));
}
SIMT_INLINE float sigmoid_of(float x) { return sigmoid_of(x, decay(x)); }

/// c' = sigmoid(forget) c + sigmoid(input) tanh(cell), result = sigmoid(output) tanh(c'). Operands: result, gates input,
/// output, forget and cell, of which the strides are those of the first, c, c'. Integers: 0 elements from a gate to the next.
template <class T>
struct LstmStep {
  static constexpr unsigned kOperands = 4, kAtOnce = 1,
                            kBytes[] = {T::kBytes, T::kBytes, T::kBytes, T::kBytes};
  uint32_t gate;

  explicit LstmStep(const NetworkArguments* p) : gate(static_cast<uint32_t>(p->integers[0]) * T::kBytes) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    const float input = sigmoid_of(T::load(at[1])), output = sigmoid_of(T::load(at[1] + gate)),
                forget = sigmoid_of(T::load(at[1] + 2 * gate));
    const float c = fmaf(forget, T::load(at[2]), input * tanh_of(T::load(at[1] + 3 * gate)));
    T::store(at[3], c);
    T::store(at[0], output * tanh_of(c));
    NETWORK_UNROLLED
    for (unsigned i = 0; i < kOperands; ++i) at[i] += step[i];
  }
};
template <class T>
using LstmCell = EachElement<LstmStep<T>>;

/// result = (1 - z) tanh(x_h + r s_h) + z h, z = sigmoid(x_z + s_z), r = sigmoid(x_r + s_r). Operands: result, gates x_z, x_r,
/// x_h, of which the strides are those of the first, s_z, s_r, s_h likewise, h. Integers: 0 and 1 elements from a gate to the
/// next in both, 2: without it r is 1.
template <class T>
struct GruStep {
  static constexpr unsigned kOperands = 4, kAtOnce = 1,
                            kBytes[] = {T::kBytes, T::kBytes, T::kBytes, T::kBytes};
  uint32_t gate_of_x, gate_of_state, resets;

  explicit GruStep(const NetworkArguments* p)
      : gate_of_x(static_cast<uint32_t>(p->integers[0]) * T::kBytes),
        gate_of_state(static_cast<uint32_t>(p->integers[1]) * T::kBytes),
        resets(float_mask(p->integers[2] != 0)) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    const float update = sigmoid_of(T::load(at[1]) + T::load(at[2]));
    const float reset = sigmoid_of(T::load(at[1] + gate_of_x) + T::load(at[2] + gate_of_state));
    const float hidden = tanh_of(fmaf(float_select(resets, reset, 1.0f), T::load(at[2] + 2 * gate_of_state),
                                      T::load(at[1] + 2 * gate_of_x)));
    T::store(at[0], fmaf(update, T::load(at[3]), (1.0f - update) * hidden));
    NETWORK_UNROLLED
    for (unsigned i = 0; i < kOperands; ++i) at[i] += step[i];
  }
};
template <class T>
using GruCell = EachElement<GruStep<T>>;

}  // namespace network
