//===- Cores.cpp - which cores a process may use --------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <string>

using namespace belfry::rt;

std::vector<int> belfry::rt::allowedCores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  if (cores.empty())
    cores.push_back(0);
  return cores;
}

namespace {

/// Cores' worth of time per `quota` and `period` of a control group.
double share(double quota, double period) {
  return quota > 0 && period > 0 ? quota / period : INFINITY;
}

double quotaOfV2(const std::string &folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max")
    return INFINITY;
  return share(std::strtod(quota.c_str(), nullptr), period);
}

double quotaOfV1(const std::string &folder) {
  double quota = 0, period = 0;
  std::ifstream quotaFile(folder + "/cpu.cfs_quota_us");
  std::ifstream periodFile(folder + "/cpu.cfs_period_us");
  if (!(quotaFile >> quota) || !(periodFile >> period))
    return INFINITY;
  return share(quota, period);
}

/// The least of `quota` over `path` and its ancestors below `root`.
double leastQuota(const std::string &root, std::string path,
                  double (*quota)(const std::string &)) {
  double least = quota(root);
  while (path.size() > 1) {
    least = std::min(least, quota(root + path));
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
  return least;
}

double controlGroupCores() {
  double least = INFINITY;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, leastQuota("/sys/fs/cgroup", path, quotaOfV2));
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      least =
          std::min(least, leastQuota("/sys/fs/cgroup/cpu", path, quotaOfV1));
  }
  return least;
}

} // namespace

int belfry::rt::usableCores() {
  int cores = int(allowedCores().size());
  double granted = controlGroupCores();
  if (granted < cores)
    cores = int(std::ceil(granted));
  return std::max(1, cores);
}

bool belfry::rt::pinThisThread(const std::vector<int> &cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores)
    CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}
