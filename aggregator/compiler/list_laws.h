// Exact class laws of decision lists, and so of conjunctions, disjunctions and boxes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/compiler/class_laws.h"
#include "aggregator/compiler/query_form.h"

namespace hearsay::compiler {

// The records that one item of the list decides pass all items before it and satisfy the item. They form a box, a
// product of value sets. So each class is a disjoint union of boxes, in which the attributes are independent. Cost: the
// items times the intervals of the sets they leave, plus the values of the touched attributes.
class ListLaws {
 public:
  // Every item must decide some record, and both labels must be reachable.
  ListLaws(const PredicateList& list, const Schema& schema, Work& work);

  ClassLaws laws(Work& work) const;
  ScoreMoments moments(std::span<const AttributeScore> scores, Work& work) const;

 private:
  // One box. On the attribute of its item the box holds the values `decided`. On every other attribute the box holds
  // what the boxes before have left. The box of `otherwise` has no item, and holds what is left on every attribute.
  struct Box {
    bool label;
    double weight;  // of the box in its class
    std::uint32_t axis = 0;
    ValueSet decided;
    // What the item leaves on its attribute for later items.
    ValueSet left;
  };
  void set_weights(const std::vector<long double>& mantissa, const std::vector<std::int64_t>& exponent);

  std::vector<std::uint32_t> attributes_;  // ascending; an axis is an index into it
  std::vector<std::uint32_t> size_;        // number of values, per axis
  std::vector<Box> boxes_;                 // the last one is that of `otherwise`
};

}  // namespace hearsay::compiler
