// Limits on the part of a workspace that one prompt may carry and one query may visit (docs/contexts.md).

const kibibyte = 1024;

export const limits = {
  /** Most contexts of one prompt. */
  contexts: 100,
  /** Bytes of all contexts of one prompt. */
  prompt: 1024 * kibibyte,
  /** Bytes of one file. */
  file: 256 * kibibyte,
  /** Bytes read to find lines of a file. */
  search: 8 * 1024 * kibibyte,
  /** UTF-16 units searched for lines for one prompt. The search blocks the event loop. */
  searches: 64 * 1024 * kibibyte,
  /** Files included from one directory, bytes of each file and of all files. */
  directory: { files: 100, file: 64 * kibibyte, bytes: 256 * kibibyte },
  /** Paths and bytes of one listing. */
  listing: { paths: 2_000, bytes: 64 * kibibyte },
  /** Nesting depth of directories. */
  depth: 32,
  /** Directory entries visited for one prompt, or for one query for candidates. */
  visits: 20_000,
  /** Evaluations of `.gitignore` rules for these entries: a hostile repository may have thousands of rules. */
  tries: 4_000_000,
  /** Contexts offered to a user at once. */
  offered: 100,
} as const;
