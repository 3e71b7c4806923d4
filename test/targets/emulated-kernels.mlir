// Kernels for GPUs against the interpreter, in sizes that take several blocks: tiles of 16 to 64 rows and columns, groups of threads that share
// sums, long sums in parts, transposes of several tiles, scans and scatters whose rows are dealt to blocks.
// RUN: belfry-host-check %s --target=cuda-emulated --batch=0,1,9,150 --towers=1,2 | FileCheck %s
// RUN: belfry-host-check %S/host-product.mlir --target=cuda-emulated --batch=0,1,5 --towers=1,2 | FileCheck %s
// RUN: belfry-host-check %S/host-index.mlir --target=cuda-emulated --batch=0,1,7 --towers=1,3 | FileCheck %s
// RUN: belfry-host-check %S/host-movement.mlir --target=cuda-emulated --batch=0,1,18 --towers=1,2 --tolerance=0 | FileCheck %s
// RUN: belfry-host-check %S/host-reduce.mlir --target=cuda-emulated --batch=0,1,33 --towers=1,2 | FileCheck %s
// RUN: belfry-host-check %S/host-scan.mlir --target=cuda-emulated --batch=0,1,5,150 --towers=1,2 | FileCheck %s
// CHECK: {{^([0-9]+) of \1 results agree}}

func.func @gradients(%x: tensor<?x40x70xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                     %y: tensor<?x40x90xf32> {nn.role = #nn.role<input>, nn.name = "y"},
                     %n: tensor<?x40x5xi32> {nn.role = #nn.role<input>, nn.name = "n"},
                     %k: tensor<70x130xf32> {nn.role = #nn.role<parameter>, nn.name = "k"})
    -> (tensor<70x90xf32> {nn.role = #nn.role<gradient>, nn.name = "a"},
        tensor<5x5xi32> {nn.role = #nn.role<gradient>, nn.name = "b"},
        tensor<90xf32> {nn.role = #nn.role<gradient>, nn.name = "c"},
        tensor<?x40x130xf32> {nn.role = #nn.role<output>, nn.name = "d"}) {
  %a = nn.dot %x, %y contract = [0, 1] * [0, 1] : tensor<?x40x70xf32>, tensor<?x40x90xf32> -> tensor<70x90xf32>
  %b = nn.dot %n, %n contract = [0, 1] * [0, 1] : tensor<?x40x5xi32>, tensor<?x40x5xi32> -> tensor<5x5xi32>
  %c = nn.reduce sum %y dims = [0, 1] : tensor<?x40x90xf32> -> tensor<90xf32>
  %d = nn.dot %x, %k contract = [2] * [0] : tensor<?x40x70xf32>, tensor<70x130xf32> -> tensor<?x40x130xf32>
  return %a, %b, %c, %d : tensor<70x90xf32>, tensor<5x5xi32>, tensor<90xf32>, tensor<?x40x130xf32>
}

func.func @layers(%x: tensor<?x300xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                  %k: tensor<300x100xf32> {nn.role = #nn.role<parameter>, nn.name = "k"},
                  %l: tensor<10x300xf32> {nn.role = #nn.role<parameter>, nn.name = "l"},
                  %m: tensor<300x1xf32> {nn.role = #nn.role<parameter>, nn.name = "m"})
    -> (tensor<?x100xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x10xf32> {nn.role = #nn.role<output>, nn.name = "b"},
        tensor<?x1xf32> {nn.role = #nn.role<output>, nn.name = "c"}) {
  %a = nn.dot %x, %k contract = [1] * [0] : tensor<?x300xf32>, tensor<300x100xf32> -> tensor<?x100xf32>
  %b = nn.dot %x, %l contract = [1] * [1] : tensor<?x300xf32>, tensor<10x300xf32> -> tensor<?x10xf32>
  %c = nn.dot %x, %m contract = [1] * [0] : tensor<?x300xf32>, tensor<300x1xf32> -> tensor<?x1xf32>
  return %a, %b, %c : tensor<?x100xf32>, tensor<?x10xf32>, tensor<?x1xf32>
}

func.func @transposes(%x: tensor<?x70x45xf32> {nn.role = #nn.role<input>, nn.name = "x"},
                      %n: tensor<?x9x40xi32> {nn.role = #nn.role<input>, nn.name = "n"})
    -> (tensor<?x45x70xf32> {nn.role = #nn.role<output>, nn.name = "a"},
        tensor<?x40x9xi1> {nn.role = #nn.role<output>, nn.name = "b"}) {
  %a = nn.transpose %x perm = [0, 2, 1] : tensor<?x70x45xf32> -> tensor<?x45x70xf32>
  %zero = nn.constant dense<0> : tensor<i32>
  %zeros = nn.broadcast %zero dims = [] like %n : tensor<i32>, tensor<?x9x40xi32> -> tensor<?x9x40xi32>
  %p = nn.compare lt %zeros, %n : tensor<?x9x40xi32>
  %b = nn.transpose %p perm = [0, 2, 1] : tensor<?x9x40xi1> -> tensor<?x40x9xi1>
  return %a, %b : tensor<?x45x70xf32>, tensor<?x40x9xi1>
}
