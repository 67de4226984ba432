// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/dwarf_reader.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "platform/base/input/printable.h"

namespace spica::loader {

namespace {

/// Longer than any path or name; the rest is cut off.
constexpr std::size_t kLongestName = 4096;

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : std::string(text, strnlen(text, kLongestName));
}

/// True when `path` is `end` or ends in "/" + end.
bool ends_in(const std::string& path, const std::string& end) {
  if (end.empty() || path.size() < end.size()) return false;
  const std::size_t start = path.size() - end.size();
  return path.compare(start, end.size(), end) == 0 && (start == 0 || path[start - 1] == '/');
}

/// An unsigned attribute of an entry, 0 when absent.
Dwarf_Word number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
    return 0;
  return value;
}

/// Whether the entries of a unit are a tree in which every entry lies after the one before, of limited
/// depth. libdw follows a damaged reference back, without end, and recurses for each level.
bool is_sound(Dwarf_Die die) {
  constexpr std::size_t kDeepest = 200;
  std::vector<Dwarf_Die> open;
  Dwarf_Off last = dwarf_dieoffset(&die);
  for (;;) {
    Dwarf_Die next;
    const int child = dwarf_child(&die, &next);
    if (child < 0) return false;
    if (child == 0) {
      open.push_back(die);
    } else {
      for (;;) {
        if (open.empty()) return true;
        const int sibling = dwarf_siblingof(&die, &next);
        if (sibling < 0) return false;
        if (sibling == 0) break;
        die = open.back();
        open.pop_back();
      }
    }
    const Dwarf_Off offset = dwarf_dieoffset(&next);
    if (offset <= last || open.size() > kDeepest) return false;
    last = offset;
    die = next;
  }
}

bool may_hold_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/// The entries below `die` that contain the instruction, from the outside to the inside: a function, its blocks, and
/// functions that were inlined. (libdw looks into no namespace, where clang leaves functions.)
void add_scopes(Dwarf_Die& die, std::uint64_t pc, std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do {
    const bool is_inside = dwarf_haspc(&child, pc) > 0;
    if (!is_inside && !may_hold_functions(dwarf_tag(&child))) continue;
    const std::size_t before = scopes.size();
    if (is_inside) scopes.push_back(child);
    add_scopes(child, pc, scopes);
    if (scopes.size() != before) return;
  } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

DwarfReader::DwarfReader(const Program& program) : image_(program.image) {
  elf_version(EV_CURRENT);
  elf_ = elf_memory(reinterpret_cast<char*>(image_.data()), image_.size());
  if (elf_ == nullptr) return;
  dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
  if (dwarf_ == nullptr) return;
  Dwarf_CU* cu = nullptr;
  Dwarf_Die die;
  std::uint8_t type = 0;
  while (dwarf_get_units(dwarf_, cu, &cu, nullptr, &type, &die, nullptr) == 0) {
    if (type != DW_UT_compile) continue;
    Dwarf_Attribute attribute;
    Unit unit{die, "", Unit::State::kUnknown};
    if (dwarf_attr(&die, DW_AT_comp_dir, &attribute) != nullptr)
      unit.folder = text_or_empty(dwarf_formstring(&attribute));
    units_.push_back(std::move(unit));
  }
}

DwarfReader::~DwarfReader() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
  if (elf_ != nullptr) elf_end(elf_);
}

bool DwarfReader::is_usable(Unit& unit) {
  if (unit.state == Unit::State::kUnknown)
    unit.state = is_sound(unit.die) ? Unit::State::kSound : Unit::State::kDamaged;
  return unit.state == Unit::State::kSound;
}

std::string DwarfReader::relative(const char* file, const std::string& folder) {
  if (file == nullptr) return "";
  std::string path = std::filesystem::path(text_or_empty(file)).lexically_normal().string();
  const std::string base =
      folder.empty() ? "" : (std::filesystem::path(folder) / "").lexically_normal().string();
  if (!base.empty() && path.compare(0, base.size(), base) == 0) path.erase(0, base.size());
  return input::printable(path);
}

