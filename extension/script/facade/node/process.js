const { process } = globalThis;
export const { argv, env, platform, arch, pid, cwd, nextTick, exit, stdout, stderr, stdin, hrtime, version, versions, execPath, uptime, memoryUsage, kill, chdir } = process;
export { process };
export default process;
