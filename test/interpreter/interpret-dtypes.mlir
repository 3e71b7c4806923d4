// Written by Inputs/make_dtypes.py: numbers of NumPy and ml_dtypes.
// RUN: belfry-opt %s --interpret='function=floats_f16' | FileCheck %s --check-prefix=FLOATS-F16
// RUN: belfry-opt %s --interpret='function=floats_bf16' | FileCheck %s --check-prefix=FLOATS-BF16
// RUN: belfry-opt %s --interpret='function=integers_i8' | FileCheck %s --check-prefix=INTEGERS-I8
// RUN: belfry-opt %s --interpret='function=integers_i64' | FileCheck %s --check-prefix=INTEGERS-I64

// FLOATS-F16-LABEL: func @floats_f16
// FLOATS-F16-NEXT: result 0: 16xf16 values = [inf, -inf, {{-?}}nan, -1.16699219, 11.1015625, 3.140625, 100.25, 1, 65504, 0.0999755859, 3.140625, inf, -inf, {{-?}}nan, 0.333251953, 11]
// FLOATS-F16-NEXT: result 1: 16xf16 values = [-inf, inf, {{-?}}nan, -1.83300781, -10.8984375, 3.140625, 100.25, -1, 65504, -0.0999755859, -3.140625, inf, -inf, {{-?}}nan, 0.333251953, 11]
// FLOATS-F16-NEXT: result 2: 16xf16 values = [{{-?}}nan, {{-?}}nan, {{-?}}nan, -0.5, 1.09960938, 0, -0, -6.97374344e-06, -inf, 0, 0.000191688538, inf, inf, {{-?}}nan, 0, 0.000671386719]
// FLOATS-F16-NEXT: result 3: 16xf16 values = [0, 0, {{-?}}nan, -4.5, 0.00908660889, inf, -inf, -6.97374344e-06, -43680, 5.96046448e-07, 1.94311142e-05, inf, inf, {{-?}}nan, inf, inf]
// FLOATS-F16-NEXT: result 4: 16xf16 values = [inf, -0, {{-?}}nan, 0.333251953, 11, 3.140625, 100.25, 1, 65504, 0.0999755859, 3.140625, inf, -6.97374344e-06, {{-?}}nan, 0.333251953, 11]
// FLOATS-F16-NEXT: result 5: 16xf16 values = [0, -inf, {{-?}}nan, -1.5, 0.0999755859, 0, -0, -6.97374344e-06, -1.5, 5.96046448e-08, 6.10351562e-05, 100.25, -inf, {{-?}}nan, 5.96046448e-08, 6.10351562e-05]
// FLOATS-F16-NEXT: result 6: 16xf16 values = [0, -0, {{-?}}nan, -0.166992188, 0.0999755859, {{-?}}nan, {{-?}}nan, -6.97374344e-06, 0.5, 5.96046448e-08, 6.10351562e-05, {{-?}}nan, {{-?}}nan, {{-?}}nan, 0, 0]
// FLOATS-F16-NEXT: result 7: 16xf16 values = [-0, 0, -1, 1.5, -0.0999755859, -3.140625, -100.25, 6.97374344e-06, -65504, -5.96046448e-08, -6.10351562e-05, -inf, inf, {{-?}}nan, -0.333251953, -11]
// FLOATS-F16-NEXT: result 8: 16xf16 values = [1, 1, 2.71875, 0.223144531, 1.10546875, 23.125, inf, 1, inf, 1, 1, inf, 0, {{-?}}nan, 1.39550781, 59872]
// FLOATS-F16-NEXT: result 9: 16xf16 values = [-inf, -inf, 0, {{-?}}nan, -2.30273438, 1.14453125, 4.609375, {{-?}}nan, 11.09375, -16.640625, -9.703125, inf, {{-?}}nan, {{-?}}nan, -1.09863281, 2.3984375]
// FLOATS-F16-NEXT: result 10: 16xf16 values = [0, -0, 0.76171875, -0.905273438, 0.0996704102, 0.99609375, 1, -6.97374344e-06, 1, 5.96046448e-08, 6.10351562e-05, 1, -1, {{-?}}nan, 0.321533203, 1]
// FLOATS-F16-NEXT: result 11: 16xf16 values = [0, -0, 1, {{-?}}nan, 0.316162109, 1.77246094, 10.015625, {{-?}}nan, 255.875, 0.000244140625, 0.0078125, inf, {{-?}}nan, {{-?}}nan, 0.577148438, 3.31640625]
// FLOATS-F16-NEXT: result 12: 16xf16 values = [inf, -inf, 1, {{-?}}nan, 3.16210938, 0.564453125, 0.0998535156, {{-?}}nan, 0.00390625, 4096, 128, 0, {{-?}}nan, {{-?}}nan, 1.73242188, 0.301513672]
// FLOATS-F16-NEXT: result 13: 16xf16 values = [0, -0, 0.841308594, -0.997558594, 0.0997924805, 0.000967502594, -0.27734375, -6.97374344e-06, 0.975585938, 5.96046448e-08, 6.10351562e-05, {{-?}}nan, {{-?}}nan, {{-?}}nan, 0.327148438, -1]
// FLOATS-F16-NEXT: result 14: 16xf16 values = [0, -0, 1, -2, 0, 3, 100, -1, 65504, 0, 0, inf, -inf, {{-?}}nan, 0, 11]
// FLOATS-F16-NEXT: result 15: 16xi1 values = [1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0]
// FLOATS-F16-NEXT: result 16: 16xi8 values = [0, 0, 1, -1, 0, 3, 100, 0, 127, 0, 0, 127, -128, 0, 0, 11]
// FLOATS-F16-NEXT: result 17: 16xi64 values = [0, 0, 1, -1, 0, 3, 100, 0, 65504, 0, 0, 9223372036854775807, -9223372036854775808, 0, 0, 11]
// FLOATS-F16-NEXT: result 18: 16xbf16 values = [0, -0, 1, -1.5, 0.100097656, 3.140625, 100, -6.97374344e-06, 65536, 5.96046448e-08, 6.10351562e-05, inf, -inf, {{-?}}nan, 0.333984375, 11]
// FLOATS-F16-NEXT: result 19: f16 values = [4096]
// FLOATS-F16-NEXT: result 20: f16 values = [4096]
func.func @floats_f16() -> (tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xi1>, tensor<16xi8>, tensor<16xi64>, tensor<16xbf16>, tensor<f16>, tensor<f16>) {
  %x = nn.constant dense<[0x0000, 0x8000, 0x3C00, 0xBE00, 0x2E66, 0x4248, 0x5644, 0x8075, 0x7BFF, 0x0001, 0x0400, 0x7C00, 0xFC00, 0x7E00, 0x3555, 0x4980]> : tensor<16xf16>
  %y = nn.constant dense<[0x7C00, 0xFC00, 0x7E00, 0x3555, 0x4980, 0x0000, 0x8000, 0x3C00, 0xBE00, 0x2E66, 0x4248, 0x5644, 0x8075, 0x7BFF, 0x0001, 0x0400]> : tensor<16xf16>
  %r0 = nn.binary add %x, %y : tensor<16xf16>
  %r1 = nn.binary sub %x, %y : tensor<16xf16>
  %r2 = nn.binary mul %x, %y : tensor<16xf16>
  %r3 = nn.binary div %x, %y : tensor<16xf16>
  %r4 = nn.binary max %x, %y : tensor<16xf16>
  %r5 = nn.binary min %x, %y : tensor<16xf16>
  %r6 = nn.binary rem %x, %y : tensor<16xf16>
  %r7 = nn.unary neg %x : tensor<16xf16>
  %r8 = nn.unary exp %x : tensor<16xf16>
  %r9 = nn.unary log %x : tensor<16xf16>
  %r10 = nn.unary tanh %x : tensor<16xf16>
  %r11 = nn.unary sqrt %x : tensor<16xf16>
  %r12 = nn.unary rsqrt %x : tensor<16xf16>
  %r13 = nn.unary sin %x : tensor<16xf16>
  %r14 = nn.unary floor %x : tensor<16xf16>
  %r15 = nn.compare lt %x, %y : tensor<16xf16>
  %r16 = nn.convert %x : tensor<16xf16> -> tensor<16xi8>
  %r17 = nn.convert %x : tensor<16xf16> -> tensor<16xi64>
  %r18 = nn.convert %x : tensor<16xf16> -> tensor<16xbf16>
  %many = nn.constant dense<1.0> : tensor<4096xf16>
  %r19 = nn.reduce sum %many dims = [0] : tensor<4096xf16> -> tensor<f16>
  %r20 = nn.dot %many, %many contract = [0] * [0] : tensor<4096xf16>, tensor<4096xf16> -> tensor<f16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20 : tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xf16>, tensor<16xi1>, tensor<16xi8>, tensor<16xi64>, tensor<16xbf16>, tensor<f16>, tensor<f16>
}

