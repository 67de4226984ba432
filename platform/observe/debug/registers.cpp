// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/registers.h"

#include <fmt/format.h>

#include <utility>

#include "models/isa/csr.h"
#include "models/isa/mma_form.h"
#include "platform/observe/debug/packet.h"

namespace spica::debug {

namespace {

constexpr unsigned kCsrs = 0x1000;
constexpr unsigned kGeneral = reg::kFloat + 32;
constexpr const char* kLanesGroup = "lanes";

std::string bytes_of(std::uint32_t word) {
  std::string bytes;
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(word >> 8 * i);
  return bytes;
}

std::string entry(const std::string& name, unsigned number, const char* type, const char* group = nullptr,
                  unsigned bits = 32) {
  return fmt::format("    <reg name=\"{}\" bitsize=\"{}\" type=\"{}\" regnum=\"{}\"{}/>\n", name, bits, type,
                     number, group != nullptr ? fmt::format(" group=\"{}\"", group) : std::string());
}

std::string row_name(unsigned row) { return isa::register_name(row); }

/// The group of registers over all lanes is called "lanes"; gdb would take the CSR of that name for it.
std::string csr_name(unsigned csr) {
  const std::string name = isa::csr::name(csr);
  return name == kLanesGroup ? "num_lanes" : name;
}

bool of_float_feature(unsigned csr) { return csr >= isa::csr::kFflags && csr <= isa::csr::kFcsr; }

constexpr unsigned kFragmentWords = isa::kFragmentRegisters * isa::kMaxLanes;

/// w0 to w31: print $w2.fp32[3] has register 3 of fragment 2 in all lanes.
std::string fragments_description() {
  std::string text = "  <feature name=\"org.spica.fragments\">\n";
  for (const auto& [name, type] : {std::pair{"fp32", "ieee_single"}, std::pair{"word", "uint32"}})
    text += fmt::format(
        "    <vector id=\"row_{0}\" type=\"{1}\" count=\"{2}\"/>\n"
        "    <vector id=\"rows_{0}\" type=\"row_{0}\" count=\"{3}\"/>\n",
        name, type, isa::kMaxLanes, isa::kFragmentRegisters);
  text +=
      "    <union id=\"fragment\"><field name=\"fp32\" type=\"rows_fp32\"/><field name=\"word\" type=\"rows_word\"/>"
      "</union>\n";
  for (unsigned slot = 0; slot < isa::kFragmentSlots; ++slot)
    text +=
        entry(fmt::format("w{}", slot), reg::kFragment + slot, "fragment", "fragments", 32 * kFragmentWords);
  return text + "  </feature>\n";
}

}  // namespace

// No OS ABI: with that of Linux, the default of gdb-multiarch, gdb would step by breakpoints where it believes one
// lane to go next.
std::string target_description(const soc::SocParams& params) {
  const auto lanes = static_cast<unsigned>(params.cluster.core.lanes);
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "  <architecture>riscv:rv32</architecture>\n  <osabi>none</osabi>\n  <feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (unsigned row = 0; row < isa::kFloatRow; ++row) {
    const bool pointer = row == 2 || row == 3 || row == 4 || row == 8;  // sp, gp, tp, frame pointer
    const std::string name = row == 8 ? "fp" : row_name(row);
    text += entry(name, row, row == 1 ? "code_ptr" : pointer ? "data_ptr" : "int");
  }
  text += entry("pc", reg::kPc, "code_ptr");
  text += "  </feature>\n  <feature name=\"org.gnu.gdb.riscv.fpu\">\n";
  for (unsigned f = 0; f < 32; ++f)
    text += entry(row_name(isa::kFloatRow + f), reg::kFloat + f, "ieee_single");
  for (unsigned csr = isa::csr::kFflags; csr <= isa::csr::kFcsr; ++csr)
    text += entry(isa::csr::name(csr), reg::kCsr + csr, "int");
  text += "  </feature>\n  <feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (unsigned csr = 0; csr < kCsrs; ++csr)
    if (isa::csr::name(csr) != nullptr && !of_float_feature(csr))
      text += entry(csr_name(csr), reg::kCsr + csr, "int");
  text += "  </feature>\n  <feature name=\"org.spica.simt\">\n";
  text += entry("lane", reg::kLane, "uint32", "simt");
  text += entry("tmask", reg::kThreadMask, "uint32", "simt");
  text += entry("simt_depth", reg::kStackDepth, "uint32", "simt");
  text += entry("cluster", reg::kCluster, "uint32", "simt");
  text += entry("core", reg::kCore, "uint32", "simt");
  text += entry("warp", reg::kWarp, "uint32", "simt");
  text += fmt::format(
      "  </feature>\n  <feature name=\"org.spica.lanes\">\n"
      "    <vector id=\"lanes_int\" type=\"int32\" count=\"{0}\"/>\n"
      "    <vector id=\"lanes_float\" type=\"ieee_single\" count=\"{0}\"/>\n",
      lanes);
  for (unsigned row = 1; row < isa::kRegisterRows; ++row)
    text += entry("v_" + row_name(row), reg::kVector + row,
                  row < isa::kFloatRow ? "lanes_int" : "lanes_float", kLanesGroup, 32 * lanes);
  text += "  </feature>\n";
  if (params.cluster.core.tensor_registers != 0) text += fragments_description();
  return text + "</target>\n";
}

