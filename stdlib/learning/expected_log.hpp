#pragma once
// expected_log_likelihood(model, given, data): the Q function of EM.

namespace credence::lang {
class Registry;
}

namespace credence::std_ {

void add_expected_log(lang::Registry& registry);

}  // namespace credence::std_
