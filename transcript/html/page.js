"use strict";
// The page works without this script; with it, branches can be switched, and there are a
// search, keys, themes and buttons. It makes elements and text, never markup from text.
(() => {
	const root = document.documentElement;
	const $ = (id) => document.getElementById(id);
	const make = (tag, props, ...children) => {
		const el = Object.assign(document.createElement(tag), props);
		el.append(...children);
		return el;
	};
	const talk = $("talk"), tree = $("nodes"), find = $("find"), hits = $("hits"), filter = $("filter");
	root.classList.add("js");

	// --- what the reader has chosen, where the browser keeps it
	const stored = {
		get(key) { try { return localStorage.getItem("rondo-" + key); } catch { return null; } },
		set(key, value) { try { localStorage.setItem("rondo-" + key, value); } catch { /* it lasts for this visit */ } },
	};

	// --- the tree: nodes by number, which is their order in time
	const nodes = new Map(), roots = [];
	for (const el of document.querySelectorAll("[data-p]")) {
		const id = Number(el.id.slice(1));
		nodes.set(id, { id, el, up: Number(el.dataset.p), kind: el.className, text: el.dataset.t, label: el.dataset.l || "", kids: [] });
	}
	const inTime = [...nodes.values()].sort((a, b) => a.id - b.id);
	for (const n of inTime) (nodes.get(n.up)?.kids || roots).push(n);
	const newest = (n) => {
		while (n.kids.length) n = n.kids[n.kids.length - 1];
		return n;
	};
	const pathTo = (n) => {
		const path = [];
		for (; n; n = nodes.get(n.up)) path.push(n);
		return path.reverse();
	};
	// The branch that the page was made with ends where no node below is in the page.
	let path = pathTo([...nodes.values()].filter((n) => n.el.localName !== "template").reduce((a, b) => (b.id > a.id ? b : a), roots[0]));
	let shown = new Set(path);

	// --- entries
	const open = { tool: null, thinking: null };
	const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
	const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
	// Colours of long code come when they are in view: data-h lists the pieces that have
	// one, as what lies before a piece, its class and its length.
	const colour = (pre) => {
		const text = pre.textContent, out = document.createDocumentFragment();
		let at = 0;
		for (const piece of pre.dataset.h.split(",")) {
			const [, gap, kind, length] = /^(\d*)([a-z])(\d+)$/.exec(piece);
			out.append(text.slice(at, at + Number(gap)));
			at += Number(gap);
			out.append(make("i", { className: kind, textContent: text.slice(at, at + Number(length)) }));
			at += Number(length);
		}
		out.append(text.slice(at));
		pre.replaceChildren(out);
		delete pre.dataset.h;
	};
	const inView = new IntersectionObserver((seen) => {
		for (const { target, isIntersecting } of seen) {
			if (!isIntersecting) continue;
			inView.unobserve(target);
			colour(target);
		}
	}, { rootMargin: "50%" });
	const dress = (el) => {
		for (const pre of el.querySelectorAll("pre[data-h]")) inView.observe(pre);
		for (const t of el.querySelectorAll("time")) {
			const at = new Date(t.dateTime);
			if (isNaN(at)) continue;
			t.textContent = ("date" in t.dataset ? calendar : clock).format(at);
			t.title = calendar.format(at);
		}
		for (const kind in open) {
			if (open[kind] !== null) for (const d of el.querySelectorAll("details." + kind)) d.open = open[kind];
		}
	};
	// live returns the element of a node, which is made of its template when it is needed.
	const live = (n) => {
		if (n.el.localName !== "template") return n.el;
		const el = document.createElement(n.kind === "result" ? "section" : "article");
		for (const a of n.el.attributes) el.setAttribute(a.name, a.value);
		el.append(n.el.content);
		n.el.remove();
		n.el = el;
		dress(el);
		return el;
	};
	const fork = (n) => {
		const all = nodes.get(n.up)?.kids || roots;
		if (all.length < 2 || n.el.querySelector(":scope > .fork")) return;
		const at = all.indexOf(n);
		const step = (by, sign, title) => make("button", { type: "button", textContent: sign, title, disabled: !all[at + by], onclick: () => show(newest(all[at + by]), all[at + by]) });
		n.el.prepend(make("p", { className: "fork" }, step(-1, "‹", "Earlier branch ([)"), `branch ${at + 1} of ${all.length}`, step(1, "›", "Later branch (])")));
	};
	const slotsOf = (el) => new Map([...(el?.querySelectorAll(".slot") || [])].map((s) => [s.dataset.c, s]));
	const put = (slot, el) => {
		const card = slot.closest(".card");
		card.classList.toggle("bad", el?.dataset.m === "bad");
		card.querySelector(".status").textContent = el ? el.dataset.s : "no result";
		slot.replaceChildren(...(el ? [el] : []));
	};
	// show makes the branch that ends at leaf the one that is read, and goes to a node of it.
	function show(leaf, target) {
		const next = pathTo(leaf);
		let same = 0;
		while (same < next.length && next[same] === path[same]) same++;
		for (const n of path.slice(same)) {
			const slot = n.kind === "result" && n.el.closest(".slot");
			if (slot) put(slot, null);
			else n.el.remove();
		}
		let slots = slotsOf(next.slice(0, same).findLast((n) => n.kind === "answer")?.el);
		const added = document.createDocumentFragment();
		for (const n of next.slice(same)) {
			const el = live(n), slot = n.kind === "result" && slots.get(el.dataset.c);
			if (slot) put(slot, el);
			else added.append(el);
			if (n.kind === "answer") {
				slots = slotsOf(el);
				for (const s of slots.values()) put(s, null);
			}
			fork(n);
		}
		talk.append(added);
		path = next;
		shown = new Set(path);
		if (find.value) search(false);
		else follows();
		if (target) go(target.el);
	}

	// --- moving
	let here = null;
	const go = (el, block = "start") => {
		const article = el.closest("article") || el;
		for (let d = el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		here?.classList.remove("here");
		here = article;
		here.classList.add("here");
		el.scrollIntoView({ block });
	};
	const top = () => 64;
	const step = (by, wanted) => {
		const all = [...talk.children].filter((el) => el.matches(wanted) && !el.classList.contains("miss"));
		let at = all.findIndex((el) => el.getBoundingClientRect().top > top() + 8);
		if (at < 0) at = all.length;
		if (by < 0) {
			at--;
			while (at >= 0 && all[at].getBoundingClientRect().top > top() - 8) at--;
		}
		const el = all[at];
		if (el) go(el);
		else scrollTo({ top: by < 0 ? 0 : document.body.scrollHeight });
	};
	const toBranch = (by) => {
		const forks = [...talk.querySelectorAll("article > .fork")];
		const f = forks.reverse().find((el) => el.getBoundingClientRect().top < innerHeight / 2) || forks[0];
		f?.querySelectorAll("button")[by < 0 ? 0 : 1].click();
	};
	const follow = () => {
		const n = nodes.get(Number(location.hash.slice(2)));
		if (!n || !location.hash.startsWith("#e")) return;
		if (shown.has(n)) go(n.el);
		else show(newest(n), n);
	};

	// --- the tree at the side
	const filters = {
		prompts: (n) => n.kind === "user" || n.kind === "summary" || n.kind === "shell" || n.label,
		talk: (n) => n.kind !== "note" && n.kind !== "result" || n.label,
		labels: (n) => n.label,
		all: () => true,
	};
	const marks = { user: "", answer: "", result: "↳ ", shell: "", custom: "◆ ", summary: "⋯ ", note: "· " };
	const list = $("list"), height = 1.75 * parseFloat(getComputedStyle(root).fontSize);
	// rows are the lines of the tree, of which only those in view have elements. stops are
	// the rows of the branch that is read, from top to bottom, and now is one of them.
	let rows = [], stops = [], now = null;
	const line = ({ n, depth, twig }) => {
		const a = make("a", { href: "#e" + n.id, className: "k-" + n.kind, title: n.text });
		a.classList.toggle("twig", twig);
		a.classList.toggle("on", shown.has(n));
		a.classList.toggle("now", n === now?.n);
		if (n.label) a.append(make("span", { className: "label", textContent: n.label }), " ");
		a.append(marks[n.kind] + n.text);
		a.style.marginLeft = Math.min(depth, 12) * 0.8 + "rem";
		return make("li", {}, a);
	};
	const draw = () => {
		const from = Math.max(0, Math.floor(list.scrollTop / height) - 8);
		const to = Math.min(rows.length, from + Math.ceil(list.clientHeight / height) + 16);
		tree.style.height = rows.length * height + "px";
		tree.style.paddingTop = from * height + "px";
		tree.replaceChildren(...rows.slice(from, to).map(line));
		if (!rows.length) tree.append(make("li", { className: "none", textContent: "Nothing of this kind is in the session." }));
	};
	// grow lists the nodes that are wanted; only where they fork, lines are indented.
	function grow() {
		const wanted = filters[filter.value] || filters.prompts;
		const kids = new Map([[null, []]]), above = new Map();
		for (const n of inTime) {
			const up = nodes.get(n.up), parent = up ? (kids.has(up) ? up : above.get(up)) : null;
			above.set(n, parent);
			if (!wanted(n)) continue;
			kids.set(n, []);
			kids.get(parent).push(n);
		}
		rows = [];
		const stack = [{ n: null, depth: 0, twig: false }];
		while (stack.length) {
			const at = stack.pop();
			if (at.n) rows.push(at);
			const next = kids.get(at.n), forked = next.length > 1;
			for (const n of next.toReversed()) stack.push({ n, depth: at.depth + (forked && at.n ? 1 : 0), twig: forked });
		}
		rows.forEach((row, i) => (row.i = i));
		follows();
	}
	// follows brings the tree in line with the branch that is read.
	function follows() {
		if (!root.classList.contains("side")) return;
		stops = rows.filter(({ n }) => shown.has(n) && n.kind !== "result" && !n.el.classList.contains("miss"));
		now = null;
		mark();
		draw();
	}
	// mark shows where in the tree the reader is.
	function mark() {
		if (!root.classList.contains("side") || !stops.length) return;
		let low = 0, high = stops.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (stops[middle].n.el.getBoundingClientRect().top > top() + 40) high = middle;
			else low = middle;
		}
		if (stops[low] === now) return;
		now = stops[low];
		const y = now.i * height;
		if (y < list.scrollTop || y + height > list.scrollTop + list.clientHeight) list.scrollTop = y - list.clientHeight / 3;
		draw();
	}
	const side = (on) => {
		root.classList.toggle("side", on);
		if (!on) return;
		if (rows.length) follows();
		else grow();
	};

	// --- search
	let ranges = [], at = -1, sought = "", timer = 0;
	const canPaint = window.Highlight && CSS.highlights;
	const most = 5000;
	const walk = (el, q) => {
		const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT, (t) => (t.parentElement.closest("button, .alone, time") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
		let hit = false;
		for (let t; (t = texts.nextNode()); ) {
			const text = t.data.toLowerCase();
			for (let i = text.indexOf(q); i >= 0; i = text.indexOf(q, i + q.length)) {
				hit = true;
				if (ranges.length >= most) return hit;
				const r = document.createRange();
				try {
					r.setStart(t, i);
					r.setEnd(t, i + q.length);
				} catch { break; } // a character has another length in lower case
				ranges.push(r);
			}
		}
		return hit;
	};
	function search(jump) {
		const q = find.value.trim().toLowerCase();
		inView.disconnect(); // colours would take the marks away
		if (!q) for (const pre of talk.querySelectorAll("pre[data-h]")) inView.observe(pre);
		clearTimeout(timer);
		sought = q;
		ranges = [];
		at = -1;
		for (const el of talk.children) el.classList.toggle("miss", q !== "" && !walk(el, q));
		if (canPaint) {
			CSS.highlights.delete("found");
			CSS.highlights.set("find", new Highlight(...ranges));
		}
		hits.textContent = q ? (ranges.length >= most ? most + "+" : String(ranges.length)) : "";
		if (jump) hit(1);
		follows();
	}
	function hit(by) {
		if (!ranges.length) return;
		at = (at + by + ranges.length) % ranges.length;
		const r = ranges[at], el = r.startContainer.parentElement;
		el.closest(".clip")?.classList.add("all");
		go(el, "center");
		if (canPaint) CSS.highlights.set("found", new Highlight(r));
		hits.textContent = `${at + 1} of ${ranges.length}`;
	}
	const endSearch = () => {
		const kept = here;
		find.value = "";
		find.blur();
		search(false);
		kept?.scrollIntoView({ block: "center" });
	};

	// --- folding
	const toggle = (kind) => {
		const all = talk.querySelectorAll("details." + kind);
		open[kind] = ![...all].some((d) => d.open);
		const keep = [...talk.children].find((el) => el.getBoundingClientRect().bottom > top());
		const before = keep?.getBoundingClientRect().top;
		for (const d of all) d.open = open[kind];
		if (keep) scrollBy(0, keep.getBoundingClientRect().top - before);
	};

	// --- themes
	const themes = ["", "light", "dark", "paper"];
	const theme = (name) => {
		if (name) root.dataset.theme = name;
		else delete root.dataset.theme;
		$("theme").textContent = name ? name[0].toUpperCase() + name.slice(1) : "Auto";
	};
	const nextTheme = () => {
		const name = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
		theme(name);
		stored.set("theme", name);
	};

	// --- buttons
	const copy = async (button) => {
		const text = button.parentElement.querySelector("pre").textContent;
		try {
			await navigator.clipboard.writeText(text);
		} catch {
			const area = make("textarea", { value: text });
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
		button.textContent = "Copied";
		setTimeout(() => (button.textContent = "Copy"), 1500);
	};
	document.addEventListener("click", (ev) => {
		const el = ev.target;
		if (el.matches(".copy")) copy(el);
		else if (el.matches(".picture")) el.classList.toggle("full");
		else if (el.matches(".more")) {
			const all = el.parentElement.classList.toggle("all");
			el.dataset.more ??= el.textContent;
			el.textContent = all ? "Show less" : el.dataset.more;
			if (!all) el.parentElement.scrollIntoView({ block: "nearest" });
		} else if (el.closest?.('a[href^="#e"]') && el.closest("a").hash === location.hash) follow();
		if (el.closest?.("#nodes a") && innerWidth < 1088) side(false);
	});
	find.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(search, 150, false);
	});
	find.addEventListener("keydown", (ev) => {
		if (ev.key === "Enter" && find.value.trim().toLowerCase() !== sought) search(true);
		else if (ev.key === "Enter") hit(ev.shiftKey ? -1 : 1);
		else if (ev.key === "Escape") endSearch();
		else return;
		ev.preventDefault();
	});
	$("side").onclick = () => side(!root.classList.contains("side"));
	$("fold").onclick = () => toggle("tool");
	$("theme").onclick = nextTheme;
	$("help").onclick = () => $("keys").showModal();
	filter.onchange = () => {
		list.scrollTop = 0;
		grow();
	};
	const keys = {
		j: () => step(1, "article:not(.note)"),
		k: () => step(-1, "article:not(.note)"),
		J: () => step(1, "article.user"),
		K: () => step(-1, "article.user"),
		t: () => toggle("tool"),
		h: () => toggle("thinking"),
		b: () => $("side").click(),
		d: nextTheme,
		"[": () => toBranch(-1),
		"]": () => toBranch(1),
		"/": () => find.select(),
		"?": () => $("keys").showModal(),
		Escape: () => find.value && endSearch(),
	};
	document.addEventListener("keydown", (ev) => {
		if (ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest?.("input, select, textarea, dialog[open]")) return;
		if (!Object.hasOwn(keys, ev.key)) return;
		ev.preventDefault();
		keys[ev.key]();
	});
	addEventListener("hashchange", follow);
	const onScroll = (el, fn) => {
		let waiting = false;
		el.addEventListener("scroll", () => {
			if (!waiting) requestAnimationFrame(() => {
				waiting = false;
				fn();
			});
			waiting = true;
		}, { passive: true });
	};
	onScroll(window, () => {
		root.classList.toggle("past", scrollY > 120);
		mark();
	});
	onScroll(list, draw);
	addEventListener("resize", () => rows.length && draw());

	// --- begin
	$("where").textContent = document.title;
	theme(stored.get("theme") ?? root.dataset.theme ?? "");
	dress(document.querySelector("main"));
	for (const n of path) fork(n);
	const prompts = [...nodes.values()].filter((n) => n.kind === "user").length;
	if (innerWidth >= 1088 && (prompts > 1 || nodes.size > path.length)) side(true);
	follow();
})();