void DwarfReader::describe(std::uint64_t pc, Location& location) const {
  for (Unit& unit : units_) {
    if (dwarf_haspc(&unit.die, pc) <= 0) continue;
    Frame frame;
    if (Dwarf_Line* line = dwarf_getsrc_die(&unit.die, pc); line != nullptr) {
      int number_of_line = 0;
      dwarf_lineno(line, &number_of_line);
      frame.line = static_cast<unsigned>(std::max(number_of_line, 0));
      frame.file = relative(dwarf_linesrc(line, nullptr, nullptr), unit.folder);
    }
    Dwarf_Files* files = nullptr;
    dwarf_getsrcfiles(&unit.die, &files, nullptr);
    // Scopes come from the inside to the outside. An inlined function has the place of its call.
    std::vector<Dwarf_Die> scopes;
    if (is_usable(unit)) add_scopes(unit.die, pc, scopes);
    std::vector<Frame> frames;
    for (auto inner = scopes.rbegin(); inner != scopes.rend(); ++inner) {
      Dwarf_Die& scope = *inner;
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      frame.function = input::printable(text_or_empty(dwarf_diename(&scope)));
      frames.push_back(frame);
      if (tag == DW_TAG_subprogram) break;
      frame = {};
      frame.line = static_cast<unsigned>(number(scope, DW_AT_call_line));
      if (files != nullptr)
        frame.file =
            relative(dwarf_filesrc(files, number(scope, DW_AT_call_file), nullptr, nullptr), unit.folder);
    }
    if (frames.empty()) frames.push_back(frame);  // assembly has lines, but no functions
    location.frame = std::move(frames.front());
    location.inlined_into.assign(std::make_move_iterator(frames.begin() + 1),
                                 std::make_move_iterator(frames.end()));
    return;
  }
}

std::vector<std::uint64_t> DwarfReader::addresses_of(const std::string& file, unsigned line) const {
  std::vector<std::uint64_t> result;
  for (Unit& unit : units_) {
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit.die, &lines, &count) != 0) continue;
    bool inside = false;  // the row before was the same line: one piece of code, one address
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* row = dwarf_onesrcline(lines, i);
      int number_of_line = 0;
      bool statement = false, end = false;
      Dwarf_Addr address = 0;
      if (dwarf_lineno(row, &number_of_line) != 0 || dwarf_linebeginstatement(row, &statement) != 0 ||
          dwarf_lineendsequence(row, &end) != 0 || dwarf_lineaddr(row, &address) != 0)
        continue;
      const bool match = !end && number_of_line >= 0 && static_cast<unsigned>(number_of_line) == line &&
                         ends_in(relative(dwarf_linesrc(row, nullptr, nullptr), unit.folder), file);
      if (match && statement && !inside) result.push_back(address);
      inside = match && (inside || statement);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

namespace {

/// The type of an entry without typedef, const and volatile; false: none. A damaged one may go in circles.
bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  constexpr int kLongestChain = 32;
  Dwarf_Die at = die;
  for (int i = 0; i < kLongestChain; ++i) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(&at, DW_AT_type, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &type) == nullptr)
      return false;
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
        tag != DW_TAG_atomic_type)
      return true;
    at = type;
  }
  return false;
}

/// Calls `action` for each child, until it returns true.
template <class Action>
bool any_child(Dwarf_Die& die, const Action& action) {
  Dwarf_Die child;
  for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child))
    if (action(child)) return true;
  return false;
}

Member::Kind kind_of(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_pointer_type || tag == DW_TAG_enumeration_type) return Member::Kind::kUnsigned;
  if (tag != DW_TAG_base_type) return Member::Kind::kOther;
  switch (number(type, DW_AT_encoding)) {
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_boolean: return Member::Kind::kUnsigned;
    case DW_ATE_signed:
    case DW_ATE_signed_char: return Member::Kind::kSigned;
    case DW_ATE_float: return Member::Kind::kFloat;
    default: return Member::Kind::kOther;
  }
}

/// clang says no size of pointers.
std::uint64_t bytes_of(Dwarf_Die& type) {
  constexpr std::uint64_t kPointer = 4;
  const std::uint64_t bytes = number(type, DW_AT_byte_size);
  return bytes == 0 && dwarf_tag(&type) == DW_TAG_pointer_type ? kPointer : bytes;
}

bool is_structure(Dwarf_Die& type) {
  return dwarf_tag(&type) == DW_TAG_structure_type || dwarf_tag(&type) == DW_TAG_class_type;
}

