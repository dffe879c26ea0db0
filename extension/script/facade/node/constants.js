import * as fs from "node:fs";
import * as os from "node:os";

const all = { ...os.constants.errno, ...os.constants.signals, ...os.constants.priority, ...fs.constants };
export default all;
