// Decodes the end of a turn from its `result`. `is_error` decides, not the subtype (docs/protocols/claude.md 7.2, 7.3).
import type { Failure } from '../../../../core/model/content.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import type { ResultFrame } from '../../wire/agent.ts';

type Verdict = Pick<EventOf<'run-end'>, 'outcome' | 'failure'>;

/** `interrupted`: the gateway asked for it, or the agent reported it in the user's name. */
export function verdictOf(result: ResultFrame, interrupted: boolean): Verdict {
  const { subtype, terminal_reason: reason } = result;
  // Without `is_error`, only the subtype tells.
  const isError = result.is_error ?? (subtype !== 'success' && subtype !== undefined);
  if (!isError) return { outcome: 'completed' };
  const isStopped = subtype === 'error_during_execution' && interrupted;
  if (reason?.startsWith('aborted') === true || isStopped) {
    return { outcome: 'aborted', failure: { kind: 'aborted', message: sentenceOf(result, 'the run was interrupted') } };
  }
  const status = result.api_error_status ?? undefined;
  const failure = { kind: kindOf(result), message: sentenceOf(result, `the run ended with ${subtype ?? 'an error'}`) };
  return { outcome: 'failed', failure: status === undefined ? failure : { ...failure, status } };
}

function kindOf({ subtype, terminal_reason: reason, api_error_status: status }: ResultFrame): Failure['kind'] {
  if (subtype?.startsWith('error_max_') === true) return 'limit';
  if (reason === 'prompt_too_long') return 'overflow';
  return reason === 'api_error' || typeof status === 'number' ? 'provider' : 'agent';
}

/**
 * Leaves out diagnostics, which are meant for the makers of the agent (threads 405 and 366 of the SDK's repository).
 */
function sentenceOf({ errors, result }: ResultFrame, otherwise: string): string {
  const readable = (errors ?? []).filter((error) => typeof error === 'string' && !error.startsWith('[ede_diagnostic]'));
  if (readable.length > 0) return readable.join('; ');
  return typeof result === 'string' && result !== '' ? result : otherwise;
}
