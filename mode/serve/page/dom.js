// Making elements. Text is always text here: nothing is ever parsed as HTML.

/** marks shows the characters that change the order in which text is read, instead of obeying them. */
export const marks = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => "U+" + c.charCodeAt(0).toString(16).toUpperCase());

/** el makes an element: el("p.note", {title: "…"}, "text", child, …). Nullish children are left out. */
export function el(kind, attributes, ...children) {
	const [tag, ...classes] = kind.split(".");
	const e = document.createElement(tag || "div");
	if (classes.length) e.className = classes.join(" ");
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === false || value == null) continue;
		if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
		else e.setAttribute(name, value === true ? "" : name === "title" ? marks(String(value)) : value);
	}
	e.append(...children.flat().filter((c) => c != null && c !== false).map((c) => (typeof c === "string" ? marks(c) : c)));
	return e;
}

/** $ returns the element of an id. */
export const $ = (id) => document.getElementById(id);

// frames collects what is to be drawn until the display is refreshed.
const frames = new Set();
let asked = false;

/** draw calls fn once before the next refresh, however often it is asked for until then. */
export function draw(fn) {
	frames.add(fn);
	if (asked) return;
	asked = true;
	// A page that is not shown has no refresh; it is drawn slowly.
	if (document.hidden) setTimeout(flush, 250);
	else requestAnimationFrame(flush);
}

// A page that is hidden before its refresh comes gets none.
document.addEventListener("visibilitychange", () => { if (asked) flush(); });

/** flush draws now what waits for the next refresh. */
export function flush() {
	asked = false;
	const all = [...frames];
	frames.clear();
	for (const fn of all) fn();
}
