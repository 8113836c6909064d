// What calls of the demo agent would change in files, to be spread into their events. Knows no call.
import type { Dictionary, FileChange } from '../../core/model/content.ts';
import { fileChange, wholeFileChange } from '../../core/model/file-change.ts';

/** Arguments that a user changed may be anything: nothing is shown of those. */
export function changeOf(name: string, input: Dictionary): { change?: FileChange } {
  const { path, text, old_text: before, new_text: after } = input;
  if (typeof path !== 'string') return {};
  if (name === 'write_note' && typeof text === 'string') {
    return { change: wholeFileChange(path, { before: '', after: text }) };
  }
  const isEdit = name === 'edit_file' && typeof before === 'string' && typeof after === 'string';
  return isEdit ? { change: fileChange(path, [{ before, after }]) } : {};
}
