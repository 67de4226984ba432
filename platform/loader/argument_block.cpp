// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/argument_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "platform/input/printable.h"
#include "platform/loader/number_text.h"
#include "platform/loader/user_error.h"

namespace spica::loader {

namespace {

// Addresses of the operands in the published kernels (runtime linker/vx_link32.ld).
constexpr std::uint64_t kOperandA = 0xA000'0000, kOperandB = 0xA100'0000, kOperandC = 0xA200'0000;
constexpr std::uint64_t kResult = 0xC000'0000;

/// Builds the block item by item.
class Builder {
 public:
  Builder(const SourceMap& symbols, const std::string& what) : symbols_(symbols), what_(what) {}

  void add(const std::string& item) {
    item_ = item;
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == item.size())
      fail("the form is type:value, for example u32:16" + by_name());
    const std::string type = item.substr(0, colon), value = item.substr(colon + 1);
    if (type == "pad") {
      pad(count(value));
    } else if (type == "align") {
      const std::uint64_t multiple = count(value);
      if (multiple == 0) fail("the alignment must not be 0");
      pad((multiple - bytes_.size() % multiple) % multiple);
    } else if (type == "gemm") {
      for (const std::uint64_t size : sizes(value, 3)) store(size, 4);
      pad(4);
      for (const std::uint64_t address : {kOperandA, kOperandB, kResult}) store(address, 8);
    } else if (type == "flash") {
      for (const std::uint64_t size : sizes(value, 2)) store(size, 4);
      for (const std::uint64_t address : {kOperandA, kOperandB, kOperandC, kResult}) store(address, 8);
    } else if (type == "f32" || type == "f64") {
      add_float(value, type == "f32" ? 4 : 8);
    } else if (type == "u8" || type == "u16" || type == "u32" || type == "u64") {
      add_unsigned(value, width(type));
    } else if (type == "i8" || type == "i16" || type == "i32" || type == "i64") {
      add_signed(value, width(type));
    } else {
      fail("the types are u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 pad align gemm flash");
    }
    item_.clear();
  }

  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  /// How an argument of this program is named.
  std::string by_name() const {
    for (const Member& member : symbols_.members_at(kArgumentBlockAddress))
      if (member.kind != Member::Kind::kOther)
        return fmt::format(", or name=value, for example {}=16", member.name);
    return {};
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{} item '{}': {}", what_, item_, what));
  }

  static unsigned width(const std::string& type) {
    return static_cast<unsigned>(std::stoul(type.substr(1)) / 8);
  }

  std::uint64_t count(const std::string& value) const {
    const auto number = parse_number(value);
    if (!number) fail(fmt::format("'{}' is not a number", value));
    return *number;
  }

  void add_unsigned(const std::string& value, unsigned bytes) {
    const bool may_be_symbol = bytes >= 4;
    const std::uint64_t number =
        may_be_symbol ? parse_address(value, fmt::format("{} item '{}'", what_, item_), symbols_)
                      : count(value);
    if (bytes < 8 && number >> (8 * bytes) != 0)
      fail(fmt::format("{} does not fit {} bits", value, 8 * bytes));
    store(number, bytes);
  }

  void add_signed(const std::string& value, unsigned bytes) {
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error == std::errc::invalid_argument || stop != end)
      fail(fmt::format("'{}' is not a signed decimal number", value));
    const std::int64_t limit = bytes == 8 ? 0 : std::int64_t{1} << (8 * bytes - 1);
    if (error != std::errc() || (bytes < 8 && (number < -limit || number >= limit)))
      fail(fmt::format("{} does not fit {} bits", value, 8 * bytes));
    store(static_cast<std::uint64_t>(number), bytes);
  }

  void add_float(const std::string& value, unsigned bytes) {
    double wide = 0;
    float narrow = 0;
    const char* end = value.data() + value.size();
    // Each width is rounded once, from the text.
    const auto [stop, error] =
        bytes == 8 ? std::from_chars(value.data(), end, wide) : std::from_chars(value.data(), end, narrow);
    if (error == std::errc::result_out_of_range)
      fail(fmt::format("{} does not fit {} bits", value, 8 * bytes));
    if (error != std::errc() || stop != end) fail(fmt::format("'{}' is not a floating-point number", value));
    std::uint64_t bits = 0;
    if (bytes == 8) {
      std::memcpy(&bits, &wide, 8);
    } else {
      std::uint32_t word = 0;
      std::memcpy(&word, &narrow, 4);
      bits = word;
    }
    store(bits, bytes);
  }

