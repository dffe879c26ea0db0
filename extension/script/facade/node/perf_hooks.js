const { performance } = globalThis;
export { performance };
export class PerformanceObserver { observe() {} disconnect() {} }
export default { performance, PerformanceObserver };
