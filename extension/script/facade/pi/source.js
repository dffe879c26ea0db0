// Where a resource comes from.
export const createSyntheticSourceInfo = (file, options = {}) => ({ path: file, source: options.source ?? "synthetic", scope: options.scope ?? "temporary", origin: options.origin ?? "top-level", baseDir: options.baseDir });
