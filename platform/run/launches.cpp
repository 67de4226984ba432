// SPDX-License-Identifier: Apache-2.0
#include "platform/run/launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "models/power/energy_model.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/report/record_table.h"
#include "platform/observe/trace/writer.h"
#include "platform/run/limiter.h"

namespace spica::job {

using Json = json::Value;

namespace {

// Columns of a row in both modes; in the cycle mode those of soc::TypeSums follow.
constexpr std::size_t kWarpInstructions = 0, kLaneInstructions = 1, kCommon = 2;

/// A level of the memory hierarchy: the blocks of a type, or those with a channel of that name.
struct Level {
  const char* name;
  std::string_view type, channel;
  std::uint64_t bytes;  // of what is counted
};
constexpr Level kLevels[] = {{"l1", "dcache", {}, 1},
                             {"shared", {}, "shared memory", 4},
                             {"l2", {}, "level 2 cache", 1},
                             {"dram", {}, "main memory", 1}};

/// The data that it served; empty: the machine has no such level.
std::optional<std::uint64_t> bytes_of(const Level& level, const soc::TypeSums& sums,
                                      const soc::TypeSums::Row& row) {
  for (const base::BlockType* type : sums.types()) {
    if (type->name == level.type) return sums.counted(row, *type, {"bytes_read", "bytes_written"});
    for (const base::Channel& channel : type->channels)
      if (channel.name == level.channel) return level.bytes * sums.counted(row, *type, channel.counters);
  }
  return std::nullopt;
}

soc::TypeSums::Row type_counts(const soc::LaunchSeries::Counts& counts) {
  return {counts.begin() + std::min(kCommon, counts.size()), counts.end()};
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

void add_row(soc::LaunchSeries::Row& sum, const soc::LaunchSeries::Row& row) {
  sum.cycles += row.cycles;
  sum.counts.resize(std::max(sum.counts.size(), row.counts.size()));
  for (std::size_t i = 0; i < row.counts.size(); ++i) sum.counts[i] += row.counts[i];
}

Json cycle_or_null(base::Cycle cycle) { return cycle == base::kNever ? Json() : Json(cycle); }

}  // namespace

Launches::Launches(session::Session& session)
    : session_(session),
      runs_([this]() -> const std::vector<protocol::KernelRun>& { return session_.machine().kernel_runs(); }),
      types_(session.fast() ? nullptr : std::make_unique<soc::TypeSums>(session.measured())),
      series_(add([this] { return counts(); })) {}

soc::LaunchSeries& Launches::add(soc::LaunchSeries::Read read) {
  return session_.sampler().add_launches(
      std::move(read), [this]() -> const std::vector<protocol::KernelRun>& { return runs_(); },
      [this](const protocol::KernelRun& run) { return group_of(run); });
}

std::string Launches::group_of(const protocol::KernelRun& run) const {
  std::string name = describe_ ? describe_(run).name : "";
  return name.empty() ? fmt::format("queue {}", run.queue) : name;
}

soc::TypeSums::Row Launches::counts() const {
  const soc::Machine& machine = session_.machine();
  soc::TypeSums::Row row{machine.warp_instructions(), machine.lane_instructions()};
  if (types_ == nullptr) return row;
  const soc::TypeSums::Row types = types_->read();
  row.insert(row.end(), types.begin(), types.end());
  return row;
}

void Launches::measure_energy(const power::Activity& activity, const power::EnergyModel& model) {
  using Key = std::tuple<std::string, bool, double, double, double>;
  std::map<Key, std::size_t> columns;
  for (std::size_t channel = 0; channel < activity.channels().size(); ++channel) {
    const power::Activity::Channel& one = activity.channels()[channel];
    const power::Interval& each = model.of_channel(channel);
    const auto [place, is_new] = columns.try_emplace(
        {activity.blocks()[one.block].part, power::off_chip(power::event_kinds()[one.kind]), each.low,
         each.nominal, each.high},
        channel_of_column_.size());
    if (is_new) channel_of_column_.push_back(channel);
    column_of_channel_.push_back(place->second);
  }
  events_ = &add([this, &activity] { return event_counts(activity); });
  model_ = &model;
}

std::optional<Launches::Counted> Launches::counted(std::uint32_t launch) const {
  const auto row_of = [launch](const soc::LaunchSeries& series) -> const Row* {
    const std::vector<Row>& rows = series.rows();
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(launch, rows.size()));
    const auto found = std::find_if(from, rows.end(), [launch](const Row& row) {
      return row.launches.size() == 1 && row.launches.front() == launch;
    });
    return found == rows.end() ? nullptr : &*found;
  };
  const Row* const row = row_of(series_);
  if (row == nullptr) return std::nullopt;
  if (events_ == nullptr) return counted(*row, nullptr);
  const Row* const events = row_of(*events_);
  return events == nullptr ? std::nullopt : std::optional(counted(*row, events));
}

Launches::Counted Launches::counted() const {
  if (events_ == nullptr) return counted(series_.total(), nullptr);
  const Row events = events_->total();
  return counted(series_.total(), &events);
}

/// `events`: nullptr: energy is not measured.
Launches::Counted Launches::counted(const Row& row, const Row* events) const {
  Counted result{row.cycles, row.counts, {}, 0};
  if (events == nullptr) return result;
  result.events = events->counts;
  double pj = (model_->idle() + model_->standby()).nominal *
              model_->seconds(static_cast<double>(row.cycles)) * 1e9;  // from mW and seconds
  for (std::size_t i = 0; i < events->counts.size(); ++i)
    pj += model_->of_channel(channel_of_column_[i]).nominal * static_cast<double>(events->counts[i]);
  result.energy_uj = pj * 1e-6;
  return result;
}

soc::TypeSums::Row Launches::event_counts(const power::Activity& activity) const {
  soc::TypeSums::Row row(channel_of_column_.size());
  const std::vector<double> counts = activity.counts();
  for (std::size_t channel = 0; channel < counts.size(); ++channel)
    row[column_of_channel_[channel]] += static_cast<std::uint64_t>(std::llround(counts[channel]));
  return row;
}

// -- results

void Launches::check(const energy::EnergyReport* energy) const {
  const auto require = [](const char* what, double sum, double all) {
    if (std::abs(sum - all) > 1e-9 * (1 + std::abs(all)))
      throw std::logic_error(fmt::format("the account by launch has {} of {} {}", sum, all, what));
  };
  const Row total = series_.total();
  const auto column = [&total](std::size_t i) {
    return total.counts.empty() ? 0.0 : static_cast<double>(total.counts[i]);
  };
  const soc::Machine& machine = session_.machine();
  require("warp instructions", column(kWarpInstructions), static_cast<double>(machine.warp_instructions()));
  require("lane instructions", column(kLaneInstructions), static_cast<double>(machine.lane_instructions()));
  if (energy == nullptr || events_ == nullptr) return;
  const energy::SpanEnergy sum = energy->of(span_of(events_->total(), *energy));
  require("cycles", static_cast<double>(total.cycles),
          static_cast<double>(energy->whole().end - energy->whole().begin));
  require("uJ", sum.active_uj.nominal, energy->whole().active_uj.nominal);
  require("uJ of DRAM", sum.dram_uj.nominal, energy->whole().dram_uj.nominal);
}

/// Events are counted for one of the channels with the same energy.
energy::Span Launches::span_of(const Row& events, const energy::EnergyReport& energy) const {
  energy::Span span{0, events.cycles, std::vector<double>(energy.activity().channels().size())};
  for (std::size_t i = 0; i < events.counts.size(); ++i)
    span.counts[channel_of_column_[i]] = static_cast<double>(events.counts[i]);
  return span;
}

Json Launches::energy_of(const Row& events, const energy::EnergyReport& energy) const {
  const energy::SpanEnergy of = energy.of(span_of(events, energy));
  const power::Interval total = of.active_uj + of.idle_uj + of.dram_uj + of.dram_idle_uj;
  Json units = Json::object();
  for (const auto& [unit, uj] : of.units_uj) units[unit] = uj;
  return {{"total", total.nominal},     {"low", total.low},
          {"high", total.high},         {"active", of.active_uj.nominal},
          {"idle", of.idle_uj.nominal}, {"dram", of.dram_uj.nominal + of.dram_idle_uj.nominal},
          {"units", std::move(units)}};
}

Json Launches::figures(const Row& row, const Row* events, const energy::EnergyReport* energy) const {
  const soc::SocParams& params = session_.machine().params();
  const std::uint64_t warps = row.counts.empty() ? 0 : row.counts[kWarpInstructions],
                      lanes = row.counts.empty() ? 0 : row.counts[kLaneInstructions];
  Json result{{"cycles", row.cycles},
              {"time_us", static_cast<double>(row.cycles) / params.core_mhz()},
              {"warp_instructions", warps},
              {"thread_instructions", lanes},
              {"lane_utilisation",
               ratio(static_cast<double>(lanes),
                     static_cast<double>(warps) * static_cast<double>(params.cluster.core.lanes))}};
  if (types_ == nullptr) return result;
  soc::TypeSums::Row types = type_counts(row.counts);
  if (types.empty()) types = soc::TypeSums::Row(types_->read().size());
  result["limiter"] = short_limiter(*types_, types);
  Json bytes = Json::object(), channels = Json::object(), units = Json::object(), accounts = Json::object();
  for (const Level& level : kLevels)
    if (const auto count = bytes_of(level, *types_, types)) bytes[level.name] = *count;
  for (const ChannelUse& one : channel_use(*types_, types)) channels[one.name] = one.full;
  for (const UnitUse& one : unit_use(*types_, types))
    units[one.name] = {{"macs", one.macs}, {"utilisation", one.utilisation}};
  for (const base::BlockType* type : types_->types()) {
    if (type->limiter.account.empty()) continue;
    Json& reasons = accounts[std::string(type->name)] = Json::object();
    for (const auto& [reason, cycles] : types_->cycles(types, *type, type->limiter.account))
      reasons[std::string(reason)] = static_cast<std::int64_t>(cycles);
  }
  result["bytes"] = std::move(bytes);
  result["channels"] = std::move(channels);
  result["units"] = std::move(units);
  result["accounts"] = std::move(accounts);
  if (events != nullptr && energy != nullptr) result["energy_uj"] = energy_of(*events, *energy);
  return result;
}

std::string Launches::name_of(const std::vector<std::string>& groups, bool before) const {
  if (before) return "(before the checkpoint)";
  if (groups.empty()) return grid_.empty() ? kNone : grid_;
  return fmt::format("{}", fmt::join(groups, " + "));
}

std::vector<Launches::Named> Launches::by_name() const {
  std::vector<Named> all;
  std::map<std::pair<std::vector<std::string>, bool>, std::size_t> places;
  const auto of = [&](const std::vector<std::string>& groups, bool before) -> Named& {
    const auto [place, is_new] = places.try_emplace({groups, before}, all.size());
    if (is_new) all.push_back({groups, before, 0, {}, {}});
    return all[place->second];
  };
  for (const protocol::KernelRun& run : session_.machine().kernel_runs())
    ++of({group_of(run)}, false).launches;
  for (const Row& row : series_.rows()) add_row(of(row.groups, row.before).sum, row);
  if (events_ != nullptr)
    for (const Row& row : events_->rows()) add_row(of(row.groups, row.before).events, row);
  return all;
}

Json Launches::launch_list() const {
  Json list = Json::array();
  const std::vector<protocol::KernelRun>& runs = session_.machine().kernel_runs();
  for (std::size_t i = 0; i < std::min(runs.size(), soc::LaunchSeries::kMostRows); ++i) {
    const protocol::KernelRun& run = runs[i];
    const trace::KernelText text = describe_ ? describe_(run) : trace::KernelText();
    list.push_back({{"name", group_of(run)},
                    {"kernel", text.kernel.empty() ? Json() : Json(text.kernel)},
                    {"queue", run.queue},
                    {"launched", cycle_or_null(run.launched)},
                    {"begun", cycle_or_null(run.begun)},
                    {"ended", cycle_or_null(run.ended)}});
  }
  return list;
}

Json Launches::json(const energy::EnergyReport* energy) const {
  Json rows = Json::array(), names = Json::object();
  const Row none;
  for (std::size_t i = 0; i < series_.rows().size(); ++i) {
    const Row& row = series_.rows()[i];
    if (!row.groups.empty() && row.launches.empty()) continue;  // of many sets: only by name
    Json entry{{"name", name_of(row.groups, row.before)}, {"launches", row.launches}};
    entry.update(figures(row, events_row(i), energy));
    rows.push_back(std::move(entry));
  }
  for (const Named& named : by_name()) {
    Json entry{{"launches", named.launches}};
    entry.update(figures(named.sum, &named.events, energy));
    names[name_of(named.groups, named.before)] = std::move(entry);
  }
  Json list = launch_list();
  const std::size_t omitted = session_.machine().kernel_runs().size() - list.size();
  const Row total = series_.total(), events = events_ != nullptr ? events_->total() : none;
  return {{"launches", std::move(list)},
          {"omitted", omitted},
          {"rows", std::move(rows)},
          {"by_name", std::move(names)},
          {"total", figures(total, &events, energy)}};
}

/// Usually at the same place; a row without events may be missing there.
const Launches::Row* Launches::events_row(std::size_t i) const {
  if (events_ == nullptr) return nullptr;
  const Row& like = series_.rows()[i];
  const auto is_it = [&like](const Row& row) {
    return row.launches == like.launches && row.groups == like.groups && row.before == like.before;
  };
  const std::vector<Row>& rows = events_->rows();
  if (i < rows.size() && is_it(rows[i])) return &rows[i];
  const auto found = std::find_if(rows.begin(), rows.end(), is_it);
  static const Row none;
  return found == rows.end() ? &none : &*found;
}

std::string Launches::table(const energy::EnergyReport* energy) const {
  if (session_.machine().kernel_runs().empty()) return "";
  std::vector<Named> all = by_name();
  std::stable_sort(all.begin(), all.end(), [](const Named& a, const Named& b) {
    const auto key = [](const Named& one) {
      return std::make_tuple(one.groups.empty(), ~one.sum.cycles,
                             ~(one.sum.counts.empty() ? 0 : one.sum.counts[0]));
    };
    return key(a) < key(b);
  });
  std::vector<Json> records;
  const auto add = [&](const std::string& name, std::uint64_t launches, const Row& row, const Row& events) {
    Json record = figures(row, events_ != nullptr ? &events : nullptr, energy);
    record["name"] = name;
    record["launches"] = launches;
    if (record.at("warp_instructions") == 0) record.erase("limiter");
    records.push_back(std::move(record));
  };
  for (const Named& named : all)
    add(name_of(named.groups, named.before), named.launches, named.sum, named.events);
  const Row none;
  add("total", session_.machine().kernel_runs().size(), series_.total(),
      events_ != nullptr ? events_->total() : none);
  return report::record_table(
      report::account_columns({"/warp_instructions", "instructions", report::shown::count}), records, 2);
}

}  // namespace spica::job
