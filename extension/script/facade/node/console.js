const { console } = globalThis;
export const { log, info, debug, warn, error, dir, trace, assert, table, group, groupCollapsed, groupEnd, time, timeLog, timeEnd, count, countReset, clear, Console } = console;
export default console;
