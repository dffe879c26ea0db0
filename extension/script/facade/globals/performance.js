// performance, as far as clocks go.
import { host } from "rondo:host";

const origin = host("clock.now");
export const performance = {
	timeOrigin: Date.now(),
	now: () => host("clock.now") - origin,
	mark: (name) => ({ name, entryType: "mark", startTime: performance.now(), duration: 0 }),
	measure: (name) => ({ name, entryType: "measure", startTime: 0, duration: performance.now() }),
	clearMarks: () => {},
	clearMeasures: () => {},
	getEntries: () => [],
	getEntriesByName: () => [],
	getEntriesByType: () => [],
	eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
	timerify: (fn) => fn,
	toJSON: () => ({ timeOrigin: performance.timeOrigin }),
};
