export const isatty = () => Boolean(process.stdout.isTTY);
export default { isatty };
