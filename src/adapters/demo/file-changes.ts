// The file changes of the demo agent's calls, to be spread into their events.
import type { Dictionary, FileChange } from '../../core/model/content.ts';
import { fileChange, wholeFileChange } from '../../core/model/file-change.ts';

/** Arguments that a user changed may have any form. Such calls show no change. */
export function changeOf(name: string, input: Dictionary): { change?: FileChange } {
  const { path, text, old_text: before, new_text: after } = input;
  if (typeof path !== 'string') return {};
  if (name === 'write_note' && typeof text === 'string') {
    return { change: wholeFileChange(path, { before: '', after: text }) };
  }
  const isEdit = name === 'edit_file' && typeof before === 'string' && typeof after === 'string';
  return isEdit ? { change: fileChange(path, [{ before, after }]) } : {};
}
