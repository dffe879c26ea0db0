import { makeClient } from "./http_client.js";

const client = makeClient("http:");
export const { request, get, Agent, globalAgent, createServer, IncomingMessage, ClientRequest, METHODS, STATUS_CODES } = client;
export default client;