// FLOATS-BF16-LABEL: func @floats_bf16
// FLOATS-BF16-NEXT: result 0: 16xbf16 values = [inf, -inf, {{-?}}nan, -1.1640625, 11.125, 3.140625, 100, 1, 3.38953139e+38, 0.100097656, 3.140625, inf, -inf, {{-?}}nan, 0.333984375, 11]
// FLOATS-BF16-NEXT: result 1: 16xbf16 values = [-inf, inf, {{-?}}nan, -1.8359375, -10.875, 3.140625, 100, -1, 3.38953139e+38, -0.100097656, -3.140625, inf, -inf, {{-?}}nan, 0.333984375, 11]
// FLOATS-BF16-NEXT: result 2: 16xbf16 values = [{{-?}}nan, {{-?}}nan, {{-?}}nan, -0.5, 1.1015625, 0, -0, -7.00354576e-06, -inf, 0, 3.69178695e-38, inf, inf, {{-?}}nan, 0, 1.29304379e-37]
// FLOATS-BF16-NEXT: result 3: 16xbf16 values = [0, 0, {{-?}}nan, -4.5, 0.00909423828, inf, -inf, -7.00354576e-06, -2.25968759e+38, 9.18354962e-40, 3.76525534e-39, inf, inf, {{-?}}nan, inf, inf]
// FLOATS-BF16-NEXT: result 4: 16xbf16 values = [inf, -0, {{-?}}nan, 0.333984375, 11, 3.140625, 100, 1, 3.38953139e+38, 0.100097656, 3.140625, inf, -7.00354576e-06, {{-?}}nan, 0.333984375, 11]
// FLOATS-BF16-NEXT: result 5: 16xbf16 values = [0, -inf, {{-?}}nan, -1.5, 0.100097656, 0, -0, -7.00354576e-06, -1.5, 9.18354962e-41, 1.17549435e-38, 100, -inf, {{-?}}nan, 9.18354962e-41, 1.17549435e-38]
// FLOATS-BF16-NEXT: result 6: 16xbf16 values = [0, -0, {{-?}}nan, -0.1640625, 0.100097656, {{-?}}nan, {{-?}}nan, -7.00354576e-06, 0, 9.18354962e-41, 1.17549435e-38, {{-?}}nan, {{-?}}nan, {{-?}}nan, 0, 0]
// FLOATS-BF16-NEXT: result 7: 16xbf16 values = [-0, 0, -1, 1.5, -0.100097656, -3.140625, -100, 7.00354576e-06, -3.38953139e+38, -9.18354962e-41, -1.17549435e-38, -inf, inf, {{-?}}nan, -0.333984375, -11]
// FLOATS-BF16-NEXT: result 8: 16xbf16 values = [1, 1, 2.71875, 0.22265625, 1.1015625, 23.125, inf, 1, inf, 1, 1, inf, 0, {{-?}}nan, 1.3984375, 59904]
// FLOATS-BF16-NEXT: result 9: 16xbf16 values = [-inf, -inf, 0, {{-?}}nan, -2.296875, 1.140625, 4.59375, {{-?}}nan, 88.5, -92, -87.5, inf, {{-?}}nan, {{-?}}nan, -1.09375, 2.390625]
// FLOATS-BF16-NEXT: result 10: 16xbf16 values = [0, -0, 0.76171875, -0.90625, 0.099609375, 0.99609375, 1, -7.00354576e-06, 1, 9.18354962e-41, 1.17549435e-38, 1, -1, {{-?}}nan, 0.322265625, 1]
// FLOATS-BF16-NEXT: result 11: 16xbf16 values = [0, -0, 1, {{-?}}nan, 0.31640625, 1.7734375, 10, {{-?}}nan, 1.83746865e+19, 9.58206022e-21, 1.08420217e-19, inf, {{-?}}nan, {{-?}}nan, 0.578125, 3.3125]
// FLOATS-BF16-NEXT: result 12: 16xbf16 values = [inf, -inf, 1, {{-?}}nan, 3.15625, 0.5625, 0.100097656, {{-?}}nan, 5.42101086e-20, 1.04339396e+20, 9.22337204e+18, 0, {{-?}}nan, {{-?}}nan, 1.7265625, 0.30078125]
// FLOATS-BF16-NEXT: result 13: 16xbf16 values = [0, -0, 0.83984375, -0.99609375, 0.100097656, 0.000968933105, -0.5078125, -7.00354576e-06, -0.98828125, 9.18354962e-41, 1.17549435e-38, {{-?}}nan, {{-?}}nan, {{-?}}nan, 0.328125, -1]
// FLOATS-BF16-NEXT: result 14: 16xbf16 values = [0, -0, 1, -2, 0, 3, 100, -1, 3.38953139e+38, 0, 0, inf, -inf, {{-?}}nan, 0, 11]
// FLOATS-BF16-NEXT: result 15: 16xi1 values = [1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0]
// FLOATS-BF16-NEXT: result 16: 16xi8 values = [0, 0, 1, -1, 0, 3, 100, 0, 127, 0, 0, 127, -128, 0, 0, 11]
// FLOATS-BF16-NEXT: result 17: 16xi64 values = [0, 0, 1, -1, 0, 3, 100, 0, 9223372036854775807, 0, 0, 9223372036854775807, -9223372036854775808, 0, 0, 11]
// FLOATS-BF16-NEXT: result 18: 16xf16 values = [0, -0, 1, -1.5, 0.100097656, 3.140625, 100, -7.03334808e-06, inf, 0, 0, inf, -inf, {{-?}}nan, 0.333984375, 11]
// FLOATS-BF16-NEXT: result 19: bf16 values = [4096]
// FLOATS-BF16-NEXT: result 20: bf16 values = [4096]
func.func @floats_bf16() -> (tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xi1>, tensor<16xi8>, tensor<16xi64>, tensor<16xf16>, tensor<bf16>, tensor<bf16>) {
  %x = nn.constant dense<[0x0000, 0x8000, 0x3F80, 0xBFC0, 0x3DCD, 0x4049, 0x42C8, 0xB6EB, 0x7F7F, 0x0001, 0x0080, 0x7F80, 0xFF80, 0x7FC0, 0x3EAB, 0x4130]> : tensor<16xbf16>
  %y = nn.constant dense<[0x7F80, 0xFF80, 0x7FC0, 0x3EAB, 0x4130, 0x0000, 0x8000, 0x3F80, 0xBFC0, 0x3DCD, 0x4049, 0x42C8, 0xB6EB, 0x7F7F, 0x0001, 0x0080]> : tensor<16xbf16>
  %r0 = nn.binary add %x, %y : tensor<16xbf16>
  %r1 = nn.binary sub %x, %y : tensor<16xbf16>
  %r2 = nn.binary mul %x, %y : tensor<16xbf16>
  %r3 = nn.binary div %x, %y : tensor<16xbf16>
  %r4 = nn.binary max %x, %y : tensor<16xbf16>
  %r5 = nn.binary min %x, %y : tensor<16xbf16>
  %r6 = nn.binary rem %x, %y : tensor<16xbf16>
  %r7 = nn.unary neg %x : tensor<16xbf16>
  %r8 = nn.unary exp %x : tensor<16xbf16>
  %r9 = nn.unary log %x : tensor<16xbf16>
  %r10 = nn.unary tanh %x : tensor<16xbf16>
  %r11 = nn.unary sqrt %x : tensor<16xbf16>
  %r12 = nn.unary rsqrt %x : tensor<16xbf16>
  %r13 = nn.unary sin %x : tensor<16xbf16>
  %r14 = nn.unary floor %x : tensor<16xbf16>
  %r15 = nn.compare lt %x, %y : tensor<16xbf16>
  %r16 = nn.convert %x : tensor<16xbf16> -> tensor<16xi8>
  %r17 = nn.convert %x : tensor<16xbf16> -> tensor<16xi64>
  %r18 = nn.convert %x : tensor<16xbf16> -> tensor<16xf16>
  %many = nn.constant dense<1.0> : tensor<4096xbf16>
  %r19 = nn.reduce sum %many dims = [0] : tensor<4096xbf16> -> tensor<bf16>
  %r20 = nn.dot %many, %many contract = [0] * [0] : tensor<4096xbf16>, tensor<4096xbf16> -> tensor<bf16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20 : tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xbf16>, tensor<16xi1>, tensor<16xi8>, tensor<16xi64>, tensor<16xf16>, tensor<bf16>, tensor<bf16>
}

