import { makeClient } from "./http_client.js";

const client = makeClient("https:");
export const { request, get, Agent, globalAgent, createServer, IncomingMessage, ClientRequest, METHODS, STATUS_CODES } = client;
export default client;
