// URL and URLSearchParams; Go parses.
import { host } from "rondo:host";

const encode = (s) => encodeURIComponent(s).replace(/%20/g, "+").replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
const decode = (s) => {
	const plain = s.replace(/\+/g, " ");
	try { return decodeURIComponent(plain); } catch { return plain; }
};

export class URLSearchParams {
	#list = [];
	#changed;
	constructor(init = "", changed) {
		this.#changed = changed;
		if (typeof init === "object" && init !== null) {
			if (init instanceof URLSearchParams) this.#list = [...init];
			else if (typeof init[Symbol.iterator] === "function") this.#list = [...init].map(([k, v]) => [String(k), String(v)]);
			else this.#list = Object.entries(init).map(([k, v]) => [k, String(v)]);
			return;
		}
		this.#list = String(init).replace(/^\?/, "").split("&").filter((p) => p !== "").map((p) => {
			const at = p.indexOf("=");
			return at < 0 ? [decode(p), ""] : [decode(p.slice(0, at)), decode(p.slice(at + 1))];
		});
	}
	#touch() { this.#changed?.(this.toString()); }
	get size() { return this.#list.length; }
	append(name, value) { this.#list.push([String(name), String(value)]); this.#touch(); }
	delete(name, value) { this.#list = this.#list.filter(([k, v]) => k !== String(name) || (value !== undefined && v !== String(value))); this.#touch(); }
	get(name) { return this.#list.find(([k]) => k === String(name))?.[1] ?? null; }
	getAll(name) { return this.#list.filter(([k]) => k === String(name)).map(([, v]) => v); }
	has(name, value) { return this.#list.some(([k, v]) => k === String(name) && (value === undefined || v === String(value))); }
	set(name, value) {
		const at = this.#list.findIndex(([k]) => k === String(name));
		if (at < 0) this.#list.push([String(name), String(value)]);
		else {
			this.#list[at][1] = String(value);
			this.#list = this.#list.filter(([k], i) => i <= at || k !== String(name));
		}
		this.#touch();
	}
	sort() { this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#touch(); }
	forEach(fn, self) { for (const [k, v] of this.#list) fn.call(self, v, k, this); }
	keys() { return this.#list.map(([k]) => k)[Symbol.iterator](); }
	values() { return this.#list.map(([, v]) => v)[Symbol.iterator](); }
	entries() { return this.#list.map((p) => [...p])[Symbol.iterator](); }
	[Symbol.iterator]() { return this.entries(); }
	toString() { return this.#list.map(([k, v]) => encode(k) + "=" + encode(v)).join("&"); }
}

export class URL {
	#u;
	#params;
	constructor(url, base) {
		try {
			this.#u = host("url.parse", { url: String(url), base: base === undefined ? "" : String(base) });
		} catch {
			throw Object.assign(new TypeError(`Invalid URL: ${url}`), { code: "ERR_INVALID_URL", input: String(url) });
		}
	}
	static canParse(url, base) { try { new URL(url, base); return true; } catch { return false; } }
	static parse(url, base) { try { return new URL(url, base); } catch { return null; } }
	#set(change) {
		const next = { ...this.#u, ...change };
		try { this.#u = host("url.parse", { url: join(next), base: "" }); } catch { return; }
		this.#params = undefined;
	}
	get href() { return this.#u.href; }
	set href(v) { this.#u = new URL(v).#u; this.#params = undefined; }
	get origin() { return this.#u.origin; }
	get protocol() { return this.#u.protocol; }
	set protocol(v) { this.#set({ protocol: String(v).replace(/:?$/, ":") }); }
	get username() { return this.#u.username; }
	set username(v) { this.#set({ username: encodeURIComponent(v) }); }
	get password() { return this.#u.password; }
	set password(v) { this.#set({ password: encodeURIComponent(v) }); }
	get host() { return this.#u.hostname + (this.#u.port ? ":" + this.#u.port : ""); }
	set host(v) { const [hostname, port = ""] = String(v).split(":"); this.#set({ hostname, port }); }
	get hostname() { return this.#u.hostname; }
	set hostname(v) { this.#set({ hostname: String(v) }); }
	get port() { return this.#u.port; }
	set port(v) { this.#set({ port: String(v) }); }
	get pathname() { return this.#u.pathname; }
	set pathname(v) { this.#set({ pathname: String(v).replace(/[?#]/g, encodeURIComponent) }); }
	get search() { return this.#u.search; }
	set search(v) { const s = String(v); this.#set({ search: s === "" || s === "?" ? "" : s.replace(/^\??/, "?") }); }
	get hash() { return this.#u.hash; }
	set hash(v) { const s = String(v); this.#set({ hash: s === "" || s === "#" ? "" : s.replace(/^#?/, "#") }); }
	get searchParams() {
		this.#params ??= new URLSearchParams(this.#u.search, (text) => {
			this.#u.search = text === "" ? "" : "?" + text;
			this.#u.href = join(this.#u);
		});
		return this.#params;
	}
	toString() { return this.href; }
	toJSON() { return this.href; }
}

function join(u) {
	const user = u.username ? u.username + (u.password ? ":" + u.password : "") + "@" : "";
	const authority = u.hostname || u.protocol === "file:" ? "//" + user + u.hostname + (u.port ? ":" + u.port : "") : "";
	return u.protocol + authority + u.pathname + u.search + u.hash;
}
