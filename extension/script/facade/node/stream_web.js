const { ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream, CompressionStream, DecompressionStream, CountQueuingStrategy, ByteLengthQueuingStrategy } = globalThis;
export { ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream, CompressionStream, DecompressionStream, CountQueuingStrategy, ByteLengthQueuingStrategy };
export default { ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream, CompressionStream, DecompressionStream, CountQueuingStrategy, ByteLengthQueuingStrategy };