// INTEGERS-I8-LABEL: func @integers_i8
// INTEGERS-I8-NEXT: result 0: 16xi8 values = [-64, 14, -14, 2, -2, 6, -127, 125, -123, -29, 28, -125, -92, 92, 18, 51]
// INTEGERS-I8-NEXT: result 1: 16xi8 values = [64, -12, 12, 2, -4, 8, 125, -125, 119, -27, 28, -121, -36, 36, 8, -77]
// INTEGERS-I8-NEXT: result 2: 16xi8 values = [0, 13, 13, 0, -3, -7, -2, -128, 114, -100, 0, 118, 0, 0, 65, -64]
// INTEGERS-I8-NEXT: result 3: 16xi8 values = [0, 0, 0, 0, -3, -7, 63, 42, 18, 0, 0, 0, 0, 0, 2, 0]
// INTEGERS-I8-NEXT: result 4: 16xi8 values = [0, 1, -1, 2, 0, 0, 1, -2, 0, 100, -100, 5, 64, -64, 3, -13]
// INTEGERS-I8-NEXT: result 5: 16xi8 values = [0, 13, -1, 2, 1, 7, 127, -3, 126, 127, -100, 126, 100, -64, 13, 64]
// INTEGERS-I8-NEXT: result 6: 16xi8 values = [-64, 1, -13, 0, -3, -1, 2, -128, 7, 100, -128, 5, 64, -100, 5, -13]
// INTEGERS-I8-NEXT: result 7: 16xi8 values = [0, 1, -13, 0, 1, 7, 2, -128, 6, 100, -128, 4, 64, -128, 5, 64]
// INTEGERS-I8-NEXT: result 8: 16xi8 values = [-64, 13, -1, 2, -3, -1, 127, -3, 127, 127, -100, 127, 100, -36, 13, -13]
// INTEGERS-I8-NEXT: result 9: 16xi8 values = [-64, 12, 12, 2, -4, -8, 125, 125, 121, 27, 28, 123, 36, 92, 8, -77]
// INTEGERS-I8-NEXT: result 10: 16xi8 values = [0, -1, 1, -2, 3, -7, -127, -128, -126, -100, 100, -5, -64, 64, -13, 13]
// INTEGERS-I8-NEXT: result 11: 16xi8 values = [0, 1, 1, 2, 3, 7, 127, -128, 126, 100, 100, 5, 64, 64, 13, 13]
// INTEGERS-I8-NEXT: result 12: 16xi1 values = [1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0]
// INTEGERS-I8-NEXT: result 13: 16xi32 values = [0, 1, -1, 2, -3, 7, 127, -128, 126, 100, -100, 5, 64, -64, 13, -13]
// INTEGERS-I8-NEXT: result 14: 16xi64 values = [0, 1, -1, 2, -3, 7, 127, -128, 126, 100, -100, 5, 64, -64, 13, -13]
// INTEGERS-I8-NEXT: result 15: 16xf16 values = [0, 1, -1, 2, -3, 7, 127, -128, 126, 100, -100, 5, 64, -64, 13, -13]
// INTEGERS-I8-NEXT: result 16: 16xbf16 values = [0, 1, -1, 2, -3, 7, 127, -128, 126, 100, -100, 5, 64, -64, 13, -13]
// INTEGERS-I8-NEXT: result 17: i8 values = [-120]
// INTEGERS-I8-NEXT: result 18: i8 values = [19]
func.func @integers_i8() -> (tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi1>, tensor<16xi32>, tensor<16xi64>, tensor<16xf16>, tensor<16xbf16>, tensor<i8>, tensor<i8>) {
  %x = nn.constant dense<[0, 1, -1, 2, -3, 7, 127, -128, 126, 100, -100, 5, 64, -64, 13, -13]> : tensor<16xi8>
  %y = nn.constant dense<[-64, 13, -13, 0, 1, -1, 2, -3, 7, 127, -128, 126, 100, -100, 5, 64]> : tensor<16xi8>
  %r0 = nn.binary add %x, %y : tensor<16xi8>
  %r1 = nn.binary sub %x, %y : tensor<16xi8>
  %r2 = nn.binary mul %x, %y : tensor<16xi8>
  %r3 = nn.binary div %x, %y : tensor<16xi8>
  %r4 = nn.binary rem %x, %y : tensor<16xi8>
  %r5 = nn.binary max %x, %y : tensor<16xi8>
  %r6 = nn.binary min %x, %y : tensor<16xi8>
  %r7 = nn.binary and %x, %y : tensor<16xi8>
  %r8 = nn.binary or %x, %y : tensor<16xi8>
  %r9 = nn.binary xor %x, %y : tensor<16xi8>
  %r10 = nn.unary neg %x : tensor<16xi8>
  %r11 = nn.unary abs %x : tensor<16xi8>
  %r12 = nn.compare ge %x, %y : tensor<16xi8>
  %r13 = nn.convert %x : tensor<16xi8> -> tensor<16xi32>
  %r14 = nn.convert %x : tensor<16xi8> -> tensor<16xi64>
  %r15 = nn.convert %x : tensor<16xi8> -> tensor<16xf16>
  %r16 = nn.convert %x : tensor<16xi8> -> tensor<16xbf16>
  %r17 = nn.reduce sum %x dims = [0] : tensor<16xi8> -> tensor<i8>
  %r18 = nn.dot %x, %y contract = [0] * [0] : tensor<16xi8>, tensor<16xi8> -> tensor<i8>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18 : tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi8>, tensor<16xi1>, tensor<16xi32>, tensor<16xi64>, tensor<16xf16>, tensor<16xbf16>, tensor<i8>, tensor<i8>
}

