// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/argument_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/address_text.h"
#include "platform/machine/loader/kernels.h"

namespace spica::loader {

namespace {

// Addresses of the operands in the published kernels (runtime linker/vx_link32.ld).
constexpr std::uint64_t kOperandA = 0xA000'0000, kOperandB = 0xA100'0000, kOperandC = 0xA200'0000;
constexpr std::uint64_t kResult = 0xC000'0000;

/// What the program says about its argument block.
struct Block {
  Structure structure;
  bool is_described = false;
  bool has_defaults = false;
  std::vector<unsigned char> defaults;
  std::vector<unsigned char> head;  // before the first argument
};

bool same(const Structure& a, const Structure& b) {
  return a.bytes == b.bytes && std::equal(a.members.begin(), a.members.end(), b.members.begin(),
                                          b.members.end(), [](const Member& x, const Member& y) {
                                            return x.name == y.name && x.offset == y.offset &&
                                                   x.bytes == y.bytes && x.kind == y.kind;
                                          });
}

/// Of a kernel that has arguments of its own (spica/cuda.h, OpenCL C).
std::optional<Kernel> kernel_with_arguments(const Program& program, std::uint64_t kernel) {
  const Kernels kernels = kernels_of(program);
  const bool is_open = kernel == 0 && !kernels.has_main;
  for (const Kernel& one : kernels.all) {
    if (!one.arguments || !(is_open || one.entry == kernel)) continue;
    if (is_open && kernels.all.size() > 1) kernels.find("", program.path);
    return one;
  }
  return std::nullopt;
}

Block block_of(const SourceMap& symbols, std::uint64_t kernel) {
  Block block;
  if (auto own = kernel_with_arguments(symbols.program(), kernel)) {
    block.structure = std::move(*own->arguments);
    block.is_described = true;
    block.head.resize(own->head_bytes);
    return block;
  }
  const Structure variable = symbols.structure_at(kArgumentBlockAddress);
  if (kernel != 0) block.structure = symbols.parameter_of(kernel);
  const bool is_own = !block.structure.members.empty() && !same(block.structure, variable);
  block.is_described = is_own || !variable.members.empty();
  if (is_own) return block;
  block.structure = variable;
  block.has_defaults = true;
  for (const Segment& segment : symbols.program().segments)
    if (segment.address == kArgumentBlockAddress) block.defaults = segment.bytes;
  return block;
}

/// "u32", "f64", as items say it.
std::string type_text(Member::Kind kind, std::uint64_t bytes) {
  const char* const types[] = {"u", "i", "f"};
  return kind == Member::Kind::kOther ? "no single number"
                                      : fmt::format("{}{}", types[static_cast<unsigned>(kind)], 8 * bytes);
}

/// Members for a person to read: of consecutive elements of an array one line with the first and the last of them.
struct Listed {
  std::string names;  // "n", "sizes[0] to sizes[3]"
  std::string type;
};

std::vector<Listed> listed(const std::vector<Member>& members) {
  const auto array_of = [](const std::string& name) {
    const bool is_element = !name.empty() && name.back() == ']';
    return is_element ? name.substr(0, name.find('[', name.rfind('.') + 1)) : std::string();
  };
  std::vector<Listed> result;
  std::string first, array;
  std::uint64_t end = 0;
  for (const Member& member : members) {
    const std::string its_array = array_of(member.name);
    if (!its_array.empty() && its_array == array && member.offset == end) {
      result.back().names = first + " to " + member.name;
    } else {
      first = member.name;
      result.push_back({first, type_text(member.kind, member.bytes)});
    }
    array = its_array;
    end = member.offset + member.bytes;
  }
  return result;
}

/// A number in the block.
struct Stored {
  std::string item;
  Member::Kind kind = Member::Kind::kUnsigned;
  std::uint64_t offset = 0, bytes = 0;
  bool uses_sign_bit = false;
};

/// What items by type do not have in common with the members of the block: a line for each.
class Comparison {
 public:
  Comparison(const Structure& structure, const std::string& what) : structure_(structure), what_(what) {}

