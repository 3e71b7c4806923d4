//===- GradientScanTable.cpp - rows for nn.scan ---------------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientTable.h"

using namespace belfry::test;

/// A simple recurrent cell as the body of a scan; rows differ in what stands
/// around it.
#define BELFRY_SIMPLE_CELL                                                     \
  R"mlir(  ^bb0(%c: tensor<?x4xf64>, %x: tensor<?x4xf64>, %w: tensor<4x4xf64>, %v: tensor<4xf64>):
    %z = nn.dot %c, %w contract = [1] * [0] : tensor<?x4xf64>, tensor<4x4xf64> -> tensor<?x4xf64>
    %s = nn.binary add %x, %z : tensor<?x4xf64>
    %vb = nn.broadcast %v dims = [1] like %s : tensor<4xf64>, tensor<?x4xf64> -> tensor<?x4xf64>
    %a = nn.binary add %s, %vb : tensor<?x4xf64>
    %y = nn.unary tanh %a : tensor<?x4xf64>
    %o = nn.binary mul %y, %x : tensor<?x4xf64>
    nn.yield carry(%y) outputs(%o) : tensor<?x4xf64> outputs tensor<?x4xf64>
)mlir"

static constexpr GradientRow kRows[] = {
    {"nn.scan",
     R"mlir(
func.func @f(%h0: tensor<?x4xf64>, %xs: tensor<5x?x4xf64>, %r: tensor<4x4xf64>, %b: tensor<4xf64>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>) {
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%r, %b) {
)mlir" BELFRY_SIMPLE_CELL
     R"mlir(  } : (tensor<?x4xf64>, tensor<5x?x4xf64>, tensor<4x4xf64>, tensor<4xf64>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>)
  return %h, %ys : tensor<?x4xf64>, tensor<5x?x4xf64>
}
)mlir"},
    {"nn.scan",
     R"mlir(
func.func @f(%h0: tensor<?x4xf64>, %xs: tensor<5x?x4xf64>, %r: tensor<4x4xf64>, %b: tensor<4xf64>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>) {
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%r, %b) reverse {
)mlir" BELFRY_SIMPLE_CELL
     R"mlir(  } : (tensor<?x4xf64>, tensor<5x?x4xf64>, tensor<4x4xf64>, tensor<4xf64>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>)
  return %h, %ys : tensor<?x4xf64>, tensor<5x?x4xf64>
}
)mlir"},
    {"nn.scan",
     R"mlir(
func.func @f(%h0: tensor<?x4xf64>, %xs: tensor<5x?x4xf64>, %r: tensor<4x4xf64>, %b: tensor<4xf64>, %m: tensor<?x5xi1>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>) {
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x5xi1> -> tensor<5x?xi1>
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%r, %b) mask(%mt) {
)mlir" BELFRY_SIMPLE_CELL
     R"mlir(  } : (tensor<?x4xf64>, tensor<5x?x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<5x?xi1>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>)
  return %h, %ys : tensor<?x4xf64>, tensor<5x?x4xf64>
}
)mlir"},
    {"nn.scan",
     R"mlir(
func.func @f(%h0: tensor<?x4xf64>, %xs: tensor<5x?x4xf64>, %r: tensor<4x4xf64>, %b: tensor<4xf64>, %m: tensor<?x5xi1>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>) {
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x5xi1> -> tensor<5x?xi1>
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%r, %b) mask(%mt) reverse {
)mlir" BELFRY_SIMPLE_CELL
     R"mlir(  } : (tensor<?x4xf64>, tensor<5x?x4xf64>, tensor<4x4xf64>, tensor<4xf64>, tensor<5x?xi1>) -> (tensor<?x4xf64>, tensor<5x?x4xf64>)
  return %h, %ys : tensor<?x4xf64>, tensor<5x?x4xf64>
}
)mlir"},
    {"nn.scan", R"mlir(
func.func @f(%h0: tensor<?x3xf64>, %c0: tensor<?x3xf64>, %xs: tensor<4x?x6xf64>, %r: tensor<3x6xf64>, %m: tensor<?x4xi1>) -> tensor<?x3xf64> {
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x4xi1> -> tensor<4x?xi1>
  %h, %c = nn.scan carry(%h0, %c0) sequences(%xs) closed(%r) mask(%mt) {
  ^bb0(%hi: tensor<?x3xf64>, %ci: tensor<?x3xf64>, %x: tensor<?x6xf64>, %w: tensor<3x6xf64>):
    %z = nn.dot %hi, %w contract = [1] * [0] : tensor<?x3xf64>, tensor<3x6xf64> -> tensor<?x6xf64>
    %s = nn.binary add %x, %z : tensor<?x6xf64>
    %f0 = nn.slice %s start = [0, 0] limit = [-1, 3] stride = [1, 1] : tensor<?x6xf64> -> tensor<?x3xf64>
    %g0 = nn.slice %s start = [0, 3] limit = [-1, 6] stride = [1, 1] : tensor<?x6xf64> -> tensor<?x3xf64>
    %f = nn.unary sigmoid %f0 : tensor<?x3xf64>
    %g = nn.unary tanh %g0 : tensor<?x3xf64>
    %k = nn.binary mul %f, %ci : tensor<?x3xf64>
    %n = nn.binary add %k, %g : tensor<?x3xf64>
    %t = nn.unary tanh %n : tensor<?x3xf64>
    %y = nn.binary mul %f, %t : tensor<?x3xf64>
    nn.yield carry(%y, %n) : tensor<?x3xf64>, tensor<?x3xf64>
  } : (tensor<?x3xf64>, tensor<?x3xf64>, tensor<4x?x6xf64>, tensor<3x6xf64>, tensor<4x?xi1>) -> (tensor<?x3xf64>, tensor<?x3xf64>)
  return %h : tensor<?x3xf64>
}
)mlir"},
    {"nn.scan", R"mlir(
func.func @f(%h0: tensor<?x3xf64>, %xs: tensor<4x?x3xf64>, %u: tensor<?x3xf64>, %w: tensor<3x3xf64>) -> (tensor<?x3xf64>, tensor<4x?x3xf64>) {
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%u, %w) {
  ^bb0(%c: tensor<?x3xf64>, %x: tensor<?x3xf64>, %a: tensor<?x3xf64>, %k: tensor<3x3xf64>):
    %p = nn.binary mul %c, %a : tensor<?x3xf64>
    %q = nn.dot %p, %k contract = [1] * [0] : tensor<?x3xf64>, tensor<3x3xf64> -> tensor<?x3xf64>
    %k2 = nn.unary tanh %k : tensor<3x3xf64>
    %q2 = nn.dot %x, %k2 contract = [1] * [1] : tensor<?x3xf64>, tensor<3x3xf64> -> tensor<?x3xf64>
    %s = nn.binary add %q, %q2 : tensor<?x3xf64>
    %y = nn.unary sin %s : tensor<?x3xf64>
    nn.yield carry(%y) outputs(%s) : tensor<?x3xf64> outputs tensor<?x3xf64>
  } : (tensor<?x3xf64>, tensor<4x?x3xf64>, tensor<?x3xf64>, tensor<3x3xf64>) -> (tensor<?x3xf64>, tensor<4x?x3xf64>)
  return %h, %ys : tensor<?x3xf64>, tensor<4x?x3xf64>
}
)mlir"},
    {"nn.scan", R"mlir(
func.func @f(%h0: tensor<?x3xf64>, %xs: tensor<4x?x3xf64>, %u: tensor<?x3xf64>, %w: tensor<3x3xf64>, %m: tensor<?x4xi1>) -> (tensor<?x3xf64>, tensor<4x?x3xf64>) {
  %mt = nn.transpose %m perm = [1, 0] : tensor<?x4xi1> -> tensor<4x?xi1>
  %h, %ys = nn.scan carry(%h0) sequences(%xs) closed(%u, %w) mask(%mt) {
  ^bb0(%c: tensor<?x3xf64>, %x: tensor<?x3xf64>, %a: tensor<?x3xf64>, %k: tensor<3x3xf64>):
    %p = nn.binary mul %c, %a : tensor<?x3xf64>
    %q = nn.dot %p, %k contract = [1] * [0] : tensor<?x3xf64>, tensor<3x3xf64> -> tensor<?x3xf64>
    %k2 = nn.unary tanh %k : tensor<3x3xf64>
    %q2 = nn.dot %x, %k2 contract = [1] * [1] : tensor<?x3xf64>, tensor<3x3xf64> -> tensor<?x3xf64>
    %s = nn.binary add %q, %q2 : tensor<?x3xf64>
    %y = nn.unary sin %s : tensor<?x3xf64>
    nn.yield carry(%y) outputs(%s) : tensor<?x3xf64> outputs tensor<?x3xf64>
  } : (tensor<?x3xf64>, tensor<4x?x3xf64>, tensor<?x3xf64>, tensor<3x3xf64>, tensor<4x?xi1>) -> (tensor<?x3xf64>, tensor<4x?x3xf64>)
  return %h, %ys : tensor<?x3xf64>, tensor<4x?x3xf64>
}
)mlir"},
    {"nn.scan", R"mlir(
func.func @f(%x0: tensor<3xf64>, %w: tensor<3x3xf64>) -> tensor<3xf64> {
  %zero = nn.constant dense<0> : tensor<i32>
  %x, %n = nn.scan carry(%x0, %zero) closed(%w) length = 4 {
  ^bb0(%c: tensor<3xf64>, %i: tensor<i32>, %k: tensor<3x3xf64>):
    %p = nn.dot %c, %k contract = [0] * [1] : tensor<3xf64>, tensor<3x3xf64> -> tensor<3xf64>
    %f = nn.convert %i : tensor<i32> -> tensor<f64>
    %b = nn.broadcast %f dims = [] : tensor<f64> -> tensor<3xf64>
    %q = nn.binary mul %p, %b : tensor<3xf64>
    %y = nn.unary tanh %q : tensor<3xf64>
    %z = nn.binary add %y, %c : tensor<3xf64>
    %one = nn.constant dense<1> : tensor<i32>
    %j = nn.binary add %i, %one : tensor<i32>
    nn.yield carry(%z, %j) : tensor<3xf64>, tensor<i32>
  } : (tensor<3xf64>, tensor<i32>, tensor<3x3xf64>) -> (tensor<3xf64>, tensor<i32>)
  return %x : tensor<3xf64>
}
)mlir"},
};

llvm::ArrayRef<GradientRow> belfry::test::scanGradientRows() { return kRows; }
