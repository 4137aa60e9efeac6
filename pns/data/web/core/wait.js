/** Resolves after some milliseconds. */
export const wait = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
