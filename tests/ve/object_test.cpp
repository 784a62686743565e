// Object files: what is read of them, and that nothing wrong in one does harm.

#include <elf.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "semantics/ve/lines.hpp"
#include "semantics/ve/table.hpp"
#include "tests/ve/support.hpp"

namespace lockstep::test {

namespace {

constexpr std::uint64_t room = std::uint64_t{1} << 24;

std::string refusal_of(const std::string& bytes) {
  const auto object = ve::read_object("case.o", bytes, room);
  return object ? "" : object.error();
}

/// What running the first function says, if it cannot run.
std::string run_refusal(const std::string& c) {
  const ve::Object object = object_of(c);
  const auto kernel = ve_machine::find_kernel(object, "f");
  REQUIRE(kernel.has_value());
  ve_machine::Arguments arguments;
  const auto outcome = ve_machine::run(object, decoder(), **kernel, arguments, {1000, 1 << 14});
  return outcome ? "" : outcome.error();
}

}  // namespace

TEST_CASE("files that are no objects for VE say what they are", "[ve]") {
  CHECK(refusal_of("") == "is too short for an object file");
  CHECK(refusal_of(std::string(200, 'x')) == "is no ELF file");
  std::string header(64, '\0');
  std::memcpy(header.data(), "\177ELF\2\1\1", 7);
  header[16] = 1;
  header[18] = 62;
  CHECK(refusal_of(header).starts_with("is for the machine number 62, and not for VE (251)"));
  header[18] = static_cast<char>(251);
  CHECK(refusal_of(header) == "is cut off, or has no table of sections");
  header[16] = 2;
  CHECK(refusal_of(header) == "is linked, and not an object file; clang makes those with -c");
  header[4] = 1;
  CHECK(refusal_of(header) == "is no ELF file of 64 bits, lowest byte first");
}

TEST_CASE("what an object needs and nobody has is told before anything runs", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const std::string needs = run_refusal("double sin(double); double f(double a) { return sin(a) + 1; }");
  CHECK(needs.starts_with("f+0x"));
  CHECK(needs.ends_with(" needs 'sin', which nobody has; there are fma, fmaf, sqrt, sqrtf, memcpy, memmove, memset, __ve_grow_stack"));
  CHECK(run_refusal("long f(long a) { asm volatile(\"lcr %0, %0, %0\" : \"+r\"(a)); return a; }")
            .starts_with("f+0x0: the machine has no 'lcr"));
  CHECK(refusal_of(object_file("__thread long t; long f(void) { return t; }")).find("variables of threads") != std::string::npos);
  CHECK(run_refusal("extern long x[] __attribute__((weak)); long f(void) { return x == 0; }").empty());
  CHECK(run_refusal("long x; long *const p = &x; long f(void) { return *p; }").empty());  // an address in data
}

namespace {

/// The relocations of sections that take room, where they lie in the file.
std::vector<std::size_t> relocations_in(const std::string& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto section = [&](std::size_t k) {
    Elf64_Shdr made;
    std::memcpy(&made, bytes.data() + header.e_shoff + k * sizeof made, sizeof made);
    return made;
  };
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < header.e_shnum; ++k) {
    const Elf64_Shdr one = section(k);
    for (std::size_t at = 0; one.sh_type == SHT_RELA && (section(one.sh_info).sh_flags & SHF_ALLOC) != 0 && at < one.sh_size;
         at += sizeof(Elf64_Rela)) {
      found.push_back(one.sh_offset + at);
    }
  }
  return found;
}

Elf64_Rela relocation_at(const std::string& bytes, std::size_t at) {
  Elf64_Rela made;
  std::memcpy(&made, bytes.data() + at, sizeof made);
  return made;
}

std::string with(std::string bytes, std::size_t at, const Elf64_Rela& relocation) {
  std::memcpy(bytes.data() + at, &relocation, sizeof relocation);
  return bytes;
}

}  // namespace

