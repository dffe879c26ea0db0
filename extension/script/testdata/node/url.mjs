import { fileURLToPath, pathToFileURL } from "node:url";
export default () => {
	const out = [];
	for (const s of ["http://User:pa%20ss@Example.com:80/a/../b?x=1&y=2#frag", "https://a.b:8443", "file:///tmp/x%20y", "mailto:a@b.c", "http://[::1]:3000/x"]) {
		const u = new URL(s);
		out.push([u.href, u.origin, u.protocol, u.username, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]);
	}
	const u = new URL("../x?q=1", "https://h/a/b/c");
	u.searchParams.append("z", "a b&c");
	u.hash = "top";
	out.push(u.href, [...u.searchParams], String(new URLSearchParams({ a: "1", b: "ä €" })), new URLSearchParams("?a=1&a=2&b").getAll("a"), URL.canParse("nope"));
	u.pathname = "/new path"; u.port = "99"; out.push(u.toString(), JSON.stringify({ u }));
	try { new URL("nope"); } catch (e) { out.push(e.code, e.name); }
	out.push(fileURLToPath("file:///a%20b/c"), pathToFileURL("/a b/c#d").href);
	const p = new URLSearchParams("b=2&a=1"); p.sort(); p.set("a", "9"); p.delete("b"); out.push(p.toString(), p.has("a"), p.get("none"), p.size);
	return out;
};