  void check(const Stored& stored) {
    const std::size_t at = member_at(stored.offset);
    if (stored.offset + stored.bytes > structure_.bytes)
      return report(stored, fmt::format("the argument block ends at byte {}", structure_.bytes));
    if (at == structure_.members.size()) return report(stored, "no argument is there");
    const Member& member = structure_.members[at];
    // Its contents are unknown.
    if (member.kind == Member::Kind::kOther) return;
    if (member.offset != stored.offset || member.bytes != stored.bytes || !fits(stored, member))
      report(stored, fmt::format("the program has '{}' there, {} at byte {}", member.name,
                                 type_text(member.kind, member.bytes), member.offset));
  }

  /// Members that begin at `end` or behind it.
  void check_end(std::uint64_t end) {
    std::vector<Member> missing;
    for (const Member& member : structure_.members)
      if (member.offset >= end) missing.push_back(member);
    for (const auto& [names, type] : listed(missing))
      add(fmt::format("{}: '{}' ({}) has no value", what_, names, type));
  }

  void throw_problems() const {
    if (problems_.empty()) return;
    throw input::UserError(fmt::format("{}\nthe argument block is {}; to set some of them only: name=value",
                                       problems_, members()));
  }

 private:
  std::size_t member_at(std::uint64_t offset) const {
    for (std::size_t i = 0; i < structure_.members.size(); ++i) {
      const Member& member = structure_.members[i];
      const bool is_array = member.kind == Member::Kind::kOther;
      const std::uint64_t end = !is_array                           ? member.offset + member.bytes
                                : i + 1 < structure_.members.size() ? structure_.members[i + 1].offset
                                                                    : structure_.bytes;
      if (offset >= member.offset && offset < end) return i;
    }
    return structure_.members.size();
  }

  /// The bits mean the same as the kind of the item and as that of the member. No item has a type for float of 16 bits.
  static bool fits(const Stored& stored, const Member& member) {
    if (stored.kind == member.kind) return true;
    if (member.kind == Member::Kind::kFloat) return member.bytes == 2;
    return stored.kind != Member::Kind::kFloat && !stored.uses_sign_bit;
  }

  void report(const Stored& stored, const std::string& why) {
    add(fmt::format("{} item '{}' at byte {}: {}", what_, stored.item, stored.offset, why));
  }
  void add(const std::string& line) { problems_ += (problems_.empty() ? "" : "\n") + line; }

  std::string members() const {
    std::string text;
    for (const auto& [names, type] : listed(structure_.members))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", names, type);
    return text;
  }

