// SPDX-License-Identifier: Apache-2.0
// The matrix unit of the cluster and its DMA, as C++ types. One lane drives them; all functions of MatrixUnit are for
// it alone (`if (simt_hart() == 0)`), and none waits for the work it starts, except where documented:
//
//   struct Shared { spica::Tile<float, 64, 64> a[2], b[2]; };
//   auto& shared = spica::shared<Shared>();
//   spica::MatrixUnit unit;
//   spica::Accumulator<float, 64, 64> c;
//   auto loaded = unit.load(shared.a[0], a.at(i, 0), shared.b[0], b.at(0, j));  // the DMA moves
//   unit.mma(c, shared.a[0], shared.b[0], loaded);                              // when they are there
//   unit.store(out.at(i, j), c).wait();                                         // C is in global memory
//
// What the unit cannot do does not compile: other element types than its own, tiles that are not made of its blocks,
// products of shapes that do not fit together, sums that do not fit into it. Addresses are checked by assert().
//
// Matrices in global memory may have other elements than the unit, and columns in place of rows, where the DMA can
// convert (cluster.dma.scale_units) and transpose (cluster.dma.transposer):
//
//   spica::Matrix<const int8_t> weights{...};                                     // the unit has FP16
//   auto loaded = unit.load(shared.a[0], a.at(i, 0), shared.b[0], spica::scaled(weights.at(0, j), 0.02f));
//   loaded = unit.load(shared.a[0], spica::transposed(a.at(0, i)), shared.b[0], b.at(0, j));
//
// Commands go through the unit's registers, in all revisions of the machine. The array is that of -DMATRIX_UNIT_DIM and
// -DMATRIX_UNIT_ELEMENT_BYTES (8 and 4; FP16: 16 and 2).
#pragma once

#include <assert.h>
#include <matrix_unit.h>
#include <spica/copy.h>
#include <spica/reshaped.h>

namespace spica {

/// A matrix in shared memory as the matrix unit takes it: contiguous blocks of DIM x DIM elements, row by row,
/// and in each its rows. The same for A, B and C.
template <class T, unsigned rows, unsigned columns>
struct alignas(MATRIX_UNIT_DIM* MATRIX_UNIT_ELEMENT_BYTES) Tile {
  static constexpr unsigned kDim = MATRIX_UNIT_DIM;
  static_assert(sizeof(T) == MATRIX_UNIT_ELEMENT_BYTES,
                "the matrix unit has other elements (-DMATRIX_UNIT_ELEMENT_BYTES)");
  static_assert(rows % kDim == 0 && columns % kDim == 0 && rows > 0 && columns > 0,
                "a tile is made of blocks of MATRIX_UNIT_DIM x MATRIX_UNIT_DIM elements");

  T elements[rows * columns];