TEST_CASE("addresses are written as the ABI says, and nowhere else", "[ve]") {
  if (!has_clang()) {
    return;
  }
  // 48 bytes of data, with the address of x[5] in the third 8 of them.
  const std::string bytes = object_file("long x[8]; long *const p[6] = {0, 0, x + 5, 0, 0, 0}; long f(void) { return 1; }");
  const std::vector<std::size_t> all = relocations_in(bytes);
  REQUIRE(all.size() == 1);
  const Elf64_Rela given = relocation_at(bytes, all.front());
  REQUIRE(given.r_offset == 16);
  REQUIRE(ELF64_R_TYPE(given.r_info) == 2);
  REQUIRE(given.r_addend == 40);
  const auto of_type = [&](std::uint64_t type, std::uint64_t offset) {
    Elf64_Rela changed = given;
    changed.r_info = ELF64_R_INFO(ELF64_R_SYM(given.r_info), type);
    changed.r_offset = offset;
    return with(bytes, all.front(), changed);
  };
  for (std::uint64_t type = 0; type <= 8; ++type) {
    const std::uint64_t width = type == 2 ? 8 : 4;
    CAPTURE(type);
    CHECK(refusal_of(of_type(type, 48 - width)).empty() == (type < 8));
    CHECK_FALSE(refusal_of(of_type(type, 48 - width + 1)).empty());
    CHECK_FALSE(refusal_of(of_type(type, ~std::uint64_t{0})).empty());
    if (type == 8) {
      continue;
    }
    const auto object = ve::read_object("case.o", of_type(type, 16), room);
    REQUIRE(object.has_value());
    ve_machine::Arguments arguments;
    const auto kernel = ve_machine::find_kernel(*object, "f");
    const auto call = ve_machine::prepare(*object, decoder(), **kernel, arguments, {1000, 1 << 14});
    const bool is_narrow = type == 1 || type == 3;  // REFLONG and SREL32: addresses of two objects are further apart than 32 bits
    REQUIRE(call.has_value() != is_narrow);
    if (is_narrow) {
      CHECK(call.error() == ".rodata+0x10: the address of 'x' does not fit into 32 bits");
      continue;
    }
    std::uint64_t target = 0;
    std::uint64_t here = 0;
    const ve::Relocation& relocation = object->relocations.front();
    const auto object_of = [&](std::size_t section) { return (*call)->machine.sections.at(section); };
    target = memory::pointer_to(object_of(*object->symbols.at(relocation.symbol).section), 40);
    here = memory::pointer_to(object_of(relocation.section), 16);
    // NONE, REFQUAD, HI32, LO32, PC_HI32, PC_LO32
    const std::map<std::uint64_t, std::uint64_t> expected = {{0, 0},
                                                             {2, target},
                                                             {4, target >> 32U},
                                                             {5, target & 0xffffffffU},
                                                             {6, (target - here) >> 32U},
                                                             {7, (target - here) & 0xffffffffU}};
    std::uint64_t found = 0;
    std::memcpy(&found, (*call)->loaded.sections.at(relocation.section).bytes.data() + 16, 8);
    CHECK(found == expected.at(type));
  }
  // Within one section, 24 bytes further on.
  const std::string own =
      object_file("extern long *const p[6]; long *const p[6] = {0, 0, (long *)(p + 5), 0, 0, 0}; long f(void) { return 1; }");
  REQUIRE(relocations_in(own).size() == 1);
  Elf64_Rela near = relocation_at(own, relocations_in(own).front());
  near.r_info = ELF64_R_INFO(ELF64_R_SYM(near.r_info), 3);
  const auto object = ve::read_object("case.o", with(own, relocations_in(own).front(), near), room);
  REQUIRE(object.has_value());
  ve_machine::Arguments arguments;
  const auto call = ve_machine::prepare(*object, decoder(), **ve_machine::find_kernel(*object, "f"), arguments, {1000, 1 << 14});
  REQUIRE(call.has_value());
  std::uint64_t found = 0;
  std::memcpy(&found, (*call)->loaded.sections.at(object->relocations.front().section).bytes.data() + 16, 8);
  CHECK(found == 24);
  near = given;
  near.r_info = ELF64_R_INFO(1000, 2);
  CHECK(refusal_of(with(bytes, all.front(), near)) == "has a relocation of a symbol that it has not");
}

TEST_CASE("position-independent code is refused with a reason", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const std::string bytes = object_file("extern long x; long f(void) { return x; }", {"-O2", "-fpic"});
  CHECK(refusal_of(bytes).find("it is compiled for shared libraries (-fpic)") != std::string::npos);
}

