//===- NnOps.cpp - assembly forms, builders and types of nn ops -----------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/BareEnum.h"
#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionImplementation.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace belfry;
using namespace belfry::nn;

llvm::StringRef belfry::nn::layerOf(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

bool belfry::nn::isNarrow(Type element) {
  return element.isF16() || element.isBF16();
}

bool belfry::nn::computesInNarrow(Operation *op) {
  auto isNarrowTensor = [](Type type) {
    return isNarrow(getElementTypeOrSelf(type));
  };
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    Type from = getElementTypeOrSelf(convert.getOperand()),
         to = getElementTypeOrSelf(convert);
    return from != to &&
           ((isNarrow(from) && !to.isF32()) || (isNarrow(to) && !from.isF32()));
  }
  if (isa<IotaOp>(op))
    return isNarrowTensor(op->getResult(0).getType());
  return op->hasTrait<Arithmetic>() &&
         llvm::any_of(op->getOperandTypes(), isNarrowTensor);
}

llvm::StringRef belfry::nn::dtypeName(Type element) {
  if (isa<FloatType>(element))
    return element.isF64()    ? "f64"
           : element.isF16()  ? "f16"
           : element.isBF16() ? "bf16"
                              : "f32";
  switch (element.getIntOrFloatBitWidth()) {
  case 1:
    return "i1";
  case 8:
    return "i8";
  case 32:
    return "i32";
  default:
    return "i64";
  }
}

//===----------------------------------------------------------------------===//
// nn.constant
//===----------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &builder, OperationState &state,
                       RankedTensorType type, double splat) {
  Type element = type.getElementType();
  Attribute value;
  if (isa<FloatType>(element))
    value = builder.getFloatAttr(element, splat);
  else
    value = builder.getIntegerAttr(element, static_cast<int64_t>(splat));
  build(builder, state, type,
        cast<ElementsAttr>(DenseElementsAttr::get(type, value)));
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

//===----------------------------------------------------------------------===//
// nn.unary
//===----------------------------------------------------------------------===//

void UnaryOp::build(OpBuilder &builder, OperationState &state, UnaryKind kind,
                    Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (kind == UnaryKind::IsFinite)
    type = type.clone(builder.getI1Type());
  build(builder, state, type, kind, operand);
}

/// Parses `operands attr-dict : type [-> type]`; the result type is the
/// operands' where it is not given.
static ParseResult parseElementwise(OpAsmParser &parser, OperationState &result,
                                    unsigned count, Type resultElement) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(count);
  for (unsigned i = 0; i < count; ++i)
    if ((i && parser.parseComma()) || parser.parseOperand(operands[i]))
      return failure();
  RankedTensorType type;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type, result.operands))
    return failure();
  Type resultType = resultElement ? type.clone(resultElement) : type;
  if (succeeded(parser.parseOptionalArrow()) && parser.parseType(resultType))
    return failure();
  result.addTypes(resultType);
  return success();
}

ParseResult UnaryOp::parse(OpAsmParser &parser, OperationState &result) {
  UnaryKindAttr kind;
  if (parseBareEnum(parser, kind))
    return failure();
  result.addAttribute(getKindAttrName(result.name), kind);
  return parseElementwise(parser, result, 1, {});
}

void UnaryOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyEnum(getKind()) << ' ' << getOperand();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind"});
  printer << " : " << getOperand().getType();
  if (getType() != getOperand().getType())
    printer << " -> " << getType();
}

//===----------------------------------------------------------------------===//
// nn.compare, nn.select
//===----------------------------------------------------------------------===//

void CompareOp::build(OpBuilder &builder, OperationState &state,
                      CompareKind kind, Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  build(builder, state, type.clone(builder.getI1Type()), kind, lhs, rhs);
}

ParseResult CompareOp::parse(OpAsmParser &parser, OperationState &result) {
  CompareKindAttr kind;
  if (parseBareEnum(parser, kind))
    return failure();
  result.addAttribute(getKindAttrName(result.name), kind);
  return parseElementwise(parser, result, 2, parser.getBuilder().getI1Type());
}

void CompareOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyEnum(getKind()) << ' ' << getLhs() << ", "
          << getRhs();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind"});
  printer << " : " << getLhs().getType();
}

ParseResult SelectOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand condition, onTrue, onFalse;
  RankedTensorType type;
  if (parser.parseOperand(condition) || parser.parseComma() ||
      parser.parseOperand(onTrue) || parser.parseComma() ||
      parser.parseOperand(onFalse) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  Type mask = type.clone(parser.getBuilder().getI1Type());
  result.addTypes(type);
  return failure(parser.resolveOperand(condition, mask, result.operands) ||
                 parser.resolveOperand(onTrue, type, result.operands) ||
                 parser.resolveOperand(onFalse, type, result.operands));
}

void SelectOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition() << ", " << getOnTrue() << ", "
          << getOnFalse();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getType();
}

//===----------------------------------------------------------------------===//
// nn.pad
//===----------------------------------------------------------------------===//

static ParseResult parseNamedList(OpAsmParser &parser, StringRef name,
                                  NamedAttrList &attributes) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  Attribute list = DenseI64ArrayAttr::parse(parser, {});
  if (!list)
    return failure();
  attributes.append(name, list);
  return success();
}

ParseResult PadOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand, value;
  RankedTensorType type, resultType;
  if (parser.parseOperand(operand) || parser.parseComma() ||
      parser.parseOperand(value) ||
      parseNamedList(parser, "low", result.attributes) ||
      parseNamedList(parser, "high", result.attributes) ||
      parseNamedList(parser, "interior", result.attributes) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) || parser.parseArrow() ||
      parser.parseType(resultType))
    return failure();
  result.addTypes(resultType);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  return failure(parser.resolveOperand(operand, type, result.operands) ||
                 parser.resolveOperand(value, scalar, result.operands));
}

void PadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand() << ", " << getValue();
  for (auto [name, list] :
       {std::pair<StringRef, DenseI64ArrayAttr>{"low", getLowAttr()},
        {"high", getHighAttr()},
        {"interior", getInteriorAttr()}}) {
    printer << ' ' << name << " = ";
    list.print(printer);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"low", "high", "interior"});
  printer << " : " << getOperand().getType() << " -> " << getType();
}

//===----------------------------------------------------------------------===//
// nn.dim_size
//===----------------------------------------------------------------------===//

void DimSizeOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      int64_t dim) {
  build(builder, state, RankedTensorType::get({}, builder.getI32Type()),
        operand, builder.getI64IntegerAttr(dim));
}

//===----------------------------------------------------------------------===//
// nn.get_parameter
//===----------------------------------------------------------------------===//

LogicalResult GetParameterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The parameter lives in the module, the model is a symbol table of its own.
  auto module = (*this)->getParentOfType<ModuleOp>();
  auto parameter =
      module ? symbols.lookupSymbolIn<ParameterOp>(module, getParameterAttr())
             : ParameterOp();
  if (!parameter)
    return emitOpError("names '")
           << getParameter() << "', which is no nn.parameter of the module";
  if (parameter.getType() != getType()) {
    InFlightDiagnostic diag = emitOpError("has type ")
                              << getType() << ", but parameter '"
                              << getParameter() << "' has type "
                              << parameter.getType();
    diag.attachNote(parameter.getLoc()) << "parameter defined here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// nn.model
//===----------------------------------------------------------------------===//

ParseResult ModelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto functionType = [](Builder &builder, ArrayRef<Type> arguments,
                         ArrayRef<Type> results,
                         function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), functionType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ModelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.cpp.inc"
