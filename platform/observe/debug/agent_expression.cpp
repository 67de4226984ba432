// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/agent_expression.h"

#include <vector>

namespace spica::debug {

namespace {

enum Op : std::uint8_t {
  kAdd = 0x02,
  kSub = 0x03,
  kMul = 0x04,
  kDivSigned = 0x05,
  kDivUnsigned = 0x06,
  kRemSigned = 0x07,
  kRemUnsigned = 0x08,
  kLsh = 0x09,
  kRshSigned = 0x0A,
  kRshUnsigned = 0x0B,
  kLogNot = 0x0E,
  kBitAnd = 0x0F,
  kBitOr = 0x10,
  kBitXor = 0x11,
  kBitNot = 0x12,
  kEqual = 0x13,
  kLessSigned = 0x14,
  kLessUnsigned = 0x15,
  kExt = 0x16,
  kRef8 = 0x17,
  kRef16 = 0x18,
  kRef32 = 0x19,
  kRef64 = 0x1A,
  kIfGoto = 0x20,
  kGoto = 0x21,
  kConst8 = 0x22,
  kConst16 = 0x23,
  kConst32 = 0x24,
  kConst64 = 0x25,
  kReg = 0x26,
  kEnd = 0x27,
  kDup = 0x28,
  kPop = 0x29,
  kZeroExt = 0x2A,
  kSwap = 0x2B,
  kPick = 0x32,
  kRot = 0x33,
};

using Word = std::uint64_t;

constexpr unsigned kMostOperations = 10'000;  // an expression may jump backwards
constexpr std::size_t kDeepest = 200;

std::int64_t as_signed(Word word) { return static_cast<std::int64_t>(word); }

/// Operations of two values, the second on top of the stack.
std::optional<Word> combine(std::uint8_t op, Word a, Word b) {
  const bool divides_by_zero = b == 0 && op >= kDivSigned && op <= kRemUnsigned;
  if (divides_by_zero) return std::nullopt;
  const bool overflows = as_signed(b) == -1;  // the quotient of the smallest number
  switch (op) {
    case kAdd: return a + b;
    case kSub: return a - b;
    case kMul: return a * b;
    case kDivSigned: return overflows ? 0 - a : static_cast<Word>(as_signed(a) / as_signed(b));
    case kDivUnsigned: return a / b;
    case kRemSigned: return overflows ? 0 : static_cast<Word>(as_signed(a) % as_signed(b));
    case kRemUnsigned: return a % b;
    case kLsh: return b < 64 ? a << b : 0;
    case kRshSigned: return static_cast<Word>(as_signed(a) >> (b < 64 ? b : 63));
    case kRshUnsigned: return b < 64 ? a >> b : 0;
    case kBitAnd: return a & b;
    case kBitOr: return a | b;
    case kBitXor: return a ^ b;
    case kEqual: return a == b;
    case kLessSigned: return as_signed(a) < as_signed(b);
    case kLessUnsigned: return a < b;
    default: return std::nullopt;
  }
}

class Evaluation {
 public:
  Evaluation(std::string_view code, const AgentSource& source) : code_(code), source_(source) {}

  std::optional<Word> result() {
    for (unsigned n = 0; n < kMostOperations; ++n) {
      const auto op = static_cast<std::uint8_t>(operand(1));
      if (op == kEnd) return failed_ || stack_.empty() ? std::nullopt : std::optional<Word>(stack_.back());
      execute(op);
      if (failed_) break;
    }
    return std::nullopt;
  }

 private:
  /// Big-endian, behind the operation.
  Word operand(unsigned bytes) {
    if (bytes > code_.size() - at_) {
      failed_ = true;
      return 0;
    }
    Word value = 0;
    for (unsigned i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(code_[at_++]);
    return value;
  }
  void push(Word value) {
    failed_ |= stack_.size() >= kDeepest;
    if (!failed_) stack_.push_back(value);
  }
  /// From the top: 0 is the top itself.
  Word look(std::size_t depth) {
    failed_ |= depth >= stack_.size();
    return failed_ ? 0 : stack_[stack_.size() - 1 - depth];
  }
  Word pop() {
    const Word value = look(0);
    if (!failed_) stack_.pop_back();
    return value;
  }
  void jump(Word to) {
    failed_ |= to >= code_.size();
    if (!failed_) at_ = static_cast<std::size_t>(to);
  }
  void read(unsigned bytes) {
    unsigned char data[8] = {};
    failed_ |= !source_.read_memory(static_cast<std::uint32_t>(pop()), data, bytes);
    Word value = 0;
    for (unsigned i = bytes; i-- > 0;) value = value << 8 | data[i];
    push(value);
  }
  void extend(bool sign) {
    const Word bits = operand(1);
    const Word value = pop();
    if (bits == 0 || bits >= 64) return push(value);
    const Word mask = (Word{1} << bits) - 1;
    const bool negative = sign && (value >> (bits - 1) & 1) != 0;
    push(negative ? value | ~mask : value & mask);
  }

  void execute(std::uint8_t op) {
    switch (op) {
      case kLogNot: return push(pop() == 0);
      case kBitNot: return push(~pop());
      case kExt: return extend(true);
      case kZeroExt: return extend(false);
      case kRef8: return read(1);
      case kRef16: return read(2);
      case kRef32: return read(4);
      case kRef64: return read(8);
      case kConst8: return push(operand(1));
      case kConst16: return push(operand(2));
      case kConst32: return push(operand(4));
      case kConst64: return push(operand(8));
      case kGoto: return jump(operand(2));
      case kIfGoto: {
        const Word to = operand(2);
        if (pop() != 0) jump(to);
        return;
      }
      case kReg: {
        const auto value = source_.read_register(static_cast<unsigned>(operand(2)));
        failed_ |= !value;
        return push(value.value_or(0));
      }
      case kDup: return push(look(0));
      case kPop: pop(); return;
      case kPick: return push(look(static_cast<std::size_t>(operand(1))));
      case kSwap: {
        const Word b = pop(), a = pop();
        push(b);
        return push(a);
      }
      case kRot: {  // a b c -> c a b
        const Word c = pop(), b = pop(), a = pop();
        push(c);
        push(a);
        return push(b);
      }
      default: {
        const Word b = pop(), a = pop();
        const auto value = combine(op, a, b);
        failed_ |= !value;
        return push(value.value_or(0));
      }
    }
  }

  std::string_view code_;
  const AgentSource& source_;
  std::size_t at_ = 0;
  std::vector<Word> stack_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::uint64_t> evaluate(std::string_view code, const AgentSource& source) {
  return Evaluation(code, source).result();
}

}  // namespace spica::debug
