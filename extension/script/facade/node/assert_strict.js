import assert from "node:assert";

const strict = Object.assign((value, message) => assert(value, message), assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
strict.strict = strict;
export const { AssertionError, ok, fail, equal, notEqual, deepEqual, notDeepEqual, strictEqual, notStrictEqual, deepStrictEqual, notDeepStrictEqual, match, doesNotMatch, throws, doesNotThrow, rejects, doesNotReject, ifError } = strict;
export { strict };
export default strict;