TEST_CASE("cut off at every byte, or with any byte changed, an object does no harm", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const std::string bytes = object_file(
      "#include <velintrin.h>\ndouble sqrt(double); static double t[4] = {1, 2, 3, 4};\n"
      "double f(double *x, long n) { for (long i = 0; i < n; i += 256) { int l = n - i < 256 ? n - i : 256;\n"
      "__vr v = _vel_vld_vssl(8, x + i, l); _vel_vst_vssl(_vel_vfmadd_vvvvl(v, v, v, l), 8, x + i, l); } return sqrt(x[0]) + t[n & 3]; }");
  REQUIRE(refusal_of(bytes).empty());
  const auto try_bytes = [](const std::string& changed) {
    const auto object = ve::read_object("case.o", changed, room);
    if (!object || ve::functions_of(*object).empty()) {
      return;
    }
    ve_machine::Arguments arguments;
    arguments.values = {BufferNumber{0}, std::uint64_t{7}};
    arguments.buffers = {{ScalarType::Double, 16, std::vector<std::byte>(128), {16}, {}}};
    const auto outcome = ve_machine::run(*object, decoder(), *ve::functions_of(*object).front(), arguments, {500, 1 << 13});
    if (outcome && outcome->fault) {
      CHECK_FALSE(ve_machine::render(*object, decoder(), *outcome->fault).empty());
    }
  };
  for (std::size_t length = 0; length < bytes.size(); length += 3) {
    try_bytes(bytes.substr(0, length));
  }
  std::mt19937_64 random(5);
  for (int k = 0; k < 6000; ++k) {
    std::string changed = bytes;
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      changed[random() % changed.size()] = static_cast<char>(random() % 3 == 0 ? 0xffU : random());
    }
    try_bytes(changed);
  }
}

TEST_CASE("any 8 bytes are an instruction that runs, or are refused", "[ve]") {
  std::mt19937_64 random(3);
  std::size_t good = 0;
  for (int k = 0; k < 200'000; ++k) {
    const std::uint64_t word = random() & (random() | random() << 56U);
    const auto bytes = std::as_bytes(std::span<const std::uint64_t, 1>(&word, 1));
    const auto made = decoder().decode(bytes);
    good += made ? 1U : 0U;
    if (made) {
      CHECK_FALSE(decoder().text(bytes).empty());
    }
  }
  CHECK(good > 1000);
}

TEST_CASE("what is no instruction is shown as bytes, and what does not run by its name", "[ve]") {
  const auto text = [](std::uint64_t word) { return decoder().text(std::as_bytes(std::span<const std::uint64_t, 1>(&word, 1))); };
  CHECK(text(~std::uint64_t{0}) == "ff ff ff ff ff ff ff ff");
  CHECK(text(0x0102030405060708U << 1U | std::uint64_t{0xff} << 56U) == "10 0e 0c 0a 08 06 04 ff");
}

TEST_CASE("lines go back as far as the text does", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object =
      object_of("long f(long a, long *x) {\n#line 500\n  x[0] = a;\n#line 3\n  x[1] = a + 1;\n#line 90000\n  return 0; }", {"-O0", "-g"});
  const ve::Lines lines = ve::read_lines(object);
  std::set<std::uint32_t> numbers;
  for (const auto& section : lines.at) {
    for (const ve::Line& line : section) {
      numbers.insert(line.number);
    }
  }
  CHECK((numbers.contains(500) && numbers.contains(3) && numbers.contains(90000)));
  CHECK(numbers.size() <= 5);
}

TEST_CASE("the table has a row for each name once, and a sentence", "[ve]") {
  std::vector<std::string_view> names;
  for (const ve::RowInfo& row : ve::rows()) {
    names.push_back(row.name);
    CHECK(row.sentence.ends_with('.'));
    CHECK(&ve::info(row.row) == &row);
  }
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  REQUIRE(ve::shape_of("VFADDDrvm").has_value());
  CHECK(ve::shape_of("VFADDDrvm")->letters == "rvm");
  CHECK(ve::info(ve::shape_of("BCFLnari_nt")->row).name == "BCFLna");
  CHECK(ve::shape_of("BCFLnari_nt")->letters == "ri");
  CHECK_FALSE(ve::shape_of("LCRrr").has_value());
}

}  // namespace lockstep::test
