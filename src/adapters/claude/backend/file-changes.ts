// File changes of Claude Code's own tools `Edit`, `MultiEdit` and `Write`: computed from their arguments, and from
// their results if those tell more.
import { z } from 'zod';
import type { Dictionary, FileChange } from '../../../core/model/content.ts';
import { changeOfHunks, fileChange, wholeFileChange } from '../../../core/model/file-change.ts';

const Piece = z.object({ old_string: z.string(), new_string: z.string() });
const Edit = Piece.extend({ file_path: z.string() });
const MultiEdit = z.object({ file_path: z.string(), edits: z.array(Piece).min(1) });
const Write = z.object({ file_path: z.string(), content: z.string() });

type Read = (input: Dictionary) => FileChange | undefined;

const readers: ReadonlyMap<string, Read> = new Map([
  // A piece with several occurrences is shown once.
  ['Edit', reader(Edit, ({ file_path: path, ...piece }) => fileChange(path, [replaced(piece)]))],
  ['MultiEdit', reader(MultiEdit, ({ file_path: path, edits }) => fileChange(path, edits.map(replaced)))],
  // The file's earlier content is unknown until the result.
  [
    'Write',
    reader(Write, ({ file_path: path, content: after }) => ({
      ...wholeFileChange(path, { before: '', after }),
      after,
    })),
  ],
]);

/** The change that a call of Claude Code requests. */
export function changeOf(name: string, input: Dictionary): FileChange | undefined {
  return readers.get(name)?.(input);
}

const count = z.number().int().nonnegative();
const Hunk = z
  .object({
    oldStart: count,
    oldLines: count,
    newStart: count,
    newLines: count,
    lines: z.array(z.string().regex(/^[-+ \\][^\n]*$/u)),
  })
  .refine(({ lines, oldLines, newLines }) => {
    const having = (prefixes: string) => lines.filter((line) => prefixes.includes(line.charAt(0))).length;
    return having(' -') === oldLines && having(' +') === newLines;
  });
const Result = z.object({
  structuredPatch: z.array(Hunk).min(1),
  originalFile: z.string().optional().catch(undefined),
});

/** The change that was made, with its real line numbers if the result has them. The result of a new file has none. */
export function changeMade(asked: FileChange | undefined, details: unknown): FileChange | undefined {
  const reported = asked === undefined ? undefined : Result.safeParse(details).data;
  if (asked === undefined || reported === undefined) return asked;
  const { after, before = after === undefined ? undefined : reported.originalFile } = asked;
  return {
    ...changeOfHunks(asked.path, reported.structuredPatch),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function replaced({ old_string: before, new_string: after }: z.infer<typeof Piece>) {
  return { before, after };
}

function reader<Schema extends z.ZodType>(schema: Schema, read: (input: z.output<Schema>) => FileChange): Read {
  return (input) => {
    const parsed = schema.safeParse(input);
    return parsed.success ? read(parsed.data) : undefined;
  };
}
