import { makeClient } from "./http_client.js";
import { Server, ServerResponse, createServer } from "./http_server.js";

const client = makeClient("http:");
export const { request, get, Agent, globalAgent, IncomingMessage, ClientRequest, METHODS, STATUS_CODES } = client;
export const maxHeaderSize = 16384;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
export const validateHeaderName = (name) => { if (!token.test(name)) throw Object.assign(new TypeError(`Header name must be a valid HTTP token ["${name}"]`), { code: "ERR_INVALID_HTTP_TOKEN" }); };
export const validateHeaderValue = (name, value) => { if (value === undefined || /[^\t\x20-\x7e\x80-\xff]/.test(value)) throw Object.assign(new TypeError(`Invalid value "${value}" for header "${name}"`), { code: "ERR_HTTP_INVALID_HEADER_VALUE" }); };
export { Server, ServerResponse, createServer };
export default { ...client, Server, ServerResponse, createServer, maxHeaderSize, validateHeaderName, validateHeaderValue };
