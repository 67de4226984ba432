// SPDX-License-Identifier: Apache-2.0
// Loads of fragments from shared memory, for load_reuse_test.py. Each thread adds up the registers of what it has
// loaded. `same`: all warps load the same matrices; `skip`: one warp leaves every third out; `stores`: a warp stores to
// a matrix of its own between its loads of it; `late`: warps that have not used what they load wait for others;
// `pass_on`: the warps have a matrix in turn, without barriers: each changes what the one before has left.
#include <arguments.h>
#include <simt.h>
#include <spica/group.h>
#include <wmma.h>

struct Arguments {
  unsigned rounds;
  unsigned marked;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {1, 0};

constexpr unsigned kMostThreads = 512, kMatrixWords = 16 * 16 / 2, kMatrices = 16;
extern "C" {
unsigned result[kMostThreads];
}

namespace {

template <unsigned number>
using A = wmma::fragment<number, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major>;

SIMT_INLINE unsigned bits(float word) {
  unsigned value;
  __builtin_memcpy(&value, &word, 4);
  return value;
}

/// Into fragment `number`; what this thread has of it.
template <unsigned number>
SIMT_INLINE unsigned load(const Arguments* arguments, const volatile unsigned* matrix) {
  const auto* const at = reinterpret_cast<const wmma::half*>(const_cast<const unsigned*>(matrix));
  if (arguments->marked != 0) wmma::load_matrix_multicast(A<number>{}, at, 16);
  else wmma::load_matrix_sync(A<number>{}, at, 16);
  return bits(wmma::get_register<0>(A<number>{})) * 3 + bits(wmma::get_register<3>(A<number>{}));
}

enum class Kind { kSame, kSkip, kStores };

template <Kind kind>
void loads(const Arguments* arguments) {
  volatile unsigned* const shared = spica::group_shared<unsigned>();
  const unsigned thread = spica::group_thread(), threads = spica::block_extent().x,
                 warp = simt_uniform(thread / 32);
  unsigned sum = 0;
  for (unsigned round = 0; round < arguments->rounds; ++round) {
    for (unsigned word = thread; word < kMatrices * kMatrixWords; word += threads)
      shared[word] = word * 3 + round;
    spica::group_barrier();
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned which = kind == Kind::kStores ? warp : i % 4;  // each a second time, in another fragment
      volatile unsigned* const matrix = shared + which * kMatrixWords;
      if (kind == Kind::kSkip && warp == 1 && i % 3 == 0) continue;
      sum = sum * 5 + (i % 2 == 0 ? load<0>(arguments, matrix) : load<1>(arguments, matrix));
      if (kind == Kind::kStores) matrix[thread % 32] = sum;
    }
    spica::group_barrier();
  }
  result[thread] = sum;
}

}  // namespace

extern "C" void same(const Arguments* arguments) { loads<Kind::kSame>(arguments); }
extern "C" void skip(const Arguments* arguments) { loads<Kind::kSkip>(arguments); }
extern "C" void stores(const Arguments* arguments) { loads<Kind::kStores>(arguments); }

/// The warps of a core load a matrix that no other core has; all but the first are at a barrier before it has come.
extern "C" void late(const Arguments* arguments) {
  volatile unsigned* const shared = spica::group_shared<unsigned>();
  const unsigned thread = spica::group_thread(), threads = spica::block_extent().x,
                 warp = simt_uniform(thread / 32);
  for (unsigned word = thread; word < kMatrices * kMatrixWords; word += threads) shared[word] = word * 3;
  spica::group_barrier();
  volatile unsigned* const matrix = shared + warp % 4 * kMatrixWords;
  const auto* const at = reinterpret_cast<const wmma::half*>(const_cast<const unsigned*>(matrix));
  if (warp >= 4)
    for (volatile unsigned i = 0; i < 4; i = i + 1) {
    }
  if (arguments->marked != 0) wmma::load_matrix_multicast(A<0>{}, at, 16);
  else wmma::load_matrix_sync(A<0>{}, at, 16);
  unsigned sum = 0;
  if (warp < 4) sum = bits(wmma::get_register<0>(A<0>{}));
  simt_bar(0, 0);  // without a fence, for which all loads of the core would go
  result[thread] = sum + bits(wmma::get_register<1>(A<0>{}));
}

extern "C" void pass_on(const Arguments* arguments) {
  volatile unsigned* const shared = spica::group_shared<unsigned>();
  volatile unsigned* const turn = shared + kMatrixWords;
  const unsigned thread = spica::group_thread(), warps = spica::block_extent().x / 32,
                 warp = simt_uniform(thread / 32);
  for (unsigned word = thread; word < kMatrixWords; word += warps * 32) shared[word] = word;
  if (thread == 0) *turn = 0;
  spica::group_barrier();
  unsigned sum = 0;
  for (unsigned round = 0; round < arguments->rounds; ++round) {
    while (simt_uniform(*turn) != round * warps + warp) {
    }
    simt_fence();
    sum = sum * 5 + load<0>(arguments, shared);
    shared[thread % 32] = sum;
    simt_fence();
    sum = sum * 5 + load<0>(arguments, shared);
    simt_fence();
    *turn = round * warps + warp + 1;
  }
  result[thread] = sum;
}

SPICA_KERNEL(same, 128, kMatrices* kMatrixWords * sizeof(unsigned));
SPICA_KERNEL(skip, 128, kMatrices* kMatrixWords * sizeof(unsigned));
SPICA_KERNEL(stores, 128, kMatrices* kMatrixWords * sizeof(unsigned));
SPICA_KERNEL(late, 128, kMatrices* kMatrixWords * sizeof(unsigned));
SPICA_KERNEL(pass_on, 128, (kMatrixWords + 1) * sizeof(unsigned));
