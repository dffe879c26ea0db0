// Providers of extensions: plain data, and numbers in the place of functions.
import { get } from "rondo:functions";
import { ask, later } from "./calls.js";

const bound = (object, name) => (typeof object?.[name] === "function" ? get((...args) => object[name](...args)) : 0);

export function provider(config) {
	const { streamSimple, stream, refreshModels, oauth, ...plain } = config;
	return {
		...plain,
		stream: typeof streamSimple === "function" ? get((...args) => config.streamSimple(...args)) : 0,
		refresh: bound(config, "refreshModels"),
		oauth: oauth && {
			name: oauth.name,
			isSubscription: oauth.isSubscription,
			usesCallbackServer: oauth.usesCallbackServer,
			login: bound(oauth, "login"),
			refreshToken: bound(oauth, "refreshToken"),
			getApiKey: bound(oauth, "getApiKey"),
			modifyModels: bound(oauth, "modifyModels"),
		},
	};
}

// loginCallbacks are what a login asks the person with.
export const loginCallbacks = (x, c, n, signal) => ({
	signal,
	onAuth: ({ url, instructions }) => ask("login.open", x, { n, url, instructions: instructions ?? "" }),
	onDeviceCode: (info) => ask("login.device", x, { n, url: info.verificationUri ?? info.url ?? "", code: info.userCode ?? info.code ?? "" }),
	onProgress: (message) => ask("login.progress", x, { n, message: String(message) }),
	onPrompt: ({ message, placeholder }) => later("login.ask", x, { n, message, placeholder: placeholder ?? "" }, { c, signal }),
	onManualCodeInput: () => later("login.ask", x, { n, message: "Paste the code or the address that the browser shows:", placeholder: "" }, { c, signal }),
	onSelect: ({ message, options }) => later("login.select", x, { n, message, choices: options.map((o) => [o.id ?? o.value, o.label]) }, { c, signal }),
});