Registers::Registers(soc::Machine& machine, unsigned core, unsigned warp, LaneChoice& choice)
    : machine_(machine), core_(core), warp_(warp), choice_(choice), view_(machine.warp_view(core, warp)) {}

unsigned Registers::lane() const {
  if (choice_.followed() != LaneChoice::kScalarLane) return choice_.chosen;
  const std::uint32_t mask = view_.flow->mask();
  return mask != 0 ? isa::scalar_lane(mask) : 0;
}

std::uint32_t* Registers::fragment(unsigned number) const {
  if (view_.fragments == nullptr || number < reg::kFragment || number >= reg::kFragment + isa::kFragmentSlots)
    return nullptr;
  return view_.fragments + std::size_t{number - reg::kFragment} * kFragmentWords;
}

bool Registers::choose_lane(unsigned lane) {
  if (lane != LaneChoice::kScalarLane && lane >= view_.registers->lanes()) return false;
  choice_ = {lane, false};
  return true;
}

std::optional<std::string> Registers::read(unsigned number) const {
  const auto& file = *view_.registers;
  if (number < reg::kPc) return bytes_of(file.row(number)[lane()]);
  if (number == reg::kPc) return bytes_of(view_.pc);
  if (number < kGeneral) return bytes_of(file.row(number - reg::kFloat + isa::kFloatRow)[lane()]);
  if (number < reg::kCsr + kCsrs) {
    if (isa::csr::name(number - reg::kCsr) == nullptr) return std::nullopt;
    return bytes_of(machine_.read_csr(core_, warp_, lane(), number - reg::kCsr));
  }
  switch (number) {
    case reg::kLane: return bytes_of(lane());
    case reg::kThreadMask: return bytes_of(view_.flow->mask());
    case reg::kStackDepth: return bytes_of(view_.flow->depth());
    case reg::kCluster: return bytes_of(core_ / static_cast<unsigned>(machine_.params().cluster.cores));
    case reg::kCore: return bytes_of(core_);
    case reg::kWarp: return bytes_of(warp_);
    default: break;
  }
  std::string bytes;
  if (const std::uint32_t* words = fragment(number)) {
    for (unsigned i = 0; i < kFragmentWords; ++i) bytes += bytes_of(words[i]);
    return bytes;
  }
  if (number <= reg::kVector || number >= reg::kVector + isa::kRegisterRows) return std::nullopt;
  for (unsigned l = 0; l < file.lanes(); ++l) bytes += bytes_of(file.row(number - reg::kVector)[l]);
  return bytes;
}

bool Registers::write(unsigned number, std::string_view bytes) {
  auto& file = *view_.registers;
  if (number > reg::kVector && number < reg::kVector + isa::kRegisterRows) {
    if (bytes.size() != 4 * file.lanes()) return false;
    for (unsigned l = 0; l < file.lanes(); ++l)
      file.row(number - reg::kVector)[l] = word_of(bytes.substr(4 * l));
    return true;
  }
  if (std::uint32_t* words = fragment(number)) {
    if (bytes.size() != 4 * kFragmentWords) return false;
    for (unsigned i = 0; i < kFragmentWords; ++i) words[i] = word_of(bytes.substr(4 * i));
    return true;
  }
  if (bytes.size() != 4) return false;
  const std::uint32_t value = word_of(bytes);
  if (number == 0) return value == 0;
  if (number < reg::kPc) {
    file.row(number)[lane()] = value;
    return true;
  }
  if (number == reg::kPc) {
    if (value % 4 != 0) return false;
    if (value != view_.pc) machine_.set_pc(core_, warp_, value);
    view_.pc = value;
    return true;
  }
  if (number < kGeneral) {
    file.row(number - reg::kFloat + isa::kFloatRow)[lane()] = value;
    return true;
  }
  if (number < reg::kCsr + kCsrs) return machine_.write_csr(core_, warp_, number - reg::kCsr, value);
  if (number == reg::kLane) return value != LaneChoice::kScalarLane && choose_lane(value);
  if (number != reg::kThreadMask || !view_.running) return false;
  const std::uint32_t all = ~std::uint32_t{0} >> (32 - file.lanes());
  if ((value & all) == 0) return false;  // a warp without lanes has ended
  view_.flow->tmc(value);
  return true;
}

std::string Registers::read_general() const {
  std::string bytes;
  for (unsigned number = 0; number < kGeneral; ++number) bytes += *read(number);
  return bytes;
}

std::string Registers::read_group_words(std::uint64_t address, std::uint64_t bytes) const {
  if (address < kGroupWords || address >= kGroupWordsEnd) return {};
  std::string words;
  for (unsigned csr = isa::csr::kThreadIndex; csr < isa::csr::kGroupShared; ++csr)
    words += read(reg::kCsr + csr).value_or(std::string(4, '\0'));
  return words.substr(address - kGroupWords, bytes);
}

bool Registers::write_general(std::string_view bytes) {
  if (bytes.size() < 4 * kGeneral) return false;
  bool good = true;
  for (unsigned number = 1; number < kGeneral; ++number) good &= write(number, bytes.substr(4 * number, 4));
  return good;
}

}  // namespace spica::debug
