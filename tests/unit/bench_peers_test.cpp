// Every peer computes what plain scalar C++ does that shares nothing with it (tests/reference).
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "bench/suite/check.hpp"
#include "bench/suite/peers.hpp"
#include "tests/reference/borg.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::bench;

template <class T>
std::vector<T> numbers(const Data& data, std::size_t array) {
  const Array& a = data.arrays()[array];
  const T* const begin = reinterpret_cast<const T*>(a.memory.data());
  return {begin, begin + a.count};
}

template <class T>
void put(const Data& data, std::size_t array, const std::vector<T>& values) {
  REQUIRE(values.size() == data.arrays()[array].count);
  std::memcpy(data.arrays()[array].memory.data(), values.data(), values.size() * sizeof(T));
}

/// Leaves in `data` what the kernel's definition gives, with contraction.
template <class T>
void solve(const Data& data) {
  const unsigned n = data.task().n;
  switch (data.task().kernel) {
    case KernelId::Gema:
      return put(data, 2, reference::gema(numbers<T>(data, 0), numbers<T>(data, 1)));
    case KernelId::Gemm:
      return put(data, 2, reference::gemm(n, numbers<T>(data, 0), numbers<T>(data, 1), true));
    case KernelId::Trsv:
      return put(data, 1, reference::trsv(n, numbers<T>(data, 0), numbers<T>(data, 1), true));
    case KernelId::Ldus:
      return put(data, 0, reference::ldus(n, numbers<T>(data, 0), true));
    case KernelId::Pade: {
      const auto out = reference::pade(numbers<T>(data, 0), numbers<T>(data, 1), numbers<T>(data, 2), numbers<T>(data, 3), true);
      put(data, 4, out.dx);
      put(data, 5, out.da);
      return put(data, 6, out.db);
    }
    case KernelId::Enumerate: {
      const auto out = reference::enumerate(numbers<std::int32_t>(data, 0), numbers<T>(data, 1), numbers<T>(data, 2), true);
      put(data, 3, out.best);
      return put(data, 4, out.arg);
    }
    case KernelId::Frcg: {
      const auto out = reference::frcg(numbers<T>(data, 0), numbers<T>(data, 1), {numbers<T>(data, 2), numbers<T>(data, 3)}, true);
      put(data, 2, out.x);
      return put(data, 3, out.y);
    }
  }
}

[[maybe_unused]] const PeerModule& module() {
#ifdef LOCKSTEP_PEERS
  static const auto loaded = load_peers(LOCKSTEP_PEERS);
  if (!loaded) {
    throw std::runtime_error(loaded.error());
  }
  return **loaded;
#else
  throw std::runtime_error("built without peers");
#endif
}

[[maybe_unused]] std::vector<Task> all_tasks() {
  std::vector<Task> tasks;
  for (const KernelInfo& kernel : kernel_table) {
    for (const Real real : {ScalarType::Double, ScalarType::Float}) {
      for (const unsigned n : kernel.is_group_wise ? std::vector<unsigned>(sizes.begin(), sizes.end()) : std::vector<unsigned>{0}) {
        tasks.push_back({kernel.id, real, n});
      }
    }
  }
  return tasks;
}

}  // namespace

#ifdef LOCKSTEP_PEERS

TEST_CASE("bench: each peer agrees with the scalar reference") {
  constexpr std::uint64_t batch = 37;  // vectors of problems, and a rest
  std::set<std::string> met;
  for (const Task& task : all_tasks()) {
    const Data expected(task, batch);
    task.real == ScalarType::Double ? solve<double>(expected) : solve<float>(expected);
    for (const Contestant& peer : module().contestants(task)) {
      // OpenCL compiles for a while each time.
      const bool is_slow = peer.name.starts_with("PoCL") && (task.n > 4 || task.real == ScalarType::Float);
      if (peer.side != Side::Peer || is_slow) {
        continue;
      }
      for (const unsigned threads : {1U, 2U}) {
        INFO(title(task) << ", " << peer.name << ", " << threads);
        Data data(task, batch);
        const auto run = peer.prepare(data, threads);
        REQUIRE(run);
        data.restore();
        data.clear_outputs();
        (*run)();
        const auto wrong = disagreement(data, expected, peer.agreement);
        CHECK(wrong.value_or("") == "");
        met.insert(peer.name.substr(0, peer.name.find(' ')));
      }
    }
  }
  for (const PeerPresence& peer : module().presence()) {
    CHECK(peer.is_present == met.contains(peer.name));
  }
}

TEST_CASE("bench: the limits move all bytes and change no input") {
  for (const Task& task : all_tasks()) {
    if (task.n > 8) {
      continue;
    }
    const Data before(task, 100);
    bool has_traffic = false;
    for (const Contestant& limit : module().contestants(task)) {
      if (limit.side != Side::Limit) {
        continue;
      }
      INFO(title(task) << ", " << limit.name);
      Data data(task, 100);
      const auto run = limit.prepare(data, 2);
      REQUIRE(run);
      (*run)();
      for (std::size_t a = 0; a < data.arrays().size(); ++a) {
        const Array& array = data.arrays()[a];
        if (array.role != Role::Out) {
          CHECK(std::memcmp(array.memory.data(), before.arrays()[a].memory.data(), array.bytes()) == 0);
        }
      }
      has_traffic = has_traffic || limit.limit == LimitKind::Traffic;
      CHECK((limit.units > 0) == (limit.limit != LimitKind::Traffic));
    }
    CHECK(has_traffic);
  }
}

#endif

TEST_CASE("bench: a module that is not there is a sentence") {
  const auto nothing = load_peers("/nowhere/lockstep_peers.so");
  REQUIRE_FALSE(nothing);
  CHECK(nothing.error().find("/nowhere") != std::string::npos);
}
