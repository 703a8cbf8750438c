// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges what all ranks say when one of them throws before, inside or after a collective. All cases run in one job, which
// is started again behind a case that it does not survive.
#include "support/places.hpp"
#include "support/sweep.hpp"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

using namespace glt_fault;

namespace {

constexpr int ranks = 3;

struct case_lines {
  std::string name;
  int results = 0;
  std::multiset<std::string> errors;
};

// What ranks said about every case, by number.
std::map<int, case_lines> cases_of(std::string const& text) {
  std::map<int, case_lines> made;
  std::istringstream in(text);
  std::smatch match;
  std::regex const title("^case ([0-9]+): (.*)$");
  std::regex const end("^case ([0-9]+) rank [0-9]+ (result|error: |other error: )(.*)$");
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, match, title)) {
      made[std::stoi(match[1])].name = match[2];
    } else if (std::regex_match(line, match, end)) {
      auto& of = made[std::stoi(match[1])];
      if (match[2] == "result") {
        ++of.results;
      } else {
        of.errors.insert(match[3]);
      }
    }
  }
  return made;
}

verdict judge(case_lines const& said) {
  if (said.results > 0) {
    return verdict::wrong; // a rank takes it for done
  }
  return std::ssize(said.errors) == ranks ? verdict::same_error : verdict::crash;
}

// Runs all cases of a program; returns how often its ranks had different texts.
int judge_all(std::string const& program, settings const& chosen, glt_test::scratch_folder const& scratch,
              tally& counts) {
  int different = 0;
  for (int first = 0; first >= 0;) {
    child job({launch(ranks, "", {program, std::to_string(first)}), launch_environment()}, scratch / "output");
    std::string text;
    double idle = 0;
    while (!job.wait(0.2) && idle < chosen.limit) { // a limit for every case, not for all
      auto const before = std::exchange(text, job.text());
      idle = text == before ? idle + 0.2 : 0;
    }
    bool const over = job.wait(0);
    text = job.text();
    auto const cases = cases_of(text);
    bool const complete = over && job.status() == 0;
    auto const unfinished = std::ranges::find_if( // the others may have begun the next one
        cases, [](auto const& of) { return of.second.results + std::ssize(of.second.errors) < ranks; });
    int const stop_at = complete || unfinished == cases.end() ? std::numeric_limits<int>::max() : unfinished->first;
    std::string stacks;
    if (!over) {
      stacks = chosen.stacks ? stacks_of(job, program) : "";
      job.end();
    }
    for (auto at = cases.begin(); at != cases.end() && at->first <= stop_at; ++at) {
      auto const& said = at->second;
      std::string why;
      for (auto const& error : said.errors) {
        why += "  " + error + "\n";
      }
      different += std::ssize(said.errors) == ranks && *said.errors.begin() != *said.errors.rbegin() ? 1 : 0;
      bool const is_last = !complete && at == unfinished;
      bool const aborted = over && said_last_line(text);
      counts.add(!is_last  ? judge(said)
                 : !over   ? verdict::hang
                 : aborted ? verdict::aborted
                           : verdict::crash,
                 said.name, is_last ? why + stacks : why);
    }
    if (!complete && unfinished == cases.end()) {
      counts.add(over ? verdict::crash : verdict::hang, "the job, not in a case", text);
    }
    first = complete || unfinished == cases.end() ? -1 : unfinished->first + 1;
  }
  return different;
}

} // namespace

int main(int argc, char** argv) {
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("throws");
  int different = 0;
  for (auto const& program : words_of(glt_test::places::jobs_that_throw)) {
    different += judge_all(program, chosen, scratch, counts);
  }
  std::printf("throws: %d times ranks had different texts\n", different);
  return counts.finish();
}
