#include "codegen/emit/llvm/names.hpp"

#include <fmt/format.h>
#include <llvm/Analysis/TargetLibraryInfo.h>

namespace lockstep::emit_llvm {

namespace {

/// The functions of C17's library that LLVM's list does not have, with a space around each; and main.
constexpr std::string_view library =
    " abort asctime asctime_s at_quick_exit atomic_thread_fence bsearch btowc c16rtomb c32rtomb cacos cacosf cacosh cacoshf "
    "cacoshl cacosl call_once carg cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf catanh catanhf "
    "catanhl catanl ccos ccosf ccosh ccoshf ccoshl ccosl cexp cexpf cexpl cimag cimagf cimagl clock clog clogf clogl "
    "cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_timedwait cnd_wait conj conjf conjl cpow cpowf cpowl cproj cprojf "
    "cprojl creal crealf creall csin csinf csinh csinhf csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl "
    "ctanl ctime difftime div erfc erfcf erfcl errno exit fdim fdimf fdiml feclearexcept fegetenv fegetexceptflag fegetround "
    "feholdexcept feraiseexcept fesetenv fesetexceptflag fesetround fetestexcept feupdateenv fgetwc fgetws fma fmaf fmal "
    "fputwc fputws freopen fwide fwprintf fwscanf getwc getwchar gmtime hypot hypotf hypotl ilogb ilogbf ilogbl imaxabs "
    "imaxdiv isalnum isalpha isblank iscntrl isgraph islower isprint ispunct isspace isupper iswalnum iswalpha iswblank "
    "iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit ldiv lgamma lgammaf "
    "lgammal lldiv llrint llrintf llrintl llround llroundf llroundl localeconv localtime longjmp lrint lrintf lrintl lround "
    "lroundf lroundl main mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsrtowcs mbstowcs mbtowc mtx_destroy mtx_init "
    "mtx_lock mtx_timedlock mtx_trylock mtx_unlock nan nanf nanl nextafter nextafterf nextafterl nexttoward nexttowardf "
    "nexttowardl putwc putwchar quick_exit raise rand scalbln scalblnf scalblnl scalbn scalbnf scalbnl setjmp setlocale "
    "signal srand strerror strftime strtoimax strtoumax swprintf swscanf tgamma tgammaf tgammal thrd_create thrd_current "
    "thrd_detach thrd_equal thrd_exit thrd_join thrd_sleep thrd_yield time timespec_get tmpnam tolower toupper towctrans "
    "towlower towupper tss_create tss_delete tss_get tss_set ungetwc vfwprintf vfwscanf vswprintf vswscanf vwprintf vwscanf "
    "wcrtomb wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn "
    "wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb "
    "wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf wscanf ";
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::optional<std::string> wrong_symbol(const std::string& name) {
  if (name.empty() || !is_letter(name.front())) {
    return fmt::format("'{}' cannot be the name of a function in a program: it has to begin with a letter", name);
  }
  static const llvm::TargetLibraryInfoImpl known{llvm::Triple()};
  llvm::LibFunc function = llvm::NotLibFunc;
  if (known.getLibFunc(name, function) || library.contains(fmt::format(" {} ", name))) {
    return fmt::format("'{}' is a function of the C library: in a program, the kernel would take its place; give the kernel another name",
                       name);
  }
  return std::nullopt;
}

}  // namespace lockstep::emit_llvm
