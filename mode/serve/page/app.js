// The page as a whole: signing in, which session is shown, and what stands around it.

import { Failure, request, whenSignedOut } from "./api.js";
import { Composer } from "./composer.js";
import { Dialogs } from "./dialogs.js";
import { $, el } from "./dom.js";
import { Session } from "./session.js";
import { Sidebar } from "./sidebar.js";
import { Transcript } from "./transcript.js";

let session = null;
let baseTitle = "";
let started = false;
const transcript = new Transcript($("log"), $("scroll"), $("down"));
const sidebar = new Sidebar((id) => { location.hash = id; }, failed);
const dialogs = new Dialogs((id, body) => session?.post("dialogs/" + id, body).catch((error) => {
	if (error.status !== 409) failed(error); // somebody else may have been first
}));
const composer = new Composer({ send, stop, failed });

// ui is what a session draws with.
const ui = {
	transcript,
	state: showState,
	busy(busy) {
		if (busy !== $("main").classList.contains("busy")) sidebar.refresh();
		composer.busy(busy);
		$("main").classList.toggle("busy", busy);
		title();
	},
	connection(state) {
		$("link").textContent = state === "open" ? "" : "Reconnecting…";
		$("main").classList.toggle("lost", state !== "open");
		if (state === "open") notice("refused", null);
	},
	failed(error) {
		if (error.status === 404) {
			transcript.clear();
			ui.filled(true);
			$("link").textContent = "";
		}
		if (error.status === 409) notice("refused", error.message);
		else failed(error);
	},
	filled(filled) {
		$("empty").hidden = Boolean(filled);
		if (session) session.isEmpty = !filled;
	},
	earlier(n) {
		$("log").querySelector(".earlier")?.remove();
		if (n > 0) $("log").prepend(el("button.earlier.quiet", { type: "button", onclick: () => session.earlier().catch(failed) }, `Show earlier messages (${n})`));
	},
	queue({ steering, followUp }) {
		const chip = (kind) => (text) => el("span.chip", { title: text }, el("b", null, kind), text.slice(0, 120) || "an image");
		$("queue").hidden = !steering.length && !followUp.length;
		$("queue").replaceChildren(...steering.map(chip("next")), ...followUp.map(chip("afterwards")),
			el("button.quiet", { type: "button", onclick: takeBack }, "Take back"));
	},
	retry(ev) { notice("retry", ev && `${ev.errorMessage} — asking again (${ev.attempt} of ${ev.maxAttempts}) in ${Math.ceil(ev.delayMs / 1000)} s`); },
	compaction(ev) { notice("compaction", ev && "The conversation is being compacted…"); },
	dialog(r) {
		dialogs.ask(r);
		title();
	},
	dialogEnded(id) {
		dialogs.ended(id);
		title();
	},
	show,
	shown({ statuses, widgets, title: named }) {
		for (const id of ["statuses", "widgets-above", "widgets-below"]) $(id).replaceChildren();
		for (const [statusKey, statusText] of Object.entries(statuses)) show({ method: "setStatus", statusKey, statusText });
		widgets.forEach(show);
		baseTitle = named ?? "";
		title();
	},
};

// show shows what an extension wants shown.
function show(r) {
	const key = (parent, k) => [...$(parent).children].find((e) => e.dataset.key === k)?.remove();
	switch (r.method) {
	case "notify": return transcript.note(r.message, r.notifyType === "error");
	case "setStatus":
		key("statuses", r.statusKey);
		if (r.statusText != null) $("statuses").append(el("span", { "data-key": r.statusKey }, r.statusText));
		return undefined;
	case "setWidget":
		key("widgets-above", r.widgetKey);
		key("widgets-below", r.widgetKey);
		if (r.widgetLines) $(r.widgetPlacement === "belowEditor" ? "widgets-below" : "widgets-above").append(el("pre", { "data-key": r.widgetKey }, r.widgetLines.join("\n")));
		return undefined;
	case "setTitle":
		baseTitle = r.title;
		return title();
	case "set_editor_text": return composer.set(r.text);
	}
	return undefined;
}

function title() {
	const name = baseTitle || session?.state?.sessionName || "";
	const mark = session?.dialogs.size ? "? " : session?.busy ? "● " : "";
	document.title = mark + (name ? name + " – Rondo" : "Rondo");
}

function notice(key, text) {
	[...$("notices").children].find((e) => e.dataset.key === key)?.remove();
	if (text) $("notices").append(el("p", { "data-key": key }, text));
}

let failing;

// failed tells the person about an error.
function failed(error) {
	if (error instanceof Failure && error.status === 401) return;
	if (error instanceof TypeError) return session ? session.suspect() : ui.connection("lost");
	notice("error", error.message);
	clearTimeout(failing);
	failing = setTimeout(() => notice("error", null), 12_000);
	return undefined;
}

