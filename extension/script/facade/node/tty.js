export const isatty = () => Boolean(process.stdout.isTTY);
import { Duplex } from "node:stream";
export class ReadStream extends Duplex { isTTY = true; setRawMode() { return this; } }
export class WriteStream extends Duplex { isTTY = true; columns = 80; rows = 24; getColorDepth() { return 24; } hasColors() { return true; } }
export default { isatty, ReadStream, WriteStream };
