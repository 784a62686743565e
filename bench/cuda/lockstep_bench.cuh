// Times on a GPU: of launches of several contestants that work on the same buffers, in turn. What a contestant leaves is compared with what
// the first one leaves.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace lockstep_bench {

inline int checked(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error;
}

inline unsigned blocks(size_t problems, size_t of_block) { return unsigned((problems + of_block - 1) / of_block); }

/// How often what a bundle has lies in the memory of the device, side by side, so that a small bundle fills a GPU: COPIES of the environment.
struct Copies {
  size_t number = 1;
  size_t groups;
  size_t items;  ///< of one copy

  Copies(size_t groups_of_one, size_t group_size) : groups(groups_of_one), items(groups_of_one * group_size) {
    const char *text = getenv("COPIES");
    number = std::max<size_t>(text ? strtoull(text, nullptr, 10) : 1, 1);
    groups *= number;
  }
  /// A buffer with an element or more for each item is there once for each copy; all share what is smaller.
  size_t of(size_t elements) const { return elements < items ? 1 : number; }
  /// A number of items that have something to do.
  template <class T>
  T of_all(T count) const {
    return T(count + (number - 1) * items);
  }
};

/// Sets `differs` to 1 if any byte does.
static __global__ void find_difference(const unsigned char *a, const unsigned char *b, size_t bytes, int *differs) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < bytes; k += step) {
    if (a[k] != b[k]) *differs = 1;
  }
}

/// Memory of the device with what the host has, which comes back there before each launch.
struct AnyBuffer {
  size_t bytes = 0;
  bool is_written = false;
  void *memory = nullptr;
  void *original = nullptr;
  void *expected = nullptr;  ///< what the first contestant has left, once there is one
  int error = 0;

  AnyBuffer(const void *host, size_t size, bool written, size_t copies) : bytes(size * copies), is_written(written) {
    const auto keep = [&](cudaError_t now) { error = error ? error : int(now); };
    if (bytes == 0) return;
    keep(cudaMalloc(&memory, bytes));
    keep(cudaMalloc(&original, bytes));
    if (error == 0) keep(cudaMemcpy(original, host, size, cudaMemcpyHostToDevice));
    for (size_t done = size; error == 0 && done < bytes; done *= 2) {
      keep(cudaMemcpy(static_cast<char *>(original) + done, original, std::min(done, bytes - done), cudaMemcpyDeviceToDevice));
    }
    if (error == 0) keep(cudaMemcpy(memory, original, bytes, cudaMemcpyDeviceToDevice));
  }
  AnyBuffer(const AnyBuffer &) = delete;
  AnyBuffer &operator=(const AnyBuffer &) = delete;
  ~AnyBuffer() {
    cudaFree(memory);
    cudaFree(original);
    cudaFree(expected);
  }
  int restore() { return is_written && bytes ? int(cudaMemcpy(memory, original, bytes, cudaMemcpyDeviceToDevice)) : 0; }
};
template <class T>
struct Buffer : AnyBuffer {
  T *device;
  Buffer(const T *host, size_t count, bool written, const Copies &copies)
      : AnyBuffer(host, count * sizeof(T), written, copies.of(count)), device(static_cast<T *>(memory)) {}
};

class Bench {
 public:
  size_t problems;

  Bench(const char *kernel, const char *real, unsigned size, unsigned pack, size_t all, std::vector<AnyBuffer *> buffers)
      : problems(all), kernel_(kernel), real_(real), size_(size), pack_(pack), buffers_(std::move(buffers)) {
    for (AnyBuffer *buffer : buffers_) error_ = error_ ? error_ : buffer->error;
    if (error_ == 0) error_ = cudaEventCreate(&begin_);
    if (error_ == 0) error_ = cudaEventCreate(&end_);
  }
  ~Bench() {
    if (begin_) cudaEventDestroy(begin_);
    if (end_) cudaEventDestroy(end_);
  }

