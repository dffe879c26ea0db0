// The bus between extensions. Those of one machine share objects; what comes from elsewhere,
// or goes there, is plain data.
import { report } from "rondo:host";
import { ask } from "./calls.js";
import { get } from "rondo:functions";

const channels = new Map(); // name to a list of { x, handler }

function send(channel, data) {
	for (const listener of [...(channels.get(channel) ?? [])]) {
		try {
			const out = listener.handler(data);
			if (typeof out?.then === "function") out.then(undefined, (error) => report("events:" + channel, error));
		} catch (error) {
			report("events:" + channel, error);
		}
	}
}

export const bus = (x) => ({
	emit(channel, data) {
		send(channel, data);
		ask("emit", x, { channel, data });
	},
	on(channel, handler) {
		if (typeof handler !== "function") throw new TypeError("the listener of a channel must be a function");
		if (!channels.has(channel)) {
			channels.set(channel, []);
			ask("subscribe", x, { channel, h: get((data) => send(channel, data)) });
		}
		const listener = { x, handler };
		channels.get(channel).push(listener);
		return () => { channels.set(channel, channels.get(channel).filter((l) => l !== listener)); };
	},
});

export function dropListeners(x) {
	for (const [channel, list] of channels) channels.set(channel, list.filter((l) => l.x !== x));
}
