// Computes exact class laws (class_laws.h) of decision lists, and so of conjunctions, disjunctions and boxes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/query_form.h"

namespace hearsay::compiler {

// The list assigns a record to the first item that the record satisfies. The records of one item form a box, a product
// of value sets. So each class is a disjoint union of boxes, and within a box the attributes are independent. Cost: the
// number of items times the intervals of the sets that the items leave, plus the values of the touched attributes.
class ListLaws {
 public:
  // The list must assign some record to every item, and some record to each label.
  ListLaws(const PredicateList& list, const Schema& schema, Work& work);

  ClassLaws laws(Work& work) const;
  ScoreMoments moments(std::span<const AttributeScore> scores, Work& work) const;

 private:
  // The records of one item. On the item's attribute the box holds the values `decided`. On every other attribute the
  // box holds the values that the items before have left. The last box belongs to `otherwise` and has no item. On every
  // attribute this last box holds the values that are left.
  struct Box {
    bool label;
    double weight;  // the share of the class that is in the box
    std::uint32_t axis = 0;
    ValueSet decided;
    // The values that the item leaves on its attribute for later items.
    ValueSet left;
  };
  void set_weights(const std::vector<long double>& mantissa, const std::vector<std::int64_t>& exponent);

  std::vector<std::uint32_t> attributes_;  // ascending; an axis is an index into this list
  std::vector<std::uint32_t> size_;        // number of values, per axis
  std::vector<Box> boxes_;                 // the last box is that of `otherwise`
};

}  // namespace hearsay::compiler
