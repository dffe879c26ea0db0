// The client starts a JavaScript file with Node: this one is rondo.
import { spawn } from "node:child_process";

const rondo = spawn(process.env.RONDO, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => rondo.kill(signal));
rondo.on("exit", (code, signal) => process.exit(signal ? 1 : code));
