// The models of the program.
import { ask, later } from "./calls.js";
import { provider } from "./provider.js";

export class ModelRegistry {
	#x;
	constructor(x) { this.#x = x; }

	getAll() { return ask("models", this.#x, {}); }
	getAvailable() { return ask("models", this.#x, { available: true }); }
	find(provider, id) { return ask("findModel", this.#x, { provider, id }) ?? undefined; }
	hasConfiguredAuth(model) { return ask("hasAuth", this.#x, { model }); }
	getError() { return undefined; }
	async refresh() { return { errors: [] }; }
	isUsingOAuth() { return false; }

	async getApiKeyAndHeaders(model) {
		try {
			const auth = await later("auth", this.#x, { model });
			return { ok: true, ...auth };
		} catch (error) {
			return { ok: false, error: error.message };
		}
	}

	async getApiKeyForProvider(name) {
		const model = this.getAll().find((m) => m.provider === name);
		if (!model) return undefined;
		const auth = await this.getApiKeyAndHeaders(model);
		return auth.ok ? auth.apiKey : undefined;
	}

	getProviderDisplayName(name) { return name; }

	// complete asks a model and gives its whole answer.
	complete(model, context, options) {
		const { signal, ...rest } = options ?? {};
		return later("complete", this.#x, { model, context, options: rest }, { signal });
	}

	registerProvider(name, config) { ask("registerProvider", this.#x, { name, provider: provider(config) }); }
	unregisterProvider(name) { ask("unregisterProvider", this.#x, { name }); }
}
