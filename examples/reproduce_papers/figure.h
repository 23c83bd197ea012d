// A number that a paper states, beside the number that this program finds.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "common/random/bit_source.h"
#include "hearsay/result.h"

namespace hearsay::examples {

struct Figure {
  std::string what;
  std::string paper;
  std::string here;
  std::string note;  // a remark, for example why the two numbers differ; may be empty
};

// The random bits of an experiment: private noise comes from `bits`, made-up data and random queries from `made_up`.
struct Dice {
  BitSource& bits;
  std::mt19937_64& made_up;
};

struct Experiment {
  std::string name;
  std::string about;
  std::function<Result<std::vector<Figure>>(const Dice&)> run;
};

// The experiments of Xiao, Xiong, Yuan 2010, section 8, on synthetic data of the stated sizes, and Table 1.
std::vector<Experiment> cell_experiments();
// The experiments on Blum, Ligett, Roth 2008 (beside cell release, and on a growing domain), and on Theorem 7 of Aldà
// and Simon 2014.
std::vector<Experiment> limit_experiments();

}  // namespace hearsay::examples
