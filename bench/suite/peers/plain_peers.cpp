// g++ and clang++: plain loops, vectorised by the compiler, and vectors of one problem per lane.
#include "bench/suite/peers/peer.hpp"
#include "bench/suite/peers/plain_table.hpp"

namespace lockstep::bench {

namespace {

using Table = PlainRun (*)(int kernel, PlainForm form, unsigned n, bool is_double);

[[maybe_unused]] void add_plain(const std::string& compiler, Table table, const Task& task, std::vector<Contestant>& into) {
  struct Form {
    PlainForm form;
    const char* name;
  };
  for (const Form& form : {Form{PlainForm::Loops, "loops"}, Form{PlainForm::Lanes, "lanes"}, Form{PlainForm::Blocks, "blocks"}}) {
    if (form.form == PlainForm::Blocks && task.kernel != KernelId::Enumerate) {
      continue;
    }
    const PlainRun run = table(static_cast<int>(task.kernel), form.form, task.n, task.real == ScalarType::Double);
    // Which operations fuse makes no difference for ENUM: its products are exact. FRCG is not continuous: only the same bits can be
    // compared.
    const bool is_exact = task.kernel == KernelId::Enumerate || task.kernel == KernelId::Frcg || task.kernel == KernelId::Gema;
    into.push_back(peer(compiler + " " + form.name, is_exact ? Agreement::Bits : Agreement::Bound, run));
    if (form.form == PlainForm::Blocks) {
      into.back().note = "the sums of a candidate are made once for 256 problems";
      into.back().is_apart = true;
    }
  }
}

}  // namespace

#ifdef LOCKSTEP_HAS_PLAIN_gcc
const PeerSource plain_gcc = {
    [] { return PeerPresence{"g++", true, LOCKSTEP_HAS_PLAIN_gcc ", -O3 -march=native -ffp-contract=fast -fopenmp-simd"}; },
    [](const Task& task, std::vector<Contestant>& into) { add_plain("g++", lockstep_plain_gcc, task, into); }};
#else
const PeerSource plain_gcc = {[] { return PeerPresence{"g++", false, "not found when this was built"}; },
                              [](const Task&, std::vector<Contestant>&) {}};
#endif
#ifdef LOCKSTEP_HAS_PLAIN_clang
const PeerSource plain_clang = {
    [] { return PeerPresence{"clang++", true, LOCKSTEP_HAS_PLAIN_clang ", -O3 -march=native -ffp-contract=on -fopenmp-simd"}; },
    [](const Task& task, std::vector<Contestant>& into) { add_plain("clang++", lockstep_plain_clang, task, into); }};
#else
const PeerSource plain_clang = {[] { return PeerPresence{"clang++", false, "not found when this was built"}; },
                                [](const Task&, std::vector<Contestant>&) {}};
#endif

}  // namespace lockstep::bench
