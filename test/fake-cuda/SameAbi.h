//===- SameAbi.h - whether two types of functions are one ----- -*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_TEST_FAKE_CUDA_SAMEABI_H
#define BELFRY_TEST_FAKE_CUDA_SAMEABI_H

#include <type_traits>

template <typename T>
concept CompleteType = requires { sizeof(T); };

/// Whether values of both types are passed in the same way and mean the same:
/// numbers of one size and sign, pointers to such, opaque handles, structures
/// of one size, functions of such.
template <typename A, typename B> struct SameAbi {
  static consteval bool holds() {
    if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>)
      return pointees<std::remove_pointer_t<A>, std::remove_pointer_t<B>>();
    else if constexpr (std::is_enum_v<A> && std::is_enum_v<B>)
      return sizeof(A) == sizeof(B);
    else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
      return sizeof(A) == sizeof(B) &&
             std::is_signed_v<A> == std::is_signed_v<B>;
    else if constexpr (std::is_class_v<A> && std::is_class_v<B>)
      return sizeof(A) == sizeof(B) && alignof(A) == alignof(B);
    else
      return std::is_same_v<A, B>;
  }

  template <typename C, typename D> static consteval bool pointees() {
    if constexpr (std::is_const_v<C> != std::is_const_v<D>)
      return false;
    else if constexpr (std::is_void_v<C> || std::is_void_v<D>)
      return std::is_void_v<C> && std::is_void_v<D>;
    else if constexpr (std::is_function_v<C> && std::is_function_v<D>)
      return SameAbi<C, D>::holds();
    else if constexpr (!CompleteType<C> || !CompleteType<D>)
      return !CompleteType<C> && !CompleteType<D>;
    else
      return SameAbi<std::remove_cv_t<C>, std::remove_cv_t<D>>::holds();
  }
};

template <typename R, typename... As, typename S, typename... Bs>
struct SameAbi<R(As...), S(Bs...)> {
  static consteval bool holds() {
    if constexpr (sizeof...(As) != sizeof...(Bs))
      return false;
    else
      return SameAbi<R, S>::holds() && (SameAbi<As, Bs>::holds() && ...);
  }
};

#endif // BELFRY_TEST_FAKE_CUDA_SAMEABI_H
