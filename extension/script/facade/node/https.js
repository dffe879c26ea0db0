import { makeClient } from "./http_client.js";

const client = makeClient("https:");
export const { request, get, Agent, globalAgent, IncomingMessage, ClientRequest } = client;
export const createServer = () => { throw new Error("createServer of node:https is not supported by this host: serve with node:http"); };
export class Server { constructor() { createServer(); } }
export default { request, get, Agent, globalAgent, createServer, Server };
