// The form for those who come without a link that counts.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { logIn } from '../state/gateway.ts';

export function LoginForm({ problem }: { readonly problem: string | null }): VNode {
  const [token, setToken] = useState('');
  return (
    <main class="login">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void logIn({ token });
        }}
      >
        <h1>Patchbay</h1>
        {problem !== null && (
          <p class="note warning" role="alert">
            {problem}
          </p>
        )}
        <label>
          Token of the gateway
          <input
            type="password"
            autocomplete="current-password"
            autofocus
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={token === ''}>
          Log in
        </button>
        <p class="quiet">
          Or open the link that <code>patchbay serve</code> prints when it starts. Each link counts once.
        </p>
      </form>
    </main>
  );
}
