const { URL, URLSearchParams } = globalThis;
export { URL, URLSearchParams };

const windows = process.platform === "win32";
export function fileURLToPath(value) {
	const url = typeof value === "string" ? new URL(value) : value;
	if (url.protocol !== "file:") throw Object.assign(new TypeError("The URL must be of scheme file"), { code: "ERR_INVALID_URL_SCHEME" });
	const path = decodeURIComponent(url.pathname);
	return windows ? path.replace(/^\/([A-Za-z]:)/, "$1").replace(/\//g, "\\") : path;
}
export function pathToFileURL(path) {
	let p = __rondo.require("node:path").resolve(path);
	if (windows) p = "/" + p.replace(/\\/g, "/");
	if (/[/\\]$/.test(path) && !p.endsWith("/")) p += "/";
	return new URL("file://" + p.split("/").map((s) => encodeURIComponent(s).replace(/%3A/gi, ":").replace(/%40/g, "@")).join("/"));
}
export const urlToHttpOptions = (u) => ({ protocol: u.protocol, hostname: u.hostname, hash: u.hash, search: u.search, pathname: u.pathname, path: u.pathname + u.search, href: u.href, port: u.port === "" ? undefined : Number(u.port), auth: u.username ? decodeURIComponent(u.username) + ":" + decodeURIComponent(u.password) : undefined });
export function parse(text, query) {
	let u;
	try { u = new URL(text); } catch {
		const at = text.indexOf("?");
		const pathname = at < 0 ? text : text.slice(0, at), search = at < 0 ? "" : text.slice(at);
		return { protocol: null, host: null, hostname: null, port: null, pathname, search: search || null, query: query ? Object.fromEntries(new URLSearchParams(search)) : search.slice(1) || null, hash: null, path: text, href: text };
	}
	return { protocol: u.protocol, slashes: true, auth: u.username || null, host: u.host, hostname: u.hostname, port: u.port || null, pathname: u.pathname, search: u.search || null, query: query ? Object.fromEntries(u.searchParams) : u.search.slice(1) || null, hash: u.hash || null, path: u.pathname + u.search, href: u.href };
}
export const format = (u) => (u instanceof URL ? u.href : `${u.protocol ?? ""}//${u.host ?? (u.hostname ?? "") + (u.port ? ":" + u.port : "")}${u.pathname ?? ""}${u.search ?? ""}${u.hash ?? ""}`);
export const resolve = (from, to) => new URL(to, from).href;
export const domainToASCII = (d) => { try { return new URL("http://" + d).hostname; } catch { return ""; } };
export const domainToUnicode = (d) => domainToASCII(d);
export const resolveObject = (from, to) => parse(resolve(from, to));
export class Url {}
export default { Url, domainToUnicode, resolveObject, URL, URLSearchParams, fileURLToPath, pathToFileURL, urlToHttpOptions, parse, format, resolve, domainToASCII };
