// SPDX-License-Identifier: Apache-2.0
// Nothing but matrix multiply-adds on registers, for mma_offload_test.py: `stream` adds to 24 accumulators in turn,
// `chain` to one; `mixed` has FP32 instructions in between. With FP16 data that are small integers all sums are exact.
#include <arguments.h>
#include <spica/group.h>
#include <wmma.h>

extern "C" {
float result[64 * 256];  // an accumulator of each warp
}

struct Arguments {
  unsigned rounds;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {8};

namespace {

struct alignas(16) Matrix {
  wmma::half elements[256];
  constexpr explicit Matrix(uint16_t bits) : elements{} {
    for (wmma::half& element : elements) element.bits = bits;
  }
};
const Matrix ones(0x3C00), twos(0x4000);

constexpr unsigned kAccumulators = 24;
using A = wmma::fragment<30, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major>;
using B = wmma::fragment<31, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::col_major>;
template <unsigned number>
using C = wmma::fragment<number, wmma::accumulator, 16, 16, 16, float>;

template <unsigned number = 0>
SIMT_INLINE void fill() {
  if constexpr (number < kAccumulators) {
    wmma::fill_fragment(C<number>{}, static_cast<float>(number));
    fill<number + 1>();
  }
}
template <unsigned accumulators, unsigned number = 0>
SIMT_INLINE void products() {
  if constexpr (number < kAccumulators) {
    wmma::mma_sync(C<number % accumulators>{}, A{}, B{}, C<number % accumulators>{});
    products<accumulators, number + 1>();
  }
}
SIMT_INLINE void begin() {
  wmma::load_matrix_sync(A{}, ones.elements, 16);
  wmma::load_matrix_sync(B{}, twos.elements, 16);
  fill();
}
SIMT_INLINE void end() {
  wmma::store_matrix_sync(result + spica::group_rank() * 256, C<7>{}, 16, wmma::mem_row_major);
}

}  // namespace

extern "C" void stream(const Arguments* a) {
  begin();
  for (unsigned i = 0; i < a->rounds; ++i) products<kAccumulators>();
  end();
}
SPICA_KERNEL(stream, 128, 0);

extern "C" void chain(const Arguments* a) {
  begin();
  for (unsigned i = 0; i < a->rounds; ++i) products<1>();
  end();
}
SPICA_KERNEL(chain, 128, 0);

extern "C" void mixed(const Arguments* a) {
  begin();
  float x = 1;
  for (unsigned i = 0; i < a->rounds; ++i) {
    products<kAccumulators>();
    for (unsigned j = 0; j < 200; ++j) x = x * 1.0001f + 0.5f;
  }
  end();
  if (x == 0) result[0] = x;
}
SPICA_KERNEL(mixed, 128, 0);
