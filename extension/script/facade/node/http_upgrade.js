// Requests for another protocol: a connection of their own, which the answer hands over.
const endOfHead = "\r\n\r\n";

function parsed(head) {
	const [first, ...lines] = head.toString("latin1").split("\r\n");
	const [, status, statusText] = /^HTTP\/1\.[01] (\d+) ?(.*)$/.exec(first) ?? [];
	const headers = new Headers();
	for (const line of lines) headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
	return { status: Number(status), statusText, headers };
}

// upgrade sends a request. answered gets the head of the answer, the connection, and what came
// behind the head.
export function upgrade(request, href, body, options, answered) {
	const url = new URL(href);
	const secure = url.protocol === "https:";
	const where = { ...options, host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || (secure ? 443 : 80), path: undefined };
	const socket = __rondo.require(secure ? "node:tls" : "node:net").connect(where);
	let head = Buffer.alloc(0);
	const listeners = {
		data(chunk) {
			head = Buffer.concat([head, chunk]);
			const end = head.indexOf(endOfHead);
			if (end < 0) return;
			socket.pause();
			for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
			answered(parsed(head.subarray(0, end)), socket, head.subarray(end + endOfHead.length));
		},
		error: (error) => request.emit("error", error),
		close: () => request.emit("error", Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })),
	};
	for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
	const headers = Object.entries({ host: url.host, ...request.headers }).flatMap(([name, value]) => [value].flat().map((v) => `${name}: ${v}\r\n`));
	socket.write(`${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${headers.join("")}\r\n`);
	if (body.length > 0) socket.write(body);
	return socket;
}
