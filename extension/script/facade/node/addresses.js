// Addresses of the internet protocol, and lists of them.

export const isIPv4 = (s) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(s);
export const isIPv6 = (s) => numberOf6(String(s).replace(/%[\w.]+$/, "")) !== undefined;
export const isIP = (s) => (isIPv4(s) ? 4 : isIPv6(s) ? 6 : 0);

const numberOf4 = (s) => (isIPv4(s) ? s.split(".").reduce((n, part) => n * 256n + BigInt(part), 0n) : undefined);

function numberOf6(text) {
	if (!text.includes(":")) return undefined;
	const four = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
	if (four) {
		const n = numberOf4(four[2]);
		if (n === undefined) return undefined;
		text = `${four[1]}${(n >> 16n).toString(16)}:${(n & 0xffffn).toString(16)}`;
	}
	const halves = text.split("::");
	if (halves.length > 2) return undefined;
	const [head, tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
	const gap = 8 - head.length - tail.length;
	if (halves.length === 2 ? gap < 1 : gap !== 0) return undefined;
	const all = [...head, ...Array(gap).fill("0"), ...tail];
	if (!all.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
	return all.reduce((n, part) => n * 65536n + BigInt("0x" + part), 0n);
}

const bits = { ipv4: 32n, ipv6: 128n };
const mapped = 0xffffn << 32n; // ::ffff:0:0, where addresses of version 4 stand in version 6

function parse(address, family = "ipv4") {
	if (address instanceof SocketAddress) ({ address, family } = address);
	const n = family.toLowerCase() === "ipv6" ? numberOf6(address) : numberOf4(address);
	if (n === undefined) throw Object.assign(new TypeError(`Invalid address: ${address}`), { code: "ERR_INVALID_ADDRESS" });
	return { n, family: family.toLowerCase() };
}

export class SocketAddress {
	constructor({ address, family = "ipv4", port = 0, flowlabel = 0 } = {}) {
		this.family = family.toLowerCase();
		this.address = address ?? (this.family === "ipv6" ? "::" : "127.0.0.1");
		this.port = port;
		this.flowlabel = flowlabel;
		parse(this.address, this.family);
	}
}

export class BlockList {
	#ranges = [];
	rules = [];
	#add(family, from, to, rule) {
		this.#ranges.push({ family, from, to });
		this.rules.unshift(rule);
	}
	addAddress(address, family) {
		const a = parse(address, family);
		this.#add(a.family, a.n, a.n, `Address: ${a.family === "ipv6" ? "IPv6" : "IPv4"} ${address.address ?? address}`);
	}
	addRange(start, end, family) {
		const a = parse(start, family), b = parse(end, family);
		if (a.n > b.n) throw Object.assign(new TypeError("The start of a range must not come after its end"), { code: "ERR_INVALID_ARG_VALUE" });
		this.#add(a.family, a.n, b.n, `Range: ${a.family === "ipv6" ? "IPv6" : "IPv4"} ${start.address ?? start}-${end.address ?? end}`);
	}
	addSubnet(net, prefix, family) {
		const a = parse(net, family);
		const size = 1n << (bits[a.family] - BigInt(prefix));
		const from = (a.n / size) * size;
		this.#add(a.family, from, from + size - 1n, `Subnet: ${a.family === "ipv6" ? "IPv6" : "IPv4"} ${net.address ?? net}/${prefix}`);
	}
	check(address, family) {
		let a;
		try { a = parse(address, family); } catch { return false; }
		const inside = (f, n) => this.#ranges.some((r) => r.family === f && n >= r.from && n <= r.to);
		if (inside(a.family, a.n)) return true;
		return a.family === "ipv6" && a.n >> 32n === 0xffffn && inside("ipv4", a.n - mapped);
	}
	static isBlockList(value) { return value instanceof BlockList; }
}
