// What needs the terminal itself. Importing it is no error; the first use says what is wrong.

export function unsupported(name, advice) {
  const error = () => new Error(`${name} of @earendil-works/pi-tui is not supported by this host: ${advice}`);
  return class {
    constructor() {
      throw error();
    }
  };
}

export function unsupportedFunction(name, advice) {
  return () => {
    throw new Error(`${name} of @earendil-works/pi-tui is not supported by this host: ${advice}`);
  };
}
