// Servers of HTTP, as the module http has them.
import http from "node:http";
import net from "node:net";
import { once } from "node:events";

async function answer(req, res) {
	if (req.url === "/plain") return res.end("plain");
	if (req.url === "/none") { res.statusCode = 204; return res.end(); }
	if (req.url === "/parts") {
		res.writeHead(201, "Made", { "Content-Type": "text/event-stream", "X-List": ["a", "b"] });
		const late = (() => { try { res.setHeader("x", "y"); } catch (e) { return e.code; } })();
		res.write("data: 1\n\n");
		setTimeout(() => res.end(late), 5);
		return;
	}
	let body = "";
	for await (const chunk of req) body += chunk;
	res.setHeader("Content-Type", "application/json");
	res.end(JSON.stringify([req.method, req.url, req.headers["x-twice"], req.headers["content-type"], req.httpVersion, body, req.complete]));
}

export default async function () {
	const values = [];
	const server = http.createServer(answer);
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address();
	const base = `http://127.0.0.1:${port}`;
	values.push(await (await fetch(base + "/plain")).text());
	values.push((await fetch(base + "/plain")).headers.get("content-type"));
	const none = await fetch(base + "/none");
	values.push([none.status, await none.text()]);
	const parts = await fetch(base + "/parts");
	values.push([parts.status, parts.headers.get("content-type"), parts.headers.get("x-list"), await parts.text()]);
	const echo = await fetch(base + "/echo?a=1&b=%20", { method: "POST", body: "some text", headers: [["X-Twice", "1"], ["X-Twice", "2"], ["Content-Type", "text/plain"]] });
	values.push(await echo.json());

	const req = http.request(base + "/echo", { method: "PUT" });
	req.write("one");
	req.end("two");
	const [res] = await once(req, "response");
	values.push([res.statusCode, JSON.parse(String(Buffer.concat(await res.toArray())))]);

	const cut = http.createServer((req, res) => { res.destroy(); });
	await new Promise((resolve) => cut.listen(0, "127.0.0.1", resolve));
	values.push(await fetch(`http://127.0.0.1:${cut.address().port}`).then(() => "answered", (e) => e.name));
	cut.close();
	await once(cut, "close");

	server.on("upgrade", (req, socket, head) => {
		socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${req.headers.upgrade}\r\n\r\n`);
		socket.on("data", (data) => socket.end(String(data).toUpperCase()));
	});
	const asked = http.request(base + "/up", { headers: { Connection: "Upgrade", Upgrade: "shout" } });
	asked.end();
	const [handed, socket] = await once(asked, "upgrade");
	socket.setEncoding("utf8");
	socket.write("asked");
	values.push([handed.statusCode, handed.headers.upgrade, (await once(socket, "data"))[0]]);
	socket.destroy();
	const refused = http.createServer((req, res) => { res.statusCode = 403; res.end("no"); });
	await new Promise((resolve) => refused.listen(0, "127.0.0.1", resolve));
	const hopeless = http.request(`http://127.0.0.1:${refused.address().port}/`, { headers: { Connection: "Upgrade", Upgrade: "shout" } });
	hopeless.end();
	values.push((await once(hopeless, "response"))[0].statusCode);
	refused.close();
	refused.closeAllConnections();

	const raw = net.connect(port, "127.0.0.1");
	raw.setEncoding("utf8");
	raw.write("GET /up HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n");
	await once(raw, "data");
	raw.write("hello");
	const [shout] = await once(raw, "data");
	values.push(shout);
	raw.end();
	const closed = once(server, "close");
	server.close();
	server.closeAllConnections();
	await closed;
	values.push([server.listening, http.STATUS_CODES[418], http.METHODS.includes("PATCH")]);
	return values;
}
