// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/energy_text.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "models/protocol/payload/issue_reason.h"
#include "platform/base/input/printable.h"
#include "platform/machine/loader/source_lines.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/energy/line_table.h"
#include "platform/observe/energy/totals.h"
#include "platform/observe/energy/units.h"
#include "platform/observe/report/terminal.h"

namespace spica::energy {

namespace {

using Align = report::TextTable::Align;
using power::EnergyNode;
using power::Interval;

/// Three digits or so.
std::string digits(double value) {
  if (value == 0) return "0";
  if (value < 0.0095) return fmt::format("{:.2g}", value);
  return value < 9.95 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}
std::string range(const Interval& value) {
  return fmt::format("{} ... {}", digits(value.low), digits(value.high));
}

void add_rows(report::TextTable& table, const EnergyNode& node, const Interval& total, double seconds,
              unsigned depth) {
  std::vector<EnergyNode> children = node.children;
  std::stable_sort(children.begin(), children.end(), [](const EnergyNode& a, const EnergyNode& b) {
    return a.active.nominal > b.active.nominal;
  });
  for (const EnergyNode& child : children) {
    if (child.active.nominal <= 0) continue;
    table.add({std::string(2 * depth, ' ') + child.name, digits(child.active.nominal * kMicrojoule),
               range(child.active * kMicrojoule), digits(child.active.nominal * 1e-9 / seconds),
               text::percent(child.active.nominal / total.nominal)});
    if (depth < 2) add_rows(table, child, total, seconds, depth + 1);
  }
}

/// Only programs with several marked regions have something to show here.
void print_regions(std::ostream& out, const EnergyReport& report) {
  constexpr std::size_t kMost = 20;
  if (report.regions().size() < 2) return;
  report::TextTable table({{"region"},
                           {"from cycle", Align::kRight},
                           {"cycles", Align::kRight},
                           {"uJ", Align::kRight},
                           {"mW", Align::kRight},
                           {"DRAM uJ", Align::kRight}});
  for (std::size_t i = 0; i < std::min(kMost, report.regions().size()); ++i) {
    const SpanEnergy& region = report.regions()[i];
    table.add({std::to_string(i), text::grouped(region.begin), text::grouped(region.end - region.begin),
               digits(region.active_uj.nominal), digits(region.active_mw.nominal),
               digits(region.dram_uj.nominal)});
  }
  out << table.text(4);
  if (report.regions().size() > kMost)
    fmt::print(out, "    and {} more, in energy.json\n", report.regions().size() - kMost);
}

/// Active, idle and DRAM as one.
void print_totals(std::ostream& out, const Totals& all) {
  fmt::print(out, "  total          {} mW ({}), {} uJ ({}): active + idle{}\n", digits(all.power_mw.nominal),
             range(all.power_mw), digits(all.energy_uj.nominal), range(all.energy_uj),
             all.has_dram ? " + DRAM" : "; the main memory has no energies");
  fmt::print(out, "                 {} uJ us energy-delay product{}\n", digits(all.edp_uj_us.nominal),
             all.pj_per_mac ? fmt::format(", {} pJ per multiply-add", digits(all.pj_per_mac->nominal)) : "");
}

}  // namespace

void print_energy(std::ostream& out, const EnergyReport& report, std::optional<std::uint64_t> multiply_adds) {
  const SpanEnergy& window = report.window();
  fmt::print(out, "  energy         {} uJ active ({}), {} mW in {:.1f} us{}\n",
             digits(window.active_uj.nominal), range(window.active_uj), digits(window.active_mw.nominal),
             window.seconds * 1e6, report.recorder().is_marked() ? " between the markers" : "");
  fmt::print(out, "                 not included: idle {} mW ({}), DRAM {} uJ ({})\n",
             digits(window.idle_mw.nominal), range(window.idle_mw), digits(window.dram_uj.nominal),
             range(window.dram_uj));
  if (window.dram_idle_mw.high > 0)
    fmt::print(out, "                 and standby of the DRAM {} mW ({})\n",
               digits(window.dram_idle_mw.nominal), range(window.dram_idle_mw));
  print_totals(out, totals(report, multiply_adds));
  for (const UnusedUnit& unit : report.unused())
    fmt::print(
        out, "                 not used: {}, {} mW idle, {:.3g} mm2{}\n",
        unit.blocks > 1 ? fmt::format("{} x {}", unit.blocks, unit.type->name) : std::string(unit.type->name),
        digits(unit.idle_mw.nominal), unit.mm2,
        report.leaves_out(*unit.type) ? ", left out" : " (--only-used leaves it out)");
  for (const std::string& note : report.notes())
    fmt::print(out, "                 note: {}\n", input::printable(note));
  const auto peak = std::max_element(
      report.steps().begin(), report.steps().end(),
      [](const SpanEnergy& a, const SpanEnergy& b) { return a.active_mw.nominal < b.active_mw.nominal; });
  if (peak != report.steps().end() && report.steps().size() > 1)
    fmt::print(out, "                 peak {} mW active, from cycle {} on (steps of {} cycles)\n",
               digits(peak->active_mw.nominal), text::grouped(peak->begin),
               text::grouped(report.recorder().step_length()));
  print_regions(out, report);
  const EnergyNode* soc = report.tree().find("soc");
  if (soc == nullptr || soc->active.nominal <= 0 || window.seconds <= 0) return;
  report::TextTable table({{"    active energy"},
                           {"uJ", Align::kRight},
                           {"low ... high", Align::kRight},
                           {"mW", Align::kRight},
                           {"share", Align::kRight}});
  add_rows(table, units_of(*soc), soc->active, window.seconds, 2 - 1);
  out << table.text(2);
}

void print_annotated(std::ostream& out, const EnergyReport& report, const LineTable& table,
                     const AnnotateOptions& options) {
  const std::vector<LineEnergy>& all = options.disassembly ? table.instructions() : table.lines();
  std::vector<const LineEnergy*> rows;
  for (const LineEnergy& line : all) rows.push_back(&line);
  if (options.top != 0 && rows.size() > options.top) {
    std::vector<const LineEnergy*> sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(), [](const LineEnergy* a, const LineEnergy* b) {
      return a->active_pj.nominal > b->active_pj.nominal ||
             (a->active_pj.nominal == b->active_pj.nominal && a->cycles() > b->cycles());
    });
    sorted.resize(options.top);
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [&](const LineEnergy* row) {
                                return std::find(sorted.begin(), sorted.end(), row) == sorted.end();
                              }),
               rows.end());
  }

  const double total = (report.window().active_uj.nominal + report.window().dram_uj.nominal) / kMicrojoule;
  std::uint64_t all_cycles = 0;
  for (const LineEnergy& line : all) all_cycles += line.cycles();
  const auto share = [](double part, double whole) {
    // The remainder at the edges of the window may be slightly negative.
    return part == 0 || std::abs(part) < 1e-4 * whole ? std::string() : text::percent(part / whole);
  };
  const auto names = protocol::issue_reason_names();
  loader::SourceLines sources(options.root);
  report::TextTable text({{"cycles", Align::kRight},
                          {"share", Align::kRight},
                          {"issued", Align::kRight},
                          {"uJ", Align::kRight},
                          {"share", Align::kRight},
                          {"waits most for"},
                          {options.disassembly ? "pc" : "line", Align::kRight},
                          {options.disassembly ? "instruction" : "source"}});
  std::string function = "\n";
  for (const LineEnergy* row : rows) {
    if (row->function != function) {
      function = row->function;
      const bool nowhere = row->function.empty() && row->file.empty() && !row->pc && row->line == 0;
      text.add({});
      text.add({"", "", "", "", "", "", "",
                nowhere
                    ? "(no instruction: no warp was running)"
                    : fmt::format("{}  {}", function.empty() ? "(unknown function)" : function, row->file)});
    }
    std::size_t worst = 0;
    for (std::size_t reason = 1; reason < names.size(); ++reason)
      if (row->activity.cycles[reason] > (worst == 0 ? 0 : row->activity.cycles[worst])) worst = reason;
    text.add({text::grouped(row->cycles()),
              share(static_cast<double>(row->cycles()), static_cast<double>(all_cycles)),
              text::grouped(row->activity.cycles[0]), digits(row->active_pj.nominal * kMicrojoule),
              share(row->active_pj.nominal, total),
              worst == 0 ? ""
                         : fmt::format("{} {}", names[worst],
                                       share(static_cast<double>(row->activity.cycles[worst]),
                                             static_cast<double>(row->cycles()))),
              row->pc          ? fmt::format("{:#010x}", *row->pc)
              : row->line != 0 ? std::to_string(row->line)
                               : "",
              options.disassembly ? row->text : sources.line(row->file, row->line)});
  }
  out << text.text();

  std::vector<UnattributedEnergy> rest = report.unattributed();
  std::stable_sort(rest.begin(), rest.end(), [](const UnattributedEnergy& a, const UnattributedEnergy& b) {
    return a.active_pj.nominal > b.active_pj.nominal;
  });
  report::TextTable others({{"unattributed"}, {"uJ", Align::kRight}, {"share", Align::kRight}});
  Interval sum, lines;
  for (const UnattributedEnergy& one : rest) {
    sum += one.active_pj;
    if (one.active_pj.nominal != 0)
      others.add(
          {one.event, digits(one.active_pj.nominal * kMicrojoule), share(one.active_pj.nominal, total)});
  }
  for (const LineEnergy& line : all) lines += line.active_pj;
  fmt::print(out, "\n{}", others.text());
  fmt::print(out, "\nlines {} uJ + unattributed {} uJ = chip {} uJ + DRAM {} uJ\n",
             digits(lines.nominal * kMicrojoule), digits(sum.nominal * kMicrojoule),
             digits(report.window().active_uj.nominal), digits(report.window().dram_uj.nominal));
}

}  // namespace spica::energy
