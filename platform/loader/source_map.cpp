// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/source_map.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "platform/loader/dwarf_reader.h"

namespace spica::loader {

std::string Frame::place(bool full) const {
  if (file.empty()) return "";
  const std::size_t slash = full ? std::string::npos : file.rfind('/');
  const std::string shown = slash == std::string::npos ? file : file.substr(slash + 1);
  return line == 0 ? shown : fmt::format("{}:{}", shown, line);
}

std::string demangle(const std::string& symbol) {
  if (symbol.compare(0, 2, "_Z") != 0) return symbol;
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

const DwarfReader& SourceMap::dwarf() const {
  if (dwarf_ == nullptr) dwarf_ = std::make_unique<DwarfReader>(program_);
  return *dwarf_;
}

const Symbol* SourceMap::function_at(std::uint64_t pc) const {
  if (!is_code(program_, pc)) return nullptr;
  const auto after = std::upper_bound(
      functions_.begin(), functions_.end(), pc,
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
        if ((*at)->kind == Symbol::Kind::kFunction && ((*at)->global || !symbol->global))
          symbol = *at;
      }
      return symbol;
    }
    if (label == nullptr) label = symbol;
  }
  return label;
}

const Location& SourceMap::lookup(std::uint64_t pc) const {
  const auto found = found_.find(pc);
  if (found != found_.end()) return found->second;
  Location location;
  // Code that the linker threw away leaves debug information at address 0: only loaded code counts.
  if (!is_code(program_, pc)) return found_.emplace(pc, std::move(location)).first->second;
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
  for (const Symbol& candidate : program_.symbols) {
    const std::string full = demangle(candidate.name);
    if (full != name && full.substr(0, full.find('(')) != name) continue;
    if (result != nullptr && result->address != candidate.address) return nullptr;  // overloads
    result = &candidate;
  }
  return result;
}

std::vector<std::uint64_t> SourceMap::addresses_of(const std::string& file, unsigned line) const {
  return dwarf().addresses_of(file, line);
}

bool SourceMap::has_line_information() const { return dwarf().has_lines(); }

}  // namespace spica::loader
