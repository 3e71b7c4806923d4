//===- Images.h - images of kernels, and what runs in their place  -*- C++
//-*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_IMAGES_H
#define BELFRY_TEST_FAKE_CUDA_IMAGES_H

#include "test/fake-cuda/Emulated.h"
#include "test/fake-cuda/Types.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace belfry::fake {

/// What the image says that a kernel takes; -1 where it doesn't say.
struct KernelUse {
  int registers = -1;   ///< of a thread
  int sharedBytes = -1; ///< of a block, static
  int localBytes = -1;  ///< of a thread
};

/// A cubin or PTX that has been loaded.
struct Image {
  bool isPtx = false;
  int architecture = 0;                  ///< sm_90 is 90
  int ptxVersion = 0;                    ///< 7.8 is 78; 0 for a cubin
  std::map<std::string, KernelUse> uses; ///< of a cubin, by kernel
  const belfry_emulated_v1 *library = nullptr;

  /// Null where it has none of that name.
  const belfry_emulated_kernel *find(const std::string &name) const;
};

/// FNV-1a of 64 bits.
uint64_t hashOfImage(const void *bytes, size_t count);
/// Bytes of the cubin (an ELF file) at `image`, from its headers: up to the
/// end of whatever they name that ends last. 0 where it is none.
size_t sizeOfCubin(const void *image);

/// The newest version of PTX that a driver knows: 13000 gives 90.
int newestPtx(int driver);

class Images {
public:
  /// Loads the side libraries; aborts where one can't be used.
  void open(const std::vector<std::string> &paths);

  /// Reads an image and finds the library that runs it. Where a driver refuses
  /// it, gives the error, and in `log` a line that says why.
  CUresult load(const void *image, int architecture, int driver, Image &loaded,
                std::string &log) const;

private:
  struct Library {
    std::string path;
    const belfry_emulated_v1 *emulated;
  };
  std::vector<Library> libraries;
};

} // namespace belfry::fake

#endif // BELFRY_TEST_FAKE_CUDA_IMAGES_H
