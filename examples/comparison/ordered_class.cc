#include "examples/comparison/ordered_class.h"

#include <algorithm>

#include "examples/comparison/boxes.h"
#include "examples/comparison/query_class.h"
#include "examples/comparison/reference/domain.h"

namespace hearsay::examples {
namespace {

Query box_query(const std::vector<Boxes::Interval>& box, const Schema& schema) {
  std::vector<Query> sides;
  for (std::uint32_t i = 0; i < box.size(); ++i) {
    if (box[i] == Boxes::Interval{0, schema[i].size() - 1}) continue;
    sides.emplace_back(query::Membership{i, {box[i]}});
  }
  return sides.size() == 1 ? sides.front() : Query(query::And{std::move(sides)});
}

Setting boxes_of(const Schema& schema, const Epsilon& epsilon) {
  std::vector<std::uint32_t> sizes;
  for (const Attribute& attribute : schema.attributes()) sizes.push_back(attribute.size());
  const Boxes boxes(std::move(sizes));
  Setting setting{schema, epsilon, {}, planner::Boxes{static_cast<std::uint32_t>(schema.size())}};
  if (schema.size() == 1) setting.workload = planner::Ranges{};
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(boxes.count(), kMaxSimulatedBoxes); ++i) {
    setting.queries.push_back(box_query(boxes[i], schema));
  }
  setting.all_boxes = true;
  return setting;
}

}  // namespace

Result<Setting> ordered_class(const Schema& schema, const Epsilon& epsilon, const std::string& name) {
  const std::size_t attributes = name == "boxes" ? 2 : 1;
  const bool ordered = std::all_of(schema.attributes().begin(), schema.attributes().end(),
                                   [](const Attribute& a) { return a.kind() == AttributeKind::kRange; });
  if (schema.size() != attributes || (!ordered && name != "points")) {
    return Error{ErrorCode::kInvalidArgument,
                 "--class " + name + " asks about " + (attributes == 2 ? "two integer attributes" : "one attribute") +
                     "; the people have other attributes. Give such a schema, or --synthetic " +
                     std::to_string(attributes) + " --values 64"};
  }
  if (const auto domain = Domain::create(schema); !domain) return domain.error();
  if (name == "ranges" || name == "boxes") return boxes_of(schema, epsilon);

  const std::uint32_t size = schema[0].size();
  if (size > kMaxClassQueries) {
    return Error{ErrorCode::kDomainTooLarge, "--class " + name + " takes at most 4,096 values"};
  }
  Setting setting{schema, epsilon, {}, {}};
  if (name == "means") {
    setting.means = {0};
    setting.workload = planner::Means{};
    return setting;
  }
  for (std::uint32_t value = 0; value < size; ++value) {
    setting.queries.emplace_back(query::Membership{0, {{value, value}}});
  }
  setting.workload = setting.queries;
  return setting;
}

}  // namespace hearsay::examples
