// Checks that only bytes on stdio can break, or the end of a program.

/** Without the part of their ids that all share. */
export const inBytes = [
  ...['frames-readable', 'frames-in-one-write', 'frame-in-pieces', 'length-in-bytes', 'content-type'],
  ...['header-case', 'header-space', 'other-charset', 'parent-process'],
];