  const Structure& structure_;
  const std::string& what_;
  std::string problems_;
};

/// Builds the block item by item.
class Builder {
 public:
  Builder(const SourceMap& symbols, const std::string& what, const Block& block)
      : symbols_(symbols), what_(what), block_(block), bytes_(block.head) {}

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
      is_published_ = true;
      for (const std::uint64_t size : sizes(value, 3)) store(size, 4);
      pad(4);
      for (const std::uint64_t address : {kOperandA, kOperandB, kResult}) store(address, 8);
    } else if (type == "flash") {
      is_published_ = true;
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

  std::vector<unsigned char> take() {
    if (!block_.is_described) return std::move(bytes_);
    Comparison comparison(block_.structure, what_);
    for (const Stored& stored : stored_) comparison.check(stored);
    if (!is_published_) comparison.check_end(bytes_.size());
    comparison.throw_problems();
    return std::move(bytes_);
  }

 private:
  /// How an argument of this program is named.
  std::string by_name() const {
    for (const Member& member : block_.structure.members)
      if (member.kind != Member::Kind::kOther)
        return fmt::format(", or name=value, for example {}=16", member.name);
    return {};
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw input::UserError(fmt::format("{} item '{}': {}", what_, item_, what));
  }

  static unsigned width(const std::string& type) {
    return static_cast<unsigned>(std::stoul(type.substr(1)) / 8);
  }

  std::uint64_t count(const std::string& value) const {
    const auto number = input::parse_number(value);
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
    store(number, bytes, Member::Kind::kUnsigned, number >> (8 * bytes - 1) != 0);
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
    store(static_cast<std::uint64_t>(number), bytes, Member::Kind::kSigned, number < 0);
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
    store(bits, bytes, Member::Kind::kFloat);
  }

  /// "256x256x256"
  std::vector<std::uint64_t> sizes(const std::string& value, unsigned expected) const {
    std::vector<std::uint64_t> result;
    for (std::size_t start = 0; start <= value.size();) {
      const std::size_t end = std::min(value.find('x', start), value.size());
      const auto number = input::parse_number(value.substr(start, end - start));
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

  void store(std::uint64_t value, unsigned bytes, Member::Kind kind = Member::Kind::kUnsigned,
             bool uses_sign_bit = false) {
    need(bytes);
    stored_.push_back({item_, kind, bytes_.size(), bytes, uses_sign_bit});
    for (unsigned i = 0; i < bytes; ++i) bytes_.push_back(static_cast<unsigned char>(value >> (8 * i)));
  }

  void need(std::uint64_t bytes) const {
    if (bytes > kArgumentBlockBytes - bytes_.size())
      fail(fmt::format("the argument block has only {} bytes", kArgumentBlockBytes));
  }

  const SourceMap& symbols_;
  const std::string& what_;
  const Block& block_;
  std::string item_;
  std::vector<unsigned char> bytes_;
  std::vector<Stored> stored_;
  bool is_published_ = false;
};

/// Items "name=value".
class NamedBuilder {
 public:
  NamedBuilder(const SourceMap& symbols, const std::string& what, const Block& block)
      : symbols_(symbols),
        what_(what),
        members_(block.structure.members),
        bytes_(block.has_defaults ? block.defaults : block.head),
        has_defaults_(block.has_defaults) {
    if (!block.is_described)
      throw input::UserError(
          fmt::format("{}: {} has no argument names: add KERNEL_ARGUMENTS and debug information (-g), or use "
                      "type:value, for example u32:16",
                      what, input::printable(symbols.program().path)));
  }

  void add(const std::string& item) {
    try {
      set(item);
    } catch (const input::UserError& error) {
      problems_ += (problems_.empty() ? "" : "\n") + std::string(error.what());
    }
  }

  std::vector<unsigned char> take() {
    std::vector<Member> missing;
    for (const Member& member : members_)
      if (!has_defaults_ && given_.count(member.name) == 0) missing.push_back(member);
    for (const Listed& one : listed(missing))
      problems_ += fmt::format("{}{}: '{}' has no value, and the program has no default for it",
                               problems_.empty() ? "" : "\n", what_, one.names);
    if (!problems_.empty()) throw input::UserError(problems_);
    return std::move(bytes_);
  }

 private:
  void set(const std::string& item) {
    const std::size_t sign = item.find('=');
    const std::string name = item.substr(0, sign);
    if (sign == std::string::npos) fail(item, "the others are name=value: use this form for all");
    const auto member =
        std::find_if(members_.begin(), members_.end(), [&](const Member& one) { return one.name == name; });
    if (member == members_.end() || member->kind == Member::Kind::kOther)
      fail(item,
           fmt::format("{}; there are {}",
                       member == members_.end() ? "there is no such argument" : "it is not a single number",
                       names()));
    if (!given_.insert(name).second) fail(item, "it is given twice");
    const Block no_block;
    Builder builder(symbols_, what_, no_block);
    builder.add(fmt::format("{}:{}", type_text(member->kind, member->bytes), item.substr(sign + 1)));
    const std::vector<unsigned char> value = builder.take();
    if (bytes_.size() < member->offset + value.size()) bytes_.resize(member->offset + value.size());
    std::copy(value.begin(), value.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(member->offset));
  }

  [[noreturn]] void fail(const std::string& item, const std::string& why) const {
    throw input::UserError(fmt::format("{} item '{}': {}", what_, item, why));
  }
  std::string names() const {
    std::vector<Member> numbers;
    for (const Member& member : members_)
      if (member.kind != Member::Kind::kOther) numbers.push_back(member);
    std::string text;
    for (const Listed& one : listed(numbers)) text += (text.empty() ? "" : ", ") + one.names;
    return text.empty() ? "none" : text;
  }

  const SourceMap& symbols_;
  const std::string& what_;
  std::vector<Member> members_;
  std::vector<unsigned char> bytes_;
  bool has_defaults_;
  std::set<std::string> given_;
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
                                           const std::string& what, std::uint64_t kernel) {
  const Block block = block_of(symbols, kernel);
  if (text.find('=') != std::string::npos) return built(NamedBuilder(symbols, what, block), text);
  return built(Builder(symbols, what, block), text);
}

std::optional<std::uint64_t> published_result(const std::string& text) {
  const bool has_one =
      (',' + text).find(",gemm:") != std::string::npos || (',' + text).find(",flash:") != std::string::npos;
  return has_one ? std::optional<std::uint64_t>(kResult) : std::nullopt;
}

}  // namespace spica::loader
