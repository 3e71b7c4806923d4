//===- GradientTable.cpp - rows for all ops but nn.scan -------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientTable.h"

using namespace belfry::test;

static constexpr GradientRow kRows[] = {
    {"nn.unary/neg", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary neg %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/abs", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary abs %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/sign", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary sign %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/exp", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary exp %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/expm1", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary expm1 %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/log", R"mlir(
func.func @f(%x: tensor<?x4xf64> {nn.range = [0.2 : f64, 2.0 : f64]}) -> tensor<?x4xf64> {
  %y = nn.unary log %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/log1p", R"mlir(
func.func @f(%x: tensor<?x4xf64> {nn.range = [-0.8 : f64, 2.0 : f64]}) -> tensor<?x4xf64> {
  %y = nn.unary log1p %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/sqrt", R"mlir(
func.func @f(%x: tensor<?x4xf64> {nn.range = [0.2 : f64, 2.0 : f64]}) -> tensor<?x4xf64> {
  %y = nn.unary sqrt %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/rsqrt", R"mlir(
func.func @f(%x: tensor<?x4xf64> {nn.range = [0.2 : f64, 2.0 : f64]}) -> tensor<?x4xf64> {
  %y = nn.unary rsqrt %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/tanh", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary tanh %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/sigmoid", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary sigmoid %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/erf", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary erf %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/sin", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary sin %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/cos", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary cos %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/floor", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary floor %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/ceil", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %y = nn.unary ceil %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/not", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %n = nn.unary not %m : tensor<?x4xi1>
  %y = nn.select %n, %x, %x : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.unary/is_finite", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %b = nn.unary is_finite %x : tensor<?x4xf64> -> tensor<?x4xi1>
  %y = nn.convert %b : tensor<?x4xi1> -> tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/add", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.binary add %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/sub", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.binary sub %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/mul", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.binary mul %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/div", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64> {nn.range = [0.5 : f64, 2.0 : f64]}) -> tensor<?x4xf64> {
  %z = nn.binary div %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/max", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.binary max %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/min", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.binary min %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/pow", R"mlir(
func.func @f(%x: tensor<?x4xf64> {nn.range = [0.3 : f64, 2.0 : f64]}, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.binary pow %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/rem", R"mlir(
func.func @f(%x: tensor<?x4xf64> {nn.range = [-5.0 : f64, 5.0 : f64]}, %y: tensor<?x4xf64> {nn.range = [0.6 : f64, 1.4 : f64]}) -> tensor<?x4xf64> {
  %z = nn.binary rem %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/and", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %zero = nn.constant dense<0.0> : tensor<f64>
  %z = nn.broadcast %zero dims = [] like %x : tensor<f64>, tensor<?x4xf64> -> tensor<?x4xf64>
  %p = nn.compare gt %x, %z : tensor<?x4xf64>
  %b = nn.binary and %m, %p : tensor<?x4xi1>
  %y = nn.select %b, %x, %z : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/or", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %zero = nn.constant dense<0.0> : tensor<f64>
  %z = nn.broadcast %zero dims = [] like %x : tensor<f64>, tensor<?x4xf64> -> tensor<?x4xf64>
  %p = nn.compare gt %x, %z : tensor<?x4xf64>
  %b = nn.binary or %m, %p : tensor<?x4xi1>
  %y = nn.select %b, %x, %z : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.binary/xor", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %zero = nn.constant dense<0.0> : tensor<f64>
  %z = nn.broadcast %zero dims = [] like %x : tensor<f64>, tensor<?x4xf64> -> tensor<?x4xf64>
  %p = nn.compare gt %x, %z : tensor<?x4xf64>
  %b = nn.binary xor %m, %p : tensor<?x4xi1>
  %y = nn.select %b, %x, %z : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.constant", R"mlir(
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %c = nn.constant dense<[2.0, -3.0]> : tensor<2xf64>
  %y = nn.binary mul %x, %c : tensor<2xf64>
  return %y : tensor<2xf64>
}
)mlir"},
    {"nn.compare", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %b = nn.compare lt %x, %y : tensor<?x4xf64>
  %z = nn.convert %b : tensor<?x4xi1> -> tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.select", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?x4xf64>, %y: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %z = nn.select %m, %x, %y : tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.convert", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %n = nn.convert %x : tensor<?x4xf64> -> tensor<?x4xf32>
  %y = nn.unary tanh %n : tensor<?x4xf32>
  %z = nn.convert %y : tensor<?x4xf32> -> tensor<?x4xf64>
  return %z : tensor<?x4xf64>
}
)mlir"},
    {"nn.broadcast", R"mlir(
func.func @f(%x: tensor<3xf64>, %like: tensor<?x2xf64>, %s: tensor<f64>, %r: tensor<?xf64>)
    -> (tensor<?x2x3xf64>, tensor<4xf64>, tensor<5x?xf64>) {
  %y = nn.broadcast %x dims = [2] like %like : tensor<3xf64>, tensor<?x2xf64> -> tensor<?x2x3xf64>
  %z = nn.broadcast %s dims = [] : tensor<f64> -> tensor<4xf64>
  %w = nn.broadcast %r dims = [1] : tensor<?xf64> -> tensor<5x?xf64>
  return %y, %z, %w : tensor<?x2x3xf64>, tensor<4xf64>, tensor<5x?xf64>
}
)mlir"},
    {"nn.reduce/sum", R"mlir(
func.func @f(%x: tensor<?x4x2xf64>) -> (tensor<?x2xf64>, tensor<4xf64>, tensor<f64>) {
  %a = nn.reduce sum %x dims = [1] : tensor<?x4x2xf64> -> tensor<?x2xf64>
  %b = nn.reduce sum %x dims = [0, 2] : tensor<?x4x2xf64> -> tensor<4xf64>
  %c = nn.reduce sum %x dims = [0, 1, 2] : tensor<?x4x2xf64> -> tensor<f64>
  return %a, %b, %c : tensor<?x2xf64>, tensor<4xf64>, tensor<f64>
}
)mlir"},
    {"nn.reduce/max", R"mlir(
func.func @f(%x: tensor<?x4x2xf64>) -> (tensor<?x2xf64>, tensor<4xf64>, tensor<f64>) {
  %a = nn.reduce max %x dims = [1] : tensor<?x4x2xf64> -> tensor<?x2xf64>
  %b = nn.reduce max %x dims = [0, 2] : tensor<?x4x2xf64> -> tensor<4xf64>
  %c = nn.reduce max %x dims = [0, 1, 2] : tensor<?x4x2xf64> -> tensor<f64>
  return %a, %b, %c : tensor<?x2xf64>, tensor<4xf64>, tensor<f64>
}
)mlir"},
    {"nn.reduce/min", R"mlir(
func.func @f(%x: tensor<?x4x2xf64>) -> (tensor<?x2xf64>, tensor<4xf64>, tensor<f64>) {
  %a = nn.reduce min %x dims = [1] : tensor<?x4x2xf64> -> tensor<?x2xf64>
  %b = nn.reduce min %x dims = [0, 2] : tensor<?x4x2xf64> -> tensor<4xf64>
  %c = nn.reduce min %x dims = [0, 1, 2] : tensor<?x4x2xf64> -> tensor<f64>
  return %a, %b, %c : tensor<?x2xf64>, tensor<4xf64>, tensor<f64>
}
)mlir"},
    {"nn.reduce/and", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %a = nn.reduce and %m dims = [1] : tensor<?x4xi1> -> tensor<?xi1>
  %z = nn.select %a, %x, %y : tensor<?xf64>
  return %z : tensor<?xf64>
}
)mlir"},
    {"nn.reduce/or", R"mlir(
func.func @f(%m: tensor<?x4xi1>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %a = nn.reduce or %m dims = [1] : tensor<?x4xi1> -> tensor<?xi1>
  %z = nn.select %a, %x, %y : tensor<?xf64>
  return %z : tensor<?xf64>
}
)mlir"},
    {"nn.argmax", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x2xf64> {
  %i = nn.argmax %x dim = 1 : tensor<?x4xf64> -> tensor<?xi32>
  %t = nn.slice %x start = [0, 1] limit = [-1, 3] stride = [1, 1] : tensor<?x4xf64> -> tensor<?x2xf64>
  %c = nn.convert %i : tensor<?xi32> -> tensor<?xf64>
  %b = nn.broadcast %c dims = [0] : tensor<?xf64> -> tensor<?x2xf64>
  %y = nn.binary mul %t, %b : tensor<?x2xf64>
  return %y : tensor<?x2xf64>
}
)mlir"},
    {"nn.transpose", R"mlir(
func.func @f(%x: tensor<?x4x2xf64>) -> tensor<2x?x4xf64> {
  %y = nn.transpose %x perm = [2, 0, 1] : tensor<?x4x2xf64> -> tensor<2x?x4xf64>
  return %y : tensor<2x?x4xf64>
}
)mlir"},
    {"nn.reshape", R"mlir(
func.func @f(%x: tensor<?x4x2xf64>) -> (tensor<?x2xf64>, tensor<?x8xf64>) {
  %y = nn.reshape %x : tensor<?x4x2xf64> -> tensor<?x2xf64>
  %z = nn.reshape %x : tensor<?x4x2xf64> -> tensor<?x8xf64>
  return %y, %z : tensor<?x2xf64>, tensor<?x8xf64>
}
)mlir"},
    {"nn.slice", R"mlir(
func.func @f(%x: tensor<?x9x4xf64>) -> (tensor<?x3x4xf64>, tensor<?x9x0xf64>) {
  %y = nn.slice %x start = [0, 1, 0] limit = [-1, 8, 4] stride = [1, 3, 1] : tensor<?x9x4xf64> -> tensor<?x3x4xf64>
  %z = nn.slice %x start = [0, 0, 2] limit = [-1, 9, 2] stride = [1, 1, 1] : tensor<?x9x4xf64> -> tensor<?x9x0xf64>
  return %y, %z : tensor<?x3x4xf64>, tensor<?x9x0xf64>
}
)mlir"},
    {"nn.pad", R"mlir(
func.func @f(%x: tensor<?x3x2xf64>, %v: tensor<f64>) -> tensor<?x8x5xf64> {
  %y = nn.pad %x, %v low = [0, 1, 2] high = [0, 2, 1] interior = [0, 1, 0] : tensor<?x3x2xf64> -> tensor<?x8x5xf64>
  return %y : tensor<?x8x5xf64>
}
)mlir"},
    {"nn.reverse", R"mlir(
func.func @f(%x: tensor<?x3x2xf64>) -> tensor<?x3x2xf64> {
  %y = nn.reverse %x dims = [1, 2] : tensor<?x3x2xf64>
  return %y : tensor<?x3x2xf64>
}
)mlir"},
    {"nn.concat", R"mlir(
func.func @f(%x: tensor<?x3xf64>, %y: tensor<?x1xf64>, %z: tensor<?x2xf64>) -> tensor<?x9xf64> {
  %w = nn.concat %x, %y, %z, %x dim = 1 : tensor<?x3xf64>, tensor<?x1xf64>, tensor<?x2xf64>, tensor<?x3xf64> -> tensor<?x9xf64>
  return %w : tensor<?x9xf64>
}
)mlir"},
    {"nn.dot", R"mlir(
func.func @f(%x: tensor<?x3xf64>, %k: tensor<3x4xf64>) -> tensor<?x4xf64> {
  %y = nn.dot %x, %k contract = [1] * [0] : tensor<?x3xf64>, tensor<3x4xf64> -> tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.dot", R"mlir(
func.func @f(%a: tensor<2x?x5x3xf64>, %b: tensor<4x?x3x2xf64>) -> tensor<?x2x5x4xf64> {
  %y = nn.dot %a, %b batch = [1] * [1] contract = [3] * [2] : tensor<2x?x5x3xf64>, tensor<4x?x3x2xf64> -> tensor<?x2x5x4x2xf64>
  %z = nn.reduce sum %y dims = [4] : tensor<?x2x5x4x2xf64> -> tensor<?x2x5x4xf64>
  return %z : tensor<?x2x5x4xf64>
}
)mlir"},
    {"nn.dot", R"mlir(
func.func @f(%x: tensor<?x2x3xf64>, %y: tensor<2x?x4xf64>) -> tensor<3x4xf64> {
  %z = nn.dot %x, %y contract = [0, 1] * [1, 0] : tensor<?x2x3xf64>, tensor<2x?x4xf64> -> tensor<3x4xf64>
  return %z : tensor<3x4xf64>
}
)mlir"},
    {"nn.conv2d", R"mlir(
func.func @f(%x: tensor<?x5x4x2xf64>, %k: tensor<3x2x2x3xf64>) -> tensor<?x5x5x3xf64> {
  %y = nn.conv2d %x, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] : tensor<?x5x4x2xf64>, tensor<3x2x2x3xf64> -> tensor<?x5x5x3xf64>
  return %y : tensor<?x5x5x3xf64>
}
)mlir"},
    {"nn.conv2d_input_grad", R"mlir(
func.func @f(%g: tensor<?x5x5x3xf64>, %k: tensor<3x2x2x3xf64>) -> tensor<?x5x4x2xf64> {
  %y = nn.conv2d_input_grad %g, %k strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] : tensor<?x5x5x3xf64>, tensor<3x2x2x3xf64> -> tensor<?x5x4x2xf64>
  return %y : tensor<?x5x4x2xf64>
}
)mlir"},
    {"nn.conv2d_kernel_grad", R"mlir(
func.func @f(%x: tensor<?x5x4x2xf64>, %g: tensor<?x5x5x3xf64>) -> tensor<3x2x2x3xf64> {
  %y = nn.conv2d_kernel_grad %x, %g strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] : tensor<?x5x4x2xf64>, tensor<?x5x5x3xf64> -> tensor<3x2x2x3xf64>
  return %y : tensor<3x2x2x3xf64>
}
)mlir"},
    {"nn.conv2d", R"mlir(
func.func @f(%x: tensor<?x6x5x2xf64>, %k: tensor<2x3x2x3xf64>) -> tensor<?x3x2x3xf64> {
  %y = nn.conv2d %x, %k strides = [2, 3] dilations = [1, 1] padding = [0, 1, 2, 0] : tensor<?x6x5x2xf64>, tensor<2x3x2x3xf64> -> tensor<?x3x2x3xf64>
  return %y : tensor<?x3x2x3xf64>
}
)mlir"},
    {"nn.conv2d_input_grad", R"mlir(
func.func @f(%g: tensor<?x3x2x3xf64>, %k: tensor<2x3x2x3xf64>) -> tensor<?x6x5x2xf64> {
  %y = nn.conv2d_input_grad %g, %k strides = [2, 3] dilations = [1, 1] padding = [0, 1, 2, 0] : tensor<?x3x2x3xf64>, tensor<2x3x2x3xf64> -> tensor<?x6x5x2xf64>
  return %y : tensor<?x6x5x2xf64>
}
)mlir"},
    {"nn.conv2d_kernel_grad", R"mlir(
func.func @f(%x: tensor<?x6x5x2xf64>, %g: tensor<?x3x2x3xf64>) -> tensor<2x3x2x3xf64> {
  %y = nn.conv2d_kernel_grad %x, %g strides = [2, 3] dilations = [1, 1] padding = [0, 1, 2, 0] : tensor<?x6x5x2xf64>, tensor<?x3x2x3xf64> -> tensor<2x3x2x3xf64>
  return %y : tensor<2x3x2x3xf64>
}
)mlir"},
    {"nn.conv2d", R"mlir(
func.func @f(%x: tensor<?x6x5x2xf64>, %k: tensor<3x2x2x3xf64>) -> tensor<?x3x3x3xf64> {
  %y = nn.conv2d %x, %k strides = [1, 2] dilations = [2, 1] padding = [1, 0, 0, 1] : tensor<?x6x5x2xf64>, tensor<3x2x2x3xf64> -> tensor<?x3x3x3xf64>
  return %y : tensor<?x3x3x3xf64>
}
)mlir"},
    {"nn.conv2d_input_grad", R"mlir(
func.func @f(%g: tensor<?x3x3x3xf64>, %k: tensor<3x2x2x3xf64>) -> tensor<?x6x5x2xf64> {
  %y = nn.conv2d_input_grad %g, %k strides = [1, 2] dilations = [2, 1] padding = [1, 0, 0, 1] : tensor<?x3x3x3xf64>, tensor<3x2x2x3xf64> -> tensor<?x6x5x2xf64>
  return %y : tensor<?x6x5x2xf64>
}
)mlir"},
    {"nn.conv2d_kernel_grad", R"mlir(
func.func @f(%x: tensor<?x6x5x2xf64>, %g: tensor<?x3x3x3xf64>) -> tensor<3x2x2x3xf64> {
  %y = nn.conv2d_kernel_grad %x, %g strides = [1, 2] dilations = [2, 1] padding = [1, 0, 0, 1] : tensor<?x6x5x2xf64>, tensor<?x3x3x3xf64> -> tensor<3x2x2x3xf64>
  return %y : tensor<3x2x2x3xf64>
}
)mlir"},
    {"nn.gather", R"mlir(
func.func @f(%t: tensor<6x2xf64>, %ids: tensor<?x3xi32> {nn.limit = 6 : i64},
             %b: tensor<?x5xf64>, %j: tensor<?x2xi32> {nn.limit = 5 : i64}) -> (tensor<?x3x2xf64>, tensor<?x2xf64>) {
  %y = nn.gather %t, %ids batch_dims = 0 : tensor<6x2xf64>, tensor<?x3xi32> -> tensor<?x3x2xf64>
  %z = nn.gather %b, %j batch_dims = 1 : tensor<?x5xf64>, tensor<?x2xi32> -> tensor<?x2xf64>
  return %y, %z : tensor<?x3x2xf64>, tensor<?x2xf64>
}
)mlir"},
    {"nn.scatter_add", R"mlir(
func.func @f(%t: tensor<6x2xf64>, %ids: tensor<?x3xi32> {nn.limit = 6 : i64}, %u: tensor<?x3x2xf64>,
             %b: tensor<?x5xf64>, %j: tensor<?x2xi32> {nn.limit = 5 : i64}, %v: tensor<?x2xf64>)
    -> (tensor<6x2xf64>, tensor<?x5xf64>) {
  %y = nn.scatter_add %t, %ids, %u batch_dims = 0 : tensor<6x2xf64>, tensor<?x3xi32>, tensor<?x3x2xf64>
  %z = nn.scatter_add %b, %j, %v batch_dims = 1 : tensor<?x5xf64>, tensor<?x2xi32>, tensor<?x2xf64>
  return %y, %z : tensor<6x2xf64>, tensor<?x5xf64>
}
)mlir"},
    {"nn.iota", R"mlir(
func.func @f(%x: tensor<?x4xf64>) -> tensor<?x4xf64> {
  %i = nn.iota dim = 1 like %x : tensor<?x4xf64> -> tensor<?x4xf64>
  %y = nn.binary mul %x, %i : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
    {"nn.dim_size", R"mlir(
func.func @f(%x: tensor<?xf64>) -> tensor<f64> {
  %n = nn.dim_size %x dim = 0 : tensor<?xf64>
  %c = nn.convert %n : tensor<i32> -> tensor<f64>
  %s = nn.reduce sum %x dims = [0] : tensor<?xf64> -> tensor<f64>
  %y = nn.binary div %s, %c : tensor<f64>
  return %y : tensor<f64>
}
)mlir"},
    {"nn.random", R"mlir(
func.func @f(%x: tensor<?x4xf64>, %seed: tensor<2xi32>, %step: tensor<i32>) -> tensor<?x4xf64> {
  %r = nn.random normal seed %seed step %step stream = 3 like %x : tensor<?x4xf64> -> tensor<?x4xf64>
  %y = nn.binary mul %x, %r : tensor<?x4xf64>
  return %y : tensor<?x4xf64>
}
)mlir"},
};

llvm::ArrayRef<GradientRow> belfry::test::gradientRows() { return kRows; }
