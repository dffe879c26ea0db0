import { domainToASCII, domainToUnicode } from "node:url";

export const toASCII = (domain) => domainToASCII(domain);
export const toUnicode = (domain) => domainToUnicode(domain);
export const ucs2 = { decode: (text) => [...text].map((c) => c.codePointAt(0)), encode: (points) => String.fromCodePoint(...points) };
export const version = "2.1.0";
export default { toASCII, toUnicode, ucs2, version };
