// Random numbers bit for bit, by blocks of four: rows of every length against blocks, short ones and long, one
// dimension to three; alone, as the mask of a dropout, and with what else is computed from the draw alone.
// RUN: belfry-host-check %s --batch=0,1,7,70 --towers=1,3 --tolerance=0 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @draws(
    %x0: tensor<?xf32> {nn.role = #nn.role<input>, nn.name = "x0"},
    %x1: tensor<?x1xf32> {nn.role = #nn.role<input>, nn.name = "x1"},
    %x2: tensor<?x2xf32> {nn.role = #nn.role<input>, nn.name = "x2"},
    %x3: tensor<?x3xf32> {nn.role = #nn.role<input>, nn.name = "x3"},
    %x4: tensor<?x4xf32> {nn.role = #nn.role<input>, nn.name = "x4"},
    %x5: tensor<?x5xf32> {nn.role = #nn.role<input>, nn.name = "x5"},
    %x6: tensor<?x7xf32> {nn.role = #nn.role<input>, nn.name = "x6"},
    %x7: tensor<?x8xf32> {nn.role = #nn.role<input>, nn.name = "x7"},
    %x8: tensor<?x4x6xf32> {nn.role = #nn.role<input>, nn.name = "x8"},
    %x9: tensor<?x3x5xf32> {nn.role = #nn.role<input>, nn.name = "x9"},
    %x10: tensor<?x100xf32> {nn.role = #nn.role<input>, nn.name = "x10"},
    %x11: tensor<?x259xf32> {nn.role = #nn.role<input>, nn.name = "x11"},
    %x12: tensor<?x260xf32> {nn.role = #nn.role<input>, nn.name = "x12"},
    %x13: tensor<?x2x150xf32> {nn.role = #nn.role<input>, nn.name = "x13"},
    %seed: tensor<2xi32> {nn.role = #nn.role<seed>}, %step: tensor<i32> {nn.role = #nn.role<step>})
    -> (tensor<?xf32> {nn.role = #nn.role<output>, nn.name = "d0"},
        tensor<?xi32> {nn.role = #nn.role<output>, nn.name = "b0"},
        tensor<?x1xf32> {nn.role = #nn.role<output>, nn.name = "d1"},
        tensor<?x1xi32> {nn.role = #nn.role<output>, nn.name = "b1"},
        tensor<?x1xf64> {nn.role = #nn.role<output>, nn.name = "w1"},
        tensor<?x1xf64> {nn.role = #nn.role<output>, nn.name = "q1"},
        tensor<?x2xf32> {nn.role = #nn.role<output>, nn.name = "d2"},
        tensor<?x2xi32> {nn.role = #nn.role<output>, nn.name = "b2"},
        tensor<?x3xf32> {nn.role = #nn.role<output>, nn.name = "d3"},
        tensor<?x3xi32> {nn.role = #nn.role<output>, nn.name = "b3"},
        tensor<?x3xi1> {nn.role = #nn.role<output>, nn.name = "m3"},
        tensor<?x3xf32> {nn.role = #nn.role<output>, nn.name = "u3"},
        tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "d4"},
        tensor<?x4xi32> {nn.role = #nn.role<output>, nn.name = "b4"},
        tensor<?x4xi1> {nn.role = #nn.role<output>, nn.name = "m4"},
        tensor<?x4xf32> {nn.role = #nn.role<output>, nn.name = "u4"},
        tensor<?x5xf32> {nn.role = #nn.role<output>, nn.name = "d5"},
        tensor<?x5xi32> {nn.role = #nn.role<output>, nn.name = "b5"},
        tensor<?x5xf64> {nn.role = #nn.role<output>, nn.name = "w5"},
        tensor<?x5xf64> {nn.role = #nn.role<output>, nn.name = "q5"},
        tensor<?x7xf32> {nn.role = #nn.role<output>, nn.name = "d6"},
        tensor<?x7xi32> {nn.role = #nn.role<output>, nn.name = "b6"},
        tensor<?x8xf32> {nn.role = #nn.role<output>, nn.name = "d7"},
        tensor<?x8xi32> {nn.role = #nn.role<output>, nn.name = "b7"},
        tensor<?x4x6xf32> {nn.role = #nn.role<output>, nn.name = "d8"},
        tensor<?x4x6xi32> {nn.role = #nn.role<output>, nn.name = "b8"},
        tensor<?x4x6xf64> {nn.role = #nn.role<output>, nn.name = "w8"},
        tensor<?x4x6xf64> {nn.role = #nn.role<output>, nn.name = "q8"},
        tensor<?x3x5xf32> {nn.role = #nn.role<output>, nn.name = "d9"},
        tensor<?x3x5xi32> {nn.role = #nn.role<output>, nn.name = "b9"},
        tensor<?x3x5xi1> {nn.role = #nn.role<output>, nn.name = "m9"},
        tensor<?x3x5xf32> {nn.role = #nn.role<output>, nn.name = "u9"},
        tensor<?x100xf32> {nn.role = #nn.role<output>, nn.name = "d10"},
        tensor<?x100xi32> {nn.role = #nn.role<output>, nn.name = "b10"},
        tensor<?x100xi1> {nn.role = #nn.role<output>, nn.name = "m10"},
        tensor<?x100xf32> {nn.role = #nn.role<output>, nn.name = "u10"},
        tensor<?x259xf32> {nn.role = #nn.role<output>, nn.name = "d11"},
        tensor<?x259xi32> {nn.role = #nn.role<output>, nn.name = "b11"},
        tensor<?x259xf64> {nn.role = #nn.role<output>, nn.name = "w11"},
        tensor<?x259xf64> {nn.role = #nn.role<output>, nn.name = "q11"},
        tensor<?x260xf32> {nn.role = #nn.role<output>, nn.name = "d12"},
        tensor<?x260xi32> {nn.role = #nn.role<output>, nn.name = "b12"},
        tensor<?x2x150xf32> {nn.role = #nn.role<output>, nn.name = "d13"},
        tensor<?x2x150xi32> {nn.role = #nn.role<output>, nn.name = "b13"}) {
  %o:44 = tower.replicate towers = 2 slicing = balanced -> tensor<?xf32>, tensor<?xi32>, tensor<?x1xf32>, tensor<?x1xi32>, tensor<?x1xf64>, tensor<?x1xf64>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xi1>, tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xi32>, tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x5xf32>, tensor<?x5xi32>, tensor<?x5xf64>, tensor<?x5xf64>, tensor<?x7xf32>, tensor<?x7xi32>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<?x4x6xf32>, tensor<?x4x6xi32>, tensor<?x4x6xf64>, tensor<?x4x6xf64>, tensor<?x3x5xf32>, tensor<?x3x5xi32>, tensor<?x3x5xi1>, tensor<?x3x5xf32>, tensor<?x100xf32>, tensor<?x100xi32>, tensor<?x100xi1>, tensor<?x100xf32>, tensor<?x259xf32>, tensor<?x259xi32>, tensor<?x259xf64>, tensor<?x259xf64>, tensor<?x260xf32>, tensor<?x260xi32>, tensor<?x2x150xf32>, tensor<?x2x150xi32> {
    %rate = nn.constant dense<0.25> : tensor<f32>
    %rate64 = nn.constant dense<0.25> : tensor<f64>
    %zero = nn.constant dense<0.0> : tensor<f32>
    %s0 = tower.slice %x0 dim = 0 : tensor<?xf32>
    %o0 = tower.row_offset %x0 : tensor<?xf32>
    %u0 = nn.random uniform seed %seed step %step row_offset %o0 stream = 0 like %s0 : tensor<?xf32> -> tensor<?xf32>
    %rb0 = nn.broadcast %rate dims = [] like %s0 : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %m0 = nn.compare ge %u0, %rb0 : tensor<?xf32>
    %z0 = nn.broadcast %zero dims = [] like %s0 : tensor<f32>, tensor<?xf32> -> tensor<?xf32>
    %d0 = nn.select %m0, %s0, %z0 : tensor<?xf32>
    %b0 = nn.random bits seed %seed step %step row_offset %o0 stream = 100 like %s0 : tensor<?xf32> -> tensor<?xi32>
    %s1 = tower.slice %x1 dim = 0 : tensor<?x1xf32>
    %o1 = tower.row_offset %x1 : tensor<?x1xf32>
    %u1 = nn.random uniform seed %seed step %step row_offset %o1 stream = 1 like %s1 : tensor<?x1xf32> -> tensor<?x1xf32>
    %rb1 = nn.broadcast %rate dims = [] like %s1 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
    %m1 = nn.compare ge %u1, %rb1 : tensor<?x1xf32>
    %z1 = nn.broadcast %zero dims = [] like %s1 : tensor<f32>, tensor<?x1xf32> -> tensor<?x1xf32>
    %d1 = nn.select %m1, %s1, %z1 : tensor<?x1xf32>
    %b1 = nn.random bits seed %seed step %step row_offset %o1 stream = 101 like %s1 : tensor<?x1xf32> -> tensor<?x1xi32>
    %w1 = nn.random uniform seed %seed step %step row_offset %o1 stream = 201 like %s1 : tensor<?x1xf32> -> tensor<?x1xf64>
    %rd1 = nn.broadcast %rate64 dims = [] like %s1 : tensor<f64>, tensor<?x1xf32> -> tensor<?x1xf64>
    %q1 = nn.binary sub %w1, %rd1 : tensor<?x1xf64>
    %s2 = tower.slice %x2 dim = 0 : tensor<?x2xf32>
    %o2 = tower.row_offset %x2 : tensor<?x2xf32>
    %u2 = nn.random uniform seed %seed step %step row_offset %o2 stream = 2 like %s2 : tensor<?x2xf32> -> tensor<?x2xf32>
    %rb2 = nn.broadcast %rate dims = [] like %s2 : tensor<f32>, tensor<?x2xf32> -> tensor<?x2xf32>
    %m2 = nn.compare ge %u2, %rb2 : tensor<?x2xf32>
    %z2 = nn.broadcast %zero dims = [] like %s2 : tensor<f32>, tensor<?x2xf32> -> tensor<?x2xf32>
    %d2 = nn.select %m2, %s2, %z2 : tensor<?x2xf32>
    %b2 = nn.random bits seed %seed step %step row_offset %o2 stream = 102 like %s2 : tensor<?x2xf32> -> tensor<?x2xi32>
    %s3 = tower.slice %x3 dim = 0 : tensor<?x3xf32>
    %o3 = tower.row_offset %x3 : tensor<?x3xf32>
    %u3 = nn.random uniform seed %seed step %step row_offset %o3 stream = 3 like %s3 : tensor<?x3xf32> -> tensor<?x3xf32>
    %rb3 = nn.broadcast %rate dims = [] like %s3 : tensor<f32>, tensor<?x3xf32> -> tensor<?x3xf32>
    %m3 = nn.compare ge %u3, %rb3 : tensor<?x3xf32>
    %z3 = nn.broadcast %zero dims = [] like %s3 : tensor<f32>, tensor<?x3xf32> -> tensor<?x3xf32>
    %d3 = nn.select %m3, %s3, %z3 : tensor<?x3xf32>
    %b3 = nn.random bits seed %seed step %step row_offset %o3 stream = 103 like %s3 : tensor<?x3xf32> -> tensor<?x3xi32>
    %s4 = tower.slice %x4 dim = 0 : tensor<?x4xf32>
    %o4 = tower.row_offset %x4 : tensor<?x4xf32>
    %u4 = nn.random uniform seed %seed step %step row_offset %o4 stream = 4 like %s4 : tensor<?x4xf32> -> tensor<?x4xf32>
    %rb4 = nn.broadcast %rate dims = [] like %s4 : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %m4 = nn.compare ge %u4, %rb4 : tensor<?x4xf32>
    %z4 = nn.broadcast %zero dims = [] like %s4 : tensor<f32>, tensor<?x4xf32> -> tensor<?x4xf32>
    %d4 = nn.select %m4, %s4, %z4 : tensor<?x4xf32>
    %b4 = nn.random bits seed %seed step %step row_offset %o4 stream = 104 like %s4 : tensor<?x4xf32> -> tensor<?x4xi32>
    %s5 = tower.slice %x5 dim = 0 : tensor<?x5xf32>
    %o5 = tower.row_offset %x5 : tensor<?x5xf32>
    %u5 = nn.random uniform seed %seed step %step row_offset %o5 stream = 5 like %s5 : tensor<?x5xf32> -> tensor<?x5xf32>
    %rb5 = nn.broadcast %rate dims = [] like %s5 : tensor<f32>, tensor<?x5xf32> -> tensor<?x5xf32>
    %m5 = nn.compare ge %u5, %rb5 : tensor<?x5xf32>
    %z5 = nn.broadcast %zero dims = [] like %s5 : tensor<f32>, tensor<?x5xf32> -> tensor<?x5xf32>
    %d5 = nn.select %m5, %s5, %z5 : tensor<?x5xf32>
    %b5 = nn.random bits seed %seed step %step row_offset %o5 stream = 105 like %s5 : tensor<?x5xf32> -> tensor<?x5xi32>
    %w5 = nn.random uniform seed %seed step %step row_offset %o5 stream = 205 like %s5 : tensor<?x5xf32> -> tensor<?x5xf64>
    %rd5 = nn.broadcast %rate64 dims = [] like %s5 : tensor<f64>, tensor<?x5xf32> -> tensor<?x5xf64>
    %q5 = nn.binary sub %w5, %rd5 : tensor<?x5xf64>
    %s6 = tower.slice %x6 dim = 0 : tensor<?x7xf32>
    %o6 = tower.row_offset %x6 : tensor<?x7xf32>
    %u6 = nn.random uniform seed %seed step %step row_offset %o6 stream = 6 like %s6 : tensor<?x7xf32> -> tensor<?x7xf32>
    %rb6 = nn.broadcast %rate dims = [] like %s6 : tensor<f32>, tensor<?x7xf32> -> tensor<?x7xf32>
    %m6 = nn.compare ge %u6, %rb6 : tensor<?x7xf32>
    %z6 = nn.broadcast %zero dims = [] like %s6 : tensor<f32>, tensor<?x7xf32> -> tensor<?x7xf32>
    %d6 = nn.select %m6, %s6, %z6 : tensor<?x7xf32>
    %b6 = nn.random bits seed %seed step %step row_offset %o6 stream = 106 like %s6 : tensor<?x7xf32> -> tensor<?x7xi32>
    %s7 = tower.slice %x7 dim = 0 : tensor<?x8xf32>
    %o7 = tower.row_offset %x7 : tensor<?x8xf32>
    %u7 = nn.random uniform seed %seed step %step row_offset %o7 stream = 7 like %s7 : tensor<?x8xf32> -> tensor<?x8xf32>
    %rb7 = nn.broadcast %rate dims = [] like %s7 : tensor<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
    %m7 = nn.compare ge %u7, %rb7 : tensor<?x8xf32>
    %z7 = nn.broadcast %zero dims = [] like %s7 : tensor<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
    %d7 = nn.select %m7, %s7, %z7 : tensor<?x8xf32>
    %b7 = nn.random bits seed %seed step %step row_offset %o7 stream = 107 like %s7 : tensor<?x8xf32> -> tensor<?x8xi32>
    %s8 = tower.slice %x8 dim = 0 : tensor<?x4x6xf32>
    %o8 = tower.row_offset %x8 : tensor<?x4x6xf32>
    %u8 = nn.random uniform seed %seed step %step row_offset %o8 stream = 8 like %s8 : tensor<?x4x6xf32> -> tensor<?x4x6xf32>
    %rb8 = nn.broadcast %rate dims = [] like %s8 : tensor<f32>, tensor<?x4x6xf32> -> tensor<?x4x6xf32>
    %m8 = nn.compare ge %u8, %rb8 : tensor<?x4x6xf32>
    %z8 = nn.broadcast %zero dims = [] like %s8 : tensor<f32>, tensor<?x4x6xf32> -> tensor<?x4x6xf32>
    %d8 = nn.select %m8, %s8, %z8 : tensor<?x4x6xf32>
    %b8 = nn.random bits seed %seed step %step row_offset %o8 stream = 108 like %s8 : tensor<?x4x6xf32> -> tensor<?x4x6xi32>
    %w8 = nn.random uniform seed %seed step %step row_offset %o8 stream = 208 like %s8 : tensor<?x4x6xf32> -> tensor<?x4x6xf64>
    %rd8 = nn.broadcast %rate64 dims = [] like %s8 : tensor<f64>, tensor<?x4x6xf32> -> tensor<?x4x6xf64>
    %q8 = nn.binary sub %w8, %rd8 : tensor<?x4x6xf64>
    %s9 = tower.slice %x9 dim = 0 : tensor<?x3x5xf32>
    %o9 = tower.row_offset %x9 : tensor<?x3x5xf32>
    %u9 = nn.random uniform seed %seed step %step row_offset %o9 stream = 9 like %s9 : tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %rb9 = nn.broadcast %rate dims = [] like %s9 : tensor<f32>, tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %m9 = nn.compare ge %u9, %rb9 : tensor<?x3x5xf32>
    %z9 = nn.broadcast %zero dims = [] like %s9 : tensor<f32>, tensor<?x3x5xf32> -> tensor<?x3x5xf32>
    %d9 = nn.select %m9, %s9, %z9 : tensor<?x3x5xf32>
    %b9 = nn.random bits seed %seed step %step row_offset %o9 stream = 109 like %s9 : tensor<?x3x5xf32> -> tensor<?x3x5xi32>
    %s10 = tower.slice %x10 dim = 0 : tensor<?x100xf32>
    %o10 = tower.row_offset %x10 : tensor<?x100xf32>
    %u10 = nn.random uniform seed %seed step %step row_offset %o10 stream = 10 like %s10 : tensor<?x100xf32> -> tensor<?x100xf32>
    %rb10 = nn.broadcast %rate dims = [] like %s10 : tensor<f32>, tensor<?x100xf32> -> tensor<?x100xf32>
    %m10 = nn.compare ge %u10, %rb10 : tensor<?x100xf32>
    %z10 = nn.broadcast %zero dims = [] like %s10 : tensor<f32>, tensor<?x100xf32> -> tensor<?x100xf32>
    %d10 = nn.select %m10, %s10, %z10 : tensor<?x100xf32>
    %b10 = nn.random bits seed %seed step %step row_offset %o10 stream = 110 like %s10 : tensor<?x100xf32> -> tensor<?x100xi32>
    %s11 = tower.slice %x11 dim = 0 : tensor<?x259xf32>
    %o11 = tower.row_offset %x11 : tensor<?x259xf32>
    %u11 = nn.random uniform seed %seed step %step row_offset %o11 stream = 11 like %s11 : tensor<?x259xf32> -> tensor<?x259xf32>
    %rb11 = nn.broadcast %rate dims = [] like %s11 : tensor<f32>, tensor<?x259xf32> -> tensor<?x259xf32>
    %m11 = nn.compare ge %u11, %rb11 : tensor<?x259xf32>
    %z11 = nn.broadcast %zero dims = [] like %s11 : tensor<f32>, tensor<?x259xf32> -> tensor<?x259xf32>
    %d11 = nn.select %m11, %s11, %z11 : tensor<?x259xf32>
    %b11 = nn.random bits seed %seed step %step row_offset %o11 stream = 111 like %s11 : tensor<?x259xf32> -> tensor<?x259xi32>
    %w11 = nn.random uniform seed %seed step %step row_offset %o11 stream = 211 like %s11 : tensor<?x259xf32> -> tensor<?x259xf64>
    %rd11 = nn.broadcast %rate64 dims = [] like %s11 : tensor<f64>, tensor<?x259xf32> -> tensor<?x259xf64>
    %q11 = nn.binary sub %w11, %rd11 : tensor<?x259xf64>
    %s12 = tower.slice %x12 dim = 0 : tensor<?x260xf32>
    %o12 = tower.row_offset %x12 : tensor<?x260xf32>
    %u12 = nn.random uniform seed %seed step %step row_offset %o12 stream = 12 like %s12 : tensor<?x260xf32> -> tensor<?x260xf32>
    %rb12 = nn.broadcast %rate dims = [] like %s12 : tensor<f32>, tensor<?x260xf32> -> tensor<?x260xf32>
    %m12 = nn.compare ge %u12, %rb12 : tensor<?x260xf32>
    %z12 = nn.broadcast %zero dims = [] like %s12 : tensor<f32>, tensor<?x260xf32> -> tensor<?x260xf32>
    %d12 = nn.select %m12, %s12, %z12 : tensor<?x260xf32>
    %b12 = nn.random bits seed %seed step %step row_offset %o12 stream = 112 like %s12 : tensor<?x260xf32> -> tensor<?x260xi32>
    %s13 = tower.slice %x13 dim = 0 : tensor<?x2x150xf32>
    %o13 = tower.row_offset %x13 : tensor<?x2x150xf32>
    %u13 = nn.random uniform seed %seed step %step row_offset %o13 stream = 13 like %s13 : tensor<?x2x150xf32> -> tensor<?x2x150xf32>
    %rb13 = nn.broadcast %rate dims = [] like %s13 : tensor<f32>, tensor<?x2x150xf32> -> tensor<?x2x150xf32>
    %m13 = nn.compare ge %u13, %rb13 : tensor<?x2x150xf32>
    %z13 = nn.broadcast %zero dims = [] like %s13 : tensor<f32>, tensor<?x2x150xf32> -> tensor<?x2x150xf32>
    %d13 = nn.select %m13, %s13, %z13 : tensor<?x2x150xf32>
    %b13 = nn.random bits seed %seed step %step row_offset %o13 stream = 113 like %s13 : tensor<?x2x150xf32> -> tensor<?x2x150xi32>
    tower.yield %d0, %b0, %d1, %b1, %w1, %q1, %d2, %b2, %d3, %b3, %m3, %u3, %d4, %b4, %m4, %u4, %d5, %b5, %w5, %q5, %d6, %b6, %d7, %b7, %d8, %b8, %w8, %q8, %d9, %b9, %m9, %u9, %d10, %b10, %m10, %u10, %d11, %b11, %w11, %q11, %d12, %b12, %d13, %b13 concat = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      : tensor<?xf32>, tensor<?xi32>, tensor<?x1xf32>, tensor<?x1xi32>, tensor<?x1xf64>, tensor<?x1xf64>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xi1>, tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xi32>, tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x5xf32>, tensor<?x5xi32>, tensor<?x5xf64>, tensor<?x5xf64>, tensor<?x7xf32>, tensor<?x7xi32>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<?x4x6xf32>, tensor<?x4x6xi32>, tensor<?x4x6xf64>, tensor<?x4x6xf64>, tensor<?x3x5xf32>, tensor<?x3x5xi32>, tensor<?x3x5xi1>, tensor<?x3x5xf32>, tensor<?x100xf32>, tensor<?x100xi32>, tensor<?x100xi1>, tensor<?x100xf32>, tensor<?x259xf32>, tensor<?x259xi32>, tensor<?x259xf64>, tensor<?x259xf64>, tensor<?x260xf32>, tensor<?x260xi32>, tensor<?x2x150xf32>, tensor<?x2x150xi32>
  }
  return %o#0, %o#1, %o#2, %o#3, %o#4, %o#5, %o#6, %o#7, %o#8, %o#9, %o#10, %o#11, %o#12, %o#13, %o#14, %o#15, %o#16, %o#17, %o#18, %o#19, %o#20, %o#21, %o#22, %o#23, %o#24, %o#25, %o#26, %o#27, %o#28, %o#29, %o#30, %o#31, %o#32, %o#33, %o#34, %o#35, %o#36, %o#37, %o#38, %o#39, %o#40, %o#41, %o#42, %o#43
    : tensor<?xf32>, tensor<?xi32>, tensor<?x1xf32>, tensor<?x1xi32>, tensor<?x1xf64>, tensor<?x1xf64>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xi1>, tensor<?x3xf32>, tensor<?x4xf32>, tensor<?x4xi32>, tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x5xf32>, tensor<?x5xi32>, tensor<?x5xf64>, tensor<?x5xf64>, tensor<?x7xf32>, tensor<?x7xi32>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<?x4x6xf32>, tensor<?x4x6xi32>, tensor<?x4x6xf64>, tensor<?x4x6xf64>, tensor<?x3x5xf32>, tensor<?x3x5xi32>, tensor<?x3x5xi1>, tensor<?x3x5xf32>, tensor<?x100xf32>, tensor<?x100xi32>, tensor<?x100xi1>, tensor<?x100xf32>, tensor<?x259xf32>, tensor<?x259xi32>, tensor<?x259xf64>, tensor<?x259xf64>, tensor<?x260xf32>, tensor<?x260xi32>, tensor<?x2x150xf32>, tensor<?x2x150xi32>
}

// In a loop: the draw takes the place of a carried value that the same step still reads, and is an output.
func.func @loop(%x: tensor<?x6xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                %y: tensor<?x8xf32> {nn.role = #nn.role<input>, nn.name = "y"},
                %seed: tensor<2xi32> {nn.role = #nn.role<seed>})
    -> (tensor<?x6xf32> {nn.role = #nn.role<output>, nn.name = "a"}, tensor<?x8xf32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x3x6xf32> {nn.role = #nn.role<output>, nn.name = "c"}, tensor<?x3x8xi1> {nn.role = #nn.role<output>, nn.name = "d"}) {
  %o:4 = tower.replicate towers = 2 slicing = balanced
      -> tensor<?x6xf32>, tensor<?x8xf32>, tensor<?x3x6xf32>, tensor<?x3x8xi1> {
    %xs = tower.slice %x dim = 0 : tensor<?x6xf32>
    %ys = tower.slice %y dim = 0 : tensor<?x8xf32>
    %r = tower.row_offset %x : tensor<?x6xf32>
    %zero = nn.constant dense<0> : tensor<i32>
    %s, %t, %n, %os, %ms = nn.scan carry(%xs, %ys, %zero) closed(%seed, %r) length = 3 {
    ^bb0(%p: tensor<?x6xf32>, %q: tensor<?x8xf32>, %i: tensor<i32>, %k: tensor<2xi32>, %f: tensor<i32>):
      %one = nn.constant dense<1> : tensor<i32>
      %half = nn.constant dense<0.5> : tensor<f32>
      %next = nn.binary add %i, %one : tensor<i32>
      %u = nn.random uniform seed %k step %i row_offset %f stream = 3 like %p : tensor<?x6xf32> -> tensor<?x6xf32>
      %v = nn.random uniform seed %k step %i row_offset %f stream = 4 like %q : tensor<?x8xf32> -> tensor<?x8xf32>
      %h = nn.broadcast %half dims = [] like %q : tensor<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
      %m = nn.compare lt %v, %h : tensor<?x8xf32>
      %w = nn.select %m, %q, %v : tensor<?x8xf32>
      %d = nn.binary sub %p, %u : tensor<?x6xf32>
      nn.yield carry(%u, %w, %next) outputs(%d, %m)
        : tensor<?x6xf32>, tensor<?x8xf32>, tensor<i32> outputs tensor<?x6xf32>, tensor<?x8xi1>
    } : (tensor<?x6xf32>, tensor<?x8xf32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
      -> (tensor<?x6xf32>, tensor<?x8xf32>, tensor<i32>, tensor<3x?x6xf32>, tensor<3x?x8xi1>)
    %ot = nn.transpose %os perm = [1, 0, 2] : tensor<3x?x6xf32> -> tensor<?x3x6xf32>
    %mt = nn.transpose %ms perm = [1, 0, 2] : tensor<3x?x8xi1> -> tensor<?x3x8xi1>
    tower.yield %s, %t, %ot, %mt concat = [0, 0, 0, 0]
      : tensor<?x6xf32>, tensor<?x8xf32>, tensor<?x3x6xf32>, tensor<?x3x8xi1>
  }
  return %o#0, %o#1, %o#2, %o#3 : tensor<?x6xf32>, tensor<?x8xf32>, tensor<?x3x6xf32>, tensor<?x3x8xi1>
}
