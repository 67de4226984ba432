// SPDX-License-Identifier: Apache-2.0
// Binary to decimal with integers only: there is no double arithmetic on the machine. The number is
// held as groups of nine decimal digits with the point at a fixed place, so every digit printed is
// exact.
#include "format_text.h"

namespace text {

namespace {

constexpr uint32_t kGroup = 1000000000;
constexpr int kIntegerGroups = 35;    // 2^1024 has 309 digits
constexpr int kFractionGroups = 120;  // 2^-1074 has 1074 digits behind the point
constexpr int kGroups = kIntegerGroups + kFractionGroups;
constexpr int kPoint = 9 * kIntegerGroups;  // digits in front of the point

/// digit(i) is the i-th decimal digit; the point is in front of digit kPoint.
class Decimal {
 public:
  /// mantissa * 2^exponent
  Decimal(uint64_t mantissa, int exponent) : first_(kIntegerGroups), last_(kIntegerGroups) {
    for (int i = kIntegerGroups; mantissa != 0; mantissa /= kGroup) {
      groups_[--i] = static_cast<uint32_t>(mantissa % kGroup);
      first_ = i;
    }
    for (int up = exponent; up > 0; up -= 29) multiply(up < 29 ? up : 29);
    for (int down = -exponent; down > 0; down -= 9) divide(down < 9 ? down : 9);
  }

  unsigned digit(int index) const {
    const int group = index / 9;
    if (index < 0 || group < first_ || group >= last_) return 0;
    uint32_t value = groups_[group];
    for (int i = index % 9; i < 8; ++i) value /= 10;
    return value % 10;
  }

  /// Index of the first digit that is not 0; kPoint for the number 0.
  int first_digit() const {
    for (int i = 9 * first_; i < 9 * last_; ++i)
      if (digit(i) != 0) return i;
    return kPoint;
  }

  /// Drops digit `index` and all behind it, rounding half to even.
  void round(int index) {
    if (index >= 9 * last_ || index < 0) return;
    const unsigned dropped = digit(index);
    const bool up = dropped > 5 || (dropped == 5 && (rest(index + 1) || (digit(index - 1) & 1) != 0));
    const int group = index / 9;
    uint32_t unit = 1;
    for (int i = index % 9; i < 9; ++i) unit *= 10;  // of the last digit kept, in this group
    if (group < first_) {  // all digits are behind it; the group itself is 0
      while (first_ > group) groups_[--first_] = 0;
    }
    groups_[group] -= unit == kGroup ? groups_[group] : groups_[group] % unit;
    last_ = group + 1;
    if (!up) return;
    if (unit == kGroup) add(group - 1, 1);
    else add(group, unit);
  }

 private:
  bool rest(int index) const {
    for (int i = index; i < 9 * last_; ++i)
      if (digit(i) != 0) return true;
    return false;
  }

  void add(int group, uint32_t value) {
    for (;; --group, value = 1) {
      while (first_ > group) groups_[--first_] = 0;
      if (last_ <= group) last_ = group + 1;
      groups_[group] += value;
      if (groups_[group] < kGroup) return;
      groups_[group] -= kGroup;
    }
  }

  void multiply(int shift) {  // by 2^shift, shift <= 29
    uint32_t carry = 0;
    for (int i = last_ - 1; i >= first_; --i) {
      const uint64_t value = (static_cast<uint64_t>(groups_[i]) << shift) + carry;
      groups_[i] = static_cast<uint32_t>(value % kGroup);
      carry = static_cast<uint32_t>(value / kGroup);
    }
    if (carry != 0) groups_[--first_] = carry;
  }

  void divide(int shift) {  // by 2^shift, shift <= 9: 10^9 is divisible by 2^9
    uint32_t carry = 0;
    for (int i = first_; i < last_; ++i) {
      const uint32_t value = groups_[i];
      groups_[i] = (value >> shift) + carry;
      carry = (kGroup >> shift) * (value & ((1u << shift) - 1));
    }
    if (carry != 0) groups_[last_++] = carry;
    while (first_ < last_ && first_ < kIntegerGroups && groups_[first_] == 0) ++first_;
  }

