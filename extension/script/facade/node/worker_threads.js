// A machine has one thread: what asks whether it is the main one is told so.
export const isMainThread = true;
export const parentPort = null;
export const workerData = null;
export const threadId = 0;
export const resourceLimits = {};
export const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");
const data = new Map();
export const setEnvironmentData = (key, value) => { if (value === undefined) data.delete(key); else data.set(key, value); };
export const getEnvironmentData = (key) => data.get(key);
export const markAsUntransferable = () => {};
export const isMarkedAsUntransferable = () => false;
export const markAsUncloneable = () => {};
const { MessageChannel, MessagePort, BroadcastChannel } = globalThis;
export const receiveMessageOnPort = (port) => port.take();
export class Worker {
	constructor() { throw new Error('Worker of node:worker_threads is not supported by this host: ask for "extensionHost": "node" in the package.json of the extension, or name it in extensionHosts of settings.json'); }
}
export { MessageChannel, MessagePort, BroadcastChannel };
export default { isMainThread, parentPort, workerData, threadId, resourceLimits, SHARE_ENV, setEnvironmentData, getEnvironmentData, markAsUntransferable, isMarkedAsUntransferable, markAsUncloneable, receiveMessageOnPort, Worker, MessageChannel, MessagePort, BroadcastChannel };
