// How much of a workspace one prompt may carry and one question may look at (docs/contexts.md). Knows nothing else.

const kibibyte = 1024;

export const limits = {
  /** Contexts of one prompt. */
  contexts: 100,
  /** Bytes of all that one prompt carries. */
  prompt: 1024 * kibibyte,
  /** Bytes of one file. */
  file: 256 * kibibyte,
  /** Bytes that are read to find lines of a file. */
  search: 8 * 1024 * kibibyte,
  /** UTF-16 units in which lines are looked for, for one prompt: nobody else has a turn meanwhile. */
  searches: 64 * 1024 * kibibyte,
  /** Files of one directory, bytes of each and of them all. */
  directory: { files: 100, file: 64 * kibibyte, bytes: 256 * kibibyte },
  /** Paths and bytes of one listing. */
  listing: { paths: 2_000, bytes: 64 * kibibyte },
  /** Directories inside each other. */
  depth: 32,
  /** Entries of directories that are looked at for one prompt, or for one question what may be chosen. */
  visits: 20_000,
  /** Rules of `.gitignore` files that are tried for those: who writes a repository may write thousands of them. */
  tries: 4_000_000,
  /** Contexts that a user is offered at once. */
  offered: 100,
} as const;
