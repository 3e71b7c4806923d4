//===- BareEnum.h - enum attributes as bare keywords ------------*- C++ -*-===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `custom<BareEnum>` directive of the assembly formats: `nn.unary tanh`
// rather than `nn.unary #nn<unary_kind tanh>`.
//
//===----------------------------------------------------------------------===//

#ifndef BELFRY_NN_BAREENUM_H
#define BELFRY_NN_BAREENUM_H

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace belfry {

template <typename AttrT>
mlir::ParseResult parseBareEnum(mlir::OpAsmParser &parser, AttrT &attr) {
  using EnumT = std::decay_t<decltype(attr.getValue())>;
  mlir::FailureOr<EnumT> value = mlir::FieldParser<EnumT>::parse(parser);
  if (mlir::failed(value))
    return mlir::failure();
  attr = AttrT::get(parser.getContext(), *value);
  return mlir::success();
}

template <typename AttrT>
void printBareEnum(mlir::OpAsmPrinter &printer, mlir::Operation *, AttrT attr) {
  if constexpr (requires { stringifyEnum(attr.getValue()); })
    printer << stringifyEnum(attr.getValue());
}

} // namespace belfry

#endif // BELFRY_NN_BAREENUM_H
