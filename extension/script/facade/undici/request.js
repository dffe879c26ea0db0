// request of undici: fetch with another form of the answer, which follows no redirects.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { errors } from "./errors.js";

// flat makes pairs of headers, which may also be a list of names and values in turn.
function flat(headers) {
	if (!headers) return [];
	if (Array.isArray(headers) && !Array.isArray(headers[0])) return headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : []));
	const list = typeof headers[Symbol.iterator] === "function" ? [...headers] : Object.entries(headers);
	return list.flatMap(([name, value]) => (Array.isArray(value) ? value.map((v) => [name, v]) : [[name, value]]));
}

function addressOf(url, { origin, path, query } = {}) {
	const address = typeof url === "string" || url instanceof URL ? new URL(url) : new URL(url.path ?? url.pathname ?? "/", url.origin ?? `${url.protocol}//${url.hostname}:${url.port}`);
	const full = path === undefined ? address : new URL(path, origin ?? address.origin);
	for (const [key, value] of Object.entries(query ?? {})) for (const v of [value].flat()) full.searchParams.append(key, v);
	return full;
}

// headersOf keeps each header that comes several times as a list.
function headersOf(headers) {
	const out = {};
	for (const [name, value] of headers) out[name] = name in out ? [out[name], value].flat() : value;
	return out;
}

// A body can be read as a stream, or as a whole.
function readable(response) {
	const body = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
	for (const form of ["text", "json", "arrayBuffer", "bytes", "blob", "formData"]) {
		body[form] = async () => new Response(await buffer(body), { headers: response.headers })[form]();
	}
	body.dump = async () => { body.destroy(); };
	return body;
}

export async function request(url, options = {}, more = {}) {
	const { method, body, signal, dispatcher, throwOnError, opaque = null } = options;
	const maxRedirections = options.maxRedirections ?? 0;
	const stream = body instanceof Readable ? Readable.toWeb(body) : body;
	let response;
	try {
		response = await fetch(addressOf(url, options), {
			method: method ?? (body === undefined || body === null ? "GET" : "PUT"), headers: flat(options.headers), body: stream, signal,
			redirect: maxRedirections > 0 ? "follow" : "manual", dispatcher: dispatcher ?? more.dispatcher, duplex: "half",
		});
	} catch (error) {
		if (signal?.aborted) throw Object.assign(new errors.RequestAbortedError("Request aborted"), { cause: error });
		const kind = Object.values(errors).find((kind) => error.code !== undefined && new kind("").code === error.code);
		throw kind ? new kind(error.message, { cause: error }) : error;
	}
	if (throwOnError && response.status >= 400) {
		throw Object.assign(new errors.ResponseStatusCodeError(`Response status code ${response.status}`), { status: response.status, statusCode: response.status, headers: headersOf(response.headers), body: await response.text() });
	}
	return { statusCode: response.status, headers: headersOf(response.headers), body: readable(response), trailers: {}, opaque, context: {} };
}
