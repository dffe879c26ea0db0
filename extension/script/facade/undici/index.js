// undici, over the host's fetch. What is not here fails at its first use.
export * from "./all.js";
export * as default from "./all.js";
