// Checks that only raw bytes on stdio, or the end of a program, can violate.

/** Names without the common part of the ids. */
export const inBytes = [
  ...['frames-readable', 'frames-in-one-write', 'frame-in-pieces', 'length-in-bytes', 'content-type'],
  ...['header-case', 'header-space', 'other-charset', 'parent-process'],
];
