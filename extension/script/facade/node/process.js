const { process } = globalThis;
export const { argv, argv0, execArgv, title, ppid, release, features, config, umask, cpuUsage, resourceUsage, getuid, getgid, geteuid, getegid, emitWarning, abort, getBuiltinModule, loadEnvFile, env, platform, arch, pid, cwd, nextTick, exit, stdout, stderr, stdin, hrtime, version, versions, execPath, uptime, memoryUsage, kill, chdir } = process;
export { process };
export default process;
