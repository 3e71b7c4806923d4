//===- NnScan.cpp - assembly form and builder of nn.scan ------------------===//
//
// Part of Belfry, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Nn.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace belfry::nn;

/// `type` with an extent in front, or without the first one.
static RankedTensorType stack(Type type, int64_t steps) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape{steps};
  llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, tensor.getElementType());
}
static RankedTensorType element(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape().drop_front(),
                               tensor.getElementType());
}

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange inits,
                   ValueRange sequences, ValueRange closed, Value mask,
                   bool reverse, int64_t steps, TypeRange outputStepTypes) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(inits);
  state.addOperands(sequences);
  state.addOperands(closed);
  if (mask)
    state.addOperands(mask);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(inits.size()),
                                    static_cast<int32_t>(sequences.size()),
                                    static_cast<int32_t>(closed.size()),
                                    mask ? 1 : 0};
  properties.resultSegmentSizes = {
      static_cast<int32_t>(inits.size()),
      static_cast<int32_t>(outputStepTypes.size())};
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  if (sequences.empty())
    properties.length = builder.getI64IntegerAttr(steps);
  state.addTypes(inits.getTypes());
  for (Type type : outputStepTypes)
    state.addTypes(stack(type, steps));
  Block *body = builder.createBlock(state.addRegion());
  for (Value v : inits)
    body->addArgument(v.getType(), state.location);
  for (Value v : sequences)
    body->addArgument(element(v.getType()), state.location);
  for (Value v : closed)
    body->addArgument(v.getType(), state.location);
}

int64_t ScanOp::getSteps() {
  if (!getSequences().empty())
    return cast<RankedTensorType>(getSequences()[0].getType()).getDimSize(0);
  return getLength().value_or(0);
}

Block::BlockArgListType ScanOp::getCarriedArgs() {
  return getBody().getArguments().take_front(getInits().size());
}
Block::BlockArgListType ScanOp::getSequenceArgs() {
  return getBody().getArguments().slice(getInits().size(),
                                        getSequences().size());
}
Block::BlockArgListType ScanOp::getClosedArgs() {
  return getBody().getArguments().take_back(getClosed().size());
}
YieldOp ScanOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<int32_t> segments;
  auto part = [&](StringRef keyword) -> ParseResult {
    size_t before = operands.size();
    if (succeeded(parser.parseOptionalKeyword(keyword)))
      if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
        return failure();
    segments.push_back(static_cast<int32_t>(operands.size() - before));
    return success();
  };
  if (part("carry") || part("sequences") || part("closed") || part("mask"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    result.addAttribute("reverse", parser.getBuilder().getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("length"))) {
    int64_t length;
    if (parser.parseEqual() || parser.parseInteger(length))
      return failure();
    result.addAttribute("length",
                        parser.getBuilder().getI64IntegerAttr(length));
  }
  FunctionType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  if (type.getNumResults() < static_cast<unsigned>(segments[0]))
    return parser.emitError(loc, "expected a result for each of the ")
           << segments[0] << " carried values, got " << type.getNumResults();
  result.addTypes(type.getResults());
  auto &properties = result.getOrAddProperties<Properties>();
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  properties.resultSegmentSizes = {
      segments[0], static_cast<int32_t>(type.getNumResults()) - segments[0]};
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  auto part = [&](StringRef keyword, ValueRange values) {
    if (!values.empty())
      printer << ' ' << keyword << '(' << values << ')';
  };
  part("carry", getInits());
  part("sequences", getSequences());
  part("closed", getClosed());
  if (getMask())
    part("mask", getMask());
  if (getReverse())
    printer << " reverse";
  if (getLength())
    printer << " length = " << *getLength();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"reverse", "length", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}
