//! The needs of two declarations according to TypeScript's own checker (5.9.3, with workspace
//! imports mapped to the sources): every name that is imported or declared next to them. They are
//! the ground truth of two figures.

/// The names that tRPC's `httpBatchLink` needs.
pub(super) const HTTP_BATCH_LINK: [&str; 16] = [
    "packages/client/src/TRPCClientError.ts#TRPCClientError",
    "packages/client/src/internals/dataLoader.ts#BatchLoader",
    "packages/client/src/internals/dataLoader.ts#dataLoader",
    "packages/client/src/internals/signals.ts#allAbortSignals",
    "packages/client/src/internals/types.ts#NonEmptyArray",
    "packages/client/src/links/HTTPBatchLinkOptions.ts#HTTPBatchLinkOptions",
    "packages/client/src/links/internals/httpUtils.ts#HTTPResult",
    "packages/client/src/links/internals/httpUtils.ts#getUrl",
    "packages/client/src/links/internals/httpUtils.ts#jsonHttpRequester",
    "packages/client/src/links/internals/httpUtils.ts#resolveHTTPLinkOptions",
    "packages/client/src/links/types.ts#Operation",
    "packages/client/src/links/types.ts#TRPCLink",
    "packages/server/src/observable/observable.ts#observable",
    "packages/server/src/unstable-core-do-not-import/procedure.ts#ProcedureType",
    "packages/server/src/unstable-core-do-not-import/router.ts#AnyRouter",
    "packages/server/src/unstable-core-do-not-import/transformer.ts#transformResult",
];

/// The names that tldraw's `getCurvedArrowInfo` needs.
pub(super) const CURVED_ARROW_INFO: [&str; 21] = [
    "packages/editor/src/lib/editor/Editor.ts#Editor",
    "packages/editor/src/lib/primitives/Mat.ts#Mat",
    "packages/editor/src/lib/primitives/Vec.ts#Vec",
    "packages/editor/src/lib/primitives/Vec.ts#VecLike",
    "packages/editor/src/lib/primitives/utils.ts#clockwiseAngleDist",
    "packages/editor/src/lib/primitives/utils.ts#counterClockwiseAngleDist",
    "packages/editor/src/lib/primitives/utils.ts#isSafeFloat",
    "packages/tldraw/src/lib/shapes/arrow/arrow-types.ts#TLArrowInfo",
    "packages/tldraw/src/lib/shapes/arrow/curved-arrow.ts#getArcInfo",
    "packages/tldraw/src/lib/shapes/arrow/curved-arrow.ts#placeCenterHandle",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#BOUND_ARROW_OFFSET",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#MIN_ARROW_LENGTH",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#TLArrowBindings",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#WAY_TOO_BIG_ARROW_BEND_FACTOR",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#clampArrowTerminalToMask",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#getArrowTerminalsInArrowSpace",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#getBoundShapeInfoForTerminal",
    "packages/tldraw/src/lib/shapes/arrow/shared.ts#getBoundShapeRelationships",
    "packages/tldraw/src/lib/shapes/arrow/straight-arrow.ts#getStraightArrowInfo",
    "packages/tldraw/src/lib/shapes/shared/default-shape-constants.ts#STROKE_SIZES",
    "packages/tlschema/src/shapes/TLArrowShape.ts#TLArrowShape",
];
