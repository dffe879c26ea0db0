// What can be told of an engine that is another.
export function getHeapStatistics() {
	const { heapTotal, heapUsed, rss } = process.memoryUsage();
	return { total_heap_size: heapTotal, total_heap_size_executable: 0, total_physical_size: rss, total_available_size: heapTotal - heapUsed, used_heap_size: heapUsed, heap_size_limit: heapTotal, malloced_memory: 0, peak_malloced_memory: 0, does_zap_garbage: 0, number_of_native_contexts: 1, number_of_detached_contexts: 0, total_global_handles_size: 0, used_global_handles_size: 0, external_memory: 0 };
}
export const getHeapSpaceStatistics = () => [];
export const setFlagsFromString = () => {};
export const cachedDataVersionTag = () => 0;
export default { getHeapStatistics, getHeapSpaceStatistics, setFlagsFromString, cachedDataVersionTag };
