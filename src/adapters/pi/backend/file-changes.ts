// The file changes of pi's own tools `edit` and `write`, read from the arguments, and from the results if these say
// more. A tool of the same name with other arguments has no change that could be shown.
import { z } from 'zod';
import type { Dictionary, FileChange } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { changeOfPatch, fileChange, wholeFileChange } from '../../../core/model/file-change.ts';

const Piece = z.object({ oldText: z.string(), newText: z.string() });
/** One edit up to 0.54. Newer versions have several edits and still accept a single one beside the list. */
const Edit = z.object({
  path: z.string(),
  edits: z.array(Piece).optional(),
  oldText: z.string().optional(),
  newText: z.string().optional(),
});
const Write = z.object({ path: z.string(), content: z.string() });

/** The change that a call of pi requests. */
export function changeOf(name: string, input: Dictionary): FileChange | undefined {
  if (name === 'edit') return editOf(input);
  const write = name === 'write' ? Write.safeParse(input) : undefined;
  if (write?.success !== true) return undefined;
  const { path, content: after } = write.data;
  // pi does not report the previous content of the file.
  return { ...wholeFileChange(path, { before: '', after }), after };
}

function editOf(input: Dictionary): FileChange | undefined {
  const edit = Edit.safeParse(input);
  if (!edit.success) return undefined;
  const { path, edits = [], oldText, newText } = edit.data;
  const pieces = edits.map(({ oldText: before, newText: after }) => ({ before, after }));
  if (oldText !== undefined && newText !== undefined) pieces.push({ before: oldText, after: newText });
  return pieces.length === 0 ? undefined : fileChange(path, pieces);
}

/** The change that was made: newer versions of pi report it as a patch with the real line numbers. */
export function changeMade(asked: FileChange | undefined, details: unknown): FileChange | undefined {
  if (asked === undefined) return undefined;
  const { patch } = dictionaryOf(details);
  return { ...asked, ...(typeof patch === 'string' ? changeOfPatch(asked.path, patch) : null) };
}
