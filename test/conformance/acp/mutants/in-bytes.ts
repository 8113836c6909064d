// The checks of ACP agents that need raw bytes or a process.

/** Their names. */
export const inBytes = ['lines-in-one-write', 'line-in-pieces', 'blank-lines', 'input-ends', 'terminated'];
