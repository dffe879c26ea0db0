// @earendil-works/pi-agent-core: extensions import types of it alone.
export {};
