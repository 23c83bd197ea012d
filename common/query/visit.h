// Makes one function object of several lambdas, to visit a query's node with.
#pragma once

namespace hearsay::query {

template <class... Cases>
struct Visitor : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Visitor(Cases...) -> Visitor<Cases...>;

}  // namespace hearsay::query
