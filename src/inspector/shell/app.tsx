// The page: the form until somebody is logged in, then the panes.
import type { VNode } from 'preact';
import { Conversation } from '../conversation/conversation.tsx';
import { login } from '../state/gateway.ts';
import { selected } from '../state/link.ts';
import { isWireShown, pane } from '../state/view.ts';
import { WirePane } from '../wire/wire-pane.tsx';
import { DropZone } from './drop.tsx';
import { Help } from './help.tsx';
import { LoginForm } from './login-form.tsx';
import { Rule } from './rule.tsx';
import { Sidebar } from './sidebar.tsx';
import { Start } from './start.tsx';
import { Status } from './status.tsx';
import { Tabs } from './tabs.tsx';
import { TopBar } from './top-bar.tsx';

export function App(): VNode {
  const { value } = login;
  if (value.is === 'out') return <LoginForm problem={value.problem} />;
  if (value.is === 'entering')
    return (
      <main class="login">
        <p role="status">Connecting to the gateway …</p>
      </main>
    );
  return <Panes />;
}

function Panes(): VNode {
  const session = selected.value;
  return (
    <div class={`app${session !== null && isWireShown.value ? ' with-wire' : ''}`} data-pane={pane.value}>
      <TopBar />
      <Status />
      <Sidebar />
      <main class="main">
        {session === null ? <Start /> : <Conversation key={session.id} session={session} />}
        {session !== null && isWireShown.value && <WirePane key={session.id} session={session} />}
      </main>
      <Tabs />
      <DropZone />
      <Rule />
      <Help />
    </div>
  );
}