  /// Where the element of row i and column j is.
  static constexpr unsigned index(unsigned i, unsigned j) {
    return ((i / kDim * (columns / kDim) + j / kDim) * kDim + i % kDim) * kDim + j % kDim;
  }
  static constexpr unsigned row_of(unsigned index) {
    return index / (kDim * columns) * kDim + index / kDim % kDim;
  }
  static constexpr unsigned column_of(unsigned index) {
    return index / (kDim * kDim) % (columns / kDim) * kDim + index % kDim;
  }
  __attribute__((always_inline)) T& operator()(unsigned i, unsigned j) { return elements[index(i, j)]; }
  __attribute__((always_inline)) const T& operator()(unsigned i, unsigned j) const {
    return elements[index(i, j)];
  }
};

/// Copies by threads, of a matrix into a tile and back: eight lanes store eight words of a line of shared memory.
template <class T, unsigned rows, unsigned columns, class From>
SIMT_INLINE void copy(Threads who, Tile<T, rows, columns>& to, Matrix<From> from) {
  using Shape = Tile<T, rows, columns>;
  T* const elements = to.elements;
  detail::each_of(
      who, rows * columns,
      [=](unsigned i) __attribute__((always_inline)) { return from(Shape::row_of(i), Shape::column_of(i)); },
      [=](unsigned i, T value) __attribute__((always_inline)) { elements[i] = value; });
}
template <class T, unsigned rows, unsigned columns>
SIMT_INLINE void copy(Threads who, Matrix<T> to, const Tile<T, rows, columns>& from) {
  using Shape = Tile<T, rows, columns>;
  const T* const elements = from.elements;
  detail::each_of(
      who, rows * columns, [=](unsigned i) __attribute__((always_inline)) { return elements[i]; },
      [=](unsigned i, T value)
          __attribute__((always_inline)) { to(Shape::row_of(i), Shape::column_of(i)) = value; });
}

/// Work that was started. It is done when the unit and its DMA are, also with what was started behind it: the machine
/// knows no more. Work of which nothing is waited for needs `(void)`.
template <unsigned unit>
class [[nodiscard("wait() says when it is done")]] Pending {
 public:
  bool is_done() const { return matrix_unit_busy(unit) == 0; }
  __attribute__((always_inline)) void wait() const { matrix_unit_fence(unit); }
};

/// The sums of a product inside the matrix unit, which has room for one. The first mma() into it overwrites older sums:
/// store() the sums of one before the first mma() into another. Products that take turns are refused by assert().
template <class T, unsigned rows, unsigned columns>
class Accumulator {
  static_assert(sizeof(T) == MATRIX_UNIT_ELEMENT_BYTES,
                "the matrix unit has other elements (-DMATRIX_UNIT_ELEMENT_BYTES)");
  static_assert(rows % MATRIX_UNIT_DIM == 0 && columns % MATRIX_UNIT_DIM == 0,
                "sums are made of blocks of MATRIX_UNIT_DIM x MATRIX_UNIT_DIM elements");
  static_assert(rows * columns * 4 <= MATRIX_UNIT_ACCUMULATOR_BYTES,
                "the sums, of 4 bytes each, do not fit into the unit (-DMATRIX_UNIT_ACCUMULATOR_BYTES)");

 public:
  Accumulator() = default;
  Accumulator(const Accumulator&) = delete;  // the unit has one set of sums
  Accumulator& operator=(const Accumulator&) = delete;

  /// The next mma() begins a new product.
  void clear() { has_sum_ = false; }
  bool has_sum() const { return has_sum_; }

 private:
  template <unsigned number>
  friend class MatrixUnit;
  bool has_sum_ = false;
  unsigned product_ = ~0u;  // whose sums these are: MatrixUnit::product_
};

/// Matrix unit `number` of the cluster. The object keeps the unit's last settings, so all lanes may have one, but the
/// same lane must use it all the time, and nothing else may command the unit meanwhile.
template <unsigned number = 0>
class MatrixUnit {
 public:
  using Done = Pending<number>;

  MatrixUnit() = default;
  MatrixUnit(const MatrixUnit&) = delete;
  MatrixUnit& operator=(const MatrixUnit&) = delete;

  /// Starts to move the parts of two matrices in global memory that begin at their first elements into the tiles of a
  /// product. The rows of a matrix are `row` elements apart.
  template <class T, unsigned m, unsigned n, unsigned k, class A, class B>
  __attribute__((always_inline)) Done load(Tile<T, m, k>& a, Matrix<A> from_a, Tile<T, k, n>& b,
                                           Matrix<B> from_b) {
    if constexpr (!is_same<T, A> || !is_same<T, B>)
      return load(a, Reshaped<A>{from_a}, b, Reshaped<B>{from_b});
    set_rows(from_a.row, from_b.row);
    return start_pair(a, from_a, b, from_b);
  }
  /// The same for one tile.
  template <class T, unsigned rows, unsigned columns, class From>
  __attribute__((always_inline)) Done load(Tile<T, rows, columns>& to, Matrix<From> from) {
    if constexpr (!is_same<T, From>) return load(to, Reshaped<From>{from});
    load_blocks(first_row(to), address(from.data), from.row, rows / kDim, columns / kDim);
    return {};
  }