// showState shows model, thinking and name.
function showState(state) {
	if (document.activeElement !== $("name")) $("name").value = state.sessionName ?? "";
	const model = state.model && `${state.model.provider}/${state.model.id}`;
	const known = [...$("model").options].some((o) => o.value === model);
	if (model && !known) $("model").append(el("option", { value: model }, state.model.name || state.model.id));
	$("model").value = model ?? "";
	const levels = [...$("thinking").options].map((o) => o.value);
	if (!levels.includes(state.thinkingLevel) || $("thinking").dataset.model !== model) showLevels(state, model);
	$("thinking").value = state.thinkingLevel;
	title();
}

async function showLevels(state, model) {
	$("thinking").dataset.model = model;
	$("thinking").replaceChildren(el("option", { value: state.thinkingLevel }, state.thinkingLevel));
	const now = session;
	const { levels } = await now.get("available_thinking_levels").catch(() => ({ levels: [] }));
	if (now !== session || !levels.length) return;
	$("thinking").replaceChildren(...levels.map((l) => el("option", { value: l }, l === "off" ? "no thinking" : l)));
	$("thinking").value = session.state?.thinkingLevel ?? state.thinkingLevel;
	$("thinking").hidden = levels.length < 2;
}

/** send sends what was written: a message, or a command behind an exclamation mark. */
async function send(text, images, behavior) {
	if (!session) await create();
	notice("error", null);
	transcript.toEnd();
	if (text.startsWith("!") && text.length > 1) {
		ui.filled(true);
		session.run(text.replace(/^!!?\s*/, ""), text.startsWith("!!")).catch(failed);
		return;
	}
	try {
		await session.say(text, images, behavior);
	} catch (error) {
		if (!(error instanceof Failure && error.status === 409 && !behavior && session.busy)) throw error;
		await session.say(text, images, "steer"); // it has begun to work meanwhile
	}
}

function stop() {
	session?.post("abort_bash").catch(failed);
	session?.post("abort").catch(failed);
}

async function takeBack() {
	try {
		const { steering, followUp } = await session.post("clear_queue");
		composer.add([...steering, ...followUp].join("\n\n"));
		composer.focus();
	} catch (error) {
		failed(error);
	}
}

async function create() {
	if (session?.isEmpty) return composer.focus();
	const made = await request("POST", "/api/sessions", {});
	open(made.sessionId);
	history.pushState(null, "", "#" + made.sessionId);
	sidebar.refresh();
	return undefined;
}

// open shows a session.
function open(id) {
	if (session?.id === id) return;
	session?.close();
	for (const d of session?.dialogs.keys() ?? []) dialogs.ended(d);
	for (const key of ["error", "refused", "retry", "compaction"]) notice(key, null);
	transcript.clear();
	baseTitle = "";
	session = id ? new Session(id, ui) : null;
	sidebar.select(id);
	composer.session(id);
	ui.busy(false);
	ui.queue({ steering: [], followUp: [] });
	ui.filled(Boolean(id));
	$("name").value = "";
	for (const e of ["name", "model", "thinking", "menu"]) $(e).classList.toggle("absent", !id);
	$("app").classList.remove("side");
	try { sessionStorage.setItem("session", id); } catch { /* it is a convenience */ }
	if (!session) return;
	const now = session;
	now.get("commands").then(({ commands }) => now === session && composer.commands(commands), () => {});
	now.get("available_models").then(({ models }) => now === session && showModels(models), () => {});
	composer.focus();
}

function showModels(models) {
	const now = $("model").value;
	const byProvider = Object.groupBy?.(models, (m) => m.provider) ?? { models };
	$("model").replaceChildren(...Object.entries(byProvider).map(([provider, list]) => el("optgroup", { label: provider },
		list.map((m) => el("option", { value: `${m.provider}/${m.id}` }, m.name || m.id)))));
	if (session.state) showState(session.state);
	else $("model").value = now;
}

const menu = {
	compact: () => session.post("compact"),
	async fork() {
		const made = await session.post("fork");
		location.hash = made.sessionId;
		sidebar.refresh();
	},
	async export() {
		const answer = await fetch(session.path + "/export");
		if (!answer.ok) throw new Failure(answer.status, (await answer.json()).error);
		const url = URL.createObjectURL(await answer.blob());
		el("a", { href: url, download: `rondo-${session.id}.html` }).click();
		setTimeout(() => URL.revokeObjectURL(url), 10_000);
	},
	keys() {
		const rows = [["Enter", "send; while Rondo works: for its next step"], ["Alt Enter", "while Rondo works: for afterwards"], ["Shift Enter", "a new line"], ["Escape", "stop what Rondo does"],
			["!command", "run a command; !!command keeps it from the model"], ["/", "write a message; in a message: skills and templates"], ["Alt N", "new session"], ["Ctrl K", "search in sessions"], ["↑ ↓ Enter", "choose a session"], ["?", "this list"]];
		dialogs.tell("Keys", el("table.keys", null, rows.map(([k, what]) => el("tr", null, el("th", null, el("kbd", null, k)), el("td", null, what)))));
	},
	remove() {
		const { id } = session;
		dialogs.confirm("Delete this session?", "The conversation and its file are gone then. What was done in the folder stays.", "Delete", async () => {
			try {
				await request("DELETE", "/api/sessions/" + encodeURIComponent(id));
				location.hash = "";
				sidebar.refresh();
			} catch (error) {
				failed(error);
			}
		});
	},
};

