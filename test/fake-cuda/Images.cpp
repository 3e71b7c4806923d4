//===- Images.cpp - images of kernels, and what runs in their place -------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fake-cuda/Images.h"

#include "test/fake-cuda/Settings.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>

using namespace belfry::fake;

static constexpr uint16_t kMachineCuda = 190;

uint64_t belfry::fake::hashOfImage(const void *bytes, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  auto *at = static_cast<const unsigned char *>(bytes);
  for (size_t i = 0; i < count; ++i)
    hash = (hash ^ at[i]) * 0x100000001b3;
  return hash;
}

const belfry_emulated_kernel *Image::find(const std::string &name) const {
  for (uint32_t i = 0; i < library->num_kernels; ++i)
    if (name == library->kernels[i].name)
      return &library->kernels[i];
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Cubins
//===----------------------------------------------------------------------===//

namespace {
/// The headers of an ELF file in memory. Its length is not known before they
/// were read, so that nothing can be checked against it.
class Elf {
public:
  explicit Elf(const void *image)
      : base(static_cast<const char *>(image)), header(read<Elf64_Ehdr>(0)) {}

  bool isCubin() const {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_machine == kMachineCuda;
  }
  /// e_flags has it in the second byte; files before CUDA 13 (an ABI version
  /// below 8) in the first.
  int architecture() const {
    return header.e_ident[EI_ABIVERSION] >= 8
               ? int(header.e_flags >> 8 & 0xffff)
               : int(header.e_flags & 0xff);
  }
  int abiVersion() const { return header.e_ident[EI_ABIVERSION]; }
  size_t sections() const { return header.e_shnum; }
  Elf64_Shdr section(size_t i) const {
    return read<Elf64_Shdr>(header.e_shoff + i * header.e_shentsize);
  }
  std::string name(const Elf64_Shdr &of) const {
    return base + section(header.e_shstrndx).sh_offset + of.sh_name;
  }
  const char *content(const Elf64_Shdr &of) const {
    return base + of.sh_offset;
  }
  size_t size() const {
    uint64_t end = std::max<uint64_t>(
        {header.e_ehsize,
         header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize,
         header.e_phoff + uint64_t(header.e_phnum) * header.e_phentsize});
    for (size_t i = 0; i < sections(); ++i)
      if (Elf64_Shdr s = section(i); s.sh_type != SHT_NOBITS)
        end = std::max(end, s.sh_offset + s.sh_size);
    for (size_t i = 0; i < header.e_phnum; ++i) {
      auto p = read<Elf64_Phdr>(header.e_phoff + i * header.e_phentsize);
      end = std::max(end, p.p_offset + p.p_filesz);
    }
    return end;
  }

private:
  template <typename T> T read(uint64_t offset) const {
    T value;
    std::memcpy(&value, base + offset, sizeof(value));
    return value;
  }
  const char *base;
  Elf64_Ehdr header;
};
} // namespace

/// Registers and stack stand in `.nv.info`, a list of (format, attribute, 16
/// bits) and, in format 4, as many bytes: here the symbol's number and a value.
static void readInfo(const Elf &elf, const Elf64_Shdr &info,
                     std::map<std::string, KernelUse> &uses) {
  constexpr unsigned kValueFormat = 4, kRegisters = 0x2f, kFrame = 0x11;
  Elf64_Shdr symbols = elf.section(info.sh_link);
  Elf64_Shdr strings = elf.section(symbols.sh_link);
  const char *at = elf.content(info), *end = at + info.sh_size;
  while (at + 4 <= end) {
    auto format = static_cast<unsigned char>(at[0]);
    auto attribute = static_cast<unsigned char>(at[1]);
    uint16_t bytes;
    std::memcpy(&bytes, at + 2, sizeof(bytes));
    at += 4;
    if (format != kValueFormat)
      continue;
    if (bytes == 8 && (attribute == kRegisters || attribute == kFrame)) {
      uint32_t symbol, value;
      std::memcpy(&symbol, at, 4);
      std::memcpy(&value, at + 4, 4);
      Elf64_Sym entry;
      std::memcpy(&entry, elf.content(symbols) + symbol * sizeof(entry),
                  sizeof(entry));
      KernelUse &use = uses[elf.content(strings) + entry.st_name];
      (attribute == kRegisters ? use.registers : use.localBytes) = int(value);
    }
    at += bytes;
  }
}

static std::map<std::string, KernelUse> readUses(const Elf &elf) {
  std::map<std::string, KernelUse> uses;
  std::map<std::string, int> shared;
  for (size_t i = 0; i < elf.sections(); ++i) {
    Elf64_Shdr section = elf.section(i);
    std::string name = elf.name(section);
    if (name == ".nv.info")
      readInfo(elf, section, uses);
    else if (name.starts_with(".nv.shared."))
      shared[name.substr(strlen(".nv.shared."))] = int(section.sh_size);
  }
  // From sm_90 on, sections have what the system takes of a block as well.
  int reserved = elf.architecture() >= 90 ? 1024 : 0;
  for (auto &[kernel, use] : uses)
    use.sharedBytes =
        shared.count(kernel) ? std::max(0, shared[kernel] - reserved) : 0;
  return uses;
}

size_t belfry::fake::sizeOfCubin(const void *image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) != 0)
    return 0;
  Elf elf(image);
  return elf.isCubin() ? elf.size() : 0;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

