// Dispatchers: how requests are made, of which the host makes connections.
import { host } from "rondo:host";
import { EventEmitter } from "node:events";
import { errors } from "./errors.js";
import { request } from "./request.js";

const settings = Symbol.for("rondo.dispatcher");
const globalDispatcher = Symbol.for("undici.globalDispatcher.1");
const textOf = (pem) => (typeof pem === "string" ? pem : Buffer.from(pem).toString());

// tls are the settings of a connection, as node:tls names them.
function tls(connect = {}) {
	if (typeof connect === "function") throw new errors.NotSupportedError("the option connect is a function, which is not supported by this host: give the options of a connection");
	const s = { ca: [connect.ca ?? []].flat().map(textOf), insecure: connect.rejectUnauthorized === false };
	for (const name of ["cert", "key"]) if (connect[name]) s[name] = textOf(connect[name]);
	if (connect.servername) s.servername = connect.servername;
	return s;
}

function shared(options = {}) {
	const connect = options.connect ?? {};
	return {
		...tls(connect), socketPath: connect.socketPath ?? options.socketPath ?? "", connectTimeout: connect.timeout ?? options.connectTimeout ?? 0,
		headersTimeout: options.headersTimeout ?? 0, bodyTimeout: options.bodyTimeout ?? 0,
	};
}

// Timers and limits of connections are the host's own.
export class Dispatcher extends EventEmitter {
	#settings = {};
	closed = false;
	destroyed = false;
	use(settings) { this.#settings = settings; }
	[settings]() {
		if (this.destroyed) throw new errors.ClientDestroyedError("The client is destroyed");
		if (this.closed) throw new errors.ClientClosedError("The client is closed");
		return this.#settings;
	}
	request(options, done) {
		const answer = request(options, options, { dispatcher: this });
		if (!done) return answer;
		answer.then((value) => done(null, value), (error) => done(error, { body: null }));
	}
	close(done) { return this.#end("closed", done); }
	destroy(error, done) { return this.#end("destroyed", typeof error === "function" ? error : done); }
	#end(how, done) {
		if (!this.closed && !this.destroyed) host("net.rest", this.#settings);
		this[how] = this.closed = true;
		const ended = Promise.resolve(null);
		if (!done) return ended;
		ended.then(() => done(null, null));
	}
	compose() { throw new errors.NotSupportedError("interceptors of undici are not supported by this host"); }
}
for (const name of ["dispatch", "stream", "pipeline", "connect", "upgrade"]) {
	Dispatcher.prototype[name] = () => { throw new errors.NotSupportedError(`${name} of a dispatcher of undici is not supported by this host: use fetch or request`); };
}

export class Agent extends Dispatcher {
	constructor(options) {
		super();
		this.use(shared(options));
	}
}

// Client and Pool know the address that they are for.
export class Pool extends Agent {
	#origin;
	constructor(origin, options) {
		super(options);
		this.#origin = new URL(origin.origin ?? origin).origin;
	}
	request(options, done) { return super.request({ origin: this.#origin, ...options }, done); }
}
export class Client extends Pool {}

export class ProxyAgent extends Dispatcher {
	constructor(options) {
		super();
		const o = typeof options === "string" || options instanceof URL ? { uri: options } : (options ?? {});
		if (!o.uri) throw new errors.InvalidArgumentError("Proxy uri is mandatory");
		const token = o.token ?? (o.auth ? "Basic " + o.auth : undefined);
		const proxyHeaders = { ...o.headers, ...(token ? { "proxy-authorization": token } : {}) };
		this.use({ ...shared(o), ...tls(o.requestTls ?? o.connect), proxy: new URL(o.uri).href, proxyHeaders });
	}
}

export class EnvHttpProxyAgent extends Dispatcher {
	constructor(options = {}) {
		super();
		const s = { ...shared(options), env: true };
		for (const name of ["httpProxy", "httpsProxy", "noProxy"]) if (options[name] !== undefined) s[name] = String(options[name]);
		this.use(s);
	}
}

export function setGlobalDispatcher(dispatcher) {
	if (typeof dispatcher?.[settings] !== "function") throw new errors.InvalidArgumentError("Argument agent must implement Agent");
	Object.defineProperty(globalThis, globalDispatcher, { value: dispatcher, writable: true, configurable: true, enumerable: false });
}
let usual;
export const getGlobalDispatcher = () => globalThis[globalDispatcher] ?? (usual ??= new EnvHttpProxyAgent());
