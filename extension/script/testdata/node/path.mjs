import path, { join, posix, win32 } from "node:path";
export default () => {
	const out = [];
	for (const p of [posix, win32]) {
		for (const s of ["", "/", "a", "a/", "/a/b/../c", "./a", "../a", "a//b", "/a/b.txt", "a.b.c", ".git", "..", "a/.", "C:\\x\\y", "C:x", "\\\\srv\\share\\f", "/a/b/"]) {
			out.push([p.sep, s, p.normalize(s), p.basename(s), p.dirname(s), p.extname(s), p.isAbsolute(s)]);
		}
		out.push(p.join("a", "..", "..", "b"), p.join(), p.join("/a", "/b"), p.resolve("/a", "b", "../c"), p.relative("/a/b/c", "/a/d"), p.relative("/a", "/a"), p.format({ dir: "/x", name: "f", ext: ".t" }));
		out.push(p.basename("a.txt", ".txt"), p.basename("wl3", ""), p.basename("a.txt", "a.txt"), p.basename("x/a.txt", "a.txt"), p.parse("/home/u/f.txt"), p.parse("f"), p.parse("/"));
	}
	out.push(posix.matchesGlob("src/a/b.ts", "src/**/*.ts"), posix.matchesGlob("src/b.ts", "src/**/*.ts"), posix.matchesGlob("a.js", "*.{ts,js}"), posix.matchesGlob("x/a.js", "*.js"));
	out.push(join === path.join);
	try { join(1); } catch (e) { out.push(e.code); }
	return out;
};
