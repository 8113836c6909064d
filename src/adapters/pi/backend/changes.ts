// What pi's own tools change in files: `edit` and `write`, by their arguments, and by their results where those tell more.
// Tools of the same names with other arguments change nothing that could be shown. Knows no run.
import { z } from 'zod';
import type { Dictionary, FileChange } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { changeOfPatch, fileChange, wholeFileChange } from '../../../core/model/file-change.ts';

const Piece = z.object({ oldText: z.string(), newText: z.string() });
/** One piece up to 0.54; several in newer versions, which still take one beside them. */
const Edit = z.object({
  path: z.string(),
  edits: z.array(Piece).optional(),
  oldText: z.string().optional(),
  newText: z.string().optional(),
});
const Write = z.object({ path: z.string(), content: z.string() });

/** The change that a call of pi asks for. */
export function changeOf(name: string, input: Dictionary): FileChange | undefined {
  if (name === 'edit') return editOf(input);
  const write = name === 'write' ? Write.safeParse(input) : undefined;
  // What was there before nobody tells.
  return write?.success === true
    ? wholeFileChange(write.data.path, { before: '', after: write.data.content })
    : undefined;
}

function editOf(input: Dictionary): FileChange | undefined {
  const edit = Edit.safeParse(input);
  if (!edit.success) return undefined;
  const { path, edits = [], oldText, newText } = edit.data;
  const pieces = edits.map(({ oldText: before, newText: after }) => ({ before, after }));
  if (oldText !== undefined && newText !== undefined) pieces.push({ before: oldText, after: newText });
  return pieces.length === 0 ? undefined : fileChange(path, pieces);
}

/** The change that was made: newer versions of pi tell it as a patch, with its true lines. */
export function changeMade(asked: FileChange | undefined, details: unknown): FileChange | undefined {
  if (asked === undefined) return undefined;
  const { patch } = dictionaryOf(details);
  return (typeof patch === 'string' ? changeOfPatch(asked.path, patch) : null) ?? asked;
}