  uint32_t groups_[kGroups];
  int first_, last_;  // groups in use; the others are 0
};

void put_special(Sink& sink, const Field& field, const char* sign, size_t sign_size, bool infinite,
                 bool upper) {
  const char* const body = infinite ? (upper ? "INF" : "inf") : (upper ? "NAN" : "nan");
  put_padded(sink, field, sign, sign_size, body, 3, false);
}

/// The digits of one conversion, in their order: integer part or first digit, point, fraction,
/// exponent.
struct Layout {
  int first = 0;     // index of the first digit printed
  int integer = 1;   // digits in front of the point
  int fraction = 0;  // digits behind it
  bool point = false;
  bool exponential = false;
  int exponent = 0;
};

size_t exponent_text(int exponent, char letter, char (&out)[8]) {
  size_t n = 0;
  out[n++] = letter;
  out[n++] = exponent < 0 ? '-' : '+';
  const unsigned magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  if (magnitude >= 100) out[n++] = static_cast<char>('0' + magnitude / 100);
  out[n++] = static_cast<char>('0' + magnitude / 10 % 10);
  out[n++] = static_cast<char>('0' + magnitude % 10);
  return n;
}

void put_layout(Sink& sink, const Field& field, const char* sign, size_t sign_size, const Decimal& decimal,
                const Layout& layout, bool upper) {
  char exponent[8];
  const size_t exponent_size =
      layout.exponential ? exponent_text(layout.exponent, upper ? 'E' : 'e', exponent) : 0;
  const int size = static_cast<int>(sign_size) + layout.integer + (layout.point ? 1 : 0) + layout.fraction +
                   static_cast<int>(exponent_size);
  const int missing = field.width - size;
  if (!field.left && !field.zero) sink.pad(' ', missing);
  sink.put(sign, sign_size);
  if (!field.left && field.zero) sink.pad('0', missing);
  int index = layout.first;
  for (int i = 0; i < layout.integer; ++i) sink.put(static_cast<char>('0' + decimal.digit(index++)));
  if (layout.point) sink.put('.');
  for (int i = 0; i < layout.fraction; ++i) sink.put(static_cast<char>('0' + decimal.digit(index++)));
  sink.put(exponent, exponent_size);
  if (field.left) sink.pad(' ', missing);
}

Layout fixed_layout(const Decimal& decimal, int precision) {
  Layout layout;
  const int first = decimal.first_digit();
  layout.first = first < kPoint - 1 ? first : kPoint - 1;
  layout.integer = kPoint - layout.first;
  layout.fraction = precision;
  return layout;
}

Layout exponential_layout(const Decimal& decimal, bool zero, int precision) {
  Layout layout;
  layout.exponential = true;
  layout.first = zero ? kPoint - 1 : decimal.first_digit();
  layout.exponent = kPoint - 1 - layout.first;
  layout.fraction = precision;
  return layout;
}

}  // namespace

void format_double(Sink& sink, const Field& field, uint64_t bits, char letter) {
  const bool upper = letter < 'a';
  const char style = upper ? static_cast<char>(letter + ('a' - 'A')) : letter;
  const char sign = bits >> 63 != 0 ? '-' : field.plus ? '+' : ' ';
  const size_t sign_size = bits >> 63 != 0 || field.plus || field.space ? 1 : 0;
  const int biased = static_cast<int>(bits >> 52 & 0x7FF);
  uint64_t mantissa = bits & 0xFFFFFFFFFFFFFull;
  if (biased == 0x7FF) return put_special(sink, field, &sign, sign_size, mantissa == 0, upper);
  if (biased != 0) mantissa |= 1ull << 52;

  Decimal decimal(mantissa, (biased != 0 ? biased : 1) - 1075);
  const bool zero = mantissa == 0;
  int precision = field.precision < 0 ? 6 : field.precision;
  Layout layout;
  if (style == 'f') {
    decimal.round(kPoint + precision);
    layout = fixed_layout(decimal, precision);
  } else if (style == 'e') {
    if (!zero) decimal.round(decimal.first_digit() + precision + 1);
    layout = exponential_layout(decimal, zero, precision);
  } else {
    if (precision == 0) precision = 1;
    if (!zero) decimal.round(decimal.first_digit() + precision);
    layout = exponential_layout(decimal, zero, precision - 1);
    if (layout.exponent >= -4 && layout.exponent < precision)
      layout = fixed_layout(decimal, precision - 1 - layout.exponent);
    if (!field.alternate)  // trailing zeros go
      while (layout.fraction > 0 && decimal.digit(layout.first + layout.integer + layout.fraction - 1) == 0)
        --layout.fraction;
  }
  layout.point = layout.fraction > 0 || field.alternate;
  put_layout(sink, field, &sign, sign_size, decimal, layout, upper);
}

}  // namespace text
