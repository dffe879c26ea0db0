// Servers of connections, as the module net has them.
import net from "node:net";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import fs from "node:fs";

export default async function () {
	const values = [];
	const server = net.createServer((socket) => {
		let all = "";
		socket.setEncoding("utf8");
		socket.on("data", (text) => { all += text; });
		socket.on("end", () => socket.end("heard " + all));
	});
	values.push(server.listening, server.address());
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { address, family, port } = server.address();
	values.push([address, family, port > 0, server.listening]);

	const client = net.connect(port, "127.0.0.1");
	client.setEncoding("utf8");
	await once(client, "connect");
	values.push([client.remoteFamily, client.remotePort === port, client.connecting, client.readyState]);
	client.write("one, ");
	client.end("two");
	let answer = "";
	for await (const text of client) answer += text;
	values.push(answer);

	const taken = net.createServer();
	taken.listen(port, "127.0.0.1");
	const [error] = await once(taken, "error");
	values.push([error.code, error.syscall, error.port === port]);
	server.close();
	await once(server, "close");
	values.push([server.listening, server.address()]);
	values.push(await new Promise((resolve) => server.close((e) => resolve(e.code))));

	const dir = fs.mkdtempSync(path.join(os.tmpdir(), "net-"));
	const file = path.join(dir, "s");
	const local = net.createServer((socket) => { socket.end("local"); socket.resume(); });
	await new Promise((resolve) => local.listen(file, resolve));
	values.push(local.address() === file);
	const other = net.createConnection({ path: file });
	values.push(String((await other.toArray())[0]));
	await new Promise((resolve) => local.close(resolve));
	values.push(fs.existsSync(file));
	fs.rmSync(dir, { recursive: true });

	const list = new net.BlockList();
	list.addAddress("1.2.3.4");
	list.addRange("10.0.0.1", "10.0.0.10");
	list.addSubnet("fc00::", 7, "ipv6");
	values.push(["1.2.3.4", "1.2.3.5", "10.0.0.7", "10.0.0.11"].map((a) => list.check(a)));
	values.push(["fd12::1", "fe80::1", "::ffff:1.2.3.4", "::ffff:0a00:0007"].map((a) => list.check(a, "ipv6")));
	values.push(list.rules);
	values.push(["::1", "1::2::3", "::ffff:1.2.3.4", "1.2.3", "fe80::1%eth0", "12345::"].map((a) => net.isIP(a)));
	return values;
}
