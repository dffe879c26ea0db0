// Intl: segments of text, dates and numbers of American English.
import { host } from "rondo:host";

class Segmenter {
	#granularity;
	constructor(locale, options = {}) {
		void locale;
		this.#granularity = options.granularity ?? "grapheme";
	}
	segment(input) {
		const text = String(input);
		const granularity = this.#granularity;
		let list;
		const all = () => (list ??= segments(text, granularity));
		return {
			[Symbol.iterator]: () => all()[Symbol.iterator](),
			containing: (at = 0) => all().findLast((s) => s.index <= at),
		};
	}
	resolvedOptions() { return { locale: "en-US", granularity: this.#granularity }; }
}

const plain = /^[\x20-\x7e]*$/;
function segments(text, granularity) {
	const parts = granularity === "grapheme" && plain.test(text) ? text.split("") : host("text.segment", { text, granularity });
	let index = 0;
	return parts.map((part) => {
		const [segment, isWordLike] = Array.isArray(part) ? part : [part];
		const out = { segment, index, input: text };
		if (granularity === "word") out.isWordLike = isWordLike;
		index += segment.length;
		return out;
	});
}

class Collator {
	#options;
	constructor(locale, options = {}) {
		void locale;
		this.#options = options;
		this.compare = this.compare.bind(this);
	}
	compare(a, b) {
		if (a === b) return 0;
		return host("text.compare", { a: String(a), b: String(b), numeric: Boolean(this.#options.numeric), sensitivity: this.#options.sensitivity ?? "variant" });
	}
	resolvedOptions() { return { locale: "en-US", ...this.#options }; }
}

class PluralRules {
	#ordinal;
	constructor(locale, options = {}) { void locale; this.#ordinal = options.type === "ordinal"; }
	select(n) {
		if (!this.#ordinal) return n === 1 ? "one" : "other";
		const ten = n % 10, hundred = n % 100;
		return ten === 1 && hundred !== 11 ? "one" : ten === 2 && hundred !== 12 ? "two" : ten === 3 && hundred !== 13 ? "few" : "other";
	}
}

class RelativeTimeFormat {
	format(value, unit) {
		const n = Math.abs(value);
		const name = String(unit).replace(/s$/, "") + (n === 1 ? "" : "s");
		return value < 0 || Object.is(value, -0) ? `${new NumberFormat().format(n)} ${name} ago` : `in ${new NumberFormat().format(n)} ${name}`;
	}
}

class ListFormat {
	#word;
	constructor(locale, options = {}) { void locale; this.#word = options.type === "disjunction" ? "or" : "and"; }
	format(list) {
		const all = [...list];
		if (all.length < 2) return all.join("");
		if (all.length === 2) return all.join(` ${this.#word} `);
		return `${all.slice(0, -1).join(", ")}, ${this.#word} ${all.at(-1)}`;
	}
}

const symbols = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", CNY: "CN¥", INR: "₹" };

export class NumberFormat {
	#o;
	constructor(locale, options = {}) {
		void locale;
		this.#o = options ?? {};
		this.format = this.format.bind(this);
	}
	format(value) {
		const o = this.#o;
		if (typeof value === "bigint") return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
		let n = Number(value);
		if (Number.isNaN(n)) return "NaN";
		if (o.style === "percent") n *= 100;
		let suffix = o.style === "percent" ? "%" : "";
		const money = o.style === "currency";
		let min = o.minimumFractionDigits ?? (money ? 2 : 0);
		let max = o.maximumFractionDigits ?? Math.max(min, money ? 2 : o.style === "percent" ? 0 : 3);
		min = Math.min(min, max);
		if (o.notation === "compact") {
			const step = [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]].find(([size]) => Math.abs(n) >= size);
			if (step) { n /= step[0]; suffix = step[1] + suffix; }
			if (o.maximumFractionDigits === undefined) max = Math.abs(n) < 10 ? 1 : 0;
		}
		let digits = n < 0 || Object.is(n, -0) ? fixed(-n, min, max) : fixed(n, min, max);
		if (o.minimumIntegerDigits) {
			const [whole, rest] = digits.split(".");
			digits = whole.padStart(o.minimumIntegerDigits, "0") + (rest === undefined ? "" : "." + rest);
		}
		if (o.useGrouping !== false) digits = digits.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
		const sign = n < 0 ? "-" : o.signDisplay === "always" || (o.signDisplay === "exceptZero" && n !== 0) ? "+" : "";
		const unit = o.style === "unit" && o.unit ? " " + o.unit : "";
		return sign + (money ? (symbols[o.currency] ?? o.currency + "\u00a0") : "") + digits + suffix + unit;
	}
	resolvedOptions() { return { locale: "en-US", numberingSystem: "latn", style: "decimal", ...this.#o }; }
}

function fixed(n, min, max) {
	if (!Number.isFinite(n)) return "∞";
	let text = n.toFixed(max);
	if (max > min && text.includes(".")) {
		const keep = text.indexOf(".") + 1 + min;
		while (text.length > keep && text.endsWith("0")) text = text.slice(0, -1);
		if (text.endsWith(".")) text = text.slice(0, -1);
	}
	return text;
}

export class DateTimeFormat {
	#o;
	#defaults;
	constructor(locale, options = {}, defaults = "date") {
		void locale;
		this.#o = options ?? {};
		this.#defaults = defaults;
		this.format = this.format.bind(this);
	}
	format(date) { return this.formatToParts(date).map((p) => p.value).join(""); }
	formatToParts(date) {
		const time = date === undefined ? Date.now() : Number(date);
		if (Number.isNaN(time)) throw new RangeError("Invalid time value");
		return host("time.format", { time, options: this.#o, defaults: this.#defaults }).map(([type, value]) => ({ type, value }));
	}
	resolvedOptions() { return { locale: "en-US", calendar: "gregory", numberingSystem: "latn", timeZone: this.#o.timeZone ?? host("time.zone"), ...this.#o }; }
}

// These three may be called without new, as old as they are.
const callable = (C) => new Proxy(C, { apply: (_, __, args) => new C(...args) });

export const Intl = {
	Segmenter, PluralRules, RelativeTimeFormat, ListFormat,
	Collator: callable(Collator), NumberFormat: callable(NumberFormat), DateTimeFormat: callable(DateTimeFormat),
	getCanonicalLocales: (l) => (l === undefined ? [] : [].concat(l)),
	supportedValuesOf: () => [],
};
for (const C of [Segmenter, Collator, PluralRules, RelativeTimeFormat, ListFormat, NumberFormat, DateTimeFormat]) C.supportedLocalesOf = () => ["en-US"];