function listen() {
	$("new").addEventListener("click", () => create().catch(failed));
	$("open-side").addEventListener("click", () => $("app").classList.add("side"));
	$("close-side").addEventListener("click", () => $("app").classList.remove("side"));
	$("sign-out").addEventListener("click", async () => {
		await request("POST", "/sign-out").catch(() => {});
		signedOut("You are signed out.");
	});
	$("name").addEventListener("change", () => session?.post("set_session_name", { name: $("name").value.trim() }).then(() => sidebar.refresh(), failed));
	$("name").addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === "Escape") { e.stopPropagation(); composer.focus(); } });
	$("model").addEventListener("change", () => {
		const [provider, ...rest] = $("model").value.split("/");
		session?.post("set_model", { provider, modelId: rest.join("/") }).catch(failed);
		composer.focus();
	});
	$("thinking").addEventListener("change", () => {
		session?.post("set_thinking_level", { level: $("thinking").value }).catch(failed);
		composer.focus();
	});
	$("menu").addEventListener("click", (e) => {
		const what = e.target.closest("[data-do]")?.dataset.do;
		if (!what) return;
		$("menu").open = false;
		if (session || what === "keys") Promise.resolve(menu[what]()).catch(failed);
	});
	document.addEventListener("click", (e) => { if (!e.target.closest("#menu")) $("menu").open = false; });
	document.addEventListener("keydown", keys);
	window.addEventListener("hashchange", () => open(location.hash.slice(1)));
	window.addEventListener("popstate", () => open(location.hash.slice(1)));
	$("sign-in").addEventListener("submit", signIn);
	$("hints").addEventListener("click", (e) => {
		if (e.target.tagName !== "BUTTON") return;
		composer.set(e.target.textContent);
		composer.focus();
	});
}

function keys(e) {
	if ($("dialog").open || $("app").hidden) return;
	const typing = e.target.closest("input, textarea, select");
	if (e.key === "Escape") {
		if ($("menu").open) $("menu").open = false;
		else if ($("app").classList.contains("side")) $("app").classList.remove("side");
		else if (e.target.id === "search") composer.focus();
		else stop();
	} else if (e.altKey && e.code === "KeyN") {
		e.preventDefault();
		create().catch(failed);
	} else if ((e.ctrlKey || e.metaKey) && e.key === "k") {
		e.preventDefault();
		$("app").classList.add("side");
		$("search").focus();
	} else if (!typing && e.key === "/") {
		e.preventDefault();
		composer.focus();
	} else if (!typing && e.key === "?") {
		menu.keys();
	}
}

async function signIn(e) {
	e.preventDefault();
	const error = $("sign-in").querySelector(".error");
	error.hidden = true;
	try {
		await request("POST", "/sign-in", { token: $("token").value.trim() });
		$("token").value = "";
		await start();
	} catch (why) {
		error.textContent = why instanceof Failure ? why.message : "The server does not answer.";
		error.hidden = false;
		$("token").select();
	}
}

function signedOut(why) {
	if ($("app").hidden && !$("sign-in").hidden) return;
	session?.close();
	session = null;
	sidebar.stop();
	dialogs.dialog.close();
	$("app").hidden = true;
	$("sign-in").hidden = false;
	if (why) $("sign-in-why").textContent = why;
	$("token").focus();
}

const hints = ["Explain this project", "Find a bug and fix it", "Write tests for what was changed last"];

// start shows the page to who is signed in.
async function start() {
	const about = await request("GET", "/api");
	$("sign-in").hidden = true;
	$("app").hidden = false;
	$("where").textContent = about.cwd;
	$("folder").textContent = "\u200e" + about.cwd; // its end is what tells folders apart
	$("folder").title = about.cwd;
	$("hints").replaceChildren(...hints.map((h) => el("button", { type: "button" }, h)));
	sidebar.refresh();
	let last = "";
	try { last = started ? "" : sessionStorage.getItem("session") ?? ""; } catch { /* it is a convenience */ }
	started = true;
	const id = location.hash.slice(1) || last;
	if (id && !location.hash) history.replaceState(null, "", "#" + id);
	open(id);
	composer.focus();
}

whenSignedOut(() => signedOut());
listen();
for (let wait = 500; ; wait = Math.min(wait * 2, 8000)) {
	try {
		await start();
		break;
	} catch (error) {
		if (error instanceof Failure && error.status === 401) break;
		await new Promise((done) => setTimeout(done, wait));
	}
}