// INTEGERS-I64-LABEL: func @integers_i64
// INTEGERS-I64-NEXT: result 0: 16xi64 values = [-64, 14, 1077936128, 2, -2, 6, -9223372036854775807, 9223372036854775805, -9223372036854775803, -9223372036854775709, 9223372036854775708, -9223372036854775805, 164, -164, 18, 1077936193]
// INTEGERS-I64-NEXT: result 1: 16xi64 values = [64, -12, -1077936130, 2, -4, 8, 9223372036854775805, -9223372036854775805, 9223372036854775799, -9223372036854775707, 9223372036854775708, -9223372036854775801, -36, 36, 8, 1077936065]
// INTEGERS-I64-NEXT: result 2: 16xi64 values = [0, 13, -1077936129, 0, -3, -7, -2, -9223372036854775808, 9223372036854775794, -100, 0, 9223372036854775798, 6400, 6400, 65, 68987912256]
// INTEGERS-I64-NEXT: result 3: 16xi64 values = [0, 0, 0, 0, -3, -7, 4611686018427387903, 3074457345618258602, 1317624576693539400, 0, 0, 0, 0, 0, 2, 16842752]
// INTEGERS-I64-NEXT: result 4: 16xi64 values = [0, 1, -1, 2, 0, 0, 1, -2, 6, 100, -100, 5, 64, -64, 3, 1]
// INTEGERS-I64-NEXT: result 5: 16xi64 values = [0, 13, 1077936129, 2, 1, 7, 9223372036854775807, -3, 9223372036854775806, 9223372036854775807, -100, 9223372036854775806, 100, -64, 13, 1077936129]
// INTEGERS-I64-NEXT: result 6: 16xi64 values = [-64, 1, -1, 0, -3, -1, 2, -9223372036854775808, 7, 100, -9223372036854775808, 5, 64, -100, 5, 64]
// INTEGERS-I64-NEXT: result 7: 16xi64 values = [0, 1, 1077936129, 0, 1, 7, 2, -9223372036854775808, 6, 100, -9223372036854775808, 4, 64, -128, 5, 0]
// INTEGERS-I64-NEXT: result 8: 16xi64 values = [-64, 13, -1, 2, -3, -1, 9223372036854775807, -3, 9223372036854775807, 9223372036854775807, -100, 9223372036854775807, 100, -36, 13, 1077936193]
// INTEGERS-I64-NEXT: result 9: 16xi64 values = [-64, 12, -1077936130, 2, -4, -8, 9223372036854775805, 9223372036854775805, 9223372036854775801, 9223372036854775707, 9223372036854775708, 9223372036854775803, 36, 92, 8, 1077936193]
// INTEGERS-I64-NEXT: result 10: 16xi64 values = [0, -1, 1, -2, 3, -7, -9223372036854775807, -9223372036854775808, -9223372036854775806, -100, 100, -5, -64, 64, -13, -1077936129]
// INTEGERS-I64-NEXT: result 11: 16xi64 values = [0, 1, 1, 2, 3, 7, 9223372036854775807, -9223372036854775808, 9223372036854775806, 100, 100, 5, 64, 64, 13, 1077936129]
// INTEGERS-I64-NEXT: result 12: 16xi1 values = [1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1]
// INTEGERS-I64-NEXT: result 13: 16xi8 values = [0, 1, -1, 2, -3, 7, -1, 0, -2, 100, -100, 5, 64, -64, 13, 1]
// INTEGERS-I64-NEXT: result 14: 16xi32 values = [0, 1, -1, 2, -3, 7, -1, 0, -2, 100, -100, 5, 64, -64, 13, 1077936129]
// INTEGERS-I64-NEXT: result 15: 16xf16 values = [0, 1, -1, 2, -3, 7, inf, -inf, inf, 100, -100, 5, 64, -64, 13, inf]
// INTEGERS-I64-NEXT: result 16: 16xbf16 values = [0, 1, -1, 2, -3, 7, 9.22337204e+18, -9.22337204e+18, 9.22337204e+18, 100, -100, 5, 64, -64, 13, 1.07374182e+09]
// INTEGERS-I64-NEXT: result 17: i64 values = [-9223372035776839658]
// INTEGERS-I64-NEXT: result 18: i64 values = [-9223371968944786939]
func.func @integers_i64() -> (tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi1>, tensor<16xi8>, tensor<16xi32>, tensor<16xf16>, tensor<16xbf16>, tensor<i64>, tensor<i64>) {
  %x = nn.constant dense<[0, 1, -1, 2, -3, 7, 9223372036854775807, -9223372036854775808, 9223372036854775806, 100, -100, 5, 64, -64, 13, 1077936129]> : tensor<16xi64>
  %y = nn.constant dense<[-64, 13, 1077936129, 0, 1, -1, 2, -3, 7, 9223372036854775807, -9223372036854775808, 9223372036854775806, 100, -100, 5, 64]> : tensor<16xi64>
  %r0 = nn.binary add %x, %y : tensor<16xi64>
  %r1 = nn.binary sub %x, %y : tensor<16xi64>
  %r2 = nn.binary mul %x, %y : tensor<16xi64>
  %r3 = nn.binary div %x, %y : tensor<16xi64>
  %r4 = nn.binary rem %x, %y : tensor<16xi64>
  %r5 = nn.binary max %x, %y : tensor<16xi64>
  %r6 = nn.binary min %x, %y : tensor<16xi64>
  %r7 = nn.binary and %x, %y : tensor<16xi64>
  %r8 = nn.binary or %x, %y : tensor<16xi64>
  %r9 = nn.binary xor %x, %y : tensor<16xi64>
  %r10 = nn.unary neg %x : tensor<16xi64>
  %r11 = nn.unary abs %x : tensor<16xi64>
  %r12 = nn.compare ge %x, %y : tensor<16xi64>
  %r13 = nn.convert %x : tensor<16xi64> -> tensor<16xi8>
  %r14 = nn.convert %x : tensor<16xi64> -> tensor<16xi32>
  %r15 = nn.convert %x : tensor<16xi64> -> tensor<16xf16>
  %r16 = nn.convert %x : tensor<16xi64> -> tensor<16xbf16>
  %r17 = nn.reduce sum %x dims = [0] : tensor<16xi64> -> tensor<i64>
  %r18 = nn.dot %x, %y contract = [0] * [0] : tensor<16xi64>, tensor<16xi64> -> tensor<i64>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18 : tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi64>, tensor<16xi1>, tensor<16xi8>, tensor<16xi32>, tensor<16xf16>, tensor<16xbf16>, tensor<i64>, tensor<i64>
}
