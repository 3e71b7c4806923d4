// A program that LLVM's code generator gives up on: an instruction of another processor.
module @fatal attributes {
    belfry.stage = "target",
    belfry.program = {model = "fatal", towers = 1 : i64, slicing = "balanced", inputs = [], outputs = [], targets = [],
                      sample_weights = [], losses = [], metrics = [], parameters = [], layers = []},
    belfry.phases = [@p],
    belfry.functions = {predict = {buffers = [], schedule = [{phase = 0 : i64, run = "per_tower"}]}}} {
  llvm.func @p(%args: !llvm.ptr) {
    %v = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.clock"() : () -> i32
    llvm.store volatile %v, %args : i32, !llvm.ptr
    llvm.return
  }
}