  /// `launch` returns an error, 0 for none. Who cannot be launched is left out, but for the first one.
  void time(const char *name, const std::function<int()> &launch) {
    Contestant one{name, {}, true};
    for (int round = 0; round < warm_ups + rounds && error_ == 0; ++round) {
      for (AnyBuffer *buffer : buffers_) error_ = error_ ? error_ : buffer->restore();
      if (error_ == 0) error_ = cudaEventRecord(begin_);
      if (const int refused = error_ == 0 ? launch() : 0; refused != 0) {
        cudaGetLastError();  // so that it is not found again
        fprintf(stderr, "%s: error %d\n", name, refused);
        error_ = contestants_.empty() ? refused : 0;
        return;
      }
      if (error_ == 0) error_ = cudaEventRecord(end_);
      if (error_ == 0) error_ = cudaEventSynchronize(end_);
      float milliseconds = 0;
      if (error_ == 0) error_ = cudaEventElapsedTime(&milliseconds, begin_, end_);
      if (round >= warm_ups) one.nanoseconds.push_back(milliseconds * 1e6 / double(std::max<size_t>(problems, 1)));
    }
    if (error_ == 0) compare(one);
    std::sort(one.nanoseconds.begin(), one.nanoseconds.end());
    contestants_.push_back(one);
  }

  /// A table, and a file of JSON.
  int report() {
    if (error_ != 0) return checked(cudaError_t(error_));
    cudaDeviceProp device;
    if ((error_ = cudaGetDeviceProperties(&device, 0)) != 0) return checked(cudaError_t(error_));
    printf("%s, %s, %u, WG_PACK %u, %zu problems, %s\n%-24s %12s %12s  %s\n", kernel_, real_, size_, pack_, problems, device.name, "",
           "least, ns", "median, ns", "bits");
    FILE *file = fopen((std::string(kernel_) + ".bench.json").c_str(), "w");
    if (!file) {
      fprintf(stderr, "%s.bench.json cannot be written\n", kernel_);
      return 1;
    }
    fprintf(file, "{\"kernel\":\"%s\",\"real\":\"%s\",\"size\":%u,\"wg_pack\":%u,\"problems\":%zu,\"device\":\"%s\",\"contestants\":[", kernel_,
            real_, size_, pack_, problems, device.name);
    for (size_t k = 0; k < contestants_.size(); ++k) {
      const Contestant &one = contestants_[k];
      const double least = one.nanoseconds.front(), median = one.nanoseconds[one.nanoseconds.size() / 2];
      printf("%-24s %12.3f %12.3f  %s\n", one.name, least, median, one.is_equal ? "equal" : "others");
      fprintf(file, "%s{\"name\":\"%s\",\"least_ns\":%.6g,\"median_ns\":%.6g,\"equal\":%s}", k ? "," : "", one.name, least, median,
              one.is_equal ? "true" : "false");
    }
    fprintf(file, "]}\n");
    fclose(file);
    return 0;
  }

 private:
  static constexpr int warm_ups = 3;
  static constexpr int rounds = 20;
  struct Contestant {
    const char *name;
    std::vector<double> nanoseconds;
    bool is_equal;
  };

  /// On the device, as buffers may be large.
  void compare(Contestant &one) {
    const bool is_first = contestants_.empty();
    int differs = 0;
    int *found = nullptr;
    const auto keep = [&](cudaError_t now) { error_ = error_ ? error_ : int(now); };
    keep(cudaMalloc(&found, sizeof *found));
    if (error_ == 0) keep(cudaMemset(found, 0, sizeof *found));
    for (AnyBuffer *buffer : buffers_) {
      if (!buffer->is_written || buffer->bytes == 0 || error_ != 0) continue;
      if (is_first) {
        keep(cudaMalloc(&buffer->expected, buffer->bytes));
        if (error_ == 0) keep(cudaMemcpy(buffer->expected, buffer->memory, buffer->bytes, cudaMemcpyDeviceToDevice));
        continue;
      }
      find_difference<<<1024, 256>>>(static_cast<unsigned char *>(buffer->memory), static_cast<unsigned char *>(buffer->expected),
                                     buffer->bytes, found);
      keep(cudaGetLastError());
    }
    if (error_ == 0) keep(cudaMemcpy(&differs, found, sizeof differs, cudaMemcpyDeviceToHost));
    cudaFree(found);
    one.is_equal = differs == 0;
  }

