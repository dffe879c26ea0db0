import { host } from "rondo:host";

let known;
const about = () => (known ??= host("os.about"));

export const homedir = () => process.env.HOME || process.env.USERPROFILE || about().homedir;
export const tmpdir = () => (process.env.TMPDIR || about().tmpdir).replace(/(?<=.)\/$/, "");
export const hostname = () => about().hostname;
export const platform = () => about().platform;
export const arch = () => about().arch;
export const machine = () => ({ x64: "x86_64", arm64: process.platform === "darwin" ? "arm64" : "aarch64" })[about().arch] ?? about().arch;
export const type = () => about().type;
export const release = () => about().release;
export const version = () => "";
export const cpus = () => Array.from({ length: about().cpus }, () => ({ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }));
export const availableParallelism = () => about().cpus;
export const endianness = () => "LE";
export const uptime = () => performance.now() / 1000;
export const loadavg = () => [0, 0, 0];
export const totalmem = () => 0;
export const freemem = () => 0;
export const networkInterfaces = () => ({});
export const userInfo = () => ({ username: about().username, uid: about().uid, gid: about().gid, shell: about().shell, homedir: homedir() });
export const EOL = process.platform === "win32" ? "\r\n" : "\n";
export const devNull = process.platform === "win32" ? "\\\\.\\nul" : "/dev/null";
export const constants = { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 }, errno: {}, priority: {} };
export default { homedir, tmpdir, hostname, platform, arch, machine, type, release, version, cpus, availableParallelism, endianness, uptime, loadavg, totalmem, freemem, networkInterfaces, userInfo, EOL, devNull, constants };
