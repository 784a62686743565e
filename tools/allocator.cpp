// The settings of jemalloc, which the command is linked with where it is installed; read by it once, before main(). Compiling kernels is a
// million short-lived allocations of LLVM each, and glibc's malloc takes a tenth of that time. What is freed is kept for the next kernel
// instead of being handed back to the system ten seconds later and fetched again.

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1";
}
