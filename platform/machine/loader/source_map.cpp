// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/source_map.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "platform/base/input/printable.h"
#include "platform/machine/loader/dwarf_reader.h"

namespace spica::loader {

std::string Frame::place(bool full) const {
  if (file.empty()) return "";
  const std::size_t slash = full ? std::string::npos : file.rfind('/');
  const std::string shown = slash == std::string::npos ? file : file.substr(slash + 1);
  return line == 0 ? shown : fmt::format("{}:{}", shown, line);
}

namespace {

/// Whether the demangled name could be longer than a megabyte: "S1_" and "T_" repeat parts that came
/// before, so that a name of 200 bytes can have 40 gigabytes. Worst is a part that is three times the
/// one before, three references for each.
bool may_explode(const std::string& symbol) {
  constexpr double kLongest = 1 << 20;
  double longest = static_cast<double>(symbol.size());
  std::size_t references = 0;
  for (std::size_t i = 0; i + 1 < symbol.size(); ++i) {
    if (symbol[i] != 'S' && symbol[i] != 'T') continue;
    const std::size_t end = symbol.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
    if (end != std::string::npos && symbol[end] == '_' && ++references % 3 == 0) longest *= 3;
    if (longest > kLongest) return true;
  }
  return false;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  if (symbol.compare(0, 2, "_Z") != 0 || may_explode(symbol)) return symbol;
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (status != 0 || text == nullptr) return symbol;
  std::string result = text;
  std::free(text);
  return result;
}

namespace {

bool is_code(const Program& program, std::uint64_t address) {
  return std::any_of(program.segments.begin(), program.segments.end(), [&](const Segment& s) {
    return s.executable && address >= s.address && address - s.address < s.bytes.size();
  });
}

}  // namespace

SourceMap::SourceMap(const Program& program) : program_(program) {
  for (const Symbol& symbol : program.symbols) {
    // Labels of assembly without a type count too, local ones of the compiler do not.
    const bool label = symbol.kind == Symbol::Kind::kOther && symbol.name[0] != '.';
    if ((symbol.kind == Symbol::Kind::kFunction || label) && is_code(program, symbol.address))
      functions_.push_back(&symbol);
  }
}

SourceMap::~SourceMap() = default;

const SourceMap& SourceMap::add(const Program& program) {
  return *others_.emplace_back(std::make_unique<SourceMap>(program));
}

void SourceMap::remove(const Program& program) {
  others_.erase(std::remove_if(others_.begin(), others_.end(),
                               [&](const auto& other) { return &other->program_ == &program; }),
                others_.end());
}

const DwarfReader& SourceMap::dwarf() const {
  if (dwarf_ == nullptr) dwarf_ = std::make_unique<DwarfReader>(program_);
  return *dwarf_;
}

const Symbol* SourceMap::function_at(std::uint64_t pc) const {
  if (!is_code(program_, pc)) {
    for (const auto& other : others_)
      if (is_code(other->program_, pc)) return other->function_at(pc);
    return nullptr;
  }
  const auto after =
      std::upper_bound(functions_.begin(), functions_.end(), pc,
                       [](std::uint64_t address, const Symbol* symbol) { return address < symbol->address; });
  // Back from the nearest: a real function wins over a label inside it, a global alias over a local
  // one.
  const Symbol* label = nullptr;
  for (auto at = after; at != functions_.begin();) {
    const Symbol* symbol = *--at;
    if (symbol->kind == Symbol::Kind::kFunction) {
      const bool covers = symbol->bytes == 0 || pc - symbol->address < symbol->bytes;
      if (!covers) return label;
      while (at != functions_.begin() && (*(at - 1))->address == symbol->address) {
        --at;
        if ((*at)->kind == Symbol::Kind::kFunction && ((*at)->global || !symbol->global)) symbol = *at;
      }
      return symbol;
    }
    if (label == nullptr) label = symbol;
  }
  return label;
}

const Location& SourceMap::lookup(std::uint64_t pc) const {
  static const Location unknown;
  const auto found = found_.find(pc);
  if (found != found_.end()) return found->second;
  // Code that the linker discarded leaves debug information at address 0: only loaded code counts.
  if (!is_code(program_, pc)) {
    for (const auto& other : others_)
      if (is_code(other->program_, pc)) return other->lookup(pc);
    return unknown;
  }
  Location location;
  dwarf().describe(pc, location);
  if (const Symbol* symbol = function_at(pc); symbol != nullptr) {
    location.offset = pc - symbol->address;
    if (location.frame.function.empty()) location.frame.function = demangle(symbol->name);
  }
  return found_.emplace(pc, std::move(location)).first->second;
}

const Symbol* SourceMap::find_symbol(const std::string& name) const {
  if (const Symbol* found = program_.find(name); found != nullptr) return found;
  const Symbol* result = nullptr;
  const std::string wanted = input::printable(name);
  for (const Symbol& candidate : program_.symbols) {
    const std::string full = demangle(candidate.name);
    if (full != wanted && full.substr(0, full.find('(')) != wanted) continue;
    if (result != nullptr && result->address != candidate.address) return nullptr;  // overloads
    result = &candidate;
  }
  return result;
}

bool SourceMap::is_left_out(const std::string& name) const {
  const std::size_t scope = name.rfind("::");
  return find_symbol(name) == nullptr &&
         dwarf().defines(scope == std::string::npos ? name : name.substr(scope + 2));
}

std::vector<std::uint64_t> SourceMap::addresses_of(const std::string& file, unsigned line) const {
  return dwarf().addresses_of(input::printable(file), line);
}

Structure SourceMap::structure_at(std::uint64_t address) const { return dwarf().structure_at(address); }
Structure SourceMap::parameter_of(std::uint64_t function) const { return dwarf().parameter_of(function); }

std::optional<VariableType> SourceMap::type_at(std::uint64_t address) const {
  return dwarf().type_at(address);
}

bool SourceMap::has_line_information() const {
  return dwarf().has_lines() || std::any_of(others_.begin(), others_.end(),
                                            [](const auto& other) { return other->has_line_information(); });
}

}  // namespace spica::loader
