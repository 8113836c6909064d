// The prompt: a new run, or words into the open one.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Content } from '../../core/model/content.ts';
import { isStale } from '../state/link.ts';
import type { Session } from '../state/session.ts';
import { Used } from './settings-bar.tsx';

async function imageOf(file: File): Promise<Content> {
  const data = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return { type: 'image', mediaType: file.type, data: btoa(text), name: file.name };
}

export function PromptBox({ session }: { readonly session: Session }): VNode {
  const [text, setText] = useState('');
  const [images, setImages] = useState<readonly Content[]>([]);
  const isRunning = session.running.value;
  const standing = session.standing.value;
  const isTape = session.agent.value?.protocol === 'replay';
  const can = (command: string) => session.agent.value?.commands.includes(command) ?? true;
  const send = (type: 'prompt' | 'steer' | 'follow-up') => {
    if (text.trim() === '' && images.length === 0) return;
    const content: Content[] = [...images, ...(text === '' ? [] : [{ type: 'text' as const, text }])];
    setText('');
    setImages([]);
    void session.ask({ type, content }).then(({ ok }) => {
      if (ok) return;
      // Refused words come back into the box.
      setText((now) => (now === '' ? text : now));
      setImages((now) => (now.length === 0 ? images : now));
    });
  };
  /** What words become while the agent works. Not every agent takes steering. */
  const joins = can('steer') ? 'steer' : 'follow-up';
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send(!isRunning ? 'prompt' : event.altKey ? 'follow-up' : joins);
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
    if (files.length === 0) return;
    event.preventDefault();
    void Promise.all(files.map(imageOf)).then((added) => setImages([...images, ...added]));
  };
  if (standing.is === 'ended') return <p class="prompt-off">This session is over: {standing.reason}</p>;
  const keys = joins === 'steer' ? 'Steer the run: Enter. Follow-up: Alt+Enter' : 'Follow-up: Enter';
  const hint = isRunning ? keys : 'Prompt the agent';
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        send(isRunning ? joins : 'prompt');
      }}
    >
      {images.length > 0 && (
        <p class="quiet">
          {images.length} image{images.length > 1 ? 's' : ''}{' '}
          <button type="button" class="link" onClick={() => setImages([])}>
            remove
          </button>
        </p>
      )}
      <textarea
        id="prompt"
        aria-label="Prompt"
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        placeholder={isTape ? 'A tape plays: a prompt that is not on it is answered with a note' : hint}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div class="row">
        <Queue session={session} />
        <span class="gap" />
        {isRunning ? (
          <>
            <button type="submit" disabled={!can('steer') || isStale.value}>
              Steer
            </button>
            <button type="button" disabled={!can('follow-up') || isStale.value} onClick={() => send('follow-up')}>
              Follow-up
            </button>
            <button type="button" class="danger" onClick={() => void session.ask({ type: 'abort', target: 'run' })}>
              Abort
            </button>
          </>
        ) : (
          <button type="submit" class="primary">
            Send
          </button>
        )}
      </div>
    </form>
  );
}

function Queue({ session }: { readonly session: Session }): VNode {
  const { steering, followUp } = session.queue.value;
  const problem = session.problem.value;
  if (problem !== null)
    return (
      <span class="problem" role="alert">
        {problem}
      </span>
    );
  const waiting = steering.length + followUp.length;
  if (waiting > 0) return <span class="quiet">{waiting} waiting</span>;
  const activity = session.activity.value;
  return activity === null ? (
    <Used session={session} />
  ) : (
    <span class="quiet">
      <bdi>{activity}</bdi>
    </span>
  );
}
