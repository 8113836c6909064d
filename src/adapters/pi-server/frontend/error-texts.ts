// Error texts of failed commands, worded as by real servers (docs/protocols/pi-server.md 22). The same text is in
// `command_finished` and in the response.

import type { Ticket } from '../../../core/contract/ticket.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { longest } from '../wire/command-fields.ts';

/**
 * The error text for a command's problem. `isElsewhere`: whether that dialog is open in a session other than the
 * command's.
 */
export function errorText(
  { type, payload }: Pick<Ticket, 'type' | 'payload'>,
  problem: Problem,
  isElsewhere: (requestId: string) => boolean,
): string {
  const line = dictionaryOf(payload);
  const words = sessionWords(problem.message);
  switch (type) {
    case 'create_session':
      return problem.code === 'invalid' ? (sessionIdFault(line) ?? cwdFault(line) ?? words) : words;
    case 'load_session':
      return problem.code === 'invalid' ? (sessionIdFault(line) ?? pathFault(line) ?? words) : words;
    case 'switch_session_file':
      return problem.code === 'invalid' ? (pathFault(line) ?? placeWords('sessionPath', words)) : words;
    case 'new_session':
      return problem.code === 'invalid' ? placeWords('parentSession', words) : words;
    case 'extension_ui_response':
      return answerWords(line, problem, words, isElsewhere);
    default:
      return preconditionWords(line, words);
  }
}

/**
 * Rewords the gateway's errors about sessions, also as the cause inside another error. Removes pi's prefix before
 * errors of its session, which real servers do not have.
 */
function sessionWords(message: string): string {
  return message
    .replace(/(^|failed: )Failed to parse command: /u, '$1')
    .replace(/(^|failed: )session (\S+) exists already$/u, '$1Session $2 already exists')
    .replace(/(^|failed: )session (\S+ not found|limit reached)/u, '$1Session $2');
}

/** A missing session has no version either. */
function preconditionWords({ sessionId, ifSessionVersion: version }: Dictionary, words: string): string {
  const missing = `Session ${String(sessionId)} not found`;
  return version === undefined || words !== missing ? words : `${missing} for ifSessionVersion=${String(version)}`;
}

function answerWords(
  line: Dictionary,
  { code }: Problem,
  words: string,
  isElsewhere: (requestId: string) => boolean,
): string {
  const isGone = code === 'stale' && !words.startsWith('Session version mismatch');
  if (!isGone) return preconditionWords(line, words);
  const requestId = String(line.requestId);
  return isElsewhere(requestId)
    ? `Session ID mismatch for request ${requestId}`
    : `No pending UI request with id ${requestId}`;
}

function sessionIdFault({ sessionId }: Dictionary): string | null {
  if (typeof sessionId !== 'string') return null;
  if (/^[A-Za-z0-9_.-]+$/u.test(sessionId)) return null;
  return 'Session ID must contain only alphanumeric characters, underscores, dashes, and dots';
}

/** Why the gateway may have refused a folder. Does not reveal which paths exist (docs/threats.md T8). */
function cwdFault({ cwd }: Dictionary): string | null {
  if (typeof cwd !== 'string') return null;
  if (cwd === '') return 'CWD must be a non-empty string';
  if (cwd.length > longest.path) return `CWD too long (max ${longest.path} characters)`;
  if (/\.\.|^~/u.test(cwd)) return 'CWD contains potentially dangerous path components';
  return isAbsolute(cwd) ? null : 'CWD must be an absolute path';
}

function pathFault({ sessionPath: path }: Dictionary): string | null {
  if (typeof path !== 'string') return null;
  if (!isAbsolute(path)) return 'sessionPath must be an absolute path';
  return /\.jsonl?$/u.test(path) ? null : 'sessionPath must point to a .jsonl or .json session file';
}

/** Rewords the gateway's errors about stored session paths to those of `load_session`. */
function placeWords(field: string, words: string): string {
  const [, rule] = /^session path: (.*)$/u.exec(words) ?? [];
  if (rule === undefined) return words;
  return rule.startsWith('must name a stored session')
    ? `${field} must point to an existing session file under an allowed session directory`
    : `${field} contains potentially dangerous path components`;
}

function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/u.test(path);
}