  /// "256x256x256"
  std::vector<std::uint64_t> sizes(const std::string& value, unsigned expected) const {
    std::vector<std::uint64_t> result;
    for (std::size_t start = 0; start <= value.size();) {
      const std::size_t end = std::min(value.find('x', start), value.size());
      const auto number = parse_number(value.substr(start, end - start));
      if (!number || *number == 0 || *number > 0xFFFF'FFFF) break;
      result.push_back(*number);
      start = end + 1;
      if (end == value.size() && result.size() == expected) return result;
    }
    fail(fmt::format("expected {} sizes separated by x, such as {}", expected,
                     expected == 3 ? "256x256x256" : "1024x64"));
  }

  void pad(std::uint64_t bytes) {
    need(bytes);
    bytes_.resize(bytes_.size() + bytes, 0);
  }

  void store(std::uint64_t value, unsigned bytes) {
    need(bytes);
    for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<unsigned char>(value >> (8 * i)));
  }

  void need(std::uint64_t bytes) const {
    if (bytes > kArgumentBlockBytes - bytes_.size())
      fail(fmt::format("the argument block has only {} bytes", kArgumentBlockBytes));
  }

  const SourceMap& symbols_;
  const std::string& what_;
  std::string item_;
  std::vector<unsigned char> bytes_;
};

/// Items "name=value".
class NamedBuilder {
 public:
  NamedBuilder(const SourceMap& symbols, const std::string& what)
      : symbols_(symbols), what_(what), members_(symbols.members_at(kArgumentBlockAddress)) {
    if (members_.empty())
      throw UserError(fmt::format(
          "{}: {} does not say what its arguments are called: it needs KERNEL_ARGUMENTS and debug information (-g); without, "
          "type:value, for example u32:16",
          what, input::printable(symbols.program().path)));
    for (const Segment& segment : symbols.program().segments)
      if (segment.address == kArgumentBlockAddress) bytes_ = segment.bytes;
  }

  void add(const std::string& item) {
    try {
      set(item);
    } catch (const UserError& error) {
      problems_ += (problems_.empty() ? "" : "\n") + std::string(error.what());
    }
  }

  std::vector<unsigned char> take() {
    if (!problems_.empty()) throw UserError(problems_);
    return std::move(bytes_);
  }

 private:
  void set(const std::string& item) {
    const std::size_t sign = item.find('=');
    const std::string name = item.substr(0, sign);
    if (sign == std::string::npos) fail(item, "the others are name=value, this one too");
    const auto member =
        std::find_if(members_.begin(), members_.end(), [&](const Member& one) { return one.name == name; });
    if (member == members_.end() || member->kind == Member::Kind::kOther)
      fail(item,
           fmt::format("{}; there are {}",
                       member == members_.end() ? "there is no such argument" : "it is no single number",
                       names()));
    const char* const types[] = {"u", "i", "f"};
    Builder builder(symbols_, what_);
    builder.add(fmt::format("{}{}:{}", types[static_cast<unsigned>(member->kind)], 8 * member->bytes,
                            item.substr(sign + 1)));
    const std::vector<unsigned char> value = builder.take();
    if (bytes_.size() < member->offset + value.size()) bytes_.resize(member->offset + value.size());
    std::copy(value.begin(), value.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(member->offset));
  }

  [[noreturn]] void fail(const std::string& item, const std::string& why) const {
    throw UserError(fmt::format("{} item '{}': {}", what_, item, why));
  }
  std::string names() const {
    std::string text;
    for (const Member& member : members_)
      if (member.kind != Member::Kind::kOther) text += (text.empty() ? "" : ", ") + member.name;
    return text;
  }

  const SourceMap& symbols_;
  const std::string& what_;
  std::vector<Member> members_;
  std::vector<unsigned char> bytes_;
  std::string problems_;
};

template <class AnyBuilder>
std::vector<unsigned char> built(AnyBuilder builder, const std::string& text) {
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    builder.add(text.substr(start, end - start));
    start = end + 1;
  }
  return builder.take();
}

}  // namespace

std::vector<unsigned char> parse_arguments(const std::string& text, const SourceMap& symbols,
                                           const std::string& what) {
  if (text.find('=') != std::string::npos) return built(NamedBuilder(symbols, what), text);
  return built(Builder(symbols, what), text);
}

}  // namespace spica::loader
