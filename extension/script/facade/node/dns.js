import promises from "node:dns/promises";

const called = (fn, spread = (value) => [value]) => (...args) => { const done = args.pop(); fn(...args).then((value) => done(null, ...spread(value)), (error) => done(error)); };
export const lookup = called(promises.lookup, (found) => (Array.isArray(found) ? [found] : [found.address, found.family]));
lookup[Symbol.for("nodejs.util.promisify.custom")] = promises.lookup;
export const resolve = called(async (...args) => promises.resolve(...args));
export const resolve4 = called(promises.resolve4);
export const resolve6 = called(promises.resolve6);
export const resolveTxt = called(promises.resolveTxt);
export const reverse = called(promises.reverse);
export const { getServers, setServers, setDefaultResultOrder, getDefaultResultOrder, NOTFOUND, NODATA, SERVFAIL, TIMEOUT, REFUSED } = promises;
export const ADDRCONFIG = 32, V4MAPPED = 8, ALL = 16;
export { promises };
export default { lookup, resolve, resolve4, resolve6, resolveTxt, reverse, getServers, setServers, setDefaultResultOrder, getDefaultResultOrder, NOTFOUND, NODATA, SERVFAIL, TIMEOUT, REFUSED, ADDRCONFIG, V4MAPPED, ALL, promises };
