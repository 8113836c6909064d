// The fields of a stream event, and of its frame, that the backend does not read, because only newer versions of the
// protocol know them. The events carry these fields as extra fields, so that clients of this protocol get them (rule 3
// in ARCHITECTURE.md). Pure, except for the memory of `createExtraCache`.
import type { Dictionary, Extra } from '../../../../core/model/content.ts';
import { without } from '../../../../core/model/dictionary.ts';
import { otherFields } from './values.ts';

/** The unread fields of a frame and of its event. */
export interface UnreadFields {
  readonly frame: Dictionary;
  readonly event: Dictionary;
}

/** No unread fields. */
export const noUnreadFields: UnreadFields = { frame: {}, event: {} };

/** `event`: the fields that its schema does not name. */
export function unreadFieldsOf(frame: Dictionary, event: object): UnreadFields {
  return { frame: otherFields(frame, 'event'), event: without(event, 'type') };
}

/**
 * Removes the message's name from the frame. Every frame of a stream has the name, so the start of the message keeps it
 * for all.
 */
export function withoutMessageName(name: unknown, beside: UnreadFields): UnreadFields {
  const { api_message_id: own, ...frame } = beside.frame;
  return own === name ? { ...beside, frame } : beside;
}

interface WithExtra {
  readonly extra?: Extra;
}

/** Reuses one object for equal ones in a row. The hot path towards clients recognises the same object. */
export function createExtraCache(): (fields: WithExtra) => WithExtra {
  let last = { text: '', fields: {} as WithExtra };
  return (fields) => {
    if (fields.extra === undefined) return fields;
    const text = JSON.stringify(fields.extra);
    if (text !== last.text) last = { text, fields };
    return last.fields;
  };
}
