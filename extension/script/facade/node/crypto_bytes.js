// Bytes, as the functions of crypto take and give them.
import { bytesOf } from "rondo:encoding";

// A secret key stands for its bytes.
export const bytes = (data, encoding) => (typeof data === "string" ? Buffer.from(data, encoding) : Buffer.from(bytesOf(data?.secret ?? data)));
export const out = (base64, encoding) => { const b = Buffer.from(base64, "base64"); return encoding && encoding !== "buffer" ? b.toString(encoding) : b; };
export const algorithm = (name) => String(name).toLowerCase().replace(/^(rsa|ecdsa)-(with-)?/, "").replace("sha-", "sha").replace(/withrsaencryption$/, "");
