// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/front.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "platform/studies/sweep/record.h"

namespace spica::sweep {

namespace {

/// The cost of an objective, the lower the better, and what it may be.
struct Cost {
  double low, nominal, high;
};
bool operator==(const Cost& a, const Cost& b) {
  return a.low == b.low && a.nominal == b.nominal && a.high == b.high;
}

/// A point that meets all constraints.
struct Candidate {
  std::size_t row;
  std::vector<double> costs;  // nominal, the lower the better
};

/// The columns of an objective.
struct Columns {
  std::size_t nominal;
  std::size_t low, high;  // the same as nominal: no interval
  bool maximise;
};

class Judge {
 public:
  Judge(const Rows& rows, const std::vector<Objective>& objectives) : rows_(rows) {
    for (const Objective& one : objectives) {
      const std::size_t nominal = rows.column(one.column);
      const bool has_ends = rows.has(one.column + kLow) && rows.has(one.column + kHigh);
      columns_.push_back({nominal, has_ends ? rows.column(one.column + kLow) : nominal,
                          has_ends ? rows.column(one.column + kHigh) : nominal, one.maximise});
    }
    if (rows.has(kEnergyTable)) table_ = rows.column(kEnergyTable);
  }

  bool has_intervals() const {
    return std::any_of(columns_.begin(), columns_.end(),
                       [](const Columns& one) { return one.low != one.nominal; });
  }

  std::vector<double> costs(std::size_t row) const {
    std::vector<double> costs;
    costs.reserve(columns_.size());
    for (const Columns& one : columns_) costs.push_back(cost(row, one).nominal);
    return costs;
  }

  /// In some objective it is not known which one is better, though they differ.
  bool is_open(std::size_t a, std::size_t b) const {
    return std::any_of(columns_.begin(), columns_.end(), [&](const Columns& one) {
      const Cost first = cost(a, one), second = cost(b, one);
      return one.low != one.nominal && !is_equal(a, first, b, second, one) &&
             !surely_better(a, first, b, second) && !surely_better(b, second, a, first);
    });
  }

  /// Whatever the intervals hide, `a` is as good as `b` in all objectives and better in one.
  bool surely_dominates(std::size_t a, std::size_t b) const {
    bool better = false;
    for (const Columns& one : columns_) {
      const Cost first = cost(a, one), second = cost(b, one);
      const bool is_better = surely_better(a, first, b, second);
      if (!is_better && !is_equal(a, first, b, second, one)) return false;
      better |= is_better;
    }
    return better;
  }

 private:
  Cost cost(std::size_t row, const Columns& one) const {
    const auto& values = rows_.rows[row];
    const double nominal = number_of(values[one.nominal]), low = number_of(values[one.low]),
                 high = number_of(values[one.high]);
    return one.maximise ? Cost{-high, -nominal, -low} : Cost{low, nominal, high};
  }
  bool same_table(std::size_t a, std::size_t b) const {
    return table_ == kNone || rows_.rows[a][table_] == rows_.rows[b][table_];
  }
  bool is_equal(std::size_t a, const Cost& first, std::size_t b, const Cost& second,
                const Columns& one) const {
    return first == second && (one.low == one.nominal || same_table(a, b));
  }
  bool surely_better(std::size_t a, const Cost& first, std::size_t b, const Cost& second) const {
    return same_table(a, b)
               ? first.low < second.low && first.nominal < second.nominal && first.high < second.high
               : first.high < second.low;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const Rows& rows_;
  std::vector<Columns> columns_;
  std::size_t table_ = kNone;
};

/// What the intervals leave open of a front.
void find_open(const Judge& judge, const std::vector<std::size_t>& dominated, Front& front) {
  front.not_apart.resize(front.rows.size());
  front.has_intervals = judge.has_intervals();
  constexpr std::size_t kMost = 2'000;  // of all pairs
  front.too_long = front.has_intervals && front.rows.size() > kMost;
  if (!front.has_intervals || front.too_long) return;
  for (std::size_t i = 0; i < front.rows.size(); ++i)
    for (std::size_t j = 0; j < front.rows.size(); ++j)
      if (i != j && judge.is_open(front.rows[i], front.rows[j])) front.not_apart[i].push_back(front.rows[j]);
  front.open =
      static_cast<std::size_t>(std::count_if(dominated.begin(), dominated.end(), [&](std::size_t row) {
        return std::none_of(front.rows.begin(), front.rows.end(),
                            [&](std::size_t best) { return judge.surely_dominates(best, row); });
      }));
}

}  // namespace

Front pareto_front(const Rows& rows, const std::vector<std::size_t>& numbers,
                   const std::vector<Objective>& objectives,
                   const std::vector<config::Expression>& constraints, double epsilon) {
  Front front;
  const Judge judge(rows, objectives);
  const std::size_t state = rows.column("state");
  const config::Operand good = std::string(state_name(State::kOk));
  std::vector<Candidate> candidates;
  for (const std::size_t number : numbers) {
    const auto& row = rows.rows[number];
    Candidate candidate{number, judge.costs(number)};
    const bool complete = std::none_of(candidate.costs.begin(), candidate.costs.end(),
                                       [](double cost) { return std::isnan(cost); });
    const auto value = [&](const std::string& name) { return row[rows.column(name)]; };
    if (row[state] != good || !complete) ++front.failed;
    else if (!std::all_of(constraints.begin(), constraints.end(),
                          [&](const config::Expression& one) { return one.holds(value); }))
      front.outside_rows.push_back(number);
    else candidates.push_back(std::move(candidate));
  }
  front.outside = front.outside_rows.size();
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.costs != b.costs ? a.costs < b.costs : a.row < b.row;
  });
  // In this order only an earlier one can be better; of those the ones of the front are enough.
  std::vector<const Candidate*> best;
  std::vector<std::size_t> worse;
  for (const Candidate& one : candidates) {
    bool dominated = false, tie = false;
    for (const Candidate* other : best) {
      bool as_good = true, better = false;
      for (std::size_t i = 0; i < one.costs.size(); ++i) {
        const double margin = epsilon * std::fabs(one.costs[i]);
        as_good &= other->costs[i] <= one.costs[i] + margin;
        better |= other->costs[i] < one.costs[i];
      }
      dominated |= as_good && better;
      tie |= other->costs == one.costs;
    }
    if (dominated) {
      worse.push_back(one.row);
      continue;
    }
    if (tie) ++front.ties;
    best.push_back(&one);
    front.rows.push_back(one.row);
  }
  front.dominated = worse.size();
  find_open(judge, worse, front);
  return front;
}

Front pareto_front(const Rows& rows, const std::vector<Objective>& objectives,
                   const std::vector<config::Expression>& constraints, double epsilon) {
  std::vector<std::size_t> numbers(rows.rows.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return pareto_front(rows, numbers, objectives, constraints, epsilon);
}

}  // namespace spica::sweep
