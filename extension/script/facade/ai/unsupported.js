// What belongs to other programs than extensions. Importing it is no error; the first use is.

const message = (name) => `${name} of @earendil-works/pi-ai is not supported by this host: register models with pi.registerProvider and ask them through ctx.modelRegistry.`;

export const unsupported = (name) => () => {
  throw new Error(message(name));
};

export const unsupportedClass = (name) =>
  class {
    constructor() {
      throw new Error(message(name));
    }
  };