  /// The same where the DMA converts or transposes.
  template <class T, unsigned m, unsigned n, unsigned k, class A, bool a_transposed, class B,
            bool b_transposed>
  __attribute__((always_inline)) Done load(Tile<T, m, k>& a, Reshaped<A, a_transposed> from_a,
                                           Tile<T, k, n>& b, Reshaped<B, b_transposed> from_b) {
    set_forms(form_of<T>(from_a), form_of<T>(from_b));
    return start_pair(a, from_a.matrix, b, from_b.matrix);
  }
  template <class T, unsigned m, unsigned n, unsigned k, class A, class B, bool b_transposed>
  __attribute__((always_inline)) Done load(Tile<T, m, k>& a, Matrix<A> from_a, Tile<T, k, n>& b,
                                           Reshaped<B, b_transposed> from_b) {
    return load(a, Reshaped<A>{from_a}, b, from_b);
  }
  template <class T, unsigned m, unsigned n, unsigned k, class A, bool a_transposed, class B>
  __attribute__((always_inline)) Done load(Tile<T, m, k>& a, Reshaped<A, a_transposed> from_a,
                                           Tile<T, k, n>& b, Matrix<B> from_b) {
    return load(a, from_a, b, Reshaped<B>{from_b});
  }
  template <class T, unsigned rows, unsigned columns, class From, bool is_transposed>
  __attribute__((always_inline)) Done load(Tile<T, rows, columns>& to, Reshaped<From, is_transposed> from) {
    set_forms(form_of<T>(from), form_b_);
    start_blocks(first_row(to), address(from.matrix.data), from.matrix.row, rows / kDim, columns / kDim);
    return {};
  }

  /// Starts c += a * b when `operands` are there. Settings that need not wait for them are sent before the wait.
  template <class T, unsigned m, unsigned n, unsigned k>
  __attribute__((always_inline)) Done mma(Accumulator<T, m, n>& c, const Tile<T, m, k>& a,
                                          const Tile<T, k, n>& b, Done operands) {
    begin();
    own(c);
    set_shape<m, n, k>();
    matrix_unit_loop_spad_ab(number, first_row(a), end_row(b));
    matrix_unit_operands(number, c.has_sum() ? MATRIX_UNIT_LOOP_ACCUMULATE : 0,
                         MATRIX_UNIT_SKIPS_EXECUTE_ONLY);
    c.has_sum_ = true;
    operands.wait();
    matrix_unit_launch(number, MATRIX_UNIT_LOOP_WS);
    return {};
  }
  /// The same at once: the tiles were written by threads, with a barrier behind it, or waited for.
  template <class T, unsigned m, unsigned n, unsigned k>
  __attribute__((always_inline)) Done mma(Accumulator<T, m, n>& c, const Tile<T, m, k>& a,
                                          const Tile<T, k, n>& b) {
    begin();
    own(c);
    set_shape<m, n, k>();
    matrix_unit_loop_spad_ab(number, first_row(a), end_row(b));
    matrix_unit_loop(number, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, c.has_sum() ? 1 : 0, 0);
    c.has_sum_ = true;
    return {};
  }

