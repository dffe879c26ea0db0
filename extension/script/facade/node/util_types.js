import { types } from "node:util";

export const {
	isPromise, isDate, isRegExp, isMap, isSet, isWeakMap, isWeakSet, isMapIterator, isSetIterator, isNativeError, isTypedArray, isAnyArrayBuffer, isArrayBuffer, isSharedArrayBuffer,
	isArrayBufferView, isDataView, isUint8Array, isUint8ClampedArray, isUint16Array, isUint32Array, isInt8Array, isInt16Array, isInt32Array, isFloat32Array, isFloat64Array,
	isBigInt64Array, isBigUint64Array, isAsyncFunction, isGeneratorFunction, isGeneratorObject, isProxy, isBoxedPrimitive, isNumberObject, isStringObject, isBooleanObject,
	isBigIntObject, isSymbolObject, isArgumentsObject, isModuleNamespaceObject, isExternal, isKeyObject, isCryptoKey,
} = types;
export default types;
