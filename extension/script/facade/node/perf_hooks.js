const { performance } = globalThis;
export { performance };
export class PerformanceObserver {
	static supportedEntryTypes = [];
	observe() {}
	disconnect() {}
	takeRecords() { return []; }
}
const still = () => ({ min: 0, max: 0, mean: 0, stddev: 0, exceeds: 0, count: 0, percentiles: new Map(), percentile: () => 0, reset() {}, record() {}, enable: () => true, disable: () => true });
export const monitorEventLoopDelay = still;
export const createHistogram = still;
export const eventLoopUtilization = () => ({ idle: 0, active: 0, utilization: 0 });
export const constants = {};
export default { performance, PerformanceObserver, monitorEventLoopDelay, createHistogram, eventLoopUtilization, constants };