bool add_lengths(Dwarf_Die array, std::vector<std::uint64_t>& shape, Dwarf_Die& element);
void add_members(Dwarf_Die& structure, const std::string& prefix, std::uint64_t offset, int levels,
                 std::vector<Member>& members);

void add_member(Dwarf_Die& type, Member member, int levels, std::vector<Member>& members) {
  if (is_structure(type) && levels > 0)
    return add_members(type, member.name + '.', member.offset, levels - 1, members);
  member.kind = kind_of(type);
  member.bytes = bytes_of(type);
  members.push_back(std::move(member));
}

/// Each element of an array, rows first; of one that cannot be taken apart only its place.
void add_elements(Dwarf_Die& array, const Member& whole, int levels, std::vector<Member>& members) {
  constexpr std::uint64_t kLargestBlock = 8192;  // an argument block has no more bytes
  constexpr unsigned kDeepest = 8;
  std::vector<std::uint64_t> shape;
  Dwarf_Die element = array;
  bool known = true;
  for (unsigned i = 0; known && i < kDeepest && dwarf_tag(&element) == DW_TAG_array_type; ++i)
    known = add_lengths(element, shape, element);
  const std::uint64_t bytes = known ? bytes_of(element) : 0;
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape)
    count = std::min(count * std::min(length, kLargestBlock + 1), kLargestBlock + 1);
  if (bytes == 0 || bytes > kLargestBlock || whole.offset + count * bytes > kLargestBlock)
    return members.push_back({whole.name, whole.offset, 0, Member::Kind::kOther});
  for (std::uint64_t i = 0; i < count && members.size() < kLargestBlock; ++i) {
    Member member{"", whole.offset + i * bytes, 0, Member::Kind::kOther};
    std::uint64_t rest = i;
    for (auto length = shape.rbegin(); length != shape.rend(); rest /= *length++)
      member.name = fmt::format("[{}]", rest % *length) + member.name;
    member.name = whole.name + member.name;
    add_member(element, std::move(member), levels, members);
  }
}

void add_members(Dwarf_Die& structure, const std::string& prefix, std::uint64_t offset, int levels,
                 std::vector<Member>& members) {
  any_child(structure, [&](Dwarf_Die& child) {
    Dwarf_Die type;
    const bool is_base = dwarf_tag(&child) == DW_TAG_inheritance;
    if ((dwarf_tag(&child) != DW_TAG_member && !is_base) || !type_of(child, type)) return false;
    Member member;
    member.name = prefix + input::printable(text_or_empty(dwarf_diename(&child)));
    member.offset = offset + number(child, DW_AT_data_member_location);
    if (is_base && is_structure(type) && levels > 0)
      add_members(type, prefix, member.offset, levels - 1, members);
    else if (dwarf_tag(&type) == DW_TAG_array_type) add_elements(type, member, levels, members);
    else add_member(type, std::move(member), levels, members);
    return false;
  });
}

/// The only member of a structure that is nothing else, such as std::array: its type.
bool wrapped(Dwarf_Die& structure, Dwarf_Die& type) {
  unsigned members = 0;
  any_child(structure, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inheritance || (tag == DW_TAG_member && !type_of(child, type))) members = 2;
    if (tag == DW_TAG_member) ++members;
    return members > 1;
  });
  return members == 1;
}

/// Appends the lengths of an array; `element` is what it is made of.
bool add_lengths(Dwarf_Die array, std::vector<std::uint64_t>& shape, Dwarf_Die& element) {
  any_child(array, [&shape](Dwarf_Die& child) {
    Dwarf_Attribute bound;
    if (dwarf_tag(&child) != DW_TAG_subrange_type) return false;
    if (dwarf_attr_integrate(&child, DW_AT_count, &bound) != nullptr)
      shape.push_back(number(child, DW_AT_count));
    else
      shape.push_back(dwarf_attr_integrate(&child, DW_AT_upper_bound, &bound) == nullptr
                          ? 0
                          : number(child, DW_AT_upper_bound) + 1);
    return false;
  });
  return type_of(array, element);
}

