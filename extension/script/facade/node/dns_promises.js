// Names of hosts.
import { hostAsync } from "rondo:host";
import { isIP } from "node:net";

export async function lookup(hostname, options = {}) {
	const { family = 0, all = false } = typeof options === "number" ? { family: options } : options;
	const wanted = { IPv4: 4, IPv6: 6 }[family] ?? family;
	const known = isIP(hostname);
	const addresses = known ? [{ address: hostname, family: known }] : (await hostAsync("dns.lookup", { name: String(hostname), syscall: "getaddrinfo", family: wanted })).map((address) => ({ address, family: isIP(address) }));
	return all ? addresses : addresses[0];
}
const resolved = (kind, family) => (name) => hostAsync(kind, { name: String(name), syscall: "query" + (family === 6 ? "Aaaa" : "A"), family });
export const resolve4 = resolved("dns.lookup", 4);
export const resolve6 = resolved("dns.lookup", 6);
export const resolveTxt = async (name) => (await hostAsync("dns.text", { name: String(name), syscall: "queryTxt" })).map((text) => [text]);
export function resolve(name, type = "A") {
	const by = { A: resolve4, AAAA: resolve6, TXT: resolveTxt }[type];
	if (!by) throw new Error(`resolve of node:dns for the type ${type} is not supported by this host`);
	return by(name);
}
export const reverse = (address) => hostAsync("dns.reverse", { name: String(address), syscall: "getHostByAddr" });
export const getServers = () => [];
export const setServers = () => {};
export const setDefaultResultOrder = () => {};
export const getDefaultResultOrder = () => "verbatim";
export class Resolver {
	resolve4(name) { return resolve4(name); }
	resolve6(name) { return resolve6(name); }
	resolveTxt(name) { return resolveTxt(name); }
	resolve(name, type) { return resolve(name, type); }
	reverse(address) { return reverse(address); }
	setServers() {}
	getServers() { return []; }
	cancel() {}
}
export const NOTFOUND = "ENOTFOUND", NODATA = "ENODATA", SERVFAIL = "ESERVFAIL", TIMEOUT = "ETIMEOUT", REFUSED = "EREFUSED";
export default { lookup, resolve, resolve4, resolve6, resolveTxt, reverse, getServers, setServers, setDefaultResultOrder, getDefaultResultOrder, Resolver, NOTFOUND, NODATA, SERVFAIL, TIMEOUT, REFUSED };