  /// Starts to move the sums, as elements, to the part of a matrix in global memory that begins at its first element.
  /// The unit does so when the product is finished, and begins the next one, which overwrites them, behind it.
  template <class T, unsigned m, unsigned n>
  __attribute__((always_inline)) Done store(Matrix<T> to, Accumulator<T, m, n>& c) {
    check_owner(c);
    if (to.row != c_row_) {
      matrix_unit_fence(number);
      matrix_unit_config_store(number, to.row * kBytes);
      c_row_ = to.row;
    }
    set_shape<m, n, kDim>();
    matrix_unit_loop_address_dc(number, 0, address(to.data));
    matrix_unit_loop_stride_dc(number, 0, to.row);
    matrix_unit_loop(number, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
    c.clear();
    return {};
  }
  /// The same to a tile in shared memory.
  template <class T, unsigned m, unsigned n>
  __attribute__((always_inline)) Done store(Tile<T, m, n>& to, Accumulator<T, m, n>& c) {
    check_owner(c);
    set_shape<m, n, kDim>();
    matrix_unit_loop(number, MATRIX_UNIT_SKIPS_STORE_SPAD, 0, first_row(to));
    c.clear();
    return {};
  }

  /// Starts to copy `count` elements, as they lie, from global to shared memory. `count` is a multiple of DIM, and `to`
  /// begins at a multiple of DIM elements. Back, the DMA moves sums only: store().
  template <class T>
  __attribute__((always_inline)) Done copy_async(T* to, const T* from, unsigned count) {
    static_assert(sizeof(T) == kBytes, "the DMA moves elements of the matrix unit");
    assert(address(to) >= PLATFORM_SHARED_BASE && address(to) - PLATFORM_SHARED_BASE < PLATFORM_SHARED_SIZE &&
           "the DMA copies to shared memory");
    assert((address(to) | count * kBytes) % kRowBytes == 0 &&
           "the DMA copies a multiple of DIM elements to a multiple of DIM elements");
    const unsigned rows = count / kDim, blocks = rows / kDim, rest = rows % kDim;
    const unsigned row = (address(to) - PLATFORM_SHARED_BASE) / kRowBytes, at = address(from);
    if (blocks != 0) load_blocks(row, at, kDim, blocks, 1);
    else set_rows(kDim, b_row_);
    if (rest != 0)
      matrix_unit_command(
          number, MATRIX_UNIT_MVIN, at + blocks * kDim * kRowBytes,
          static_cast<uint64_t>(kDim << MATRIX_UNIT_COLUMNS_HI_SHIFT | rest << MATRIX_UNIT_ROWS_HI_SHIFT)
                  << 32 |
              (row + blocks * kDim));
    return {};
  }

  /// Until all that was started is done.
  void wait() const { matrix_unit_fence(number); }

 private:
  static constexpr unsigned kDim = MATRIX_UNIT_DIM, kBytes = MATRIX_UNIT_ELEMENT_BYTES,
                            kRowBytes = kDim * kBytes;

  template <class T, class From>
  static constexpr bool is_same = wmma::detail::same<T, typename detail::without_const<From>::type>;

  /// How the DMA reads and writes an operand.
  struct Form {
    unsigned row_bytes = 0, from = 0, to = 0;
    float scale = 1;
    bool is_transposed = false;
    bool operator==(const Form& o) const {
      return row_bytes == o.row_bytes && from == o.from && to == o.to && scale == o.scale &&
             is_transposed == o.is_transposed;
    }
  };
  template <class T, class From, bool is_transposed>
  __attribute__((always_inline)) static Form form_of(const Reshaped<From, is_transposed>& from) {
    if constexpr (is_same<T, From>) {
      assert(from.scale == 1 && "the DMA scales what it converts; these are the elements of the tile");
      return {from.matrix.row * kBytes, 0, 0, 1, is_transposed};
    } else {
      static_assert(detail::format<From> != 0 && detail::format<T> != 0,
                    "the DMA converts float, half, bf16, fp8_e4m3, fp8_e5m2, int8_t and uint8_t");
      return {from.matrix.row * static_cast<unsigned>(sizeof(From)), detail::format<From>, detail::format<T>,
              from.scale, is_transposed};
    }
  }
  /// For loads from now on; those on their way are waited for.
  __attribute__((always_inline)) void set_forms(const Form& a, const Form& b) {
    if (has_forms_ && a_row_ == 0 && a == form_a_ && b == form_b_) return;
    begin();
    matrix_unit_fence(number);
    configure(0, a);
    configure(1, b);
    form_a_ = a;
    form_b_ = b;
    has_forms_ = true;
    a_row_ = b_row_ = 0;
  }
  static void configure(unsigned state, const Form& form) {
    matrix_unit_config_load_as(number, kDim, state, form.row_bytes, form.from, form.to, form.scale,
                               form.is_transposed);
  }

  template <class T>
  static unsigned address(T* pointer) {
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(pointer));
  }
  template <class Shape>
  static unsigned first_row(const Shape& tile) {
    return (address(&tile) - PLATFORM_SHARED_BASE) / kRowBytes;
  }
  template <class Shape>
  static unsigned end_row(const Shape& tile) {
    return first_row(tile) + sizeof(tile) / kRowBytes;
  }
  template <unsigned m, unsigned n, unsigned k>
  static void set_shape() {
    matrix_unit_loop_bounds(number, m / kDim, n / kDim, k / kDim);
  }
  /// The unit has the sums of `c`. An object that has begun no product yet takes over those of another one. Not an
  /// assert(): after a failing one the lanes continue, and all that is in registers would be kept for them.
  template <class Sums>
  __attribute__((always_inline)) void check_owner(const Sums& c) {
    if (product_ == number && c.product_ % kProducts == number) product_ = c.product_;
#ifndef NDEBUG
    if (c.product_ != product_) {
      static const char why[] =
          "the unit has the sums of another Accumulator: store() those of one before the next begins";
      simt_assertion_failed(why, __FILE__, __LINE__, __func__);
      SIMT_ASSERTION_STOP(why);
      __builtin_unreachable();
    }
#endif
  }
  /// It will, from the product that begins or continues now.
  template <class Sums>
  __attribute__((always_inline)) void own(Sums& c) {
    if (!c.has_sum_) c.product_ = product_ += kProducts;
    check_owner(c);
  }
  /// Before the first command.
  __attribute__((always_inline)) void begin() {
    if (has_begun_) return;
    has_begun_ = true;
    assert((simt_mask() & (simt_mask() - 1)) == 0 &&
           "one lane drives the matrix unit: if (simt_hart() == 0)");
    matrix_unit_fence(number);
    matrix_unit_config_execute(number);
  }
  /// Rows of A and of B in elements, for loads from now on; those on their way are waited for.
  __attribute__((always_inline)) void set_rows(unsigned a_row, unsigned b_row) {
    if (a_row == a_row_ && b_row == b_row_) return;
    begin();
    matrix_unit_fence(number);
    matrix_unit_config_load(number, 0, a_row * kBytes);
    matrix_unit_config_load(number, 1, b_row * kBytes);
    a_row_ = a_row;
    b_row_ = b_row;
  }
  __attribute__((always_inline)) void load_blocks(unsigned to_row, unsigned from, unsigned from_row,
                                                  unsigned rows, unsigned columns) {
    set_rows(from_row, b_row_);
    start_blocks(to_row, from, from_row, rows, columns);
  }
  /// Loads of both, after the commands that set the forms.
  template <class T, unsigned m, unsigned n, unsigned k, class A, class B>
  __attribute__((always_inline)) static Done start_pair(const Tile<T, m, k>& a, Matrix<A> from_a,
                                                        const Tile<T, k, n>& b, Matrix<B> from_b) {
    matrix_unit_loop_address_ab(number, address(from_a.data), address(from_b.data));
    matrix_unit_loop_stride_ab(number, from_a.row, from_b.row);
    set_shape<m, n, k>();
    matrix_unit_loop_spad_ab(number, first_row(a), end_row(b));
    matrix_unit_loop(number, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0);
    return {};
  }
  __attribute__((always_inline)) static void start_blocks(unsigned to_row, unsigned from, unsigned from_row,
                                                          unsigned rows, unsigned columns) {
    matrix_unit_loop_address_ab(number, from, 0);
    matrix_unit_loop_stride_ab(number, from_row, 0);
    matrix_unit_loop_bounds(number, rows, 1, columns);
    matrix_unit_loop_spad_ab(number, to_row, 0);
    matrix_unit_loop(number, MATRIX_UNIT_SKIPS_LOAD_ONLY | MATRIX_UNIT_LOOP_SKIP_LOAD_B, 0, 0);
  }

  static constexpr unsigned kProducts = MATRIX_UNIT_CISC_UNIT_MASK + 1;  // so that numbers tell units apart

  bool has_begun_ = false;
  unsigned product_ = number;  // the last one that began
  unsigned a_row_ = 0, b_row_ = 0, c_row_ = 0;  // the DMA's last settings; 0: nothing yet, or forms
  bool has_forms_ = false;
  Form form_a_, form_b_;
};

}  // namespace spica
