// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/profile/flame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "platform/base/text/number_format.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/text_table.h"

namespace spica::profile {

namespace {

constexpr double kWidth = 1200, kRow = 18, kTop = 30;
constexpr double kNarrowest = 0.2;  // pixels; what is narrower is not drawn

/// The line format has no way to write these in a name.
std::string folded_name(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  std::replace(name.begin(), name.end(), '\n', ' ');
  return name;
}

struct Frame {
  std::uint64_t cycles = 0;
  bool is_reason = false;
  std::map<std::string, Frame> inside;
};

/// The functions of a stack, then what its cycles went to.
Frame tree_of(const Profile& profile) {
  Frame root;
  root.cycles = profile.total;
  for (const Stack& stack : profile.stacks)
    for (std::size_t reason = 0; reason < kReasons; ++reason) {
      const std::uint64_t cycles = stack.cycles[reason];
      if (cycles == 0) continue;
      Frame* frame = &root;
      for (const std::string& name : stack.functions) {
        frame = &frame->inside[name];
        frame->cycles += cycles;
      }
      Frame& leaf = frame->inside["[" + reason_name(reason) + "]"];
      leaf.cycles += cycles;
      leaf.is_reason = true;
    }
  return root;
}

unsigned depth_of(const Frame& frame) {
  unsigned depth = 0;
  for (const auto& [name, inner] : frame.inside) depth = std::max(depth, depth_of(inner));
  return depth + 1;
}

/// The same name has the same colour everywhere: functions are warm, issuing is green, waiting blue.
std::string color_of(const std::string& name, bool is_reason) {
  if (name == "[issued]") return "hsl(120,45%,65%)";
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  if (is_reason) return fmt::format("hsl({},45%,{}%)", 200 + hash % 40, 68 + hash / 64 % 14);
  return fmt::format("hsl({},75%,{}%)", 10 + hash % 42, 62 + hash / 64 % 14);
}

class Drawing {
 public:
  explicit Drawing(std::uint64_t total) : total_(total) {}

  void draw(const std::string& name, const Frame& frame, std::uint64_t begin, unsigned depth) {
    const double scale = kWidth / static_cast<double>(total_);
    const double width = static_cast<double>(frame.cycles) * scale;
    if (width < kNarrowest) return;
    const double x = static_cast<double>(begin) * scale, y = kTop + depth * kRow;
    const std::string shown = report::html_text(name);
    out_ += fmt::format(
        "<g class=\"f\" data-x=\"{:.4f}\" data-w=\"{:.4f}\" data-d=\"{}\"><title>{}: {} cycles, {}</title>"
        "<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"{}\"/>"
        "<text x=\"{:.2f}\" y=\"{:.0f}\" data-t=\"{}\">{}</text></g>\n",
        x, width, depth, shown, text::grouped(frame.cycles),
        report::html_text(text::percent(static_cast<double>(frame.cycles) / static_cast<double>(total_))), x,
        y, width, kRow - 1, color_of(name, frame.is_reason), x + 3, y + 13, shown,
        report::html_text(fitting(name, width)));
    std::uint64_t at = begin;
    for (const auto& [inner_name, inner] : frame.inside) {
      draw(inner_name, inner, at, depth + 1);
      at += inner.cycles;
    }
  }
  const std::string& text() const { return out_; }

 private:
  /// As much of a name as fits; the script does the same when the widths change.
  static std::string fitting(const std::string& name, double width) {
    const auto room = static_cast<std::size_t>(std::max(0.0, (width - 6) / 7));
    if (room >= report::shown_width(name)) return name;
    return room < 4 ? "" : report::first_characters(name, room - 2) + "..";
  }

  const std::uint64_t total_;
  std::string out_;
};

constexpr const char* kScript = R"(
var frames = document.querySelectorAll("g.f");
function zoom(x, w, depth) {
  frames.forEach(function (g) {
    var gx = +g.dataset.x, gw = +g.dataset.w, outer = +g.dataset.d < depth;
    var seen = gx < x + w - 1e-3 && gx + gw > x + 1e-3;
    g.style.display = seen ? "" : "none";
    if (!seen) return;
    var left = outer ? 0 : (gx - x) * WIDTH / w, width = outer ? WIDTH : gw * WIDTH / w;
    var rect = g.querySelector("rect"), text = g.querySelector("text"), name = text.dataset.t;
    rect.setAttribute("x", left); rect.setAttribute("width", width);
    text.setAttribute("x", left + 3);
    var room = Math.floor((width - 6) / 7);
    text.textContent = room >= name.length ? name : room < 4 ? "" : name.substring(0, room - 2) + "..";
  });
}
frames.forEach(function (g) {
  g.addEventListener("click", function () { zoom(+g.dataset.x, +g.dataset.w, +g.dataset.d); });
});
)";

}  // namespace

std::string folded_stacks(const Profile& profile) {
  std::string text;
  for (const Stack& stack : profile.stacks) {
    std::string names;
    for (const std::string& name : stack.functions) names += folded_name(name) + ";";
    for (std::size_t reason = 0; reason < kReasons; ++reason)
      if (stack.cycles[reason] != 0)
        text += fmt::format("{}[{}] {}\n", names, reason_name(reason), stack.cycles[reason]);
  }
  return text;
}

std::string flame_graph(const Profile& profile, const std::string& title) {
  const Frame root = tree_of(profile);
  Drawing drawing(std::max<std::uint64_t>(1, profile.total));
  drawing.draw("all", root, 0, 0);
  const double height = kTop + depth_of(root) * kRow + 10;
  std::string script = kScript;
  for (std::size_t at = script.find("WIDTH"); at != std::string::npos; at = script.find("WIDTH"))
    script.replace(at, 5, fmt::format("{:.0f}", kWidth));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<style>text {{ font: 12px monospace; pointer-events: none }} g.f {{ cursor: pointer }} "
      "g.f:hover rect {{ stroke: black }}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"3\" y=\"19\">{2}: {3} issue slots, {4} cycles each</text>\n{5}"
      "<script><![CDATA[{6}]]></script>\n</svg>\n",
      kWidth, height, report::html_text(title), profile.cores, text::grouped(profile.cycles), drawing.text(),
      script);
}

}  // namespace spica::profile
