// SPDX-License-Identifier: Apache-2.0
// Program of the source map test. The tests know these lines by their marks.
extern "C" {
int samples[4] = {1, 2, 3, 4};
int total(const int* from);
}

static inline __attribute__((always_inline)) int squared(int value) {
  return value * value;  // mark: square
}

int total(const int* from) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += squared(from[i]);  // mark: call
  return sum;
}

namespace probe {
int twice(int value) { return 2 * value; }
int twice(float value) { return static_cast<int>(2 * value); }
int once(int value) { return value + 1; }
int inside(int value) { return squared(value); }  // mark: inside
}  // namespace probe

namespace probe {
enum class Mode : unsigned char { kOne, kTwo };
using Count = const unsigned;
struct Size {
  unsigned m, n;
};
struct Arguments {
  Count count;
  float factor;
  signed char small;
  Mode mode;
  Size size;
  unsigned list[2];
  unsigned long long address;
};
template <class T, int n>
struct Array {
  T elements[n];
};
Size sizes[3] = {{1, 2}};
Array<Array<float, 5>, 2> wrapped = {};
extern const short table[2][3][4];
const short table[2][3][4] = {{{1}}};
extern volatile double wide[];
volatile double wide[] = {1, 2};
Mode mode = Mode::kTwo;
__attribute__((section(".args"), used)) volatile Arguments arguments = {7,      1.5f,   -1, Mode::kTwo,
                                                                        {2, 3}, {4, 5}, 6};
}  // namespace probe
