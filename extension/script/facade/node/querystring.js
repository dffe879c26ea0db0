export const escape = (s) => encodeURIComponent(s).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
export const unescape = (s) => { try { return decodeURIComponent(s); } catch { return s; } };
export const stringify = (o, sep = "&", eq = "=") => Object.entries(o ?? {}).flatMap(([k, v]) => [].concat(v).map((x) => escape(k) + eq + escape(x ?? ""))).join(sep);
export function parse(text, sep = "&", eq = "=") {
	const out = {};
	if (typeof text !== "string") return out;
	for (const pair of text.split(sep).filter(Boolean)) {
		const [k, ...rest] = pair.split(eq);
		const key = unescape(k.replace(/\+/g, " ")), value = unescape(rest.join(eq).replace(/\+/g, " "));
		out[key] = key in out ? [].concat(out[key], value) : value;
	}
	return out;
}
export { stringify as encode, parse as decode };
export default { escape, unescape, stringify, parse, encode: stringify, decode: parse };
