// y = x · k, three columns: a program by hand, at the stage where it is LLVM dialect.
module @scale attributes {
    belfry.stage = "target",
    belfry.program = {
      model = "scale", keras_version = "3.15.1", towers = 2 : i64, slicing = "balanced",
      inputs = [{name = "x", dtype = "f32", shape = array<i64: -1, 3>}],
      outputs = [{name = "y", dtype = "f32", shape = array<i64: -1, 3>}],
      targets = [], sample_weights = [], losses = [], metrics = [],
      parameters = [{name = "scale/k", path = "layers/scale/vars/0", dtype = "f32", shape = array<i64: 3>, trainable = true,
                     layer = "scale", initializer = {name = "constant", value = 2.0 : f32}, stream = 1 : i32}],
      layers = [{name = "scale", class = "Scale", output_shape = array<i64: -1, 3>, parameters = 3 : i64}]},
    belfry.phases = [@predict_p0],
    belfry.functions = {predict = {
      buffers = [{kind = "input", index = 0 : i64, name = "x", scope = "tower", dtype = "f32", bytes = [12, 0]},
                 {kind = "parameter", index = 0 : i64, name = "scale/k", scope = "shared", dtype = "f32", bytes = [0, 12]},
                 {kind = "output", index = 0 : i64, name = "y", scope = "tower", dtype = "f32", bytes = [12, 0]}],
      schedule = [{phase = 0 : i64, run = "per_tower"}]}}} {
  llvm.func @predict_p0(%args: !llvm.ptr) {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %three = llvm.mlir.constant(3 : i64) : i64
    %rows = llvm.load %args : !llvm.ptr -> i64
    %count = llvm.mul %rows, %three : i64
    %field = llvm.getelementptr %args[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %table = llvm.load %field : !llvm.ptr -> !llvm.ptr
    %k1 = llvm.getelementptr %table[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %k2 = llvm.getelementptr %table[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %x = llvm.load %table : !llvm.ptr -> !llvm.ptr
    %k = llvm.load %k1 : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %k2 : !llvm.ptr -> !llvm.ptr
    llvm.br ^test(%zero : i64)
  ^test(%i: i64):
    %more = llvm.icmp "slt" %i, %count : i64
    llvm.cond_br %more, ^body, ^end
  ^body:
    %c = llvm.srem %i, %three : i64
    %xp = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %kp = llvm.getelementptr %k[%c] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %yp = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %xv = llvm.load %xp : !llvm.ptr -> f32
    %kv = llvm.load %kp : !llvm.ptr -> f32
    %v = llvm.fmul %xv, %kv : f32
    llvm.store %v, %yp : f32, !llvm.ptr
    %next = llvm.add %i, %one : i64
    llvm.br ^test(%next : i64)
  ^end:
    llvm.return
  }
}
