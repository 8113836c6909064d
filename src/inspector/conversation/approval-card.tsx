// A question whether a tool may run: allow, allow with changed input, deny with a reason.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { visible } from '../state/format.ts';
import type { ApprovalItem } from '../state/items.ts';
import { selected } from '../state/link.ts';
import { Diff } from './diff.tsx';
import { JsonText, pretty } from './json-text.tsx';

export function ApprovalCard({ item }: { readonly item: ApprovalItem }): VNode {
  void item.changed.value;
  const { request, end } = item;
  if (end !== null || request.standing !== undefined) {
    const how = end === null ? `allowed, ${request.standing}` : end.outcome;
    return (
      <p class={`note ${how === 'denied' ? 'warning' : 'info'}`}>
        <bdi>{visible(request.name)}</bdi> {how}
        {end?.reason !== undefined && <bdi>: {visible(end.reason)}</bdi>}
      </p>
    );
  }
  return <OpenApproval item={item} />;
}

function OpenApproval({ item: { request } }: { readonly item: ApprovalItem }): VNode {
  const { id, name, title, input, change } = request;
  const [text, setText] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const changed = text === null ? null : read(text);
  const answer = (decision: 'allow' | 'deny', forSession = false) => {
    const session = selected.value;
    if (session === null || (decision === 'allow' && changed?.problem !== undefined)) return;
    void session.ask({
      type: 'answer-approval',
      id,
      decision,
      ...(decision === 'allow' && changed?.input !== undefined ? { input: changed.input } : {}),
      ...(decision === 'deny' && reason !== '' ? { reason } : {}),
      ...(forSession ? { forSession } : {}),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'a') answer('allow');
    else if (event.key === 'd') answer('deny');
  };
  return (
    <section class="card question" data-question aria-label={`Approval of ${name}`} tabIndex={0} onKeyDown={onKeyDown}>
      <h3>
        May <bdi>{visible(name)}</bdi> run?
        {title !== undefined && <bdi class="gist">{visible(title)}</bdi>}
      </h3>
      {change !== undefined && text === null && <Diff change={change} />}
      {text === null ? (
        change === undefined && <JsonText text={pretty(input)} />
      ) : (
        <textarea
          aria-label="input of the tool, as JSON"
          class="mono"
          rows={Math.min(12, text.split('\n').length + 1)}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {changed?.problem !== undefined && <p class="note error">{changed.problem}</p>}
      <div class="row">
        <button type="button" class="primary" onClick={() => answer('allow')} disabled={changed?.problem !== undefined}>
          {text === null ? 'Allow' : 'Allow as changed'}
        </button>
        <button type="button" onClick={() => answer('allow', true)}>
          Allow in this session
        </button>
        <button type="button" onClick={() => setText(text === null ? pretty(input) : null)}>
          {text === null ? 'Change input' : 'Keep input'}
        </button>
      </div>
      <div class="row">
        <input
          class="wide"
          aria-label="reason of a denial"
          placeholder="why not (the agent reads it)"
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <button type="button" class="danger" onClick={() => answer('deny')}>
          Deny
        </button>
      </div>
    </section>
  );
}

function read(text: string): { readonly input?: Record<string, unknown>; readonly problem?: string } {
  try {
    const input: unknown = JSON.parse(text);
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return { input: input as Record<string, unknown> };
    return { problem: 'The input is a JSON object.' };
  } catch (thrown) {
    return { problem: (thrown as Error).message };
  }
}