VariableType variable_type(Dwarf_Die type) {
  constexpr int kDeepest = 16;
  VariableType result;
  Dwarf_Die inner;
  for (int i = 0; i < kDeepest; ++i, type = inner) {
    const int tag = dwarf_tag(&type);
    const bool continues = tag == DW_TAG_array_type ? add_lengths(type, result.shape, inner)
                           : tag == DW_TAG_structure_type || tag == DW_TAG_class_type ? wrapped(type, inner)
                                                                                      : false;
    if (!continues) break;
  }
  result.kind = kind_of(type);
  result.bytes = bytes_of(type);
  // It has the exponent of a float, which no format of 16 bits that others know has.
  if (text_or_empty(dwarf_diename(&type)) == "__bf16") result.kind = Member::Kind::kUnsigned;
  return result;
}

/// Where a variable is that is always in one place. Version 5 of DWARF has addresses in a table.
std::optional<std::uint64_t> address_of(Dwarf_Die& variable) {
  Dwarf_Attribute attribute, in_table;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr ||
      dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1)
    return std::nullopt;
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  Dwarf_Addr address = 0;
  if (operations[0].atom != DW_OP_addrx ||
      dwarf_getlocation_attr(&attribute, &operations[0], &in_table) != 0 ||
      dwarf_formaddr(&in_table, &address) != 0)
    return std::nullopt;
  return address;
}

/// The variable of a unit or namespace at an address.
bool find_variable(Dwarf_Die& scope, std::uint64_t address, Dwarf_Die& found) {
  return any_child(scope, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) == DW_TAG_namespace) return find_variable(child, address, found);
    if (dwarf_tag(&child) != DW_TAG_variable) return false;
    if (address_of(child) != address) return false;
    found = child;
    return true;
  });
}

}  // namespace

bool DwarfReader::find_type(std::uint64_t address, Dwarf_Die& type) const {
  for (Unit& unit : units_) {
    Dwarf_Die variable;
    if (is_usable(unit) && find_variable(unit.die, address, variable)) return type_of(variable, type);
  }
  return false;
}

namespace {

Structure structure_of(Dwarf_Die& type) {
  constexpr int kDeepest = 8;
  Structure structure;
  if (!is_structure(type)) return structure;
  add_members(type, "", 0, kDeepest, structure.members);
  structure.bytes = bytes_of(type);
  return structure;
}

/// What a pointer that is the first parameter of the function points to.
bool find_parameter(Dwarf_Die& scope, std::uint64_t function, Dwarf_Die& pointee) {
  return any_child(scope, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) == DW_TAG_namespace) return find_parameter(child, function, pointee);
    Dwarf_Addr begin = 0;
    if (dwarf_tag(&child) != DW_TAG_subprogram || dwarf_lowpc(&child, &begin) != 0 || begin != function)
      return false;
    bool found = false;
    any_child(child, [&](Dwarf_Die& parameter) {
      if (dwarf_tag(&parameter) != DW_TAG_formal_parameter) return false;
      Dwarf_Die pointer;
      found = type_of(parameter, pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type &&
              type_of(pointer, pointee);
      return true;
    });
    return found;
  });
}

}  // namespace

Structure DwarfReader::structure_at(std::uint64_t address) const {
  Dwarf_Die type;
  return find_type(address, type) ? structure_of(type) : Structure();
}

Structure DwarfReader::parameter_of(std::uint64_t function) const {
  for (Unit& unit : units_)
    if (Dwarf_Die type; is_usable(unit) && find_parameter(unit.die, function, type))
      return structure_of(type);
  return {};
}

namespace {

/// Also of what is in namespaces, by its name without them.
bool defines_in(Dwarf_Die& scope, const std::string& name) {
  return any_child(scope, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace) return defines_in(child, name);
    if ((tag != DW_TAG_variable && tag != DW_TAG_subprogram) || dwarf_hasattr(&child, DW_AT_declaration) != 0)
      return false;
    const char* const found = dwarf_diename(&child);
    return found != nullptr && name == found;
  });
}

}  // namespace

bool DwarfReader::defines(const std::string& name) const {
  return std::any_of(units_.begin(), units_.end(),
                     [&](Unit& unit) { return is_usable(unit) && defines_in(unit.die, name); });
}

std::optional<VariableType> DwarfReader::type_at(std::uint64_t address) const {
  Dwarf_Die type;
  if (!find_type(address, type)) return std::nullopt;
  return variable_type(type);
}

}  // namespace spica::loader