int belfry::fake::newestPtx(int driver) {
  // "Release Notes" of the PTX reference. Later ones go by the number.
  static constexpr std::pair<int, int> kVersions[] = {
      {13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85},
      {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80},
      {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75}, {11040, 74},
      {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}, {10020, 65},
      {10010, 64}, {10000, 63}};
  if (driver >= 13000)
    return (driver - 13000) / 10 + 90;
  for (auto [version, ptx] : kVersions)
    if (driver >= version)
      return ptx;
  return 0;
}

static std::string smName(int architecture) {
  return "sm_" + std::to_string(architecture);
}

void Images::open(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      fatal("BELFRY_FAKE_CUDA_KERNELS: " + std::string(dlerror()));
    auto *emulated = static_cast<const belfry_emulated_v1 *>(
        dlsym(library, "belfry_emulated"));
    if (!emulated)
      fatal("'" + path +
            "' of BELFRY_FAKE_CUDA_KERNELS has no "
            "'belfry_emulated'");
    if (emulated->abi_version != 1)
      fatal("'" + path + "' of BELFRY_FAKE_CUDA_KERNELS has version " +
            std::to_string(emulated->abi_version) + ", expected 1");
    libraries.push_back({path, emulated});
  }
}

/// A cubin runs on its architecture and later ones of the same major number.
static CUresult readCubin(const Elf &elf, int architecture, int driver,
                          Image &loaded, std::string &log) {
  loaded.architecture = elf.architecture();
  if (elf.abiVersion() >= 8 && driver < 13000) {
    log = "the cubin is of CUDA 13, the driver of CUDA " +
          std::to_string(driver / 1000) + "." +
          std::to_string(driver % 1000 / 10);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (loaded.architecture / 10 != architecture / 10 ||
      loaded.architecture > architecture) {
    log = "the cubin is for " + smName(loaded.architecture) +
          ", the device is " + smName(architecture);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  loaded.uses = readUses(elf);
  return CUDA_SUCCESS;
}

/// What follows `directive` on the first line that begins with it.
static std::string readDirective(const std::string &ptx,
                                 const std::string &directive) {
  size_t at = ptx.starts_with(directive) ? 0 : ptx.find("\n" + directive);
  if (at == std::string::npos)
    return "";
  at = ptx.find_first_not_of(" \t", ptx.find(directive, at) + directive.size());
  return at == std::string::npos
             ? ""
             : ptx.substr(at, ptx.find_first_of(" \t\r\n,", at) - at);
}

/// Reads digits and goes past them.
static bool readInt(const char *&at, int &value) {
  auto [end, error] = std::from_chars(at, at + strlen(at), value);
  at = end;
  return error == std::errc();
}

/// PTX is compiled for the device: its target must not be later, and the
/// driver has to know its version. A suffix (sm_90a) is for this one only.
static CUresult readPtx(const std::string &text, int architecture, int driver,
                        Image &loaded, std::string &log) {
  std::string version = readDirective(text, ".version");
  std::string target = readDirective(text, ".target");
  int major = 0, minor = 0;
  const char *at = version.c_str();
  bool good = readInt(at, major) && *at == '.' && target.starts_with("sm_");
  if (good) {
    ++at;
    good = readInt(at, minor);
    at = target.c_str() + strlen("sm_");
  }
  if (!good || !readInt(at, loaded.architecture)) {
    log = "the image is neither a cubin nor PTX";
    return CUDA_ERROR_INVALID_IMAGE;
  }
  loaded.isPtx = true;
  loaded.ptxVersion = 10 * major + minor;
  if (int newest = newestPtx(driver); loaded.ptxVersion > newest) {
    log = "the image is PTX " + version + ", the driver knows " +
          std::to_string(newest / 10) + "." + std::to_string(newest % 10);
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  bool isOnly = *at != 0;
  bool fits = isOnly ? loaded.architecture == architecture
                     : loaded.architecture <= architecture;
  if (!fits) {
    log =
        "the PTX is for " + target + ", the device is " + smName(architecture);
    return CUDA_ERROR_INVALID_PTX;
  }
  return CUDA_SUCCESS;
}

CUresult Images::load(const void *image, int architecture, int driver,
                      Image &loaded, std::string &log) const {
  size_t size = sizeOfCubin(image);
  CUresult result;
  if (size) {
    result = readCubin(Elf(image), architecture, driver, loaded, log);
  } else {
    auto *text = static_cast<const char *>(image);
    size = strlen(text);
    result =
        readPtx(std::string(text, size), architecture, driver, loaded, log);
  }
  if (result != CUDA_SUCCESS)
    return result;
  uint64_t hash = hashOfImage(image, size);
  for (const Library &library : libraries) {
    const uint64_t *hashes = library.emulated->image_hashes;
    if (std::find(hashes, hashes + library.emulated->num_images, hash) !=
        hashes + library.emulated->num_images) {
      loaded.library = library.emulated;
      return CUDA_SUCCESS;
    }
  }
  log = "no library of BELFRY_FAKE_CUDA_KERNELS has the image with hash " +
        hex(hash) + " (" + std::to_string(size) + " bytes of " +
        (loaded.isPtx ? "PTX" : "a cubin") + " for " +
        smName(loaded.architecture) + ", " + std::to_string(libraries.size()) +
        " libraries)";
  return CUDA_ERROR_NO_BINARY_FOR_GPU;
}
