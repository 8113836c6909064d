// How the connection stands, for eyes and for screen readers.
import { effect, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isSilent } from '../state/gateway.ts';
import { link, retry, selected } from '../state/link.ts';
import { refusal, said } from '../state/view.ts';

/** Sentences for screen readers, at most one in this time, ms. */
const pace = 3000;

/** What is told politely, and what at once. */
const polite = signal('');

effect(() => {
  const text = said.value;
  if (text !== '') polite.value = text;
});

export function Status(): VNode {
  return (
    <>
      <div class="banners">
        <Refusal />
        <Banner />
      </div>
      <div role="status" class="hidden" id="status">
        {polite.value}
      </div>
      <Urgent />
      <RunEnd />
    </>
  );
}

function Refusal(): VNode | null {
  if (refusal.value === null) return null;
  return (
    <p class="banner warning" role="alert">
      Not opened: {refusal.value}
      <span class="gap" />
      <button type="button" aria-label="close" onClick={() => (refusal.value = null)}>
        ×
      </button>
    </p>
  );
}

function Banner(): VNode | null {
  const state = link.value;
  const [now, setNow] = useState(Date.now());
  const until = state.is === 'waiting' ? state.until : 0;
  useEffect(() => {
    if (until === 0) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [until]);
  if (state.is === 'idle' && isSilent.value)
    return <p class="banner warning">The gateway does not answer. What you see may be old.</p>;
  if (state.is === 'connecting') return <p class="banner">Connecting …</p>;
  if (state.is !== 'waiting') return null;
  const why = state.code === 1001 ? 'The gateway is shutting down.' : 'The connection was cut.';
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <p class="banner warning">
      {why} What you see may be old. Attempt {state.attempt + 1} in {seconds} s.
      <button type="button" onClick={retry}>
        Now
      </button>
    </p>
  );
}

/** Questions are told at once. The focus stays where it is. */
function Urgent(): VNode {
  const waiting = selected.value?.waiting.value ?? 0;
  return (
    <div role="alert" class="hidden">
      {waiting > 0 ? `The agent waits for ${waiting === 1 ? 'an answer' : `${waiting} answers`}.` : ''}
    </div>
  );
}

/** Tells that a run is over, once things are calm. */
function RunEnd(): null {
  const session = selected.value;
  const isRunning = session?.running.value ?? false;
  const [before, setBefore] = useState(false);
  useEffect(() => {
    setBefore(isRunning);
    if (isRunning || !before) return undefined;
    const timer = setTimeout(() => {
      polite.value = 'The agent has finished.';
    }, pace);
    return () => clearTimeout(timer);
  }, [isRunning]);
  return null;
}

effect(() => {
  const { is } = link.value;
  if (is === 'waiting') said.value = 'The connection was cut. The page connects again.';
  else if (is === 'open') said.value = 'Connected.';
});
