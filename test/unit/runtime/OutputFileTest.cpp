//===- OutputFileTest.cpp - files that appear whole -----------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/data/OutputFile.h"
#include "test/unit/runtime/TestFolder.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace belfry::rt;
namespace fs = std::filesystem;

namespace {

using OutputFiles = test::TestFolder;

TEST_F(OutputFiles, OutputFilesAppearWhole) {
  EXPECT_FALSE(checkWritable(path("no/such/file")).ok());
  EXPECT_FALSE(checkWritable(folder).ok());
  EXPECT_FALSE(checkWritable("/dev/null").ok());
  EXPECT_FALSE(checkWritable("").ok());
  {
    Expected<OutputFile> file = OutputFile::create(path("a"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("half").ok());
    EXPECT_FALSE(fs::exists(path("a")));
  }
  EXPECT_TRUE(fs::is_empty(folder));
  put("target", "old");
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(writeFile(path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  std::ifstream stream(path("target"));
  std::string text;
  stream >> text;
  EXPECT_EQ(text, "new");
  Expected<OutputFile> taken = OutputFile::create(path("target"));
  EXPECT_FALSE(taken->commitNew().ok());
}

TEST_F(OutputFiles, OutputsThatCannotBeWrittenAreKnownBefore) {
  auto why = [&](const std::string &file) {
    Status status = checkWritable(file);
    return status.ok() ? std::string() : status.message();
  };
  auto expectWhy = [&](const std::string &file, const std::string &reason) {
    EXPECT_NE(why(file).find(reason), std::string::npos) << why(file);
  };
  EXPECT_EQ(why(path(std::string(255, 'n'))), "");
  expectWhy(path(std::string(256, 'n')),
            "its name has 256 bytes, the limit there is 255");
  // A link may lead to what is not there yet, but not in a circle.
  fs::create_symlink("later", path("link"));
  ASSERT_TRUE(writeFile(path("link"), "x").ok());
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path("later"))));
  fs::create_symlink("circle", path("circle"));
  expectWhy(path("circle"), "symbolic links");
  // What is replaced keeps its mode; a new file has that of the umask.
  ASSERT_EQ(chmod(path("later").c_str(), 0600), 0);
  ASSERT_TRUE(writeFile(path("later"), "y").ok());
  struct stat info;
  ASSERT_EQ(stat(path("later").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, mode_t(0600));
  fs::create_directory(path("closed"));
  fs::create_directory(path("sticky"));
  put("sticky/theirs", "theirs");
  put("mine", "mine");
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(chmod(path("closed").c_str(), 0555), 0);
  ASSERT_EQ(chmod(path("sticky").c_str(), 01777), 0);
  if (geteuid() != 0)
    GTEST_SKIP() << "another user's files need the rights of root";
  // As another user: neither folder rights nor the sticky bit give way.
  ASSERT_EQ(seteuid(65534), 0);
  std::string closed = why(path("closed/a"));
  std::string theirs = why(path("sticky/theirs"));
  std::string beside = why(path("sticky/new"));
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_NE(closed.find("Permission denied"), std::string::npos) << closed;
  EXPECT_NE(theirs.find("another user's"), std::string::npos) << theirs;
  EXPECT_EQ(beside, "");
  EXPECT_TRUE(fs::is_regular_file(path("sticky/theirs")));
  // A name space of mounts of its own, where the system gives one.
  pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(path("mine").c_str(), path("later").c_str(), nullptr, MS_BIND,
              nullptr) != 0)
      _exit(3);
    if (why(path("later")).find("mount point") == std::string::npos)
      _exit(1);
    if (mount("none", path("closed").c_str(), "tmpfs", 0, "size=64k") != 0)
      _exit(3);
    Status full = writeFile(path("closed/big"), std::string(1 << 20, 'b'));
    if (full.ok() ||
        full.message().find("No space left") == std::string::npos ||
        !fs::is_empty(path("closed")))
      _exit(2);
    if (mount("none", path("closed").c_str(), nullptr, MS_REMOUNT | MS_RDONLY,
              nullptr) != 0)
      _exit(3);
    _exit(why(path("closed/a")).find("Read-only") == std::string::npos ? 4 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3)
    GTEST_SKIP() << "the system lets nobody mount";
  EXPECT_EQ(WEXITSTATUS(status), 0)
      << "1: a mount point, 2: a full disk, 4: a read-only file system";
}

// Where no file can be without a name, the name goes with the process.
TEST_F(OutputFiles, TemporaryNames) {
  put("old", "old");
  pid_t child = fork();
  if (child == 0) {
    auto names = [&] {
      return std::distance(fs::directory_iterator(folder), {});
    };
    // Without /proc a file without a name could never get one.
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
      _exit(3);
    Expected<OutputFile> file = OutputFile::create(path("old"));
    if (!file.ok() || !file->write("new").ok() || names() != 2)
      _exit(1);
    removeTemporaryFiles();
    if (names() != 1)
      _exit(2);
    Expected<OutputFile> again = OutputFile::create(path("old"));
    Expected<OutputFile> fresh = OutputFile::create(path("fresh"));
    bool good = again.ok() && again->write("new").ok() && again->commit().ok();
    good = good && fresh.ok() && fresh->commitNew().ok() && names() == 2;
    _exit(good && fs::file_size(path("old")) == 3 ? 0 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3)
    GTEST_SKIP() << "the system lets nobody mount";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Immutable and append-only are flags of some file systems only.
TEST_F(OutputFiles, FlagsOfTheFileSystem) {
  put("fixed", "fixed");
  auto setFlags = [&](int flags) {
    int file = open(path("fixed").c_str(), O_RDONLY);
    bool done = ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
    close(file);
    return done;
  };
  if (!setFlags(FS_IMMUTABLE_FL))
    GTEST_SKIP() << "no file here can be made immutable";
  Status immutable = checkWritable(path("fixed"));
  setFlags(FS_APPEND_FL);
  Status append = checkWritable(path("fixed"));
  setFlags(0);
  EXPECT_NE(immutable.message().find("it is immutable"), std::string::npos);
  EXPECT_NE(append.message().find("it is append-only"), std::string::npos);
  EXPECT_TRUE(checkWritable(path("fixed")).ok());
}

TEST_F(OutputFiles, OnePlaceUnderSeveralNames) {
  put("file", "x");
  fs::create_directory(path("a"));
  fs::create_hard_link(path("file"), path("hard"));
  fs::create_symlink("file", path("soft"));
  fs::create_symlink(".", path("here"));
  fs::create_symlink("new", path("dangling"));
  auto same = [&](const std::string &one, const std::string &two) {
    auto a = placeOf(path(one)), b = placeOf(path(two));
    return a && b && a->isSameAs(*b);
  };
  for (const char *name : {"./file", "a/../file", "hard", "soft", "here/file"})
    EXPECT_TRUE(same("file", name)) << name;
  for (const char *name : {"./new", "a/../new", "dangling", "here/new"})
    EXPECT_TRUE(same("new", name)) << name;
  EXPECT_FALSE(same("file", "new"));
  EXPECT_FALSE(same("new", "a/new"));
  EXPECT_FALSE(placeOf(path("gone/new")));
}

} // namespace
