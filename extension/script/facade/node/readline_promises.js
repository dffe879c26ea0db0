import { Interface as Lines } from "node:readline";

export class Interface extends Lines {
	question(text, { signal } = {}) {
		return new Promise((resolve, reject) => {
			signal?.addEventListener("abort", () => reject(Object.assign(new DOMException("The operation was aborted", "AbortError"), { cause: signal.reason })), { once: true });
			super.question(text, resolve);
		});
	}
}
export const createInterface = (input, output) => new Interface(input?.input ? input : { input, output });
export default { Interface, createInterface };
