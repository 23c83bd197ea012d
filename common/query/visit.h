// Joins several lambdas into one function object that visits a query's node.
#pragma once

namespace hearsay::query {

template <class... Cases>
struct Visitor : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Visitor(Cases...) -> Visitor<Cases...>;

}  // namespace hearsay::query
