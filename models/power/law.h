// SPDX-License-Identifier: Apache-2.0
// Dependence of an energy on the sizes of its structure.
#pragma once

#include <string>
#include <vector>

#include "models/power/interval.h"
#include "models/power/size.h"
#include "models/power/table_entry.h"

namespace spica::power {

/// A size to the power of an exponent between low and high. The exponent is that of the source in the range `from` to
/// `to`.
struct Power {
  Size size = Size::kBits;
  double low = 1, nominal = 1, high = 1;
  double from = 0, to = 0;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("size", p.size, kSizes, "size on which the energy depends");
    describe_interval(p, field, "", base::Range{-4, 4});
    field("from", p.from, "", base::Range{0, 1e15}, "least size the exponent was found for");
    field("to", p.to, "", base::Range{0, 1e15}, "largest size the exponent was found for; 0: none was");
  }
  template <class Report>
  static void check(const Power& p, Report&& contradiction) {
    check_interval(p, contradiction);
  }
};

/// A share of the energy, and the product of powers it is proportional to; no powers: constant.
struct LawTerm {
  double share = 1;
  std::vector<Power> powers;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("share", p.share, "", base::Range{0, 1},
          "share of the energy at the sizes that an entry holds for");
    field.list("powers", p.powers,
               "sizes this share follows, multiplied; none: it is the same for all sizes");
  }
};

/// The sum of its terms; 1 at the sizes of the entry.
struct Law {
  std::string name;
  std::vector<LawTerm> terms;
  bool doubtful = false;
  std::string source;

  bool depends_on(Size size) const;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name, "name that entries use");
    field.list("terms", p.terms, "summands; the shares sum to 1");
    field("doubtful", p.doubtful, "the source does not give the exponents themselves: they are estimates");
    field("source", p.source, "where the exponents and shares come from, and how well they fit");
  }
  template <class Report>
  static void check(const Law& p, Report&& contradiction) {
    double sum = 0;
    for (const LawTerm& term : p.terms) sum += term.share;
    if (sum < 1 - 1e-9 || sum > 1 + 1e-9) contradiction({"terms"}, "the shares do not sum to 1");
  }
};

/// A size for which an energy differs from the one of the table.
struct Departure {
  Size size = Size::kBits;
  double at = 0, now = 0;
  bool known = false;  // both values are within the range of the exponent
};

/// The factor that a law gives for an energy.
struct Scaling {
  Interval factor{1, 1, 1};
  std::vector<Departure> departures;

  /// Uncertainty of the factor relative to its nominal value, in the larger direction: 0.2 is +-20 %.
  double uncertainty() const;
};

Scaling scaling_of(const Law& law, const Sizes& at, const Sizes& now);
/// "bits^0.48", "0.12 + 0.88 lanes".
std::string law_text(const Law& law);

}  // namespace spica::power
