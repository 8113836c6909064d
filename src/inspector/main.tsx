// The page of the inspector: logs in, then shows what the address names.
import { effect, untracked } from '@preact/signals';
import { render } from 'preact';
import { App } from './shell/app.tsx';
import { listenToKeys } from './shell/keys.ts';
import { enter, login, refresh } from './state/gateway.ts';
import { followAddress } from './state/view.ts';

/** How often the lists of sessions and agents are asked for, ms. */
const pace = 3000;

render(<App />, document.body);
listenToKeys();
addEventListener('hashchange', followAddress);

effect(() => {
  if (login.value.is !== 'in') return undefined;
  untracked(followAddress);
  const timer = setInterval(() => {
    if (!document.hidden) void refresh();
  }, pace);
  return () => clearInterval(timer);
});

await enter();
