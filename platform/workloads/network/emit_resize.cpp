// SPDX-License-Identifier: Apache-2.0
// Resize: which elements of x an element of y is computed from is known before the run.
#include <algorithm>
#include <cmath>

#include "platform/workloads/network/emit.h"

namespace spica::network {

namespace {

/// Of each element of y along an axis: an element of x, and the share of the next one.
struct Places {
  std::vector<std::int64_t> first;
  std::vector<double> share;
};

double place_of(const Resize& resize, double scale, std::int64_t at, std::int64_t from, std::int64_t to) {
  const auto index = static_cast<double>(at);
  if (resize.coordinates == "asymmetric") return index / scale;
  if (resize.coordinates == "align_corners")
    return to == 1 ? 0 : index * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  if (resize.coordinates == "pytorch_half_pixel" && to == 1) return 0;
  return (index + 0.5) / scale - 0.5;
}

double nearest(const std::string& rounding, double place) {
  if (rounding == "floor") return std::floor(place);
  if (rounding == "ceil") return std::ceil(place);
  return rounding == "round_prefer_ceil" ? std::floor(place + 0.5) : std::ceil(place - 0.5);
}

Places places_of(const Resize& resize, double scale, std::int64_t from, std::int64_t to) {
  Places places;
  const double last = static_cast<double>(from - 1);
  for (std::int64_t i = 0; i < to; ++i) {
    double place = std::clamp(place_of(resize, scale, i, from, to), 0.0, last);
    if (resize.mode == Resize::Mode::kNearest)
      place = std::clamp(nearest(resize.rounding, place_of(resize, scale, i, from, to)), 0.0, last);
    places.first.push_back(static_cast<std::int64_t>(place));
    places.share.push_back(place - std::floor(place));
  }
  return places;
}

/// How often each element occurs, one after the other; 0: not equally often.
std::int64_t repeats_of(const Places& places, std::int64_t from) {
  const auto to = static_cast<std::int64_t>(places.first.size());
  const std::int64_t repeats = to / from;
  for (std::int64_t i = 0; i < to; ++i)
    if (to % from != 0 || places.first[static_cast<std::size_t>(i)] != i / repeats) return 0;
  return repeats;
}

Constant constant_of(ElementType type, const std::vector<double>& values) {
  ConstantBuilder builder(type, {static_cast<std::int64_t>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) builder.set(static_cast<std::int64_t>(i), values[i]);
  return std::move(builder).finish();
}

}  // namespace

void emit_resize(const EmitContext& context) {
  Operator added = context.start();
  auto& resize = std::get<Resize>(added.parameters);
  const Placed x = spatial_view(context.placement.plain(context.draft.input(0))),
               y = spatial_view(context.output());
  const Extents from = x.view.extents(), to = y.view.extents();
  added.inputs = {plain_operand(x)};
  std::array<Places, 2> places;
  for (std::size_t i = 0; i < 2; ++i) {
    places[i] = places_of(resize, resize.scales[i], from[2 + i], to[2 + i]);
    resize.repeats[i] = repeats_of(places[i], from[2 + i]);
  }
  const auto add = [&](const char* name, ElementType type, const std::vector<double>& values) {
    added.inputs.push_back(
        plain_operand(context.placement.create(context.node().name + name, constant_of(type, values))));
  };
  const char* const names[] = {"/rows", "/columns"};
  for (std::size_t i = 0; i < 2; ++i)
    add(names[i], ElementType::kInt32, {places[i].first.begin(), places[i].first.end()});
  if (resize.mode == Resize::Mode::kLinear)
    for (std::size_t i = 0; i < 2; ++i) add(names[i], context.placement.type(x), places[i].share);
  added.outputs = {plain_operand(y)};
  context.placement.add(std::move(added));
}

}  // namespace spica::network
