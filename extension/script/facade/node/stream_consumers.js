// Whole streams: those of Node, of the web, and what can be iterated.
import { StringDecoder } from "node:string_decoder";

async function parts(stream) {
	const all = [];
	for await (const chunk of stream) all.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
	return all;
}
export const buffer = async (stream) => Buffer.concat(await parts(stream));
export const arrayBuffer = async (stream) => { const b = await buffer(stream); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); };
export const blob = async (stream) => new Blob(await parts(stream));
export async function text(stream) {
	const decoder = new StringDecoder("utf8");
	let out = "";
	for await (const chunk of stream) out += typeof chunk === "string" ? chunk : decoder.write(chunk);
	return out + decoder.end();
}
export const json = async (stream) => JSON.parse(await text(stream));
export default { buffer, arrayBuffer, blob, text, json };
