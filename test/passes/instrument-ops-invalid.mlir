// RUN: belfry-opt %s --instrument-ops -verify-diagnostics

func.func private @kernel()
// expected-error @+1 {{has no rows yet; --host-entry-points runs first}}
func.func private @g_p0(%args: !llvm.ptr) attributes {belfry.function = "g"} {
  call @kernel() : () -> ()
  return
}
