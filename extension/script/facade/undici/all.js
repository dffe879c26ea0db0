import { request as ask } from "./request.js";

export { Agent, Client, Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from "./dispatcher.js";
export { errors } from "./errors.js";
export const { fetch, Headers, Request, Response, FormData, File } = globalThis;
export const request = (url, options) => ask(url, options);