  const char *kernel_, *real_;
  unsigned size_, pack_;
  std::vector<AnyBuffer *> buffers_;
  int error_ = 0;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<Contestant> contestants_;
};

/// Where the matrices of a batch begin, on the device.
template <class T>
struct Pointers {
  T **device = nullptr;
  Pointers(T *first, size_t distance, size_t count) {
    std::vector<T *> all(count);
    for (size_t k = 0; k < count; ++k) all[k] = first + k * distance;
    if (cudaMalloc(&device, count * sizeof(T *)) == cudaSuccess) cudaMemcpy(device, all.data(), count * sizeof(T *), cudaMemcpyHostToDevice);
  }
  Pointers(const T *first, size_t distance, size_t count) : Pointers(const_cast<T *>(first), distance, count) {}
  ~Pointers() { cudaFree(device); }
};

/// cuBLAS, if it is found when this runs. Its matrices lie column by column, and ours row by row: theirs are the transposed ones.
template <class T>
class Cublas {
 public:
  Cublas() {
    for (const char *name : {"libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}) {
      if (!library_) library_ = dlopen(name, RTLD_NOW);
    }
    int (*create)(void **) = nullptr;
    if (find(create, "cublasCreate_v2")) create(&handle_);
    find(multiply_, sizeof(T) == 8 ? "cublasDgemmStridedBatched" : "cublasSgemmStridedBatched");
    find(factor_, sizeof(T) == 8 ? "cublasDgetrfBatched" : "cublasSgetrfBatched");
    find(solve_, sizeof(T) == 8 ? "cublasDtrsmBatched" : "cublasStrsmBatched");
  }
  ~Cublas() {
    int (*destroy)(void *) = nullptr;
    if (handle_ && find(destroy, "cublasDestroy_v2")) destroy(handle_);
    cudaFree(info_);
  }
  bool is_there() const { return handle_ && multiply_ && factor_ && solve_; }

  int multiply(const T *a, const T *b, T *c, int n, size_t count) {
    const T one = 1, zero = 0;
    const long long distance = (long long)n * n;
    return multiply_(handle_, 0, 0, n, n, n, &one, b, n, distance, a, n, distance, &zero, c, n, distance, int(count));
  }
  /// Without pivots; the other triangle has the diagonal of ones.
  int factor(const Pointers<T> &a, int n, size_t count) {
    if (!info_) {
      if (const int error = cudaMalloc(&info_, count * sizeof(int))) return error;
    }
    return factor_(handle_, n, a.device, n, nullptr, info_, int(count));
  }
  /// Both triangles, without the diagonal in between.
  int solve(const Pointers<T> &m, const Pointers<T> &b, int n, size_t count) {
    const T one = 1;
    // left; the upper triangle of theirs is our lower one, and is transposed; unit diagonals
    if (const int error = solve_(handle_, 0, 1, 1, 1, n, 1, &one, m.device, n, b.device, n, int(count))) return error;
    return solve_(handle_, 0, 0, 1, 1, n, 1, &one, m.device, n, b.device, n, int(count));
  }

 private:
  template <class Function>
  bool find(Function &function, const char *name) {
    function = library_ ? reinterpret_cast<Function>(dlsym(library_, name)) : nullptr;
    return function != nullptr;
  }

  void *library_ = nullptr;
  void *handle_ = nullptr;
  int *info_ = nullptr;
  int (*multiply_)(void *, int, int, int, int, int, const T *, const T *, int, long long, const T *, int, long long, const T *, T *, int,
                   long long, int) = nullptr;
  int (*factor_)(void *, int, T *const *, int, int *, int *, int) = nullptr;
  int (*solve_)(void *, int, int, int, int, int, int, const T *, T *const *, int, T *const *, int, int) = nullptr;
};

}  // namespace lockstep_bench
